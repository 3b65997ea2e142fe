// Package manual serves the manuals for those who run an installation and those who build on
// it. They are the Markdown files of this folder, which the README links to.
package manual

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"paraph/app/web/page"
)

//go:embed *.md
var files embed.FS

// Names are the names of the manuals, in reading order.
var Names = []string{"operating", "integrating", "promises", "performance"}

// chapter is one manual, ready to be shown.
type chapter struct {
	Path     string
	Title    string
	Lead     string // its first paragraph
	Body     template.HTML
	Sections []section
}

// section is a heading of the second level.
type section struct{ ID, Title string }

// chapters returns all manuals. They are rendered when one is first requested.
var chapters = sync.OnceValues(func() ([]chapter, error) {
	var all []chapter
	for _, name := range Names {
		source, err := files.ReadFile(name + ".md")
		if err != nil {
			return nil, err
		}
		c, err := render(name, source)
		if err != nil {
			return nil, fmt.Errorf("manual %s: %w", name, err)
		}
		all = append(all, c)
	}
	return all, nil
})

const manualTemplate page.Template[manualPage] = "manual"

// manualPage is a page with one manual, or with the list of all.
type manualPage struct {
	Chapters []chapter
	Chapter  *chapter // nil for the list
}

// Link returns the address of another page of the documentation.
func (manualPage) Link(path string) string { return path }

// Area names the part of the documentation that the page belongs to.
func (manualPage) Area() string { return "manual" }

// ShowList serves the list of the manuals.
func ShowList(r *page.Request) error {
	all, err := chapters()
	if err != nil {
		return err
	}
	return show(r, r.Say("docs.manual"), manualPage{Chapters: all})
}

// ShowOne returns the handler of one manual.
func ShowOne(name string) page.Handler {
	return func(r *page.Request) error {
		all, err := chapters()
		if err != nil {
			return err
		}
		for i := range all {
			if all[i].Path == path(name) {
				return show(r, all[i].Title, manualPage{Chapters: all, Chapter: &all[i]})
			}
		}
		return fmt.Errorf("no manual %s", name)
	}
}

func show(r *page.Request, title string, data manualPage) error {
	return manualTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: title, Public: true}, data))
}

func path(name string) string { return "/docs/" + name }

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(linker{}, 500))),
)

// linker leads links between the files of the manual to their pages.
type linker struct{}

func (linker) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	for n := range nodes(document) {
		if link, ok := n.(*ast.Link); ok {
			if name, anchor, found := strings.Cut(string(link.Destination), ".md"); found && !strings.Contains(name, "/") {
				link.Destination = []byte(path(name) + anchor)
			}
		}
	}
}

// nodes walks a document.
func nodes(document ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker never fails
			if entering && !yield(n) {
				return ast.WalkStop, nil
			}
			return ast.WalkContinue, nil
		})
	}
}

// finish adapts the HTML to our pages: a table without a header has none, and blocks of code
// can be scrolled with the keyboard.
var finish = strings.NewReplacer(
	"<thead>\n<tr>\n<th></th>\n<th></th>\n</tr>\n</thead>\n", "",
	"<pre>", `<pre tabindex="0">`,
)

func render(name string, source []byte) (chapter, error) {
	c := chapter{Path: path(name)}
	document := markdown.Parser().Parse(text.NewReader(source))
	for n := range nodes(document) {
		switch n := n.(type) {
		case *ast.Heading:
			title := plain(n, source)
			if n.Level == 1 {
				c.Title = title
			} else if id, ok := n.AttributeString("id"); ok && n.Level == 2 {
				c.Sections = append(c.Sections, section{string(id.([]byte)), title})
			}
		case *ast.Paragraph:
			if c.Lead == "" {
				c.Lead = plain(n, source)
			}
		}
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		return c, err
	}
	c.Body = template.HTML(finish.Replace(out.String()))
	return c, nil
}

// plain returns the text of a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for n := range nodes(n) {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}
