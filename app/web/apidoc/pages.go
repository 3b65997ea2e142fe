// Package apidoc serves the pages about the API and its webhooks. It depends
// only on the OpenAPI document.
package apidoc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the dashboard
	"encoding/hex"
	"html/template"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	docsTemplate      page.Template[docsPage] = "docs"
	operationTemplate page.Template[docsPage] = "docs-operation"
	eventsTemplate    page.Template[docsPage] = "docs-events"
)

// Handlers serves the API documentation. A page depends on the reader's language
// and theme, the language of the samples and the address of the server; each
// variant is built once and cached compressed.
type Handlers struct {
	read func() (*manual, error)
	raw  func() ([]byte, error)

	mu   sync.Mutex
	kept map[string]keptPage
	size int
}

type keptPage struct {
	etag  string
	small []byte // compressed
}

// keptBytes bounds the cache: addresses come from requests, so their number is
// unlimited.
const keptBytes = 16 << 20

// New returns the handlers for an OpenAPI document, which is read when a page
// is first requested. events are the types that webhooks are sent for.
func New(raw func() ([]byte, error), events []string) *Handlers {
	x := &Handlers{raw: raw, kept: map[string]keptPage{}}
	x.read = sync.OnceValues(func() (*manual, error) {
		b, err := raw()
		if err != nil {
			return nil, err
		}
		return newManual(b, events)
	})
	return x
}

// docsPage is a page about the API.
type docsPage struct {
	*manual
	Found     []manualGroup // shown in the middle of the page
	Op        *operationView
	Query     string
	Language  sampleLanguage
	Languages []sampleLanguage
	Base      string
	Here      string // path of this page
}

// docsItem is one operation on such a page.
type docsItem struct {
	docsPage
	Op    *operationView
	Alone bool // it is all the page shows
}

// With returns an operation for display on this page.
func (p docsPage) With(op *operationView) docsItem { return docsItem{p, op, p.Op == op} }

// Heading returns a heading for part of an operation at the right level.
func (i docsItem) Heading(text string) template.HTML {
	level := "h4"
	if i.Alone {
		level = "h2"
	}
	return template.HTML("<" + level + ` class="part">` + template.HTMLEscapeString(text) + "</" + level + ">")
}

// Sample returns the operation's sample in the page's language.
func (i docsItem) Sample() string { return i.Language.write(i.Op.call, i.Base) }

// Link returns the address of another page with the same sample language.
func (p docsPage) Link(path string) string { return p.in(p.Language, path) }

func (p docsPage) in(l sampleLanguage, path string) string {
	path, anchor, found := strings.Cut(path, "#")
	if l.ID != sampleLanguages[0].ID {
		path += "?lang=" + l.ID
	}
	if found {
		path += "#" + anchor
	}
	return path
}

// Tab links to the same place with samples in another language.
func (i docsItem) Tab(l sampleLanguage) string {
	if i.Alone {
		return i.in(l, i.Here)
	}
	return i.in(l, "/docs/api#"+i.Op.ID)
}

// firstStep is one step of the quick start.
type firstStep struct{ Key, Code string }

