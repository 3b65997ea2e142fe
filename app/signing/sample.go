package signing

import (
	"bytes"
	"context"
	"errors"

	"paraph/app/account"
	"paraph/app/pdf"
	"paraph/app/pdf/page"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
)

// sampleTitle is the title of the sample document.
const sampleTitle = "Sample agreement"

var sampleText = []string{
	"This is a document to try things with. Nobody is bound by it.",
	"",
	"1. The person named below is asked to sign, and that is you: send it,",
	"    open the message or the link, and sign by typing or drawing.",
	"2. Once signed, the file is sealed. Check it on the page of the document,",
	"    or in any other program that knows signatures in PDF files.",
	"3. When you are done, delete it. It stays in the trash for a while.",
}

// CreateSample makes a draft for trying everything out: one page, with the caller as its
// signatory.
func (s *Drafts) CreateSample(ctx context.Context, who account.Call, baseURL string) (d *record.Document, err error) {
	file, err := s.sampleFile()
	if err != nil {
		return nil, err
	}
	u, err := s.intake.Receive(who, sampleTitle+".pdf", "application/pdf", bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, u.Close()) }()
	title, name := sampleTitle, who.Name
	if name == "" {
		name = who.Email
	}
	sign := func(kind pdf.FieldType, y, height float64) record.FieldInput {
		first, number, x, width := "0", 1, .12, .4
		return record.FieldInput{Invitation: &first, Type: (*string)(&kind), Page: &number,
			X: &x, Y: &y, Width: &width, Height: &height}
	}
	return s.Create(ctx, who, CreateInput{
		DocumentInput: record.DocumentInput{Title: &title}, BaseURL: baseURL, Uploads: []*intake.Upload{u},
		Invitations: []record.InvitationInput{{Name: &name, Email: &who.Email}},
		Fields:      []record.FieldInput{sign(pdf.FieldSignature, .42, .06), sign(pdf.FieldDateSigned, .5, .025)},
	})
}

func (s *Drafts) sampleFile() ([]byte, error) {
	b := page.New(s.fonts, page.Info{Title: sampleTitle, Language: "en"})
	b.NewPage(page.A4Width, page.A4Height)
	b.Text(72, 110, 22, true, false, 0, 0, 0, sampleTitle)
	for i, line := range sampleText {
		b.Text(72, 150+18*float64(i), 11, false, false, 0, 0, 0, line)
	}
	b.Text(72, 340, 11, true, false, 0, 0, 0, "Signature and date")
	var out bytes.Buffer
	_, err := b.Write(&out)
	return out.Bytes(), err
}
