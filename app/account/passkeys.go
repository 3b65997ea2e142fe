package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
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
func (s *Authentication) ListPasskeys(who Call) ([]Passkey, error) {
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
func (s *Authentication) RenamePasskey(who Call, id, name string) (Passkey, error) {
	if err := session(who); err != nil {
		return Passkey{}, err
	}
	var p passkeyRecord
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) (err error) {
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
func (s *Authentication) RemovePasskey(ctx context.Context, who Call, id, password, code string) error {
	last := func(u userRecord) bool { return u.Passkeys == 1 && !u.TwoFactor.active() }
	return s.changeProven(ctx, who, password, code, last, func(tx *kv.Tx, u *userRecord) error {
		p, err := passkeys.Get(tx, passkeyKey(u.ID, id))
		if err != nil {
			return found(err, "passkey")
		}
		if u.Passkeys--; !u.guarded() {
			u.TwoFactor = nil // recovery codes are of no use without a factor
		}
		return errors.Join(passkeys.Delete(tx, p.key()), s.messages.tell(tx, *u, MailPasskeyRemoved, map[string]string{"what": p.Name}))
	})
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

// BeginPasskey begins to register a passkey of the caller. The site is the
// address under which they see the appliance, such as https://sign.example.org.
func (s *Authentication) BeginPasskey(who Call, site string) (Ceremony, error) {
	if err := errors.Join(session(who), s.proven(who)); err != nil {
		return Ceremony{}, err
	}
	party, err := s.authenticators.relyingParty(site)
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
	return s.authenticators.begin(ceremony{site: site, session: *kept, user: who.UserID}, options)
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
func (s *Authentication) FinishPasskey(who Call, id, name string, credential []byte) (NewPasskey, error) {
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
	party, err := s.authenticators.relyingParty(c.site)
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

func (s *Authentication) addPasskey(p passkeyRecord) (NewPasskey, error) {
	codes, hashes, err := s.codes.newRecovery()
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
		return errors.Join(passkeys.Put(tx, p.key(), p), s.records.putUser(tx, h.user),
			s.messages.tell(tx, h.user, MailPasskeyAdded, map[string]string{"what": p.Name}))
	})
	if err != nil {
		return NewPasskey{}, err
	}
	return out, nil
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
