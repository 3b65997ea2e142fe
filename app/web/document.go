package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/signing"
)

// documentPage is the page of one document.
type documentPage struct {
	*signing.Document
	Base    string
	Here    string // address of this very page
	Mark    chipData
	Banner  banner
	Primary *menuEntry
	Actions []menuEntry
	More    []menuEntry
	Tabs    []tab
	Tab     string
	Aside   string // where it was put, in words; "" for nowhere
	Restore bool
	Purge   bool
	Live    liveData

	Sheets   []sheet       // overview
	People   []personView  // recipients
	Activity activity      // activity
	Files    []fileDetail  // files
	Sealed   []fileContent // what there is once completed
	Report   *reportView
}

// liveData is what the script that watches for changes begins with.
type liveData struct{ Document, After string }

// banner says where a document stands and what comes next.
type banner struct{ Kind, Icon, Title, Text, Quote string }

func (r *request) showDocument() error {
	d, actions, err := r.document(r.Params("id"))
	if err != nil {
		return err
	}
	p, err := r.documentPage(d, actions)
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "document", page{Title: d.Title, Data: p, Back: "/app/documents", Scripts: []string{"live.js"}})
}

func (r *request) documentPage(d *signing.Document, actions []signing.Action) (*documentPage, error) {
	p := &documentPage{Document: d, Base: "/app/documents/" + d.ID, Here: r.OriginalURL(), Tab: strings.Clone(r.Query("tab"))}
	switch p.Tab {
	case "recipients", "activity", "files":
	default:
		p.Tab = "overview"
	}
	p.Tabs = r.tabs(p.Tab, "overview", r.say("document.tab.overview"), "recipients", r.say("document.tab.recipients"),
		"activity", r.say("document.tab.activity"), "files", r.say("document.tab.files"))
	var err error
	if p.Mark, err = r.words.statusChip(d.Status.String()); err != nil {
		return nil, err
	}
	p.Banner = r.banner(d)
	p.Restore, p.Purge = slices.Contains(actions, signing.ActionRestore), slices.Contains(actions, signing.ActionPurge)
	switch {
	case d.DeletedAt != nil:
		p.Aside = r.say("document.deleted", "when", r.moment(*d.DeletedAt))
		if at := r.door.Signing.PurgesAt(d); at != nil {
			p.Aside += " " + r.say("document.purged", "day", r.words.date(at.In(r.who.Zone())))
		}
	case d.ArchivedAt != nil:
		p.Aside = r.say("document.archived", "when", r.moment(*d.ArchivedAt))
	}
	r.offer(p, actions)
	if p.Live, err = r.live(d.ID); err != nil {
		return nil, err
	}
	return p, r.fillTab(p)
}

func (r *request) fillTab(p *documentPage) (err error) {
	switch p.Tab {
	case "overview":
		p.Sheets = r.pictures(p.Document)
	case "recipients":
		p.People = r.people(p.Document)
	case "activity":
		p.Activity, err = r.activity(p.Document)
	case "files":
		p.Files, p.Sealed = r.filesOf(p.Document), r.sealedOf(p.Document)
		if id := r.Query("verify"); id != "" {
			p.Report, err = r.verifyFile(p.Document, id)
		}
	}
	return err
}

// live is the place in what happens from which a page goes on watching.
func (r *request) live(document string) (liveData, error) {
	last, err := r.door.Signing.LastEvent(r.UserContext(), r.who.Actor)
	return liveData{document, last}, err
}

func (r *request) moment(t time.Time) string { return r.words.moment(t.In(r.who.Zone())) }

// first are the actions that come first in a state: what people mostly want.
var first = map[signing.Status][]signing.Action{
	signing.Draft:           {signing.ActionEdit},
	signing.PendingApproval: {signing.ActionApprove, signing.ActionWithdraw},
	signing.Approved:        {signing.ActionSend},
	signing.Rejected:        {signing.ActionReopen},
	signing.Sent:            {signing.ActionSign, signing.ActionRemind},
	signing.Completed:       {signing.ActionDownload},
	signing.Expired:         {signing.ActionExtend},
	signing.Voided:          {signing.ActionDuplicate},
}

// offer sorts the actions into the one that comes first, the others, and those
// behind "More". Nothing is offered but what the heart allows.
func (r *request) offer(p *documentPage, actions []signing.Action) {
	main := signing.Action("")
	if p.DeletedAt == nil && p.ArchivedAt == nil {
		if i := slices.IndexFunc(first[p.Status], func(a signing.Action) bool { return slices.Contains(actions, a) }); i >= 0 {
			main = first[p.Status][i]
		}
	}
	for _, a := range actions {
		e, ok := r.documentAction(p.Document, a, p.Here)
		switch {
		case !ok:
		case a == main:
			p.Primary = &e
		case slices.Contains([]signing.Action{signing.ActionDuplicate, signing.ActionArchive, signing.ActionDelete, signing.ActionVoid}, a):
			p.More = append(p.More, e)
		default:
			p.Actions = append(p.Actions, e)
		}
	}
}

// documentAction is an action on the page of its document.
func (r *request) documentAction(d *signing.Document, a signing.Action, here string) (menuEntry, bool) {
	at := "/app/documents/" + d.ID + "/"
	switch a {
	case signing.ActionReplace, signing.ActionRestore, signing.ActionPurge:
		return menuEntry{}, false // beside the person, and beside the words on where it is
	case signing.ActionSend:
		return menuEntry{Text: r.say("act.send"), Icon: "sent", Href: at + "review"}, true
	case signing.ActionSubmit, signing.ActionApprove, signing.ActionWithdraw, signing.ActionReopen:
		return menuEntry{Text: r.say("act." + string(a)), Icon: map[signing.Action]string{signing.ActionSubmit: "hourglass", signing.ActionApprove: "shield-ok"}[a], Action: at + string(a)}, true
	case signing.ActionReject:
		return menuEntry{Text: r.say("act.reject"), Icon: "shield-no", Href: at + "reject", Dialog: true}, true
	}
	return r.menuEntry(d, a, here)
}

