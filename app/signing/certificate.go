package signing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/pdf"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
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
	seal := s.seal(ctx, f, signer, s.timestamper(), now, company.Name, s.wordings.of(d.Locale).say("title"))
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

// evidenceName is the machine-readable copy inside the certificate.
const evidenceName = "evidence.json"

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
	words := s.wordings.of(d.Locale)
	b := page.New(s.Fonts, page.Info{Title: words.say("title") + ": " + d.Title, Author: company.Name, Language: words.language, Creator: "Paraph", Created: now})
	b.Attach(page.Attachment{Name: evidenceName, MediaType: "application/json", Relationship: "Data",
		Description: words.say("evidence_note"), Modified: now, Data: data})
	c := certificatePages{service: s, document: d, company: company, evidence: e, zone: zone, words: words, builder: b}
	c.flow = b.Flow(page.Layout{RightToLeft: words.rightToLeft, Header: c.header, Footer: c.footer})
	c.head()
	if err := c.people(); err != nil {
		return err
	}
	c.files()
	c.events()
	sum := sha256.Sum256(data)
	c.howTo(hex.EncodeToString(sum[:]))
	_, err = b.Write(w)
	return err
}

// certificatePages sets the certificate, chapter by chapter.
type certificatePages struct {
	service  *Service
	document *Document
	company  account.Company
	evidence *evidenceJSON
	builder  *page.Builder
	flow     *page.Flow
	zone     *time.Location
	words    *wording
}

func (c *certificatePages) header(page, _ int) (start, end string) {
	if page == 1 {
		return "", ""
	}
	return c.words.say("title"), c.document.ID
}

func (c *certificatePages) footer(page, pages int) (start, end string) {
	return c.company.Name + " · Paraph", fmt.Sprintf("%d / %d", page, pages)
}

// pairs are names and values under each other.
type pairs [][2]string

// add says something under the name that a wording gives, unless it is nothing.
func (p *pairs) add(name, value string) {
	if value != "" {
		*p = append(*p, [2]string{name, value})
	}
}

func (c *certificatePages) at(t *time.Time) string {
	if t == nil {
		return ""
	}
	return c.words.time(*t, c.zone)
}

// small is the look of text that explains.
func small() page.Paragraph {
	return page.Paragraph{Size: 9, Color: text.Color{R: .29, G: .34, B: .4}, After: 5}
}

func (c *certificatePages) head() {
	d, say := c.document, c.words.say
	c.flow.Heading(1, say("title"))
	c.flow.Paragraph(d.Title, page.Paragraph{Size: 13, After: 6})
	c.flow.Paragraph(say("intro"), small())
	c.flow.Space(4)
	signed, total := d.progress()
	var p pairs
	p.add(say("document"), d.Title)
	p.add(say("identifier"), d.ID)
	p.add(say("company"), c.company.Name)
	p.add(say("sent_by"), c.words.address(d.Owner.Name, d.Owner.Email))
	p.add(say("signatures"), say("count", "signed", strconv.Itoa(signed), "total", strconv.Itoa(total)))
	p.add(say("order"), say("order."+d.SigningOrder))
	p.add(say("created"), c.at(&d.CreatedAt))
	p.add(say("sent"), c.at(d.SentAt))
	p.add(say("completed"), c.at(d.CompletedAt))
	p.add(say("time_zone"), c.zone.String())
	c.flow.KeyValues(p...)
}

// chapter begins one, and keeps its heading with the first part in it.
func (c *certificatePages) chapter(name string) {
	c.flow.Need(partRoom + 40)
	c.flow.Heading(2, c.words.say(name))
}

// address names a person with their mailbox.
func (w *wording) address(name, email string) string {
	switch {
	case email == "":
		return name
	case name == "":
		return email
	case w.rightToLeft: // angle brackets are not turned in pairs (UAX #9, BD16)
		return name + " (" + email + ")"
	}
	return name + " <" + email + ">"
}

func (c *certificatePages) people() error {
	c.chapter("people")
	for i := range c.document.Invitations {
		if err := c.person(&c.document.Invitations[i]); err != nil {
			return err
		}
	}
	return nil
}

