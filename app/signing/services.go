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
	"log/slog"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/checkpoint"
	"paraph/app/convert"
	"paraph/app/limit"
	"paraph/app/pdf"
	"paraph/app/pdf/pdfium"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing/intake"
	"paraph/app/signing/lists"
	"paraph/app/signing/pictures"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/signing/trail"
	"paraph/app/signing/verify"
	"paraph/app/turns"
	"paraph/app/words"
	"paraph/kv"
	"paraph/search"
)

// Options are the dependencies of the Services. Log, Office, Timestamper and Revocations
// are optional.
type Options struct {
	DB       *kv.DB
	Jobs     *kv.Jobs
	Search   *search.Index
	Blobs    *blob.Store
	Accounts *account.Services
	Keys     *pki.Authority
	// Checkpoints signs heads of the journal. It is built on the trees of [store.Journal].
	Checkpoints *checkpoint.Service
	Words       *words.Catalogue
	Fonts       *text.Fonts
	PDFium      *pdfium.Engine
	Pictures    *pictures.Cache // of pages; nil: each is drawn every time
	Office      *convert.Office // nil: the built-in renderer converts DOCX
	// Timestamper returns the authority whose timestamps a company's files get, when they are sealed
	// and before. Nil: the built-in one.
	Timestamper func(company string, sealing bool) pki.Timestamper
	// Employment looks up where a person works, and as what, by their address; nil knows nobody.
	Employment func(tx *kv.Tx, company, email string) (organization, jobTitle string, err error)
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
	NowIn     func(company string) time.Time // the clock of a company; default Now for all of them
	Latest    func() time.Time               // the clock that is furthest ahead, for files of anybody; default Now
	BaseURL   string                         // base address of the links in e-mails; if empty, that of the request
	Limits    record.Limits
	Consent   string          // the consent text of companies without their own
	TrashDays int             // days after which documents in the trash are purged; 0 means never
	Quota     store.Quota     // of one company
	Members   *turns.Presence // members being served, for whom strangers slow down
	Log       *slog.Logger
}

// Services are the services for documents.
type Services struct {
	Store    *store.Store
	Lists    *lists.Lists
	Trail    *trail.Trail
	Intake   *intake.Intake
	Verifier *verify.Verifier

	Drafts     *Drafts
	Sending    *Sending
	Signing    *Signing
	Completion *Completion
	Upkeep     *Upkeep
}

// core holds what the services share. Each service embeds it; callers of the package don't see it.
type core struct {
	db          *kv.DB
	jobs        *kv.Jobs
	blobs       *blob.Store
	accounts    *account.Services
	keys        *pki.Authority
	checkpoints *checkpoint.Service
	words       *words.Catalogue
	fonts       *text.Fonts
	pdfium      *pdfium.Engine
	pictures    *pictures.Cache // nil: each page is drawn every time
	mailer      account.Mailer
	forget      account.Forgetter
	mails       func() bool
	linkKey     []byte
	baseURL     string
	consent     string // the consent text of companies without their own
	limits      record.Limits
	quota       store.Quota
	id          func() string
	now         func(company string) time.Time
	log         *slog.Logger

	store     *store.Store
	lists     *lists.Lists
	intake    *intake.Intake
	verifier  *verify.Verifier
	links     *links
	schedule  *schedule
	changes   *changes
	revisions *revisions
}

// paper returns how values look on paper.
func (s *core) paper() *record.Paper { return &record.Paper{Fonts: s.fonts, Words: s.words} }

// writing returns how values of a document may be written.
func (s *core) writing(d *record.Document) record.Writing {
	return record.Writing{Language: s.words.Match(d.Locale), Today: s.now(d.Company)}
}

// placement returns where fields of a document can be.
func (s *core) placement(d *record.Document) record.Placement {
	return record.Placement{Files: d.Files, Invitations: d.Invitations, Writing: s.writing(d)}
}

// Drafts manages documents before they are sent, and the templates they come from: their
// settings, files, pages, fields and recipients.
type Drafts struct {
	*core
	sending *Sending
	texts   *fileTexts
}

// Sending sends documents and manages them from then on: approval, invitations and their
// links, deadlines, archive and trash, and who owns them.
type Sending struct {
	*core
	known      employment
	rehearsals pdf.Rehearsals
}

// Signing serves invited people: they open and read a document, prove who they are, and sign,
// confirm, fill in, decline or delegate.
type Signing struct {
	*core
	completion *Completion
	guesses    *limit.Limiter // wrong codes, by network
	mailed     *limit.Limiter // codes and links that people request, by company and address

	guessesToday, mailedToday *limit.Daily // the same, for restarts not to clear them
}

