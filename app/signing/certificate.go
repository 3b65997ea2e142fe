package signing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/pdf"
	"paraph/app/pdf/page"
)

// certify makes the certificate of completion: a PDF of its own, with the
// machine-readable evidence inside, sealed by the company as the files are.
func (s *Service) certify(ctx context.Context, d *Document, now time.Time) (*File, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	var base bytes.Buffer
	if err := s.writeCertificate(&base, d, company, now); err != nil {
		return nil, fmt.Errorf("signing: certificate of completion: %w", err)
	}
	signer, err := s.Keys.Company(d.Company, company.Name)
	if err != nil {
		return nil, err
	}
	ref, err := s.Blobs.Put(ctx, bytes.NewReader(base.Bytes()))
	if err != nil {
		return nil, spaceError(err)
	}
	// A file like any other: prepared, certified, sealed.
	f := &File{ID: "certificate", Upload: ref.Hash, Base: ref.Hash, BaseSize: ref.Size}
	seal := s.seal(ctx, f, signer, s.timestamper(), now, company.Name, "Certificate of completion")
	if err := s.revise(f, "prepare", now, func(b pdf.Base) (pdf.Revision, error) {
		return pdf.Prepare(b, pdf.PrepareSpec{Timestamp: timestampField, Certify: &seal})
	}); err != nil {
		return nil, err
	}
	if err := s.finish(ctx, f, now); err != nil {
		return nil, err
	}
	return f, nil
}

func (s *Service) writeCertificate(w io.Writer, d *Document, company account.Company, now time.Time) error {
	zone, err := time.LoadLocation(company.Timezone)
	if err != nil {
		zone = time.UTC
	}
	e, err := s.evidence(d)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	b := page.New(s.Fonts, page.Info{Title: "Certificate of completion: " + d.Title, Author: company.Name, Language: "en", Creator: "Paraph", Created: now})
	b.Attach(page.Attachment{Name: "evidence.json", MediaType: "application/json", Relationship: "Data",
		Description: "The evidence of this certificate, machine-readable", Modified: now, Data: data})
	c := certificatePages{service: s, document: d, company: company, evidence: e, zone: zone}
	c.flow = b.Flow(page.Layout{
		Header: func(page, _ int) (string, string) {
			if page == 1 {
				return "", ""
			}
			return "Certificate of completion", d.ID
		},
		Footer: func(page, pages int) (string, string) {
			return company.Name + " · Paraph", fmt.Sprintf("%d / %d", page, pages)
		},
	})
	sum := sha256.Sum256(data)
	err = errors.Join(c.head(), c.files(), c.people(), c.events(), c.howTo(hex.EncodeToString(sum[:])))
	if err != nil {
		return err
	}
	_, err = b.Write(w)
	return err
}

// certificatePages sets the certificate, chapter by chapter.
type certificatePages struct {
	service  *Service
	document *Document
	company  account.Company
	evidence *evidenceJSON
	flow     *page.Flow
	zone     *time.Location
}

func (c *certificatePages) at(t *time.Time) string {
	if t == nil {
		return "–"
	}
	return inZone(*t, c.zone)
}

func (c *certificatePages) head() error {
	d := c.document
	c.flow.Heading(1, "Certificate of completion")
	c.flow.Paragraph("This certificate belongs to the document named below. It says who signed, when, from where and in what way, and how all of it can be checked without the service that made it.", page.Paragraph{})
	signed, total := d.progress()
	c.flow.KeyValues(
		[2]string{"Document", d.Title},
		[2]string{"Identifier", d.ID},
		[2]string{"Company", c.company.Name},
		[2]string{"Sent by", d.Owner.Name + " <" + d.Owner.Email + ">"},
		[2]string{"Signatures", fmt.Sprintf("%d of %d", signed, total)},
		[2]string{"Order of signing", d.SigningOrder},
		[2]string{"Created", inZone(d.CreatedAt, c.zone)},
		[2]string{"Sent", c.at(d.SentAt)},
		[2]string{"Completed", c.at(d.CompletedAt)},
	)
	return nil
}

func (c *certificatePages) files() error {
	c.flow.Heading(2, "Files")
	for _, f := range c.evidence.Files {
		c.flow.Heading(3, f.Name)
		pairs := [][2]string{
			{"As uploaded", fmt.Sprintf("%s, %d bytes", f.ContentType, f.Size)},
			{"SHA-256 as uploaded", f.SHA256},
		}
		if f.ConvertedBy != nil {
			pairs = append(pairs, [2]string{"Converted to PDF by", *f.ConvertedBy}, [2]string{"SHA-256 of the PDF", f.BaseSHA256})
		}
		for _, r := range f.Revisions {
			who := r.Kind
			if r.Signer != "" {
				who = r.Signer
			}
			pairs = append(pairs, [2]string{"SHA-256 after " + who, fmt.Sprintf("%s (first %d bytes)", r.SHA256, r.Total)})
		}
		c.flow.KeyValues(pairs...)
	}
	return nil
}

