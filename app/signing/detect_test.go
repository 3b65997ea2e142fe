package signing_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/fault"
	"paraph/app/pdf/page"
	"paraph/app/signing"
)

// actor returns the member that a client is logged in as.
func actor(t *testing.T, c *apptest.Client) account.Call {
	t.Helper()
	who, err := c.Accounts.Authentication.Authenticate(c.Token)
	if err != nil {
		t.Fatal(err)
	}
	return account.Call{Actor: who}
}

// draft creates a document from files, with the given number of signers.
func draft(t *testing.T, c *apptest.Client, signers int, files ...apptest.File) string {
	t.Helper()
	people := apptest.List{}
	for i := range signers {
		people = append(people, apptest.Map{"name": fmt.Sprintf("Signer %d", i+1), "email": fmt.Sprintf("s%d@example.org", i+1), "position": i + 1})
	}
	return c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Draft", "invitations": people}, files...)).Want(t, 201).Text(t, "id")
}

func found(all []signing.Suggestion) []string {
	out := []string{}
	for _, x := range all {
		s := fmt.Sprintf("%s %s %d p%d", x.Source, x.Type, x.Recipient, x.Page)
		if x.Label != "" {
			s += " " + x.Label
		}
		if !x.Required {
			s += " optional"
		}
		out = append(out, s)
	}
	return out
}

// sure is the input that people's pages use.
var sure = signing.DetectInput{Confidence: signing.Surely}

func TestDetectFindsTagsAndLines(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	form, err := os.ReadFile("../../testdata/pdf/form.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		file apptest.File
		want []string
	}{
		"tags": {apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "{{sig1}} and {{signature:2}}", "Born: {{date:2}} in {{text|Place of birth|optional}}", "{{ check : 3 | I agree }} {{nonsense}} {{select}} {{date_signed}}")},
			[]string{"tag signature 1 p1", "tag signature 2 p1", "tag date 2 p1", "tag text 1 p1 Place of birth optional", "tag checkbox 3 p1 I agree optional", "tag date_signed 1 p1"}},
		"lines": {apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "Signature: ______________ Date: ________", "Name:_________________", "Unterschrift des Mieters ____________", "Datum ________",
			"The tenant shall pay every month the sum of ________ as rent", "In this sentence, which is long, a signature is spoken of as ________")},
			[]string{"line signature 1 p1 Signature", "line date_signed 1 p1 Date", "line name 1 p1 Name", "line signature 2 p1 Unterschrift des Mieters", "line date_signed 2 p1 Datum"}},
		"document": {apptest.File{Name: "a.docx", Content: apptest.DOCX(t, "Signature: ____________________", "{{initials2}}")},
			[]string{"line signature 1 p1 Signature", "tag initials 2 p1"}},
		"nothing to detect": {apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "No field at all.")}, []string{}},
		"form":              {apptest.File{Name: "form.pdf", Content: form}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := draft(t, c, 2, x.file)
			got, err := c.Signing.Drafts.Detect(t.Context(), actor(t, c), id, sure)
			if err != nil {
				t.Fatal(err)
			}
			if x.want != nil && strings.Join(found(got), "\n") != strings.Join(x.want, "\n") {
				t.Fatalf("found\n%s\nwant\n%s", strings.Join(found(got), "\n"), strings.Join(x.want, "\n"))
			}
			if x.want == nil && len(got) == 0 {
				t.Fatal("no fields found in the form")
			}
			for _, s := range got {
				if s.X < 0 || s.Y < 0 || s.X+s.Width > 1.000001 || s.Y+s.Height > 1.000001 || (s.Invitation == "") != (s.Recipient > 2) {
					t.Errorf("%+v", s)
				}
			}
			d, added, nobody, err := c.Signing.Drafts.AddDetected(t.Context(), actor(t, c), id)
			if err != nil || added+nobody != len(got) || len(d.Fields) != added {
				t.Fatalf("added %d fields and skipped %d without a signer, want %d in all: %v", added, nobody, len(got), err)
			}
			if _, again, _, err := c.Signing.Drafts.AddDetected(t.Context(), actor(t, c), id); again != 0 || err != nil {
				t.Errorf("detecting again added %d fields: %v", again, err)
			}
		})
	}
}

// TestDetectedFieldsSitOnTheirLine compares the position of a field with that of the drawn line.
func TestDetectedFieldsSitOnTheirLine(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	id := draft(t, c, 1, apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "nothing", "Signature: ______________")})
	got, err := c.Signing.Drafts.Detect(t.Context(), actor(t, c), id, sure)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	x := got[0]
	bottom := (x.Y + x.Height) * page.A4Height
	if left := x.X * page.A4Width; left < 125 || left > 140 || math.Abs(bottom-163) > 6 || x.Height*page.A4Height < 30 {
		t.Errorf("left edge at %.1f, bottom edge at %.1f: %+v", left, bottom, x)
	}
}

func TestOtherCompaniesCannotDetect(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	id := draft(t, s.Company(t), 1, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})
	stranger := actor(t, s.Company(t))
	if _, err := s.Signing.Drafts.Detect(t.Context(), stranger, id, sure); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a stranger gets %v", err)
	}
	if _, _, _, err := s.Signing.Drafts.AddDetected(t.Context(), stranger, id); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a stranger gets %v", err)
	}
}
