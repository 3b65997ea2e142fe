package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"paraph/app/apptest/patience"
)

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"serve", "dev", "demo", "verify", "check", "reindex", "config", "version",
		"user add", "user list", "user password", "user role", "user revoke", "user admin",
		"company add", "company list", "company rename", "company export", "company import", "token add", "token list", "token revoke",
		"login", "send", "list", "get", "download", "remind", "void", "templates", "bulk",
	} {
		got := call(t, append(strings.Fields(command), "--help")...)
		if got.code != 0 || got.err != "" || !strings.Contains(got.out, "Examples:\n  paraph "+command) {
			t.Errorf("%s: exit %d, stderr %q, stdout\n%s", command, got.code, got.err, got.out)
		}
		if top := call(t, "--help"); !strings.Contains(top.out, "  "+strings.Fields(command)[0]+" ") {
			t.Errorf("%s is not in the list of commands", command)
		}
	}
	if flag, command := call(t, "--version"), call(t, "version"); flag.code != 0 || flag.out != command.out || !strings.HasPrefix(flag.out, "paraph ") {
		t.Errorf("the version is %q, by command %q", flag.out, command.out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := call(t, "completion", shell); got.code != 0 || len(got.out) < 1000 {
			t.Errorf("completion for %s: exit %d, %d bytes", shell, got.code, len(got.out))
		}
	}
}

