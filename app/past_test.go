package app_test

import (
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// BenchmarkReset resets a test double that a test has used a little.
func BenchmarkReset(b *testing.B) {
	s := apptest.New(b)
	for b.Loop() {
		s.Login(b, app.SeedAdmin).Post(b, "/documents", apptest.Map{"title": "Lease"}).Want(b, 201)
		s.Anonymous().Post(b, "/test/reset", nil).Want(b, 200)
	}
}

// BenchmarkResetCompany resets one company of a test double.
func BenchmarkResetCompany(b *testing.B) {
	s := apptest.New(b)
	c := s.Anonymous()
	c.Token = c.Post(b, "/test/companies", nil).Want(b, 201).Text(b, "token")
	for b.Loop() {
		c.Post(b, "/documents", apptest.Map{"title": "Lease"}).Want(b, 201)
		c.Post(b, "/test/reset", nil).Want(b, 200)
	}
}
