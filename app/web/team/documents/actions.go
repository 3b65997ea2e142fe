package documents

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// oneStep is a service method whose only input is the document.
type oneStep func(account.Call, string) (*record.Document, error)

// steps are the actions that need no further input. An invitation limits a reminder to its
// recipient.
func (h *Handlers) steps(ctx context.Context, invitation string) map[string]oneStep {
	l := h.Sending
	return map[string]oneStep{
		"submit": l.Submit, "withdraw": l.Withdraw, "approve": l.Approve, "reopen": l.Reopen,
		"unschedule": l.Unschedule,
		"archive":    l.Archive, "restore": l.Restore, "delete": l.Delete,
		"duplicate": h.Drafts.Duplicate,
		"seal": func(who account.Call, id string) (*record.Document, error) {
			return h.Completion.RetrySealing(ctx, who, id)
		},
		"remind": func(who account.Call, id string) (*record.Document, error) {
			return h.Sending.Remind(who, id, invitation)
		},
	}
}

// Step returns the handler of an action without a form. Its notice offers to undo
// reversible actions.
func (h *Handlers) Step(name string) page.Handler {
	return func(r *page.Request) error { return h.takeStep(r, name) }
}

// AskStep returns the handler that shows the form of an action.
func (h *Handlers) AskStep(name string) page.Handler {
	return func(r *page.Request) error { return h.askStep(r, name, http.StatusOK, page.Page{}) }
}

// TakeForm returns the handler that performs an action with the values of its
// form.
func (h *Handlers) TakeForm(name string) page.Handler {
	return func(r *page.Request) error { return h.takeForm(r, name) }
}

func (h *Handlers) takeStep(r *page.Request, name string) error {
	id := strings.Clone(r.Params("id"))
	next := "/app/documents/" + id
	if r.Form.Has("next") {
		next = r.Inside(r.Form.Value("next"))
	}
	d, err := h.steps(r.UserContext(), r.Form.Value("invitation"))[name](r.Who.Call, id)
	if fault.KindOf(err) == fault.KindConflict {
		// A concurrent change came first, or the page was outdated.
		r.Flash("warn", "act.refused", "why", r.Explain(r.FailureOf(err)))
		return r.SeeOther(next)
	}
	if err != nil {
		return err
	}
	undo := ""
	switch name {
	case "seal":
		if d.Status != record.Completed {
			r.Flash("warn", "act.seal.failed", "why", d.AttentionSentence(r.Words.SayOf))
			return r.SeeOther(next)
		}
	case "archive", "delete":
		undo = "/app/documents/" + id + "/restore"
	case "duplicate":
		next = "/app/documents/" + d.ID
	}
	done := "act.done." + name
	if name == "remind" {
		done = page.Mailed(done, h.Mails())
	}
	r.FlashUndo(done, undo, "title", d.Title)
	return r.SeeOther(next)
}

// formStep is an action that needs a text, a date or a person. It has a small page
// with a form, which a script shows as a dialog.
type formStep struct {
	fields []string
	danger bool
	do     func(h *Handlers, r *page.Request, id string) error
}

// documentForms are the actions with a form.
var documentForms = map[string]formStep{
	"reject": {fields: []string{"reason"}, danger: true, do: func(h *Handlers, r *page.Request, id string) error {
		_, err := h.Sending.Reject(r.Who.Call, id, trimmed(r, "reason"))
		return err
	}},
	"void": {fields: []string{"reason"}, danger: true, do: func(h *Handlers, r *page.Request, id string) error {
		_, err := h.Sending.Void(r.Who.Call, id, trimmed(r, "reason"))
		return err
	}},
	"extend": {fields: []string{"expires_at"}, do: func(h *Handlers, r *page.Request, id string) error {
		_, err := h.Sending.Extend(r.Who.Call, id, endOfDay(r, "expires_at"))
		return err
	}},
	"replace": {fields: []string{"name", "email"}, do: func(h *Handlers, r *page.Request, id string) error {
		in := accessCode(r)
		in.Name, in.Email = trimmed(r, "name"), trimmed(r, "email")
		_, err := h.Sending.Replace(r.Who.Call, id, r.Form.Value("invitation"), in)
		return err
	}},
	"access_code": {fields: []string{"access_code"}, do: func(h *Handlers, r *page.Request, id string) error {
		_, err := h.Sending.SetAccessCode(r.Who.Call, id, r.Form.Value("invitation"), accessCode(r))
		return err
	}},
	"purge": {fields: []string{"title"}, danger: true, do: func(h *Handlers, r *page.Request, id string) error {
		return h.Sending.Purge(r.Who.Call, id, r.Form.Value("title"))
	}},
}