// partRoom is the height that a person's part, or a table, begins with at least.
const partRoom = 130

func (c *certificatePages) person(inv *Invitation) error {
	say := c.words.say
	c.flow.Need(partRoom)
	c.flow.Heading(3, inv.Name)
	var p pairs
	p.add(say("email"), inv.Email)
	p.add(say("role"), say("role."+inv.Role))
	p.add(say("state"), say("state."+stateOf(inv)))
	p.add(say("asked"), c.at(inv.NotifiedAt))
	p.add(say("viewed"), c.at(inv.ViewedAt))
	c.flow.KeyValues(p...)
	if inv.Evidence != nil {
		if err := c.act(inv, inv.Evidence); err != nil {
			return err
		}
	}
	c.flow.KeyValues(c.answers(inv)...)
	return nil
}

// stateOf is the word for what a person has done, by their role.
func stateOf(inv *Invitation) string {
	switch {
	case inv.Role == Approver && inv.Status == Signed:
		return "approved"
	case inv.Role == Viewer && inv.Status == Notified:
		return "copied"
	}
	return inv.Status
}

// answers are what a person said without or besides signing.
func (c *certificatePages) answers(inv *Invitation) pairs {
	say := c.words.say
	var p pairs
	p.add(say("declined"), c.at(inv.DeclinedAt))
	p.add(say("reason"), inv.DeclinedReason)
	if to := c.document.invitation(inv.DelegatedTo); to != nil {
		p.add(say("delegated_to"), c.words.address(to.Name, to.Email))
	}
	for _, x := range c.document.fieldsOf(inv.ID) {
		if x.Filled && !x.drawn() {
			p.add(say("value", "field", x.called()), c.value(x))
		}
	}
	return p
}

// called is what a field is called before people: its label, its name, or its type.
func (x *Field) called() string {
	switch {
	case x.Label != "":
		return x.Label
	case x.Name != "":
		return x.Name
	}
	return x.Type
}

func (c *certificatePages) value(x *Field) string {
	if x.Type == "checkbox" || x.Type == "radio" && len(x.Options) == 0 {
		if x.Value == checked {
			return c.words.say("yes")
		}
		return c.words.say("no")
	}
	return x.Value
}

// act says how a person signed, and shows what they signed with.
func (c *certificatePages) act(inv *Invitation, ev *Evidence) error {
	say := c.words.say
	done := "signed"
	if inv.Role == Approver {
		done = "approved"
	}
	var p pairs
	p.add(say(done), c.at(&ev.At))
	p.add(say("identified_by"), c.words.sayOr("method."+ev.Method, ev.Method))
	through := say("through.signatory")
	if ev.Through != "signatory" {
		through = say("through.api", "who", ev.Through)
	}
	if ev.Host != "" {
		p.add(say("host"), ev.Host)
	}
	p.add(say("through"), through)
	p.add(say("address"), ev.IP)
	if ev.UserAgent != "" {
		p.add(say("device"), c.words.device(ev.UserAgent))
		p.add(say("agent"), ev.UserAgent)
	}
	c.flow.KeyValues(p...)
	mark, err := c.mark(ev)
	if err != nil {
		return err
	}
	c.flow.KeyMark(say("signature")+" ("+c.words.sayOr("signature."+ev.SignatureType, ev.SignatureType)+")", mark, 190, 52)
	p = nil
	p.add(say("serial"), ev.Serial)
	c.flow.KeyValues(append(p, c.consent(ev)...)...)
	return nil
}

func (c *certificatePages) consent(ev *Evidence) pairs {
	say := c.words.say
	var p pairs
	if !ev.Consent {
		p.add(say("consent"), say("consent.none"))
		return p
	}
	p.add(say("consent"), say("consent.given"))
	if ev.ConsentText != "" {
		p.add(say("consent.text"), ev.ConsentText)
		p.add(say("consent.version"), consentVersion(ev.ConsentText)[:12])
	}
	return p
}

