package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/list"
	"paraph/app/mishap"
	"paraph/app/notify"
	"paraph/app/rehearse"
)

// TestControls controls a test double. It exists only if the appliance was started as
// one.
type TestControls interface {
	// Reset restores a company to what it was when it was made, "" everything to the initial state.
	Reset(ctx context.Context, company string) error
	// Snapshot keeps a company, or with "" everything, as it is; Restore brings that back. With a
	// company it finds only that company's snapshots.
	Snapshot(ctx context.Context, company string) (id string, err error)
	Restore(ctx context.Context, company, id string) error
	// Time returns the time of a company, "" for that of the server.
	Time(company string) (now time.Time, frozen bool)
	// MoveClock freezes, sets or advances the clock of a company, "" for that of the server and of
	// all companies that have none of their own; work that became due is done when it returns.
	MoveClock(ctx context.Context, company string, m ClockMove) error
	// Settle waits until due work of a company is done, "" for all of them.
	Settle(ctx context.Context, company string) error
	// AddCompany makes a company that shares nothing with others.
	AddCompany(ctx context.Context, name, locale, timezone string) (TestCompany, error)
}

// TestCompany is a company made for one test, with what is needed to act in it.
type TestCompany struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Email    string `json:"email" doc:"Of its only member, the owner"`
	Password string `json:"password"`
	Token    string `json:"token" doc:"An API token of the owner, with every scope"`
}

type testCompanyBody struct {
	Name     string `json:"name,omitempty"`
	Locale   string `json:"locale,omitempty" doc:"One of the languages of messages; en by default"`
	Timezone string `json:"timezone,omitempty" doc:"Such as Europe/Amsterdam; UTC by default"`
}

// ClockMove describes a change of the clock. Zero members are unset.
type ClockMove struct {
	Freeze  *bool
	Set     *time.Time
	Advance time.Duration
	Reset   bool
}

type clockBody struct {
	Company string  `json:"company,omitempty" doc:"ID of a company: only its clock moves, which from then on is its own; by default that of the token"`
	Freeze  *bool   `json:"freeze,omitempty"`
	Now     *string `json:"now,omitempty" doc:"RFC 3339; a date means its start, in UTC"`
	Advance string  `json:"advance,omitempty" doc:"A duration such as 36h or 7d"`
	Reset   bool    `json:"reset,omitempty"`
}

type clockAnswer struct {
	Now    string `json:"now" format:"date-time"`
	Frozen bool   `json:"frozen"`
}

type mailView struct {
	ID           string   `json:"id"`
	Kind         string   `json:"kind"`
	CompanyID    *string  `json:"company_id"`
	DocumentID   *string  `json:"document_id"`
	InvitationID *string  `json:"invitation_id"`
	To           string   `json:"to"`
	ToName       string   `json:"to_name"`
	Subject      string   `json:"subject"`
	Text         string   `json:"text"`
	HTML         string   `json:"html"`
	Links        []string `json:"links"`
	Status       string   `json:"status" enum:"kept,queued,sent,failed,bounced,cancelled"`
	Attempts     int      `json:"attempts"`
	LastError    *string  `json:"last_error"`
	CreatedAt    string   `json:"created_at" format:"date-time"`
	SentAt       *string  `json:"sent_at" format:"date-time"`
}

func viewMail(m notify.Message) mailView {
	v := mailView{ID: m.ID, Kind: m.Kind, CompanyID: orNull(m.Company), DocumentID: orNull(m.Document), InvitationID: orNull(m.Invitation), To: m.To, ToName: m.ToName,
		Subject: m.Subject, Text: m.Text, HTML: m.HTML, Links: m.Links, Status: m.Status, Attempts: m.Attempts, LastError: orNull(m.LastError),
		CreatedAt: when(m.CreatedAt), SentAt: maybe(m.SentAt)}
	if v.Links == nil {
		v.Links = []string{}
	}
	return v
}

type rehearseBody struct {
	Invitation string                `json:"invitation,omitempty" doc:"The only recipient to act, by ID or e-mail address; by default everybody does, in the signing order"`
	Decline    bool                  `json:"decline,omitempty" doc:"The recipient declines; without invitation, the first whose turn it is"`
	Reason     *string               `json:"reason,omitempty" doc:"With decline: why"`
	Fields     map[string]fieldValue `json:"fields,omitempty" doc:"Values by field ID or name; other fields that are required and empty get one that they accept"`
	Next       *nextBody             `json:"next,omitempty" doc:"The person to name, if a recipient is named by the previous one; by default somebody at example.com"`
}

