package bulk

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/sheet"
	"paraph/app/signing"
	"paraph/kv"
)

// RowInput holds the values of one document.
type RowInput struct {
	Title      *string
	ExternalID *string
	People     []signing.RolePerson
	Variables  map[string]string
	Values     map[string]string // of fields, by name
}

// Input describes a run.
type Input struct {
	Template    string
	Rows        []RowInput
	File        []byte            // CSV, instead of Rows
	Columns     map[string]string // heading → target; other headings are recognised by their names
	Edits       []Edit            // of the file
	Send        bool              // otherwise drafts are made
	PerMinute   int               // 0 is as fast as possible
	SkipInvalid bool              // start although some rows are invalid, without those
	Check       bool              // only check
	BaseURL     string            // the request's, for links
}

// Edit replaces the text of one cell of a file.
type Edit struct {
	Row    int // line of the file on which the row starts
	Column int // index of the column
	Text   string
}

// Report is the result of checking a table, and of starting its run. It names the columns even
// if a required one is missing.
type Report struct {
	Run      *Run // nil if nothing was started
	Rows     int
	Valid    int
	Messages int      // sent at once
	Columns  []Column // of the file
	Invalid  []InvalidRow
}

// InvalidRow is a row of which no document can be made.
type InvalidRow struct {
	Number int
	Faults []fault.Field // named by column for a file, by member for a list
	Cells  []string      // of the file
}

// checked is a table after its check.
type checked struct {
	who      account.Actor
	template *signing.Document
	form     sheet.Form
	headings []string
	rows     []checkedRow
	Report
}

type checkedRow struct {
	number int
	content
	faults []fault.Field
}

// Start checks all rows, and starts the run unless there is something to mend. Without
// SkipInvalid, one invalid row is enough to keep it from starting.
func (s *Service) Start(ctx context.Context, who account.Actor, in Input) (Report, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Report{}, err
	}
	t, err := s.Templates.Get(ctx, who, in.Template)
	if err != nil {
		return Report{}, err
	}
	if err := t.Live(); err != nil {
		return Report{}, err
	}
	if err := in.check(); err != nil {
		return Report{}, err
	}
	c, err := s.read(who, t.Document, in)
	if err != nil {
		return c.Report, err
	}
	if err := s.checkRows(ctx, c, in); err != nil {
		return Report{}, err
	}
	switch {
	case in.Check:
		return c.Report, nil
	case len(c.Invalid) > 0 && (!in.SkipInvalid || c.Valid == 0):
		return c.Report, c.refusal()
	}
	c.Run, err = s.store(ctx, c, in)
	return c.Report, err
}

func (in *Input) check() error {
	var f fault.Fields
	if in.PerMinute < 0 || in.PerMinute > MaxPerMinute {
		f.Between("per_minute", 0, MaxPerMinute)
	}
	if len(in.Rows) == 0 && len(bytes.TrimSpace(in.File)) == 0 {
		f.Required("rows")
	}
	return f.Err()
}

// read reads the table of an input.
func (s *Service) read(who account.Actor, t *signing.Document, in Input) (*checked, error) {
	c := &checked{who: who, template: t}
	if len(in.File) == 0 {
		if len(in.Rows) > s.MaxRows {
			return c, fault.Invalid("rows", "too_many", fault.Number("limit", s.MaxRows))
		}
		c.form, c.headings = sheet.Standard(), header(t)
		for i, r := range in.Rows {
			c.rows = append(c.rows, checkedRow{number: i, content: content{Input: r}})
		}
		return c, nil
	}
	file, err := s.readFile(in.File)
	if errors.Is(err, sheet.ErrTooManyRows) {
		return c, fault.Invalid("rows", "too_many", fault.Number("limit", s.MaxRows))
	}
	if err != nil {
		return c, err
	}
	if len(file.Rows) == 0 {
		return c, fault.Invalid("rows", "required")
	}
	c.form, c.headings = file.Form, file.Headings
	if c.Columns, err = recognise(t, file.Headings, in.Columns); err != nil {
		return c, err
	}
	edit(&file, in.Edits)
	for _, r := range file.Rows {
		row := content{Input: inputOf(c.Columns, r.Cells), Cells: r.Cells}
		c.rows = append(c.rows, checkedRow{number: r.Line, content: row})
	}
	return c, nil
}

// edit applies the edits of cells that exist. A cell exists below every heading, even if its
// row is shorter.
func edit(file *sheet.Table, edits []Edit) {
	for _, e := range edits {
		i, found := slices.BinarySearchFunc(file.Rows, e.Row, func(r sheet.Row, line int) int { return r.Line - line })
		if !found || e.Column < 0 || e.Column >= len(file.Headings) {
			continue
		}
		cells := make([]string, max(len(file.Rows[i].Cells), e.Column+1))
		copy(cells, file.Rows[i].Cells)
		cells[e.Column] = e.Text
		file.Rows[i].Cells = cells
	}
}

