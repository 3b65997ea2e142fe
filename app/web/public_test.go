package web_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	stdhtml "html"
	"io"
	"mime/multipart"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// fetch fetches a page as a browser does.
func fetch(t *testing.T, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,*/*")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// signedCopy returns a file that one person has signed.
func signedCopy(t *testing.T, s *apptest.Server) []byte {
	t.Helper()
	d := send(t, s, []apptest.Map{maria()})
	_, token, _ := strings.Cut(d.links[0], "/s/")
	s.With(token).Post(t, "/documents/"+d.id+"/"+token[:26]+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)
	return d.Get(t, "/documents/"+d.id+"/download").Want(t, http.StatusOK).Body
}

func TestCheckAFile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	signed := signedCopy(t, s)
	changed := bytes.Clone(signed)
	changed[len(changed)/2] ^= 1
	for _, c := range []struct {
		name, want string
		content    []byte
	}{
		{"signed.pdf", "Valid", signed},
		{"changed.pdf", "problem", changed},
		{"plain.pdf", "No digital signature", apptest.PDF(t)},
	} {
		b := guest(t, s)
		b.Visit("/verify")
		b.Choose("#i-file", plain.File{Name: c.name, Content: c.content})
		b.Click("form.drop button")
		if got := b.Read("#verdict"); !strings.Contains(got, c.want) {
			t.Errorf("the verdict on %s is %q, want %q", c.name, got, c.want)
		}
	}
	w := open(t, look{})
	w.visit(s.URL + "/verify")
	w.Choose("#i-file", plain.File{Name: "signed.pdf", Content: signed})
	w.click("form.drop button")
	if got := w.read("#verdict"); !strings.Contains(got, "Valid") {
		t.Errorf("with scripts the verdict is %q", got)
	}
}

// sentFile is a file to be submitted with a form.
type sentFile struct {
	field, name string
	content     []byte
}

// check submits files to be checked.
func (f *formClient) check(files []sentFile, headers ...string) (int, string) {
	f.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err := w.WriteField("csrf", f.token)
	for _, file := range files {
		part, e := w.CreateFormFile(file.field, file.name)
		if e == nil {
			_, e = part.Write(file.content)
		}
		err = errors.Join(err, e)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		f.t.Fatal(err)
	}
	return f.post("/verify/report", &b, append(headers, "Content-Type", w.FormDataContentType())...)
}

// TestCheckTellsWhatIsOurs checks that a file completed here is identified by day and document, for anybody who has it,
// and that a page changed since is shown next to the signed one.
func TestCheckTellsWhatIsOurs(t *testing.T) {
	t.Parallel()
	s, other := apptest.New(t), apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	_, token, _ := strings.Cut(d.links[0], "/s/")
	s.With(token).Post(t, "/documents/"+d.id+"/"+token[:26]+"/sign", apptest.Map{"consent": true}).Want(t, http.StatusOK)
	signed := d.Get(t, "/documents/"+d.id+"/download").Want(t, http.StatusOK).Body
	changed := append(bytes.Clone(signed), blankPage(signed)...)
	check := func(s *apptest.Server, content []byte) string {
		_, html := formClientAt(t, s.URL, "/verify", "").check([]sentFile{{"file", "a.pdf", content}})
		return html
	}
	if html := check(s, signed); !strings.Contains(html, "Signed here on") || !strings.Contains(html, d.id) || strings.Contains(html, "data:image/png") {
		t.Errorf("our own file: %s", html)
	}
	if html := check(other, signed); strings.Contains(html, "Signed here") {
		t.Errorf("a stranger's file: %s", html)
	}
	html := check(s, changed)
	for _, want := range []string{"This file starts with one that was signed here", d.id, "Page 1 as signed", "Page 1 as it is now"} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in the report on a changed file", want)
		}
	}
	if n := strings.Count(html, `src="data:image/png`); n != 2 {
		t.Errorf("%d pictures", n)
	}
	flipped := bytes.Clone(signed)
	flipped[len(flipped)-3] ^= 1
	if html := check(s, flipped); strings.Contains(html, "This file was") || strings.Contains(html, ">Signed here") {
		t.Errorf("a file with another byte at its end: %s", html)
	}
}

// blankPage appends a revision in which the first page is blank.
func blankPage(b []byte) []byte {
	start := b[bytes.LastIndex(b, []byte("startxref\n"))+len("startxref\n"):]
	previous, _, _ := bytes.Cut(start, []byte("\n"))
	content := regexp.MustCompile(`/Contents[ \[]*(\d+) 0 R`).FindSubmatch(b)[1]
	root := regexp.MustCompile(`/Root (\d+ 0 R)`).FindSubmatch(b)[1]
	body := fmt.Sprintf("%s 0 obj\n<</Length 1>>\nstream\nq\nendstream\nendobj\n", content)
	return fmt.Appendf(nil, "%sxref\n%s 1\n%010d 00000 n\r\ntrailer\n<</Size 1000/Root %s/Prev %s>>\nstartxref\n%d\n%%%%EOF\n",
		body, content, len(b), root, previous, len(b)+len(body))
}

// TestCheckSeveralFiles checks files with a third party's root as well; a file that
// can't be read must not affect the reports of the others.
func TestCheckSeveralFiles(t *testing.T) {
	t.Parallel()
	s, other := apptest.New(t), apptest.New(t)
	foreign := signedCopy(t, other)
	visitor := formClientAt(t, s.URL, "/verify", "")
	root := sentFile{"root", "root.pem", other.Keys.RootPEM()}
	file := sentFile{"file", "foreign.pdf", foreign}
	bad := sentFile{"file", "bad.pdf", []byte("no PDF")}
	for _, c := range []struct {
		name   string
		files  []sentFile
		status int
		want   []string
	}{
		{"a stranger's", []sentFile{file}, http.StatusOK, []string{"someone this service doesn&#39;t know"}},
		{"with the stranger's root", []sentFile{root, file}, http.StatusOK, []string{">Valid<", "Also trusted in this check:", other.Keys.Root().Subject.CommonName}},
		{"with one that is none", []sentFile{root, file, bad}, http.StatusOK, []string{"2 files", "This file can&#39;t be verified", "not a readable PDF", ">Valid<"}},
		{"only one that is none", []sentFile{bad}, http.StatusUnprocessableEntity, []string{"not a readable PDF"}},
		{"a root that is none", []sentFile{{"root", "r.pem", []byte("x")}, file}, http.StatusUnprocessableEntity, []string{"contains no certificate"}},
		{"nothing", nil, http.StatusUnprocessableEntity, []string{"Choose a file first."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, html := visitor.check(c.files)
			if status != c.status {
				t.Errorf("status %d, want %d", status, c.status)
			}
			for _, want := range c.want {
				if !strings.Contains(html, want) {
					t.Errorf("%q is not in %s", want, html)
				}
			}
		})
	}
	_, html := visitor.check([]sentFile{file})
	raw := regexp.MustCompile(`href="data:application/json;base64,([^"]+)"`).FindStringSubmatch(html)
	if raw == nil {
		t.Fatal("there is no report for programs")
	}
	b, err := base64.StdEncoding.DecodeString(stdhtml.UnescapeString(raw[1]))
	var report struct {
		Name, SHA256 string
		Signatures   []struct {
			Intact, Trusted bool
			Level           string
		}
	}
	if err := errors.Join(err, json.Unmarshal(b, &report)); err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(foreign); report.Name != "foreign.pdf" || report.SHA256 != fmt.Sprintf("%x", sum) || len(report.Signatures) < 2 || !report.Signatures[0].Intact || report.Signatures[0].Trusted {
		t.Errorf("the report is %s", b)
	}
}

func TestRootCertificate(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	want := s.Keys.Root()
	_, text := fetch(t, s.URL+"/trust/root.pem")
	block, _ := pem.Decode([]byte(text))
	if block == nil || !bytes.Equal(block.Bytes, want.Raw) {
		t.Error("root.pem is not the root certificate")
	}
	_, der := fetch(t, s.URL+"/trust/root.cer")
	if c, err := x509.ParseCertificate([]byte(der)); err != nil || !c.Equal(want) {
		t.Errorf("root.cer is not the root certificate: %v", err)
	}
	_, p7b := fetch(t, s.URL+"/trust/root.p7b")
	cmd := exec.Command("openssl", "pkcs7", "-inform", "DER", "-print_certs")
	cmd.Stdin = strings.NewReader(p7b)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "BEGIN CERTIFICATE") {
		t.Errorf("openssl does not read root.p7b: %v %s", err, out)
	}
	if _, html := fetch(t, s.URL+"/trust"); !strings.Contains(html, want.Subject.CommonName) {
		t.Error("the page does not name the certificate")
	}
}

// TestHome checks where the root address leads.
func TestHome(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	if res, _ := fetch(t, s.URL+"/"); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/app/documents" {
		t.Errorf("/ answers %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
}

func TestHeadersOfPages(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for _, path := range []string{"/", "/signin", "/verify", "/trust", "/nowhere", "/s/unknown"} {
		res, html := fetch(t, s.URL+path)
		h := res.Header
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" || h.Get("X-Request-Id") == "" {
			t.Errorf("%s: headers %v", path, h)
		}
		for _, cookie := range res.Cookies() {
			if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
				t.Errorf("%s: cookie %v", path, cookie)
			}
		}
		if strings.Contains(html, "style=") || strings.Contains(html, "onclick=") {
			t.Errorf("%s: an inline style or handler", path)
		}
	}
	if res, _ := fetch(t, s.URL+"/nowhere", "Accept", "application/json"); !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		t.Errorf("a program gets %q where there is nothing", res.Header.Get("Content-Type"))
	}
}

// Cross-site submissions, or those without our token, change nothing.
func TestForeignFormsAreRefused(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	res, html := fetch(t, d.links[0]+"/decline")
	_, rest, _ := strings.Cut(html, `name="csrf" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	cookie := res.Cookies()[0]
	for name, c := range map[string]struct {
		token   string
		headers []string
		want    int
	}{
		"no token":       {"", []string{"Cookie", cookie.String()}, http.StatusForbidden},
		"no cookie":      {token, nil, http.StatusForbidden},
		"another site":   {token, []string{"Cookie", cookie.String(), "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"another origin": {token, []string{"Cookie", cookie.String(), "Origin", "https://evil.example"}, http.StatusForbidden},
	} {
		r := s.Anonymous().Post(t, strings.TrimPrefix(d.links[0], s.URL)+"/decline", apptest.Raw{Type: "application/x-www-form-urlencoded", Body: []byte("csrf=" + c.token + "&reason=x")}, c.headers...)
		if r.Status != c.want {
			t.Errorf("%s: status %d, want %d", name, r.Status, c.want)
		}
	}
	if got := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.status"); got != "notified" {
		t.Errorf("the invitation is %s", got)
	}
	good := s.Anonymous().Post(t, strings.TrimPrefix(d.links[0], s.URL)+"/decline", apptest.Raw{Type: "application/x-www-form-urlencoded", Body: []byte("csrf=" + token + "&reason=x")},
		"Cookie", cookie.String(), "Origin", s.URL)
	if good.Status != http.StatusSeeOther {
		t.Errorf("our own form: status %d", good.Status)
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	_, html := fetch(t, s.URL+"/verify")
	_, rest, _ := strings.Cut(html, `rel="stylesheet" href="`)
	css, _, _ := strings.Cut(rest, `"`)
	res, _ := fetch(t, s.URL+css, "Accept-Encoding", "gzip")
	if res.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/css") {
		t.Errorf("headers %v", res.Header)
	}
	if res, _ := fetch(t, s.URL+"/static/x/nothing.css"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not there: %d", res.StatusCode)
	}
	if res, _ := fetch(t, s.URL+"/static/x/..%2f..%2fweb.go"); res.StatusCode == http.StatusOK {
		t.Error("a file outside is served")
	}
}
