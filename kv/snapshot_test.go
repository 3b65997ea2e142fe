package kv_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"paraph/kv"
)

// TestRewind changes a store in every way after a snapshot, and goes back, twice.
func TestRewind(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{})
	log := kv.NewLog("rewound", kv.JSON[string]())
	jobs := kv.NewJobs(db)
	fill := func(from, to int, title string) {
		update(t, db, func(tx *kv.Tx) error {
			for i := from; i < to; i++ {
				id := fmt.Sprintf("%04d", i)
				if err := docs.Put(tx, id, doc{Company: "a", Status: "draft", Title: title + id, Body: fmt.Sprint(make([]byte, 200))}); err != nil {
					return err
				}
			}
			_, err := log.Append(tx, title, "a", title, title)
			return errors.Join(err, jobs.Add(tx, kv.Job{Kind: title, Key: "one"}))
		})
	}
	fill(0, 300, "before")
	s, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		fill(100, 900, fmt.Sprint("after", round))
		update(t, db, func(tx *kv.Tx) error { return docs.Delete(tx, "0001") })
		changed := db.Changed()
		if err := db.Rewind(s); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
		default:
			t.Error("followers are not woken")
		}
		view(t, db, func(tx *kv.Tx) error {
			page, err := docs.Page(tx, kv.Query{Index: "title", Prefix: kv.K("a"), Limit: 1000})
			if err != nil || page.Total != 300 || len(page.Items) != 300 || page.Items[299].Title != "before0299" {
				t.Errorf("round %d: there are %d documents, %v", round, page.Total, err)
			}
			if seq, _, err := log.Head(tx); err != nil || seq != 1 {
				t.Errorf("the log has %d entries, %v", seq, err)
			}
			if list, err := jobs.List(tx, "", kv.Query{Limit: 10}); err != nil || list.Total != 1 || list.Items[0].Kind != "before" {
				t.Errorf("the jobs are %v, %v", list, err)
			}
			return nil
		})
		clean(t, db, docs, jobs)
	}
	onDisk := open(t, kv.Options{Dir: t.TempDir()})
	if err := onDisk.Rewind(s); err == nil {
		t.Error("a store on disk went back")
	}
}

// TestRewindScope changes the records of two scopes, and lets one go back to each of its marks.
func TestRewindScope(t *testing.T) {
	t.Parallel()
	now := time.Now
	db := open(t, kv.Options{NowIn: func(string) time.Time { return now() }})
	log := kv.NewLog("trailed", kv.JSON[string]())
	jobs := kv.NewJobs(db)
	write := func(scope, status string, ids ...string) {
		t.Helper()
		err := db.For(scope).Update(func(tx *kv.Tx) error {
			for _, id := range ids {
				if err := docs.Put(tx, scope+id, doc{Company: scope, Status: status, Email: status + scope + id}); err != nil {
					return err
				}
				if _, err := log.Append(tx, scope+id+status, scope, scope+id, status); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	mark := func() kv.Mark {
		t.Helper()
		m, err := db.Mark("a")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	state := func(scope string) (got string) {
		t.Helper()
		view(t, db, func(tx *kv.Tx) error {
			page, err := docs.Page(tx, kv.Query{Index: "company", Prefix: kv.K(scope), Limit: 100})
			if err != nil {
				return err
			}
			for i, d := range page.Items {
				got += page.IDs[i] + " " + d.Status + " "
				if _, _, err := docs.Lookup(tx, "email", kv.K(d.Email)); err != nil {
					t.Errorf("%s: %v", d.Email, err)
				}
			}
			n, err := log.Trees().Size(tx, scope)
			got += fmt.Sprint(page.Total, " ", n)
			return err
		})
		return got
	}

	empty := mark()
	write("a", "draft", "1", "2")
	first := mark()
	write("b", "draft", "1")
	write("a", "sent", "1", "3")
	second := mark()
	want := state("a")
	write("a", "voided", "1", "2", "3", "4")
	err := db.For("a").Update(func(tx *kv.Tx) error { // the address moves from one record to another
		return errors.Join(docs.Delete(tx, "a2"), docs.Put(tx, "a9", doc{Company: "a", Email: "drafta2"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	b := state("b")
	var back []string
	note := func(_ *kv.Tx, in, id string) error {
		if in == "docs" {
			back = append(back, id)
		}
		return nil
	}
	for _, x := range []struct {
		to    kv.Mark
		state string
		back  []string
	}{
		{second, want, []string{"a1", "a2", "a3", "a4", "a9"}},
		{second, want, nil},
		{first, "a1 draft a2 draft 2 2", []string{"a1", "a3"}},
		{empty, "0 0", []string{"a1", "a2"}},
	} {
		back = nil
		if err := db.RewindScope("a", x.to, note); err != nil {
			t.Fatal(err)
		}
		slices.Sort(back)
		if got := state("a"); got != x.state || !slices.Equal(back, x.back) {
			t.Errorf("back at %d it holds %q, want %q; %v went back, want %v", x.to, got, x.state, back, x.back)
		}
		if got := state("b"); got != b {
			t.Errorf("the other scope holds %q, want %q", got, b)
		}
		clean(t, db, docs, jobs)
	}
	write("a", "draft", "1") // under the same identifiers
	view(t, db, func(tx *kv.Tx) error {
		e, err := log.Get(tx, "a1draft")
		if err != nil || e.ChainPrevious != [32]byte{} {
			t.Errorf("the first entry of a chain follows %x, %v", e.ChainPrevious, err)
		}
		return nil
	})
}

// TestRewindScopeBringsJobsBack runs a job that was waiting at a mark.
func TestRewindScopeBringsJobsBack(t *testing.T) {
	t.Parallel()
	db := open(t, kv.Options{NowIn: func(string) time.Time { return time.Now() }})
	jobs := kv.NewJobs(db)
	if err := db.For("a").Update(func(tx *kv.Tx) error { return jobs.Add(tx, kv.Job{Kind: "remind", Scope: "a"}) }); err != nil {
		t.Fatal(err)
	}
	m, err := db.Mark("a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan bool, 10)
	ended := make(chan error)
	go func() {
		ended <- jobs.Run(ctx, 1, kv.Handler{Kind: "remind", Run: func(context.Context, kv.Job) error { ran <- true; return nil }})
	}()
	for range 2 {
		<-ran
		if err := jobs.IdleIn(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if err := db.RewindScope("a", m, func(*kv.Tx, string, string) error { return nil }); err != nil {
			t.Fatal(err)
		}
		jobs.Nudge()
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