func (c *certificatePages) people() error {
	c.flow.Heading(2, "People")
	for i := range c.document.Invitations {
		inv := &c.document.Invitations[i]
		c.flow.Heading(3, inv.Name)
		pairs := [][2]string{
			{"E-mail", inv.Email}, {"Role", inv.Role}, {"State", inv.Status},
			{"Asked", c.at(inv.NotifiedAt)}, {"Looked at it", c.at(inv.ViewedAt)},
		}
		if ev := inv.Evidence; ev != nil {
			pairs = append(pairs, c.act(inv, ev)...)
		}
		if inv.DeclinedAt != nil {
			pairs = append(pairs, [2]string{"Declined", c.at(inv.DeclinedAt)}, [2]string{"Reason", inv.DeclinedReason})
		}
		for _, x := range c.document.fieldsOf(inv.ID) {
			if x.Filled && !x.drawn() && x.Value != "" {
				pairs = append(pairs, [2]string{"Field “" + x.label() + "”", x.Value})
			}
		}
		c.flow.KeyValues(pairs...)
		if err := c.picture(inv); err != nil {
			return err
		}
	}
	return nil
}

// act says how a person signed.
func (c *certificatePages) act(inv *Invitation, ev *Evidence) [][2]string {
	pairs := [][2]string{
		{"Signed", inZone(ev.At, c.zone)},
		{"Identified by", methodWords[ev.Method]},
		{"Through", ev.Through},
		{"From address", orDash(ev.IP)},
		{"With", orDash(ev.UserAgent)},
		{"Signature", ev.SignatureType},
		{"Certificate serial", ev.Serial},
	}
	if ev.Typed != "" && ev.SignatureType == "typed" {
		pairs = append(pairs, [2]string{"Typed as", ev.Typed})
	}
	if ev.Consent {
		pairs = append(pairs, [2]string{"Consent", "Agreed to sign electronically. " + ev.ConsentText})
	}
	return pairs
}

var methodWords = map[string]string{
	ByLink:       "the link sent to their e-mail address",
	ByEmailCode:  "the link and a code sent to their e-mail address",
	ByAccessCode: "the link and an access code agreed on beforehand",
	"api":        "the company, which signed for them through the API",
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// picture shows what a person drew or uploaded.
func (c *certificatePages) picture(inv *Invitation) error {
	if inv.Evidence == nil || inv.Evidence.Picture == "" {
		return nil
	}
	f, err := c.service.Blobs.Open(inv.Evidence.Picture)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	if err := closing(err, f.Close); err != nil {
		return err
	}
	return c.flow.Image(data, 180, 60)
}

func (c *certificatePages) events() error {
	c.flow.Heading(2, "What happened")
	t := page.Table{Head: []string{"When", "What", "Who", "From"}, Widths: []float64{3, 3, 4, 2}, Size: 7.5}
	for _, e := range c.evidence.Events {
		who := e.ActorName
		if e.ActorEmail != "" {
			who += " <" + e.ActorEmail + ">"
		}
		what := e.Type
		if email := e.Data["email"]; email != "" && email != e.ActorEmail {
			what += " " + email
		}
		t.Rows = append(t.Rows, []string{strings.Replace(e.At, "T", " ", 1), what, who, orDash(e.IP)})
	}
	c.flow.Table(t)
	return nil
}

func (c *certificatePages) howTo(evidence string) error {
	c.flow.Heading(2, "How to check this without us")
	for _, p := range []string{
		"Open a signed file in a PDF reader that checks signatures, such as Adobe Acrobat Reader: it lists the certification of the sender, one signature a person, and the timestamp at the end. The signatures are valid on their own; to have the reader also trust who issued them, import the root certificate of the installation, which the sender can give you.",
		"On a command line, pdfsig FILE does the same. The SHA-256 of the first bytes of a file, as listed above, shows what it was at each step: head -c BYTES FILE | sha256sum.",
		"Every event carries the hash of the one before it. The evidence is embedded in this file as evidence.json.",
	} {
		c.flow.Paragraph(p, page.Paragraph{Size: 9})
	}
	c.flow.KeyValues(
		[2]string{"Head of the chain of events", c.evidence.ChainHead},
		[2]string{"SHA-256 of evidence.json", evidence},
	)
	return nil
}
