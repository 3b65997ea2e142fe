package account

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// LinkKind is the purpose of a mailed link.
type LinkKind string

// The kinds of links, each of which works once.
const (
	LinkVerify LinkKind = "verify" // proves that an address is read by its user
	LinkReset  LinkKind = "reset"  // chooses a new password
	LinkInvite LinkKind = "invite" // joins a company
	LinkSetup  LinkKind = "setup"  // names the first administrator
	LinkUndo   LinkKind = "undo"   // reverts changes to a person's credentials
)

// How long links work.
const (
	verifyLifetime = 24 * time.Hour
	resetLifetime  = time.Hour
	inviteLifetime = 7 * 24 * time.Hour
	undoLifetime   = 7 * 24 * time.Hour
	setupLifetime  = 10 * 365 * 24 * time.Hour // until the appliance is set up
)

// linkSize is 256 bits: as hard to guess as the hash is to invert.
const linkSize = 32

// linkKey returns the key of a link's record. The token itself is not stored; a
// plain hash is enough for 256 random bits.
func linkKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// linkStore stores links that work once.
type linkStore struct {
	random *randomSource
	forget Forgetter
}

// create records a link and returns its token, which is not stored.
func (s *linkStore) create(
	tx *kv.Tx, l linkRecord, lifetime time.Duration,
) (token string, expires time.Time, err error) {
	secret, err := s.random.bytes(linkSize)
	if err != nil {
		return "", time.Time{}, err
	}
	token = base64.RawURLEncoding.EncodeToString(secret)
	l.MadeAt, l.ExpiresAt = tx.Now, tx.Now.Add(lifetime)
	return token, l.ExpiresAt, links.Put(tx, linkKey(token), l)
}

// errLink returns the same error for every link that does not work, whether it
// never existed, was used, or expired.
func errLink() *fault.Error {
	return fault.Invalid("token", "link_expired")
}

// findLink returns the record of a link that can still be used.
func findLink(tx *kv.Tx, kind LinkKind, token string) (linkRecord, error) {
	if token == "" {
		var f fault.Fields
		f.Required("token")
		return linkRecord{}, f.Err()
	}
	l, err := links.Get(tx, linkKey(token))
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return linkRecord{}, errLink().Because(err)
	case err != nil:
		return linkRecord{}, err
	case l.Kind != kind || !l.ExpiresAt.After(tx.Now):
		return linkRecord{}, errLink()
	}
	return l, nil
}

// linkUser returns the user that a link which can still be used is for.
func linkUser(tx *kv.Tx, kind LinkKind, token string) (linkRecord, userRecord, error) {
	l, err := findLink(tx, kind, token)
	if err != nil {
		return linkRecord{}, userRecord{}, err
	}
	u, err := users.Get(tx, l.UserID)
	if errors.Is(err, kv.ErrNotFound) || err == nil && u.DeactivatedAt != nil {
		return linkRecord{}, userRecord{}, errLink()
	}
	return l, u, err
}

// LinkShown records that a link, found by [Mail.Link], was shown to somebody other than its
// addressee. From then on it doesn't prove that its user reads the address. Codes and links of
// other packages are ignored.
func LinkShown(tx *kv.Tx, link string) error {
	l, err := links.Get(tx, link)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return nil
	case err != nil || l.Shown:
		return err
	}
	l.Shown = true
	return links.Put(tx, link, l)
}

// linksAtOnce is how many links a migration changes in one transaction.
const linksAtOnce = 1000

// MigrateLinks marks all links as shown to somebody else: older versions didn't record it.
// Running it again is harmless.
func MigrateLinks(db *kv.DB) (err error) {
	for from, more := "", true; more && err == nil; {
		err = db.Update(func(tx *kv.Tx) error {
			next := map[string]linkRecord{}
			more = false
			err := links.EachFrom(tx, "", nil, kv.Key(from), func(key string, l linkRecord) (bool, error) {
				if len(next) == linksAtOnce {
					from, more = key, true
					return false, nil
				}
				next[key] = l
				return true, nil
			})
			for key, l := range next {
				l.Shown = true
				err = errors.Join(err, links.Put(tx, key, l))
			}
			return err
		})
	}
	return err
}

// drop removes a user's links of one kind ("" for all kinds), for one
// company or ("") for all.
func (s *linkStore) drop(tx *kv.Tx, userID string, kind LinkKind, companyID string) error {
	return s.dropWhere(tx, userID, kind, func(l linkRecord) bool { return companyID == "" || l.CompanyID == companyID })
}

// dropSince removes the links of a user that were made at a time or later. Earlier ones stay:
// they were sent to people whom later changes may have locked out.
func (s *linkStore) dropSince(tx *kv.Tx, userID string, since time.Time) error {
	return s.dropWhere(tx, userID, "", func(l linkRecord) bool { return !l.madeAt().Before(since) })
}

// madeAt returns when a link was made.
func (l linkRecord) madeAt() time.Time {
	switch {
	case !l.MadeAt.IsZero():
		return l.MadeAt
	case l.Since != nil: // a notice from before that was recorded
		return *l.Since
	}
	return l.ExpiresAt
}

func (s *linkStore) dropWhere(tx *kv.Tx, userID string, kind LinkKind, unwanted func(linkRecord) bool) error {
	prefix := kv.K(userID)
	if kind != "" {
		prefix = kv.K(userID, string(kind))
	}
	var keys []string
	err := links.Each(tx, "user", prefix, func(key string, l linkRecord) (bool, error) {
		if unwanted(l) {
			keys = append(keys, key)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.spend(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// spend removes a link that was used or replaced, also from stored messages.
func (s *linkStore) spend(tx *kv.Tx, key string) error {
	if s.forget == nil {
		return links.Delete(tx, key)
	}
	return errors.Join(links.Delete(tx, key), s.forget(tx, key))
}
