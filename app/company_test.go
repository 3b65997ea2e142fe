package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"filippo.io/age"
)

var printedCompany = regexp.MustCompile(`\((01[0-9A-Z]{24})\)`)

// foreignServer starts a server with a different administrator.
func foreignServer(t *testing.T, dir string) *process {
	t.Helper()
	return launch(t, []string{"PARAPH_ADMIN_EMAIL=root@other.example", "PARAPH_ADMIN_PASSWORD=" + adminPassword}, dir, "serve")
}

// founded adds a company and returns its identifier, and its owner's password. The printed link
// has to lead to address.
func founded(t *testing.T, dir, email, address string) (id, password string) {
	t.Helper()
	got := mustCall(t, dir, "company", "add", "Lease Ltd.", email, "--owner", "Olga Owner")
	id, password = first(printedCompany, got.out), first(printedPassword, got.out)
	link := strings.Replace(first(printedSetup, got.out), "//localhost:", "//127.0.0.1:", 1)
	if id == "" || password == "" || !strings.HasPrefix(link, address+"/setup?") {
		t.Fatalf("no company, password or link to %s in %q", address, got.out)
	}
	return id, password
}

// opened is a document that one of two people has signed.
type opened struct{ id, second, link string }

// begun creates a document for two people and has the first one sign.
func (c *client) begun(t *testing.T, title string, content []byte) opened {
	t.Helper()
	body, contentType := multipartOf(t, map[string]any{"title": title, "send": true, "invitations": []map[string]string{
		{"name": "Ann First", "email": "ann@signer.example"}, {"name": "Ben Second", "email": "ben@signer.example"}}}, content)
	b, err := c.send(http.MethodPost, "/documents", contentType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		ID          string
		Invitations []struct {
			ID  string
			URL string `json:"sign_url"`
		}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	links := make([]string, 2)
	for i, inv := range d.Invitations {
		_, links[i], _ = strings.Cut(inv.URL, "/s/")
	}
	first := &client{http: c.http, url: c.url, token: links[0]}
	if err := first.do(http.MethodPost, "/documents/"+d.ID+"/"+d.Invitations[0].ID+"/sign", map[string]any{"consent": true}, nil); err != nil {
		t.Fatal(err)
	}
	return opened{d.ID, d.Invitations[1].ID, links[1]}
}

// raw returns the body of a response.
func (c *client) raw(t *testing.T, path string) string {
	t.Helper()
	b, err := c.send(http.MethodGet, path, "", nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(b)
}

func (c *client) number(t *testing.T, path string) int {
	t.Helper()
	var list struct{ Meta struct{ Total int } }
	if err := c.do(http.MethodGet, path, nil, &list); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return list.Meta.Total
}

// multipartOf packs a document and its file.
func multipartOf(t testing.TB, data map[string]any, content []byte) (body []byte, contentType string) {
	t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	m := multipart.NewWriter(&out)
	err = m.WriteField("data", string(b))
	part, failed := m.CreateFormFile("file", "contract.pdf")
	if failed == nil {
		_, failed = part.Write(content)
	}
	if err := errors.Join(err, failed, m.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), m.FormDataContentType()
}

// trail returns the hashes of a document's audit trail.
func (c *client) trail(t *testing.T, id string) []string {
	t.Helper()
	return regexp.MustCompile(`"(?:hash|previous_hash)":"[0-9a-f]{64}"`).FindAllString(c.raw(t, "/documents/"+id+"/events"), -1)
}

// rootOf saves the root certificate of an installation.
func rootOf(t *testing.T, c *client) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(path, []byte(c.raw(t, "/certificates/root.pem")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// judgedBy lets pdfsig, qpdf and paraph verify judge a file, trusting the given roots.
func judgedBy(t *testing.T, file []byte, roots ...string) {
	t.Helper()
	var all []byte
	for _, root := range roots {
		b, err := os.ReadFile(root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	path, trusted := filepath.Join(t.TempDir(), "signed.pdf"), filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trusted, all, 0o600); err != nil {
		t.Fatal(err)
	}
	nss := trusting(t, roots[0])
	for i, root := range roots[1:] {
		if out, err := exec.Command("certutil", "-A", "-d", "sql:"+nss, "-n", "root "+string(rune('a'+i)), "-t", "CT,C,C", "-i", root).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	judged(t, path, nss)
	if got := call(t, "verify", "--root", trusted, path); got.code != 0 {
		t.Errorf("paraph verify: exit %d\n%s", got.code, got.out)
	}
}

// newIdentity creates an age key, which is faster than a passphrase.
func newIdentity(t *testing.T) (recipient, file string) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	file = filepath.Join(t.TempDir(), "key.txt")
	if err == nil {
		err = os.WriteFile(file, []byte(identity.String()+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return identity.Recipient().String(), file
}

// savedFields returns the saved fields as JSON.
func (c *client) savedFields(t *testing.T) string {
	t.Helper()
	b, err := c.send(http.MethodGet, "/saved-fields", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Data json.RawMessage }
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return string(list.Data)
}

func TestCompanyMovesToAnotherInstallation(t *testing.T) {
	t.Parallel()
	from, to, out := t.TempDir(), t.TempDir(), t.TempDir()
	recipient, key := newIdentity(t)
	p := serve(t, from)
	company, password := founded(t, from, "olga@lease.example", p.url)
	c, err := logIn(p.http, p.url, "olga@lease.example", password)
	if err != nil {
		t.Fatal(err)
	}
	content := smallPDF("Lease", 20_000)
	renamed := c.renamed(t, "First title", "Second title")
	done, err := c.complete("Harbour lease", content)
	if err != nil {
		t.Fatal(err)
	}
	kept := c.checkpointFile(t)
	half := c.begun(t, "Half signed", content)
	public := c.published(t, done)
	field := `{"name": "Account", "field": {"type": "text", "width": 0.4, "height": 0.03, "cells": 22, "pattern": "[A-Z]+"}}`
	if _, err := c.send(http.MethodPost, "/saved-fields", "application/json", strings.NewReader(field)); err != nil {
		t.Fatal(err)
	}
	saved := c.savedFields(t)
	if _, err := p.login().complete("Another company's", content); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var writers sync.WaitGroup
	writers.Go(func() {
		if n, err := c.write(&stop, content); n == 0 || err != nil {
			t.Errorf("%d documents were created meanwhile: %v", n, err)
		}
	})
	if got := mustCall(t, from, "company", "export", company, out, "--recipient", recipient); !strings.Contains(got.out, "read it back") {
		t.Errorf("printed %q", got.out)
	}
	stop.Store(true)
	writers.Wait()
	want, trail, root := c.signed(t, done), c.trail(t, done), rootOf(t, c)
	mustRefuse(t, "not found", from, "company", "export", "01M7Z4BMC36K290EBM3T11X3Q8", out)

	q := foreignServer(t, to)
	file := onlyFile(t, out)
	mustRefuse(t, "encrypted", to, "company", "import", file)
	mustCall(t, to, "company", "import", file, "--identity", key)
	mustRefuse(t, "already exists here", to, "company", "import", file, "--identity", key)
	d, err := logIn(q.http, q.url, "olga@lease.example", password)
	if err != nil {
		t.Fatalf("the owner cannot sign in: %v", err)
	}
	if !bytes.Equal(d.signed(t, done), want) {
		t.Error("the signed file changed")
	}
	if got := d.trail(t, done); len(trail) < 4 || !slices.Equal(got, trail) {
		t.Errorf("the audit trail changed from %v to %v", trail, got)
	}
	if d.number(t, "/documents?search=harbour") != 1 || d.number(t, "/documents?search=Another+company") != 0 || d.number(t, "/contacts") < 3 {
		t.Error("search or contacts differ from the exported company")
	}
	if got := d.savedFields(t); got != saved || !strings.Contains(got, "Account") {
		t.Errorf("the saved fields changed from %s to %s", saved, got)
	}
	if got := d.titles(t, renamed); !slices.Equal(got, []string{"First title", "Second title"}) {
		t.Errorf("the events of a document whose title changed show %q", got)
	}
	if n := d.number(t, "/outbox"); n != 0 {
		t.Errorf("%d messages about events of the other installation", n)
	}
	judgedBy(t, want, root)
	if report := string(d.verified(t, want)); !strings.Contains(report, `"trusted":true`) || strings.Contains(report, `"trusted":false`) {
		t.Errorf("the new installation verifies it as %s", report)
	}

	signer := &client{http: q.http, url: q.url, token: half.link}
	if err := signer.do(http.MethodPost, "/documents/"+half.id+"/"+half.second+"/sign", map[string]any{"consent": true}, nil); err != nil {
		t.Fatalf("signing with the link of the old installation: %v", err)
	}
	judgedBy(t, d.signed(t, half.id), root, rootOf(t, d))
	d.fillIn(t, public)
	fresh, err := d.complete("Signed here", content)
	if err != nil {
		t.Fatal(err)
	}
	judgedBy(t, d.signed(t, fresh), rootOf(t, d))
	here := d.checkpointFile(t)
	if code := q.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	mustCall(t, to, "check", "--checkpoint", kept, "--checkpoint", here)
	if got := mustCall(t, to, "company", "list"); !strings.Contains(got.out, company) || strings.Count(got.out, "\n") != 2 {
		t.Errorf("companies: %q", got.out)
	}
}

// publicLink is a public link of a template.
type publicLink struct{ at, path string }

// published makes a template of a document, with a link that works once.
func (c *client) published(t *testing.T, document string) publicLink {
	t.Helper()
	var tpl, made struct{ ID, URL string }
	err := c.do(http.MethodPost, "/documents/"+document+"/template", map[string]any{"roles": []string{"Visitor"}}, &tpl)
	if err == nil {
		err = c.do(http.MethodPost, "/templates/"+tpl.ID+"/links", map[string]any{"role": "Visitor", "max_uses": 1}, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return publicLink{"/templates/" + tpl.ID + "/links/" + made.ID, strings.TrimPrefix(made.URL, c.url)}
}

// fillIn visits a public link at its old path, and then at the one it has here.
func (c *client) fillIn(t *testing.T, l publicLink) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	visitor := &client{http: &http.Client{Jar: jar}, url: c.url}
	token := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(visitor.raw(t, l.path))
	if token == nil {
		t.Fatal("the page of the public link has no form")
	}
	values := url.Values{"csrf": {token[1]}, "name": {"Vic Visitor"}, "email": {"vic@visitor.example"}}
	page, err := visitor.send(http.MethodPost, l.path, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
	if err != nil || !bytes.Contains(page, []byte("Vic Visitor")) {
		t.Errorf("the visitor of a public link that moved: %v %.500s", err, page)
	}
	var now struct {
		URL, Status string
		Uses        int `json:"uses_count"`
	}
	if err := c.do(http.MethodGet, l.at, nil, &now); err != nil || now.Uses != 1 || now.Status != "used_up" {
		t.Errorf("the public link that moved is %+v, %v", now, err)
	}
	for _, path := range []string{l.path, strings.TrimPrefix(now.URL, c.url)} {
		if _, err := visitor.send(http.MethodGet, path, "", nil); err == nil || !strings.Contains(err.Error(), "410") {
			t.Errorf("%s, used up: %v", path, err)
		}
	}
}

// renamed creates a draft and changes its title.
func (c *client) renamed(t *testing.T, title, next string) (id string) {
	t.Helper()
	var d struct{ ID string }
	err := c.do(http.MethodPost, "/documents", map[string]any{"title": title}, &d)
	if err == nil {
		err = c.do(http.MethodPatch, "/documents/"+d.ID, map[string]any{"title": next}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// titles returns the document's title in each of its events.
func (c *client) titles(t *testing.T, id string) (titles []string) {
	t.Helper()
	var feed struct {
		Data []struct {
			Data struct{ Document struct{ ID, Title string } }
		}
	}
	if err := c.do(http.MethodGet, "/events?limit=50", nil, &feed); err != nil {
		t.Fatal(err)
	}
	for _, e := range feed.Data {
		if e.Data.Document.ID == id {
			titles = append(titles, e.Data.Document.Title)
		}
	}
	return titles
}

// verified uploads a file for verification.
func (c *client) verified(t *testing.T, file []byte) []byte {
	t.Helper()
	body, contentType := form("signed.pdf", file)
	b, err := c.send(http.MethodPost, "/verify", contentType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUnencryptedExportHasNoPasswords(t *testing.T) {
	t.Parallel()
	from, to, out := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "lease.tar.zst")
	for _, dir := range []string{from, to} {
		p := serve(t, dir)
		if dir == to {
			p.kill()
			p = foreignServer(t, filepath.Join(to, "data"))
		}
		if code := p.stop(); code != 0 {
			t.Fatalf("exit %d", code)
		}
	}
	company, password := founded(t, from, "olga@lease.example", "http://127.0.0.1:8080")
	mustCall(t, from, "company", "rename", company, "Lease GmbH")
	if got := mustCall(t, from, "company", "export", company, out); !strings.Contains(got.out, "no passwords") {
		t.Errorf("printed %q", got.out)
	}
	plain, err := exec.Command("tar", "--zstd", "-xOf", out).Output()
	if err != nil || bytes.Contains(plain, []byte("argon2")) || !bytes.Contains(plain, []byte("Lease GmbH")) {
		t.Errorf("the file contains %s, %v", plain, err)
	}
	data := filepath.Join(to, "data")
	mustRefuse(t, "already exists here", from, "company", "import", out)
	mustCall(t, data, "company", "import", out)
	q := foreignServer(t, data)
	if _, err := logIn(q.http, q.url, "olga@lease.example", password); statusOf(err) != 401 {
		t.Errorf("with the old password: %v", err)
	}
	if code := q.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	mustCall(t, data, "user", "password", "olga@lease.example", "another good password of hers")
	mustCall(t, data, "check")

	// A damaged export is not imported, not even in part.
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(out, b, 0o600); err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, "damaged", to, "company", "import", out)
	if got := mustCall(t, to, "company", "list"); strings.Contains(got.out, company) {
		t.Errorf("companies: %q", got.out)
	}
}

// TestKilledImportLeavesNothingPartial kills the server at each stage of an import. After
// the next start the company exists completely or not at all.
func TestKilledImportLeavesNothingPartial(t *testing.T) {
	t.Parallel()
	from, to, out := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "lease.tar.zst")
	p := serve(t, from)
	company, password := founded(t, from, "olga@lease.example", p.url)
	c, err := logIn(p.http, p.url, "olga@lease.example", password)
	if err != nil {
		t.Fatal(err)
	}
	content := smallPDF("Lease", 20_000)
	for range 60 { // several transactions
		c.begunDraft(t, content)
	}
	done, err := c.complete("Whole", content)
	if err != nil {
		t.Fatal(err)
	}
	recipient, key := newIdentity(t)
	mustCall(t, from, "company", "export", company, out, "--recipient", recipient)
	want := c.signed(t, done)
	p.kill()
	there := func() bool {
		t.Helper()
		return strings.Contains(mustCall(t, to, "company", "list").out, company)
	}
	for _, stage := range []string{"staged-*.tmp", company + ".records"} {
		q := foreignServer(t, to)
		cmd := exec.Command(binary(t), "company", "import", out, "--identity", key, "--set", "data.dir="+to)
		cmd.Dir, cmd.Env = t.TempDir(), environ()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var outcome error
		waiting := true
		q.until("the import is at "+stage, func() (string, bool) {
			found, err := filepath.Glob(filepath.Join(to, "imports", stage))
			if err != nil {
				t.Fatal(err)
			}
			select {
			case outcome = <-ended: // it finished before the kill
				waiting = false
			default:
			}
			return strings.Join(found, " "), len(found) > 0 || !waiting
		})
		q.kill()
		if waiting {
			outcome = <-ended
		}
		mustCall(t, to, "reindex") // whatever opens the folder to write completes an import
		whole := there()
		if outcome == nil && !whole {
			t.Errorf("at %s the import was acknowledged, but the company is gone", stage)
		}
		mustCall(t, to, "check")
		if left, err := filepath.Glob(filepath.Join(to, "imports", "*")); err != nil || len(left) > 0 {
			t.Errorf("left over: %v %v", left, err)
		}
		if whole {
			break
		}
	}
	if !there() {
		mustCall(t, to, "company", "import", out, "--identity", key)
	}
	q := foreignServer(t, to)
	d, err := logIn(q.http, q.url, "olga@lease.example", password)
	if err != nil {
		t.Fatal(err)
	}
	if n := d.number(t, "/documents"); n != 61 || !bytes.Equal(d.signed(t, done), want) {
		t.Errorf("%d documents", n)
	}
}

// begunDraft makes a draft with some text.
func (c *client) begunDraft(t *testing.T, content []byte) {
	t.Helper()
	body, contentType := multipartOf(t, map[string]any{"title": "Draft", "message": strings.Repeat("A long message. ", 100)}, content)
	if _, err := c.send(http.MethodPost, "/documents", contentType, bytes.NewReader(body)); err != nil {
		t.Fatal(err)
	}
}
