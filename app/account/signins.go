package account

import (
	"errors"
	"sync"
	"time"

	"paraph/app/list"
	"paraph/kv"

	"github.com/oklog/ulid/v2"
)

// Method is how somebody signed in, or tried to.
type Method string

// The ways to sign in.
const (
	ByPassword           Method = "password"
	ByCode               Method = "password+code"
	ByRecoveryCode       Method = "password+recovery_code"
	ByPasswordAndPasskey Method = "password+passkey"
	ByPasskey            Method = "passkey"
)

// Outcome is the result of a sign-in.
type Outcome string

// The outcomes of a sign-in. Failures for other reasons are not recorded, since they belong to
// no account.
const (
	LetIn         Outcome = "ok"
	WrongPassword Outcome = "wrong_password"
	WrongProof    Outcome = "wrong_second_factor" // code or passkey
	Deactivated   Outcome = "deactivated"         // the account
)

// maxSignIns is how many sign-ins of one person are kept, the latest ones.
const maxSignIns = 100

// SignInEntry is one sign-in of a person, successful or not.
type SignInEntry struct {
	ID        string    `json:"id"`
	UserID    string    `json:"user_id"`
	Name      string    `json:"name"` // of the person, at the time
	Email     string    `json:"email"`
	At        time.Time `json:"at"`
	IP        string    `json:"ip,omitempty"`
	UserAgent string    `json:"user_agent,omitempty"`
	Method    Method    `json:"method"`
	Outcome   Outcome   `json:"outcome"`
	Companies []string  `json:"companies,omitempty"` // the person's companies at the time
}

var signIns = kv.NewCollection("signins", kv.JSON[SignInEntry](),
	kv.Index[SignInEntry]{Name: "user", Counted: true, Keys: func(e SignInEntry) []kv.Key {
		return []kv.Key{kv.K(e.UserID, kv.KeyTime(e.At))}
	}},
	kv.Index[SignInEntry]{Name: "company", Counted: true, Keys: func(e SignInEntry) []kv.Key {
		keys := make([]kv.Key, 0, len(e.Companies))
		for _, c := range e.Companies {
			keys = append(keys, kv.K(c, kv.KeyTime(e.At)))
		}
		return keys
	}})

// signedIn records a successful sign-in.
func (s *signInLog) signedIn(tx *kv.Tx, u User, how Method, from From) error {
	e := SignInEntry{UserID: u.ID, Name: u.Name, Email: u.Email, At: tx.Now, IP: from.IP, UserAgent: clip(from.UserAgent, 400), Method: how, Outcome: LetIn}
	for _, c := range u.Companies {
		e.Companies = append(e.Companies, c.ID)
	}
	return s.putSignIn(tx, e)
}

// putSignIn stores an entry and drops the person's oldest beyond the limit.
func (s *signInLog) putSignIn(tx *kv.Tx, e SignInEntry) error {
	e.ID = s.newID().String()
	if err := signIns.Put(tx, e.ID, e); err != nil {
		return err
	}
	count, err := signIns.Count(tx, "user", kv.K(e.UserID))
	if err != nil || count <= maxSignIns {
		return err
	}
	old, err := signIns.Page(tx, kv.Query{Index: "user", Prefix: kv.K(e.UserID), Limit: count - maxSignIns})
	for _, id := range old.IDs {
		err = errors.Join(err, signIns.Delete(tx, id))
	}
	return err
}

// maxRefusals bounds how many are kept before they are written.
const maxRefusals = 10_000

// refusals holds failed sign-ins that are not written yet: writing immediately would take
// longer for a known address than for an unknown one, and thereby disclose which it is. It is
// safe for concurrent use.
type refusals struct {
	mu  sync.Mutex
	all []SignInEntry
}

func (r *refusals) add(e SignInEntry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) < maxRefusals {
		r.all = append(r.all, e)
	}
}

func (r *refusals) take() []SignInEntry {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// refused records a failed sign-in, if the user is known.
func (s *signInLog) refused(u userRecord, how Method, why Outcome, from From) {
	if u.ID == "" {
		return
	}
	s.refusals.add(SignInEntry{UserID: u.ID, Name: u.Name, Email: u.Email, At: s.now(), IP: from.IP, UserAgent: clip(from.UserAgent, 400), Method: how, Outcome: why})
}

// flushBatch is how many refusals are written in one transaction.
const flushBatch = 500

func (s *signInLog) flushRefusals() error {
	all := s.refusals.take()
	for len(all) > 0 {
		some := all[:min(flushBatch, len(all))]
		err := s.db.Update(func(tx *kv.Tx) error {
			for _, e := range some {
				if err := s.putRefusal(tx, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			for _, e := range all {
				s.refusals.add(e)
			}
			return err
		}
		all = all[len(some):]
	}
	return nil
}

func (s *signInLog) putRefusal(tx *kv.Tx, e SignInEntry) error {
	u, err := users.Get(tx, e.UserID)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	user, err := withCompanies(tx, u)
	if err != nil {
		return err
	}
	for _, c := range user.Companies {
		e.Companies = append(e.Companies, c.ID)
	}
	return s.putSignIn(tx, e)
}

// ListSignIns lists the caller's own sign-ins, newest first; with everybody set,
// those of all members of the company, for its administrators. At most a hundred
// of each person are kept.
func (s *Authentication) ListSignIns(who Call, everybody bool, offset, limit int) (list.Page[SignInEntry], error) {
	q := kv.Query{Index: "user", Prefix: kv.K(who.UserID), Descending: true, Offset: offset, Limit: limit}
	if everybody {
		if err := staff(who, ScopeAdmin); err != nil {
			return list.Page[SignInEntry]{}, err
		}
		q.Index, q.Prefix = "company", kv.K(who.CompanyID)
	} else if err := self(who, ScopeRead); err != nil {
		return list.Page[SignInEntry]{}, err
	}
	if err := s.signInLog.flushRefusals(); err != nil {
		return list.Page[SignInEntry]{}, err
	}
	var page kv.Page[SignInEntry]
	err := s.db.View(func(tx *kv.Tx) (err error) {
		page, err = signIns.Page(tx, q)
		return err
	})
	return list.Page[SignInEntry]{Items: page.Items, Total: page.Total}, err
}

// signInLog records who signed in, and who was refused.
type signInLog struct {
	db       *kv.DB
	refusals *refusals
	newID    func() ulid.ULID
	now      func() time.Time
}
