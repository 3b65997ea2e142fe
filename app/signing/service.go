// Package signing manages documents with their files, signatories and fields, the states
// they pass through, and the evidence of each step.
//
// Every change to a document is one transaction that also appends to the journal, so the
// journal and the records always agree. Slow work (hashing, drawing, signing) is done
// before the transaction, which then checks that the document has not changed in the
// meantime.
package signing

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/checkpoint"
	"paraph/app/convert"
	"paraph/app/limit"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing/intake"
	"paraph/app/signing/lists"
	"paraph/app/signing/pictures"
	"paraph/app/signing/store"
	"paraph/app/signing/trail"
	"paraph/app/signing/verify"
	"paraph/app/turns"
	"paraph/app/words"
	"paraph/kv"
	"paraph/search"
)

// Options are the dependencies of the Service. Log, Office, Timestamper and Revocations
// are optional.
type Options struct {
	DB       *kv.DB
	Jobs     *kv.Jobs
	Search   *search.Index
	Blobs    *blob.Store
	Accounts *account.Service
	Keys     *pki.Authority
	// Checkpoints signs heads of the journal. It is built on the trees of [store.Journal].
	Checkpoints *checkpoint.Service
	Words       *words.Catalogue
	Fonts       *text.Fonts
	PDFium      *pdfium.Engine
	Pictures    *pictures.Cache // of pages; nil: each is drawn every time
	Office      *convert.Office // nil: the built-in renderer converts DOCX
	// Timestamper is a remote authority; nil means the built-in one.
	Timestamper pki.Timestamper
	// Revocations fetches revocation data of other authorities; nil fetches none.
	Revocations *pki.Collector
	Mailer      account.Mailer // records a message in the caller's transaction
	// Mails reports whether e-mails are sent to their recipients. If not, the outbox keeps them until a member passes
	// them on.
	Mails func() bool
	// Forget removes a code from the messages that contain it, once it was used or replaced.
	Forget    account.Forgetter
	LinkKey   []byte // secret from which signatories' links are made
	NewID     func() ulid.ULID
	Now       func() time.Time
	BaseURL   string // base address of the links in e-mails; if empty, that of the request
	Limits    Limits
	Consent   string          // the consent text of companies without their own
	TrashDays int             // days after which documents in the trash are purged; 0 means never
	Quota     store.Quota     // of one company
	Members   *turns.Presence // members being served, for whom strangers slow down
	Log       *slog.Logger
}

// Service implements the rules of documents. Its methods are the entry points for the API
// and the web pages. The caller is always an argument.
type Service struct {
	Options
	Store     *store.Store
	Lists     *lists.Lists
	Trail     *trail.Trail
	Intake    *intake.Intake
	Verifier  *verify.Verifier
	documents *locks         // by identifier: slow work on one document runs one at a time
	guesses   *limit.Limiter // wrong codes, by network
	mailed    *limit.Limiter // codes and links that people request, by company and address
}

// New creates the service. Background work starts when Run is called.
func New(o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.WithDefaults()
	return &Service{
		Options: o,
		Store:   store.New(o.DB, o.NewID, o.Checkpoints, o.Log),
		Lists: lists.New(lists.Options{DB: o.DB, Jobs: o.Jobs, Search: o.Search, Blobs: o.Blobs, PDFium: o.PDFium,
			NewID: o.NewID, Log: o.Log}),
		Trail: trail.New(o.DB),
		Intake: intake.New(intake.Options{Blobs: o.Blobs, PDFium: o.PDFium, Office: o.Office, Fonts: o.Fonts,
			Limits: o.Limits, Now: o.Now}),
		Verifier: verify.New(verify.Options{DB: o.DB, Blobs: o.Blobs, PDFium: o.PDFium, Keys: o.Keys,
			UploadBytes: o.Limits.UploadBytes, Members: o.Members, Now: o.Now}),
		documents: new(locks),
		guesses:   limit.New(networkTries, 24*time.Hour, o.Now),
		mailed:    limit.New(dailyMails, 24*time.Hour, o.Now),
	}, nil
}

// Queues returns the load of the service's queues, by name.
func (s *Service) Queues() map[string]turns.Load {
	return map[string]turns.Load{"verify": s.Verifier.Queue.Load(), "search": s.Lists.Load(), "libreoffice": s.Intake.Load()}
}

// Run keeps the search index in step, delivers events to watchers, and starts the daily
// retention job, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	if err := s.ScheduleRetention(); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Lists.Run(ctx) })
	g.Go(func() error { return s.Trail.Run(ctx) })
	return g.Wait()
}

// lock serializes slow work on one document, so that it is not done twice. Correctness
// does not depend on it: versions are checked at the commit.
func (s *Service) lock(id string) (unlock func()) { return s.documents.lock(id) }

// locks are mutexes by name. Each exists only while it is held or awaited, because the
// names come from callers and are unbounded.
type locks struct {
	mu sync.Mutex
	of map[string]*sharedLock
}

type sharedLock struct {
	sync.Mutex
	users int // number of holders and waiters
}

func (l *locks) lock(name string) (unlock func()) {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[string]*sharedLock{}
	}
	one := l.of[name]
	if one == nil {
		one = &sharedLock{}
		l.of[name] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.of, name)
		}
	}
}

func (s *Service) id() string { return s.NewID().String() }

// Download is a file to be served; Open returns its content.
type Download struct {
	Name        string
	ContentType string
	Size        int64 // -1 if not known in advance
	ETag        string
	Open        func() (io.ReadSeekCloser, error) // nil when only Write can make it
	Write       func(w io.Writer) error           // for content generated while it is sent, such as a ZIP
}

// TooLarge reports whether a change was refused because the record would be too large.
func TooLarge(err error) bool { return errors.Is(err, kv.ErrTooLarge) }
