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

// Page is the frame of a page: what every template shows around its own data.
// Handlers set Title and any other fields they need; Render sets the rest.
type Page struct {
	Title   string
	Lead    string       // a line under the title, for templates that show one
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
	now       time.Time
	Whole     bool // the reader can reach all of the site, not only the signatories' pages
}

// View is the data of a template: the frame, and the data of the page itself.
type View[T any] struct {
	Page
	Data T
}

// With returns the view of a page.
func With[T any](p Page, data T) View[T] { return View[T]{p, data} }

// Bare is the data of pages that show nothing but their frame.
type Bare struct{}

// Template is the name of a file in templates/pages, without its extension, with the
// type of the data it shows.
type Template[T any] string

// Framed is every View, whatever its data. Template functions take it to reach the
// frame.
type Framed interface{ Frame() Page }

// Frame returns the page without its own data.
func (p Page) Frame() Page { return p }

// value returns the submitted value of a field, or known if there is none.
func (p *Page) value(name, known string) string {
	if p.Values.Has(name) {
		return p.Values.Value(name)
	}
	return known
}

func (p Page) zone() *time.Location {
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

// ago formats a time relative to now as a time element, with the exact time as a tooltip.
func ago(l *words.Language, t, now time.Time) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s" data-ago>%s</time>`, t.UTC().Format(time.RFC3339),
		template.HTMLEscapeString(l.Moment(t)), template.HTMLEscapeString(l.Ago(t, now))))
}

// Ago formats a time relative to now in the reader's zone, as the function "ago" of templates.
func Ago(r *Request, t, now time.Time) template.HTML { return ago(r.Words, t.In(r.Who.Zone()), now) }

// Render responds with a page. It executes the whole template before sending anything.
func (t Template[T]) Render(r *Request, status int, v View[T]) error {
	if r.lastPage != "" && status == http.StatusOK {
		return r.SeeOther(r.lastPage)
	}
	r.prepare(&v.Page)
	out, err := t.Compose(r, v)
	if err != nil {
		r.site.Log.Error("page not rendered", "page", string(t), "request_id", r.RequestID(), "error", err)
		r.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
		return r.Status(http.StatusInternalServerError).SendString(r.Say("error.500.text") + " " + r.RequestID())
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	r.Set(fiber.HeaderContentLanguage, r.Words.Tag())
	return r.sendPage(status, out, v.Public)
}

// prepare sets what a page shows of the session, and its time zone.
func (r *Request) prepare(p *Page) {
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
}

// Compose returns the HTML of a page.
func (t Template[T]) Compose(r *Request, v View[T]) ([]byte, error) {
	v.Lang, v.Dir, v.Nonce, v.Path = r.Words.Tag(), r.Words.Dir(), r.nonce, r.Path()
	v.Theme, v.TextSize, v.now = r.Theme(), r.textSize(), r.site.Now()
	v.Whole = !httpkit.OnlySignatories(r.Ctx)
	return execute(r, "page/"+string(t), v)
}

// Again shows a form with the submitted values and their errors. Errors that are
// not about the form's content are returned.
func (t Template[T]) Again(r *Request, err error, v View[T]) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.KindInvalid && e.Kind != fault.KindConflict && e.Kind != fault.KindThrottled {
		return err
	}
	f := r.FailureOf(err)
	v.Values, v.Faults = r.Form, f.Faults
	if len(e.Fields) == 0 {
		v.Fault = r.Explain(f)
	}
	if f.Wait > 0 {
		r.Set(fiber.HeaderRetryAfter, fmt.Sprint(f.Wait))
	}
	return t.Render(r, f.Status, v)
}

// Fragment is the name of a template in templates/parts that is also sent on its own,
// for a script to insert, with the type of its data.
type Fragment[T any] string

// Send responds with a part of a page.
func (f Fragment[T]) Send(r *Request, data T) error {
	out, err := execute(r, string(f), data)
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.Ctx.Send(out)
}

// execute returns the HTML of a template in the language of the request.
func execute[T any](r *Request, name string, data T) ([]byte, error) {
	set, err := r.site.Parts.pages.in(r.Words)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, name, data); err != nil {
		return nil, err
	}
	return r.site.Kit.OutsideHTML(out.Bytes()), nil
}