func TestMistakesAreReportedInOneSentence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	text := filepath.Join(dir, "text.pdf")
	if err := os.WriteFile(text, []byte("no PDF at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(config, []byte("[server]\nlisten = \":80\"\ncolour = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{2, `"bogus"`, []string{"bogus"}},
		{2, `"bogus"`, []string{"user", "bogus"}},
		{2, `"bogus"`, []string{"token", "bogus"}},
		{2, "--bogus", []string{"serve", "--bogus"}},
		{2, "usage: paraph serve", []string{"serve", "now"}},
		{2, "usage: paraph verify FILE...", []string{"verify"}},
		{2, "usage: paraph demo OUT [FILE]", []string{"demo"}},
		{2, "usage: paraph user add EMAIL", []string{"user", "add"}},
		{2, "--set", []string{"serve", "--set", "server.listen"}},
		{1, "server.colour: unknown setting", []string{"serve", "--config", config}},
		{1, "server.listen: must be", []string{"serve", "--set", "server.listen=nowhere"}},
		{1, "log.level:", []string{"config", "--check", "--set", "log.level=loud"}},
		{1, none, []string{"serve", "--config", none}},
		{1, none, []string{"verify", none}},
		{1, text, []string{"verify", text}},
		{1, text, []string{"verify", "--root", text, text}},
		{1, none, []string{"demo", filepath.Join(dir, "out"), none}},
		{1, none, []string{"check", "--set", "data.dir=" + none}},
		{1, none, []string{"reindex", "--set", "data.dir=" + none}},
		{1, none, []string{"user", "list", "--set", "data.dir=" + none}},
		{1, none, []string{"token", "list", "ann@example.org", "--set", "data.dir=" + none}},
	} {
		got := call(t, c.args...)
		if got.code != c.code || !strings.Contains(got.err, c.says) {
			t.Errorf("%q: exit %d, want %d, and %q, want a mention of %q", c.args, got.code, c.code, got.err, c.says)
		}
		if !strings.HasPrefix(got.err, "paraph: ") || strings.Count(got.err, "\n") != 1 || got.out != "" {
			t.Errorf("%q: not one sentence on stderr: %q %q", c.args, got.err, got.out)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a read-only command created a data folder")
	}
}

func TestConfigPrintsTheExample(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, "config"); got.code != 0 || got.out != string(want) {
		t.Errorf("exit %d, %d bytes, want %d", got.code, len(got.out), len(want))
	}
	if got := call(t, "config", "--check"); got.code != 0 {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
	if got := callWith(t, []string{"PARAPH_SERVER__LISTEN=x"}, "config", "--check"); got.code != 1 || !strings.Contains(got.err, "server.listen") {
		t.Errorf("exit %d: %s", got.code, got.err)
	}
}

var (
	printedSetup    = regexp.MustCompile(`(http://\S+/setup\?token=\S+)`)
	printedEmail    = regexp.MustCompile(`e-mail +(\S+)`)
	printedPassword = regexp.MustCompile(`(?i)password:? +(\S+)`)
)

func first(r *regexp.Regexp, s string) string {
	if m := r.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

func TestFirstStartPrintsTheAdministratorOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p := launch(t, nil, dir, "serve")
	p.until("it prints the administrator", func() (string, bool) {
		return p.out.String(), strings.Contains(p.out.String(), "shown only once")
	})
	email, password := first(printedEmail, p.out.String()), first(printedPassword, p.out.String())
	if _, err := logIn(p.http, p.url, email, password); err != nil {
		t.Errorf("logging in with the printed password: %v", err)
	}
	if strings.Contains(p.err.String(), password) {
		t.Error("the log contains the password")
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p = launch(t, nil, dir, "serve")
	if _, err := logIn(p.http, p.url, email, password); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if out := p.out.String(); out != "" {
		t.Errorf("the second start printed %q", out)
	}
	for _, name := range []string{"keys/token.key", "keys/root.pem"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

// TestSetupLinkIsPrintedUntilUsed restarts the appliance before it is set up.
func TestSetupLinkIsPrintedUntilUsed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	status := func(p *process, link string) int {
		res, err := p.http.Get(strings.Replace(link, "localhost", "127.0.0.1", 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
		return res.StatusCode
	}
	var links []string
	for range 2 {
		p := launch(t, nil, dir, "serve")
		p.until("it prints the link", func() (string, bool) {
			return p.out.String(), first(printedSetup, p.out.String()) != ""
		})
		link := first(printedSetup, p.out.String())
		if got := status(p, link); got != http.StatusOK {
			t.Errorf("the newest link: %d", got)
		}
		if _, token, _ := strings.Cut(link, "token="); strings.Contains(p.err.String(), token) {
			t.Error("the log contains the link")
		}
		links = append(links, link)
		for _, old := range links[:len(links)-1] {
			_, token, _ := strings.Cut(old, "token=")
			if got := status(p, p.url+"/setup?token="+token); got != http.StatusNotFound {
				t.Errorf("an earlier link: %d", got)
			}
		}
		p.stop()
	}
}

func TestEnvironmentNamesTheAdministrator(t *testing.T) {
	t.Parallel()
	p := serve(t, t.TempDir())
	p.login()
	if out := p.out.String(); !strings.Contains(out, adminEmail) || strings.Contains(out, adminPassword) {
		t.Errorf("got %q, want the e-mail and not the password", out)
	}
}

func TestSecondServerIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	holder := fmt.Sprintf("process %d holds %s", p.cmd.Process.Pid, dir)
	got := call(t, "serve", "--set", "server.listen=127.0.0.1:0", "--set", "data.dir="+dir)
	if got.code != 1 || !strings.Contains(got.err, holder) {
		t.Errorf("exit %d, %q", got.code, got.err)
	}
	p.login()
}

func TestPeopleAndTokensAreManagedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, dir).stop()
	must := func(args ...string) string {
		t.Helper()
		got := call(t, append(args, "--set", "data.dir="+dir)...)
		if got.code != 0 || got.err != "" {
			t.Fatalf("%q: exit %d: %s", args, got.code, got.err)
		}
		return got.out
	}
	made := first(printedPassword, must("user", "add", "ann@example.org", "--name", "Ann Example", "--role", "admin"))
	must("user", "add", "bob@example.org", "--password", "bob's own password")
	must("user", "add", "eve@example.org", "--password", "eve's own password")
	must("user", "role", "bob@example.org", "viewer")
	must("user", "revoke", "eve@example.org")
	must("user", "password", "ann@example.org", "another good password")
	list := must("user", "list")
	for _, want := range []string{adminEmail, "ann@example.org", "Ann Example", "admin of", "bob@example.org", "viewer of"} {
		if !strings.Contains(list, want) {
			t.Errorf("user list lacks %q:\n%s", want, list)
		}
	}
	secret := strings.TrimSpace(must("token", "add", "ann@example.org", "--name", "ci", "--scopes", "read,write"))
	gone := strings.TrimSpace(must("token", "add", "ann@example.org", "--name", "gone"))
	reader := strings.TrimSpace(must("token", "add", "ann@example.org", "--name", "reader", "--scopes", "read"))
	for line := range strings.Lines(must("token", "list", "ann@example.org")) {
		if strings.Contains(line, " gone ") {
			must("token", "revoke", "ann@example.org", strings.Fields(line)[0])
		}
	}
	for _, args := range [][]string{
		{"user", "add", "ann@example.org"}, {"user", "add", "no address"}, {"user", "role", "bob@example.org", "king"},
		{"user", "revoke", "nobody@example.org"}, {"token", "add", "nobody@example.org"}, {"user", "password", "ann@example.org", "x"},
	} {
		if got := call(t, append(args, "--set", "data.dir="+dir)...); got.code != 1 || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: exit %d, %q; want a refusal in one sentence", args, got.code, got.err)
		}
	}

	p := serve(t, dir)
	for _, c := range []struct {
		email, password string
		status          int
	}{
		{"ann@example.org", "another good password", 0}, {"ann@example.org", made, http.StatusUnauthorized},
		{"bob@example.org", "bob's own password", 0}, {"eve@example.org", "eve's own password", http.StatusUnauthorized},
	} {
		if _, err := logIn(p.http, p.url, c.email, c.password); statusOf(err) != c.status || err != nil && c.status == 0 {
			t.Errorf("%s with %q: %v, want status %d", c.email, c.password, err, c.status)
		}
	}
	for _, c := range []struct {
		token, method string
		status        int
	}{
		{secret, http.MethodGet, 0}, {secret, http.MethodPost, 0}, {reader, http.MethodGet, 0},
		{reader, http.MethodPost, http.StatusForbidden}, {gone, http.MethodGet, http.StatusUnauthorized},
	} {
		err := (&client{p.http, p.url, c.token}).do(c.method, "/documents", nil, nil)
		if statusOf(err) != c.status || err != nil && c.status == 0 {
			t.Errorf("%s with token %.20s…: %v, want status %d", c.method, c.token, err, c.status)
		}
	}
}

// judged checks a file with independent programs.
func judged(t *testing.T, path, nss string) {
	t.Helper()
	for _, c := range []struct {
		program  []string
		says, no []string
	}{
		{[]string{"pdfsig", "-nssdir", nss, path}, []string{"Signature is Valid.", "Certificate is Trusted."},
			[]string{"Signature is Invalid", "isn't Trusted", "has Expired", "Digest Mismatch"}},
		{[]string{"qpdf", "--check", path}, []string{"No syntax or stream encoding errors found"}, []string{"WARNING"}},
	} {
		out, err := exec.Command(c.program[0], c.program[1:]...).CombinedOutput()
		for _, want := range c.says {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: %v, want %q:\n%s", c.program, err, want, out)
			}
		}
		for _, word := range c.no {
			if strings.Contains(string(out), word) {
				t.Errorf("%s: says %q:\n%s", c.program, word, out)
			}
		}
	}
}

