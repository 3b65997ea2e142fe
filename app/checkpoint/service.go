// Package checkpoint keeps signed heads of every company's journal, each proven
// consistent with the one before it, and publishes them. Package tree describes
// their form.
//
// Checkpoints are made at an interval, and twice for each document: when the last person
// signs it, and when it is completed. The first of the two is printed in the certificate
// of completion; the second covers the event with the hashes of the completed files.
package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"paraph/app/account"
	"paraph/app/list"
	"paraph/app/tree"
	"paraph/kv"
)

// Options are what the service needs from its surroundings.
type Options struct {
	DB        *kv.DB
	Jobs      *kv.Jobs
	Trees     *kv.Trees // of the journal, by company
	Keys      *tree.Keyring
	Companies func(context.Context) ([]account.Company, error)
	Now       func() time.Time
	Log       *slog.Logger

	Every  time.Duration // at least how often every company gets a checkpoint
	Folder string        // where checkpoints are published, "" nowhere
	// Post publishes a message to the webhook; nil: there is none. The message is the
	// same for the same id.
	Post func(ctx context.Context, id, body string) error
	// Mail records a message with the checkpoints of all companies; nil: to nobody.
	Mail func(tx *kv.Tx, at time.Time, checkpoints string) error
}

// Service makes, keeps and publishes checkpoints.
type Service struct{ Options }

// New makes the service. Nothing is made regularly until Run is called.
func New(o Options) *Service {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{o}
}

// Checkpoint is a signed head, as it is kept.
type Checkpoint struct {
	Company string
	Size    int64
	Root    string // base64
	At      time.Time
	Signed  string // the note
}

// moved holds the public keys of installations that a company was on before.
type moved struct {
	Company   string
	Keys      [][]byte
	Handovers []string
}

// lastRun tells when checkpoints were last made for all companies.
type lastRun struct {
	At    time.Time // of the last complete run
	Began time.Time // of the newest run
}

var (
	checkpoints = kv.NewCollection("checkpoints", kv.JSON[Checkpoint](), kv.Index[Checkpoint]{
		Name: "company", Counted: true, Keys: func(c Checkpoint) []kv.Key { return []kv.Key{kv.K(c.Company, kv.KeyUint(uint64(c.Size)))} }})
	formerKeys = kv.NewCollection("checkpoint keys", kv.JSON[moved]())
	runs       = kv.NewCollection("checkpoint runs", kv.JSON[lastRun]())
)

// Collections lists what this package stores, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{checkpoints, formerKeys, runs} }

func keyOf(company string, size int64) string { return fmt.Sprintf("%s/%016x", company, size) }

func (c Checkpoint) head() (tree.Head, error) {
	root, err := tlog.ParseHash(c.Root)
	if err != nil {
		return tree.Head{}, fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	}
	return tree.Head{Company: c.Company, Size: c.Size, Root: root, At: c.At}, nil
}

// Make signs the head of a company's journal as the transaction sees it. It fails
// if that does not continue the history of the checkpoint before it.
func (s *Service) Make(tx *kv.Tx, company string) (Checkpoint, error) {
	size, err := s.Trees.Size(tx, company)
	if err != nil {
		return Checkpoint{}, err
	}
	r := s.Trees.Reader(tx, company)
	root, err := tlog.TreeHash(size, r)
	if err != nil {
		return Checkpoint{}, err
	}
	h := tree.Head{Company: company, Size: size, Root: root, At: tx.Now}
	if err := s.continues(tx, h, r); err != nil {
		return Checkpoint{}, err
	}
	signed, err := s.Keys.Sign(h)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{Company: company, Size: size, Root: root.String(), At: tx.Now, Signed: signed}
	return c, errors.Join(checkpoints.Put(tx, keyOf(company, size), c), s.publishLater(tx, company))
}

func (s *Service) continues(tx *kv.Tx, h tree.Head, r tlog.HashReader) error {
	last, ok, err := s.latest(tx, h.Company)
	if err != nil || !ok {
		return err
	}
	before, err := last.head()
	if err != nil {
		return err
	}
	if err := tree.Consistent(before, h, r); err != nil {
		return fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	}
	return nil
}

// latest returns a company's newest checkpoint.
func (s *Service) latest(tx *kv.Tx, company string) (c Checkpoint, ok bool, err error) {
	p, err := checkpoints.Page(tx, kv.Query{Index: "company", Prefix: kv.K(company), Descending: true, Limit: 1})
	if err != nil || len(p.Items) == 0 {
		return c, false, err
	}
	return p.Items[0], true, nil
}

