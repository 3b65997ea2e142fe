package web_test

import (
	"net/http"
	"testing"

	"paraph/app/apptest"
)

// TestPagesAtTheDoorInEveryLook checks the pages shown before signing in: first run, two-step
// sign-in, the links in mails, public links, and pages that explain why there is nothing else.
func TestPagesAtTheDoorInEveryLook(t *testing.T) {
	t.Parallel()
	s, empty, full := apptest.New(t), apptest.Empty(t), apptest.Empty(t)
	full.Anonymous().Post(t, "/login", apptest.Map{"email": full.First.User.Email, "password": full.First.Password}).Want(t, http.StatusOK)
	owner, careful := s.Company(t), s.Company(t)
	secret := careful.Post(t, "/me/two-factor", nil).Want(t, http.StatusOK).Text(t, "secret")
	careful.Post(t, "/me/two-factor", apptest.Map{"code": code(t, s, secret)}).Want(t, http.StatusOK)
	owner.Post(t, "/members", apptest.Map{"email": "new@example.org", "role": "approver"}).Want(t, http.StatusCreated)
	browse(t, owner).send("/app/me/email", "email", "moved@example.org")
	browse(t, s.Anonymous()).send("/forgot", "email", owner.Email)
	reset, join := s.URL+"/reset/"+s.Link(t, owner.Email, "/reset/"), s.URL+"/join/"+s.Link(t, "new@example.org", "/join/")
	at := func(address string) func(*window) { return func(w *window) { w.visit(address); w.see("h1") } }
	link, _ := published(t, owner, apptest.Map{})
	shut, shutAt := published(t, owner, apptest.Map{})
	owner.Patch(t, shutAt, apptest.Map{"enabled": false}).Want(t, http.StatusOK)
	start := func(name string) func(*window) {
		return func(w *window) {
			w.visit(link)
			w.write("#i-name", name)
			w.write("#i-email", "mia@member.example")
			w.click("main .card button.primary")
			w.see("#i-code, #errors")
		}
	}
	second := func(w *window) {
		w.password(s, careful.Email, apptest.Password)
		w.heading("One more step")
	}
	inEveryLook(t, map[string]func(*window){
		"components":        at(s.URL + "/dev/components"),
		"offline":           at(s.URL + "/offline"),
		"not found":         at(s.URL + "/nowhere"),
		"public link":       at(link),
		"public link, code": start("Mia Member"),
		"public link, shut": at(shut),
		"before setup":      at(empty.URL + "/"),
		"setup":             at(empty.URL + "/setup?token=" + empty.First.Setup),
		"setup, wrong link": at(empty.URL + "/setup?token=wrong"),
		"setup, done":       at(full.URL + "/setup?token=" + full.First.Setup),
		"sign in":           at(s.URL + "/signin?next=/app/team"),
		"sign in, wrong":    func(w *window) { w.password(s, owner.Email, "not the password"); w.see("#errors") },
		"second step":       second,
		"second step, wrong": func(w *window) {
			second(w)
			w.write(`[name="code"]`, "12345")
			w.send("/signin/verify")
			w.see("#errors")
		},
		"recovery code": func(w *window) {
			second(w)
			w.click(`a[href*="with=recovery"]`)
			w.see(`[name="with"][value="recovery"] ~ div input[name="code"]`)
		},
		"forgot": at(s.URL + "/forgot"),
		"forgot, sent": func(w *window) {
			w.visit(s.URL + "/forgot")
			w.write(`[name="email"]`, "nobody@example.org")
			w.send("/forgot")
			w.see(".access:not(:has(form))")
		},
		"reset":            at(reset),
		"reset, no such":   at(s.URL + "/reset/nothing"),
		"join":             at(join),
		"join, no such":    at(s.URL + "/join/nothing"),
		"confirm":          at(s.URL + "/confirm/" + s.Link(t, "moved@example.org", "/confirm/")),
		"confirm, no such": at(s.URL + "/confirm/nothing"),
	})
}
