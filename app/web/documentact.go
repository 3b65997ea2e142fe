package web

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/signing"
)

// oneStep is a method of the heart that needs to know nothing but the document.
type oneStep func(*signing.Service, context.Context, account.Actor, string) (*signing.Document, error)

// documentSteps are the actions that need nothing but a press of their button.
var documentSteps = map[string]oneStep{
	"submit": (*signing.Service).Submit, "withdraw": (*signing.Service).Withdraw, "approve": (*signing.Service).Approve,
	"reopen": (*signing.Service).Reopen, "archive": (*signing.Service).Archive, "restore": (*signing.Service).Restore,
	"delete": (*signing.Service).Delete, "duplicate": (*signing.Service).Duplicate,
	"remind": func(s *signing.Service, ctx context.Context, who account.Actor, id string) (*signing.Document, error) {
		return s.Remind(ctx, who, id, "")
	},
}

// takeStep does what a button says. What can be taken back is offered to be.
func (r *request) takeStep(name string) error {
	id := strings.Clone(r.Params("id"))
	next := "/app/documents/" + id
	if r.form.has("next") {
		next = r.inside(r.form.value("next"))
	}
	step := documentSteps[name]
	if invitation := r.form.value("invitation"); name == "remind" && invitation != "" {
		step = func(s *signing.Service, ctx context.Context, who account.Actor, id string) (*signing.Document, error) {
			return s.Remind(ctx, who, id, invitation)
		}
	}
	d, err := step(r.door.Signing, r.UserContext(), r.who.Actor, id)
	if account.KindOf(err) == account.KindConflict {
		// Somebody was faster, or the page is an old one.
		r.flash("warn", "act.refused", "why", r.explain(r.failureOf(err)))
		return r.redirect(next)
	}
	if err != nil {
		return err
	}
	undo := ""
	switch name {
	case "archive", "delete":
		undo = "/app/documents/" + id + "/restore"
	case "duplicate":
		next = "/app/documents/" + d.ID
	}
	r.flashUndo("act.done."+name, undo, "title", d.Title)
	return r.redirect(next)
}

// formStep is an action that needs words, a date or a person: a small page with
// a form, which a script shows as a dialog.
type formStep struct {
	fields []string
	danger bool
	do     func(s *signing.Service, r *request, id string) error
}

var documentForms = map[string]formStep{
	"reject": {fields: []string{"reason"}, danger: true, do: func(s *signing.Service, r *request, id string) error {
		_, err := s.Reject(r.UserContext(), r.who.Actor, id, r.text("reason"))
		return err
	}},
	"void": {fields: []string{"reason"}, danger: true, do: func(s *signing.Service, r *request, id string) error {
		_, err := s.Void(r.UserContext(), r.who.Actor, id, r.text("reason"))
		return err
	}},
	"extend": {fields: []string{"expires_at"}, do: func(s *signing.Service, r *request, id string) error {
		_, err := s.Extend(r.UserContext(), r.who.Actor, id, r.endOfDay("expires_at"))
		return err
	}},
	"replace": {fields: []string{"name", "email"}, do: func(s *signing.Service, r *request, id string) error {
		in := signing.InvitationInput{Name: r.text("name"), Email: r.text("email")}
		_, err := s.Replace(r.UserContext(), r.who.Actor, id, r.form.value("invitation"), in)
		return err
	}},
	"purge": {fields: []string{"title"}, danger: true, do: func(s *signing.Service, r *request, id string) error {
		return s.Purge(r.UserContext(), r.who.Actor, id, r.form.value("title"))
	}},
}

// text is a field of the form without blanks around it.
func (r *request) text(name string) *string {
	s := strings.TrimSpace(r.form.value(name))
	return &s
}

// endOfDay is the end of the day of a field, where the reader lives; nil is none.
func (r *request) endOfDay(name string) *time.Time {
	t, err := time.ParseInLocation(time.DateOnly, r.form.value(name), r.who.Zone())
	if err != nil {
		return nil
	}
	t = t.AddDate(0, 0, 1).Add(-time.Millisecond)
	return &t
}

// actPage is the small page of an action with a form.
type actPage struct {
	Name, Text, Do string
	Document       string // its title
	At, Next       string
	Danger         bool
	Invitation     string
	Fields         []string
	Tomorrow       string
}

func (r *request) askStep(name string, status int, p page) error {
	d, actions, err := r.document(r.Params("id"))
	if err != nil {
		return err
	}
	if !slices.Contains(actions, signing.Action(name)) {
		return account.Conflict("action_not_possible", r.say("act.notnow"))
	}
	form := documentForms[name]
	base := "/app/documents/" + d.ID
	data := actPage{Name: name, Document: d.Title, At: base + "/" + name, Danger: form.danger, Fields: form.fields, Next: base, Do: r.say("act." + name),
		Tomorrow: r.door.Now().In(r.who.Zone()).AddDate(0, 0, 1).Format(time.DateOnly)}
	if next := cmp.Or(r.form.value("next"), strings.Clone(r.Query("next"))); next != "" {
		data.Next = r.inside(next)
	}
	person := ""
	if name == "replace" {
		data.Invitation = cmp.Or(r.form.value("invitation"), strings.Clone(r.Query("invitation")))
		inv := d.Invitation(data.Invitation)
		if inv == nil {
			return account.NotFound("invitation")
		}
		person = inv.Name
	}
	p.Title = r.say("act."+name+".title", "title", d.Title, "person", person)
	data.Text = r.say("act."+name+".text", "title", d.Title, "person", person)
	p.Data = data
	return r.render(status, "act", p)
}

func (r *request) takeForm(name string) error {
	err := documentForms[name].do(r.door.Signing, r, r.Params("id"))
	switch account.KindOf(err) {
	case account.KindInvalid:
		f := r.failureOf(err)
		return r.askStep(name, f.Status, page{Values: r.form, Faults: f.Faults})
	case account.KindConflict:
		r.flash("warn", "act.refused", "why", r.explain(r.failureOf(err)))
		return r.redirect("/app/documents/" + r.Params("id"))
	}
	if err != nil {
		return err
	}
	r.flash("ok", "act.done."+name)
	if name == "purge" {
		return r.redirect("/app/documents/trash")
	}
	return r.redirect(r.inside(r.form.value("next")))
}

// makeSample makes a draft to try everything with.
func (r *request) makeSample() error {
	d, err := r.door.Signing.CreateSample(r.UserContext(), r.who.Actor, r.site())
	if err != nil {
		return err
	}
	r.flash("ok", "documents.sample.made")
	return r.redirect("/app/documents/" + d.ID)
}
