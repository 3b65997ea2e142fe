package signer

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// PagePicture serves a picture of one page in its current state.
func (h *Handlers) PagePicture(v *Visitor) error {
	return SendPicture(v.Request, h.Completion, v.who, v.who.Document)
}

// Typed serves a name in a script face, drawn with the outlines used in the PDF.
func (h *Handlers) Typed(v *Visitor) error {
	return SendTyped(v.Request, h.Fonts, v.Query("text"), v.Query("font"))
}

// SendTyped responds with the SVG of a typed name, of which it draws at most 100
// characters.
func SendTyped(r *page.Request, fonts *text.Fonts, typed, font string) error {
	letters := []rune(strings.TrimSpace(typed))
	name := string(letters[:min(len(letters), 100)])
	path, width, height := fonts.Outline(fonts.TypedIn(font, name), 48, name)
	const margin = 8
	width, height = width+2*margin, height+2*margin
	size := fmt.Sprintf(`viewBox="%d %d %.0f %.0f" width="%.0f" height="%.0f"`, -margin, -margin, width, height, width, height)
	return SendSVG(r, size, Path{`fill="#14285a"`, path})
}

// Download serves the files of the document: as they are while signing is in
// progress, sealed once it is completed.
func (h *Handlers) Download(v *Visitor) error {
	in, ok := map[string]signing.DownloadInput{
		"current": {Version: "current"}, "document": {}, "certificate": {Content: "certificate"}, "all": {Format: "zip"},
	}[v.Params("what")]
	if !ok {
		return fault.NotFound("file")
	}
	d, err := h.Completion.DownloadDocument(v.who, v.who.Document, in)
	if err != nil {
		return err
	}
	return v.Download(d)
}

// DownloadFile serves one of several files to a person who has signed, and to everybody once the
// document is completed.
func (h *Handlers) DownloadFile(v *Visitor) error {
	if v.Document.Status != record.Completed && v.Stage != record.StageSigned {
		return fault.Conflict("document_not_completed")
	}
	d, err := h.Completion.DownloadFile(v.who, v.who.Document, v.Params("file"), "current")
	if err != nil {
		return err
	}
	return v.Download(d)
}

// textPage is the document as text.
type textPage struct {
	visitPage
	Pages []pageText
}

// pageText is one page as text.
type pageText struct {
	ID, Label, Text string
	Fields          []*fieldView
	Others          []otherView
}

// texts returns the text of every page, by file.
func (h *Handlers) texts(v *Visitor) (map[string][]string, error) {
	out := map[string][]string{}
	for i := range v.Document.Files {
		id := v.Document.Files[i].ID
		pages, err := h.Completion.PageTexts(v.UserContext(), v.who, v.who.Document, id)
		if err != nil {
			return nil, err
		}
		out[id] = pages
	}
	return out, nil
}

// ShowText serves the whole document as text, with the values entered so far.
func (h *Handlers) ShowText(v *Visitor) error {
	if v.Stage == record.StageIdentify || v.Stage == record.StageConsent || v.Closed {
		return v.SeeOther(v.base)
	}
	all, err := h.texts(v)
	if err != nil {
		return err
	}
	s, err := h.signPage(v, page.Form{}, nil)
	if err != nil {
		return err
	}
	var pages []pageText
	for i := range s.Sheets {
		x := &s.Sheets[i]
		pages = append(pages, pageText{x.ID, x.Label, all[x.File][x.Number-1], x.Fields, x.Others})
	}
	p := frame(v, v.Say("text.title", "title", v.Document.Title))
	return textTemplate.Render(v.Request, http.StatusOK, page.With(p, textPage{visitPageOf(v), pages}))
}

// ShowDisclosure serves the consent text for reading and printing.
func ShowDisclosure(v *Visitor) error {
	return disclosureTemplate.Render(v.Request, http.StatusOK, plainPage(v, v.Say("disclosure.title")))
}

// Path is a path of an SVG picture.
type Path struct{ Style, D string }

// SendSVG responds with an SVG picture of paths.
func SendSVG(r *page.Request, size string, paths ...Path) error {
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'")
	r.Set(fiber.HeaderContentType, "image/svg+xml")
	r.Set(fiber.HeaderCacheControl, "private, max-age=600")
	fmt.Fprintf(r, `<svg xmlns="http://www.w3.org/2000/svg" %s>`, size)
	for _, p := range paths {
		fmt.Fprintf(r, `<path %s d="%s"/>`, p.Style, template.HTMLEscapeString(p.D))
	}
	_, err := fmt.Fprint(r, `</svg>`)
	return err
}
