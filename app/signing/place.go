package signing

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/page"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
	"paraph/app/words"
)

// The size of one person's block on the signature page, in points.
const (
	blockWidth  = 231.0
	blockHeight = 84.0
)

// placeFields requests everything that later revisions of a file need: its fields, and
// one signature field for each person who signs it. It returns the names of the signature
// fields by invitation.
func (s *Sending) placeFields(d *record.Document, f *record.File, spec *pdf.PrepareSpec) (map[string]string, error) {
	if !f.Presigned { // a signed file accepts no change of its pages
		spec.Covers, spec.WithoutTags = covers(d, f), detect.WithoutTags
	}
	if err := s.placeFixed(d, f, spec); err != nil {
		return nil, err
	}
	names := map[string]string{}
	var blocks []string // invitations that get a block on the signature page
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		if !inv.Signs() || !signs(d, inv, f) {
			continue
		}
		first := record.FirstOfGroup(d, inv)
		names[inv.ID] = signatureName(first)
		if first != inv {
			continue // any one of a group signs in the same place
		}
		if !placeOwn(d, f, inv, s.signatureOf(d, inv), spec) {
			blocks = append(blocks, inv.ID)
		}
	}
	if len(blocks) == 0 {
		return names, nil
	}
	if f.Presigned {
		// Nothing may be added to the pages of a file that is already signed, so the
		// signature stays invisible.
		for _, id := range blocks {
			spec.Signatures = append(spec.Signatures, pdf.SignatureSpec{Name: names[id], Page: -1})
		}
		return names, nil
	}
	return names, s.signaturePage(d, f, blocks, names, spec)
}

// placeFixed requests the fixed fields of a file, and draws them.
func (s *Sending) placeFixed(d *record.Document, f *record.File, spec *pdf.PrepareSpec) error {
	fixed := record.FixedOn(d, f.ID)
	if len(fixed) == 0 {
		return nil
	}
	p := s.fonts.NewSet()
	p.Opaque = strings.HasPrefix(f.PDFA, "1")
	spec.Embed = p.Embed
	for _, x := range fixed {
		if why := s.paper().Check(d, x, x.Value); why != nil {
			var faults fault.Fields
			why.Report(&faults, x)
			return faults.Err()
		}
		box := x.BoxOn(f)
		out := fieldSpec(x, f, "")
		if x.Type == pdf.FieldLabel {
			out.Value, out.Multiline = x.Value, x.Multiline(box)
			out.Appearance = p.Text(box, x.TextIn(box, x.Value))
		} else {
			out.Appearance = p.Strikethrough(box, colorOf(x))
		}
		spec.Fields = append(spec.Fields, out)
	}
	return nil
}

// covers lists the parts of a file's pages that are painted over.
func covers(d *record.Document, f *record.File) []pdf.Cover {
	var out []pdf.Cover
	for i := range d.Fields {
		if d.Fields[i].File != f.ID {
			continue
		}
		for _, a := range d.Fields[i].Covered {
			box := document.Box{X: a.X, Y: a.Y, Width: a.Width, Height: a.Height}
			out = append(out, pdf.Cover{Page: a.Page - 1, Box: box})
		}
	}
	return out
}

// signatureOf describes the signature field of a person or a group, in the document's language.
func (s *Sending) signatureOf(d *record.Document, inv *record.Invitation) string {
	return s.words.Match(d.Locale).Say("certificate.signature_of", "name", cmp.Or(inv.Group, inv.DisplayName()))
}

func signatureName(inv *record.Invitation) string { return "signature." + inv.ID }

func signs(d *record.Document, inv *record.Invitation, f *record.File) bool {
	for _, x := range d.SignsFiles(inv.ID) {
		if x.ID == f.ID {
			return true
		}
	}
	return false
}

// placeOwn requests a person's fields on a file. Their first signature field is the one
// that is signed. Without one, the signature is invisible, unless the person has no field
// at all: then placeOwn returns false.
func placeOwn(d *record.Document, f *record.File, inv *record.Invitation, label string, spec *pdf.PrepareSpec) bool {
	signature := pdf.SignatureSpec{Name: signatureName(inv), Page: -1, Label: label}
	own := d.FieldsIn(inv.ID, f.ID)
	followers := record.Followers(own)
	for _, x := range own {
		if x.Type == pdf.FieldSignature && signature.Page < 0 {
			signature.Page, signature.X, signature.Y = x.Page-1, x.X, x.Y
			signature.Width, signature.Height = x.Width, x.Height
			continue
		}
		field := fieldSpec(x, f, signature.Name)
		if field.Type == pdf.FieldRadio {
			field.Options = []string{cmp.Or(followers[x], x).ID}
		}
		spec.Fields = append(spec.Fields, field)
	}
	if len(own) == 0 {
		return false
	}
	spec.Signatures = append(spec.Signatures, signature)
	return true
}