// trusting creates a certificate folder for pdfsig that trusts only the root.
func trusting(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"-N", "-d", "sql:" + dir, "--empty-password"},
		{"-A", "-d", "sql:" + dir, "-n", "root", "-t", "CT,C,C", "-i", root},
	} {
		if out, err := exec.Command("certutil", args...).CombinedOutput(); err != nil {
			t.Fatalf("certutil %q: %v: %s", args, err, out)
		}
	}
	return dir
}

func TestDemoAndVerify(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	upload := filepath.Join(t.TempDir(), "Ein Vertrag.pdf")
	content := smallPDF("Vertrag", 20_000)
	if err := os.WriteFile(upload, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"demo", out}, {"demo", out, upload}} {
		if got := call(t, args...); got.code != 0 || !strings.Contains(got.out, "completed") || !strings.Contains(got.out, "sound") {
			t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
		}
	}
	root := filepath.Join(out, "root.pem") // of the second run
	nss := trusting(t, root)
	sealed := filepath.Join(out, "Ein Vertrag.pdf")
	for _, path := range []string{sealed, filepath.Join(out, "Certificate of completion - Ein Vertrag.pdf")} {
		judged(t, path, nss)
		if got := call(t, "verify", "--root", root, path); got.code != 0 || !strings.Contains(got.out, "intact, trusted") {
			t.Errorf("verify: exit %d: %s%s", got.code, got.out, got.err)
		}
	}
	b, err := os.ReadFile(sealed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b, content) {
		t.Error("the upload is not the first revision, byte for byte")
	}
	for what, c := range map[string]struct {
		content []byte
		sound   bool
	}{
		"flipped byte":       {flipped(b, len(content)/2), false},
		"no signature":       {content, false},
		"something appended": {append(bytes.Clone(b), smallUpdate(b)...), false},
		"untouched":          {b, true},
	} {
		path := filepath.Join(t.TempDir(), "x.pdf")
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		plain, asJSON := call(t, "verify", "--root", root, path), call(t, "verify", "--json", "--root", root, path)
		want := 1
		if c.sound {
			want = 0
		}
		var report struct{ Sound bool }
		if err := json.Unmarshal([]byte(asJSON.out), &report); err != nil {
			t.Errorf("%s: %v: %s", what, err, asJSON.out)
		}
		if plain.code != want || asJSON.code != want || report.Sound != c.sound {
			t.Errorf("%s: exit %d and %d, sound %v: %s%s", what, plain.code, asJSON.code, report.Sound, plain.out, plain.err)
		}
	}
	if got := call(t, "verify", "--root", root, sealed, upload); got.code != 1 {
		t.Errorf("one sound and one unsigned file: exit %d", got.code)
	}
}