// Completion seals documents that everybody has signed, keeps their seals valid, and hands out
// files, certificates of completion and pictures of pages.
type Completion struct{ *core }

// Upkeep keeps all documents in order: retention, sweeping, checking, and moving a company to
// another installation.
type Upkeep struct {
	*core
	drafts *Drafts
}

// New creates the services. Background work starts when Run is called.
func New(o Options) *Services {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.WithDefaults()
	if o.NowIn == nil {
		o.NowIn = func(string) time.Time { return o.Now() }
	}
	if o.Latest == nil {
		o.Latest = o.Now
	}
	c := newCore(o)
	sending := &Sending{core: c, known: o.Employment}
	drafts := &Drafts{core: c, sending: sending, texts: newFileTexts(o)}
	completion := &Completion{core: c}
	return &Services{
		Store:    c.store,
		Lists:    c.lists,
		Trail:    trail.New(o.DB),
		Intake:   c.intake,
		Verifier: c.verifier,

		Drafts:  drafts,
		Sending: sending,
		Signing: &Signing{
			core:         c,
			completion:   completion,
			guesses:      limit.New(networkTries, 24*time.Hour, o.Now),
			mailed:       limit.New(dailyMails, 24*time.Hour, o.Now),
			guessesToday: limit.NewDaily("codes of signatories", networkTries, o.LinkKey),
			mailedToday:  limit.NewDaily("mails to signatories", dailyMails, o.LinkKey),
		},
		Completion: completion,
		Upkeep:     &Upkeep{core: c, drafts: drafts},
	}
}

func newCore(o Options) *core {
	c := &core{
		db:          o.DB,
		jobs:        o.Jobs,
		blobs:       o.Blobs,
		accounts:    o.Accounts,
		keys:        o.Keys,
		checkpoints: o.Checkpoints,
		words:       o.Words,
		fonts:       o.Fonts,
		pdfium:      o.PDFium,
		pictures:    o.Pictures,
		mailer:      o.Mailer,
		forget:      o.Forget,
		mails:       o.Mails,
		linkKey:     o.LinkKey,
		baseURL:     o.BaseURL,
		consent:     o.Consent,
		limits:      o.Limits,
		quota:       o.Quota,
		id:          func() string { return o.NewID().String() },
		now:         o.NowIn,
		log:         o.Log,
	}
	c.store = store.New(o.DB, o.NewID, o.Checkpoints, o.Log)
	c.lists = lists.New(lists.Options{DB: o.DB, Jobs: o.Jobs, Search: o.Search, Blobs: o.Blobs, PDFium: o.PDFium,
		NewID: o.NewID, Log: o.Log})
	c.verifier = verify.New(verify.Options{DB: o.DB, Blobs: o.Blobs, PDFium: o.PDFium, Keys: o.Keys,
		UploadBytes: o.Limits.UploadBytes, Members: o.Members, Now: o.Latest})
	c.intake = intake.New(intake.Options{Blobs: o.Blobs, PDFium: o.PDFium, Office: o.Office, Fonts: o.Fonts,
		Limits: o.Limits, Now: o.Latest, Verifying: c.verifier.Queue})
	c.links = &links{linkKey: o.LinkKey, baseURL: o.BaseURL, mails: o.Mails}
	c.schedule = &schedule{jobs: o.Jobs, pictures: o.Pictures, trashDays: o.TrashDays}
	c.changes = &changes{db: o.DB, store: c.store, schedule: c.schedule, locks: new(locks)}
	c.revisions = &revisions{blobs: o.Blobs, keys: o.Keys, timestamper: o.Timestamper, revocations: o.Revocations, log: o.Log}
	if o.Timestamper == nil {
		c.revisions.timestamper = func(company string, _ bool) pki.Timestamper { return o.Keys.TimestamperFor(company) }
	}
	return c
}

// Queues returns the load of the service's queues, by name.
func (s *Services) Queues() map[string]turns.Load {
	return map[string]turns.Load{"verify": s.Verifier.Queue.Load(), "search": s.Lists.Load(),
		"libreoffice": s.Intake.Load(), "detect": s.Drafts.DetectionLoad()}
}

// Run keeps the search index in step, delivers events to watchers, and starts the daily
// retention job, until ctx ends.
func (s *Services) Run(ctx context.Context) error {
	if err := s.Upkeep.ScheduleRetention(); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Lists.Run(ctx) })
	g.Go(func() error { return s.Trail.Run(ctx) })
	return g.Wait()
}

// TooLarge reports whether a change was refused because the record would be too large.
func TooLarge(err error) bool { return errors.Is(err, kv.ErrTooLarge) }
