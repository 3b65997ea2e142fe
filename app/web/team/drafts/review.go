package drafts

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// reviewPage is the last step of making a document: what will happen, and the
// buttons for it.
type reviewPage struct {
	*signing.Document
	Status   string // in the words of the API
	People   []reviewPerson
	Errors   []problemRow
	Warnings []problemRow
	Infos    []problemRow
	actions  []signing.Action
	Approve  []page.Option // who can be asked to approve
	Sends    bool          // messages leave for a mail server
	Policy   bool          // the company wants an approval first
	Deadline string
	Leeway   bool // something differs from the usual
	Steps    []step
	Today    string
}

// May says whether the reader may do something now.
func (p reviewPage) May(action string) bool {
	return slices.Contains(p.actions, signing.Action(action))
}

// reviewPerson is somebody with what they will get.
type reviewPerson struct {
	*signing.Invitation
	Letter, Color, RoleText, CheckText, Language string
	Turn                                         int
	Fields                                       int
	Mail                                         *notify.Message
}

// problemRow is a problem with the way to where it is mended.
type problemRow struct{ Text, Href string }

// ShowReview serves the last step before sending.
func (h *Handlers) ShowReview(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	switch d.Status {
	case signing.Draft, signing.PendingApproval, signing.Approved, signing.Rejected:
		return h.showReviewOf(r, d, http.StatusOK, page.Page{})
	}
	return r.SeeOther("/app/documents/" + d.ID)
}

func (h *Handlers) showReviewOf(r *page.Request, d *signing.Document, status int, p page.Page) error {
	actions, err := h.Signing.Actions(r.UserContext(), r.Who.Actor, d)
	if err != nil {
		return err
	}
	data := reviewPage{Document: d, Status: d.Status.String(), actions: actions, Sends: h.Notify.CanSend(), Policy: r.Who.Company.RequireApproval,
		Steps: steps(r, d.ID, stepReview), Today: h.Now().In(r.Who.Zone()).Format(time.DateOnly)}
	if d.ExpiresAt != nil {
		data.Deadline = d.ExpiresAt.In(r.Who.Zone()).Format(time.DateOnly)
	}
	data.Leeway = d.NoDecline || d.NoDelegation || d.RedirectURL != ""
	if data.May("submit") {
		if data.Approve, err = h.approvers(r, d); err != nil {
			return err
		}
	}
	if data.People, err = h.reviewPeople(r, d); err != nil {
		return err
	}
	data.sort(r, signing.Problems(d))
	p.Title, p.Data, p.Scripts = r.Say("review.title"), data, nil
	return r.Render(status, "review", p)
}

// approvers are the members who can be asked, the reader not among them.
func (h *Handlers) approvers(r *page.Request, d *signing.Document) ([]page.Option, error) {
	all, err := h.Accounts.Approvers(r.UserContext(), r.Who.Actor)
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

func (h *Handlers) reviewPeople(r *page.Request, d *signing.Document) ([]reviewPerson, error) {
	var out []reviewPerson
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		p := reviewPerson{Invitation: inv, RoleText: r.Say("asked." + inv.Role), CheckText: r.Say("check." + inv.Authentication), Turn: inv.Position}
		if tag, err := language.Parse(cmp.Or(inv.Locale, d.Locale, r.Who.Company.Locale)); err == nil {
			p.Language = display.Self.Name(tag)
		}
		for _, x := range d.Fields {
			if x.Invitation == inv.ID {
				p.Fields++
			}
		}
		if i < previews {
			m, err := h.Notify.Preview(r.UserContext(), r.Who.Actor, d.ID, inv.ID)
			if err != nil {
				return nil, err
			}
			p.Mail = &m
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b reviewPerson) int { return a.Turn - b.Turn })
	for i := range out {
		out[i].Letter, out[i].Color = page.LetterOf(i), page.HueOf(i)
	}
	return out, nil
}

// previews is how many messages are shown on the page itself; those of others
// have a page of their own.
const previews = 20

// sort puts the problems under what they mean for the sending.
func (p *reviewPage) sort(r *page.Request, all []signing.Problem) {
	for _, x := range all {
		row := problemRow{Text: r.Problem(x)}
		switch {
		case x.Code == "no_files" || x.Code == "not_confirmed" || x.Code == "same_file":
			row.Href = at(p.ID, stepFiles)
		case x.Code == "no_signer" || x.Code == "same_email":
			row.Href = at(p.ID, stepPeople)
		case x.Field != "":
			row.Href = at(p.ID, stepFields) + "#" + x.Field
		default:
			row.Href = at(p.ID, stepFields)
		}
		switch x.Severity {
		case signing.SeverityError:
			p.Errors = append(p.Errors, row)
		case signing.SeverityWarning:
			p.Warnings = append(p.Warnings, row)
		default:
			p.Infos = append(p.Infos, row)
		}
	}
}