// checkRows checks each row as it would be checked when its document is made.
func (s *Service) checkRows(ctx context.Context, c *checked, in Input) error {
	c.Rows = len(c.rows)
	for i := range c.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &c.rows[i]
		messages, err := s.Templates.CheckUse(c.who, c.template, r.Input.use(in.Send, in.BaseURL))
		switch fields := fault.FieldsOf(err); {
		case err == nil:
			c.Valid++
			c.Messages += messages
		case len(fields) == 0:
			return err
		default:
			r.faults = c.named(r, fields)
			c.Invalid = append(c.Invalid, InvalidRow{r.number, r.faults, r.Cells})
		}
	}
	return nil
}

// named names faults by the columns of the file.
func (c *checked) named(r *checkedRow, fields []fault.Field) []fault.Field {
	if c.Columns == nil {
		return fields
	}
	return named(c.Columns, r.Input, fields)
}

// refusal lists the faults of all rows.
func (c *checked) refusal() error {
	var f fault.Fields
	for _, r := range c.Invalid {
		for _, x := range r.Faults {
			x.Name = "rows." + strconv.Itoa(r.Number) + "." + x.Name
			f.Keep(x)
		}
	}
	return f.Err()
}

// use returns the input of the document of a row.
func (in RowInput) use(send bool, base string) signing.UseInput {
	return signing.UseInput{
		DocumentInput: signing.DocumentInput{Title: in.Title, ExternalID: in.ExternalID},
		People:        slices.Clone(in.People), Variables: in.Variables, Values: in.Values, Send: send, BaseURL: base,
	}
}

// perTransaction is how many rows are stored or removed at once.
const perTransaction = 250

// unfinished is how long a run may take to be stored. Afterwards the process that did it has
// been killed, and the run is removed.
const unfinished = time.Hour

// store stores a run with its rows, in parts that other writers can get between. It begins with
// the last of them.
func (s *Service) store(ctx context.Context, c *checked, in Input) (*Run, error) {
	r := &Run{
		ID: s.NewID().String(), Company: c.who.CompanyID, By: senderOf(c.who), State: Preparing,
		Template: c.template.ID, Version: c.template.Version, Title: c.template.Title,
		Send: in.Send, PerMinute: in.PerMinute, Messages: c.Messages, BaseURL: in.BaseURL,
		Form: c.form, Headings: c.headings, Columns: c.Columns,
	}
	db := s.DB.For(r.Company)
	err := db.Update(func(tx *kv.Tx) error {
		if err := s.room(tx, r.Company); err != nil {
			return err
		}
		r.CreatedAt = tx.Now
		return errors.Join(runs.Put(tx, r.key(), *r), templates.Put(tx, r.key(), *c.template),
			s.later(tx, r, tx.Now.Add(unfinished)))
	})
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(c.rows, perTransaction) {
		if err := ctx.Err(); err != nil {
			return nil, err // what is stored is removed later
		}
		if err := db.Update(func(tx *kv.Tx) error { return s.storeRows(tx, r, part) }); err != nil {
			return nil, err
		}
	}
	err = db.Update(func(tx *kv.Tx) error {
		r.State = Running
		return errors.Join(runs.Put(tx, r.key(), *r), s.later(tx, r, tx.Now), c.who.Once.Done(tx, r.ID), r.count(tx))
	})
	return r, err
}

// room refuses a run if too many of the company's are unfinished.
func (s *Service) room(tx *kv.Tx, company string) error {
	running, err := runs.Count(tx, "order", kv.K(company, string(Running)))
	preparing, err2 := runs.Count(tx, "order", kv.K(company, string(Preparing)))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if running+preparing >= MaxRunning {
		return fault.Conflict("too_many_runs", fault.Number("limit", MaxRunning))
	}
	return nil
}

func (s *Service) storeRows(tx *kv.Tx, r *Run, part []checkedRow) error {
	for _, x := range part {
		row := Row{Company: r.Company, Run: r.ID, Number: x.number, State: Waiting, Email: x.email(), Faults: x.faults}
		if len(x.faults) > 0 {
			row.State = Invalid
		}
		if err := s.seal(&row, x.content); err != nil {
			return err
		}
		if err := rows.Put(tx, row.key(), row); err != nil {
			return err
		}
	}
	return nil
}

// email returns the address that a row is recognised by.
func (c *content) email() string {
	for _, p := range c.Input.People {
		if p.Email != nil {
			return *p.Email
		}
	}
	return ""
}

func senderOf(who account.Actor) Sender {
	return Sender{Kind: who.Kind, ID: who.UserID, Name: who.Name, Email: who.Email,
		IP: who.IP, UserAgent: who.UserAgent, TokenID: who.TokenID}
}
