// Package apidoc serves the pages about the API and its webhooks. It depends
// only on the OpenAPI document.
package apidoc

import (
	_ "embed" // the dashboard
	"net/http"
	"regexp"
	"slices"
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
	guideTemplate     page.Template[docsPage] = "docs-guide"
	recordsTemplate   page.Template[docsPage] = "docs-records"
	wholeTemplate     page.Template[docsPage] = "docs-all"
	operationTemplate page.Template[docsPage] = "docs-operation"
	errorsTemplate    page.Template[docsPage] = "docs-errors"
	eventsTemplate    page.Template[docsPage] = "docs-events"
)

// Handlers serves the API documentation. A page depends on the reader's language
// and theme, the language of the samples and the address of the server; each
// variant is built once and cached compressed.
type Handlers struct {
	read    func() (*manual, error)
	raw     func() ([]byte, error)
	english Sentences

	mu   sync.Mutex
	kept map[string]keptPage
	size int
}

// New returns the handlers for an OpenAPI document, which is read when a page
// is first requested. states names the states of a document in the order of their numbers; english
// has the sentences of errors, which the API speaks in that language.
func New(raw func() ([]byte, error), states []string, english Sentences) *Handlers {
	x := &Handlers{raw: raw, english: english, kept: map[string]keptPage{}}
	x.read = sync.OnceValues(func() (*manual, error) {
		b, err := raw()
		if err != nil {
			return nil, err
		}
		return newManual(b, states)
	})
	return x
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

// ShowStart serves the first page: the steps to a signed document and the list of
// operations. With a query it shows the operations that match.
func (x *Handlers) ShowStart(r *page.Request) error {
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

// ShowAll serves the whole reference as one page, for the browser's own search and for printing.
func (x *Handlers) ShowAll(r *page.Request) error {
	return x.show(r, wholeTemplate, "docs.title")
}

// ShowGuide serves what all operations have in common.
func (x *Handlers) ShowGuide(r *page.Request) error {
	return x.show(r, guideTemplate, "docs.guide")
}

// ShowRecords serves the list of records that responses are made of.
func (x *Handlers) ShowRecords(r *page.Request) error {
	return x.show(r, recordsTemplate, "docs.records")
}

// ShowErrors serves the list of the codes of errors, with their sentences.
func (x *Handlers) ShowErrors(r *page.Request) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	data.Codes = errorCodes(x.english)
	return x.send(r, errorsTemplate, r.Say("docs.codes"), data)
}

// ShowRecord serves the members of one record.
func (x *Handlers) ShowRecord(r *page.Request) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(data.Records, func(f manualField) bool { return slug(f.Name) == r.Params("record") })
	if i < 0 {
		return fault.NotFound("page")
	}
	data.Record = &data.Records[i]
	return x.send(r, recordsTemplate, r.Say("docs.operation.title", "summary", data.Record.Name), data)
}

func (x *Handlers) show(r *page.Request, t page.Template[docsPage], title string) error {
	data, err := x.page(r)
	if err != nil {
		return err
	}
	return x.send(r, t, r.Say(title), data)
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
	return x.show(r, eventsTemplate, "docs.events.title")
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
