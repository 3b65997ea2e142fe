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
	"paraph/app/signing/record"
)

// checked is a table after its check.
type checked struct {
	who      account.Call
	template *record.Document
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

func (in *Input) check(now time.Time) error {
	var f fault.Fields
	if in.SendAt != nil {
		at := record.CheckSendAt(&f, *in.SendAt, now)
		in.Send, in.SendAt = true, &at
	}
	if in.PerMinute < 0 || in.PerMinute > MaxPerMinute {
		f.Between("per_minute", 0, MaxPerMinute)
	}
	if len(in.Rows) == 0 && len(bytes.TrimSpace(in.File)) == 0 {
		f.Required("rows")
	}
	return f.Err()
}

// checkTable reads a table and checks its rows, in the company's turn. With an error, its report
// names the columns that were recognised.
func (s *Service) checkTable(ctx context.Context, who account.Call, t *record.Document, in Input) (*checked, error) {
	leave, err := s.checking.Enter(ctx, who.Turn())
	if err != nil {
		return &checked{}, err
	}
	defer leave()
	c, err := s.read(who, t, in)
	if err != nil {
		return c, err
	}
	if err := s.checkRows(ctx, c, in); err != nil {
		return &checked{}, err
	}
	return c, nil
}

// read reads the table of an input.
func (s *Service) read(who account.Call, t *record.Document, in Input) (*checked, error) {
	c := &checked{who: who, template: t}
	if len(in.File) == 0 {
		if len(in.Rows) > s.MaxRows {
			return c, fault.Invalid("rows", "too_many", fault.Number("limit", s.MaxRows))
		}
		rows := slices.Clone(in.Rows)
		for i := range rows {
			rows[i].nameRoles(t)
			c.rows = append(c.rows, checkedRow{number: i, content: content{Input: rows[i]}})
		}
		c.form, c.headings = sheet.Standard(), headingsOf(t, rows)
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
		s.Drafts.ReadTyped(t, row.Input.Values)
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
		messages, err := s.Drafts.CheckTemplateUse(c.who, c.template, r.Input.use(in.Send, in.SendAt, in.BaseURL))
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
func (in RowInput) use(send bool, at *time.Time, base string) signing.UseInput {
	return signing.UseInput{
		DocumentInput: record.DocumentInput{Title: in.Title, ExternalID: in.ExternalID},
		People:        slices.Clone(in.People), Variables: in.Variables, Values: in.Values,
		Send: send, SendAt: at, BaseURL: base,
	}
}
