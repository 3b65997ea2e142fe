package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// line is a browser's connection to the appliance: with a limited rate, and cut
// once after a number of uploaded bytes.
type line struct {
	URL  string
	up   atomic.Int64 // bytes uploaded
	cut  atomic.Int64 // 0 for never
	rate atomic.Int64 // upload rate in bytes per second, 0 for unlimited
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{URL: "http://" + ln.Addr().String()}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { l.carry(c, u.Host) })
		}
	})
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// carry joins a connection of the browser to one of the appliance. If either end
// closes, so does the other.
func (l *line) carry(c net.Conn, to string) {
	defer c.Close()
	s, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer s.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.Close()
		_, _ = io.Copy(c, s) // a closed end is expected
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := c.Read(buf)
		if n > 0 {
			sum := l.up.Add(int64(n))
			if cut := l.cut.Load(); cut > 0 && sum >= cut && l.cut.CompareAndSwap(cut, 0) {
				return
			}
			if rate := l.rate.Load(); rate > 0 {
				time.Sleep(time.Duration(n) * time.Second / time.Duration(rate)) // limits the rate
			}
			if _, err := s.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			break
		}
	}
	s.Close()
	<-done
}

// heavy returns a PDF of one page and about size bytes.
func heavy(size int) []byte {
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Extra 4 0 R>>")
	object(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", size, strings.Repeat("x", size)))
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// onDisk writes files to choose from, and returns their paths.
func onDisk(t *testing.T, files ...apptest.File) []string {
	t.Helper()
	dir := t.TempDir()
	var out []string
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			t.Fatal(err)
		}
		out = append(out, path)
	}
	return out
}

func (w *window) choose(paths ...string) {
	w.t.Helper()
	w.see("#i-files")
	w.run(chromedp.SetUploadFiles(chromedp.CSS("#i-files"), paths))
}

// names returns the files of the list, in order.
func (w *window) names() string {
	w.t.Helper()
	return get(w, chromedp.Evaluate[string](`[...document.querySelectorAll("#files [data-file] h4")].map(h => h.textContent).join(" ")`))
}

func (w *window) ready(n int) {
	w.t.Helper()
	w.until(fmt.Sprintf(`document.querySelectorAll("#files [data-file]").length === %d && !document.querySelector("#uploads li")`, n))
}

func TestUploadSeveral(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := team(t, c, look{})
	w.visit(s.URL + "/app/documents/new")
	paths := onDisk(t, apptest.File{Name: "The_contract.pdf", Content: heavy(3 << 20)}, apptest.File{Name: "b.docx", Content: apptest.DOCX(t, "A letter.")},
		apptest.File{Name: "c.png", Content: apptest.Picture(t, png.Encode)}, apptest.File{Name: "d.pdf", Content: apptest.PDF(t)}, apptest.File{Name: "e.exe", Content: []byte("MZ")})
	w.choose(paths...)
	w.until(`document.querySelectorAll("#files [data-file]").length === 4 && document.querySelectorAll("#uploads li").length === 1`)
	// Whichever finished first, they are listed in the order chosen.
	w.until(`[...document.querySelectorAll("#files h4")].map(h => h.textContent).join() === "The_contract.pdf,b.docx,c.png,d.pdf"`)
	if got := w.read("#uploads .state"); !strings.Contains(got, "not accepted") {
		t.Errorf("of the last it is said %q", got)
	}
	if got := w.value("[name=title]"); got != "The contract" {
		t.Errorf("the title is %q", got)
	}
	w.click("#uploads .cancel")
	w.until(`!document.querySelector("#uploads li")`)

	w.click(`#files li:nth-child(4) .menu summary`)
	w.click(`#files li:nth-child(4) button[value=up]`)
	w.until(`document.querySelector("#files li:nth-child(3) h4").textContent === "d.pdf" && document.activeElement.value === "up"`)
	w.click(`#files li:nth-child(1) .menu summary`)
	w.click(`#files li:nth-child(1) .menu-list details:nth-of-type(1) summary`)
	w.write(`#files li:nth-child(1) input[name^="name-"]`, "Renamed.pdf")
	w.click(`#files li:nth-child(1) button[value=rename]`)
	w.until(`document.querySelector("#files h4").textContent === "Renamed.pdf"`)
	w.click(`#files li:nth-child(2) .menu summary`)
	w.click(`#files li:nth-child(2) .menu-list details:nth-of-type(3) summary`)
	w.click(`#files li:nth-child(2) button[value=remove]`)
	w.ready(3)
	// The same file is accepted again, with a note that it is already there.
	w.choose(paths[3])
	w.ready(4)
	if got := w.read("#files"); !strings.Contains(got, "have the same content") {
		t.Errorf("the list does not say that a file is there twice: %s", got)
	}
	w.run(chromedp.Reload())
	if got := w.names(); got != "Renamed.pdf d.pdf c.png d.pdf" {
		t.Errorf("after loading anew the files are %s", got)
	}
	w.click("#finish button.primary")
	w.see(".editor.ready")
}

