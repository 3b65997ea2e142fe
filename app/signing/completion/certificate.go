// Package completion writes the certificate of completion: a PDF that shows
// people how a document was signed, and holds the same evidence as JSON for
// programs.
package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-json"

	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
	"paraph/app/tree"
	"paraph/app/words"
)

// Certificate holds everything that the certificate of completion shows.
type Certificate struct {
	Evidence *Evidence
	Fonts    *text.Fonts
	Words    *words.Language
	Zone     *time.Location // of the times shown on the pages
	Created  time.Time
}

// EvidenceName is the name of the machine-readable copy inside the certificate.
const EvidenceName = "evidence.json"

// Write writes the PDF, unsigned.
func (c Certificate) Write(w io.Writer) error {
	data, err := json.MarshalIndent(c.Evidence, "", "  ")
	if err != nil {
		return err
	}
	b := page.New(c.Fonts, page.Info{Title: c.Words.Say("certificate.title") + ": " + c.Evidence.Document.Title,
		Author: c.Evidence.Company, Language: c.Words.Tag(), Creator: "Paraph", Created: c.Created})
	b.Reserve(false)
	b.Reserve(true)
	b.Attach(page.Attachment{Name: EvidenceName, MediaType: "application/json", Relationship: "Data",
		Description: c.Words.Say("certificate.evidence_note"), Modified: c.Created, Data: data})
	p := pages{Certificate: c, builder: b}
	p.flow = b.Flow(page.Layout{RightToLeft: c.Words.RightToLeft(), Header: p.header, Footer: p.footer})
	p.head()
	if err := p.people(); err != nil {
		return err
	}
	p.files()
	p.events()
	sum := sha256.Sum256(data)
	if err := p.howTo(hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	_, err = b.Write(w)
	return err
}

// pages lays out the certificate, chapter by chapter.
type pages struct {
	Certificate
	builder *page.Builder
	flow    *page.Flow
}

func (c *pages) header(page, _ int) (start, end string) {
	if page == 1 {
		return "", ""
	}
	return c.Words.Say("certificate.title"), c.Evidence.Document.ID
}

func (c *pages) footer(page, pages int) (start, end string) {
	return c.Evidence.Company + " · Paraph", fmt.Sprintf("%d / %d", page, pages)
}

// pairs are names and values shown below each other.
type pairs [][2]string

// add adds a value under its name, unless the value is empty.
func (p *pairs) add(name, value string) {
	if value != "" {
		*p = append(*p, [2]string{name, value})
	}
}

func (c *pages) at(t *Time) string {
	if t == nil {
		return ""
	}
	local, utc := c.times(time.Time(*t))
	if local == "" {
		return utc
	}
	return local + " (" + utc + ")"
}

// times returns a time in UTC and in the zone of the certificate; local is empty
// if that zone is UTC.
func (c *pages) times(t time.Time) (local, utc string) {
	if c.Zone == time.UTC || c.Zone.String() == "UTC" {
		return "", words.UTC(t)
	}
	return c.Words.Stamp(t.In(c.Zone)), words.UTC(t)
}

// small is the style of explanatory text.
func small() page.Paragraph {
	return page.Paragraph{Size: 9, Color: text.Color{R: .29, G: .34, B: .4}, After: 5}
}

func (c *pages) head() {
	d, say := c.Evidence.Document, c.Words.Say
	c.flow.Heading(1, say("certificate.title"))
	c.flow.Paragraph(d.Title, page.Paragraph{Size: 13, After: 6})
	c.flow.Paragraph(say("certificate.intro"), small())
	c.flow.Space(4)
	var p pairs
	p.add(say("certificate.document"), d.Title)
	p.add(say("certificate.identifier"), d.ID)
	p.add(say("certificate.company"), c.Evidence.Company)
	p.add(say("certificate.sent_by"), c.Words.Mailbox(d.Owner.Name, d.Owner.Email))
	p.add(say("certificate.signatures"), say("certificate.count", "signed", strconv.Itoa(d.Signed), "total", strconv.Itoa(d.Total)))
	p.add(say("certificate.order"), say("certificate.order."+d.SigningOrder))
	p.add(say("certificate.created"), c.at(&d.CreatedAt))
	p.add(say("certificate.sent"), c.at(d.SentAt))
	p.add(say("certificate.completed"), c.at(d.CompletedAt))
	p.add(say("certificate.time_zone"), c.Zone.String())
	c.flow.KeyValues(p...)
}

// chapter begins a chapter, keeping its heading on the same page as its first part.
func (c *pages) chapter(name string) {
	c.flow.Need(partRoom + 40)
	c.flow.Heading(2, c.Words.Say(name))
}

func (c *pages) files() {
	say := c.Words.Say
	c.chapter("certificate.files")
	for i := range c.Evidence.Files {
		f := &c.Evidence.Files[i]
		c.flow.Need(partRoom)
		c.flow.Heading(3, f.Name)
		var p pairs
		p.add(say("certificate.uploaded"), f.ContentType+", "+say("certificate.bytes", "count", strconv.FormatInt(f.Size, 10)))
		p.add(say("certificate.page_count"), strconv.Itoa(f.Pages))
		if f.ConvertedBy != nil {
			p.add(say("certificate.converted_by"), c.Words.SayOr("certificate.converted_by."+*f.ConvertedBy, *f.ConvertedBy))
		}
		c.flow.KeyValues(p...)
		c.flow.Space(6)
		c.steps(f)
	}
}

// steps lists the hash of a file after each step.
func (c *pages) steps(f *File) {
	say := c.Words.Say
	t := page.Table{Head: []string{say("certificate.step"), say("certificate.length"), "SHA-256"}, Widths: []float64{2.6, 1, 6.1}, Size: 7.5}
	row := func(step string, size int64, sum string) {
		t.Rows = append(t.Rows, []string{step, strconv.FormatInt(size, 10), sum})
	}
	row(say("certificate.step.upload"), f.Size, f.SHA256)
	if f.BaseSHA256 != f.SHA256 {
		row(say("certificate.step.pdf"), f.BaseSize, f.BaseSHA256)
	}
	for _, r := range f.Revisions {
		name := ""
		if r.Signer != nil {
			name = r.Signer.Name
		}
		step := c.Words.Say("certificate.step."+r.Kind, "name", name)
		if r.RecordedFor != nil {
			step = c.Words.Say("certificate.recorded_by", "by", name, "name", r.RecordedFor.Name)
		}
		row(step, r.Total, r.SHA256)
	}
	c.flow.Table(t)
}

func (c *pages) events() {
	say := c.Words.Say
	c.chapter("certificate.events")
	t := page.Table{Head: []string{say("certificate.when"), say("certificate.what"), say("certificate.who"), say("certificate.from")}, Widths: []float64{3.4, 3, 3, 2.2}, Size: 7}
	for i := range c.Evidence.Events {
		t.Rows = append(t.Rows, c.event(&c.Evidence.Events[i]))
	}
	c.flow.Table(t)
}

// event returns one row: each cell has the readable form first and the exact one below.
func (c *pages) event(e *Event) []string {
	local, utc := c.times(time.Time(e.At))
	what := joinLines(c.Words.SayOr("certificate.event."+e.Type, e.Type), "("+e.Type+")")
	if by := e.Data["recorded_by"]; by != "" {
		what = joinLines(c.Words.Say("certificate.recorded_by", "by", by, "name", e.Data["recorded_for"]), what)
	}
	if email := e.Data["email"]; email != "" && email != e.ActorEmail {
		what = joinLines(what, email)
	}
	if fields := e.Data["fields"]; fields != "" {
		what = joinLines(what, fields)
	}
	who := joinLines(e.ActorName, e.ActorEmail)
	if c.invites(e.ActorEmail) { // others speak for their company, whatever their address
		who = joinLines(who, strings.TrimSpace(c.doubt(e.ActorDoubt)))
	}
	if e.ActorType == "system" {
		who = c.Words.Say("certificate.actor.system")
	}
	return []string{joinLines(local, utc), what, who, joinLines(e.IP, c.Words.Device(e.UserAgent))}
}

// invites reports whether one of the recipients was invited under an address.
func (c *pages) invites(email string) bool {
	return slices.ContainsFunc(c.Evidence.Signatories, func(p Signatory) bool { return strings.EqualFold(p.Email, email) })
}

// joinLines joins the non-empty parts, one per line.
func joinLines(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}

func (c *pages) howTo(evidence string) error {
	say := c.Words.Say
	c.chapter("certificate.check")
	c.flow.Paragraph(say("certificate.check.reader"), small())
	c.flow.Paragraph(say("certificate.check.command", "verify", "pdfsig FILE", "hash", "head -c BYTES FILE | sha256sum"), small())
	c.flow.Paragraph(say("certificate.check.chain"), small())
	c.flow.Paragraph(say("certificate.check.evidence", "name", EvidenceName, "extract", "pdfdetach -save 1 FILE"), small())
	if c.Evidence.Proof != nil {
		c.flow.Paragraph(say("certificate.check.checkpoint", "verify", "paraph verify --checkpoint CHECKPOINT FILE"), small())
	}
	c.flow.Space(4)
	p := pairs{
		{say("certificate.chain_head"), c.Evidence.ChainHead},
		{say("certificate.evidence_sum", "name", EvidenceName), evidence},
	}
	if err := c.checkpoint(&p); err != nil {
		return err
	}
	c.flow.KeyValues(p...)
	return nil
}

// checkpoint lists the checkpoint that the last event is under.
func (c *pages) checkpoint(p *pairs) error {
	proof, say := c.Evidence.Proof, c.Words.Say
	if proof == nil {
		return nil
	}
	head, err := tree.Read(proof.Checkpoint) // verified when the proof was made
	if err != nil {
		return err
	}
	id, err := tree.KeyID(proof.Key)
	if err != nil {
		return err
	}
	p.add(say("certificate.checkpoint"), say("certificate.checkpoint.events", "count", strconv.FormatInt(head.Size, 10)))
	p.add(say("certificate.checkpoint.time"), c.at((*Time)(&head.At)))
	p.add(say("certificate.checkpoint.root"), head.Root.String())
	p.add(say("certificate.checkpoint.key"), id)
	return nil
}