// Review does what a button of the page says.
func (h *Handlers) Review(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	do := r.Form.Value("do")
	if d.Status == signing.Draft && (do == "save" || do == "send" || do == "submit") {
		var in signing.DocumentInput
		if in, err = reviewInput(r, do); err == nil {
			d, err = h.Signing.Update(r.UserContext(), r.Who.Actor, d.ID, in)
		}
	}
	if err == nil && (do == "send" || do == "submit") {
		err = checkSeen(r, d)
	}
	if err == nil {
		err = h.act(r, d, do)
	}
	if fault.KindOf(err) != fault.KindInvalid {
		return err
	}
	if d, lost := h.draft(r); lost == nil {
		return h.showReviewOf(r, d, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: r.FailureOf(err).Faults})
	}
	return err
}

// reviewInput is what the form says of the document.
func reviewInput(r *page.Request, do string) (signing.DocumentInput, error) {
	in := signing.DocumentInput{Subject: new(r.Form.Value("subject")), Message: new(r.Form.Value("message")), RemindEveryDays: new(0)}
	var f fault.Fields
	if v := r.Form.Value("remind_every_days"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			f.Add("remind_every_days", "not_days")
		}
		in.RemindEveryDays = &n
	}
	in.ExpiresAt = &time.Time{}
	if v := r.Form.Value("expires_at"); v != "" {
		day, err := time.ParseInLocation(time.DateOnly, v, r.Who.Zone())
		if err != nil {
			f.Add("expires_at", "not_a_date")
		}
		// The whole day counts.
		in.ExpiresAt = new(day.AddDate(0, 0, 1).Add(-time.Second))
	}
	if r.Form.Has("redirect_url") { // with which the boxes come, of which only ticked ones are sent
		in.RedirectURL = new(r.Form.Value("redirect_url"))
		in.AllowDecline, in.AllowDelegation = new(r.Form.Has("allow_decline")), new(r.Form.Has("allow_delegation"))
		in.DeclineReason = new(r.Form.Has("decline_reason"))
	}
	if do == "submit" {
		in.ApproverID = new(r.Form.Value("approver_id"))
	}
	return in, f.Err()
}

// checkSeen wants the tick that says that the warnings were read.
func checkSeen(r *page.Request, d *signing.Document) error {
	warned := slices.ContainsFunc(signing.Problems(d), func(p signing.Problem) bool { return p.Severity == signing.SeverityWarning })
	if warned && !r.Form.Has("seen") {
		return fault.Invalid("seen", "notes_not_seen")
	}
	return nil
}

// act takes the step and leads on.
func (h *Handlers) act(r *page.Request, d *signing.Document, do string) (err error) {
	ctx, who, s := r.UserContext(), r.Who.Actor, h.Signing
	done := "/app/documents/" + d.ID
	switch do {
	case "save":
	case "send":
		if _, err = s.Send(ctx, who, d.ID, signing.SendInput{BaseURL: r.BaseURL()}); err == nil && !h.Notify.CanSend() {
			return r.SeeOther(at(d.ID, "links"))
		}
	case "submit":
		_, err = s.Submit(ctx, who, d.ID)
	case "approve":
		_, err = s.Approve(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	case "reject":
		_, err = s.Reject(ctx, who, d.ID, new(r.Form.Value("reason")))
	case "withdraw":
		_, err = s.Withdraw(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	case "reopen":
		_, err = s.Reopen(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	default:
		return fault.Malformed("form_without_action")
	}
	if err != nil {
		return err
	}
	r.Flash("ok", "review.done."+do)
	return r.SeeOther(done)
}

// ShowMail shows the message to one person as their mail program would. It is a
// page of its own with a policy of its own: the styles of a mail are in it.
func (h *Handlers) ShowMail(r *page.Request) error {
	m, err := h.Notify.Preview(r.UserContext(), r.Who.Actor, r.Params("id"), r.Params("invitation"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	r.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return r.SendString(m.HTML)
}

// linksPage gives the links of a document that was sent where there is no mail.
type linksPage struct {
	*signing.Document
	People []linkRow
}

// linkRow is somebody with their link, "" while it is not their turn.
type linkRow struct{ Name, Email, Letter, Color, RoleText, Link string }

// ShowLinks serves the links of a document sent without a mail server.
func (h *Handlers) ShowLinks(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	data := linksPage{Document: d}
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b signing.Invitation) int { return a.Position - b.Position })
	for i := range people {
		inv := &people[i]
		row := linkRow{Name: inv.Name, Email: inv.Email, Letter: page.LetterOf(i), Color: page.HueOf(i), RoleText: r.Say("asked." + inv.Role)}
		if inv.NotifiedAt != nil {
			row.Link = h.Signing.SignURL(d, inv, r.BaseURL())
		}
		data.People = append(data.People, row)
	}
	return r.Render(http.StatusOK, "links", page.Page{Title: r.Say("links.title"), Data: data})
}
