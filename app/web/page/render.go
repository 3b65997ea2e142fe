package page

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
)

// Page is what every page is made of. A handler fills Title, Data and what else
// it needs; render fills the rest.
type Page struct {
	Title   string
	Lead    string // a line under the title, for templates that show one
	Data    any
	Styles  template.CSS // of this page alone, such as the places of its fields
	Scripts []string     // modules, by their static file names
	Refresh int          // seconds after which the page loads itself anew, 0 never
	Zone    *time.Location
	Notice  *Notice
	Back    string // path of the page that the header leads back to, "" for none
	// Public says that the page is the same for everybody: it has no form of ours
	// and nothing of a session. It goes compressed, which would give away secrets
	// of a page that shows what others put into its address (BREACH).
	Public bool
	// Packed says that the page goes compressed although it has a form: nothing in
	// its address is shown on it, so that nobody can find out its secrets by size.
	Packed bool

	// Of a form that was sent and not accepted:
	Values Form                // what was sent
	Faults map[string][]string // messages by field
	Fault  string              // a sentence that belongs to no field

	Shell     *shell   // around a page of the team
	Languages []Option // to choose from
	Lang, Dir string
	Theme     string
	TextSize  string // large, larger, or ""
	Nonce     string
	CSRF      string
	Path      string
}

// value is what was sent in a field, else what is known.
func (p *Page) value(name, known string) string {
	if p.Values.Has(name) {
		return p.Values.Value(name)
	}
	return known
}

// pages are the templates: one set for each language, which is made when somebody
// first reads it. Most installations speak two or three of them.
type pages struct {
	books   *books
	assets  *assets
	sources []source
	more    template.FuncMap // of the packages that have pages

	mu   sync.Mutex
	sets map[*Words]*template.Template
}

// source is the text of one template.
type source struct{ name, text string }

// loadPages reads all templates, and makes those of the first language: what is
// wrong with one of them is wrong in every language.
func loadPages(files fs.FS, b *books, a *assets, more template.FuncMap) (*pages, error) {
	sources, err := readTemplates(files)
	if err != nil {
		return nil, err
	}
	p := &pages{books: b, assets: a, more: more, sources: sources, sets: map[*Words]*template.Template{}}
	_, err = p.in(b.all[0])
	return p, err
}

// overridden are the parts of the layout that a page may define for itself.
var overridden = []string{"main", "header", "sheets"}

// readTemplates reads the components, and for every page a layout of its own
// name. All are in one set: a set for each page would hold every component as
// often as there are pages.
func readTemplates(from fs.FS) ([]source, error) {
	layout, err := fs.ReadFile(from, "templates/layout.html")
	if err != nil {
		return nil, err
	}
	var all []source
	for _, folder := range []string{"parts", "pages"} {
		files, err := fs.Glob(from, "templates/"+folder+"/*.html")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			raw, err := fs.ReadFile(from, file)
			if err != nil {
				return nil, err
			}
			text, name := string(raw), strings.TrimSuffix(path.Base(file), ".html")
			if folder == "pages" {
				own := string(layout)
				for _, part := range overridden {
					define := `{{define "` + part + `"}}`
					if strings.Contains(text, define) {
						text = strings.ReplaceAll(text, define, `{{define "`+name+"/"+part+`"}}`)
						own = strings.ReplaceAll(own, `{{template "`+part+`" .}}`, `{{template "`+name+"/"+part+`" .}}`)
					}
				}
				all = append(all, source{"page/" + name, own})
			}
			all = append(all, source{file, text})
		}
	}
	return all, nil
}

// in gives the templates in a language.
func (p *pages) in(w *Words) (*template.Template, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if set := p.sets[w]; set != nil {
		return set, nil
	}
	set := template.New("").Funcs(functions(w, p.assets)).Funcs(p.more).Option("missingkey=error")
	for _, s := range p.sources {
		if _, err := set.New(s.name).Parse(s.text); err != nil {
			return nil, err
		}
	}
	p.sets[w] = set
	return set, nil
}

// onPage is what a part of a page shows that needs to know the page as well.
type onPage struct {
	Page  Page
	Value any
}

// functions are what a template can call.
func functions(w *Words, a *assets) template.FuncMap {
	f := template.FuncMap{
		"t": w.Say, "words": w.under, "asset": a.address, "icon": icon, "bytes": BytesInWords,
		"day":  func(t time.Time) string { return w.Date(t) },
		"when": func(p Page, t time.Time) template.HTML { return w.when(t.In(p.zone())) },
		"on":   func(p Page, v any) onPage { return onPage{p, v} },
		"join": strings.Join, "list": func(s ...string) []string { return s },
		"fieldid": idOf, "letter": LetterOf, "hue": HueOf,
		"status": w.StatusChip, "telephone": telephone,
		"add":        func(a, b int) int { return a + b },
		"zones":      zones,
		"keys":       w.keys,
		"paragraphs": func(s string) []string { return strings.Split(s, "\n\n") },
	}
	for name, fn := range components {
		f[name] = fn
	}
	return f
}

func (p *Page) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// when is a time for people and for programs.
func (w *Words) when(t time.Time) template.HTML {
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339), template.HTMLEscapeString(w.Moment(t))))
}

// BytesInWords is a size in the units of the configuration: 500 MB are 500,000,000
// bytes.
func BytesInWords(n int64) string {
	switch {
	case n >= 1e6:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + " MB"
	case n >= 1e3:
		return fmt.Sprintf("%d KB", (n+999)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// Render answers with a page. It is made whole before anything is sent, so that
// half a page is never seen.
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
		r.site.Log.Error("page not made", "page", name, "request_id", r.RequestID(), "error", err)
		r.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
		return r.Status(http.StatusInternalServerError).SendString(r.Say("error.500.text") + " " + r.RequestID())
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	r.Set(fiber.HeaderContentLanguage, p.Lang)
	if (p.Public || p.Packed) && len(out) > 1<<10 {
		r.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
		if AcceptsGzip(r.Ctx) {
			r.Set(fiber.HeaderContentEncoding, "gzip")
			if out, err = Compress(out); err != nil {
				return err
			}
		}
	}
	return r.Status(status).Send(out)
}

// Compose makes the HTML of a page.
func (r *Request) Compose(name string, p *Page) ([]byte, error) {
	set, err := r.site.pages.in(r.Words)
	if err != nil {
		return nil, err
	}
	p.Lang, p.Dir, p.Nonce, p.Path, p.Theme, p.TextSize = r.Words.Tag(), r.Words.Dir(), r.nonce, r.Path(), r.Theme(), r.textSize()
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, "page/"+name, *p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Fragment answers with a part of a page, for a script that puts it into one.
func (r *Request) Fragment(part string, data any) error {
	set, err := r.site.pages.in(r.Words)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := set.ExecuteTemplate(&out, part, data); err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.Send(out.Bytes())
}

// Again shows the page of a form with what was wrong with it and with what was
// sent. An error that is not about the form's content is given back.
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

// telephone is a number as programs dial it (RFC 3966).
func telephone(number string) template.URL {
	return template.URL("tel:" + strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c == '+' {
			return c
		}
		return -1
	}, number))
}
