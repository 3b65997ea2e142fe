package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/signing/record"
)

func TestDocs(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for path, want := range map[string]string{"/docs/api/signInvitationAlias?lang=go": "/docs/api/signInvitation?lang=go"} {
		if res, _ := fetch(t, s.URL+path); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != want {
			t.Errorf("%s answers %d to %q", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	for _, op := range operations(t, s) {
		id := op.id
		res, page := fetch(t, s.URL+"/docs/api/"+id)
		if res.StatusCode != http.StatusOK || strings.Count(page, "<h1") != 1 || !strings.Contains(page, `id="`+id+`"`) {
			t.Errorf("%s: %d", id, res.StatusCode)
		}
	}
	pages := map[string][]string{} // anchors that links lead to, by page
	res, whole := fetch(t, s.URL+"/docs/all")
	for _, op := range operations(t, s) {
		id := op.id
		if !strings.Contains(whole, `<section class="operation" id="`+id+`"`) {
			t.Errorf("the long page lacks %s", id)
		}
	}
	if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || len(res.Cookies()) > 0 || regexp.MustCompile(`<[^>]*\s(on[a-z]+|style)=|csrf`).MatchString(sampleCode.ReplaceAllString(whole, "")) {
		t.Errorf("the page has what it should not: %q, %v", csp, res.Cookies())
	}
	links := regexp.MustCompile(`href="(/docs/[^"?]*)`)
	for _, from := range []string{"/docs", "/docs/operating", "/docs/integrating", "/docs/promises", "/docs/performance", "/docs/api", "/docs/guide", "/docs/errors", "/docs/records", "/docs/api/createDocument", "/docs/webhooks"} {
		_, page := fetch(t, s.URL+from)
		for _, m := range links.FindAllStringSubmatch(page, -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			pages[path] = append(pages[path], anchor)
		}
	}
	for path, anchors := range pages {
		res, page := fetch(t, s.URL+path)
		if res.StatusCode != http.StatusOK {
			t.Errorf("a link leads to %s: %d", path, res.StatusCode)
		}
		for _, anchor := range anchors {
			if anchor != "" && !strings.Contains(page, `id="`+anchor+`"`) {
				t.Errorf("a link leads to %s#%s, which does not exist", path, anchor)
			}
		}
	}
	_, served := fetch(t, s.URL+"/openapi.json")
	if _, same := fetch(t, s.URL+"/docs/openapi.json"); same != served {
		t.Error("/docs/openapi.json is another document")
	}
	for _, path := range []string{"/docs/api/get-nothing", "/docs/records/nothing"} {
		if res, _ := fetch(t, s.URL+path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s does not exist, but is found: %d", path, res.StatusCode)
		}
	}
}

// TestManuals reads each manual as a page: the same text as its file, with links between the pages.
func TestManuals(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	res, list := fetch(t, s.URL+"/docs")
	if csp := res.Header.Get("Content-Security-Policy"); res.StatusCode != http.StatusOK || !strings.HasPrefix(csp, "default-src 'none'") {
		t.Errorf("/docs: %d, %q", res.StatusCode, csp)
	}
	files, err := filepath.Glob("manual/*.md")
	if err != nil || len(files) < 4 {
		t.Fatalf("the manuals are %v: %v", files, err)
	}
	for _, file := range files {
		path := "/docs/" + strings.TrimSuffix(filepath.Base(file), ".md")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
		_, page := fetch(t, s.URL+path)
		if !strings.Contains(list, `href="`+path+`"`) || strings.Count(page, "<h1") != 1 || !strings.Contains(page, ">"+title+"</h1>") {
			t.Errorf("%s isn't listed, or isn't titled %q", path, title)
		}
		if n, want := strings.Count(page, "<h2"), strings.Count(string(source), "\n## "); n != want {
			t.Errorf("%s has %d sections, and its file %d", path, n, want)
		}
		if n, want := strings.Count(page, "<pre"), strings.Count(string(source), "\n```")/2; n != want {
			t.Errorf("%s has %d blocks of code, and its file %d", path, n, want)
		}
		if strings.Contains(page, ".md") || strings.Contains(page, "<th></th>") {
			t.Errorf("%s links to files, or has an empty header", path)
		}
	}
}

// TestReadmeLinks follows the links of the README to the files of the repository.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\]\(([^):#]+)`).FindAllStringSubmatch(string(readme), -1)
	if len(found) < 6 {
		t.Fatalf("%d links", len(found))
	}
	for _, m := range found {
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Error(err)
		}
	}
}

// TestDocsFind finds operations without a script.
func TestDocsFind(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for query, want := range map[string]int{"audit+trail+hash": 1, "POST+%2Ftokens": 1, "zebra": 0, "%3Cscript%3E": 0} {
		_, page := fetch(t, s.URL+"/docs/api?q="+query)
		if got := strings.Count(page, `<section class="operation"`); got != want || strings.Contains(page, "<script>") {
			t.Errorf("%s finds %d, want %d", query, got, want)
		}
	}
}

// TestErrorsAreListed finds codes that the API refuses with on the page about them, each once.
func TestErrorsAreListed(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	_, page := fetch(t, s.URL+"/docs/errors")
	for _, code := range []string{"document_not_draft", "token_missing", "required", "not_found"} {
		if strings.Count(page, `<dt id="`+code+`">`) != 1 {
			t.Errorf("%s is not listed once", code)
		}
	}
	if !strings.Contains(page, "The body is larger than the limit of ‹limit› bytes.") || strings.Contains(page, "verdict") {
		t.Error("the sentences are not those of the errors")
	}
}

// TestDocsAreKept revalidates a cached page as browsers do.
func TestDocsAreKept(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	res, plain := fetch(t, s.URL+"/docs/api")
	again, body := fetch(t, s.URL+"/docs/api", "If-None-Match", res.Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("the same page again: %d", again.StatusCode)
	}
	for _, path := range []string{"/docs/api", "/docs/all", "/docs/guide", "/docs/errors", "/docs/records", "/docs/api?q=send", "/docs/webhooks"} {
		_, plain := fetch(t, s.URL+path)
		small, body := fetch(t, s.URL+path, "Accept-Encoding", "gzip")
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil || small.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed: %v", path, err)
			continue
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != plain {
			t.Errorf("%s is another page when compressed: %v", path, err)
		}
	}
	for host, want := range map[string]string{"sign.example.org": "http://sign.example.org/documents", `a";rm -rf`: "http://localhost:8080/documents"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/docs/api", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			continue // this host can't be sent at all
		}
		b, err := io.ReadAll(res.Body)
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || res.StatusCode == 200 && (!bytes.Contains(b, []byte(want)) || string(b) == plain) {
			t.Errorf("asked as %s the samples do not name %s", host, want)
		}
	}
}

