// Package mailserver keeps which mail server the installation uses: the one of the configuration, or one that an
// administrator of the installation has set in the web app.
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
	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/mail"
	"paraph/app/seal"
	"paraph/kv"
)

// Settings describe a mail server and how to use it.
type Settings struct {
	Host     string // "": there is none
	Port     int
	Username string // "": no login
	Password mail.Secret
	TLS      string // starttls, tls or none
	From     string // sender of every message
	HELO     string
	Timeout  time.Duration // for one message
}

// SMTP returns the way to the server.
func (s Settings) SMTP() mail.SMTP {
	return mail.SMTP{Host: s.Host, Port: s.Port, Username: s.Username, Password: s.Password, TLS: s.TLS, HELO: s.HELO, Timeout: s.Timeout}
}

// Sender returns the address that messages come from.
func (s Settings) Sender() mail.Address {
	address, err := mail.ParseAddress(s.From)
	if err != nil { // validated wherever it comes from
		return mail.Address{Name: "Paraph", Email: "paraph@localhost"}
	}
	return address
}

// Options are what the service needs from its surroundings.
type Options struct {
	DB         *kv.DB
	Key        []byte   // of the installation: encrypts the password
	Configured Settings // with a host, it wins over everything set in the web app
	// DNS resolves the sender's domain; nil does not ask.
	DNS          *net.Resolver
	DKIMSelector string // names the key with which the mail server signs; "" if it is not known
	Allows       func(host string) bool
	// Apply is called with the settings that count from now on, at the start and after every change.
	Apply func(Settings)
	// Changed is called after a change has been applied.
	Changed func(context.Context) error
	Proven  func(account.Actor) bool
	Now     func() time.Time
	Log     *slog.Logger
}

// Service keeps the settings. Its methods may be called from several goroutines.
type Service struct {
	Options
	box     *seal.Box
	tests   *limit.Limiter // per person
	current atomic.Pointer[Settings]
}

// stored are the settings of the web app.
type stored struct {
	Host, Username, TLS, From string
	Port                      int
	Sealed                    []byte // the password
	ChangedAt                 time.Time
	ChangedBy                 string // name of the administrator
}

var servers = kv.NewCollection("mail_server", kv.JSON[stored]())

// only is the key of the one record.
const only = "smtp"

// Collections lists what this package stores, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{servers} }

// New makes the service, and applies the settings.
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

// read returns the settings of the web app; without a host if there are none.
func read(tx *kv.Tx) (stored, error) {
	kept, err := servers.Get(tx, only)
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

// settings returns those that count: the configuration's, if it names a server.
func (s *Service) settings(kept stored) Settings {
	now := s.Configured
	if s.IsConfigured() || kept.Host == "" {
		return now
	}
	now.Host, now.Port, now.Username, now.TLS, now.From = kept.Host, kept.Port, kept.Username, kept.TLS, kept.From
	now.Password = s.open(kept)
	return now
}

// open decrypts the password. One that was sealed with another key is lost: the server then says that it is missing.
func (s *Service) open(kept stored) mail.Secret {
	if kept.Sealed == nil {
		return mail.Secret{}
	}
	password, err := s.box.Open(only, kept.Sealed)
	if err != nil {
		s.Log.Error("the password of the mail server can't be opened", "error", err)
	}
	return mail.NewSecret(string(password))
}

// IsConfigured reports whether the configuration names the mail server, so that the web app cannot change it.
func (s *Service) IsConfigured() bool { return s.Configured.Host != "" }

// Current returns the settings that count.
func (s *Service) Current() Settings { return *s.current.Load() }

// Blocked reports whether network.egress forbids connections to the server, so that nothing is sent.
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
func (s *Service) Get(_ context.Context, who account.Actor) (state State, err error) {
	if err := runs(who); err != nil {
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
	state := State{Settings: now, Configured: s.IsConfigured(), Password: !now.Password.IsZero(), Blocked: now.Host != "" && !s.Allows(now.Host)}
	state.Settings.Password = mail.Secret{}
	if !state.Configured {
		state.ChangedAt, state.ChangedBy = kept.ChangedAt, kept.ChangedBy
	}
	return state
}

// runs returns nil for administrators of the installation. To others its settings do not exist.
func runs(who account.Actor) error {
	if who.RunsInstallation() {
		return nil
	}
	return fault.NotFound("page")
}

// mayChange also asks for a recent proof: whoever sets the mail server reads everybody's links.
func (s *Service) mayChange(who account.Actor) error {
	switch err := runs(who); {
	case err != nil:
		return err
	case s.IsConfigured():
		return fault.Conflict("mail_server_configured")
	case !s.Proven(who):
		return fault.Forbidden("proof_required")
	}
	return nil
}

// Save uses another mail server from now on.
func (s *Service) Save(ctx context.Context, who account.Actor, in Input) (State, error) {
	if err := s.mayChange(who); err != nil {
		return State{}, err
	}
	return s.change(ctx, func(tx *kv.Tx) (stored, error) {
		kept, err := read(tx)
		if err != nil {
			return stored{}, err
		}
		if kept, err = s.merged(kept, in); err != nil {
			return stored{}, err
		}
		kept.ChangedAt, kept.ChangedBy = tx.Now, who.Name
		return kept, servers.Put(tx, only, kept)
	})
}

// TurnOff forgets the mail server. Messages are kept in the outbox from now on.
func (s *Service) TurnOff(ctx context.Context, who account.Actor) error {
	if err := s.mayChange(who); err != nil {
		return err
	}
	_, err := s.change(ctx, func(tx *kv.Tx) (stored, error) {
		if has, err := servers.Has(tx, only); err != nil || !has {
			return stored{}, err
		}
		return stored{}, servers.Delete(tx, only)
	})
	return err
}

// change stores other settings, applies them in the order of the transactions, and then deals with waiting messages.
func (s *Service) change(ctx context.Context, do func(tx *kv.Tx) (stored, error)) (State, error) {
	var kept stored
	err := s.DB.Update(func(tx *kv.Tx) (err error) {
		if kept, err = do(tx); err == nil {
			tx.OnCommit(func() { s.apply(kept) })
		}
		return err
	})
	if err == nil {
		err = s.Changed(ctx)
	}
	if err != nil {
		return State{}, err
	}
	return s.state(kept), nil
}