// throughLine opens a signed-in window on the page for a new document, through
// a line that the test can slow down and cut.
func throughLine(t *testing.T) (*window, *line, *apptest.Client) {
	t.Helper()
	s := apptest.New(t)
	l := newLine(t, s.URL)
	w := open(t, look{})
	w.cut = true
	c := s.Company(t)
	far := *c
	far.Server = &apptest.Server{App: c.App, URL: l.URL}
	w.signIn(&far)
	w.visit(l.URL + "/app/documents/new")
	return w, l, c
}

func TestUploadGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	w, l, _ := throughLine(t)
	const size = 24 << 20
	l.cut.Store(l.up.Load() + 13<<20)
	begin := l.up.Load()
	w.choose(onDisk(t, apptest.File{Name: "big.pdf", Content: heavy(size)})...)
	w.ready(1)
	if l.cut.Load() != 0 {
		t.Error("the line was never cut")
	}
	if sent := l.up.Load() - begin; sent > size+9<<20 {
		t.Errorf("%d MB went up for a file of %d MB", sent>>20, size>>20)
	}
}

// leave goes to an empty page, and confirms leaving when asked.
func (w *window) leave() {
	w.t.Helper()
	if err := chromedp.Listen(w.ctx, func(event any) {
		if _, ok := event.(*cdppage.EventJavascriptDialogOpening); ok {
			go func() {
				_, _ = chromedp.Call(w.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true}) // closes the page
			}()
		}
	}); err != nil {
		w.t.Fatal(err)
	}
	w.run(chromedp.MouseClickXY(2, 2)) // the browser asks only those who have touched the page, and logs that it did not ask others
	w.visit("about:blank")
}

func TestUploadGoesOnAfterAReload(t *testing.T) {
	t.Parallel()
	w, l, _ := throughLine(t)
	path := onDisk(t, apptest.File{Name: "big.pdf", Content: heavy(20 << 20)})[0]
	l.rate.Store(16 << 20)
	begin := l.up.Load()
	w.choose(path)
	w.until(`location.pathname.endsWith("/files") && parseInt(document.querySelector("#uploads .state")?.textContent) >= 50`)
	// Progress is shown in percent, bytes and time.
	if got := w.read("#uploads .state"); !strings.Contains(got, "%") || !strings.Contains(got, "of 21 MB") {
		t.Errorf("the progress is %q", got)
	}
	address := get(w, chromedp.Location())
	w.leave()
	l.rate.Store(0)
	w.visit(address)
	if got := w.read("#files .upload"); !strings.Contains(got, "big.pdf") || !strings.Contains(got, "% of") {
		t.Fatalf("the unfinished file is shown as %q", got)
	}
	w.choose(path)
	w.ready(1)
	if sent := l.up.Load() - begin; sent > 33<<20 {
		t.Errorf("%d MB went up for a file of 20 MB", sent>>20)
	}
	w.until(`!document.querySelector("#files .upload")`)
}

func TestUploadIsCancelledAtOnce(t *testing.T) {
	t.Parallel()
	w, l, c := throughLine(t)
	l.rate.Store(4 << 20)
	w.choose(onDisk(t, apptest.File{Name: "big.pdf", Content: heavy(40 << 20)})...)
	w.until(`parseInt(document.querySelector("#uploads .state")?.textContent) >= 5`)
	began := time.Now()
	w.click("#uploads .cancel")
	w.until(`!document.querySelector("#uploads li")`)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("cancelling took %v", took)
	}
	l.rate.Store(0)
	who, err := c.Accounts.Authentication.Authenticate(c.Token)
	if err != nil {
		t.Fatal(err)
	}
	id := strings.Split(get(w, chromedp.Location()), "/")[5]
	patience.Until(t, "the server drops the upload", func() (string, bool) {
		left, err := c.Signing.Drafts.UnfinishedUploads(account.Call{Actor: who}, id)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", left), len(left) == 0
	})
}