// banner words the state of a document.
func (r *request) banner(d *signing.Document) banner {
	word := d.Status.String()
	look := statusLooks[word]
	b := banner{Kind: look.Kind, Icon: look.Icon}
	approver := ""
	if d.Approver != nil {
		approver = cmp.Or(d.Approver.Name, d.Approver.Email)
	}
	done := d.ProgressOf()
	pairs := []any{"approver", approver, "owner", cmp.Or(d.Owner.Name, d.Owner.Email), "done", done.Signed, "n", done.Total, "names", r.names(d.WaitingFor())}
	for name, at := range map[string]*time.Time{"created": &d.CreatedAt, "submitted": d.SubmittedAt, "approved": d.ApprovedAt, "rejected": d.RejectedAt, "sent": d.SentAt,
		"completed": d.CompletedAt, "expired": d.ExpiredAt, "voided": d.VoidedAt, "expires": d.ExpiresAt} {
		if at != nil {
			pairs = append(pairs, name, r.moment(*at))
		}
	}
	key := word
	switch {
	case d.Status == signing.PendingApproval && approver == "":
		key = "pending_any"
	case d.Attention != "":
		key, b.Kind, b.Icon = d.Attention, "warn", "alert"
		if d.Attention == signing.AttentionDeclined {
			b.Kind = "danger"
		}
		b.Quote = d.AttentionText
	case d.Status == signing.Rejected:
		b.Quote = d.RejectedReason
	case d.Status == signing.Voided:
		b.Quote = d.VoidedReason
	}
	b.Title, b.Text = r.say("banner."+key, pairs...), r.say("banner."+key+".next", pairs...)
	if d.Status != signing.Sent || d.Attention != "" {
		return b
	}
	if at := d.NextReminder(r.door.Now()); at != nil {
		b.Text += " " + r.say("banner.reminder", "when", r.moment(*at))
	}
	if d.ExpiresAt != nil {
		b.Text += " " + r.say("banner.deadline", "when", r.moment(*d.ExpiresAt))
	}
	return b
}

func (r *request) names(all []string) string {
	if len(all) > 3 {
		return r.say("banner.names", "names", strings.Join(all[:3], ", "), "n", len(all)-3)
	}
	return strings.Join(all, ", ")
}

// pictures are the pages of all files as they stand.
func (r *request) pictures(d *signing.Document) []sheet {
	var out []sheet
	total := 0
	for i := range d.Files {
		total += len(d.Files[i].Pages)
	}
	for i := range d.Files {
		f := &d.Files[i]
		for n, size := range f.Pages {
			k := len(out) + 1
			x := sheet{ID: "p" + strconv.Itoa(k), Label: r.say("sign.page", "n", k, "total", total), Lazy: k > 2, Width: 640,
				Src:    fmt.Sprintf("/app/documents/%s/pages/%s/%d.png?w=640&v=%.8s", d.ID, f.ID, n+1, f.Current()),
				Height: max(1, int(640*size.Height/max(size.Width, 1)+.5))}
			if n == 0 {
				x.FileName = f.Name
			}
			out = append(out, x)
		}
	}
	return out
}

// personView is a person invited, on the page of the document.
type personView struct {
	*signing.Invitation
	Badge           badge
	RoleText, State string
	Facts           []fact
	Problem         string
	Next            string // who took over
	Link            string
	Own             bool
	Remind, Replace bool
	Host            bool // the reader may hand them a device to sign on
}

// fact is something that happened, with its time.
type fact struct {
	Text string
	At   time.Time
}

func (r *request) people(d *signing.Document) []personView {
	var out []personView
	n := 0
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		v := personView{Invitation: inv, RoleText: r.say("person.role." + inv.Role), State: r.say("person." + inv.Status), Badge: r.words.badge(n, inv.Name, inv.Status)}
		if inv.Status == signing.Delegated {
			v.Badge = badge{Letter: "–", State: signing.Pending, Name: inv.Name, Text: v.Badge.Text}
		} else {
			n++
		}
		v.Facts = r.facts(inv)
		if d.Attention == signing.AttentionMailFailed && strings.Contains(d.AttentionText, inv.Email) {
			v.Problem = d.AttentionText
		}
		if next := d.Invitation(inv.DelegatedTo); next != nil {
			v.Next = next.Name
		}
		may := d.InvitationActions(r.who.Actor, inv, r.door.Now())
		v.Remind, v.Replace, v.Own = slices.Contains(may, signing.ActionRemind), slices.Contains(may, signing.ActionReplace), slices.Contains(may, signing.ActionSign)
		v.Host = !v.Own && d.MayHost(r.who.Actor, inv, r.door.Now())
		if r.who.Actor.Can(account.ScopeWrite) || v.Own {
			v.Link = r.door.Signing.SignURL(d, inv, r.site())
		}
		out = append(out, v)
	}
	return out
}

func (r *request) facts(inv *signing.Invitation) []fact {
	var out []fact
	for _, x := range []struct {
		word string
		at   *time.Time
	}{{"notified", inv.NotifiedAt}, {"viewed", inv.ViewedAt}, {"reminded", inv.RemindedAt}, {"signed", inv.SignedAt}, {"declined", inv.DeclinedAt}} {
		if x.at != nil {
			out = append(out, fact{r.say("person.at."+x.word, "n", inv.RemindersSent), *x.at})
		}
	}
	return out
}
