package lists

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

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
			return store.Rows.Put(tx, store.DocumentKey(company, all[i].ID), store.RowOf(&all[i]))
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
			return store.Rows.Put(tx, store.DocumentKey(company, d.ID), store.RowOf(&d))
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
