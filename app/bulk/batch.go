package bulk

import (
	"cmp"
	"context"
	"errors"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/turns"
	"paraph/kv"
)

// batch is the rows of one job.
type batch struct {
	*Service
	run      *Run
	who      account.Call
	template record.Document
	blocked  error // why no document can be made
	rows     []Row
	last     bool
	series   intake.Series
}

// begin reads what the batch needs, and returns the time.
func (b *batch) begin(n int) (now time.Time, err error) {
	err = b.DB.View(func(tx *kv.Tx) error {
		now = tx.NowIn(b.run.Company)
		if b.template, err = templates.Get(tx, b.run.key()); err != nil {
			return err
		}
		p, err := rows.Page(tx, kv.Query{Index: "order", Prefix: kv.K(b.run.ID, string(Waiting)), Limit: n})
		if err != nil {
			return err
		}
		b.rows = p.Items
		b.who, b.blocked, err = b.run.By.call(tx, b.run.Company)
		return err
	})
	if err != nil || b.blocked != nil {
		return now, err
	}
	t, err := b.Drafts.GetTemplate(account.System(b.run.Company), b.run.Template)
	switch {
	case fault.KindOf(err) == fault.KindNotFound || err == nil && t.DeletedAt != nil:
		b.blocked = fault.NotFound("template")
	case err != nil:
		return now, err
	}
	return now, nil
}

// call returns a call by the member who started the run, with the rights they have now, and why they
// can't go on.
func (b Sender) call(tx *kv.Tx, company string) (who account.Call, blocked, err error) {
	member, may, err := account.Writer(tx, company, b.ID)
	switch {
	case err != nil:
		return who, nil, err
	case !may:
		return who, fault.Conflict("sender_left", fault.Text("name", b.Name)), nil
	}
	switch works, err := account.Works(tx, company, b.Kind, b.TokenID); {
	case err != nil:
		return who, nil, err
	case !works:
		return who, fault.Conflict("sender_revoked", fault.Text("name", b.Name)), nil
	}
	member.Kind, member.TokenID = b.Kind, b.TokenID
	return member.Call(account.From{IP: b.IP, UserAgent: b.UserAgent}), nil, nil
}

// Reasons to leave a row as it is.
var (
	errTaken   = errors.New("bulk: the row is made already")
	errStopped = errors.New("bulk: the run was cancelled")
)

// make makes the document of a row. The row is marked in the transaction that stores the
// document: whatever happens, both or neither are done.
func (b *batch) make(ctx context.Context, row *Row) error {
	defer b.series.Begin()()
	turn := b.Processors.Visit(turns.Member(b.run.Company, "bulk"))
	_ = turn.Enter(ctx) // what has begun goes on, even if everything is busy
	defer turn.Leave()
	ctx = turns.Yielding(ctx, turn)
	c, err := b.open(row)
	if err == nil {
		err = b.blocked
	}
	if err == nil {
		err = b.use(ctx, row, c.Input)
	}
	switch kind := fault.KindOf(err); {
	case err == nil, errors.Is(err, errTaken), errors.Is(err, errStopped):
		return nil
	case ctx.Err() != nil:
		return err
	case !b.last && (kind == fault.KindInternal || kind == fault.KindUnavailable || kind == fault.KindNoSpace):
		return err
	}
	b.Log.Warn("row of a bulk run failed", "run", b.run.ID, "row", row.Number, "error", err)
	return b.fail(row, named(b.run.Columns, c.Input, faultsOf(err)))
}

func (b *batch) use(ctx context.Context, row *Row, content RowInput) error {
	in := content.use(b.run.Send, b.run.later(b.Now(b.run.Company)), b.run.BaseURL)
	in.Run, in.Series = b.run.ID, &b.series
	in.With = func(tx *kv.Tx, d *record.Document) error {
		now, err := b.mine(tx, row)
		if err != nil {
			return err
		}
		_, blocked, err := b.run.By.call(tx, b.run.Company) // the rights may have ended since the batch began
		if err := cmp.Or(err, blocked); err != nil {
			return err
		}
		now.State, now.Document, now.Faults, now.Sealed = Made, d.ID, nil, nil
		return rows.Put(tx, now.key(), now)
	}
	_, err := b.Drafts.UseTemplateVersion(ctx, b.who, &b.template, in)
	if err != nil && in.SendAt != nil && !in.SendAt.After(b.Now(b.run.Company)) { // the time came meanwhile
		in.SendAt = nil
		_, err = b.Drafts.UseTemplateVersion(ctx, b.who, &b.template, in)
	}
	return err
}

// mine reads a row and returns an error unless it is still to be made.
func (b *batch) mine(tx *kv.Tx, row *Row) (Row, error) {
	run, err := runs.Get(tx, b.run.key())
	if err != nil {
		return Row{}, err
	}
	if run.State != Running {
		return Row{}, errStopped
	}
	now, err := rows.Get(tx, row.key())
	if err == nil && now.State != Waiting {
		err = errTaken
	}
	return now, err
}

// fail marks a row as failed.
func (b *batch) fail(row *Row, why []fault.Field) error {
	err := b.DB.For(b.run.Company).Update(func(tx *kv.Tx) error {
		now, err := b.mine(tx, row)
		if err != nil {
			return err
		}
		now.State, now.Faults = Failed, why
		return rows.Put(tx, now.key(), now)
	})
	if errors.Is(err, errTaken) || errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// faultsOf returns the faults behind an error.
func faultsOf(err error) []fault.Field {
	if fields := fault.FieldsOf(err); len(fields) > 0 {
		return fields
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return []fault.Field{{Code: e.Code, Args: e.Args}}
	}
	return []fault.Field{{Code: "internal"}}
}
