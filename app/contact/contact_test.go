package contact_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/kv"
)

// book holds the contacts of companies in a store in memory, with a clock that
// only the test moves.
type book struct {
	*contact.Service
	t   *testing.T
	now time.Time
}

func open(t *testing.T) *book {
	t.Helper()
	b := &book{t: t, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	db, err := kv.Open(kv.Options{InMemory: true, Now: func() time.Time { return b.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b.Service = contact.New(contact.Options{DB: db, Jobs: kv.NewJobs(db), NewID: ulid.Make, TrashDays: 30})
	return b
}

// ann works for company A and may write there; vic may only read.
var (
	ann   = account.Actor{Kind: account.ActorUser, UserID: "ann", CompanyID: "A", Role: account.RoleMember, Scopes: account.Scopes()}
	vic   = account.Actor{Kind: account.ActorUser, UserID: "vic", CompanyID: "A", Role: account.RoleViewer, Scopes: account.Scopes()}
	other = account.Actor{Kind: account.ActorUser, UserID: "bob", CompanyID: "B", Role: account.RoleOwner, Scopes: account.Scopes()}
	guest = account.Actor{Kind: account.ActorSignatory, CompanyID: "A", Document: "d", Invitation: "i"}
)

func (b *book) add(name, email string) contact.Contact {
	b.t.Helper()
	b.now = b.now.Add(time.Minute)
	c, err := b.Create(account.Call{Actor: ann}, contact.Input{Name: &name, Email: &email})
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// names lists the names that a query finds, and fails if the total differs.
func (b *book) names(q contact.Query, total int) string {
	b.t.Helper()
	page, err := b.List(b.t.Context(), account.Call{Actor: ann}, q)
	if err != nil {
		b.t.Fatal(err)
	}
	if page.Total != total {
		b.t.Errorf("%+v: the total is %d, want %d", q, page.Total, total)
	}
	var names []string
	for _, c := range page.Items {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func (b *book) refused(err error, kind fault.Kind, field string) {
	b.t.Helper()
	if fault.KindOf(err) != kind || field != "" && !strings.Contains(err.Error(), field) {
		b.t.Errorf("got %v, want a refusal of kind %v", err, kind)
	}
}

func TestAnAddressIsInACompanyOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.add("Ben", "ben@example.org")
	name, same := "Benjamin", " BEN@Example.org "
	_, err := b.Create(account.Call{Actor: ann}, contact.Input{Name: &name, Email: &same})
	b.refused(err, fault.KindInvalid, "email")
	if _, err := b.Create(account.Call{Actor: other}, contact.Input{Name: &name, Email: &same}); err != nil {
		t.Errorf("another company can't have the address: %v", err)
	}
	if _, err := b.Update(account.Call{Actor: ann}, c.ID, contact.Input{Email: &same}); err != nil {
		t.Errorf("a contact can't keep its own address: %v", err)
	}
	if _, err := b.Archive(account.Call{Actor: ann}, c.ID); err != nil {
		t.Fatal(err)
	}
	_, err = b.Create(account.Call{Actor: ann}, contact.Input{Name: &name, Email: &same})
	b.refused(err, fault.KindInvalid, "email")
}

func TestTheTrashReleasesAnAddress(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.add("Ben", "ben@example.org")
	if _, err := b.Delete(account.Call{Actor: ann}, c.ID); err != nil {
		t.Fatal(err)
	}
	_, err := b.Delete(account.Call{Actor: ann}, c.ID)
	b.refused(err, fault.KindConflict, "")
	_, err = b.Archive(account.Call{Actor: ann}, c.ID)
	b.refused(err, fault.KindConflict, "")
	second := b.add("Benjamin", "ben@example.org")
	_, err = b.Restore(account.Call{Actor: ann}, c.ID)
	b.refused(err, fault.KindConflict, "")
	if _, err := b.Delete(account.Call{Actor: ann}, second.ID); err != nil {
		t.Fatal(err)
	}
	if back, err := b.Restore(account.Call{Actor: ann}, c.ID); err != nil || back.Status() != contact.Active {
		t.Errorf("restored to %s, %v", back.Status(), err)
	}
}

func TestOnlyTheCompanysPeopleReachItsContacts(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.add("Ben", "ben@example.org")
	if got, err := b.Get(account.Call{Actor: vic}, c.ID); err != nil || got.Name != "Ben" {
		t.Errorf("a viewer got %+v, %v", got, err)
	}
	_, err := b.Archive(account.Call{Actor: vic}, c.ID)
	b.refused(err, fault.KindForbidden, "")
	_, err = b.Get(account.Call{Actor: guest}, c.ID)
	b.refused(err, fault.KindForbidden, "")
	_, err = b.Get(account.Call{Actor: other}, c.ID)
	b.refused(err, fault.KindNotFound, "")
	_, err = b.Delete(account.Call{Actor: other}, c.ID)
	b.refused(err, fault.KindNotFound, "")
}

func TestListsAreOrderedCutAndCounted(t *testing.T) {
	t.Parallel()
	b := open(t)
	zoe, ines, bo := b.add("Zoe", "a@example.org"), b.add("Ínés", "c@example.org"), b.add("Bo", "b@example.net")
	if _, err := b.Archive(account.Call{Actor: ann}, zoe.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(account.Call{Actor: ann}, bo.ID); err != nil {
		t.Fatal(err)
	}
	b.add("Al", "d@example.org")
	all := []string{contact.Active, contact.Archived, contact.Deleted}
	for _, tt := range []struct {
		q     contact.Query
		total int
		want  string
	}{
		{contact.Query{}, 2, "Al Ínés"},
		{contact.Query{WithTrashed: true}, 4, "Al Bo Ínés Zoe"},
		{contact.Query{Statuses: all, Sort: contact.ByEmail, Descending: true}, 4, "Al Ínés Bo Zoe"},
		{contact.Query{Statuses: all, Sort: contact.ByCreation, Offset: 1, Limit: 2}, 4, "Ínés Bo"},
		{contact.Query{Statuses: []string{contact.Archived, contact.Archived}}, 1, "Zoe"},
		{contact.Query{Search: "INES"}, 1, "Ínés"},
		{contact.Query{Search: "example.net", WithTrashed: true}, 1, "Bo"},
		{contact.Query{Search: "xample"}, 0, ""},
		{contact.Query{Search: "!!"}, 0, ""},
	} {
		if got := b.names(tt.q, tt.total); got != tt.want {
			t.Errorf("%+v lists %q, want %q", tt.q, got, tt.want)
		}
	}
	_, err := b.List(t.Context(), account.Call{Actor: ann}, contact.Query{Sort: "phone"})
	b.refused(err, fault.KindInvalid, "sort")
	if got, err := b.Get(account.Call{Actor: ann}, ines.ID); err != nil || got.Status() != contact.Active {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTagsAreKeptOnceInTheirOrder(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.add("Ben", "ben@example.org")
	given := []string{"Client", " client ", "", "Zürich", "ZURICH", "board"}
	got, err := b.Update(account.Call{Actor: ann}, c.ID, contact.Input{Tags: &given})
	if err != nil || !slices.Equal(got.Tags, []string{"Client", "Zürich", "board"}) {
		t.Errorf("the tags are %q, %v", got.Tags, err)
	}
	many := strings.Split(strings.Repeat("x,", 20)+"x", ",")
	_, err = b.Update(account.Call{Actor: ann}, c.ID, contact.Input{Tags: &many})
	b.refused(err, fault.KindInvalid, "tags")
}

func TestAnImportTakesOverWhatItNames(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.add("Ben", "ben@example.org")
	rows := "E-Mail;Name\nBEN@example.org;Benjamin\ncara@example.org;Cara\nnot an address;Dan\n"
	checked, err := b.Import(t.Context(), account.Call{Actor: ann}, contact.ImportInput{Body: strings.NewReader(rows), Check: true})
	if err != nil || checked.Created != 1 || checked.Updated != 1 || len(checked.Faults) != 1 {
		t.Errorf("checking found %+v, %v", checked, err)
	}
	if got := b.names(contact.Query{}, 1); got != "Ben" {
		t.Errorf("checking left %q", got)
	}
	if _, err = b.Import(t.Context(), account.Call{Actor: ann}, contact.ImportInput{Body: strings.NewReader(rows)}); err != nil {
		t.Fatal(err)
	}
	if got := b.names(contact.Query{}, 2); got != "Benjamin Cara" {
		t.Errorf("the import left %q", got)
	}
	_, err = b.Import(t.Context(), account.Call{Actor: vic}, contact.ImportInput{Body: strings.NewReader(rows)})
	b.refused(err, fault.KindForbidden, "")
}