// consentVersion tells one wording of the consent from every other.
func consentVersion(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// mark is what a person signed with.
func (c *certificatePages) mark(ev *Evidence) (text.Mark, error) {
	m := text.Mark{Color: colorOf(ev.Ink), Face: ev.Face}
	switch {
	case len(ev.Strokes) > 0:
		var err error
		m.Strokes, err = unpackStrokes(ev.Strokes)
		return m, err
	case ev.Picture != "":
		f, err := c.service.Blobs.Open(ev.Picture)
		if err != nil {
			return m, err
		}
		data, err := io.ReadAll(f)
		if err := closing(err, f.Close); err != nil {
			return m, err
		}
		m.Picture, err = c.builder.Picture(data)
		return m, err
	}
	m.Typed = ev.Typed
	return m, nil
}

func (c *certificatePages) files() {
	say := c.words.say
	c.chapter("files")
	for i, f := range c.evidence.Files {
		c.flow.Need(partRoom)
		c.flow.Heading(3, f.Name)
		var p pairs
		p.add(say("uploaded"), f.ContentType+", "+say("bytes", "count", strconv.FormatInt(f.Size, 10)))
		p.add(say("page_count"), strconv.Itoa(f.Pages))
		if f.ConvertedBy != nil {
			p.add(say("converted_by"), c.words.sayOr("converted_by."+*f.ConvertedBy, *f.ConvertedBy))
		}
		c.flow.KeyValues(p...)
		c.flow.Space(6)
		c.steps(f, &c.document.Files[i])
	}
}

// steps lists the hash of a file as it was after each step.
func (c *certificatePages) steps(f evidenceFile, x *File) {
	say := c.words.say
	t := page.Table{Head: []string{say("step"), say("length"), "SHA-256"}, Widths: []float64{2.6, 1, 6.1}, Size: 7.5}
	row := func(step string, size int64, sum string) {
		t.Rows = append(t.Rows, []string{step, strconv.FormatInt(size, 10), sum})
	}
	row(say("step.upload"), f.Size, f.SHA256)
	if f.BaseSHA256 != f.SHA256 {
		row(say("step.pdf"), x.BaseSize, f.BaseSHA256)
	}
	for i, r := range f.Revisions {
		name := ""
		if inv := c.document.invitation(x.Revisions[i].Invitation); inv != nil {
			name = inv.Name
		}
		row(c.words.say("step."+r.Kind, "name", name), r.Total, r.SHA256)
	}
	c.flow.Table(t)
}

func (c *certificatePages) events() {
	say := c.words.say
	c.chapter("events")
	t := page.Table{Head: []string{say("when"), say("what"), say("who"), say("from")}, Widths: []float64{3.4, 3, 3, 2.2}, Size: 7}
	for i := range c.evidence.Events {
		t.Rows = append(t.Rows, c.event(&c.evidence.Events[i]))
	}
	c.flow.Table(t)
}

// event is one row: each cell has what people read first, and below it what is
// exact.
func (c *certificatePages) event(e *evidenceEvent) []string {
	when := e.At
	if at, err := time.Parse(timeLayout, e.At); err == nil {
		local, utc := c.words.times(at, c.zone)
		when = lined(local, utc)
	}
	what := lined(c.words.sayOr("event."+e.Type, e.Type), "("+e.Type+")")
	if email := e.Data["email"]; email != "" && email != e.ActorEmail {
		what = lined(what, email)
	}
	who := lined(e.ActorName, e.ActorEmail)
	if e.ActorType == "system" {
		who = c.words.say("actor.system")
	}
	return []string{when, what, who, lined(e.IP, c.words.device(e.UserAgent))}
}

// lined sets parts under each other and leaves out what is empty.
func lined(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}

func (c *certificatePages) howTo(evidence string) {
	say := c.words.say
	c.chapter("check")
	c.flow.Paragraph(say("check.reader"), small())
	c.flow.Paragraph(say("check.command", "verify", "pdfsig FILE", "hash", "head -c BYTES FILE | sha256sum"), small())
	c.flow.Paragraph(say("check.chain"), small())
	c.flow.Paragraph(say("check.evidence", "name", evidenceName, "extract", "pdfdetach -save 1 FILE"), small())
	c.flow.Space(4)
	c.flow.KeyValues(
		[2]string{say("chain_head"), c.evidence.ChainHead},
		[2]string{say("evidence_sum", "name", evidenceName), evidence},
	)
}
