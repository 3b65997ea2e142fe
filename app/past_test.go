package app_test

import (
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestServersOnDiskOnlyBeginAnew asks a server on disk for what only stores in memory can do.
func TestServersOnDiskOnlyBeginAnew(t *testing.T) {
	t.Parallel()
	s, err := apptest.StartIn(t.TempDir(), app.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	anybody := s.Anonymous()
	made := anybody.Post(t, "/test/companies", nil).Want(t, 201)
	for path, in := range map[string]apptest.Map{"/test/reset": {"company": made.Text(t, "id")}, "/test/snapshots": {}} {
		if got := anybody.Post(t, path, in).Want(t, 409).Text(t, "code"); got != "data_on_disk" {
			t.Errorf("%s is refused with %s", path, got)
		}
	}
	anybody.Post(t, "/test/reset", nil).Want(t, 200)
}

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
