// Package bulk makes many documents from one template: it checks all rows of a table before
// anything is made, then works through them in the background, at a chosen pace.
//
// Callers may rely on this: a row becomes one document at most, however often the process is
// killed, because a row is marked in the transaction that stores its document; memory does not
// grow with the number of rows that wait; and companies are served in turn.
package bulk

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/seal"
	"paraph/app/sheet"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/turns"
	"paraph/kv"
)

// Limits that are not settings.
const (
	MaxRunning   = 5      // unfinished runs of a company
	MaxPerMinute = 10_000 // pace of a run
)

// Options are the dependencies and settings of the service. Log is optional.
type Options struct {
	DB   *kv.DB
	Jobs *kv.Jobs

	Drafts   *signing.Drafts
	Key      []byte // of the installation; what rows contain is encrypted
	NewID    func() ulid.ULID
	Now      func(company string) time.Time
	MaxRows  int // of one run
	KeepDays int // days after which a run that ended is forgotten; 0 keeps it
	Log      *slog.Logger

	Processors *turns.Queue // see [turns.Processors]
}

// Service implements the rules for runs. It is safe for concurrent use.
type Service struct {
	Options
	box      *seal.Box
	checking *turns.Queue // for checking tables
}

// New returns the service.
func New(o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	box, err := seal.New(o.Key, "bulk", func(n int) ([]byte, error) {
		b := make([]byte, n)
		_, err := rand.Read(b)
		return b, err
	})
	return &Service{o, box, turns.New(turns.Options{Slots: 2, Group: 1})}, err
}

// Load returns how many tables are being checked.
func (s *Service) Load() turns.Load { return s.checking.Load() }

// State is the state of a run.
type State string

// The states of a run.
const (
	Preparing State = "preparing" // its rows are being stored
	Running   State = "running"
	Cancelled State = "cancelled" // the rows that waited are not made
	Finished  State = "finished"
)

// States lists the states of a run that callers see.
func States() []State { return []State{Running, Finished, Cancelled} }

// Run is a table of which each row becomes a document.
type Run struct {
	ID        string
	Company   string
	Template  string
	Version   int64  // of the template; all documents are made from this one
	Title     string // of the template
	By        Sender
	Send      bool       // otherwise drafts are made
	SendAt    *time.Time // they are sent then; nil: as soon as they are made, if at all
	PerMinute int        // pace; 0 is as fast as possible
	Messages  int        // sent at once, according to the check of the rows
	State     State
	Form      sheet.Form // of the file, or of the files made for rows that came as JSON
	Headings  []string
	Columns   []Column // what the columns of the file are used for; nil for rows that came as JSON
	BaseURL   string   // the request's, for links
	CreatedAt time.Time
	EndedAt   *time.Time

	Counts Counts `json:"-"` // read along with the run
}

// later returns when the documents are to be sent, nil if that is now.
func (r *Run) later(now time.Time) *time.Time {
	if r.SendAt == nil || !r.SendAt.After(now) {
		return nil
	}
	return r.SendAt
}

// Sender is the member who started a run, and from where.
type Sender struct {
	Kind                   account.ActorKind
	ID, Name, Email        string
	IP, UserAgent, TokenID string
}

// RowState is the state of a row.
type RowState string

// The states of a row.
const (
	Waiting RowState = "waiting"
	Made    RowState = "made"
	Failed  RowState = "failed"  // when its turn came; may be tried again
	Invalid RowState = "invalid" // was left out because of its content
)

// RowStates lists the states of a row.
func RowStates() []RowState { return []RowState{Waiting, Made, Failed, Invalid} }

// Counts holds the number of rows of a run by their state.
type Counts struct{ Rows, Waiting, Made, Failed, Invalid int }

// Row is one row of a run.
type Row struct {
	Company  string
	Run      string
	Number   int // line of the file, or index of the list
	State    RowState
	Email    string // of the first person, to recognise the row by
	Document string // once it is made
	// Faults say why the row failed or is invalid. A fault without a column has an empty name.
	Faults []fault.Field `json:",omitempty"`
	Sealed []byte        `json:",omitempty"` // what the row contains, until it is made
}

// Everything this package stores. Keys begin with the company, so that no scan crosses into
// another.
var (
	runs = kv.NewCollection("bulk_runs", kv.JSON[Run](),
		kv.Index[Run]{Name: "order", Counted: true, Depth: 2, Keys: func(r Run) []kv.Key {
			at := kv.KeyTime(r.CreatedAt)
			if r.State == Preparing {
				return []kv.Key{kv.K(r.Company, string(r.State), at)}
			}
			return []kv.Key{kv.K(r.Company, everything, at), kv.K(r.Company, string(r.State), at)}
		}})
	// templates holds the template of each run as it was when the run began.
	templates = kv.NewCollection("bulk_templates", kv.JSON[record.Document](), kv.Index[record.Document]{Name: fileIndex, Keys: record.FileKeys})
	rows      = kv.NewCollection("bulk_rows", kv.JSON[Row](),
		kv.Index[Row]{Name: "order", Counted: true, Depth: 2, Keys: func(r Row) []kv.Key {
			n := kv.KeyUint(uint64(r.Number))
			return []kv.Key{kv.K(r.Run, everything, n), kv.K(r.Run, string(r.State), n)}
		}})
)

// everything stands in an index key for "in any state".
const everything = "*"

// Collections lists the collections of this package, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{runs, templates, rows} }

func runKey(company, id string) string { return company + "/" + id }

func (r *Run) key() string { return runKey(r.Company, r.ID) }

func (r *Row) key() string { return fmt.Sprintf("%s/%08d", runKey(r.Company, r.Run), r.Number) }

// load reads a run of the company with its counts.
func load(tx *kv.Tx, company, id string) (Run, error) {
	r, err := runs.Get(tx, runKey(company, id))
	if errors.Is(err, kv.ErrNotFound) {
		return Run{}, fault.NotFound("run").Because(err)
	}
	if err != nil {
		return Run{}, err
	}
	return r, r.count(tx)
}

func (r *Run) count(tx *kv.Tx) (err error) {
	for _, x := range []struct {
		state string
		to    *int
	}{
		{everything, &r.Counts.Rows}, {string(Waiting), &r.Counts.Waiting}, {string(Made), &r.Counts.Made},
		{string(Failed), &r.Counts.Failed}, {string(Invalid), &r.Counts.Invalid},
	} {
		if *x.to, err = rows.Count(tx, "order", kv.K(r.ID, x.state)); err != nil {
			return err
		}
	}
	return nil
}

// content holds the values of a row. It is stored encrypted because it names people and may
// contain their access codes.
type content struct {
	Input RowInput
	Cells []string // as they were in the file; nil for rows that came as JSON
}

func (s *Service) seal(r *Row, c content) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	r.Sealed, err = s.box.Seal(r.key(), b)
	return err
}

func (s *Service) open(r *Row) (c content, err error) {
	b, err := s.box.Open(r.key(), r.Sealed)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(b, &c)
}
