package documents

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/signer"
)

// documentPage is the page of one document.
type documentPage struct {
	*record.Document
	Base    string
	Here    string // address of this page
	Mark    page.Chip
	Banner  banner
	Primary *menuEntry
	Actions []menuEntry
	More    []menuEntry
	Tabs    []page.Tab
	Tab     string
	Aside   string // notice that it is archived or in the trash, or ""
	Restore bool
	Purge   bool
	Live    liveData

	Sheets   []signer.Sheet // overview
	People   []personView   // recipients
	Activity activity       // activity
	Files    []fileDetail   // files
	Sealed   []fileContent  // downloads of the document as a whole
	Report   *public.ReportView
}

// liveData is the data for the script that watches for changes.
type liveData struct{ Document, After string }

// Show serves the page of a document.
func (h *Handlers) Show(r *page.Request) error {
	d, actions, err := h.document(r, r.Params("id"))
	if err != nil {
		return err
	}
	if d.Template {
		return r.SeeOther("/app/templates/" + d.ID)
	}
	p, err := h.documentPage(r, d, actions)
	if err != nil {
		return err
	}
	frame := page.Page{Title: d.Title, Back: "/app/documents", Scripts: []string{"live.js"}}
	return documentTemplate.Render(r, http.StatusOK, page.With(frame, p))
}

func (h *Handlers) documentPage(r *page.Request, d *record.Document, actions []record.Action) (*documentPage, error) {
	p := &documentPage{Document: d, Base: "/app/documents/" + d.ID, Here: r.OriginalURL(), Tab: strings.Clone(r.Query("tab"))}
	switch p.Tab {
	case "recipients", "activity", "files":
	default:
		p.Tab = "overview"
	}
	p.Tabs = r.Tabs(p.Tab, "overview", r.Say("document.tab.overview"), "recipients", r.Say("document.tab.recipients"),
		"activity", r.Say("document.tab.activity"), "files", r.Say("document.tab.files"))
	var err error
	if p.Mark, err = page.StatusChip(r.Words, d.Status.String()); err != nil {
		return nil, err
	}
	switch {
	case declined(d) != nil:
		p.Mark = declinedChip(r)
	case d.SendAt != nil:
		p.Mark = scheduledChip(r)
	}
	p.Banner = h.banner(r, d)
	p.Primary = replaceDeclined(r, p, h.Now(r.Who.Company.ID))
	p.Restore, p.Purge = slices.Contains(actions, record.ActionRestore), slices.Contains(actions, record.ActionPurge)
	switch {
	case d.DeletedAt != nil:
		p.Aside = r.Say("document.deleted", "when", moment(r, *d.DeletedAt))
		if at := h.Sending.PurgesAt(d); at != nil {
			p.Aside += " " + r.Say("document.purged", "day", r.Words.Date(at.In(r.Who.Zone())))
		}
	case d.ArchivedAt != nil:
		p.Aside = r.Say("document.archived", "when", moment(r, *d.ArchivedAt))
	}
	h.offer(r, p, actions)
	if p.Live, err = h.live(r, d.ID); err != nil {
		return nil, err
	}
	return p, h.fillTab(r, p)
}

func (h *Handlers) fillTab(r *page.Request, p *documentPage) (err error) {
	switch p.Tab {
	case "overview":
		p.Sheets = pictures(r, p.Document)
		p.People, err = h.people(r, p.Document)
	case "recipients":
		p.People, err = h.people(r, p.Document)
	case "activity":
		p.Activity, err = h.activity(r, p.Document)
	case "files":
		p.Files, p.Sealed = filesOf(r, p.Document), sealedOf(r, p.Document)
		if id := r.Query("verify"); id != "" {
			p.Report, err = h.verifyFile(r, p.Document, id)
		}
	}
	return err
}

// live returns the position in the event log from which a page watches for changes.
func (h *Handlers) live(r *page.Request, document string) (liveData, error) {
	last, err := h.Trail.LastEvent(r.Who.Call)
	return liveData{document, last}, err
}

func moment(r *page.Request, t time.Time) string { return r.Words.Moment(t.In(r.Who.Zone())) }

