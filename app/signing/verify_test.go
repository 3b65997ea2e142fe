package signing_test

import (
	"testing"

	"paraph/app/apptest"
	"paraph/app/turns"
)

// TestStrangersLeaveVerifyingToCompanies: strangers who use up all of their share
// delay only the next stranger, and nobody else.
func TestStrangersLeaveVerifyingToCompanies(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	r := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease"}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})).Want(t, 201)
	who, err := s.Accounts.ActorFor(t.Context(), owner.Email, "")
	if err != nil {
		t.Fatal(err)
	}
	upload := apptest.Raw{Type: "application/pdf", Body: apptest.PDF(t, "b")}

	leave := hold(t, s.Signing.Verifier.Queue, turns.Stranger("192.0.2.1"))
	done := make(chan int, 1)
	go func() { done <- s.Anonymous().Post(t, "/verify", upload).Status }()
	for range 3 {
		if _, err := s.Signing.VerifyFile(t.Context(), who, r.Text(t, "id"), r.Text(t, "files.0.id")); err != nil {
			t.Error(err)
		}
		owner.Post(t, "/verify", upload).Want(t, 200)
	}
	select {
	case status := <-done:
		t.Fatalf("a stranger more was not kept waiting: %d", status)
	default:
	}
	leave()
	if status := <-done; status != 200 {
		t.Errorf("the stranger's turn never came: %d", status)
	}
}

// TestSearchesOfOneCompanyLeaveTheIndexToOthers: a company that uses up all of
// its share of the index delays only itself.
func TestSearchesOfOneCompanyLeaveTheIndexToOthers(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	a, b := s.Company(t), s.Company(t)
	leave := hold(t, s.Signing.Lists.Searching, turns.Member(a.CompanyID, "somebody"))
	done := make(chan int, 1)
	go func() { done <- a.Get(t, "/documents?search=lease").Status }()
	for range 3 {
		b.Get(t, "/documents?search=lease").Want(t, 200)
	}
	select {
	case status := <-done:
		t.Fatalf("the first company did not wait: %d", status)
	default:
	}
	leave()
	if status := <-done; status != 200 {
		t.Errorf("its turn never came: %d", status)
	}
}

// hold takes up somebody's whole share, until leave is called.
func hold(t *testing.T, q *turns.Queue, k turns.Key) (leave func()) {
	t.Helper()
	n := q.Most(k)
	if err := q.Take(t.Context(), k, n); err != nil {
		t.Fatal(err)
	}
	return func() { q.Release(k, n) }
}
