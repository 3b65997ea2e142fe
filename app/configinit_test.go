package app_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// TestInitialConfigurationHasWhatTheMachineNeeds writes configurations from flags, and reads them back.
func TestInitialConfigurationHasWhatTheMachineNeeds(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		flags string
		want  func(*app.Config)
	}{
		"behind a proxy": {"--address https://sign.example.org/", func(c *app.Config) {
			c.Server.BaseURL, c.Server.Listen, c.Server.TrustedProxies = "https://sign.example.org", "127.0.0.1:8080", []string{"127.0.0.1", "::1"}
		}},
		"proxy elsewhere, mail": {"--address https://example.org/sign --proxy 10.0.0.7 --mail smtp://ann@mail.example.org --from sign@example.org", func(c *app.Config) {
			c.Server.BaseURL, c.Server.Listen, c.Server.TrustedProxies = "https://example.org/sign", ":8080", []string{"10.0.0.7"}
			c.Mail.Host, c.Mail.Username, c.Mail.From = "mail.example.org", "ann", "sign@example.org"
		}},
		"no proxy, mail over TLS": {"--address https://sign.example.org --proxy none --mail smtps://mail.example.org:4650", func(c *app.Config) {
			c.Server.BaseURL, c.Server.Listen, c.Server.TLS.Mode, c.Server.TLS.Hosts = "https://sign.example.org", ":443", "acme", []string{"sign.example.org"}
			c.Mail.Host, c.Mail.Port, c.Mail.TLS, c.Mail.From = "mail.example.org", 4650, "tls", "Paraph <paraph@sign.example.org>"
		}},
		"inside": {"--address http://sign.internal:8090 --proxy none --mail none --data /srv/sign", func(c *app.Config) {
			c.Server.BaseURL, c.Server.Listen, c.Data.Dir = "http://sign.internal:8090", ":8090", "/srv/sign"
		}},
	} {
		path := filepath.Join(t.TempDir(), "etc", "config.toml")
		args := append([]string{"config", "--init", "--config", path}, strings.Fields(x.flags)...)
		if r := call(t, args...); r.code != 0 || r.out != "Wrote "+path+".\n" {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		want := app.Default()
		want.File, want.Data.Dir = path, "/var/lib/paraph"
		x.want(&want)
		if got, err := app.Load(path, nil, nil); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, want)
		}
		if r := call(t, args...); r.code != 1 || !strings.Contains(r.err, "exists already") {
			t.Errorf("%s, again: %+v", name, r)
		}
	}
	for flags, says := range map[string]string{
		"":                                 "--address is missing",
		"--address sign.example.org":       "a full one",
		"--address https://x --proxy here": "the proxy is an IP address",
		"--address https://x --mail mail.example.org":                 "the mail server is smtp://",
		"--address https://x --mail smtp://a:b@mail.example.org":      "PARAPH_MAIL__PASSWORD",
		"--address https://x --mail smtp://mail.example.org --from x": "the sender is an address",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		r := call(t, append([]string{"config", "--init", "--config", path}, strings.Fields(flags)...)...)
		if _, err := os.Stat(path); r.code != 2 || !strings.Contains(r.err, says) || err == nil {
			t.Errorf("%q: %+v, want %q", flags, r, says)
		}
	}
}

// TestInitialConfigurationAsks answers the questions as people do at a terminal.
func TestInitialConfigurationAsks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	m := app.Machine{Data: "/srv/sign"}
	if err := m.Complete(app.Questions(strings.NewReader("\nhttps://sign.example.org\n\n smtp://mail.example.org \nSign <sign@example.org>\n"), &out)); err != nil {
		t.Fatal(err)
	}
	want := app.Machine{Address: "https://sign.example.org", Data: "/srv/sign", Proxy: "127.0.0.1", Mail: "smtp://mail.example.org", From: "Sign <sign@example.org>"}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if n := strings.Count(out.String(), "Address at which"); n != 2 || !strings.Contains(out.String(), "[127.0.0.1]: ") || strings.Contains(out.String(), "Data folder") {
		t.Errorf("asked %q", out.String())
	}
	if err := new(app.Machine).Complete(app.Questions(strings.NewReader("https://x\n"), &out)); err == nil {
		t.Error("half the answers are enough")
	}
}

// TestEveryUnitIsPrinted prints the units, and has systemd verify what they say if it is there.
func TestEveryUnitIsPrinted(t *testing.T) {
	t.Parallel()
	all, err := os.ReadDir("cli/systemd")
	if err != nil || len(all) < 5 {
		t.Fatal(all, err)
	}
	for _, unit := range all {
		want, err := os.ReadFile("cli/systemd/" + unit.Name())
		if err != nil {
			t.Fatal(err)
		}
		if r := call(t, "config", "--unit", unit.Name()); r.code != 0 || r.out != string(want) {
			t.Errorf("%s: %+v", unit.Name(), r)
		}
	}
	if r := call(t, "config", "--unit", "none"); r.code != 2 || !strings.Contains(r.err, "paraph-backup.timer, paraph-follow.service") {
		t.Errorf("an unknown unit: %+v", r)
	}
}

// TestFolderAndAddressCanChange moves the folder of a server and changes its address, as the manual says: people
// sign in with their passwords, and a link that was sent works with the same path.
func TestFolderAndAddressCanChange(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	before, after := filepath.Join(base, "before"), filepath.Join(base, "elsewhere", "after")
	p := serve(t, before, "server.base_url=https://old.example.org")
	c := &http.Client{}
	local := func() string {
		address := regexp.MustCompile(`msg=listening address=(\S+)`).FindStringSubmatch(p.err.String())
		return "http://" + address[1]
	}
	signIn := func() string {
		t.Helper()
		q, err := http.NewRequest(http.MethodPost, local()+"/login", strings.NewReader(`{"email":"`+adminEmail+`","password":"`+adminPassword+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		_, token, _ := strings.Cut(do(t, c, q, http.StatusOK), `"token":"`)
		token, _, _ = strings.Cut(token, `"`)
		return token
	}
	token := signIn()
	form := apptest.Multipart(t, apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{apptest.Map{"name": "Ben", "email": "ben@signer.example"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "Lease.")})
	q, err := http.NewRequest(http.MethodPost, local()+"/documents", bytes.NewReader(form.Body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", form.Type)
	q.Header.Set("Authorization", "Bearer "+token)
	made := do(t, c, q, http.StatusCreated)
	_, link, found := strings.Cut(made, `"sign_url":"https://old.example.org`)
	if link, _, _ = strings.Cut(link, `"`); !found || p.stop() != 0 {
		t.Fatalf("sent %s", made)
	}
	if err := os.MkdirAll(filepath.Dir(after), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(before, after); err != nil {
		t.Fatal(err)
	}
	p = serve(t, after, "server.base_url=https://new.example.org")
	signIn()
	if r, page := ask(t, c, http.MethodGet, local()+link, "Accept", "text/html", "X-Forwarded-Proto", "https"); r.StatusCode >= 400 {
		t.Errorf("the link leads to %s: %s", r.Status, page)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if r := call(t, "check", "--set", "data.dir="+after); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(before); err == nil {
		t.Error("something is left in the old folder")
	}
}