// testHandlers serves the controls of a test double.
type testHandlers struct {
	test      TestControls
	notify    *notify.Service
	rehearsal *rehearse.Service
	journal   *requestJournal
	mishaps   *mishap.Register
	webhooks  *webhookHandlers
}

func (h *testHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodPost, path: "/test/reset", rule: anyone().Waiting(), id: "reset", summary: "Reset to the initial state", tag: "Test"}, h.reset)
	handle(s, operation{method: http.MethodGet, path: "/test/clock", rule: anyone().Waiting(), id: "getClock", summary: "Read the clock", tag: "Test", query: clockParameters}, func(r *request, _ *nothing) (clockAnswer, error) {
		return h.clock(tested(r, r.query.text("company"))), nil
	})
	handle(s, operation{method: http.MethodPost, path: "/test/clock", rule: anyone().Waiting(), id: "setClock", summary: "Freeze, set or advance the clock", tag: "Test"}, h.moveClock)
	handle(s, operation{method: http.MethodPost, path: "/test/documents/{document}/sign", rule: may(account.ScopeRead).Waiting(), id: "rehearseSigning", summary: "Let recipients sign or decline", tag: "Test"}, h.rehearse)
	handle(s, operation{method: http.MethodGet, path: "/test/outbox", rule: anyone().Waiting(), id: "listTestOutbox", summary: "List all mail, newest first", tag: "Test", query: outboxParameters, list: true}, h.outbox)
	handle(s, operation{method: http.MethodGet, path: "/test/webhooks", rule: anyone().Waiting(), id: "listTestWebhooks", summary: "List what was sent to webhooks, newest first", tag: "Test", query: postingParameters, list: true}, h.posted)
	handle(s, operation{method: http.MethodPost, path: "/test/companies", rule: anyone().Waiting(), id: "createTestCompany", summary: "Make a company for one test", tag: "Test", status: http.StatusCreated}, func(r *request, in *testCompanyBody) (TestCompany, error) {
		return h.test.AddCompany(r.UserContext(), in.Name, in.Locale, in.Timezone)
	})
	handle(s, operation{method: http.MethodPost, path: "/test/snapshots", rule: anyone().Waiting(), id: "createTestSnapshot", summary: "Keep the present state", tag: "Test", status: http.StatusCreated}, func(r *request, in *testScope) (testSnapshot, error) {
		company := tested(r, in.Company)
		id, err := h.test.Snapshot(r.UserContext(), company)
		return testSnapshot{id, orNull(company)}, err
	})
	handle(s, operation{method: http.MethodPost, path: "/test/snapshots/{snapshot}/restore", rule: anyone().Waiting(), id: "restoreTestSnapshot", summary: "Go back to a snapshot", tag: "Test"}, func(r *request, _ *nothing) (message, error) {
		id, err := r.id("snapshot")
		if err != nil {
			return message{}, err
		}
		return message{"Restored."}, h.test.Restore(r.UserContext(), tested(r, ""), id)
	})
	h.faultRoutes(s)
}

// testScope says what a test control is about.
type testScope struct {
	Company string `json:"company,omitempty" doc:"ID of a company; by default that of the token, and without one everything"`
}

type testSnapshot struct {
	ID      string  `json:"id"`
	Company *string `json:"company" doc:"null: everything was kept"`
}

func (h *testHandlers) reset(r *request, in *testScope) (message, error) {
	company := tested(r, in.Company)
	h.mishaps.Clear(company)
	h.journal.clear(company)
	return message{"Reset."}, h.test.Reset(r.UserContext(), company)
}

// tested returns the company that a request to a test double is about: the one that it names, else that of its
// token, else "" for all of them.
func tested(r *request, named string) string { return cmp.Or(idOr(named), claimed(r.Ctx)) }

