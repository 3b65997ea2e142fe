package api

import (
	"net/http"
	"strings"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/fault"
	"paraph/app/httpkit"
)

type runView struct {
	ID              string     `json:"id"`
	TemplateID      string     `json:"template_id"`
	TemplateVersion int64      `json:"template_version" doc:"Version of the template that all documents are made from"`
	Title           string     `json:"title" doc:"Title of the template"`
	Status          string     `json:"status" enum:"running,finished,cancelled"`
	Send            bool       `json:"send" doc:"Whether the documents are sent; otherwise they are drafts"`
	SendAt          *string    `json:"send_at" format:"date-time" doc:"When the documents are sent; null for as soon as they are made, if at all"`
	PerMinute       int        `json:"per_minute" doc:"Documents per minute; 0 for as fast as possible"`
	StartedBy       PersonView `json:"started_by"`
	Rows            int        `json:"rows_count"`
	Waiting         int        `json:"waiting_count"`
	Made            int        `json:"made_count"`
	Failed          int        `json:"failed_count" doc:"Number of rows that failed when their turn came"`
	Invalid         int        `json:"invalid_count" doc:"Number of rows that were left out"`
	CreatedAt       string     `json:"created_at" format:"date-time"`
	EndedAt         *string    `json:"ended_at" format:"date-time"`
}

func viewRun(r bulk.Run) runView {
	return runView{
		ID: r.ID, TemplateID: r.Template, TemplateVersion: r.Version, Title: r.Title, Status: string(r.State),
		Send: r.Send, SendAt: maybe(r.SendAt), PerMinute: r.PerMinute,
		StartedBy: PersonView{ID: r.By.ID, Name: r.By.Name, Email: r.By.Email},
		Rows:      r.Counts.Rows, Waiting: r.Counts.Waiting, Made: r.Counts.Made, Failed: r.Counts.Failed,
		Invalid: r.Counts.Invalid, CreatedAt: when(r.CreatedAt), EndedAt: maybe(r.EndedAt),
	}
}

type bulkRowView struct {
	Row        int                 `json:"row" doc:"Line in the file starting at 1, or index in rows starting at 0"`
	Status     string              `json:"status" enum:"waiting,made,failed,invalid"`
	Email      *string             `json:"email" doc:"Address of the first person"`
	DocumentID *string             `json:"document_id"`
	Errors     map[string][]string `json:"errors" doc:"Why there is no document, by column or member; a reason that concerns the whole row is under row"`
	Codes      map[string][]string `json:"codes" doc:"Column or member to stable words, in the order of its errors"`
}

// ofRow is the name of faults that concern a row as a whole.
const ofRow = "row"

func (h *bulkHandlers) viewBulkRow(r bulk.Row) bulkRowView {
	v := bulkRowView{Row: r.Number, Status: string(r.State), Email: orNull(r.Email), DocumentID: orNull(r.Document)}
	v.Errors, v.Codes = h.rowFaults(r.Faults)
	return v
}

func (h *bulkHandlers) rowFaults(found []fault.Field) (errors, codes map[string][]string) {
	named := make([]fault.Field, len(found))
	for i, f := range found {
		if named[i] = f; f.Name == "" {
			named[i].Name = ofRow
		}
	}
	if len(named) == 0 {
		return map[string][]string{}, map[string][]string{}
	}
	return h.sentences(named), fault.Words(named)
}

type bulkBody struct {
	Rows        []bulkRowBody     `json:"rows,omitempty" doc:"One for each document"`
	CSV         string            `json:"csv,omitempty" doc:"A table instead of rows, as with text/csv"`
	Columns     map[string]string `json:"columns,omitempty" doc:"With csv: heading of a column to what it is used for, such as Tenant.email, variable:rent, value:Deposit, title or external_id, or an empty text to ignore it; other columns are recognised by their headings"`
	Send        bool              `json:"send,omitempty" doc:"Send the documents; otherwise drafts are made"`
	SendAt      *string           `json:"send_at,omitempty" doc:"RFC 3339, at most a year ahead: sends the documents then"`
	PerMinute   int               `json:"per_minute,omitempty" doc:"Documents per minute; 0 for as fast as possible"`
	SkipInvalid bool              `json:"skip_invalid,omitempty" doc:"Start even if some rows are invalid, without those"`
	Check       bool              `json:"check,omitempty" doc:"Only check the rows"`
}

type bulkRowBody struct {
	Title      *string           `json:"title,omitempty" doc:"Title of this document"`
	ExternalID *string           `json:"external_id,omitempty" doc:"Your own reference for this document"`
	People     []rolePersonBody  `json:"people,omitempty" doc:"Who takes which role; a role that names somebody, or has named_by_previous, may be left out"`
	Variables  variables         `json:"variables,omitempty" doc:"A value for each of the template's variables; for a list, an array of objects"`
	Values     map[string]string `json:"values,omitempty" doc:"Values of fields, by the name of the field"`
}

