package runs

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// formPage is the form that sends a template to many: first for the table, then with its faults
// and the options, and last for the confirmation.
type formPage struct {
	Template signing.Template
	Problems []string      // of the template, which keep its documents from being sent
	Choices  []page.Option // templates to choose from, if none was chosen

	File, Name string // the table in base64, once there is one
	Kept       []page.Pair
	Columns    []columnChoice
	Report     *bulk.Report // nil unless the table was checked
	Cells      []faultyCell
	More       int // number of faulty rows that are not shown
	Send, Skip bool
	PerMinute  string
	SendAt     *time.Time // nil unless they are sent later
	Later      bool       // that was chosen
	SendTime   string     // as entered, in the time zone Zone
	Zone       string
	Confirm    bool
	Once       string // identifies the form, so that it starts one run
	Mails      bool   // there is a mail server
	Most       int    // rows of a table
}

// columnChoice is the chosen use of a column.
type columnChoice struct {
	N              int
	Heading, Label string
	Options        []page.Option
}

// Name returns the name of the input of a column.
func (c columnChoice) Name() string { return "column." + strconv.Itoa(c.N) }

// HeadingName returns the name of the input that carries the heading along.
func (c columnChoice) HeadingName() string { return "heading." + strconv.Itoa(c.N) }

// shownRows is the maximum number of faulty rows listed.
const shownRows = 100

// ShowNew serves the first step of the form, or a choice of templates.
func (h *Handlers) ShowNew(r *page.Request) error {
	id := r.Query("template")
	if id == "" {
		return h.chooseTemplate(r)
	}
	t, err := h.Drafts.GetTemplate(r.Who.Call, id)
	if err != nil {
		return err
	}
	if err := t.Live(); err != nil {
		return err
	}
	return h.render(r, http.StatusOK, formPage{Template: t, Problems: h.problems(r, t.Document)}, page.Page{})
}

func (h *Handlers) chooseTemplate(r *page.Request) error {
	q := lists.Query{Page: 1, PerPage: 100, Sort: lists.ParseSort("title|asc"), Status: "active"}
	all, _, err := h.Drafts.ListTemplates(r.UserContext(), r.Who.Call, q)
	if err != nil {
		return err
	}
	var f formPage
	for _, t := range all {
		f.Choices = append(f.Choices, page.Option{Value: t.ID, Label: t.Title})
	}
	return h.render(r, http.StatusOK, f, page.Page{})
}

// problems lists what keeps documents of a template from being sent.
func (h *Handlers) problems(r *page.Request, t *record.Document) (out []string) {
	for _, x := range h.Drafts.Problems(t) {
		if x.Severity == record.SeverityError {
			out = append(out, r.Sentence(fault.Field{Code: x.Code, Args: x.Args}, nil))
		}
	}
	return out
}

func (h *Handlers) render(r *page.Request, status int, f formPage, p page.Page) error {
	f.Mails, f.Most = h.Mails(), h.Bulk.MaxRows
	if p.Title == "" {
		p.Title = r.Say("run.new")
	}
	return newTemplate.Render(r, status, page.With(p, f))
}

// Prepare checks the table, asks for confirmation, and starts the run.
func (h *Handlers) Prepare(r *page.Request) error {
	q, err := h.read(r)
	if q == nil {
		return err
	}
	if err != nil {
		return h.refuse(r, q, bulk.Report{}, err)
	}
	if r.Form.Value("do") == "start" && q.validPace && len(q.badTime) == 0 && r.Form.Value("version") == strconv.FormatInt(q.template.Version, 10) {
		return h.start(r, q)
	}
	q.input.Check = true
	report, err := h.Bulk.Start(r.UserContext(), r.Who.Call, q.input)
	if err != nil {
		return h.refuse(r, q, report, err)
	}
	faults := q.faults(r)
	left := len(report.Invalid)
	switch {
	case r.Form.Value("do") == "check":
		return h.showReport(r, q, report, faults)
	case report.Valid == 0, left > 0 && !q.input.SkipInvalid:
		faults["cells"] = []string{r.Say("run.mend", "n", left)}
	}
	if len(faults) > 0 {
		return h.showReport(r, q, report, faults)
	}
	return h.confirm(r, q, report)
}

// start starts the run, once for each form that was confirmed.
func (h *Handlers) start(r *page.Request, q *request) error {
	who := r.Who.Call
	key := "bulk form " + strings.Clone(r.Form.Value("once"))
	if _, running := h.starting.LoadOrStore(who.CompanyID+key, true); running {
		r.Flash("info", "run.starting")
		return r.SeeOther("/app/bulk")
	}
	defer h.starting.Delete(who.CompanyID + key)
	done, err := h.Accounts.Upkeep.Replay(who, key, key)
	if err != nil {
		return err
	}
	if done != nil && len(done.About) > 0 {
		return r.SeeOther("/app/bulk/" + done.About[0])
	}
	who.Once = account.NewOnce(who, key, key)
	report, err := h.Bulk.Start(r.UserContext(), who, q.input)
	if err != nil {
		return h.refuse(r, q, report, err)
	}
	r.Flash("ok", "run.started")
	return r.SeeOther("/app/bulk/" + report.Run.ID)
}

// page returns the form with what was entered.
func (q *request) page(h *Handlers, r *page.Request, report bulk.Report) formPage {
	f := formPage{
		Template: q.template, Problems: h.problems(r, q.template.Document), Name: q.name,
		File: base64.StdEncoding.EncodeToString(q.input.File),
		Send: q.input.Send, SendAt: q.input.SendAt, Later: r.Form.Value("send") == "later",
		SendTime: r.Form.Value("send_at"), Zone: r.Who.Zone().String(), Skip: q.input.SkipInvalid, PerMinute: r.Form.Value("per_minute"),
		Columns: columnChoices(r, bulk.Targets(q.template.Document), report.Columns),
	}
	f.Kept = kept(r, func(name string) bool { return !strings.HasPrefix(name, "cell.") })
	return f
}

// columnChoices returns the choice for each column of the table.
func columnChoices(r *page.Request, targets []bulk.Target, columns []bulk.Column) (out []columnChoice) {
	for i, c := range columns {
		choice := columnChoice{N: i, Heading: c.Heading,
			Label:   cmp.Or(strings.TrimSpace(c.Heading), r.Say("run.column.unnamed", "n", i+1)),
			Options: []page.Option{{Label: r.Say("run.target.none"), Selected: c.Target == ""}}}
		for _, t := range targets {
			choice.Options = append(choice.Options,
				page.Option{Value: t.ID, Label: targetLabel(r, t), Selected: t.ID == c.Target})
		}
		out = append(out, choice)
	}
	return out
}

// targetLabel says what a column can be used for.
func targetLabel(r *page.Request, t bulk.Target) string {
	n := strings.LastIndexByte(t.ID, '.')
	switch {
	case t.Kind == "person" && n > 0:
		return r.Say("run.person", "role", t.ID[:n], "what", r.Say("run.person."+t.ID[n+1:]))
	case t.Kind == "document":
		return r.Say("run.document." + t.ID)
	}
	return r.Say("run.target."+t.Kind, "name", t.Name)
}
