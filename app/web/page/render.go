package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/words"
)

// Page is the data of every template. Handlers set Title, Data and any other
// fields they need; Render sets the rest.
type Page struct {
	Title   string
	Lead    string // a line under the title, for templates that show one
	Data    any
	Styles  template.CSS // only for this page, such as the positions of its fields
	Scripts []string     // modules, by their static file names
	Refresh int          // seconds after which the page reloads; 0 means never
	Zone    *time.Location
	Notice  *Notice
	Back    string // path of the header's link back, "" for none
	// Public marks a page that is the same for everybody: it has no form and nothing
	// from a session.
	Public bool

	// For a form that was refused:
	Values Form                // submitted values
	Faults map[string][]string // messages by field
	Fault  string              // message about the form as a whole

	Shell     *shell   // frame of a team page
	Languages []Option // to choose from
	Lang, Dir string
	Theme     string
	TextSize  string // large, larger, or ""
	Nonce     string
	CSRF      string
	Path      string
	Whole     bool // the reader can reach all of the site, not only the signatories' pages
}

// value returns the submitted value of a field, or known if there is none.
func (p *Page) value(name, known string) string {
	if p.Values.Has(name) {
		return p.Values.Value(name)
	}
	return known
}

func (p *Page) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// when formats a time as a time element.
func when(l *words.Language, t time.Time) template.HTML {
	text := template.HTMLEscapeString(l.Moment(t))
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339), text))
}

// Render responds with a page. It executes the whole template before sending anything.
func (r *Request) Render(status int, name string, p Page) error {
	if !p.Public {
		p.CSRF, p.Shell = r.formToken(), r.Shell
		if p.Shell == nil {
			p.Languages = r.languages()
		}
		if flash := r.takeFlash(); p.Notice == nil {
			p.Notice = flash
		}
	}
	if p.Zone == nil && p.Shell != nil {
		p.Zone = p.Shell.Zone()
	}
	out, err := r.Compose(name, &p)
	if err != nil {
		r.site.Log.Error("page not rendered", "page", name, "request_id", r.RequestID(), "error", err)
		r.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
		return r.Status(http.StatusInternalServerError).SendString(r.Say("error.500.text") + " " + r.RequestID())
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	r.Set(fiber.HeaderContentLanguage, p.Lang)
	return r.sendPage(status, out, p.Public)
}

// Compose returns the HTML of a page.
func (r *Request) Compose(name string, p *Page) ([]byte, error) {
	set, err := r.site.Parts.pages.in(r.Words)
	if err != nil {
		return nil, err
	}
	p.Lang, p.Dir, p.Nonce, p.Path = r.Words.Tag(), r.Words.Dir(), r.nonce, r.Path()
	p.Theme, p.TextSize = r.Theme(), r.textSize()
	p.Whole = !httpkit.OnlySignatories(r.Ctx)
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, "page/"+name, *p); err != nil {
		return nil, err
	}
	return r.site.Kit.OutsideHTML(out.Bytes()), nil
}

// Fragment responds with a part of a page, which a script inserts.
func (r *Request) Fragment(part string, data any) error {
	set, err := r.site.Parts.pages.in(r.Words)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, part, data); err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.Send(r.site.Kit.OutsideHTML(out.Bytes()))
}

// Again shows a form with the submitted values and their errors. Errors that are
// not about the form's content are returned.
func (r *Request) Again(err error, name string, p Page) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.KindInvalid && e.Kind != fault.KindConflict && e.Kind != fault.KindThrottled {
		return err
	}
	f := r.FailureOf(err)
	p.Values, p.Faults = r.Form, f.Faults
	if len(e.Fields) == 0 {
		p.Fault = r.Explain(f)
	}
	if f.Wait > 0 {
		r.Set(fiber.HeaderRetryAfter, fmt.Sprint(f.Wait))
	}
	return r.Render(f.Status, name, p)
}
