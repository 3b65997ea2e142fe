package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// sampleOf returns the block of a language in the operator's manual.
func sampleOf(t *testing.T, language string) string {
	t.Helper()
	manual, err := os.ReadFile("web/manual/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(manual), "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatalf("the manual has no block of %s", language)
	}
	return block
}

// replaced changes each part of a sample, which has to be there.
func replaced(t *testing.T, sample string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(sample, pairs[i]) {
			t.Fatalf("the sample has no %q:\n%s", pairs[i], sample)
		}
		sample = strings.ReplaceAll(sample, pairs[i], pairs[i+1])
	}
	return sample
}

// TestProxiesAsInTheManual runs nginx and Caddy with the blocks of the manual, at the root of a name and
// under a path, and works through them.
func TestProxiesAsInTheManual(t *testing.T) {
	t.Parallel()
	for _, proxy := range []string{"nginx", "caddy"} {
		for _, path := range []string{"", "/sign"} {
			t.Run(proxy+path, func(t *testing.T) {
				t.Parallel()
				s := apptest.New(t, func(c *app.Config) {
					c.Server.BaseURL, c.Server.TrustedProxies, c.Auth.LoginAttemptsPerAddress = "https://sign.example.org"+path, []string{"127.0.0.1"}, 3
				})
				s.URL = "http://" + s.Addr().String() + path // not through the proxy
				c := proxied(t, proxy, path, s.Addr().String())
				throughProxy(t, s, c, "https://sign.example.org"+path)
			})
		}
	}
}

// proxied starts a proxy in front of a server, and returns a client that reaches it as sign.example.org.
func proxied(t *testing.T, proxy, path, server string) *http.Client {
	t.Helper()
	dir, port := t.TempDir(), closedPort(t)
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var cmd *exec.Cmd
	switch proxy {
	case "nginx":
		pair := filepath.Join(dir, "pair.pem")
		writePair(t, pair, time.Now().AddDate(1, 0, 0))
		block := replaced(t, sampleOf(t, "nginx"), "listen 443", "listen 127.0.0.1:"+port, "127.0.0.1:8080", server,
			"/etc/letsencrypt/live/sign.example.org/fullchain.pem", pair, "/etc/letsencrypt/live/sign.example.org/privkey.pem", pair)
		if path != "" {
			block = replaced(t, block, "location / {", "location "+path+"/ {")
		}
		user := ""
		if os.Geteuid() == 0 {
			user = "user root;\n"
		}
		config := write("nginx.conf", user+"daemon off;\nmaster_process off;\npid "+dir+"/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path "+dir+
			";\nproxy_temp_path "+dir+";\nfastcgi_temp_path "+dir+";\nuwsgi_temp_path "+dir+";\nscgi_temp_path "+dir+";\n"+block+"\n}\n")
		program, err := exec.LookPath("nginx")
		if err != nil {
			program = "/usr/sbin/nginx" // where people who aren't root don't look
		}
		cmd = exec.Command(program, "-e", "stderr", "-p", dir, "-c", config)
	case "caddy":
		block := replaced(t, sampleOf(t, "caddy"), "127.0.0.1:8080", server)
		if path != "" {
			block = replaced(t, block, "reverse_proxy ", "reverse_proxy "+path+"/* ")
		}
		config := write("Caddyfile", "{\n\tadmin off\n\thttps_port "+port+"\n\tauto_https disable_redirects\n\tlocal_certs\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n}\n"+block+"\n")
		cmd = exec.Command("caddy", "run", "--config", config, "--adapter", "caddyfile")
	}
	log := newOutput(t)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; make tools installs it", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		if t.Failed() {
			t.Logf("%s says\n%s", proxy, log)
		}
	})
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: "sign.example.org"},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:"+port)
		}}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(c.CloseIdleConnections)
	patience.Until(t, proxy, func() (string, bool) {
		r, err := c.Get("https://sign.example.org" + path + "/readyz")
		if err != nil {
			return err.Error(), false
		}
		return r.Status, r.Body.Close() == nil && r.StatusCode == http.StatusOK
	})
	return c
}

// throughProxy signs in, uploads a large file, follows its link, and guesses passwords.
func throughProxy(t *testing.T, s *apptest.Server, c *http.Client, base string) {
	t.Helper()
	owner := s.Company(t)
	r, body := ask(t, c, http.MethodGet, base+"/app", "Accept", "text/html")
	if to := r.Header.Get("Location"); r.StatusCode/100 != 3 || strings.TrimPrefix(to, "https://sign.example.org") != strings.TrimPrefix(base, "https://sign.example.org")+"/signin?next=%2Fapp" {
		t.Errorf("/app leads to %q (%s): %s", to, r.Status, body)
	}
	if r, body = ask(t, c, http.MethodGet, base+"/signin", "Accept", "text/html"); r.StatusCode != http.StatusOK || !strings.Contains(body, `name="password"`) {
		t.Errorf("the page to sign in is %s: %s", r.Status, body)
	}
	if r.Header.Get("Strict-Transport-Security") == "" {
		t.Error("the server doesn't know that the connection is encrypted")
	}
	file := apptest.File{Name: "large.pdf", Content: append(apptest.PDF(t, "Large."), bytes.Repeat([]byte("% padding\n"), 300_000)...)} // above the megabyte that nginx takes by itself
	form := apptest.Multipart(t, apptest.Map{"title": "Large", "send": true, "invitations": apptest.List{apptest.Map{"name": "Ben", "email": "ben@signer.example"}}}, file)
	q, err := http.NewRequest(http.MethodPost, base+"/documents", bytes.NewReader(form.Body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", form.Type)
	q.Header.Set("Authorization", "Bearer "+owner.Token)
	made := do(t, c, q, http.StatusCreated)
	link := regexp.MustCompile(`"sign_url":"([^"]*)"`).FindStringSubmatch(made)
	if link == nil || !strings.HasPrefix(link[1], base+"/s/") {
		t.Fatalf("the link is %q", link)
	}
	if r, page := ask(t, c, http.MethodGet, link[1], "Accept", "text/html"); r.StatusCode >= 400 {
		t.Errorf("the link leads to %s: %s", r.Status, page)
	}
	// Guesses are counted by the client's address, not by the proxy's, and not by what a client claims.
	for n := range 4 {
		q, err := http.NewRequest(http.MethodPost, base+"/login", strings.NewReader(`{"email":"nobody`+string(rune('a'+n))+`@x.example","password":"a guess"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("X-Forwarded-For", "203.0.113."+string(rune('1'+n)))
		want := http.StatusUnauthorized
		if n == 3 {
			want = http.StatusTooManyRequests
		}
		do(t, c, q, want)
	}
}

func do(t *testing.T, c *http.Client, q *http.Request, want int) string {
	t.Helper()
	r, err := c.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil || r.StatusCode != want {
		t.Fatalf("%s %s is %s, want %d: %v\n%s", q.Method, q.URL, r.Status, want, err, body.String())
	}
	return body.String()
}
