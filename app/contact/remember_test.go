package contact_test

import (
	"fmt"
	"testing"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// TestCompaniesTakeTurnsAtBeingRemembered sends one document of a company after many of
// another. The clock counts the contacts.
func TestCompaniesTakeTurnsAtBeingRemembered(t *testing.T) {
	t.Parallel()
	b := open(t)
	made := uint64(0)
	next := func() (id ulid.ULID) {
		made++
		if err := id.SetTime(made); err != nil {
			t.Error(err)
		}
		return id
	}
	s := contact.New(contact.Options{DB: b.DB, Jobs: b.Jobs, Store: store.New(b.DB, next, nil, nil), NewID: next})
	const many = 300
	send(t, b.DB, "A", many)
	send(t, b.DB, "B", 1)
	if err := s.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), other.Call(account.From{}), contact.Query{Limit: 1})
	if err != nil || page.Total != 1 {
		t.Fatalf("B has %d contacts, %v", page.Total, err)
	}
	id := ulid.MustParse(page.Items[0].ID)
	if at := id.Time(); at > many/4 {
		t.Errorf("B had its turn after %d contacts of A", at)
	}
	if page, err := s.List(t.Context(), ann.Call(account.From{}), contact.Query{Limit: 1}); err != nil || page.Total != many {
		t.Errorf("A has %d contacts, %v", page.Total, err)
	}
}

// send stores sent documents with one recipient each.
func send(t *testing.T, db *kv.DB, company string, count int) {
	t.Helper()
	err := db.Update(func(tx *kv.Tx) error {
		for i := range count {
			d := &record.Document{ID: fmt.Sprintf("%s%d", company, i), Company: company}
			d.Invitations = []record.Invitation{{ID: d.ID, Name: d.ID, Email: d.ID + "@example.org"}}
			if err := store.Documents.Put(tx, store.DocumentKey(company, d.ID), *d); err != nil {
				return err
			}
			event := record.Event{Type: record.EventDocumentSent, Company: company, Document: d.ID}
			if _, err := store.Events.Append(tx, "e"+d.ID, company, d.ID, event); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
