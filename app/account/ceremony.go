package account

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
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

// authenticators asks browsers for passkeys and checks their answers.
type authenticators struct {
	db         *kv.DB
	ceremonies *ceremonies
	signInLog  *signInLog
	random     *randomSource
	issuer     string
	now        func() time.Time
	log        *slog.Logger
}

// begin stores a challenge and returns what the browser needs.
func (s *authenticators) begin(c ceremony, options any) (Ceremony, error) {
	secret, err := s.random.bytes(linkSize)
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

// AcceptsPasskeys reports whether browsers use passkeys for a site at an address: they need a name,
// and https.
func AcceptsPasskeys(site string) bool {
	u, err := url.Parse(site)
	return err == nil && passkeyAddress(u) == nil
}

func passkeyAddress(u *url.URL) error {
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return fault.Conflict("passkeys_need_a_name")
	}
	if u.Scheme != "https" && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return fault.Conflict("passkeys_need_https")
	}
	return nil
}

// relyingParty returns the appliance as authenticators identify it, by the address under which
// the person sees it (https://host[:port]).
func (s *authenticators) relyingParty(site string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(site)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("account: %q is not the address of a site", site)
	}
	if err := passkeyAddress(u); err != nil {
		return nil, err
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: s.issuer, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
	})
	if err != nil {
		return nil, fmt.Errorf("account: passkeys on %s: %w", site, err)
	}
	return party, nil
}

// beginWithKeys begins a ceremony for the passkeys of one person. As a second step after the
// password, having the key is enough. Where it proves on its own who uses a session, the
// authenticator has to verify its holder: a key left in an unattended computer proves nothing.
func (s *authenticators) beginWithKeys(party *webauthn.WebAuthn, userID string, c ceremony) (Ceremony, error) {
	var h holder
	err := s.db.View(func(tx *kv.Tx) (err error) {
		h, err = loadHolder(tx, userID)
		return err
	})
	if err != nil {
		return Ceremony{}, err
	}
	if len(h.keys) == 0 {
		return Ceremony{}, fault.Conflict("no_passkey")
	}
	verification := protocol.VerificationPreferred
	if c.prover != "" {
		verification = protocol.VerificationRequired
	}
	options, kept, err := party.BeginLogin(h, webauthn.WithUserVerification(verification))
	if err != nil {
		return Ceremony{}, fmt.Errorf("account: begin a step with a passkey: %w", explained(err))
	}
	c.session = *kept
	return s.begin(c, options)
}

// usedPasskey is a passkey that has answered a challenge.
type usedPasskey struct {
	record passkeyRecord // updated with the authenticator's answer
	before uint32        // its previous signature count
	second bool          // used after the password
}

// checkPasskey checks the answer of an authenticator. userID is the user who has
// entered the password before, "" for none.
func (s *authenticators) checkPasskey(
	c ceremony, userID string, credential []byte, from From,
) (*usedPasskey, holder, error) {
	party, err := s.relyingParty(c.site)
	if err != nil {
		return nil, holder{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return nil, holder{}, errPasskey(err)
	}
	h, err := s.holderOf(parsed.RawID)
	if err != nil {
		return nil, holder{}, err
	}
	if userID != "" && h.user.ID != userID {
		return nil, holder{}, fault.Unauthenticated()
	}
	made, err := validate(party, c, h, parsed)
	if err == nil && made.Authenticator.CloneWarning {
		err = errCloned
		s.log.Warn("passkey refused", "user", h.user.ID, "error", err)
	}
	if err != nil {
		s.signInLog.refused(h.user, (&usedPasskey{second: userID != ""}).method(), WrongProof, from)
		return nil, holder{}, fault.Unauthenticated().Because(explained(err))
	}
	for _, p := range h.keys {
		if string(p.Credential) == string(made.ID) {
			return &usedPasskey{record: p.with(made), before: p.SignCount, second: c.pending != ""}, h, nil
		}
	}
	return nil, holder{}, fault.Unauthenticated()
}

var errCloned = errors.New("account: the signature count of a passkey went back: it may have been copied")

// holderOf finds the user of a passkey.
func (s *authenticators) holderOf(credential []byte) (h holder, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, p, err := passkeys.Lookup(tx, "credential", credentialKey(credential))
		if err != nil {
			return err
		}
		h, err = loadHolder(tx, p.UserID)
		return err
	})
	if errors.Is(err, kv.ErrNotFound) {
		return h, fault.Unauthenticated().Because(err)
	}
	return h, err
}

func (p *usedPasskey) method() Method {
	if p.second {
		return ByPasswordAndPasskey
	}
	return ByPasskey
}

// note records the use. A count that has not increased means that the key was copied.
func (p *usedPasskey) note(tx *kv.Tx) error {
	now, err := passkeys.Get(tx, p.record.key())
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return fault.Unauthenticated().Because(err) // removed in the meantime
	case err != nil:
		return err
	case now.SignCount != p.before && p.record.SignCount <= now.SignCount:
		return fault.Unauthenticated().Because(errCloned)
	}
	p.record.Name, p.record.LastUsedAt, p.record.TrustedAt = now.Name, &tx.Now, now.TrustedAt
	if p.second {
		p.record.TrustedAt = tx.Now // used after the current password
	}
	return passkeys.Put(tx, p.record.key(), p.record)
}

func validate(
	party *webauthn.WebAuthn, c ceremony, h holder, parsed *protocol.ParsedCredentialAssertionData,
) (*webauthn.Credential, error) {
	if c.pending != "" || c.prover != "" {
		return party.ValidateLogin(h, c.session, parsed)
	}
	_, made, err := party.ValidatePasskeyLogin(func(_, handle []byte) (webauthn.User, error) {
		if string(handle) != h.user.ID {
			return nil, fault.Unauthenticated()
		}
		return h, nil
	}, c.session, parsed)
	return made, err
}