// Signed is a checkpoint with the key that verifies it.
type Signed struct {
	Checkpoint
	Key string
}

// List returns a page of the checkpoints of the caller's company, newest first.
func (s *Service) List(_ context.Context, who account.Actor, offset, limit int) (out list.Page[Signed], err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return out, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		q := kv.Query{Index: "company", Prefix: kv.K(who.CompanyID), Descending: true, Offset: offset, Limit: limit}
		p, err := checkpoints.Page(tx, q)
		if err != nil {
			return err
		}
		out.Total = p.Total
		for _, c := range p.Items {
			key, err := s.signedBy(tx, c)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, Signed{c, key})
		}
		return nil
	})
	return out, err
}

// Covered returns how many events of a company its newest checkpoint covers.
func (s *Service) Covered(tx *kv.Tx, company string) (int64, error) {
	c, _, err := s.latest(tx, company)
	return c.Size, err
}

// Prove proves, by the company's newest checkpoint, that an entry is in the journal.
// The checkpoint must cover it.
func (s *Service) Prove(tx *kv.Tx, company string, position int64, entry [32]byte) (tree.Proof, error) {
	c, ok, err := s.latest(tx, company)
	if err != nil {
		return tree.Proof{}, err
	}
	if !ok {
		return tree.Proof{}, fmt.Errorf("checkpoint: company %s has none", company)
	}
	return s.prove(tx, c, position, entry)
}

func (s *Service) prove(tx *kv.Tx, c Checkpoint, position int64, entry [32]byte) (p tree.Proof, err error) {
	h, err := c.head()
	if err != nil {
		return p, err
	}
	key, err := s.signedBy(tx, c)
	if err != nil {
		return p, err
	}
	if p, err = tree.NewProof(h, c.Signed, key, position, entry, s.Trees.Reader(tx, c.Company)); err != nil {
		return p, err
	}
	_, err = p.Check()
	return p, err
}

// signedBy returns the key, in its text form, that signed a checkpoint.
func (s *Service) signedBy(tx *kv.Tx, c Checkpoint) (string, error) {
	known, err := s.publicKeys(tx, c.Company)
	if err != nil {
		return "", err
	}
	for _, public := range slices.Backward(known) {
		v, err := tree.VerifierOf(c.Company, public)
		if err != nil {
			return "", err
		}
		if _, err := tree.Open(c.Signed, v); err == nil {
			return note.NewEd25519VerifierKey(v.Name(), public)
		}
	}
	return "", fmt.Errorf("%w: the checkpoint of %d events of company %s is not signed by a key of this installation", kv.ErrCorrupt, c.Size, c.Company)
}

// publicKeys lists the keys that may have signed a company's checkpoints, the
// current one last.
func (s *Service) publicKeys(tx *kv.Tx, company string) ([][]byte, error) {
	former, err := formerKeys.Get(tx, company)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return nil, err
	}
	own := s.Keys.Public()
	former.Keys = slices.DeleteFunc(former.Keys, func(k []byte) bool { // of a company that has come back
		return slices.ContainsFunc(own, func(o []byte) bool { return bytes.Equal(k, o) })
	})
	return append(former.Keys, own...), nil
}

func (s *Service) verifiers(tx *kv.Tx, company string) (all []note.Verifier, err error) {
	known, err := s.publicKeys(tx, company)
	for _, public := range known {
		v, e := tree.VerifierOf(company, public)
		all, err = append(all, v), errors.Join(err, e)
	}
	return all, err
}

// ForSealing returns the proof that an entry is in the journal, for the certificate
// of completion. The newest checkpoint serves if it covers the entry, else one is
// made.
func (s *Service) ForSealing(company string, position int64, entry [32]byte) (p tree.Proof, err error) {
	covered := false
	err = s.DB.View(func(tx *kv.Tx) error {
		c, ok, err := s.latest(tx, company)
		if err != nil || !ok || c.Size <= position {
			return err
		}
		covered = true
		p, err = s.prove(tx, c, position, entry)
		return err
	})
	if err != nil || covered {
		return p, err
	}
	err = s.DB.For(company).Update(func(tx *kv.Tx) error {
		c, err := s.Make(tx, company)
		if err != nil {
			return err
		}
		p, err = s.prove(tx, c, position, entry)
		return err
	})
	return p, err
}