// faultRoutes registers what lets things fail, and what the requests were.
func (h *testHandlers) faultRoutes(s *server) {
	handle(s, operation{method: http.MethodPost, path: "/test/faults", rule: anyone().Waiting(), id: "createTestFault", summary: "Let something fail", tag: "Test", status: http.StatusCreated}, h.addFault)
	handle(s, operation{method: http.MethodGet, path: "/test/faults", rule: anyone().Waiting(), id: "listTestFaults", summary: "List the faults", tag: "Test"}, func(r *request, _ *nothing) (all[testFault], error) {
		return all[testFault]{views(h.mishaps.List(tested(r, "")), viewFault)}, nil
	})
	handle(s, operation{method: http.MethodDelete, path: "/test/faults/{fault}", rule: anyone().Waiting(), id: "deleteTestFault", summary: "Remove a fault", tag: "Test", status: http.StatusNoContent}, func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id("fault")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.mishaps.Remove(tested(r, ""), id)
	})
	handle(s, operation{method: http.MethodGet, path: "/test/requests", rule: anyone().Waiting(), id: "listTestRequests", summary: "List the latest requests", tag: "Test", query: requestParameters}, h.requests)
}

// addFault adds a fault when all due work of its company is done, so that the next attempt is one of
// the test's own.
func (h *testHandlers) addFault(r *request, in *testFaultBody) (testFault, error) {
	in.Company = tested(r, in.Company)
	m, ok := in.mishap()
	if !ok {
		return testFault{}, fault.Invalid("delay", "not_a_duration")
	}
	if err := h.test.Settle(r.UserContext(), m.Company); err != nil {
		return testFault{}, err
	}
	added, err := h.mishaps.Add(m)
	return viewFault(added), err
}

// requests lists the latest requests, and waits for one if the caller asks for that.
func (h *testHandlers) requests(r *request, _ *nothing) (all[testRequest], error) {
	want := wantedRequests{company: tested(r, r.query.text("company")), method: r.query.text("method"), path: r.query.text("path"),
		document: idOr(r.query.text("document"))}
	ctx, cancel, err := r.patience()
	if err != nil {
		return all[testRequest]{}, err
	}
	defer cancel()
	for {
		found, next := h.journal.seen(want)
		if len(found) > 0 {
			return all[testRequest]{found}, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return all[testRequest]{found}, r.UserContext().Err()
		}
	}
}

// patience returns a context that ends when the caller no longer wants to wait.
func (r *request) patience() (context.Context, context.CancelFunc, error) {
	var patience time.Duration
	if text := r.query.text("wait"); text != "" {
		var ok bool
		if patience, ok = duration(text); !ok || patience < 0 || patience > maxTestWait {
			r.query.faults.Add("wait", "not_a_duration")
		}
	}
	if err := r.query.faults.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(r.UserContext(), patience)
	return ctx, cancel, nil
}

var requestParameters = []parameter{
	{name: "company", description: "ID of a company; by default that of the token.", kind: "string"},
	{name: "method", description: "Such as POST.", kind: "string"},
	{name: "path", description: "Such as /documents/*/send, where * is anything.", kind: "string"},
	{name: "document", description: "ID of a document in the path.", kind: "string"},
	waitParameter,
}

var clockParameters = []parameter{{name: "company", description: "ID of a company that may have a clock of its own; by default that of the token.", kind: "string"}}

func (h *testHandlers) clock(company string) clockAnswer {
	now, frozen := h.test.Time(company)
	return clockAnswer{when(now), frozen}
}

func (h *testHandlers) moveClock(r *request, in *clockBody) (clockAnswer, error) {
	var f fault.Fields
	now := in.Now
	if now != nil {
		if day, err := time.Parse(time.DateOnly, *now); err == nil {
			now = new(day.Format(time.RFC3339)) // its start, in UTC
		}
	}
	m := ClockMove{Freeze: in.Freeze, Set: instant(&f, "now", now), Reset: in.Reset}
	if in.Advance != "" {
		d, ok := duration(in.Advance)
		if !ok {
			f.Add("advance", "not_a_duration")
		}
		m.Advance = d
	}
	if err := f.Err(); err != nil {
		return clockAnswer{}, err
	}
	company := tested(r, in.Company)
	err := h.test.MoveClock(r.UserContext(), company, m)
	return h.clock(company), err
}