// First returns the quick start as commands.
func (p docsPage) First() []firstStep {
	steps := []firstStep{
		{"token", "EMAIL=you@example.org\nPASSWORD='your password'\n" +
			`TOKEN=$(curl -s "{base}/login" -H 'Content-Type: application/json' \` + "\n" +
			`    -d "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\"}" \` + "\n" +
			`    | sed 's/.*"token":"\([^"]*\)".*/\1/')`},
		{"send", `curl -s "{base}/documents" -H "Authorization: Bearer $TOKEN" \` + "\n" +
			`    -F 'data={"title": "Lease", "send": true,` + "\n" +
			`        "invitations": [{"name": "Ben Buyer", "email": "ben@example.org"}]}' \` + "\n" +
			`    -F file=@contract.pdf > sent.json` + "\n" +
			`DOCUMENT=$(sed 's/^{"id":"\([^"]*\)".*/\1/' sent.json)` + "\n" +
			`BEN=$(sed 's/.*"sign_url":"[^"]*\/s\/\([^"]*\)".*/\1/' sent.json)`},
		{"sign", `INVITATION=$(printf %.26s "$BEN")` + "\n" +
			`curl -s -X POST "{base}/documents/$DOCUMENT/$INVITATION/sign" \` + "\n" +
			`    -H "Authorization: Bearer $BEN" > signed.json`},
		{"download", `curl -s "{base}/documents/$DOCUMENT/download" \` + "\n" +
			`    -H "Authorization: Bearer $TOKEN" -o lease.pdf`},
		{"verify", `curl -s "{base}/verify" -F file=@lease.pdf`},
	}
	for i := range steps {
		steps[i].Code = strings.ReplaceAll(steps[i].Code, "{base}", p.Base)
	}
	return steps
}

func (x *Handlers) page(r *page.Request) (docsPage, error) {
	m, err := x.read()
	if err != nil {
		return docsPage{}, err
	}
	return docsPage{manual: m, Found: m.Groups, Language: languageOf(r.Query("lang")), Languages: sampleLanguages, Base: sampleBase(r), Here: r.Path()}, nil
}

var plainAddress = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]_-]+(/[A-Za-z0-9._/-]*)?$`)

// sampleBase returns the appliance's address, safe to insert into a program.
func sampleBase(r *page.Request) string {
	if site := r.BaseURL(); plainAddress.MatchString(site) {
		return site
	}
	return "http://localhost:8080"
}

// ShowAll serves the whole reference, or the operations that match a search.
func (x *Handlers) ShowAll(r *page.Request) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	data.Query = strings.TrimSpace(r.Query("q"))
	if data.Query == "" {
		return x.send(r, docsTemplate, r.Say("docs.title"), data)
	}
	data.Found = data.find(data.Query)
	return docsTemplate.Render(r, http.StatusOK, publicPage(r.Say("docs.title"), data))
}

// ShowOne serves one operation on its own page.
func (x *Handlers) ShowOne(r *page.Request) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	id := r.Params("operation")
	if to, ok := data.moved[id]; ok {
		return r.SeeOther(data.Link("/docs/api/" + to))
	}
	if data.Op = data.byID[id]; data.Op == nil {
		return fault.NotFound("page")
	}
	return x.send(r, operationTemplate, r.Say("docs.operation.title", "summary", data.Op.Summary), data)
}

// ShowEvents serves the description of the webhooks.
func (x *Handlers) ShowEvents(r *page.Request) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	return x.send(r, eventsTemplate, r.Say("docs.events.title"), data)
}

// Description serves the OpenAPI document itself.
func (x *Handlers) Description(r *page.Request) error {
	b, err := x.raw()
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return r.Send(b)
}

//go:embed grafana.json
var dashboard []byte

// Dashboard serves a dashboard for Grafana that shows the appliance's metrics.
func Dashboard(r *page.Request) error {
	r.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("paraph-grafana.json"))
	return r.Send(dashboard)
}

// publicPage returns a page that is the same for everybody.
func publicPage(title string, data docsPage) page.View[docsPage] {
	return page.With(page.Page{Title: title, Scripts: []string{"docs.js"}, Public: true}, data)
}

// send responds with a cached page.
func (x *Handlers) send(r *page.Request, t page.Template[docsPage], title string, data docsPage) error {
	p := publicPage(title, data)
	k, err := x.keep(strings.Join([]string{string(t), data.Here, data.Language.ID, data.Base, r.Words.Tag(), r.Theme()}, " "), func() ([]byte, error) {
		return t.Compose(r, p)
	})
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderCacheControl, "no-cache")
	r.Set(fiber.HeaderETag, k.etag)
	r.Set(fiber.HeaderVary, "Accept-Encoding, Accept-Language, Cookie")
	if httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), k.etag) {
		return r.Status(http.StatusNotModified).Send(nil)
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	r.Set(fiber.HeaderContentLanguage, r.Words.Tag())
	if page.AcceptsGzip(r.Ctx) {
		r.Set(fiber.HeaderContentEncoding, "gzip")
		return r.Send(k.small)
	}
	z, err := gzip.NewReader(bytes.NewReader(k.small))
	if err != nil {
		return err
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return r.Send(b)
}

// keep returns a cached page, building it if necessary.
func (x *Handlers) keep(key string, build func() ([]byte, error)) (keptPage, error) {
	x.mu.Lock()
	k, ok := x.kept[key]
	x.mu.Unlock()
	if ok {
		return k, nil
	}
	html, err := build()
	if err != nil {
		return k, err
	}
	sum := sha256.Sum256(html)
	k.etag = `"` + hex.EncodeToString(sum[:12]) + `"`
	if k.small, err = page.Compress(html); err != nil {
		return k, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.size += len(k.small); x.size > keptBytes {
		clear(x.kept)
		x.size = len(k.small)
	}
	x.kept[key] = k
	return k, nil
}
