package signing

import (
	"fmt"
	"slices"
	"strings"

	"paraph/app/pdf"
	"paraph/app/pdf/text"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/words"
)

// drawAct draws a person's values and signature for one file.
func (s *Signing) drawAct(a *act, f *record.File, signatureField string) (pdf.SignSpec, error) {
	p := s.fonts.NewSet()
	p.Opaque = strings.HasPrefix(f.PDFA, "1")
	spec := pdf.SignSpec{Field: signatureField, Embed: p.Embed}
	seal := true // the first signature field shows the actual PAdES signature
	for _, x := range a.document.FieldsIn(a.inv.ID, f.ID) {
		box := x.BoxOn(f)
		if x.Type == pdf.FieldSignature && seal {
			seal = false
			drawn, err := s.drawMade(p, box, a, a.marks.signature, s.caption(a)...)
			if err != nil {
				return spec, err
			}
			spec.Appearance = drawn
			continue
		}
		v, err := s.drawField(p, a, x, box)
		if err != nil {
			return spec, err
		}
		if v != nil {
			spec.Values = append(spec.Values, *v)
		}
	}
	if seal && !f.Presigned && len(a.document.FieldsIn(a.inv.ID, f.ID)) == 0 {
		block := text.Box{Width: blockWidth, Height: blockHeight}
		drawn, err := s.drawMade(p, block, a, a.marks.signature, s.caption(a)...)
		if err != nil {
			return spec, err
		}
		spec.Appearance = drawn
	}
	return spec, nil
}

// caption returns the small print under a signature. Its day is that of the date fields beside it: the company's.
func (s *Signing) caption(a *act) []string {
	l := s.words.Match(a.document.Locale)
	return []string{l.Mailbox(s.signedBy(a), a.inv.Email), l.Stamp(a.now.In(a.zone))}
}

// drawMade draws a mark. Of an act that somebody recorded for the person it shows that instead, as
// large as it fits: nothing looks like their hand.
func (s *Signing) drawMade(p *text.Set, box text.Box, a *act, m mark.Drawn, caption ...string) (*text.Appearance, error) {
	if a.inv.RecordedBy == nil {
		return drawMark(p, box, m, caption...)
	}
	return p.Text(box, text.Field{Text: s.signedBy(a), Multiline: true, Smallest: 1}), nil
}

// signedBy states who acted, in the document's language.
func (s *Signing) signedBy(a *act) string {
	if a.inv.RecordedBy != nil {
		return s.words.Match(a.document.Locale).Say("certificate.recorded_by", "by", s.recorder(a), "name", a.inv.Name)
	}
	key := "certificate.signed_by"
	if a.inv.Role == record.Approver {
		key = "certificate.approved_by"
	}
	return s.words.Match(a.document.Locale).Say(key, "name", a.inv.Name)
}

// recorder names who recorded the act in the person's name, and says so if the account looks like a
// recipient's but may be somebody else's.
func (s *Signing) recorder(a *act) string {
	by := a.inv.RecordedBy
	invited := slices.ContainsFunc(a.document.Invitations, func(i record.Invitation) bool { return strings.EqualFold(i.Email, by.Email) })
	if by.Doubt == "" || !invited {
		return a.actor()
	}
	return a.actor() + " (" + s.words.Match(a.document.Locale).Say("certificate.account."+by.Doubt, "company", a.company) + ")"
}

func drawMark(p *text.Set, box text.Box, m mark.Drawn, caption ...string) (*text.Appearance, error) {
	drawn := text.Mark{Strokes: m.Strokes, Typed: m.Text, Face: m.Font, Color: mark.ColorOf(m.Ink)}
	if m.Type != MarkTyped {
		drawn.Typed = ""
	}
	if m.Picture != nil {
		picture, err := p.Picture(m.Picture, true)
		if err != nil {
			return nil, fmt.Errorf("signing: picture of the signature: %w", err)
		}
		drawn.Picture = picture
	}
	return p.Signature(box, drawn, caption...), nil
}

func drawPicture(p *text.Set, box text.Box, x *record.Field, content []byte) (*text.Appearance, error) {
	picture, err := p.Picture(content, false)
	if err != nil {
		return nil, fmt.Errorf("signing: picture in field %s: %w", x.ID, err)
	}
	return p.Image(box, picture), nil
}

// stamp returns the lines of the signatory's stamp: the company they sign for, their name, and the
// day.
func (a *act) stamp(l *words.Language) (lines []string) {
	company := a.inv.Company
	for _, x := range a.document.FieldsOf(a.inv.ID) {
		if v := a.values[x.ID]; x.Type == pdf.FieldCompany && v != "" {
			company = v
			break
		}
	}
	if company != "" {
		lines = append(lines, company)
	}
	return append(lines, a.actor(), l.ShortDate(a.now.In(a.zone)))
}

// drawField draws one value. A field that was not filled in is left blank.
func (s *Signing) drawField(p *text.Set, a *act, x *record.Field, box text.Box) (*pdf.FieldValue, error) {
	if x.Hidden {
		return nil, nil
	}
	v := a.values[x.ID]
	out := &pdf.FieldValue{Name: x.ID, Text: v}
	var err error
	switch x.Type {
	case pdf.FieldSignature:
		out.Text = a.actor()
		out.Appearance, err = s.drawMade(p, box, a, a.marks.signature)
	case pdf.FieldInitials:
		out.Text = a.actor()
		out.Appearance, err = s.drawMade(p, box, a, a.marks.initials)
	case pdf.FieldStamp:
		out.Text = a.inv.Name
		if content := a.pictureFor(x); content != nil {
			out.Appearance, err = drawPicture(p, box, x, content)
			break
		}
		out.Appearance = p.Stamp(box, text.Ink(), a.stamp(s.words.Match(a.document.Locale))...)
	case pdf.FieldCheckbox:
		out.Checked = v == record.Checked
	case pdf.FieldRadio:
		return drawRadio(p, x, v, box), nil
	case pdf.FieldAttachment:
		if v == "" {
			return nil, nil
		}
		name, hash, _ := strings.Cut(v, record.AttachedHash)
		out.Appearance = p.Attachment(box, name, hash)
	case pdf.FieldImage:
		content := a.pictureFor(x)
		if content == nil {
			return nil, nil
		}
		out.Appearance, err = drawPicture(p, box, x, content)
	default:
		if v == "" {
			return nil, nil
		}
		out.Text = x.Masked(x.Shown(v, s.words.Match(a.document.Locale)))
		out.Appearance = p.Text(box, x.TextIn(box, out.Text))
	}
	return out, err
}

func colorOf(x *record.Field) text.Color {
	rgb := x.RGB()
	return text.Color{R: rgb[0], G: rgb[1], B: rgb[2]}
}

func drawRadio(p *text.Set, x *record.Field, v string, box text.Box) *pdf.FieldValue {
	if len(x.Options) > 0 {
		if v == "" {
			return nil
		}
		shown := p.Text(box, x.TextIn(box, v))
		return &pdf.FieldValue{Name: x.ID, Text: v, Appearance: shown}
	}
	return &pdf.FieldValue{Name: x.ID, Checked: v == record.Checked}
}