// rehearse lets recipients of a document act.
func (h *testHandlers) rehearse(r *request, in *rehearseBody) (documentView, error) {
	id, err := r.document()
	if err != nil {
		return documentView{}, err
	}
	d, err := h.rehearsal.Act(r.UserContext(), r.who, id, rehearse.Input{
		Invitation: idOr(in.Invitation), Decline: in.Decline, Reason: in.Reason,
		Fields: texts(in.Fields), Next: in.Next.input(),
	})
	if err != nil {
		return documentView{}, err
	}
	if err := h.test.Settle(r.UserContext(), d.Company); err != nil {
		return documentView{}, err
	}
	return r.reply(h.rehearsal.Signing.Drafts.Get(r.who, d.ID))
}

// duration parses Go durations and whole days.
func duration(s string) (time.Duration, bool) {
	if n := len(s) - 1; n > 0 && s[n] == 'd' {
		d, err := time.ParseDuration(s[:n] + "h")
		return 24 * d, err == nil
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}

// maxTestWait is how long a request may wait for what a test expects.
const maxTestWait = time.Minute

var outboxParameters = append([]parameter{
	{name: "company", description: "ID of a company; by default that of the token.", kind: "string"},
	{name: "document", description: "ID of a document.", kind: "string"},
	{name: "to", description: "An e-mail address.", kind: "string"},
	{name: "kind", description: "The kind of message, such as invitation or completed.", kind: "string"},
	waitParameter,
}, pageParameters...)

var postingParameters = append([]parameter{
	{name: "company", description: "ID of a company; by default that of the token.", kind: "string"},
	{name: "document", description: "ID of a document.", kind: "string"},
	{name: "type", description: "The type of event, such as document.completed.", kind: "string"},
	{name: "url", description: "The address that was posted to.", kind: "string"},
	{name: "status", description: "waiting for another attempt, delivered or failed.", kind: "string"},
	waitParameter,
}, pageParameters...)

var waitParameter = parameter{name: "wait", description: "How long to wait until there is one, such as 5s; at most 60s.", kind: "string"}

// outbox lists mail, and waits for it if the caller asks for that.
func (h *testHandlers) outbox(r *request, _ *nothing) (envelope[mailView], error) {
	want := notify.Wanted{Company: tested(r, r.query.text("company")), Document: idOr(r.query.text("document")), To: r.query.text("to"), Kind: r.query.text("kind")}
	return awaited(h, r, want.Company, viewMail, h.notify.Messages.Added, func(offset, limit int) (list.Page[notify.Message], error) {
		return h.notify.Messages.Find(want, offset, limit)
	})
}

// testPosting is what was posted to the receiver of a webhook.
type testPosting struct {
	DeliveryRow
	WebhookID string               `json:"webhook_id"`
	URL       string               `json:"url"`
	Request   deliveryRequestView  `json:"request" doc:"As last sent, with its signature"`
	Response  deliveryResponseView `json:"response" doc:"Of the last attempt"`
}

// posted lists what was sent to webhooks, and waits for it if the caller asks for that.
func (h *testHandlers) posted(r *request, _ *nothing) (envelope[testPosting], error) {
	want := notify.WantedPostings{Company: tested(r, r.query.text("company")), Document: idOr(r.query.text("document")), Type: r.query.text("type"),
		URL: r.query.text("url"), Status: r.query.text("status")}
	view := func(p notify.Posting) testPosting {
		d := h.webhooks.viewDelivery(p.Delivery)
		return testPosting{d.DeliveryRow, p.Webhook, p.URL, d.Request, d.Response}
	}
	return awaited(h, r, want.Company, view, h.webhooks.webhooks.Tried, func(offset, limit int) (list.Page[notify.Posting], error) {
		return h.webhooks.webhooks.Posted(want, offset, limit)
	})
}

// awaited lists what is found after all due work is done. If there is nothing, it looks again each time that
// something is added, as long as the caller wants to wait.
func awaited[T, V any](h *testHandlers, r *request, company string, view func(T) V, added func() <-chan struct{},
	find func(offset, limit int) (list.Page[T], error)) (envelope[V], error) {
	p := r.query.page()
	ctx, cancel, err := r.patience()
	if err != nil {
		return envelope[V]{}, err
	}
	defer cancel()
	if err := h.test.Settle(r.UserContext(), company); err != nil {
		return envelope[V]{}, err
	}
	for {
		next := added()
		found, err := find(p.offset(), p.size)
		if err != nil || found.Total > 0 {
			return enclose(r, p, views(found.Items, view), found.Total), err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return enclose(r, p, []V{}, 0), r.UserContext().Err()
		}
	}
}
