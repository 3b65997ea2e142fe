package lists

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// TestUnionPagesAsOneList compares every page over several parts with a sorted list of
// all their rows.
func TestUnionPagesAsOneList(t *testing.T) {
	t.Parallel()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	company := ulid.Make().String()
	random := rand.New(rand.NewPCG(1, 2))
	var all []record.Document
	for range 300 {
		d := record.Document{
			ID: ulid.Make().String(), Company: company, Status: record.Status(1 + random.IntN(4)),
			CreatedAt: time.Unix(0, 0), UpdatedAt: time.Unix(0, 0),
			Title: fmt.Sprintf("title %d", random.IntN(20)),
		}
		all = append(all, d)
	}
	for i := range all {
		if err := db.Update(func(tx *kv.Tx) error {
			return store.Rows.Put(tx, store.DocumentKey(company, all[i].ID), record.RowOf(&all[i]))
		}); err != nil {
			t.Fatal(err)
		}
	}
	cells := []cell{{"active", "draft"}, {"active", "approved"}, {"archived", store.AnyStatus}, {"active", "rejected"}}
	wanted := slices.DeleteFunc(slices.Clone(all),
		func(d record.Document) bool { return d.Status == record.PendingApproval })
	for _, descending := range []bool{false, true} {
		slices.SortFunc(wanted, func(a, b record.Document) int {
			x, y := sortedRow{key: store.FoldTitle(a.Title), id: a.ID}, sortedRow{key: store.FoldTitle(b.Title),
				id: b.ID}
			return x.compare(y, descending)
		})
		for offset := range len(wanted) + 2 {
			var page Page
			if err := db.View(func(tx *kv.Tx) (err error) {
				page, err = listCells(tx, company, Sort{ByTitle, !descending}, cells, offset, 7)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if page.Total != len(wanted) {
				t.Fatalf("offset %d: total %d, want %d", offset, page.Total, len(wanted))
			}
			want := wanted[min(offset, len(wanted)):min(offset+7, len(wanted))]
			if len(page.Rows) != len(want) {
				t.Fatalf("offset %d: %d rows, want %d", offset, len(page.Rows), len(want))
			}
			for i, b := range page.Rows {
				r, err := store.RowCodec.Decode(append([]byte(company), b...))
				if err != nil || r.ID != want[i].ID {
					t.Fatalf("offset %d, row %d: got %s, want %s (%v)", offset, i, r.ID, want[i].ID, err)
				}
			}
		}
	}
}

// TestMigrate migrates documents stored before it was recorded whom they wait for.
func TestMigrate(t *testing.T) {
	t.Parallel()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	company := ulid.Make().String()
	const n = store.Batch + 20
	for i := range n {
		d := record.Document{ID: ulid.Make().String(), Company: company, Status: []record.Status{record.PendingApproval, record.Draft}[i%2], SubmittedBy: "me"}
		if err := db.Update(func(tx *kv.Tx) error {
			if err := store.Documents.Put(tx, store.DocumentKey(company, d.ID), d); err != nil {
				return err
			}
			return store.Rows.Put(tx, store.DocumentKey(company, d.ID), record.RowOf(&d))
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // an interrupted migration is run again
		if err := store.Migrate(db); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.View(func(tx *kv.Tx) error {
		waiting, err := store.Waits.Count(tx, "for", kv.K(company, store.ToApprove))
		if err != nil || waiting != n/2 {
			t.Errorf("%d documents wait for approval, want %d (%v)", waiting, n/2, err)
		}
		head, _, err := store.Changes.Head(tx)
		if err != nil || head != 2*n {
			t.Errorf("%d documents are queued for reindexing, want %d (%v)", head, 2*n, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, err := range db.Check(store.Waits) {
		t.Error(err)
	}
}

// TestMigrateScheduled migrates documents that were scheduled before lists told them apart.
func TestMigrateScheduled(t *testing.T) {
	t.Parallel()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	company, n := ulid.Make().String(), store.Batch+20
	at := time.Now()
	for i := range n {
		d := record.Document{ID: ulid.Make().String(), Company: company, Status: record.Draft}
		old := record.RowOf(&d)
		if i%2 == 0 {
			d.SendAt = &at
		}
		if err := db.Update(func(tx *kv.Tx) error {
			return errors.Join(store.Documents.Put(tx, store.DocumentKey(company, d.ID), d), store.Rows.Put(tx, store.DocumentKey(company, d.ID), old))
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // an interrupted migration is run again
		if err := store.MigrateScheduled(db); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Options{DB: db, NewID: ulid.Make, Log: slog.New(slog.DiscardHandler)})
	who := account.System(company)
	for apart, drafts := range map[bool]int{false: n, true: n / 2} {
		c, err := s.Counts(t.Context(), who, Query{ScheduledApart: apart})
		if err != nil || c.Scheduled != n/2 || c.ByStatus["draft"] != drafts || c.All != n {
			t.Errorf("counted %+v (%v)", c, err)
		}
	}
	if err := db.View(func(tx *kv.Tx) error {
		head, _, err := store.Changes.Head(tx)
		if err != nil || head != uint64(n) {
			t.Errorf("%d documents are queued for reindexing, want %d (%v)", head, n, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, err := range db.Check(store.Rows) {
		t.Error(err)
	}
}

// TestTextIsReadOnceTheEngineStarts checks that a file is not taken for unreadable because
// the machine could not start the engine: its text would never be found.
func TestTextIsReadOnceTheEngineStarts(t *testing.T) {
	t.Parallel()
	db, err := kv.Open(kv.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(t.TempDir(), blob.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	w, err := blobs.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("%PDF-1.7")); err != nil {
		t.Fatal(err)
	}
	ref, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := pdfium.Open(pdfium.Options{Command: []string{"/bin/false"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(engine.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	s := New(Options{DB: db, Blobs: blobs, PDFium: engine, NewID: ulid.Make, Log: slog.New(slog.DiscardHandler)})
	if err := s.read(t.Context(), readPayload{"company", "document", ref.Hash, ref.Hash, []string{ref.Hash}}); !errors.Is(err, pdfium.ErrNotStarted) {
		t.Errorf("the job ends with %v", err)
	}
	if err := db.View(func(tx *kv.Tx) error {
		known, err := Texts.Has(tx, ref.Hash)
		if known {
			t.Error("a text was stored that nobody read")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
