// Package checkpoint keeps signed heads of every company's journal, each proven
// consistent with the one before it, and publishes them. Package tree describes
// their form.
//
// Checkpoints are made at an interval, and twice for each document: when the last person
// signs it, and when it is completed. The first of the two is printed in the certificate
// of completion; the second covers the event with the hashes of the completed files.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"paraph/app/account"
	"paraph/app/list"
	"paraph/app/tree"
	"paraph/kv"
)

// Options holds the dependencies of the service.
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

// Any reports whether checkpoints were made.
func Any(tx *kv.Tx) (any bool, err error) {
	err = checkpoints.Each(tx, "", nil, func(string, Checkpoint) (bool, error) {
		any = true
		return false, nil
	})
	return any, err
}

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
func (s *Service) List(who account.Call, offset, limit int) (out list.Page[Signed], err error) {
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