// fieldSpec returns the field as it is written to the PDF. A default value appears when
// the signatory's revision draws it; until then the field is empty.
func fieldSpec(x *record.Field, f *record.File, owner string) pdf.FieldSpec {
	out := pdf.FieldSpec{Name: x.ID, Type: x.Type, Page: x.Page - 1, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height,
		Options: x.Options, Group: x.Group, Required: x.Required, ReadOnly: x.ReadOnly, Owner: owner,
		FontSize: x.FontSize, Align: x.Align, Color: x.RGB(), Label: x.Label, Multiline: x.Multiline(x.BoxOn(f))}
	if x.Divided() {
		out.Comb, out.MaxLength = true, x.Cells
	}
	if out.Label == "" {
		out.Label = x.Name
	}
	if x.Type == pdf.FieldRadio {
		out.Options = nil
		if len(x.Options) > 0 {
			out.Type, out.Group, out.Options = pdf.FieldSelect, "", x.Options
		}
	}
	return out
}

// Geometry of the signature page, in points: two columns of blocks.
const (
	pageMargin  = 56.0
	blocksTop   = 150.0
	blockGap    = 22.0
	blocksWide  = 2
	blocksHigh  = 6
	perPage     = blocksWide * blocksHigh
	columnWidth = (page.A4Width - 2*pageMargin - blockGap) / blocksWide
)

// signaturePage appends a page with a block for everyone who has no field. The block does
// not name the person: if an invitation is taken over, the new person signs in the same
// place, and the page is already certified.
func (s *Sending) signaturePage(
	d *record.Document, f *record.File, blocks []string, names map[string]string, spec *pdf.PrepareSpec,
) error {
	l := s.words.Match(d.Locale)
	b := page.New(s.fonts, page.Info{Title: l.Say("certificate.signatures"), Language: l.Tag()})
	b.Reserve(false)
	for i, id := range blocks {
		k := i % perPage
		if k == 0 {
			b.NewPage(page.A4Width, page.A4Height)
			signatureHeading(b, l, d, f)
		}
		column := k % blocksWide
		if l.RightToLeft() {
			column = blocksWide - 1 - column
		}
		x := pageMargin + float64(column)*(columnWidth+blockGap)
		y := blocksTop + float64(k/blocksWide)*(blockHeight+blockGap+10)
		number := l.Say("certificate.signature_number", "number", strconv.Itoa(i+1), "total", strconv.Itoa(len(blocks)))
		write(b, l, x, columnWidth, y-4, 7.5, false, .4, number)
		b.Line(x, y+blockHeight+2, x+columnWidth, y+blockHeight+2, .75, .45, .5, .55)
		spec.Signatures = append(spec.Signatures, pdf.SignatureSpec{
			Name: names[id], Label: s.signatureOf(d, d.Invitation(id)), Page: len(f.Pages) + i/perPage,
			X: x / page.A4Width, Y: y / page.A4Height,
			Width: blockWidth / page.A4Width, Height: blockHeight / page.A4Height,
		})
	}
	f.Appended = (len(blocks) + perPage - 1) / perPage
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		return fmt.Errorf("signing: signature page: %w", err)
	}
	spec.AppendPages = &pdf.Source{Reader: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}
	return nil
}

func signatureHeading(b *page.Builder, l *words.Language, d *record.Document, f *record.File) {
	const width = page.A4Width - 2*pageMargin
	write(b, l, pageMargin, width, 76, 18, true, .13, l.Say("certificate.signatures"))
	write(b, l, pageMargin, width, 96, 9.5, false, .34, fit(b, 9.5, d.Title))
	write(b, l, pageMargin, width, 110, 7.5, false, .5, fit(b, 7.5, f.Name))
	write(b, l, pageMargin, width, 121, 6.5, false, .5, fit(b, 6.5, l.Say("certificate.sha256_uploaded", "sha256", f.SHA256)))
}

// write draws a line of text in a column, aligned to where the language begins.
func write(b *page.Builder, l *words.Language, x, width, y, size float64, bold bool, gray float64, s string) {
	if l.RightToLeft() {
		x += width - b.Measure(size, bold, false, s)
	}
	b.Text(x, y, size, bold, false, gray-.04, gray, gray+.05, s)
}

// fit cuts a line to the width of the page.
func fit(b *page.Builder, size float64, s string) string {
	const width = page.A4Width - 2*pageMargin
	if b.Measure(size, false, false, s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && b.Measure(size, false, false, string(r)+"…") > width {
		r = r[:len(r)-max(1, len(r)/20)]
	}
	return string(r) + "…"
}