func flipped(b []byte, at int) []byte {
	out := bytes.Clone(b)
	out[at] ^= 1
	return out
}

// smallUpdate appends a revision that shows different page content, which no
// signatory agreed to.
func smallUpdate(b []byte) []byte {
	start := b[bytes.LastIndex(b, []byte("startxref\n"))+len("startxref\n"):]
	previous, _, _ := bytes.Cut(start, []byte("\n"))
	content := "BT /F 24 Tf 72 700 Td (something else) Tj ET"
	body := fmt.Sprintf("4 0 obj\n<</Length %d>>stream\n%s\nendstream\nendobj\n", len(content), content)
	return fmt.Appendf(nil, "%sxref\n4 1\n%010d 00000 n \ntrailer\n<</Size 1000/Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", body, len(b), previous, len(b)+len(body))
}

// complete creates, sends and completes a document, and returns its identifier.
func (c *client) complete(title string, content []byte) (id string, err error) {
	var d struct {
		ID       string
		StatusID int `json:"status_id"`
	}
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": title}, &d); err != nil {
		return "", err
	}
	body, contentType := form(title+".pdf", content)
	if _, err := c.send(http.MethodPost, "/documents/"+d.ID+"/upload", contentType, bytes.NewReader(body)); err != nil {
		return d.ID, err
	}
	return d.ID, c.finish(d.ID)
}

