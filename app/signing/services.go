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
	// Timestamper is a remote authority; nil means the built-in one.
	Timestamper pki.Timestamper
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
	BaseURL   string // base address of the links in e-mails; if empty, that of the request
	Limits    Limits
	Consent   string          // the consent text of companies without their own
	TrashDays int             // days after which documents in the trash are purged; 0 means never
	Quota     store.Quota     // of one company
	Members   *turns.Presence // members being served, for whom strangers slow down
	Log       *slog.Logger
}

// Services holds the services for documents. Each has what its own methods need; the
// caller is always an argument.
type Services struct {
	Options
	Store    *store.Store
	Lists    *lists.Lists
	Trail    *trail.Trail
	Intake   *intake.Intake
	Verifier *verify.Verifier

	Documents    *Documents
	Drafts       *Drafts
	Uploads      *Uploads
	Detection    *Detection
	Templates    *Templates
	Dispatch     *Dispatch
	Invitations  *Invitations
	Links        *Links
	Access       *Access
	Visits       *Visits
	Signatures   *Signatures
	Devices      *Devices
	Pads         *Pads
	Marks        *Marks
	SavedFields  *SavedFields
	Lifecycle    *Lifecycle
	Schedule     *Schedule
	Ownership    *Ownership
	Retention    *Retention
	Sealing      *Sealing
	Certificates *Certificates
	Renewal      *Renewal
	Downloads    *Downloads
	Pages        *Pages
	Transfer     *Transfer
	Upkeep       *Upkeep
}

// New creates the services. Background work starts when Run is called.
func New(o Options) *Services {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Limits = o.Limits.WithDefaults()
	s := &Services{
		Options: o,
		Store:   store.New(o.DB, o.NewID, o.Checkpoints, o.Log),
		Lists: lists.New(lists.Options{DB: o.DB, Jobs: o.Jobs, Search: o.Search, Blobs: o.Blobs, PDFium: o.PDFium,
			NewID: o.NewID, Log: o.Log}),
		Trail: trail.New(o.DB),
		Verifier: verify.New(verify.Options{DB: o.DB, Blobs: o.Blobs, PDFium: o.PDFium, Keys: o.Keys,
			UploadBytes: o.Limits.UploadBytes, Members: o.Members, Now: o.Now}),
	}
	s.Intake = intake.New(intake.Options{Blobs: o.Blobs, PDFium: o.PDFium, Office: o.Office, Fonts: o.Fonts,
		Limits: o.Limits, Now: o.Now, Verifying: s.Verifier.Queue})
	id := func() string { return o.NewID().String() }
	s.Documents = &Documents{db: o.DB, store: s.Store, verifier: s.Verifier, consent: o.Consent, now: o.Now}
	s.Schedule = &Schedule{jobs: o.Jobs, pictures: o.Pictures, trashDays: o.TrashDays}
	s.Links = &Links{db: o.DB, store: s.Store, mails: o.Mails, linkKey: o.LinkKey, baseURL: o.BaseURL}
	s.Pads = &Pads{db: o.DB, linkKey: o.LinkKey}
	s.Marks = &Marks{db: o.DB, fonts: o.Fonts}
	s.SavedFields = &SavedFields{db: o.DB, id: id}
	s.Ownership = &Ownership{db: o.DB, store: s.Store}
	changes := &changes{db: o.DB, store: s.Store, schedule: s.Schedule, locks: new(locks)}
	revisions := &revisions{blobs: o.Blobs, keys: o.Keys, timestamper: o.Timestamper, revocations: o.Revocations,
		log: o.Log}
	s.prepare(o, id, changes, revisions)
	s.sign(o, id, changes, revisions)
	s.keep(o, id, changes)
	return s
}

// prepare creates the services for documents before they are sent, and for sending them.
func (s *Services) prepare(o Options, id func() string, changes *changes, revisions *revisions) {
	s.Dispatch = &Dispatch{store: s.Store, lists: s.Lists, intake: s.Intake, documents: s.Documents, schedule: s.Schedule,
		changes: changes, links: s.Links, revisions: revisions, keys: o.Keys, words: o.Words, fonts: o.Fonts,
		mails: o.Mails, known: o.Employment, limits: o.Limits, now: o.Now}
	s.Invitations = &Invitations{db: o.DB, store: s.Store, schedule: s.Schedule, changes: changes, links: s.Links,
		known: o.Employment, id: id}
	texts := newFileTexts(o)
	s.Drafts = &Drafts{db: o.DB, store: s.Store, lists: s.Lists, intake: s.Intake, documents: s.Documents,
		schedule: s.Schedule, changes: changes, links: s.Links, dispatch: s.Dispatch, invitations: s.Invitations,
		texts: texts, fonts: o.Fonts, limits: o.Limits, quota: o.Quota, id: id, now: o.Now}
	s.Uploads = &Uploads{db: o.DB, blobs: o.Blobs, changes: changes, drafts: s.Drafts, limits: o.Limits,
		quota: o.Quota, id: id, now: o.Now}
	s.Detection = &Detection{store: s.Store, blobs: o.Blobs, drafts: s.Drafts, texts: texts}
	s.Templates = &Templates{db: o.DB, store: s.Store, lists: s.Lists, documents: s.Documents, links: s.Links,
		dispatch: s.Dispatch, drafts: s.Drafts, words: o.Words, mails: o.Mails, limits: o.Limits, now: o.Now}
}

