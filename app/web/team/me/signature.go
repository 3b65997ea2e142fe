package me

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/web/page"
	"paraph/app/web/signer"
)

// savedPage is the reader's saved signature and initials.
type savedPage struct {
	meTabs
	Marks []savedView
}

// savedView is the signature or the initials, with the form to change them.
type savedView struct {
	Kind, Title, Text, Src string
	Styles                 []page.Option
}

func (h *Handlers) showSaved(r *page.Request, status int, p page.Page) error {
	saved, err := h.Signing.SavedMarks(r.Who.Call)
	if err != nil {
		return err
	}
	data := savedPage{meTabs: meTabsOf(r)}
	for _, kind := range []string{"signature", "initials"} {
		v := savedView{Kind: kind, Title: r.Say("me.signature." + kind), Text: r.Who.User.Name}
		if kind == "initials" {
			v.Text = signing.Initials(v.Text)
		}
		font := ""
		if m := saved.Mark(kind); m != nil {
			v.Src, font = signer.SavedAddress(kind, m), m.Font
			if m.Text != "" {
				v.Text = m.Text
			}
		}
		for i, face := range h.Fonts.ScriptsFor(v.Text) {
			v.Styles = append(v.Styles, page.Option{Value: face, Label: r.Say("mark.style", "n", i+1), Selected: face == font})
		}
		data.Marks = append(data.Marks, v)
	}
	p.Title, p.Scripts = r.Say("me.signature.title"), []string{"mesignature.js"}
	return signatureTemplate.Render(r, status, page.With(p, data))
}

// SaveMark saves or removes the signature or the initials.
func (h *Handlers) SaveMark(r *page.Request) error {
	kind := r.Form.Value("kind")
	var m *mark.Mark
	if r.Form.Value("do") != "remove" {
		if m = signer.Mark(r, kind, signing.SavedMarks{}); m == nil {
			m = &mark.Mark{Type: signing.MarkTyped}
		}
	}
	if err := h.Signing.SaveMark(r.Who.Call, kind, m); err != nil {
		if fault.KindOf(err) == fault.KindInvalid {
			f := r.FailureOf(err)
			return h.showSaved(r, f.Status, page.Page{Faults: f.Faults, Values: r.Form})
		}
		return err
	}
	r.Flash("ok", map[bool]string{true: "me.signature.removed", false: "me.signature.saved"}[m == nil])
	return r.SeeOther("/app/me/signature")
}

// SavedPicture serves a picture of a saved mark.
func (h *Handlers) SavedPicture(r *page.Request) error {
	saved, err := h.Signing.SavedMarks(r.Who.Call)
	if err != nil {
		return err
	}
	m := saved.Mark(r.Params("kind"))
	if m == nil {
		return fault.NotFound("signature")
	}
	switch {
	case m.Type == signing.MarkTyped:
		return signer.SendTyped(r, h.Fonts, m.Text, m.Font)
	case strings.HasPrefix(m.Data, "["):
		return sendStrokes(r, m)
	}
	data := m.Data[strings.Index(m.Data, ",")+1:]
	picture, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, http.DetectContentType(picture))
	r.Set(fiber.HeaderCacheControl, "private, max-age=600")
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; sandbox")
	return r.Send(picture)
}

// sendStrokes responds with a picture of drawn strokes.
func sendStrokes(r *page.Request, m *mark.Mark) error {
	strokes, err := m.Strokes()
	if err != nil {
		return err
	}
	low, high := text.Point{X: math.Inf(1), Y: math.Inf(1)}, text.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, s := range strokes {
		for _, p := range s {
			low.X, low.Y, high.X, high.Y = min(low.X, p.X), min(low.Y, p.Y), max(high.X, p.X), max(high.Y, p.Y)
		}
	}
	width, height := high.X-low.X, high.Y-low.Y
	pen := max(width, height)/80 + 1
	var paths []signer.Path
	for _, s := range strokes {
		for _, t := range text.Traces(s) {
			var d strings.Builder
			fmt.Fprintf(&d, "M%.1f %.1f", t.Start.X, t.Start.Y)
			for _, c := range t.Curves {
				fmt.Fprintf(&d, "Q%.1f %.1f %.1f %.1f", c.Control.X, c.Control.Y, c.End.X, c.End.Y)
			}
			fmt.Fprintf(&d, "L%.1f %.1fh.1", t.End.X, t.End.Y)
			paths = append(paths, signer.Path{D: d.String(),
				Style: fmt.Sprintf(`fill="none" stroke="#14285a" stroke-width="%.1f" stroke-linecap="round" stroke-linejoin="round"`, pen*t.Pen)})
		}
	}
	size := fmt.Sprintf(`viewBox="%.1f %.1f %.1f %.1f"`, low.X-pen, low.Y-pen, width+2*pen, height+2*pen)
	return signer.SendSVG(r, size, paths...)
}

// ShowSignature serves the page about the saved signature and initials.
func (h *Handlers) ShowSignature(r *page.Request) error {
	return h.showSaved(r, http.StatusOK, page.Page{})
}
