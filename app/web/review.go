package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"paraph/app/account"
	"paraph/app/notify"
	"paraph/app/signing"
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
	Approve  []option // who can be asked to approve
	Sends    bool     // messages leave for a mail server
	Policy   bool     // the company wants an approval first
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

func (r *request) showReview() error {
	d, err := r.draft()
	if err != nil {
		return err
	}
	switch d.Status {
	case signing.Draft, signing.PendingApproval, signing.Approved, signing.Rejected:
		return r.showReviewOf(d, http.StatusOK, page{})
	}
	return r.redirect("/app/documents/" + d.ID)
}

func (r *request) showReviewOf(d *signing.Document, status int, p page) error {
	actions, err := r.door.Signing.Actions(r.UserContext(), r.who.Actor, d)
	if err != nil {
		return err
	}
	data := reviewPage{Document: d, Status: d.Status.String(), actions: actions, Sends: r.door.Notify.CanSend(), Policy: r.who.Company.RequireApproval,
		Steps: r.steps(d.ID, stepReview), Today: r.door.Now().In(r.who.Zone()).Format(time.DateOnly)}
	if d.ExpiresAt != nil {
		data.Deadline = d.ExpiresAt.In(r.who.Zone()).Format(time.DateOnly)
	}
	data.Leeway = d.NoDecline || d.NoDelegation || d.RedirectURL != ""
	if data.May("submit") {
		if data.Approve, err = r.approvers(d); err != nil {
			return err
		}
	}
	if data.People, err = r.reviewPeople(d); err != nil {
		return err
	}
	data.sort(signing.Problems(d))
	p.Title, p.Data, p.Scripts = r.say("review.title"), data, nil
	return r.render(status, "review", p)
}

// approvers are the members who can be asked, the reader not among them.
func (r *request) approvers(d *signing.Document) ([]option, error) {
	all, err := r.door.Accounts.Approvers(r.UserContext(), r.who.Actor)
	if err != nil {
		return nil, err
	}
	out := []option{{"", r.say("review.approver.any"), d.Approver == nil}}
	for _, m := range all {
		if m.UserID != r.who.User.ID || len(all) == 1 {
			out = append(out, option{m.ID, m.Name + " (" + m.Email + ")", d.Approver != nil && d.Approver.ID == m.UserID})
		}
	}
	return out, nil
}

func (r *request) reviewPeople(d *signing.Document) ([]reviewPerson, error) {
	var out []reviewPerson
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		p := reviewPerson{Invitation: inv, RoleText: r.say("asked." + inv.Role), CheckText: r.say("check." + inv.Authentication), Turn: inv.Position}
		if tag, err := language.Parse(cmp.Or(inv.Locale, d.Locale, r.who.Company.Locale)); err == nil {
			p.Language = display.Self.Name(tag)
		}
		for _, x := range d.Fields {
			if x.Invitation == inv.ID {
				p.Fields++
			}
		}
		if i < previews {
			m, err := r.door.Notify.Preview(r.UserContext(), r.who.Actor, d.ID, inv.ID)
			if err != nil {
				return nil, err
			}
			p.Mail = &m
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b reviewPerson) int { return a.Turn - b.Turn })
	for i := range out {
		out[i].Letter, out[i].Color = letterOf(i), hueOf(i)
	}
	return out, nil
}

// previews is how many messages are shown on the page itself; those of others
// have a page of their own.
const previews = 20