// accessCode reads a recipient's access code, if the form has one.
func accessCode(r *page.Request) (in record.InvitationInput) {
	if r.Form.Has("access_code") {
		in.AccessCode = trimmed(r, "access_code")
	}
	return in
}

// trimmed returns an input of the form without surrounding space.
func trimmed(r *page.Request, name string) *string {
	s := strings.TrimSpace(r.Form.Value(name))
	return &s
}

// endOfDay returns the end of the day in an input, in the company's time zone. It
// returns nil if the input isn't a date.
func endOfDay(r *page.Request, name string) *time.Time {
	t, err := time.ParseInLocation(time.DateOnly, r.Form.Value(name), r.Who.Company.Zone())
	if err != nil {
		return nil
	}
	t = t.AddDate(0, 0, 1).Add(-time.Millisecond)
	return &t
}

// actionPage is the page of an action with a form.
type actionPage struct {
	Name, Text, Do string
	Document       string // title of the document
	At, Next       string
	Danger         bool
	Invitation     string
	Fields         []string
	Tomorrow       string
}

func (h *Handlers) askStep(r *page.Request, name string, status int, p page.Page) error {
	d, actions, err := h.document(r, r.Params("id"))
	if err != nil {
		return err
	}
	ofPerson := name == "replace" || name == string(record.ActionCode)
	if !slices.Contains(actions, record.Action(name)) && !(ofPerson && h.possible(r, d, record.Action(name))) {
		return fault.Conflict("action_not_possible")
	}
	form := documentForms[name]
	base := "/app/documents/" + d.ID
	data := actionPage{Name: name, Document: d.Title, At: base + "/" + name, Danger: form.danger, Fields: form.fields,
		Next: base, Do: r.Say("act." + name),
		Tomorrow: h.Now(r.Who.Company.ID).In(r.Who.Zone()).AddDate(0, 0, 1).Format(time.DateOnly)}
	if next := cmp.Or(r.Form.Value("next"), strings.Clone(r.Query("next"))); next != "" {
		data.Next = r.Inside(next)
	}
	person := ""
	if ofPerson {
		data.Invitation = cmp.Or(r.Form.Value("invitation"), strings.Clone(r.Query("invitation")))
		inv := d.Invitation(data.Invitation)
		if inv == nil {
			return fault.NotFound("invitation")
		}
		if !slices.Contains(d.InvitationActions(r.Who.Call.Actor, inv, h.Now(r.Who.Company.ID)), record.Action(name)) {
			return fault.Conflict("action_not_possible")
		}
		if name == "replace" && inv.Authentication == record.ByAccessCode {
			data.Fields = append(slices.Clone(data.Fields), "access_code")
		}
		person = inv.DisplayName()
	}
	p.Title = r.Say("act."+name+".title", "title", d.Title, "person", person)
	data.Text = r.Say("act."+name+".text", "title", d.Title, "person", person)
	return actTemplate.Render(r, status, page.With(p, data))
}

// possible reports whether an action is possible for any of the recipients.
func (h *Handlers) possible(r *page.Request, d *record.Document, action record.Action) bool {
	return slices.ContainsFunc(d.Invitations, func(inv record.Invitation) bool {
		return slices.Contains(d.InvitationActions(r.Who.Call.Actor, &inv, h.Now(r.Who.Company.ID)), action)
	})
}

func (h *Handlers) takeForm(r *page.Request, name string) error {
	err := documentForms[name].do(h, r, r.Params("id"))
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		f := r.FailureOf(err)
		return h.askStep(r, name, f.Status, page.Page{Values: r.Form, Faults: f.Faults})
	case fault.KindConflict:
		r.Flash("warn", "act.refused", "why", r.Explain(r.FailureOf(err)))
		return r.SeeOther("/app/documents/" + r.Params("id"))
	}
	if err != nil {
		return err
	}
	done := "act.done." + name
	if name == "void" {
		done = page.Mailed(done, h.Mails())
	}
	r.Flash("ok", done)
	if name == "purge" {
		return r.SeeOther("/app/documents/trash")
	}
	return r.SeeOther(r.Inside(r.Form.Value("next")))
}

// CreateSample creates a sample draft to try the product with.
func (h *Handlers) CreateSample(r *page.Request) error {
	d, err := h.Drafts.CreateSample(r.UserContext(), r.Who.Call, r.MailURL())
	if err != nil {
		return err
	}
	r.Flash("ok", "documents.sample.made")
	return r.SeeOther("/app/documents/" + d.ID)
}