// finish invites one person, sends, and signs.
func (c *client) finish(id string) error {
	var invited struct{ Data []struct{ ID string } }
	people := map[string]any{"invitations": []map[string]string{{"name": "Sam Signer", "email": "sam@signer.example"}}}
	if err := c.do(http.MethodPost, "/documents/"+id+"/invite", people, &invited); err != nil {
		return err
	}
	if err := c.do(http.MethodPost, "/documents/"+id+"/send", map[string]any{}, nil); err != nil {
		return err
	}
	var d struct {
		StatusID int `json:"status_id"`
	}
	err := c.do(http.MethodPost, "/documents/"+id+"/"+invited.Data[0].ID+"/sign", map[string]any{"consent": true}, &d)
	if err == nil && d.StatusID != 6 {
		err = fmt.Errorf("in state %d after everyone signed", d.StatusID)
	}
	return err
}

// total returns the size of a list for a query.
func (c *client) total(query string) (int, error) {
	var page struct{ Meta struct{ Total int } }
	err := c.do(http.MethodGet, "/documents?"+query, nil, &page)
	return page.Meta.Total, err
}

func TestCheckReportsDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	id, err := c.complete("Lease", smallPDF("Lease", 5000))
	if err != nil {
		t.Fatal(err)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	check := func() outcome { return call(t, "check", "--set", "data.dir="+dir) }
	if got := check(); got.code != 0 || !strings.Contains(got.out, "No problems found") {
		t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
	}

	blobs, err := filepath.Glob(filepath.Join(dir, "files", "?", "?", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatalf("%d files: %v", len(blobs), err)
	}
	for _, path := range blobs {
		damaged(t, path, -100, func() {
			hash := filepath.Base(path)
			if got := check(); got.code != 1 || !strings.Contains(got.out+got.err, hash[:16]) || !strings.Contains(got.out, id) {
				t.Errorf("a flipped byte in %s: exit %d: %s%s", path, got.code, got.out, got.err)
			}
		})
	}
	torn(t, blobs[0], func() {
		if got := check(); got.code != 1 || !strings.Contains(got.out+got.err, filepath.Base(blobs[0])[:16]) || !strings.Contains(got.out, id) {
			t.Errorf("half of %s: exit %d: %s%s", blobs[0], got.code, got.out, got.err)
		}
	})
	keys, err := filepath.Glob(filepath.Join(dir, "keys", "*"))
	if err != nil || len(keys) < 6 {
		t.Fatalf("%d keys: %v", len(keys), err)
	}
	named := func(what, path string) {
		if got := check(); got.code != 1 || !strings.Contains(got.out+got.err, filepath.Base(path)) {
			t.Errorf("%s %s: exit %d: %s%s", what, path, got.code, got.out, got.err)
		}
	}
	registry, manifest, table := filepath.Join(dir, "kv", "KEYREGISTRY"), filepath.Join(dir, "kv", "MANIFEST"), biggestTable(t, dir)
	for _, path := range append(keys, registry, manifest) {
		at := -20 // no padding of the encoding, whose bits are not all used
		if path == registry {
			at = 20 // what comes before is used for encryption, which is off
		}
		damaged(t, path, at, func() { named("a flipped byte in", path) })
	}
	for _, path := range append(keys, registry, manifest, table) {
		torn(t, path, func() { named("half of", path) })
	}
	damaged(t, biggestTable(t, dir), 300, func() {
		if got := check(); got.code != 1 || got.out+got.err == "" {
			t.Errorf("a flipped byte in the records: exit %d: %s%s", got.code, got.out, got.err)
		}
	})
	if got := check(); got.code != 0 {
		t.Errorf("after undoing the damage: exit %d: %s%s", got.code, got.out, got.err)
	}
}

// torn leaves half of a file while fn runs.
func torn(t *testing.T, path string, fn func()) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, b[:len(b)/2], info.Mode())
	fn()
	rewrite(t, path, b, info.Mode())
}

// damaged flips a byte of a file while fn runs; negative offsets count from the end.
func damaged(t *testing.T, path string, at int, fn func()) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		at += len(b)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, flipped(b, at), info.Mode())
	fn()
	rewrite(t, path, b, info.Mode())
}

func rewrite(t *testing.T, path string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, mode); err != nil {
		t.Fatal(err)
	}
}