// primaryActions lists the primary actions of each state.
var primaryActions = map[record.Status][]record.Action{
	record.Draft:           {record.ActionEdit},
	record.PendingApproval: {record.ActionApprove, record.ActionWithdraw},
	record.Approved:        {record.ActionSend},
	record.Rejected:        {record.ActionReopen},
	record.Sent:            {record.ActionSign, record.ActionSeal, record.ActionRemind},
	record.Completed:       {record.ActionDownload},
	record.Expired:         {record.ActionExtend},
	record.Voided:          {record.ActionDuplicate},
}

// offer divides the possible actions into the primary one, those with a button of
// their own, and those under "More".
func (h *Handlers) offer(r *page.Request, p *documentPage, actions []record.Action) {
	main := record.Action("")
	if p.Primary == nil && p.DeletedAt == nil && p.ArchivedAt == nil {
		if i := slices.IndexFunc(primaryActions[p.Status],
			func(a record.Action) bool { return slices.Contains(actions, a) }); i >= 0 {
			main = primaryActions[p.Status][i]
		}
	}
	for _, a := range actions {
		e, ok := h.documentAction(r, p.Document, a, p.Here)
		switch {
		case !ok:
		case a == main:
			p.Primary = &e
		case a == record.ActionDownload && p.Status == record.Draft, // nothing is signed yet
			slices.Contains([]record.Action{record.ActionDuplicate, record.ActionArchive, record.ActionDelete,
				record.ActionVoid}, a):
			p.More = append(p.More, e)
		default:
			p.Actions = append(p.Actions, e)
		}
	}
	if r.Who.Call.Can(account.ScopeWrite) && p.DeletedAt == nil {
		p.More = append(p.More, menuEntry{Text: r.Say("act.template"), Icon: "file", Action: p.Base + "/template"})
	}
}

// replaceDeclined returns the action to let somebody else sign for the person who declined, nil if the
// reader can't take it.
func replaceDeclined(r *page.Request, p *documentPage, now time.Time) *menuEntry {
	inv := declined(p.Document)
	if inv == nil || !slices.Contains(p.InvitationActions(r.Who.Call.Actor, inv, now), record.ActionReplace) {
		return nil
	}
	return &menuEntry{Text: r.Say("act.replace"), Icon: "users", Dialog: true,
		Href: p.Base + "/replace" + page.QueryString("invitation", inv.ID) + "&" + url.Values{"next": {p.Here}}.Encode()}
}

// documentAction returns the menu entry of an action for the document's own page.
func (h *Handlers) documentAction(
	r *page.Request, d *record.Document, a record.Action, here string,
) (menuEntry, bool) {
	at := "/app/documents/" + d.ID + "/"
	switch a {
	case record.ActionReplace, record.ActionRestore, record.ActionPurge:
		return menuEntry{}, false // shown beside the recipient, or beside the notice about the trash
	case record.ActionSend:
		return menuEntry{Text: r.Say("act.send"), Icon: "sent", Href: at + "review"}, true
	case record.ActionSubmit, record.ActionApprove, record.ActionWithdraw, record.ActionReopen,
		record.ActionCallOff:
		icon := map[record.Action]string{record.ActionSubmit: "hourglass", record.ActionApprove: "shield-ok"}[a]
		return menuEntry{Text: r.Say("act." + string(a)), Icon: icon, Action: at + string(a)}, true
	case record.ActionReject:
		return menuEntry{Text: r.Say("act.reject"), Icon: "shield-no", Href: at + "reject", Dialog: true}, true
	}
	return h.menuEntry(r, d, a, here)
}

// pictures returns pictures of the pages of all files in their current state.
func pictures(r *page.Request, d *record.Document) []signer.Sheet {
	var out []signer.Sheet
	total := 0
	for i := range d.Files {
		total += len(d.Files[i].Pages)
	}
	for i := range d.Files {
		f := &d.Files[i]
		for n, size := range f.Pages {
			k := len(out) + 1
			x := signer.Sheet{ID: "p" + strconv.Itoa(k), Label: r.Say("sign.page", "n", k, "total", total), Lazy: k > 2, Width: 640,
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
