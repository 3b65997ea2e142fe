package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/apptest"
	paraphdouble "paraph/app/double"
)

// TestCommandsOfClients sends, lists, waits for, downloads, reminds and voids documents from the
// command line, as a script would.
func TestCommandsOfClients(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "Lease.pdf")
	if err := os.WriteFile(file, apptest.PDF(t, "The lease."), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"XDG_CONFIG_HOME=" + dir, "PARAPH_PASSWORD=" + apptest.Password}
	run := func(code int, args ...string) outcome {
		t.Helper()
		got := callWith(t, env, args...)
		if got.code != code {
			t.Fatalf("%v: exit %d: %s%s", args, got.code, got.out, got.err)
		}
		return got
	}
	if got := run(1, "list"); !strings.Contains(got.err, "not logged in") {
		t.Errorf("without a login: %s", got.err)
	}
	run(2, "login", "nowhere", "--email", owner.Email)
	run(2, "login", s.URL)
	if got := callWith(t, append(env, "PARAPH_PASSWORD=wrong"), "login", s.URL, "--email", owner.Email); got.code != 1 || got.err == "" {
		t.Errorf("with a wrong password: exit %d, %s", got.code, got.err)
	}
	run(0, "login", s.URL, "--email", owner.Email)
	if info, err := os.Stat(filepath.Join(dir, "paraph", "client.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the login is kept in %v, %v", info, err)
	}

	run(2, "send", file)
	run(2, "send", file, "--to", "nobody")
	run(1, "send", filepath.Join(dir, "none.pdf"), "--to", "Ben <ben@x.example>")
	made := run(0, "send", file, "--to", "Ben Buyer <ben@x.example>", "--to", "cleo@x.example", "--ordered", "--external-id", "4711", "--json")
	var d struct {
		ID, Title, Status string
		Invitations       []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(made.out), &d); err != nil || d.Title != "Lease" || d.Status != "sent" || len(d.Invitations) != 2 || d.Invitations[0].Name != "Ben Buyer" {
		t.Fatalf("sent %s, %v", made.out, err)
	}
	for _, args := range [][]string{{"list", "--external-id", "4711"}, {"get", d.ID}, {"remind", d.ID}} {
		if got := run(0, args...); !strings.Contains(got.out, d.ID+"  sent ") {
			t.Errorf("%v prints %s", args, got.out)
		}
	}
	if got := run(1, "send", file, "--to", "ben@x.example", "--wait", "--timeout", "1ms"); !strings.Contains(got.err, "not completed after 1ms") {
		t.Errorf("waiting a millisecond: %s", got.err)
	}

	owner.Post(t, "/test/documents/"+d.ID+"/sign", apptest.Map{}).Want(t, 200)
	signed := filepath.Join(dir, "signed.pdf")
	if got := run(0, "download", d.ID, "-o", signed); got.out != signed+"\n" {
		t.Errorf("saved as %s", got.out)
	}
	if got := call(t, "verify", signed); !strings.Contains(got.out, "Ben Buyer") {
		t.Errorf("the download: %s", got.out)
	}
	if got := run(0, "download", d.ID, "--content", "evidence"); strings.Contains(got.out, "/") || got.out == "\n" {
		t.Errorf("saved as %s", got.out)
	}
	if got := run(1, "void", d.ID); !strings.Contains(got.err, "paraph: ") {
		t.Errorf("a completed document is voided: %s", got.err)
	}

	other := strings.Fields(run(0, "send", file, "--to", "ben@x.example").out)[0]
	if got := run(0, "void", other, "--reason", "A wrong price"); !strings.Contains(got.out, "voided") {
		t.Errorf("voiding prints %s", got.out)
	}
	run(1, "get", "01K8XN2V7Q3J5T9B4C6D8E0F1G")

	plan := owner.Post(t, "/documents/"+d.ID+"/template", apptest.Map{"title": "Lease of a flat", "roles": apptest.List{"Tenant", "Landlord"}}).Want(t, 201).Text(t, "id")
	if got := run(0, "templates"); !strings.Contains(got.out, plan) {
		t.Errorf("the templates are %s", got.out)
	}
	table := filepath.Join(dir, "tenants.csv")
	if err := os.WriteFile(table, []byte("Tenant.name,Tenant.email,Landlord.name,Landlord.email\nAnn,ann@x.example,Lea,lea@x.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(0, "bulk", plan, table, "--check")
	run(0, "bulk", plan, table)
}

// TestDoubleInATest starts a double as the tests of another program do.
func TestDoubleInATest(t *testing.T) {
	t.Setenv("PARAPH", binary(t))
	d := paraphdouble.Start(t)
	c, other := d.Company(t), d.Company(t)
	if c.Token == other.Token || c.URL != d.URL {
		t.Fatalf("the companies are %+v and %+v", c, other)
	}
	env := []string{"PARAPH_URL=" + c.URL, "PARAPH_TOKEN=" + c.Token, "XDG_CONFIG_HOME=" + t.TempDir()}
	file := filepath.Join(t.TempDir(), "Lease.pdf")
	if err := os.WriteFile(file, apptest.PDF(t, "The lease."), 0o600); err != nil {
		t.Fatal(err)
	}
	send := func() string {
		t.Helper()
		return strings.Fields(callWith(t, env, "send", file, "--to", "Ben <ben@x.example>").out)[0]
	}
	status := func(id string) string {
		t.Helper()
		return strings.Fields(callWith(t, env, "get", id).out)[1]
	}
	signed, declined := send(), send()
	if mail := c.Mail(t, "invitation"); len(mail) != 2 || mail[0].To != "ben@x.example" || len(mail[0].Links) == 0 {
		t.Errorf("the mail is %+v", mail)
	}
	backToSent := c.Snapshot(t)
	c.Sign(t, signed)
	c.Decline(t, declined)
	c.Advance(t, "400d")
	if got := status(signed); got != "completed" {
		t.Errorf("a signed document is %s", got)
	}
	c.Fail(t, map[string]any{"path": "/documents/*", "status": 503})
	if got := callWith(t, env, "get", declined); got.code != 1 {
		t.Errorf("a request that is to fail: exit %d, %s", got.code, got.out)
	}
	if got := callWith(t, env, "get", declined).out; !strings.Contains(got, "declined") {
		t.Errorf("a declined document is %s", got)
	}

	for range 2 {
		backToSent(t)
		if got := status(signed); got != "sent" {
			t.Errorf("before it was signed the document is %s", got)
		}
		c.Sign(t, signed)
	}

	// Moving the clock of all ends nobody's session.
	withToken := env
	env = []string{"PARAPH_PASSWORD=" + c.Password, "XDG_CONFIG_HOME=" + t.TempDir()}
	if got := callWith(t, env, "login", c.URL, "--email", c.Email); got.code != 0 {
		t.Fatalf("login: %s", got.err)
	}
	res, err := http.Post(c.URL+"/test/clock", "application/json", strings.NewReader(`{"advance": "3650d"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != 200 {
		t.Fatalf("moving the clock: %s, %v", res.Status, err)
	}
	if got := callWith(t, env, "list"); got.code != 0 || !strings.Contains(got.out, declined) {
		t.Errorf("after ten years: exit %d, %s%s", got.code, got.out, got.err)
	}
	if mail := c.Mail(t, "invitation"); len(mail) != 2 {
		t.Errorf("after ten years the mail is %+v", mail)
	}
	c.Reset(t)
	if got := callWith(t, withToken, "list"); got.code != 0 || strings.Contains(got.out, declined) {
		t.Errorf("after a reset: exit %d, %s%s", got.code, got.out, got.err)
	}
}
