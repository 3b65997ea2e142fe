package apidoc

import (
	"html/template"
	"strings"
)

// docsPage is a page about the API.
type docsPage struct {
	*manual
	Found     []manualGroup // shown in the middle of the page
	Op        *operationView
	Record    *manualField
	Codes     []errorCode
	Query     string
	Language  sampleLanguage
	Languages []sampleLanguage
	Base      string
	Here      string // path of this page
}

// Area names the part of the documentation that the page belongs to.
func (p docsPage) Area() string {
	if p.Here == "/docs/webhooks" {
		return "events"
	}
	return "api"
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

// Tab links to the same place with samples in another language; from the results of a
// search, to the operation's own page.
func (i docsItem) Tab(l sampleLanguage) string {
	switch {
	case i.Query != "":
		return i.in(l, "/docs/api/"+i.Op.ID)
	case i.Alone:
		return i.in(l, i.Here)
	}
	return i.in(l, i.Here+"#"+i.Op.ID)
}