// TestEventsAreDocumented compares the types of events on the page with those that
// are recorded.
func TestEventsAreDocumented(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	_, page := fetch(t, s.URL+"/docs/webhooks")
	var documented []string
	for _, m := range regexp.MustCompile(`<code>((?:document|template|file|field|invitation)\.[a-z_]+)</code>`).FindAllStringSubmatch(page, -1) {
		documented = append(documented, m[1])
	}
	slices.Sort(documented)
	if got, want := slices.Compact(documented), slices.Sorted(slices.Values(record.EventNames())); !slices.Equal(got, want) {
		t.Errorf("the page documents %v, recorded are %v", got, want)
	}
}

// TestDocsInEveryLook checks the pages for accessibility, and views them on a
// phone without scripts.
func TestDocsInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	pages := map[string]func(w *window){}
	for _, path := range []string{"/docs", "/docs/operating", "/docs/promises", "/docs/api/createDocument", "/docs/api/replaceFields?lang=php", "/docs/webhooks", "/docs/api?q=remind", "/docs/api", "/docs/guide", "/docs/records/document"} {
		pages[path] = func(w *window) {
			w.visit(s.URL + path)
			w.see(".copy, .members, .guide, .manual")
			if path != "/docs/api" { // the contents, which all share, are judged as a whole on one page
				w.js(`for (const list of document.querySelectorAll(".docs-menu ul")) list.replaceChildren(list.firstElementChild)`)
			}
		}
	}
	inEveryLook(t, pages)
	t.Run("the long page", func(t *testing.T) {
		w := open(t, look{width: 320, height: 640, plain: true})
		w.visit(s.URL + "/docs/all")
		w.see("h1")
		if !get(w, chromedp.Evaluate[bool](`document.documentElement.scrollWidth <= innerWidth`)) {
			t.Error("it has to be moved sideways")
		}
	})
}

// TestDocsWithoutScripts changes the language of a sample and finds an operation.
func TestDocsWithoutScripts(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := guest(t, s)
	w.Visit(s.URL + "/docs/api/createDocument")
	w.Click(`.languages a[href*="lang=python"]`)
	if got := w.Read(".samples pre"); !strings.Contains(got, "requests.post(") {
		t.Errorf("the sample in Python is %q", got)
	}
	w.Write("#q", "audit trail")
	w.Click("form:has(#q) button")
	w.Heading("audit trail")
	w.See(`#listDocumentEvents`)
}

// TestDocsContentsFold opens the contents on a phone without scripts, and follows an entry. On a wide
// screen they stand open.
func TestDocsContentsFold(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	const entry = `.docs-menu a[href="/docs/api/sendDocument"]`
	seen := fmt.Sprintf(`document.querySelector(%q).checkVisibility({contentVisibilityAuto: true})`, entry)
	w := open(t, look{width: 360, height: 740, plain: true})
	w.visit(s.URL + "/docs/api/createDocument")
	if get(w, chromedp.Evaluate[bool](seen)) {
		t.Error("the contents stand open above the page")
	}
	w.click(".docs-menu > summary")
	w.click(entry)
	w.heading("Send a document for signing")
	w.run(chromedp.EmulateViewport(1200, 900))
	w.visit(s.URL + "/docs/api/createDocument")
	if !get(w, chromedp.Evaluate[bool](seen)) {
		t.Error("beside the page the contents are folded")
	}
	w.click(entry)
	w.heading("Send a document for signing")
}

// TestDocsScript narrows the list and copies a sample.
func TestDocsScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := open(t, look{})
	w.visit(s.URL + "/docs/api/sendDocument")
	w.see(".copy")
	w.write("#q", "revoke an api")
	w.until(`[...document.querySelectorAll(".docs-nav li")].filter(e => e.checkVisibility()).length === 1`)
	w.write("#q", "zebra")
	w.see("#none")
	w.run(chromedp.Evaluate[chromedp.Void](`window.copied = ""; navigator.clipboard.writeText = async (text) => { window.copied = text }`))
	w.click(".samples .copy")
	w.until(`window.copied.startsWith("curl \"http") && document.querySelector(".samples .copy").textContent === "Copied"`)
}