// sign creates the services for signatories, and those that complete documents.
func (s *Services) sign(o Options, id func() string, changes *changes, revisions *revisions) {
	s.Access = &Access{db: o.DB, store: s.Store, accounts: o.Accounts, schedule: s.Schedule, changes: changes,
		mailer: o.Mailer, forget: o.Forget, guesses: limit.New(networkTries, 24*time.Hour, o.Now),
		mailed:       limit.New(dailyMails, 24*time.Hour, o.Now),
		guessesToday: limit.NewDaily("codes of signatories", networkTries, o.LinkKey),
		mailedToday:  limit.NewDaily("mails to signatories", dailyMails, o.LinkKey), linkKey: o.LinkKey, id: id}
	s.Visits = &Visits{db: o.DB, store: s.Store, documents: s.Documents, changes: changes, now: o.Now}
	s.Devices = &Devices{db: o.DB, changes: changes}
	s.Certificates = &Certificates{db: o.DB, store: s.Store, blobs: o.Blobs, documents: s.Documents,
		revisions: revisions, checkpoints: o.Checkpoints, keys: o.Keys, words: o.Words, fonts: o.Fonts}
	s.Sealing = &Sealing{db: o.DB, store: s.Store, schedule: s.Schedule, changes: changes, revisions: revisions,
		certificates: s.Certificates, now: o.Now, log: o.Log}
	s.Signatures = &Signatures{db: o.DB, store: s.Store, blobs: o.Blobs, intake: s.Intake, documents: s.Documents,
		schedule: s.Schedule, changes: changes, revisions: revisions, sealing: s.Sealing, access: s.Access,
		keys: o.Keys, words: o.Words, fonts: o.Fonts, now: o.Now, log: o.Log}
	s.Renewal = &Renewal{db: o.DB, store: s.Store, changes: changes, revisions: revisions, keys: o.Keys,
		now: o.Now}
}

// keep creates the services for documents as a whole: their states, their files, and
// moving and checking them.
func (s *Services) keep(o Options, id func() string, changes *changes) {
	s.Lifecycle = &Lifecycle{db: o.DB, store: s.Store, jobs: o.Jobs, schedule: s.Schedule, changes: changes,
		id: id}
	s.Retention = &Retention{db: o.DB, jobs: o.Jobs, accounts: o.Accounts, changes: changes, now: o.Now}
	s.Downloads = &Downloads{store: s.Store, blobs: o.Blobs, documents: s.Documents, certificates: s.Certificates}
	s.Pages = &Pages{db: o.DB, blobs: o.Blobs, documents: s.Documents, pdfium: o.PDFium, pictures: o.Pictures,
		log: o.Log}
	s.Transfer = &Transfer{store: s.Store, lists: s.Lists, schedule: s.Schedule, links: s.Links,
		baseURL: o.BaseURL}
	s.Upkeep = &Upkeep{db: o.DB, blobs: o.Blobs, uploads: s.Uploads, keys: o.Keys, fonts: o.Fonts, now: o.Now}
}

// Queues returns the load of the service's queues, by name.
func (s *Services) Queues() map[string]turns.Load {
	return map[string]turns.Load{"verify": s.Verifier.Queue.Load(), "search": s.Lists.Load(),
		"libreoffice": s.Intake.Load(), "detect": s.Detection.Load()}
}

// Run keeps the search index in step, delivers events to watchers, and starts the daily
// retention job, until ctx ends.
func (s *Services) Run(ctx context.Context) error {
	if err := s.Retention.Schedule(); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.Lists.Run(ctx) })
	g.Go(func() error { return s.Trail.Run(ctx) })
	return g.Wait()
}

// TooLarge reports whether a change was refused because the record would be too large.
func TooLarge(err error) bool { return errors.Is(err, kv.ErrTooLarge) }
