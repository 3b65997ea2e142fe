package domain

import (
	"bytes"
	"cmp"
	"sync"
	"testing"

	"paraph/app/account"
	"paraph/app/pdf/page"
	"paraph/app/signing"
	"paraph/app/signing/intake"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

// Person describes a recipient. Only the address is required.
type Person struct {
	Email, Name, Role, Authentication, Code, Locale, Message string
	Position                                                 int
}

func (p Person) input() record.InvitationInput {
	in := record.InvitationInput{Email: &p.Email, Name: new(cmp.Or(p.Name, "Name of "+p.Email)), Role: new(cmp.Or(p.Role, record.Signer))}
	for _, v := range []struct {
		from string
		to   **string
	}{{p.Authentication, &in.Authentication}, {p.Code, &in.AccessCode}, {p.Locale, &in.Locale}, {p.Message,
		&in.Message}} {
		if v.from != "" {
			*v.to = &v.from
		}
	}
	if p.Position > 0 {
		in.Position = &p.Position
	}
	return in
}

// Signers returns signers with these addresses.
func Signers(emails ...string) (all []Person) {
	for _, e := range emails {
		all = append(all, Person{Email: e})
	}
	return all
}

// Draft creates a draft with one file and some recipients.
func (s *Services) Draft(t testing.TB, who account.Call, in record.DocumentInput,
	people ...Person) *record.Document {
	t.Helper()
	return s.create(t, who, signing.CreateInput{DocumentInput: in}, people)
}

// Sent creates a document as Draft does, and sends it.
func (s *Services) Sent(t testing.TB, who account.Call, in record.DocumentInput, people ...Person) *record.Document {
	t.Helper()
	return s.create(t, who, signing.CreateInput{DocumentInput: in, Send: true}, people)
}

func (s *Services) create(t testing.TB, who account.Call, in signing.CreateInput, people []Person) *record.Document {
	t.Helper()
	for _, p := range people {
		in.Invitations = append(in.Invitations, p.input())
	}
	if in.Title == nil {
		in.Title = new("Contract")
	}
	u, err := s.Signing.Intake.Receive(who, "a.pdf", "application/pdf", bytes.NewReader(sample()))
	if err != nil {
		t.Fatal(err)
	}
	in.Uploads = []*intake.Upload{u}
	d, err := s.Signing.Drafts.Create(t.Context(), who, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// sample is a PDF of one page.
var sample = sync.OnceValue(func() []byte {
	b := page.New(fonts(), page.Info{Title: "Sample", Language: "en"})
	b.NewPage(page.A4Width, page.A4Height)
	b.Text(72, 100, 12, false, false, 0, 0, 0, "A page.")
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
})

// Signatory returns an invited person as they are behind their link, identified
// if they have to be.
func (s *Services) Signatory(t testing.TB, d *record.Document, email string) account.Call {
	t.Helper()
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Email == email {
			who, err := s.Signing.Sending.Signatory(s.Signing.Sending.LinkToken(inv))
			if err != nil {
				t.Fatal(err)
			}
			return account.Call{Actor: who}
		}
	}
	t.Fatalf("nobody with the address %s is invited", email)
	return account.Call{}
}

// Sign signs as an invited person, with a typed signature.
func (s *Services) Sign(t testing.TB, d *record.Document, email string) *record.Document {
	t.Helper()
	who := s.Signatory(t, d, email)
	d, err := s.Signing.Signing.Sign(t.Context(), who, d.ID, who.Invitation, signing.SignInput{
		Consent: new(true), Signature: &mark.Mark{Type: "typed", Text: who.Name}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