type bulkAnswer struct {
	Run      *runView          `json:"run" doc:"null if nothing was started"`
	Rows     int               `json:"rows"`
	Valid    int               `json:"valid"`
	Messages int               `json:"messages" doc:"Number of messages that are sent at once"`
	Columns  map[string]string `json:"columns" doc:"Heading of a column of the file to what it is used for; empty if it is ignored"`
	Invalid  []invalidRow      `json:"invalid" doc:"Rows of which no document can be made"`
}

type invalidRow struct {
	Row    int                 `json:"row" doc:"Line in the file starting at 1, or index in rows starting at 0"`
	Errors map[string][]string `json:"errors" doc:"By column or member"`
	Codes  map[string][]string `json:"codes" doc:"Column or member to stable words, in the order of its errors"`
}

var (
	bulkParameters = []parameter{
		{name: "send", description: "true sends the documents of a CSV; otherwise drafts are made.", kind: "boolean"},
		{name: "send_at", description: "When to send the documents of a CSV, in RFC 3339, at most a year ahead.", kind: "string"},
		{name: "per_minute", description: "Documents per minute, for a CSV; 0 for as fast as possible.", kind: "integer", maximum: bulk.MaxPerMinute},
		{name: "skip_invalid", description: "true starts even if some rows of a CSV are invalid, without those.", kind: "boolean"},
		{name: "check", description: "true only checks the rows of a CSV.", kind: "boolean"},
	}
	runParameters = append([]parameter{{name: "status", description: "running, finished or cancelled.", kind: "string"}}, pageParameters...)
	rowParameters = append([]parameter{{name: "status", description: "waiting, made, failed or invalid.", kind: "string"}}, pageParameters...)
)

// bulkHandlers serves bulk runs.
type bulkHandlers struct {
	speech
	bulk    *bulk.Service
	kit     *httpkit.Kit
	maxBody int64 // of JSON, bytes
}

func (h *bulkHandlers) routes(s *server) {
	const tag, one = "Templates", "/bulk/{run}"
	handle(s, operation{method: http.MethodPost, path: "/templates/{template}/bulk", rule: may(account.ScopeWrite).With(max(h.maxBody, maxPlain)),
		id: "createBulkRun", summary: "Make many documents from a template", tag: tag, text: "text/csv", query: bulkParameters, objects: h.bulk.MaxRows * rowObjects}, h.startRun)
	stream(s, operation{method: http.MethodGet, path: "/templates/{template}/bulk.csv", rule: may(account.ScopeRead), id: "downloadBulkTable", summary: "Download a CSV to fill in", tag: tag}, h.bulkHeader)
	handle(s, operation{method: http.MethodGet, path: "/bulk", rule: may(account.ScopeRead), id: "listBulkRuns", summary: "List bulk runs", tag: tag, query: runParameters, list: true}, h.listRuns)
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeRead), id: "getBulkRun", summary: "Get a bulk run", tag: tag}, func(r *request, _ *nothing) (runView, error) {
		id, err := r.id("run")
		if err != nil {
			return runView{}, err
		}
		run, err := h.bulk.Get(r.who, id)
		return viewRun(run), err
	})
	handle(s, operation{method: http.MethodGet, path: one + "/rows", rule: may(account.ScopeRead), id: "listBulkRows", summary: "List the rows of a bulk run", tag: tag, query: rowParameters, list: true}, h.listRows)
	stream(s, operation{method: http.MethodGet, path: one + "/results.csv", rule: may(account.ScopeRead), id: "exportBulkResults", summary: "Export the results of a bulk run as CSV", tag: tag}, h.bulkResults)
	stream(s, operation{method: http.MethodGet, path: one + "/failed.csv", rule: may(account.ScopeWrite), id: "exportFailedBulkRows", summary: "Export the rows without a document as CSV", tag: tag}, h.bulkFailed)
	handle(s, operation{method: http.MethodPost, path: one + "/cancel", rule: may(account.ScopeWrite), id: "cancelBulkRun", summary: "Cancel a bulk run", tag: tag}, func(r *request, _ *nothing) (runView, error) {
		id, err := r.id("run")
		if err != nil {
			return runView{}, err
		}
		run, err := h.bulk.Cancel(r.who, id)
		return viewRun(run), err
	})
	handle(s, operation{method: http.MethodPost, path: one + "/retry", rule: may(account.ScopeWrite), id: "retryBulkRun", summary: "Try the failed rows of a bulk run again", tag: tag}, func(r *request, _ *nothing) (runView, error) {
		id, err := r.id("run")
		if err != nil {
			return runView{}, err
		}
		run, err := h.bulk.Retry(r.who, id)
		return viewRun(run), err
	})
}