func TestUploadWithAPassword(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := team(t, s.Company(t), look{})
	w.visit(s.URL + "/app/documents/new")
	file, err := os.ReadFile("../../testdata/pdf/password.pdf")
	if err != nil {
		t.Fatal(err)
	}
	w.choose(onDisk(t, apptest.File{Name: "password.pdf", Content: file})...)
	w.write("#uploads .unlock input", "wrong")
	w.click("#uploads .unlock button")
	w.until(`document.querySelector("#uploads .state").textContent.includes("does not open")`)
	w.write("#uploads .unlock input", "secret")
	w.click("#uploads .unlock button")
	w.ready(1)
	if got := w.read("#files"); !strings.Contains(got, "was encrypted") {
		t.Errorf("the list does not say that it was encrypted: %s", got)
	}
}

// formClient is an HTTP client with the cookies and the token of a page.
type formClient struct {
	t      *testing.T
	base   string
	token  string
	cookie string
}

func newFormClient(t *testing.T, c *apptest.Client) *formClient {
	t.Helper()
	return formClientAt(t, c.URL, "/app/documents/new", "paraph_session="+c.Token)
}

// formClientAt begins at the page that has the form.
func formClientAt(t *testing.T, base, path, cookie string) *formClient {
	t.Helper()
	f := &formClient{t: t, base: base, cookie: cookie}
	res, html := fetch(t, base+path, "Cookie", f.cookie)
	for _, k := range res.Cookies() {
		f.cookie += "; " + k.Name + "=" + k.Value
	}
	_, rest, _ := strings.Cut(html, `name="csrf" value="`)
	f.token, _, _ = strings.Cut(rest, `"`)
	return f
}

func (f *formClient) post(path string, body io.Reader, headers ...string) (int, string) {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.base+path, body)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Cookie", f.cookie)
	req.Header.Set("X-Requested-With", "fetch")
	req.Header.Set("Content-Type", "application/octet-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		f.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func (f *formClient) form(path string, pairs ...string) (int, string) {
	f.t.Helper()
	v := url.Values{"csrf": {f.token}}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return f.post(path, strings.NewReader(v.Encode()), "Content-Type", "application/x-www-form-urlencoded")
}

// TestPiecesAreGuarded sends pieces that come from elsewhere, or do not fit.
func TestPiecesAreGuarded(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	f := newFormClient(t, c)
	at := "/app/documents/" + c.Post(t, "/documents", apptest.Map{"title": "Draft"}).Want(t, 201).Text(t, "id")
	status, answer := f.form(at+"/uploads", "name", "a.pdf", "size", "10")
	if status != http.StatusCreated {
		t.Fatal(status, answer)
	}
	_, rest, _ := strings.Cut(answer, `"id":"`)
	upload := at + "/uploads/" + rest[:26]
	other := newFormClient(t, s.Company(t))
	viewer := newFormClient(t, c.Member(t, account.RoleViewer))
	viewer.token = f.token
	for _, x := range []struct {
		what, path string
		as         *formClient
		headers    []string
		want       int
	}{
		{"no token", upload + "?offset=0", f, nil, 403},
		{"another site", upload + "?offset=0", f, []string{"X-CSRF-Token", f.token, "Sec-Fetch-Site", "cross-site"}, 403},
		{"no offset", upload, f, []string{"X-CSRF-Token", f.token}, 400},
		{"a gap", upload + "?offset=5", f, []string{"X-CSRF-Token", f.token}, 409},
		{"another company", upload + "?offset=0", other, []string{"X-CSRF-Token", other.token}, 404},
		{"nobody", upload + "?offset=0", &formClient{t: t, base: s.URL}, nil, 401},
		{"five bytes", upload + "?offset=0", f, []string{"X-CSRF-Token", f.token}, 200},
		{"the same again", upload + "?offset=0", f, []string{"X-CSRF-Token", f.token}, 409},
	} {
		status, answer := x.as.post(x.path, strings.NewReader("hello"), x.headers...)
		if status != x.want {
			t.Errorf("%s: %d, want %d: %s", x.what, status, x.want, answer)
		}
		if x.what == "the same again" && !strings.Contains(answer, `"received":5`) {
			t.Errorf("%s does not say where to go on: %s", x.what, answer)
		}
	}
	if status, answer := f.form(at+"/uploads", "name", "huge.pdf", "size", strconv.Itoa(1<<50)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a file that is too large: %d %s", status, answer)
	}
	if res, _ := fetch(t, s.URL+"/app/documents/new", "Cookie", viewer.cookie); res.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer can begin a document: %d", res.StatusCode)
	}
}
