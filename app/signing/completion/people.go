package completion

import (
	"cmp"
	"strconv"
	"strings"

	"paraph/app/pdf/text"
)

func (c *pages) people() error {
	c.chapter("certificate.people")
	for i := range c.Evidence.Signatories {
		if err := c.person(&c.Evidence.Signatories[i]); err != nil {
			return err
		}
	}
	return nil
}

// partRoom is the minimum height left on a page for a person's part, or a table, to
// start there.
const partRoom = 130

func (c *pages) person(p *Signatory) error {
	say := c.Words.Say
	c.flow.Need(partRoom)
	c.flow.Heading(3, p.Name)
	var list pairs
	list.add(say("certificate.email"), p.Email)
	list.add(say("certificate.role"), say("certificate.role."+p.Role))
	list.add(say("certificate.group"), p.Group)
	if by := p.NamedBy; by != nil {
		list.add(say("certificate.named_by"), c.mailbox(*by))
	}
	list.add(say("certificate.state"), c.state(p))
	list.add(say("certificate.asked"), c.at(p.NotifiedAt))
	list.add(say("certificate.viewed"), c.at(p.ViewedAt))
	c.flow.KeyValues(list...)
	if p.ActedAt != nil {
		if err := c.act(p); err != nil {
			return err
		}
	}
	c.flow.KeyValues(c.answers(p)...)
	return nil
}

// state describes what a person has done, depending on their role, or what was recorded for them.
func (c *pages) state(p *Signatory) string {
	state := p.Status
	switch {
	case p.Status == "replaced":
		return c.Words.Say("certificate.event.invitation.replaced")
	case p.RecordedBy != nil && p.Status == "declined":
		return c.recorded(p) + ": " + c.Words.Say("certificate.event.invitation.declined")
	case p.RecordedBy != nil:
		state = "recorded"
	case p.Role == "approver" && p.Status == "signed":
		state = "approved"
	case p.Role == "viewer" && p.Status == "notified":
		state = "copied"
	}
	return c.Words.Say("certificate.state." + state)
}

// recorded names who recorded an act in the person's name.
func (c *pages) recorded(p *Signatory) string {
	return c.Words.Say("certificate.recorded_by", "by", c.mailbox(*p.RecordedBy), "name", p.Name)
}

// answers returns what a person stated besides signing, or without signing.
func (c *pages) answers(p *Signatory) pairs {
	say := c.Words.Say
	var list pairs
	list.add(say("certificate.declined"), c.at(p.DeclinedAt))
	list.add(say("certificate.reason"), c.whyDeclined(p))
	if to := p.DelegatedTo; to != nil {
		key := "certificate.delegated_to"
		if p.Status == "replaced" {
			key = "certificate.event.invitation.replaced"
		}
		list.add(say(key), c.Words.Mailbox(to.Name, to.Email))
	}
	if len(p.FilledIn) > 0 {
		list.add(say("certificate.fields"), strings.Join(p.FilledIn, ", "))
	}
	for _, x := range p.Changed {
		by := c.Words.Mailbox(x.By.Name, x.By.Email)
		list.add(say("certificate.changed_by"), by+" ("+strings.Join(x.Fields, ", ")+")")
	}
	for _, x := range p.Answers {
		list.add(say("certificate.value", "field", x.Field), c.value(x))
	}
	return list
}

func (c *pages) whyDeclined(p *Signatory) string {
	if p.DeclinedCode == "" {
		return p.DeclinedReason
	}
	return strings.TrimSpace(c.Words.Say("term.reason."+p.DeclinedCode) + " " + p.DeclinedReason)
}

func (c *pages) value(x Answer) string {
	if x.Box {
		if x.Ticked {
			return c.Words.Say("certificate.yes")
		}
		return c.Words.Say("certificate.no")
	}
	return x.Value
}

// acted is the suffix of texts about people who did something other than signing.
func (p *Signatory) acted() string {
	switch {
	case p.Role == "assistant":
		return ".filled_in"
	case p.Certificate == "":
		return ".acted"
	}
	return ""
}

