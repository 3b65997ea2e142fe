package documents

import (
	"cmp"
	"slices"
	"time"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
	"paraph/app/words"
)

// personView is a recipient on the document's page.
type personView struct {
	*record.Invitation
	Badge           page.Badge
	RoleText, State string
	Chip            string // kind of the chip that shows the state
	Facts           []fact
	Recorded        string // who acted or declined in their name, or replaced them
	Problem         string
	WhyDeclined     string
	Next            string // name of the person they passed the invitation on to
	Namer           string // who named them as the next recipient
	Link            string
	Own             bool
	Remind, Replace bool
	Code            bool // the reader may set their access code
	Asked           bool // they may have asked for a code that the reader can pass on
	Host            bool // the reader may hand them their device for signing
}

// chipKinds are the kinds of the chips of recipients' states, where not the plain one.
var chipKinds = map[string]string{
	record.Viewed: "info", record.Signed: "ok", record.FilledIn: "ok", record.Read: "ok", record.Declined: "danger",
}

// Latest returns what a recipient did last, or what was last done for them, nil if nothing was.
func (v personView) Latest() *fact {
	var last *fact
	for i := range v.Facts {
		if last == nil || v.Facts[i].At.After(last.At) {
			last = &v.Facts[i]
		}
	}
	return last
}

// fact is a date in the history of an invitation.
type fact struct {
	Text string
	At   time.Time
}

func (h *Handlers) people(r *page.Request, d *record.Document) ([]personView, error) {
	namers, err := namersIn(h.Trail, r, d)
	if err != nil {
		return nil, err
	}
	var out []personView
	n := 0
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		v := personView{Invitation: inv, RoleText: r.Say("person.role." + inv.Role), State: r.Say("person." + inv.Status),
			Chip: chipKinds[inv.Status], Badge: page.NewBadge(r.Words, n, inv.DisplayName(), inv.Status)}
		if inv.Status == record.Delegated || inv.Status == record.NotNeeded {
			v.Badge = page.Badge{Letter: "–", State: record.Pending, Name: inv.Name, Text: v.Badge.Text}
		} else {
			n++
		}
		if inv.RecordedBy != nil {
			v.Recorded = recorded(r.Words, inv)
		}
		if inv.Replaced() {
			v.State = r.Say("certificate.event.invitation.replaced")
		}
		v.Facts, v.WhyDeclined = facts(r, inv), inv.WhyDeclined().Sentence(r.Words.SayOf)
		if by := inv.RecordedBy; by != nil {
			v.WhyDeclined = by.Why.Sentence(r.Words.SayOf)
		}
		if d.Attention.Concerns(inv) {
			v.Problem = d.AttentionSentence(r.Words.SayOf)
		}
		if next := d.Invitation(inv.DelegatedTo); next != nil {
			v.Next = next.Name
		}
		v.Namer = namers[inv.ID]
		may := d.InvitationActions(r.Who.Call.Actor, inv, h.Now(r.Who.Company.ID))
		v.Remind, v.Replace, v.Own = slices.Contains(may, record.ActionRemind),
			slices.Contains(may, record.ActionReplace), slices.Contains(may, inv.Action())
		v.Code = slices.Contains(may, record.ActionCode)
		v.Asked = !h.Mails() && inv.Authentication == record.ByEmailCode && inv.NotifiedAt != nil &&
			signing.MaySeeLinks(r.Who.Call)
		v.Host = !v.Own && d.MayHost(r.Who.Call.Actor, inv, h.Now(r.Who.Company.ID))
		if v.Link = h.Sending.SignURL(r.Who.Call, d, inv, r.BaseURL()); v.Link == "" && v.Own {
			v.Link = h.Sending.OwnURL(r.Who.Call, d, inv, r.BaseURL())
		}
		out = append(out, v)
	}
	return out, nil
}

// namersIn returns who named the people whom the recipient before them named, by invitation.
func namersIn(events *trail.Trail, r *page.Request, d *record.Document) (map[string]string, error) {
	named := func(inv record.Invitation) bool { return inv.NamedByPrevious && !inv.Unnamed() }
	if !slices.ContainsFunc(d.Invitations, named) {
		return nil, nil
	}
	q := trail.EventsQuery{Page: 1, PerPage: maxEvents}
	entries, _, err := events.Events(r.Who.Call, d.ID, q)
	out := map[string]string{}
	for _, e := range entries {
		if e.Value.Type == record.EventInvitationNamed {
			out[e.Value.Invitation] = cmp.Or(e.Value.ActorName, e.Value.ActorEmail)
		}
	}
	return out, err
}

// recorded states who did something in the person's name.
func recorded(l *words.Language, inv *record.Invitation) string {
	return l.Say("certificate.recorded_by", "by", cmp.Or(inv.RecordedBy.Name, inv.RecordedBy.Email), "name", inv.DisplayName())
}

func facts(r *page.Request, inv *record.Invitation) []fact {
	var out []fact
	for _, x := range []struct {
		word string
		at   *time.Time
	}{{"notified", inv.NotifiedAt}, {"viewed", inv.ViewedAt}, {"reminded", inv.RemindedAt}, {"signed", inv.SignedAt},
		{"filled_in", inv.FilledInAt}, {"read", inv.ReadAt}, {"declined", inv.DeclinedAt}} {
		if x.at != nil {
			out = append(out, fact{r.Say("person.at."+x.word, "n", inv.RemindersSent), *x.at})
		}
	}
	return out
}

// RevealCode shows the code that a recipient asked for, if there is no mail server.
func (h *Handlers) RevealCode(r *page.Request) error {
	back := "/app/documents/" + r.Params("id")
	m, err := h.Notify.RevealCode(r.Who.Call, r.Params("id"), r.Params("invitation"))
	if fault.KindOf(err) == fault.KindNotFound {
		r.Flash("warn", "act.nocode")
		return r.SeeOther(back)
	}
	if err != nil {
		return err
	}
	return r.ShowSecrets(r.Say("handed.code", "name", m.ToName), m.ToName, m.Secrets, back)
}

// Sign redirects the reader to their own signing page, and records that they got
// their link here.
func (h *Handlers) Sign(r *page.Request) error {
	link, err := h.Sending.OpenOwnLink(r.Who.Call, r.Params("id"), r.Params("invitation"))
	if fault.KindOf(err) == fault.KindConflict {
		r.Flash("warn", "act.refused", "why", r.Explain(r.FailureOf(err)))
		return r.SeeOther("/app/documents/" + r.Params("id"))
	}
	if err != nil {
		return err
	}
	return r.SeeOther(link)
}

// ShowLink shows a recipient's link to the reader, who passes it on.
func (h *Handlers) ShowLink(r *page.Request) error {
	back := "/app/documents/" + r.Params("id")
	link, err := h.Sending.ShowLink(r.Who.Call, r.Params("id"), r.Params("invitation"), r.BaseURL())
	if fault.KindOf(err) == fault.KindConflict {
		r.Flash("warn", "act.refused", "why", r.Explain(r.FailureOf(err)))
		return r.SeeOther(back)
	}
	if err != nil {
		return err
	}
	d, err := h.Completion.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	name := d.Invitation(r.Params("invitation")).Name
	return r.ShowSecrets(r.Say("handed.sign", "name", name), name, []string{link}, back)
}
