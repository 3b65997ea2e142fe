package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"paraph/app/fault"
	"paraph/kv"
)

// maxPasskeys is how many passkeys one person can have.
const maxPasskeys = 20

// passkeyRecord is a passkey (a discoverable WebAuthn credential) or a security
// key of a user, as stored. Nothing in it is a secret.
type passkeyRecord struct {
	ID         string     `json:"id"`
	UserID     string     `json:"user_id"`
	Name       string     `json:"name"`
	Credential []byte     `json:"credential"` // its identifier
	PublicKey  []byte     `json:"public_key"` // COSE
	SignCount  uint32     `json:"sign_count,omitempty"`
	Transports []string   `json:"transports,omitempty"`
	Synced     bool       `json:"synced,omitempty"`    // may be on several devices
	BackedUp   bool       `json:"backed_up,omitempty"` // is on several devices
	CreatedAt  time.Time  `json:"created_at"`
	TrustedAt  time.Time  `json:"trusted_at"` // when it was added, or last used after the password
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
}

var passkeys = kv.NewCollection("passkeys", kv.JSON[passkeyRecord](),
	kv.Index[passkeyRecord]{Name: "credential", Unique: true, Keys: func(p passkeyRecord) []kv.Key {
		return []kv.Key{credentialKey(p.Credential)}
	}})

func credentialKey(id []byte) kv.Key { return kv.K(base64.RawURLEncoding.EncodeToString(id)) }

func passkeyKey(userID, id string) string { return userID + "/" + id }

func (p passkeyRecord) key() string { return passkeyKey(p.UserID, p.ID) }

// Passkey is a person's means of logging in without a password.
type Passkey struct {
	ID         string
	Name       string
	Synced     bool // kept by a password manager on several devices
	LastUsedAt *time.Time
	CreatedAt  time.Time
}

func (p passkeyRecord) view() Passkey {
	return Passkey{ID: p.ID, Name: p.Name, Synced: p.Synced, LastUsedAt: p.LastUsedAt, CreatedAt: p.CreatedAt}
}

// passkeysOf lists the passkeys of a user, oldest first.
func passkeysOf(tx *kv.Tx, userID string) (all []passkeyRecord, err error) {
	err = passkeys.Each(tx, "", kv.Key(passkeyKey(userID, "")), func(_ string, p passkeyRecord) (bool, error) {
		all = append(all, p)
		return true, nil
	})
	return all, err
}

// dropFactors removes every second factor of a user.
func dropFactors(tx *kv.Tx, u *userRecord) error {
	all, err := passkeysOf(tx, u.ID)
	for _, p := range all {
		err = errors.Join(err, passkeys.Delete(tx, p.key()))
	}
	u.TwoFactor, u.Passkeys = nil, 0
	return err
}

// ListPasskeys lists the caller's own passkeys, oldest first.
func (s *Service) ListPasskeys(_ context.Context, who Actor) ([]Passkey, error) {
	if err := session(who); err != nil {
		return nil, err
	}
	out := []Passkey{}
	err := s.db.View(func(tx *kv.Tx) error {
		all, err := passkeysOf(tx, who.UserID)
		for _, p := range all {
			out = append(out, p.view())
		}
		return err
	})
	return out, err
}

// RenamePasskey renames one of the caller's own passkeys.
func (s *Service) RenamePasskey(_ context.Context, who Actor, id, name string) (Passkey, error) {
	if err := session(who); err != nil {
		return Passkey{}, err
	}
	var p passkeyRecord
	err := s.db.Update(func(tx *kv.Tx) (err error) {
		if p, err = passkeys.Get(tx, passkeyKey(who.UserID, id)); err != nil {
			return found(err, "passkey")
		}
		var f fault.Fields
		setName(&f, "name", &name, &p.Name)
		if err := f.Err(); err != nil {
			return err
		}
		return passkeys.Put(tx, p.key(), p)
	})
	if err != nil {
		return Passkey{}, err
	}
	return p.view(), nil
}

// RemovePasskey removes a passkey. Removing the last second factor requires the password or a code; for any other a
// recent proof is enough.
func (s *Service) RemovePasskey(ctx context.Context, who Actor, id, password, code string) error {
	last := func(u userRecord) bool { return u.Passkeys == 1 && !u.TwoFactor.active() }
	return s.changeProven(ctx, who, password, code, last, func(tx *kv.Tx, u *userRecord) error {
		p, err := passkeys.Get(tx, passkeyKey(u.ID, id))
		if err != nil {
			return found(err, "passkey")
		}
		if u.Passkeys--; !u.guarded() {
			u.TwoFactor = nil // recovery codes are of no use without a factor
		}
		return errors.Join(passkeys.Delete(tx, p.key()), s.tell(tx, *u, MailPasskeyRemoved, map[string]string{"what": p.Name}))
	})
}

// relyingParty returns the appliance as authenticators identify it, by the address under which
// the person sees it (https://host[:port]).
func (s *Service) relyingParty(site string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(site)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("account: %q is not the address of a site", site)
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return nil, fault.Conflict("passkeys_need_a_name")
	}
	if u.Scheme != "https" && host != "localhost" && !strings.HasSuffix(host, ".localhost") {
		return nil, fault.Conflict("passkeys_need_https")
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: s.issuer, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
	})
	if err != nil {
		return nil, fmt.Errorf("account: passkeys on %s: %w", site, err)
	}
	return party, nil
}

// holder adapts a user to the passkey library.
type holder struct {
	user userRecord
	keys []passkeyRecord
}

func loadHolder(tx *kv.Tx, userID string) (h holder, err error) {
	if h.user, err = users.Get(tx, userID); err != nil {
		return h, found(err, "user")
	}
	h.keys, err = passkeysOf(tx, userID)
	return h, err
}

// WebAuthnID returns the user handle: the identifier, which reveals nothing about the person.
func (h holder) WebAuthnID() []byte { return []byte(h.user.ID) }

// WebAuthnName returns the name that distinguishes accounts in a list of passkeys.
func (h holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName returns the person's name.
func (h holder) WebAuthnDisplayName() string { return h.user.Name }

// WebAuthnCredentials returns all passkeys of the person.
func (h holder) WebAuthnCredentials() []webauthn.Credential {
	out := make([]webauthn.Credential, 0, len(h.keys))
	for _, p := range h.keys {
		out = append(out, p.credential())
	}
	return out
}

func (h holder) descriptors() []protocol.CredentialDescriptor {
	out := make([]protocol.CredentialDescriptor, 0, len(h.keys))
	for _, c := range h.WebAuthnCredentials() {
		out = append(out, c.Descriptor())
	}
	return out
}

func (p passkeyRecord) credential() webauthn.Credential {
	c := webauthn.Credential{
		ID: p.Credential, PublicKey: p.PublicKey,
		Flags:         webauthn.CredentialFlags{UserPresent: true, BackupEligible: p.Synced, BackupState: p.BackedUp},
		Authenticator: webauthn.Authenticator{SignCount: p.SignCount},
	}
	for _, t := range p.Transports {
		c.Transport = append(c.Transport, protocol.AuthenticatorTransport(t))
	}
	return c
}

// with returns the record updated with the authenticator's latest answer.
func (p passkeyRecord) with(c *webauthn.Credential) passkeyRecord {
	p.Credential, p.PublicKey, p.SignCount = slices.Clone(c.ID), slices.Clone(c.PublicKey), c.Authenticator.SignCount
	p.Synced, p.BackedUp = c.Flags.BackupEligible, c.Flags.BackupState
	p.Transports = nil
	for _, t := range c.Transport {
		p.Transports = append(p.Transports, string(t))
	}
	return p
}
