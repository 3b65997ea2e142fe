package bulk

import (
	"context"
	"errors"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
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
	SendAt      *time.Time        // they are sent then; nil: as soon as they are made, if at all
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

// Start checks all rows, and starts the run unless there is something to mend. Without
// SkipInvalid, one invalid row is enough to keep it from starting.
func (s *Service) Start(ctx context.Context, who account.Call, in Input) (Report, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Report{}, err
	}
	t, err := s.Drafts.GetTemplate(who, in.Template)
	if err != nil {
		return Report{}, err
	}
	if err := t.Live(); err != nil {
		return Report{}, err
	}
	if err := in.check(s.Now(who.CompanyID)); err != nil {
		return Report{}, err
	}
	c, err := s.checkTable(ctx, who, t.Document, in)
	if err != nil {
		return c.Report, err
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
		Send: in.Send, SendAt: in.SendAt, PerMinute: in.PerMinute, Messages: c.Messages, BaseURL: in.BaseURL,
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

func senderOf(who account.Call) Sender {
	return Sender{Kind: who.Kind, ID: who.UserID, Name: who.Name, Email: who.Email,
		IP: who.IP, UserAgent: who.UserAgent, TokenID: who.TokenID}
}