// act describes how a person signed, or confirmed, and shows the marks they used.
func (c *pages) act(p *Signatory) error {
	say := c.Words.Say
	done := map[string]string{"approver": "approved", "reader": "read", "assistant": "filled_in"}[p.Role]
	var list pairs
	when := c.at(p.ActedAt)
	if p.RecordedBy != nil {
		when += " · " + c.recorded(p)
	}
	list.add(say("certificate."+cmp.Or(done, "signed")), when)
	list.add(say("certificate.identified_by"), c.method(p))
	if p.Host == "" && p.Through == "signatory" {
		c.ways(&list, "certificate.link", p.Ways, false)
	}
	if p.Method == "email_code" {
		c.ways(&list, "certificate.code", p.Ways, true)
	}
	through := say("certificate.through.signatory")
	if p.Through != "signatory" {
		through = say("certificate.through.api", "who", p.Through+c.doubt(p.RecorderDoubt))
	}
	if p.Host != "" {
		list.add(say("certificate.host"), p.Host+c.doubt(p.HostDoubt))
	}
	list.add(say("certificate.through"+p.acted()), through)
	list.add(say("certificate.address"), p.IP)
	if p.UserAgent != "" {
		list.add(say("certificate.device"), c.Words.Device(p.UserAgent))
		list.add(say("certificate.agent"), p.UserAgent)
	}
	if p.Reading != "" {
		list.add(say("certificate.reading"), say("certificate.reading."+p.Reading, "pages", strconv.Itoa(p.Pages)))
	}
	c.flow.KeyValues(list...)
	if p.Certificate == "" {
		return nil
	}
	mark, err := c.mark(p.Mark)
	if err != nil {
		return err
	}
	kind := " (" + c.Words.SayOr("certificate.signature."+p.SignatureType, p.SignatureType) + ")"
	if p.RecordedBy != nil {
		kind, mark = "", text.Mark{Typed: say("certificate.recorded_by", "by", p.RecordedBy.Name, "name", p.Name), Face: "sans"}
	}
	c.flow.KeyMark(say("certificate.signature")+kind, mark, 190, 52)
	list = nil
	list.add(say("certificate.serial"), p.Certificate)
	c.flow.KeyValues(append(list, c.consent(p)...)...)
	return nil
}

// method describes how a person was identified.
func (c *pages) method(p *Signatory) string {
	method := c.Words.SayOr("certificate.method."+p.Method, p.Method)
	if p.Certificate == "" {
		return c.Words.SayOr("certificate.method."+p.Method+".acted", method)
	}
	return method
}

// ways adds the ways in which the link, or the code, was given to the person, under one name.
func (c *pages) ways(list *pairs, name string, ways []Way, code bool) {
	var lines []string
	for _, w := range ways {
		if w.Code == code {
			lines = append(lines, c.way(w))
		}
	}
	if len(lines) == 0 {
		lines = []string{c.Words.Say("certificate.way.none")}
	}
	list.add(c.Words.Say(name), strings.Join(lines, "\n"))
}

func (c *pages) way(w Way) string {
	who := c.mailbox(w.Who)
	if w.Token != "" {
		who += " (" + w.Token + ")"
	}
	return c.Words.Say("certificate.way."+w.Kind, "email", w.Email, "server", w.Server, "reply", w.Reply, "who", who) +
		" · " + c.at(&w.At)
}

// mailbox names a member, and says if the account may be somebody else's.
func (c *pages) mailbox(p Person) string {
	return c.Words.Mailbox(p.Name, p.Email) + c.doubt(p.Doubt)
}

// doubt says why an account may be somebody else's, "" if it is not in doubt.
func (c *pages) doubt(why string) string {
	if why == "" {
		return ""
	}
	return " (" + c.Words.Say("certificate.account."+why, "company", c.Evidence.Company) + ")"
}

func (c *pages) consent(p *Signatory) pairs {
	say := c.Words.Say
	var list pairs
	if !p.Consent {
		list.add(say("certificate.consent"), say("certificate.consent.none"))
		return list
	}
	list.add(say("certificate.consent"), say("certificate.consent.given"))
	if p.ConsentText != "" {
		list.add(say("certificate.consent.text"), p.ConsentText)
		list.add(say("certificate.consent.version"), p.ConsentSHA256[:12])
	}
	return list
}

// Mark is a person's signature or initials; one of Strokes, Picture and Typed is set.
type Mark struct {
	Strokes [][]text.Point
	Picture []byte // PNG
	Typed   string
	Face    string
	Color   text.Color
}

func (c *pages) mark(from Mark) (text.Mark, error) {
	m := text.Mark{Strokes: from.Strokes, Typed: from.Typed, Face: from.Face, Color: from.Color}
	var err error
	if from.Picture != nil {
		m.Picture, err = c.builder.Picture(from.Picture)
	}
	return m, err
}
