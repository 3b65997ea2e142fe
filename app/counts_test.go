package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// spentAllowances are requests whose daily allowances are used up.
type spentAllowances struct {
	code, guess     signatory
	owner, outsider *apptest.Client
}

// spend uses up every allowance of a day that is counted for an address, a network or a company.
func spend(t *testing.T, s *apptest.Server) spentAllowances {
	t.Helper()
	all := spentAllowances{owner: s.Company(t), outsider: s.Company(t)}
	for i := range 10 {
		elsewhere := fmt.Sprintf("elsewhere%d@company.example", i)
		all.outsider.Post(t, "/members", apptest.Map{"email": elsewhere}).Want(t, 201)
		all.owner.Post(t, "/members", apptest.Map{"email": elsewhere, "password": apptest.Password}).Want(t, 201)
	}
	var mailed, coded []signatory
	for range 11 {
		mailed = append(mailed, invite(t, all.owner, apptest.Map{"authentication": "email_code"}))
		coded = append(coded, invite(t, all.owner, apptest.Map{"access_code": "open sesame"}))
	}
	all.code, all.guess = mailed[10], coded[10]
	for i := range 5 {
		for _, p := range mailed[:10] {
			p.Post(t, p.invitation+"/code", nil).Want(t, http.StatusAccepted)
		}
		if i%2 == 0 { // a code may be tried five times in ten minutes
			s.Advance(t, "11m")
		}
		for _, p := range coded[:5] {
			for range 4 {
				p.Post(t, p.invitation+"/identify", apptest.Map{"code": "guess"}).Want(t, 422)
			}
		}
		s.Advance(t, "11m")
	}
	for i := range 20 {
		if i%5 == 0 {
			s.Advance(t, "1h")
		}
		s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": all.owner.Email}).Want(t, http.StatusAccepted)
		all.outsider.Post(t, "/members", apptest.Map{"email": "new@company.example"}).Want(t, 201)
	}
	return all
}

// TestDailyCountsOutlastARestart uses up what may be sent or tried in a day, and repeats it after
// a restart, which clears everything kept in memory.
func TestDailyCountsOutlastARestart(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	s, err := apptest.StartIn(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	all := spend(t, s)
	resets := len(s.Mails(t, all.owner.Email))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = apptest.StartIn(dir, clock); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	outsider, code, guess := s.With(all.outsider.Token), s.With(all.code.Token), s.With(all.guess.Token)
	wrong := func() *apptest.Response {
		return guess.Post(t, all.guess.invitation+"/identify", apptest.Map{"code": "guess"})
	}
	person := func(email string) *apptest.Response {
		return s.Login(t, all.owner.Email).Post(t, "/members", apptest.Map{"email": email, "password": apptest.Password})
	}
	usedUp(t, code.Post(t, all.code.invitation+"/code", nil), "codes_used_up")
	wrong().Want(t, 422) // everybody on a network has one try
	usedUp(t, wrong(), "tries_used_up")
	outsider.Post(t, "/members", apptest.Map{"email": "new@company.example"}).Want(t, http.StatusTooManyRequests)
	person("stranger@company.example").Want(t, http.StatusTooManyRequests)
	s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": all.owner.Email}).Want(t, http.StatusAccepted)
	if now := len(s.Mails(t, all.owner.Email)); now != resets {
		t.Errorf("%d more messages were sent to reset a password", now-resets)
	}
	s.Advance(t, "24h")
	code.Post(t, all.code.invitation+"/code", nil).Want(t, http.StatusAccepted)
	wrong().Want(t, 422)
	wrong().Want(t, 422)
	outsider.Post(t, "/members", apptest.Map{"email": "new@company.example"}).Want(t, 201)
	person("stranger@company.example").Want(t, 201)
	s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": all.owner.Email}).Want(t, http.StatusAccepted)
	if now := len(s.Mails(t, all.owner.Email)); now != resets+1 {
		t.Errorf("%d messages were sent a day later, want 1", now-resets)
	}
}