// biggestTable returns the file with most of the records after a clean shutdown.
func biggestTable(t *testing.T, dir string) string {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "kv", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	best, size := "", int64(-1)
	for _, path := range tables {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > size {
			best, size = path, info.Size()
		}
	}
	return best
}

func TestSearchFolderIsRebuilt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	for _, title := range []string{"Lease of a windmill", "Sale of a windmill", "Loan"} {
		if err := c.do(http.MethodPost, "/documents", map[string]string{"title": title}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := c.total("search=windmill"); n != 2 || err != nil {
		t.Errorf("right after creating: %d, %v", n, err)
	}
	p.stop()
	folder := filepath.Join(dir, "search")
	for what, harm := range map[string]func() error{
		"deleted": func() error { return os.RemoveAll(folder) },
		"dropped": func() error {
			if got := call(t, "reindex", "--set", "data.dir="+dir); got.code != 0 {
				return fmt.Errorf("exit %d: %s", got.code, got.err)
			}
			return nil
		},
		"corrupt": func() error { return overwrite(folder, func(b []byte) { clear(b) }) },
		"flipped": func() error { return overwrite(folder, func(b []byte) { b[len(b)/2] ^= 0xff }) },
		"cut": func() error {
			return eachFile(folder, func(path string) error { return os.Truncate(path, 10) })
		},
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		p := serve(t, dir)
		c := p.login()
		for _, q := range []struct {
			word string
			want int
		}{{"windmill", 2}, {"loan", 1}, {"castle", 0}} {
			if n, err := c.total("search=" + url.QueryEscape(q.word)); n != q.want || err != nil {
				t.Errorf("%s: %q found %d, want %d: %v", what, q.word, n, q.want, err)
			}
		}
		if code := p.stop(); code != 0 {
			t.Errorf("%s: exit %d", what, code)
		}
	}
}

func eachFile(folder string, fn func(path string) error) error {
	return filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return fn(path)
	})
}

func overwrite(folder string, change func(b []byte)) error {
	return eachFile(folder, func(path string) error {
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			return err
		}
		change(b)
		return os.WriteFile(path, b, 0o600)
	})
}

func TestSIGTERMFinishesRunningRequestsAndRefusesNewOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	var d struct{ ID string }
	if err := c.do(http.MethodPost, "/documents", map[string]string{"title": "Late"}, &d); err != nil {
		t.Fatal(err)
	}
	// An upload that began before the signal and continues after it.
	body, contentType := form("late.pdf", smallPDF("late", 300_000))
	in, out := io.Pipe()
	uploaded := make(chan error, 1)
	go func() {
		_, err := c.send(http.MethodPost, "/documents/"+d.ID+"/upload", contentType, in)
		uploaded <- err
	}()
	if _, err := out.Write(body[:200_000]); err != nil {
		t.Fatal(err)
	}
	p.until("the upload has begun", func() (string, bool) {
		begun, err := filepath.Glob(filepath.Join(dir, "files", "temp", "*"))
		return fmt.Sprint(begun, err), err == nil && len(begun) > 0
	})
	ended := make(chan int)
	go func() { ended <- p.stop() }()
	p.until("it refuses new work", func() (string, bool) {
		fresh := &client{&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: p.http.Timeout}, p.url, c.token}
		err := fresh.do(http.MethodGet, "/documents", nil, nil)
		return fmt.Sprint(err), statusOf(err) == http.StatusServiceUnavailable
	})
	if _, err := out.Write(body[200_000:]); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if err := patience.Receive(t, "the end of the upload", uploaded); err != nil {
		t.Errorf("an upload in progress: %v", err)
	}
	if code := patience.Receive(t, "the end of the appliance", ended); code != 0 {
		t.Errorf("exit %d: %s", code, p.err.String())
	}
	p = serve(t, dir)
	var files struct{ Data []struct{ Name string } }
	if err := p.login().do(http.MethodGet, "/documents/"+d.ID+"/files", nil, &files); err != nil || len(files.Data) != 1 {
		t.Errorf("after a restart: %+v, %v", files, err)
	}
}
