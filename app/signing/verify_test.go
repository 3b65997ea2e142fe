package signing_test

import (
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/turns"
)

// TestTogetherStrangersDoNotDelayCompaniesVerifying lets strangers use up their share of the
// verifier: only the next stranger has to wait.
func TestTogetherStrangersDoNotDelayCompaniesVerifying(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	r := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease"}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "a")})).Want(t, 201)
	who, err := s.Accounts.Operator.ActorFor(owner.Email, "")
	if err != nil {
		t.Fatal(err)
	}
	upload := apptest.Raw{Type: "application/pdf", Body: apptest.PDF(t, "b")}

	leave := hold(t, s.Signing.Verifier.Queue, turns.Stranger("192.0.2.1"))
	done := make(chan int, 1)
	go func() { done <- s.Anonymous().Post(t, "/verify", upload).Status }()
	for range 3 {
		if _, err := s.Signing.Completion.VerifyFile(t.Context(), who.Call(account.From{}), r.Text(t, "id"), r.Text(t, "files.0.id")); err != nil {
			t.Error(err)
		}
		owner.Post(t, "/verify", upload).Want(t, 200)
	}
	select {
	case status := <-done:
		t.Fatalf("another stranger did not have to wait: %d", status)
	default:
	}
	leave()
	if status := <-done; status != 200 {
		t.Errorf("the waiting stranger got %d", status)
	}
}

// TestTogetherSearchesOfOneCompanyDoNotDelayOthers lets a company use up its share of the index:
// only its own searches have to wait.
func TestTogetherSearchesOfOneCompanyDoNotDelayOthers(t *testing.T) {
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
		t.Fatalf("the first company did not have to wait: %d", status)
	default:
	}
	leave()
	if status := <-done; status != 200 {
		t.Errorf("the waiting company got %d", status)
	}
}

// hold uses up a whole share of the queue until leave is called.
func hold(t *testing.T, q *turns.Queue, k turns.Key) (leave func()) {
	t.Helper()
	n := q.Most(k)
	if err := q.Take(t.Context(), k, n); err != nil {
		t.Fatal(err)
	}
	return func() { q.Release(k, n) }
}
