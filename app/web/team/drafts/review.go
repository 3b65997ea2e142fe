package drafts

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/notify"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// reviewPage is the last step of preparing a document: what will be sent, and the
// buttons to send it.
type reviewPage struct {
	*record.Document
	Status    string // as in the API
	People    []reviewPerson
	Errors    []problemRow
	Warnings  []problemRow
	Infos     []problemRow
	actions   []record.Action
	Approve   []page.Option // possible approvers
	Sends     bool          // there is a mail server
	Policy    bool          // the company requires approval first
	Deadline  string
	Marks     []page.Option // allowed types of signatures
	Declining []page.Option // what happens when somebody declines
	Leeway    bool          // an advanced setting differs from its default
	Steps     []step
	Today     string
	SendTime  string // when it is scheduled to be sent
	Zone      string // of the times on the page
}

// May reports whether the reader may take an action now.
func (p reviewPage) May(action string) bool {
	return slices.Contains(p.actions, record.Action(action))
}

// reviewPerson is a recipient with the message they will receive.
type reviewPerson struct {
	*record.Invitation
	Letter, Color, RoleText, CheckText, Language string
	Index, Turn                                  int
	Fields                                       int
	Mail                                         *notify.Message
}

// problemRow is a problem with a link to the page that can fix it.
type problemRow struct{ Text, Href string }

// ShowReview serves the last step before sending.
func (h *Handlers) ShowReview(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Template {
		return r.SeeOther("/app/templates/" + d.ID)
	}
	switch d.Status {
	case record.Draft, record.PendingApproval, record.Approved, record.Rejected:
		return h.showReviewOf(r, d, http.StatusOK, page.Page{})
	}
	return r.SeeOther("/app/documents/" + d.ID)
}

func (h *Handlers) showReviewOf(r *page.Request, d *record.Document, status int, p page.Page) error {
	actions, err := h.Drafts.Actions(r.Who.Call, d)
	if err != nil {
		return err
	}
	data := reviewPage{Document: d, Status: d.Status.String(), actions: actions, Sends: h.Notify.CanSend(),
		Policy: r.Who.Company.RequireApproval, Marks: page.SignatureTypeOptions(r, d.SignatureTypes),
		Steps: steps(r, d.ID, stepReview), Today: h.Now(r.Who.Company.ID).In(r.Who.Zone()).Format(time.DateOnly),
		Zone: r.Who.Zone().String()}
	if d.SendAt != nil {
		data.SendTime = d.SendAt.In(r.Who.Zone()).Format("2006-01-02T15:04")
	}
	if d.ExpiresAt != nil {
		data.Deadline = d.ExpiresAt.In(r.Who.Company.Zone()).Format(time.DateOnly)
	}
	for _, choice := range append([]string{""}, record.OnDeclines()...) {
		data.Declining = append(data.Declining, page.Option{Value: choice, Label: r.Say("company.decline." + cmp.Or(choice, "company")), Selected: choice == d.OnDecline})
	}
	data.Leeway = d.NoDecline || d.NoDelegation || d.OnDecline != "" || d.RedirectURL != "" || d.NoMails
	if data.May("submit") {
		if data.Approve, err = h.approvers(r, d); err != nil {
			return err
		}
	}
	if data.People, err = h.reviewPeople(r, d); err != nil {
		return err
	}
	data.sort(r, h.Drafts.Problems(d))
	p.Title = r.Say("review.title")
	r.FramesOwnPages()
	return reviewTemplate.Render(r, status, page.With(p, data))
}

// approvers returns the members who can approve, except the reader.
func (h *Handlers) approvers(r *page.Request, d *record.Document) ([]page.Option, error) {
	all, err := h.Accounts.Companies.Approvers(r.Who.Call)
	if err != nil {
		return nil, err
	}
	out := []page.Option{{Value: "", Label: r.Say("review.approver.any"), Selected: d.Approver == nil}}
	for _, m := range all {
		if m.UserID != r.Who.User.ID || len(all) == 1 {
			out = append(out, page.Option{Value: m.ID, Label: m.Name + " (" + m.Email + ")", Selected: d.Approver != nil && d.Approver.ID == m.UserID})
		}
	}
	return out, nil
}

func (h *Handlers) reviewPeople(r *page.Request, d *record.Document) ([]reviewPerson, error) {
	var out []reviewPerson
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		p := reviewPerson{Invitation: inv, RoleText: r.Say("asked." + inv.Role), CheckText: r.Say("check." + inv.Authentication), Turn: inv.Position}
		p.Language = page.LanguageName(cmp.Or(inv.Locale, d.Locale, r.Who.Company.Locale))
		p.Fields = len(d.UnsortedFieldsOf(inv.ID))
		if i < previews && !d.NoMails {
			m, err := h.Notify.Preview(r.Who.Call, d.ID, inv.ID)
			if err != nil {
				return nil, err
			}
			p.Mail = &m
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b reviewPerson) int { return a.Turn - b.Turn })
	for i := range out {
		out[i].Index, out[i].Letter, out[i].Color = i, page.LetterOf(i), page.HueOf(i)
	}
	return out, nil
}

// Previews is the number of recipients whose pages are shown as they will see them.
func (p reviewPage) Previews() int { return previews }

// previews is the number of messages that the page includes. The others have pages
// of their own.
const previews = 20

// sort divides the problems by severity.
func (p *reviewPage) sort(r *page.Request, all []record.Problem) {
	for _, x := range all {
		row := problemRow{Text: r.Problem(x)}
		switch {
		case x.Code == "no_files" || x.Code == "not_confirmed" || x.Code == "same_file":
			row.Href = at(p.ID, stepFiles)
		case x.Code == "no_signer" || x.Code == "same_email":
			row.Href = at(p.ID, stepFiles) + "#people"
		case x.Field != "":
			row.Href = at(p.ID, stepFields) + "#" + x.Field
		default:
			row.Href = at(p.ID, stepFields)
		}
		switch x.Severity {
		case record.SeverityError:
			p.Errors = append(p.Errors, row)
		case record.SeverityWarning:
			p.Warnings = append(p.Warnings, row)
		default:
			p.Infos = append(p.Infos, row)
		}
	}
}

// ShowMail serves a recipient's message as their mail program would show it, with a
// content security policy that allows its inline styles.
func (h *Handlers) ShowMail(r *page.Request) error {
	m, err := h.Notify.Preview(r.Who.Call, r.Params("id"), r.Params("invitation"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; sandbox; frame-ancestors 'self'; base-uri 'none'; form-action 'none'")
	r.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.SendString(m.HTML)
}
