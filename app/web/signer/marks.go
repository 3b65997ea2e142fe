package signer

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// markView is the part of the page for creating a signature or initials.
type markView struct {
	Kind, Input, Text, Font string
	Type, Data, Ink         string // of a mark drawn or uploaded earlier
	Error                   string
	types                   []string // that are allowed
	Only                    string   // says so, unless all are
	Styles                  []markStyle
	Saved                   string // address of the picture of the member's saved mark, "" for none
	Made                    bool   // a mark has been chosen already
	Legal                   string // what finishing means
	Consent                 string // address of the text to agree to, "" if the page doesn't ask for consent
}

type markStyle struct {
	Value, Label, Src string
	Checked           bool
}

// Allows reports whether a type of mark is allowed.
func (m *markView) Allows(t string) bool { return slices.Contains(m.types, t) }

// NeedsScript reports whether a mark can only be made with the help of a script.
func (m *markView) NeedsScript() bool {
	return !m.Allows(signing.MarkTyped) && !m.Allows(signing.MarkImage)
}

// restrict allows only some types of marks. Input becomes the first place where one is made.
func (m *markView) restrict(v *Visitor, kind pdf.FieldType) {
	m.types = record.TypesOfMark(v.Document, v.Invitation.ID, kind)
	if len(m.types) == len(account.SignatureTypes()) {
		return
	}
	m.Only = v.Sentence(fault.Field{Name: m.Kind, Code: record.TypesRefused(m.types)}, nil)
	switch {
	case m.Allows(signing.MarkTyped):
	case m.Allows(signing.MarkImage):
		m.Input = m.Kind + "-file"
	default:
		m.Input = "mark-" + m.Kind
	}
}

// offer adds the visitor's saved mark.
func (m *markView) offer(saved *mark.Mark) {
	if saved != nil && m.Allows(cmp.Or(saved.Type, signing.MarkTyped)) {
		m.Saved = SavedAddress(m.Kind, saved)
	}
}

func (h *Handlers) markViewOf(v *Visitor, kind, name string, saved *mark.Mark, sent page.Form) markView {
	m := markView{Kind: kind, Input: kind + "-text", Font: text.Script1, Made: saved != nil}
	m.restrict(v, pdf.FieldType(kind))
	if kind == "initials" {
		m.Text = name
	}
	if saved != nil {
		m.Text, m.Font = cmp.Or(saved.Text, m.Text), cmp.Or(saved.Font, m.Font)
		if saved.Type == signing.MarkDrawn || saved.Type == signing.MarkImage {
			m.Type, m.Data, m.Ink = saved.Type, saved.Data, saved.Ink
		}
	}
	if sent.Values != nil {
		m.Text, m.Font = sent.Value(kind+".text"), cmp.Or(sent.Value(kind+".font"), m.Font)
		m.Type, m.Data, m.Ink = sent.Value(kind+".type"), sent.Value(kind+".data"), sent.Value(kind+".ink")
	}
	faces := h.Fonts.ScriptsFor(cmp.Or(m.Text, name))
	if !slices.Contains(faces, m.Font) {
		m.Font = faces[0]
	}
	for i, face := range faces {
		m.Styles = append(m.Styles, markStyle{Value: face, Label: v.Say("mark.style", "n", i+1), Checked: face == m.Font,
			Src: v.base + "/typed.svg?font=" + face + "&text=" + url.QueryEscape(cmp.Or(m.Text, name))})
	}
	return m
}

// Mark reads a signature or initials from the form: strokes or a picture from a
// script, an uploaded picture, or a typed name. It returns nil if the form has none.
func Mark(r *page.Request, name string, saved signing.SavedMarks) *mark.Mark {
	kind, data := r.Form.Value(name+".type"), r.Form.Value(name+".data")
	if kind == "saved" || r.Form.Value(name+".saved") == "yes" {
		return saved.Mark(name)
	}
	if (kind == signing.MarkDrawn || kind == signing.MarkImage) && data != "" {
		m := &mark.Mark{Type: kind, Data: data}
		if kind == signing.MarkDrawn && r.Form.Value(name+".ink") == signing.InkBlack {
			m.Ink = signing.InkBlack
		}
		return m
	}
	if f, ok := r.Form.Files[name+".file"]; ok && len(f.Data) > 0 {
		return &mark.Mark{Type: "image", Data: base64.StdEncoding.EncodeToString(f.Data)}
	}
	if text := strings.TrimSpace(r.Form.Value(name + ".text")); text != "" {
		return &mark.Mark{Type: signing.MarkTyped, Text: text, Font: r.Form.Value(name + ".font")}
	}
	return nil
}

// SavedAddress returns the address of a saved mark's picture. It changes with the
// mark, so that browsers never show an outdated one from their cache.
func SavedAddress(kind string, m *mark.Mark) string {
	return "/app/me/signature/" + kind + "?v=" + account.ConsentName(m.Type+m.Data+m.Text+m.Font)
}

// ownMarks returns the saved signature and initials of a visitor who is also
// signed in as a member.
func (h *Handlers) ownMarks(v *Visitor) signing.SavedMarks {
	who, u, ok := v.SignedIn()
	if !ok || !strings.EqualFold(u.Email, v.Invitation.Email) {
		return signing.SavedMarks{}
	}
	saved, err := h.Signing.SavedMarks(account.Call{Actor: who})
	if err != nil {
		h.Log.Error("saved signature", "request_id", v.RequestID(), "error", err)
	}
	return saved
}
