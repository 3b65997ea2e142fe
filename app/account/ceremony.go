package account

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"paraph/app/fault"
	"paraph/kv"
)

// Ceremony is the first half of registering or using a passkey. Options are for
// the browser (navigator.credentials.create or .get takes them, after
// PublicKeyCredential.parse…OptionsFromJSON of their member publicKey); ID
// identifies the ceremony when the browser answers.
type Ceremony struct {
	ID      string
	Options json.RawMessage // {"publicKey": {…}}
}

const (
	ceremonyLifetime = 5 * time.Minute
	maxCeremonies    = 10_000
)

// ceremony is a challenge that an authenticator has to answer.
type ceremony struct {
	site    string
	session webauthn.SessionData
	user    string // of a registration: the user it is for
	pending string // of a second step: see BeginSignIn
	prover  string // the signed-in user who proves who they are
	ends    time.Time
}

// ceremonies holds the open challenges in memory: each can be answered once, within five
// minutes, and a restart discards them. It is safe for concurrent use.
type ceremonies struct {
	mu    sync.Mutex
	all   map[string]ceremony
	order []string // in the order they began, so that the oldest are dropped first
}

func newCeremonies() *ceremonies { return &ceremonies{all: make(map[string]ceremony)} }

func (c *ceremonies) put(id string, in ceremony) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.order) >= maxCeremonies {
		delete(c.all, c.order[0])
		c.order = slices.Delete(c.order, 0, 1)
	}
	c.all[id] = in
	c.order = append(c.order, id)
}

// take removes and returns a ceremony that has not expired.
func (c *ceremonies) take(id string, now time.Time) (ceremony, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in, ok := c.all[id]
	if !ok {
		return ceremony{}, false
	}
	delete(c.all, id)
	c.order = slices.DeleteFunc(c.order, func(o string) bool { return o == id })
	return in, in.ends.After(now)
}

func (c *ceremonies) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.all)
	c.order = nil
}

// begin stores a challenge and returns what the browser needs.
func (s *Service) begin(c ceremony, options any) (Ceremony, error) {
	secret, err := s.random(linkSize)
	if err != nil {
		return Ceremony{}, err
	}
	b, err := json.Marshal(options)
	if err != nil {
		return Ceremony{}, fmt.Errorf("account: options of a passkey: %w", err)
	}
	id := base64.RawURLEncoding.EncodeToString(secret)
	c.ends = s.now().Add(ceremonyLifetime)
	s.ceremonies.put(id, c)
	return Ceremony{ID: id, Options: b}, nil
}

func errCeremony() error {
	return fault.Invalid("ceremony", "ceremony_expired")
}

func errPasskey(cause error) error {
	return fault.Invalid("credential", "passkey_not_accepted").Because(explained(cause))
}

// explained adds the details that the library keeps for developers.
func explained(err error) error {
	if e, ok := errors.AsType[*protocol.Error](err); ok && e.DevInfo != "" {
		return fmt.Errorf("%w (%s)", err, e.DevInfo)
	}
	return err
}

// BeginPasskey begins to register a passkey of the caller. The site is the
// address under which they see the appliance, such as https://sign.example.org.
func (s *Service) BeginPasskey(_ context.Context, who Actor, site string) (Ceremony, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return Ceremony{}, err
	}
	party, err := s.relyingParty(site)
	if err != nil {
		return Ceremony{}, err
	}
	var h holder
	err = s.db.View(func(tx *kv.Tx) (err error) {
		h, err = loadHolder(tx, who.UserID)
		return err
	})
	if err != nil {
		return Ceremony{}, err
	}
	if err := h.mayAdd(); err != nil {
		return Ceremony{}, err
	}
	options, kept, err := party.BeginRegistration(h, webauthn.WithExclusions(h.descriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationPreferred,
		}))
	if err != nil {
		return Ceremony{}, fmt.Errorf("account: begin a passkey: %w", explained(err))
	}
	return s.begin(ceremony{site: site, session: *kept, user: who.UserID}, options)
}

func (h holder) mayAdd() error {
	if len(h.keys) >= maxPasskeys {
		return fault.Conflict("too_many_passkeys", fault.Number("limit", maxPasskeys))
	}
	return nil
}

// NewPasskey is a passkey that was just registered. A person's first second
// factor comes with recovery codes, shown once.
type NewPasskey struct {
	Passkey
	RecoveryCodes []string
}

// FinishPasskey stores a passkey from the browser's answer (the JSON of its
// PublicKeyCredential). From the first passkey on, the password alone is no
// longer enough to log in.
func (s *Service) FinishPasskey(_ context.Context, who Actor, id, name string, credential []byte) (NewPasskey, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return NewPasskey{}, err
	}
	c, ok := s.ceremonies.take(id, s.now())
	if !ok || c.user != who.UserID {
		return NewPasskey{}, errCeremony()
	}
	record := passkeyRecord{ID: s.newID().String(), UserID: who.UserID, Name: "Passkey"}
	var f fault.Fields
	if name != "" {
		setName(&f, "name", &name, &record.Name)
	}
	if err := f.Err(); err != nil {
		return NewPasskey{}, err
	}
	party, err := s.relyingParty(c.site)
	if err != nil {
		return NewPasskey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return NewPasskey{}, errPasskey(err)
	}
	made, err := party.CreateCredential(holder{user: userRecord{ID: who.UserID}}, c.session, parsed)
	if err != nil {
		return NewPasskey{}, errPasskey(err)
	}
	return s.addPasskey(record.with(made))
}

func (s *Service) addPasskey(p passkeyRecord) (NewPasskey, error) {
	codes, hashes, err := s.newRecoveryCodes()
	if err != nil {
		return NewPasskey{}, err
	}
	var out NewPasskey
	err = s.db.Update(func(tx *kv.Tx) error {
		h, err := loadHolder(tx, p.UserID)
		if err != nil {
			return err
		}
		if err := h.mayAdd(); err != nil {
			return err
		}
		_, _, err = passkeys.Lookup(tx, "credential", credentialKey(p.Credential))
		if err == nil {
			return fault.Conflict("passkey_known")
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		p.CreatedAt, p.TrustedAt = tx.Now, tx.Now
		out = NewPasskey{Passkey: p.view()}
		if u := &h.user; !u.guarded() {
			out.RecoveryCodes = codes
			next := &twoFactor{Recovery: hashes, RecoveryAt: tx.Now}
			if u.TwoFactor != nil {
				next.Secret = u.TwoFactor.Secret // an app that is being set up
			}
			u.TwoFactor = next
		}
		h.user.Passkeys++
		return errors.Join(passkeys.Put(tx, p.key(), p), s.putUser(tx, h.user),
			s.tell(tx, h.user, MailPasskeyAdded, map[string]string{"what": p.Name}))
	})
	if err != nil {
		return NewPasskey{}, err
	}
	return out, nil
}
