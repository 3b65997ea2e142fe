// Package mailserver manages the mail server of the installation: the one in the
// configuration, or one that an administrator of the installation set in the web app.
package mailserver

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"paraph/app/account"
	"paraph/app/limit"
	"paraph/app/mail"
	"paraph/app/seal"
	"paraph/kv"
)

// Options configures the service.
type Options struct {
	DB         *kv.DB
	Key        []byte   // the installation's key, which encrypts the password
	Configured Settings // from the configuration; with a host, they override the web app's
	// DNS looks up the sender's domain. With nil there are no lookups.
	DNS          *net.Resolver
	DKIMSelector string // selector of the mail server's DKIM key, "" if unknown
	Allows       func(host string) bool
	// Apply is called with the effective settings, at startup and after every change.
	Apply func(Settings)
	// Changed is called after a change has been applied.
	Changed func(context.Context) error
	Proven  func(account.Call) bool
	Now     func() time.Time
	Log     *slog.Logger
}

// Service manages the settings. Its methods are safe for concurrent use.
type Service struct {
	Options
	box     *seal.Box
	tests   *limit.Limiter // per user
	current atomic.Pointer[Settings]
}

// stored holds the settings made in the web app.
type stored struct {
	Host, Username, TLS, From string
	Port                      int
	Sealed                    []byte // the password
	ChangedAt                 time.Time
	ChangedBy                 string // name of the administrator
}

var servers = kv.NewCollection("mail_server", kv.JSON[stored]())

// recordKey is the key of the only record.
const recordKey = "smtp"

// Collections lists what this package stores, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{servers} }

// New returns the service and applies the settings.
func New(o Options) (*Service, error) {
	box, err := seal.New(o.Key, "mail server", func(n int) ([]byte, error) {
		b := make([]byte, n)
		_, err := rand.Read(b)
		return b, err
	})
	if err != nil {
		return nil, err
	}
	s := &Service{Options: o, box: box, tests: limit.New(10, time.Minute, o.Now)}
	return s, s.Load()
}

// Load reads the settings and applies them.
func (s *Service) Load() error {
	return s.DB.View(func(tx *kv.Tx) error {
		kept, err := read(tx)
		if err != nil {
			return err
		}
		s.apply(kept)
		return nil
	})
}

// read returns the settings made in the web app. Without any, their host is "".
func read(tx *kv.Tx) (stored, error) {
	kept, err := servers.Get(tx, recordKey)
	if errors.Is(err, kv.ErrNotFound) {
		return stored{}, nil
	}
	return kept, err
}

func (s *Service) apply(kept stored) {
	now := s.settings(kept)
	s.current.Store(&now)
	s.Apply(now)
}

// settings returns the effective settings: the configuration's if it names a server.
func (s *Service) settings(kept stored) Settings {
	now := s.Configured
	if s.IsConfigured() || kept.Host == "" {
		return now
	}
	now.Host, now.Port, now.Username, now.TLS, now.From = kept.Host, kept.Port, kept.Username, kept.TLS, kept.From
	now.Password = s.open(kept)
	return now
}

// open decrypts the password. A password encrypted with another key is lost; sending
// then fails because the server requires one.
func (s *Service) open(kept stored) mail.Secret {
	if kept.Sealed == nil {
		return mail.Secret{}
	}
	password, err := s.box.Open(recordKey, kept.Sealed)
	if err != nil {
		s.Log.Error("mail server password can't be decrypted", "error", err)
	}
	return mail.NewSecret(string(password))
}

// IsConfigured reports whether the configuration names the mail server, in which case
// the web app can't change it.
func (s *Service) IsConfigured() bool { return s.Configured.Host != "" }

// Current returns the effective settings.
func (s *Service) Current() Settings { return *s.current.Load() }

// Blocked reports whether network.egress forbids connections to the server.
func (s *Service) Blocked() bool {
	host := s.Current().Host
	return host != "" && !s.Allows(host)
}

// State describes the settings for administrators of the installation, without the password.
type State struct {
	Settings   // without the password
	Configured bool
	Blocked    bool
	Password   bool // there is one
	ChangedAt  time.Time
	ChangedBy  string
}

// Get returns the settings, for administrators of the installation.
func (s *Service) Get(who account.Call) (state State, err error) {
	if err := requireOperator(who); err != nil {
		return State{}, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		kept, err := read(tx)
		state = s.state(kept)
		return err
	})
	return state, err
}

func (s *Service) state(kept stored) State {
	now := s.settings(kept)
	state := State{
		Settings:   now,
		Configured: s.IsConfigured(),
		Password:   !now.Password.IsZero(),
		Blocked:    now.Host != "" && !s.Allows(now.Host),
	}
	state.Settings.Password = mail.Secret{}
	if !state.Configured {
		state.ChangedAt, state.ChangedBy = kept.ChangedAt, kept.ChangedBy
	}
	return state
}