// sort puts the problems under what they mean for the sending.
func (p *reviewPage) sort(all []signing.Problem) {
	for _, x := range all {
		row := problemRow{Text: x.Message}
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

// review does what a button of the page says.
func (r *request) review() error {
	d, err := r.draft()
	if err != nil {
		return err
	}
	do := r.form.value("do")
	if d.Status == signing.Draft && (do == "save" || do == "send" || do == "submit") {
		var in signing.DocumentInput
		if in, err = r.reviewInput(do); err == nil {
			d, err = r.door.Signing.Update(r.UserContext(), r.who.Actor, d.ID, in)
		}
	}
	if err == nil && (do == "send" || do == "submit") {
		err = r.checkSeen(d)
	}
	if err == nil {
		err = r.act(d, do)
	}
	if account.KindOf(err) != account.KindInvalid {
		return err
	}
	if d, lost := r.draft(); lost == nil {
		return r.showReviewOf(d, http.StatusUnprocessableEntity, page{Values: r.form, Faults: r.failureOf(err).Faults})
	}
	return err
}

// reviewInput is what the form says of the document.
func (r *request) reviewInput(do string) (signing.DocumentInput, error) {
	in := signing.DocumentInput{Subject: new(r.form.value("subject")), Message: new(r.form.value("message")), RemindEveryDays: new(0)}
	var f account.Faults
	if v := r.form.value("remind_every_days"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			f.Must("remind_every_days", "be a whole number of days")
		}
		in.RemindEveryDays = &n
	}
	in.ExpiresAt = &time.Time{}
	if v := r.form.value("expires_at"); v != "" {
		day, err := time.ParseInLocation(time.DateOnly, v, r.who.Zone())
		if err != nil {
			f.Must("expires_at", "be a date such as 2026-12-31")
		}
		// The whole day counts.
		in.ExpiresAt = new(day.AddDate(0, 0, 1).Add(-time.Second))
	}
	if r.form.has("redirect_url") { // with which the boxes come, of which only ticked ones are sent
		in.RedirectURL = new(r.form.value("redirect_url"))
		in.AllowDecline, in.AllowDelegation = new(r.form.has("allow_decline")), new(r.form.has("allow_delegation"))
		in.DeclineReason = new(r.form.has("decline_reason"))
	}
	if do == "submit" {
		in.ApproverID = new(r.form.value("approver_id"))
	}
	return in, f.Err()
}

// checkSeen wants the tick that says that the warnings were read.
func (r *request) checkSeen(d *signing.Document) error {
	warned := slices.ContainsFunc(signing.Problems(d), func(p signing.Problem) bool { return p.Severity == signing.SeverityWarning })
	if warned && !r.form.has("seen") {
		return account.Invalid("seen", r.say("review.seen.missing"))
	}
	return nil
}

// act takes the step and leads on.
func (r *request) act(d *signing.Document, do string) (err error) {
	ctx, who, s := r.UserContext(), r.who.Actor, r.door.Signing
	done := "/app/documents/" + d.ID
	switch do {
	case "save":
	case "send":
		if _, err = s.Send(ctx, who, d.ID, signing.SendInput{BaseURL: r.site()}); err == nil && !r.door.Notify.CanSend() {
			return r.redirect(at(d.ID, "links"))
		}
	case "submit":
		_, err = s.Submit(ctx, who, d.ID)
	case "approve":
		_, err = s.Approve(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	case "reject":
		_, err = s.Reject(ctx, who, d.ID, new(r.form.value("reason")))
	case "withdraw":
		_, err = s.Withdraw(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	case "reopen":
		_, err = s.Reopen(ctx, who, d.ID)
		done = at(d.ID, stepReview)
	default:
		return account.Malformed("The form does not say what to do.")
	}
	if err != nil {
		return err
	}
	r.flash("ok", "review.done."+do)
	return r.redirect(done)
}

// showMail shows the message to one person as their mail program would. It is a
// page of its own with a policy of its own: the styles of a mail are in it.
func (r *request) showMail() error {
	m, err := r.door.Notify.Preview(r.UserContext(), r.who.Actor, r.Params("id"), r.Params("invitation"))
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

func (r *request) showLinks() error {
	d, err := r.draft()
	if err != nil {
		return err
	}
	data := linksPage{Document: d}
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b signing.Invitation) int { return a.Position - b.Position })
	for i := range people {
		inv := &people[i]
		row := linkRow{Name: inv.Name, Email: inv.Email, Letter: letterOf(i), Color: hueOf(i), RoleText: r.say("asked." + inv.Role)}
		if inv.NotifiedAt != nil {
			row.Link = r.door.Signing.SignURL(d, inv, r.site())
		}
		data.People = append(data.People, row)
	}
	return r.render(http.StatusOK, "links", page{Title: r.say("links.title"), Data: data})
}
