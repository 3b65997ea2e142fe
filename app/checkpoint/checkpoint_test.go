package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/checkpoint"
	"paraph/app/tree"
	"paraph/kv"
)

const company = "01JZ0000000000000000000000"

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// site is an installation with nothing but a journal.
type site struct {
	*checkpoint.Service
	*testing.T
	log    *kv.Log[string]
	now    time.Time
	posted []string
	fails  error
}

func open(t *testing.T, keys *tree.Keyring, folder string) *site {
	t.Helper()
	s := &site{T: t, log: kv.NewLog("journal", kv.JSON[string]()), now: start}
	db, err := kv.Open(kv.Options{InMemory: true, Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Service = checkpoint.New(checkpoint.Options{DB: db, Jobs: kv.NewJobs(db), Trees: s.log.Trees(), Keys: keys, Every: 24 * time.Hour, Folder: folder,
		Companies: func(context.Context) ([]account.Company, error) {
			return []account.Company{{ID: company}, {ID: "empty"}}, nil
		},
		Post: func(_ context.Context, id, body string) error {
			if s.fails == nil {
				s.posted = append(s.posted, id+" "+body)
			}
			return s.fails
		}})
	return s
}

func ring(t *testing.T) *tree.Keyring {
	t.Helper()
	keys, err := tree.OpenKeyring("")
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func (s *site) update(fn func(tx *kv.Tx) error) {
	s.Helper()
	if err := s.DB.Update(fn); err != nil {
		s.Fatal(err)
	}
}

// write appends n events; those of another company are between them.
func (s *site) write(n int, value string) {
	s.Helper()
	for range n {
		s.update(func(tx *kv.Tx) error {
			size, err := s.Trees.Size(tx, company)
			if err == nil {
				_, err = s.log.Append(tx, fmt.Sprint("e", size), company, "document", value)
			}
			if err == nil {
				_, err = s.log.Append(tx, fmt.Sprint("o", size), "other", "", "")
			}
			return err
		})
	}
}

func (s *site) make() (c checkpoint.Checkpoint) {
	s.Helper()
	s.update(func(tx *kv.Tx) (err error) { c, err = s.Make(tx, company); return err })
	return c
}

// run does the jobs that are due.
func (s *site) run() {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Jobs.Run(ctx, 1, s.Handlers()...) }()
	if err := s.Jobs.Idle(patience.Context(s.T)); err != nil {
		s.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		s.Error(err)
	}
}

func (s *site) problems() (all []error) {
	s.Helper()
	all = s.DB.Check(checkpoint.Collections()...)
	if err := s.DB.View(func(tx *kv.Tx) error {
		all = append(append(all, s.log.Problems(tx)...), s.Check(tx)...)
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *site) published(signed string, folder tree.Folder) (err error) {
	s.Helper()
	if e := s.DB.View(func(tx *kv.Tx) error {
		err = s.CheckPublished(tx, checkpoint.Published{Signed: signed, Folder: folder})
		return nil
	}); e != nil {
		s.Fatal(e)
	}
	return err
}

func TestCheckpointsContinueEachOther(t *testing.T) {
	t.Parallel()
	s := open(t, ring(t), "")
	for n := int64(1); n <= 100; n++ {
		s.write(1, "value")
		s.now = s.now.Add(time.Hour)
		if c := s.make(); c.Size != n || !c.At.Equal(s.now) {
			t.Fatalf("%+v", c)
		}
	}
	if c := s.make(); c.Size != 100 {
		t.Errorf("%+v", c)
	}
	who := account.System(company)
	if p, err := s.List(who, 0, 10); err != nil || p.Total != 100 || len(p.Items) != 10 || p.Items[0].Size != 100 {
		t.Errorf("%d of %d, %v", len(p.Items), p.Total, err)
	}
	for _, err := range s.problems() {
		t.Error(err)
	}
}

func TestEveryCompanyGetsACheckpointAtTheInterval(t *testing.T) {
	t.Parallel()
	s := open(t, ring(t), "")
	s.write(3, "value")
	if err := s.Schedule(); err != nil {
		t.Fatal(err)
	}
	latest := func() (at time.Time) {
		t.Helper()
		p, err := s.List(account.System(company), 0, 1)
		if err != nil || len(p.Items) != 1 {
			t.Fatal(p, err)
		}
		return p.Items[0].At
	}
	s.run()
	first := latest()
	s.now = s.now.Add(23 * time.Hour)
	s.run()
	if at := latest(); !at.Equal(first) {
		t.Errorf("made again at %v", at)
	}
	if err := s.Schedule(); err != nil { // a restart changes nothing
		t.Fatal(err)
	}
	s.run()
	if at := latest(); !at.Equal(first) {
		t.Errorf("made again at %v after a restart", at)
	}
	s.now = s.now.Add(time.Hour)
	s.run()
	if at := latest(); !at.Equal(s.now) {
		t.Errorf("the newest is from %v at %v", at, s.now)
	}
	if p, err := s.List(account.System("empty"), 0, 1); err != nil || p.Total != 0 {
		t.Error("a company without a journal has a checkpoint")
	}
}

// TestARewrittenHistoryFitsNoPublishedCheckpoint lets whoever holds the machine
// change one event with all hashes that follow from it, and sign new checkpoints
// with the true key.
func TestARewrittenHistoryFitsNoPublishedCheckpoint(t *testing.T) {
	t.Parallel()
	keys, outside := ring(t), t.TempDir()
	s := open(t, keys, outside)
	s.write(300, "value")
	s.make()
	s.run()
	s.write(10, "value")
	kept := s.make()
	s.run()
	s.write(5, "value")

	forged := open(t, keys, outside)
	forged.write(270, "value")
	forged.write(1, "another value")
	forged.write(29, "value")
	forged.make()
	forged.write(15, "value")
	forged.make()
	for _, err := range forged.problems() {
		t.Errorf("the forgery is seen without help: %v", err)
	}
	folder := tree.Folder(filepath.Join(outside, company))
	if err := s.published(kept.Signed, folder); err != nil {
		t.Error(err)
	}
	if err := forged.published(kept.Signed, ""); !errors.Is(err, checkpoint.ErrHistory) {
		t.Errorf("by the checkpoint: %v", err)
	}
	if err := forged.published(kept.Signed, folder); !errors.Is(err, checkpoint.ErrHistory) || !strings.Contains(err.Error(), "event 271 was changed") {
		t.Errorf("by the hashes: %v", err)
	}
	forged.run() // does not replace what is published
	if signed, err := folder.Newest(); err != nil || signed != kept.Signed {
		t.Errorf("%v, published is\n%s", err, signed)
	}
	short := open(t, keys, "")
	short.write(100, "value")
	if err := short.published(kept.Signed, folder); !errors.Is(err, checkpoint.ErrHistory) || !strings.Contains(err.Error(), "event 101") {
		t.Errorf("a journal that was cut: %v", err)
	}
}

func TestACheckpointOfAnotherKeyProvesNothing(t *testing.T) {
	t.Parallel()
	s, stranger := open(t, ring(t), ""), open(t, ring(t), "")
	s.write(5, "value")
	stranger.write(5, "value")
	if err := s.published(stranger.make().Signed, ""); !errors.Is(err, tree.ErrCheckpoint) {
		t.Error(err)
	}
}

// TestCheckFindsStoredCheckpointsThatWereNotSigned changes a stored checkpoint of a true history.
func TestCheckFindsStoredCheckpointsThatWereNotSigned(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		change func(t *testing.T, c *checkpoint.Checkpoint)
		want   error
	}{
		"unchanged": {func(*testing.T, *checkpoint.Checkpoint) {}, nil},
		"another key": {func(t *testing.T, c *checkpoint.Checkpoint) {
			stranger := open(t, ring(t), "")
			stranger.write(5, "value")
			c.Signed = stranger.make().Signed
		}, tree.ErrCheckpoint},
		"another root": {func(_ *testing.T, c *checkpoint.Checkpoint) { c.Root = strings.Repeat("A", 43) + "=" }, kv.ErrCorrupt},
		"another size": {func(_ *testing.T, c *checkpoint.Checkpoint) { c.Size-- }, kv.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, ring(t), "")
			s.write(5, "value")
			c := s.make()
			id := fmt.Sprintf("%s/%016x", c.Company, c.Size)
			x.change(t, &c)
			stored := kv.NewCollection("checkpoints", kv.JSON[checkpoint.Checkpoint]())
			s.update(func(tx *kv.Tx) error { return stored.Put(tx, id, c) })
			var got error
			if err := s.DB.View(func(tx *kv.Tx) error { got = errors.Join(s.Check(tx)...); return nil }); err != nil {
				t.Fatal(err)
			}
			if !errors.Is(got, x.want) {
				t.Errorf("got %v, want %v", got, x.want)
			}
		})
	}
}

// TestCheckNamesTheRangeThatWasChanged stores checkpoints of one history beside
// another.
func TestCheckNamesTheRangeThatWasChanged(t *testing.T) {
	t.Parallel()
	keys := ring(t)
	s, forged := open(t, keys, ""), open(t, keys, "")
	for _, x := range []*site{s, forged} {
		x.write(10, "value")
	}
	s.make()
	s.write(10, "value")
	s.make()
	forged.write(10, "another")
	s.update(func(tx *kv.Tx) error {
		return s.ExportRecords(tx, company, func(it kv.Item) error {
			return forged.DB.Update(func(tx *kv.Tx) error { return forged.ImportRecord(company, it)(tx) })
		})
	})
	all := forged.problems()
	if len(all) != 1 || !errors.Is(all[0], checkpoint.ErrHistory) || !strings.Contains(all[0].Error(), "events 11 to 20") {
		t.Errorf("%v", all)
	}
	if err := forged.DB.Update(func(tx *kv.Tx) error { _, err := forged.Make(tx, company); return err }); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("a checkpoint that does not continue the last: %v", err)
	}
}

func TestKeysAreHandedOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys", "checkpoint.key")
	keys, err := tree.OpenKeyring(path)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, keys, "")
	s.write(3, "value")
	old := s.make()
	first, err := keys.Key(company)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := keys.Rotate(start); err != nil {
			t.Fatal(err)
		}
	}
	if keys, err = tree.OpenKeyring(path); err != nil {
		t.Fatal(err)
	}
	s.Keys = keys
	s.write(1, "value")
	now := s.make()
	trusted, err := tree.Trusted(company, first, keys.Handovers())
	if err != nil || len(trusted) != 3 {
		t.Fatalf("%d keys, %v", len(trusted), err)
	}
	for _, c := range []checkpoint.Checkpoint{old, now} {
		if _, err := tree.Open(c.Signed, trusted...); err != nil {
			t.Errorf("%d: %v", c.Size, err)
		}
		if err := s.published(c.Signed, ""); err != nil {
			t.Errorf("%d: %v", c.Size, err)
		}
	}
	if alone, err := tree.Trusted(company, first, nil); err != nil || len(alone) != 1 {
		t.Errorf("%d keys, %v", len(alone), err)
	} else if _, err := tree.Open(now.Signed, alone...); err == nil {
		t.Error("a key without a handover is trusted")
	}
	for _, err := range s.problems() {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestAMovedCompanyKeepsItsCheckpoints(t *testing.T) {
	t.Parallel()
	from, to := open(t, ring(t), ""), open(t, ring(t), "")
	from.write(20, "value")
	kept := from.make()
	from.write(3, "value")
	if err := from.DB.View(func(tx *kv.Tx) error {
		err := from.ExportRecords(tx, company, func(it kv.Item) error {
			return to.DB.Update(func(tx *kv.Tx) error { return to.ImportRecord(company, it)(tx) })
		})
		entries, _, e := from.log.Scope(tx, company, kv.LogQuery{Limit: 100})
		for _, entry := range entries {
			e = errors.Join(e, to.DB.Update(func(tx *kv.Tx) error { return to.log.Adopt(tx, entry) }))
		}
		return errors.Join(err, e)
	}); err != nil {
		t.Fatal(err)
	}
	to.write(1, "here")
	made := to.make()
	if err := to.published(kept.Signed, ""); err != nil {
		t.Error(err)
	}
	if made.Size != 24 {
		t.Errorf("%d events", made.Size)
	}
	for _, err := range to.problems() {
		t.Error(err)
	}
	if to.ImportRecord("another", kv.Item{In: "checkpoints", ID: company}) == nil {
		t.Error("it does not know its items")
	} else if err := to.DB.Update(to.ImportRecord("another", mustPack(t, to, kept))); err == nil {
		t.Error("it takes another company's checkpoint")
	}
}

func mustPack(t *testing.T, s *site, c checkpoint.Checkpoint) kv.Item {
	t.Helper()
	it, err := kv.NewItem("checkpoints", fmt.Sprintf("%s/%016x", c.Company, c.Size), c)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func TestCheckpointsArePosted(t *testing.T) {
	t.Parallel()
	s := open(t, ring(t), "")
	s.write(2, "value")
	s.make()
	s.write(2, "value")
	c := s.make()
	s.run()
	if len(s.posted) != 1 || !strings.Contains(s.posted[0], `"type":"checkpoint.created"`) || !strings.Contains(s.posted[0], fmt.Sprintf(`"size":%d`, c.Size)) {
		t.Errorf("%q", s.posted)
	}
}

// BenchmarkMake measures what a checkpoint adds to a transaction.
func BenchmarkMake(b *testing.B) {
	keys, err := tree.OpenKeyring("")
	if err != nil {
		b.Fatal(err)
	}
	log := kv.NewLog("journal", kv.JSON[string]())
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}()
	s := checkpoint.New(checkpoint.Options{DB: db, Jobs: kv.NewJobs(db), Trees: log.Trees(), Keys: keys})
	write := func(n int, then func(tx *kv.Tx) error) {
		if err := db.Update(func(tx *kv.Tx) error {
			_, err := log.Append(tx, fmt.Sprint("e", n), company, "document", "value")
			return errors.Join(err, then(tx))
		}); err != nil {
			b.Fatal(err)
		}
	}
	next := 0
	for ; next < 20_000; next++ {
		write(next, func(*kv.Tx) error { return nil })
	}
	for name, then := range map[string]func(tx *kv.Tx) error{
		"event":            func(*kv.Tx) error { return nil },
		"event+checkpoint": func(tx *kv.Tx) error { _, err := s.Make(tx, company); return err },
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				write(next, then)
				next++
			}
		})
	}
}
