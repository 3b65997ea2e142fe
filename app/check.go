package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/checkpoint"
	"paraph/app/cold"
	"paraph/app/contact"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/transfer"
	"paraph/app/tree"
	"paraph/kv"
)

// Check reads all data of a folder: every record decodes, indexes and counts agree, every file
// exists and matches its hash, every key and certificate is whole, and the journal's chain is
// intact. With repair, derived data is rebuilt first: the list items and the search index.
// Published checkpoints are compared with the journal, as stored ones are.
func (a *App) Check(ctx context.Context, repair bool, published ...checkpoint.Published) []error {
	problems, _ := a.checkAll(ctx, repair, func() {}, published)
	return problems
}

// sizes are what a check measures.
type sizes struct {
	Documents int `json:"documents"`
	record.Sizes
}

// checkAll is Check at the pace that rest sets.
func (a *App) checkAll(ctx context.Context, repair bool, rest func(), published []checkpoint.Published) (problems []error, of sizes) {
	if repair {
		if err := errors.Join(a.Signing.Upkeep.RebuildRows(ctx), a.index.Reset()); err != nil {
			return []error{err}, of
		}
	}
	each := func(s record.Sizes) {
		of.Documents++
		of.Add(s)
	}
	keys := []error{a.Keys.Check(), a.register().check(), newServerTLS(a.Config, a.dir, a.log).check()}
	found := slices.Concat(a.db.CheckSlowly(rest, append(collections(), a.jobs)...), a.Signing.Upkeep.Check(ctx, rest, each), a.cold.Check(ctx), keys, checkHistory(a.db, a.Checkpoints, published))
	for _, err := range found {
		if err != nil {
			problems = append(problems, err)
		}
	}
	return problems, of
}

// collections lists what the packages store, except jobs and the journal.
func collections() []kv.Checker {
	return slices.Concat(
		account.Collections(), signing.Collections(), notify.Collections(), contact.Collections(), bulk.Collections(),
		publiclink.Collections(), machine.Collections(), mailserver.Collections(), checkpoint.Collections(),
		transfer.Collections(), cold.Collections(), []kv.Checker{keyMarks},
	)
}

// checkHistory compares the journal with the checkpoints.
func checkHistory(db *kv.DB, checkpoints *checkpoint.Service, published []checkpoint.Published) (problems []error) {
	err := db.View(func(tx *kv.Tx) error {
		problems = checkpoints.Check(tx)
		for _, p := range published {
			if err := checkpoints.CheckPublished(tx, p); err != nil {
				problems = append(problems, err)
			}
		}
		return nil
	})
	return append(problems, err)
}

// unreadable returns an error if the check could not read something that this process has no right to: that
// is no damage, and whether there is any is unknown.
func unreadable(dir string, problems []error) error {
	denied := slices.DeleteFunc(slices.Clone(problems), func(err error) bool { return !errors.Is(err, fs.ErrPermission) })
	if len(denied) == 0 {
		return nil
	}
	return fmt.Errorf("not everything could be checked (%s): %w; as root, run chown -R --reference=%s %s",
		english.Plural(len(denied), "file", ""), denied[0], filepath.Join(dir, "kv"), dir)
}

// checkNow checks all data while the server runs, at its pace, and stores the result.
func (a *App) checkNow(ctx context.Context) (problems int, err error) {
	began := time.Now()
	found, of := a.checkAll(ctx, false, newPacer(ctx, a.Config.Data.CheckShare).rest, nil)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := unreadable(a.Config.Data.Dir, found); err != nil {
		return 0, err
	}
	for _, p := range found {
		a.log.Error("problem found while checking all data", "problem", p)
	}
	a.log.Info("all data was checked", "documents", of.Documents, "problems", len(found), "took", time.Since(began).Round(time.Second))
	return len(found), checked{a.Clock.Now(), len(found), of}.note(a.dir)
}

// reindex drops the search index, which is rebuilt from the records while a server runs.
func reindex(_ context.Context, a *App, _ NoInput, w io.Writer) error {
	if err := a.index.Reset(); err != nil {
		return err
	}
	a.db.Wake()
	_, err := fmt.Fprintln(w, "The search index is empty. A running server rebuilds it now, the next one when it starts; searches find less until then.")
	return err
}

// checkName is the file in the data folder that records the last check.
const checkName = "checked"

// checked is the result of the last check of a data folder.
type checked struct {
	At       time.Time `json:"at"`
	Problems int       `json:"problems"`
	sizes
}

// note stores the result.
func (c checked) note(dir string) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return tree.WriteFile(filepath.Join(dir, checkName), b, 0o600)
}

// lastCheck returns the result of the last check; the zero value if there was none.
func lastCheck(dir string) (c checked, err error) {
	b, err := os.ReadFile(filepath.Join(dir, checkName))
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(b, &c)
}

// CheckOptions configure what a check does besides reading.
type CheckOptions struct {
	Repair bool // rebuild derived data
	Renew  bool // timestamp files again before their certificates expire

	Checkpoints []string // files with published checkpoints to compare the journal with
}

// renewAhead is how long before the expiry of its certificate a timestamp is followed by
// another one.
const renewAhead = 365 * 24 * time.Hour

// CheckOrder is the input of a check.
type CheckOrder struct {
	Repair, Renew bool
	Published     []checkpoint.Published
}

// Order returns the check to run. It reads the published checkpoints in this process, with the rights of the user who
// runs the command; the server that may do the work has other rights.
func (o CheckOptions) Order() (CheckOrder, error) {
	published, err := readPublished(o.Checkpoints)
	return CheckOrder{o.Repair, o.Renew, published}, err
}

// check checks all data, prints the problems, and stores the result. It returns [ErrNo] if there are any.
func check(ctx context.Context, a *App, o CheckOrder, w io.Writer) error {
	if o.Renew {
		n, err := a.Signing.Completion.Renew(ctx, a.Clock.Now().Add(renewAhead))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Renewed %s.\n", english.Plural(n, "document", ""))
	}
	problems, of := a.checkAll(ctx, o.Repair, func() {}, o.Published)
	a.db.Wake() // a repair empties the search index
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := unreadable(a.Config.Data.Dir, problems); err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(w, p)
	}
	if err := (checked{a.Clock.Now(), len(problems), of}).note(a.Config.Data.Dir); errors.Is(err, fs.ErrPermission) {
		fmt.Fprintln(w, "That this check ran can't be noted in the data folder: "+err.Error())
	} else if err != nil {
		return err
	}
	if len(problems) > 0 {
		if slices.ContainsFunc(problems, func(err error) bool { return errors.Is(err, kv.ErrCorrupt) }) {
			fmt.Fprintln(w, "Damaged tables of records are rebuilt from a backup while no server runs: paraph check --repair --from BACKUP.")
		}
		fmt.Fprintf(w, "%s found in %s.\n", english.Plural(len(problems), "problem", ""), english.Plural(of.Documents, "document", ""))
		return ErrNo
	}
	_, err := fmt.Fprintf(w, "No problems found in %s.\n", english.Plural(of.Documents, "document", ""))
	return err
}