// rowObjects is how many JSON objects the row of a table needs, with some to spare.
const rowObjects = 10

func (h *bulkHandlers) startRun(r *request, in *bulkBody) (bulkAnswer, error) {
	id, err := r.id("template")
	if err != nil {
		return bulkAnswer{}, err
	}
	at := instant(&r.query.faults, "send_at", in.SendAt)
	input := bulk.Input{Template: id, File: []byte(in.CSV), Columns: in.Columns,
		Send: in.Send, SendAt: at, PerMinute: in.PerMinute, SkipInvalid: in.SkipInvalid,
		Check: in.Check, BaseURL: h.kit.MailSite(r.Ctx)}
	if r.isPlain {
		later := r.query.text("send_at")
		at = instant(&r.query.faults, "send_at", &later)
		input = bulk.Input{Template: id, File: r.plain, Send: r.query.flag("send"), SendAt: at, PerMinute: r.query.number("per_minute", 0, 0, bulk.MaxPerMinute),
			SkipInvalid: r.query.flag("skip_invalid"), Check: r.query.flag("check"), BaseURL: input.BaseURL}
	}
	if err := r.query.faults.Err(); err != nil {
		return bulkAnswer{}, err
	}
	for i := range in.Rows {
		input.Rows = append(input.Rows, in.Rows[i].input())
	}
	report, err := h.bulk.Start(r.UserContext(), r.who, input)
	if err != nil {
		return bulkAnswer{}, err
	}
	return h.viewReport(report), nil
}

func (b *bulkRowBody) input() bulk.RowInput {
	in := bulk.RowInput{Title: b.Title, ExternalID: b.ExternalID, Variables: b.Variables.texts(), Values: b.Values}
	for i := range b.People {
		in.People = append(in.People, b.People[i].input())
	}
	return in
}

func (h *bulkHandlers) viewReport(report bulk.Report) bulkAnswer {
	v := bulkAnswer{Rows: report.Rows, Valid: report.Valid, Messages: report.Messages,
		Columns: map[string]string{}, Invalid: []invalidRow{}}
	if report.Run != nil {
		run := viewRun(*report.Run)
		v.Run = &run
	}
	for _, c := range report.Columns {
		v.Columns[c.Heading] = c.Target
	}
	for _, x := range report.Invalid {
		row := invalidRow{Row: x.Number}
		row.Errors, row.Codes = h.rowFaults(x.Faults)
		v.Invalid = append(v.Invalid, row)
	}
	return v
}

// reportAgain answers a repeated request whose run was started.
func reportAgain(r *request, id string) (bulkAnswer, error) {
	report, err := r.server.Bulk.ReportOf(r.UserContext(), r.who, id)
	return r.server.bulk.viewReport(report), err
}

func (h *bulkHandlers) listRuns(r *request, _ *nothing) (envelope[runView], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[runView]{}, err
	}
	list, err := h.bulk.List(r.who, bulk.State(r.query.text("status")), p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewRun), list.Total), err
}

func (h *bulkHandlers) listRows(r *request, _ *nothing) (envelope[bulkRowView], error) {
	id, err := r.id("run")
	p := r.query.page()
	if err := merge(&r.query.faults, err); err != nil {
		return envelope[bulkRowView]{}, err
	}
	list, err := h.bulk.Rows(r.who, id, bulk.RowState(r.query.text("status")), p.offset(), p.size)
	return enclose(r, p, views(list.Items, h.viewBulkRow), list.Total), err
}

func (h *bulkHandlers) bulkHeader(r *request, _ *nothing) error {
	id, err := r.id("template")
	if err != nil {
		return err
	}
	write, err := h.bulk.Header(r.who, id)
	if err != nil {
		return err
	}
	return r.sendCSV("rows.csv", write)
}

func (h *bulkHandlers) bulkResults(r *request, _ *nothing) error {
	id, err := r.id("run")
	if err != nil {
		return err
	}
	write, err := h.bulk.Results(r.UserContext(), r.who, id)
	if err != nil {
		return err
	}
	return r.sendCSV("results.csv", write)
}

func (h *bulkHandlers) bulkFailed(r *request, _ *nothing) error {
	id, err := r.id("run")
	if err != nil {
		return err
	}
	write, err := h.bulk.Leftover(r.UserContext(), r.who, id, h.reasons)
	if err != nil {
		return err
	}
	return r.sendCSV("failed.csv", write)
}

// reasons joins the sentences of a row's faults.
func (h *bulkHandlers) reasons(found []fault.Field) string {
	said := make([]string, 0, len(found))
	for _, f := range found {
		said = append(said, h.sentence(f.Code, f.Args...))
	}
	return strings.Join(said, " ")
}
