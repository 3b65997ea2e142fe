// Package machine reports the state of an installation to its administrators: its
// companies and people, jobs, failed mails, documents that need attention, and the
// log. It never discloses the contents of a company's documents.
package machine

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/signing"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Options configures the service.
type Options struct {
	DB         *kv.DB
	Jobs       *kv.Jobs
	Accounts   *account.Services
	Lists      *lists.Lists
	Completion *signing.Completion
	Store      *store.Store
	Notify     *notify.Service
	Log        *Ring
	Logger     *slog.Logger

	Program string // version of the program
	Data    int    // version of the records
	Started time.Time
	Now     func() time.Time

	// Backup and Checked return the last backup and the last check of all data, or the
	// zero value if there was none. They are nil if there can't be any.
	Backup  func() (Backup, error)
	Checked func() (Check, error)
	// CheckEvery is how often all data is checked in the background; 0 for never.
	CheckEvery time.Duration
	// Growth returns what 1,000 documents take up; nil if that is not known yet.
	Growth func() (*Growth, error)
	// Check checks all data now and returns the number of problems.
	Check func(ctx context.Context) (problems int, err error)
	// Dangers are the conditions that administrators are warned about.
	Dangers []Danger
}

// Service serves administrators of the installation. For everybody else its records
// don't exist.
type Service struct {
	Options

	mu      sync.Mutex
	looking sync.Mutex // one examination at a time

	held     []Warning // as last examined
	examined time.Time // see [Service.Examined]
}

// New returns the service.
func New(o Options) *Service { return &Service{Options: o} }

// requireOperator returns an error unless the caller administers the installation.
func requireOperator(who account.Call) error {
	if !who.RunsInstallation() {
		return fault.NotFound("page")
	}
	return nil
}

// Backup describes the last successful backup.
type Backup struct {
	At        time.Time
	Where     string
	Size      int64
	Encrypted bool
}

// Check is the result of the last check of all data.
type Check struct {
	At       time.Time
	Problems int
}

// Growth is what 1,000 documents take up on disk, in bytes, by kind.
type Growth struct {
	Documents int // that it was measured on
	record.Sizes
	Pictures int64 // of pages: a cache of bounded size
	Records  int64
	Search   int64 // the index
}

// Overview is the state of the installation.
type Overview struct {
	Program, Go, Badger string
	Data                int // version of the records
	Upgrade             kv.Upgrade
	Started             time.Time
	Companies, People   int
	Waiting, Running    int // jobs
	Dead                int
	Failed              int // undelivered messages
	Held                int // messages whose link has to be passed on
	Attention           int // documents
	Search              lists.SearchState
	Backup              *Backup // nil if there can't be any
	Check               *Check
	Checking            bool // a check is due or running
	Growth              *Growth
	Warnings            []Warning
}

// Overview returns the state of the installation.
func (s *Service) Overview(ctx context.Context, who account.Call) (o Overview, err error) {
	if err := requireOperator(who); err != nil {
		return o, err
	}
	o = Overview{
		Program: s.Program,
		Go:      runtime.Version(),
		Badger:  moduleVersion("github.com/dgraph-io/badger/v4"),
		Data:    s.Data,
		Started: s.Started,
	}
	for _, part := range []func(context.Context, account.Call, *Overview) error{s.countLists, s.countJobs, s.lastRuns} {
		if err := part(ctx, who, &o); err != nil {
			return Overview{}, err
		}
	}
	if o.Search, err = s.Lists.SearchState(); err != nil {
		return Overview{}, err
	}
	if o.Upgrade, err = kv.LastUpgrade(s.DB); err != nil {
		return Overview{}, err
	}
	o.Warnings, err = s.Warnings(who)
	return o, err
}

// countLists counts the records of each list.
func (s *Service) countLists(ctx context.Context, who account.Call, o *Overview) error {
	companies, err := s.Accounts.Companies.ListTenants(who, "", 0, 0)
	if err != nil {
		return err
	}
	people, err := s.Accounts.Companies.ListPeople(who, "", 0, 0)
	if err != nil {
		return err
	}
	failed, err := s.Notify.Messages.ListFailed(who, 0, 0)
	if err != nil {
		return err
	}
	held, err := s.Notify.Messages.ListHeld(who, 0, 0)
	if err != nil {
		return err
	}
	attention, err := s.Lists.ListAttention(who, 0, 0)
	o.Companies, o.People = companies.Total, people.Total
	o.Failed, o.Held, o.Attention = failed.Total, held.Total, attention.Total
	return err
}

func (s *Service) lastRuns(_ context.Context, _ account.Call, o *Overview) error {
	if s.Backup != nil {
		b, err := s.Backup()
		if err != nil {
			return err
		}
		o.Backup = &b
	}
	if s.Checked == nil {
		return nil
	}
	c, err := s.Checked()
	if err != nil {
		return err
	}
	o.Check = &c
	o.Growth, err = s.Growth()
	return err
}
