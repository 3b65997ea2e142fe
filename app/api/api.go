// Package api serves the JSON API: it decodes requests, calls the services, and encodes
// the results. It contains no business rules.
//
// Every endpoint is served both at the root and under /api. The OpenAPI
// document is generated from the input and output types of the handlers, so it
// can't drift.
package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/checkpoint"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/limit"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/mishap"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/publiclink"
	"paraph/app/rehearse"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/words"
)

// Options configures the API.
type Options struct {
	Accounts    *account.Services
	Signing     *signing.Services
	Limits      record.Limits
	Now         func(company string) time.Time
	Notify      *notify.Service
	Webhooks    *notify.Webhooks
	Contacts    *contact.Service
	Bulk        *bulk.Service
	PublicLinks *publiclink.Service
	Machine     *machine.Service
	MailServer  *mailserver.Service

	Checkpoints *checkpoint.Service

	Keys    *pki.Authority
	Words   *words.Catalogue
	Log     *slog.Logger
	Version string // of the program

	LogRequests bool
	Strict      bool // refuses unknown members and parameters, see [request.reportUnknown]
	Kit         *httpkit.Kit
	MaxBody     int64 // of JSON, bytes
	MaxUpload   int64 // of one file, bytes
	MaxFiles    int64 // of all files of one request, bytes
	MaxObjects  int   // in the JSON of one request
	ReadTimeout time.Duration
	IdleTimeout time.Duration
	Connections int
	// TokenRequests is how many requests a minute one token may make; 0 is any number.
	TokenRequests int
	Ready         func(context.Context) error
	Test          TestControls     // nil except on a test double
	Mishaps       *mishap.Register // likewise
	Host          string           // of the configured address, or empty
	OwnNames      bool             // requests under names that strangers can set are refused
	// Observe is called after every request with the name of its route. It may be nil.
	Observe func(route string, status int, took time.Duration)
	// Enter registers a request and returns the function that ends it; false
	// refuses it because the appliance is stopping. nil admits every request.
	Enter func() (leave func(), ok bool)
	// Mount adds the routes of other packages to the same server, before
	// unknown paths are refused; nil adds none. It receives the OpenAPI
	// document too.
	Mount func(app *fiber.App, openAPI func() ([]byte, error))
}

// prefetch is the number of bytes of a body that the server reads before the handler
// runs. Zero would mean the server's default.
const prefetch = 1

// server runs requests: it admits them, reads their bodies, and encodes what the handlers return.
type server struct {
	Options
	speech
	app     *fiber.App
	replays *replays
	paces   *limit.Limiter // of tokens, nil without a limit
	bodies  *bodies

	described  []described
	document   func() ([]byte, error) // the OpenAPI document
	document30 func() ([]byte, error) // the same in OpenAPI 3.0

	bulk     *bulkHandlers
	contacts *contactHandlers
	webhooks *webhookHandlers
	// journal holds the latest requests to a test double, nil elsewhere.
	journal *requestJournal
}

// New returns the server with all routes.
func New(o Options) *fiber.App {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	say := speech{o.Words}
	s := &server{
		Options: o, speech: say, replays: newReplays(), bodies: &bodies{registry: newRegistry()},
		bulk:     &bulkHandlers{speech: say, bulk: o.Bulk, kit: o.Kit, maxBody: o.MaxBody},
		contacts: &contactHandlers{speech: say, contacts: o.Contacts, maxBody: o.MaxBody},
		webhooks: &webhookHandlers{speech: say, trail: o.Signing.Trail, webhooks: o.Webhooks},
	}
	s.app = fiber.New(fiber.Config{
		AppName: "Paraph", DisableStartupMessage: true, Immutable: true, StreamRequestBody: true, BodyLimit: prefetch,
		ReadTimeout: o.ReadTimeout, IdleTimeout: o.IdleTimeout, Concurrency: o.Connections,
		ReadBufferSize: 16 << 10, ErrorHandler: s.fail, DisablePreParseMultipartForm: true, UnescapePath: true,
	})
	s.app.Use(s.observe)
	if o.TokenRequests > 0 {
		s.paces = limit.New(o.TokenRequests, time.Minute, time.Now)
	}
	if o.OwnNames {
		s.app.Use(s.guardName)
	}
	if o.Test != nil {
		s.app.Use("/test", s.guardTests)
		s.journal = &requestJournal{server: s, mishaps: o.Mishaps, added: make(chan struct{})}
		s.app.Use(s.journal.serve)
	}
	s.document, s.document30 = sync.OnceValues(s.openAPI), sync.OnceValues(s.openAPI30)
	s.routes(s.handlers())
	s.bodies.complete()
	if o.Mount != nil {
		o.Mount(s.app, s.document)
	}
	s.app.Use(httpkit.Unknown)
	s.app.Server().Handler = o.Kit.Under(s.app.Server().Handler)
	return s.app
}

// handlers serves the endpoints of one kind of resource.
type handlers interface {
	// routes registers the endpoints, with their access rules.
	routes(s *server)
}

// routes registers every endpoint.
func (s *server) routes(all []handlers) {
	for _, h := range all {
		h.routes(s)
	}
}

// handlers creates the handlers of all endpoints, each with the services it calls.
func (s *server) handlers() []handlers {
	o, d := s.Options, s.Signing
	all := []handlers{
		&sessionHandlers{accounts: o.Accounts, notify: o.Notify},
		&securityHandlers{accounts: o.Accounts},
		&documentHandlers{speech: s.speech, sending: d.Sending, drafts: d.Drafts,
			lists: d.Lists, trail: d.Trail, maxBody: o.MaxBody, maxFiles: o.MaxFiles, maxCount: o.Limits.Files},
		&stateHandlers{drafts: d.Drafts, sending: d.Sending, completion: d.Completion},
		&fileHandlers{completion: d.Completion, drafts: d.Drafts, maxBody: o.MaxBody,
			maxFiles: o.MaxFiles, maxCount: o.Limits.Files},
		&fieldHandlers{drafts: d.Drafts, maxBody: o.MaxBody},
		&savedFieldHandlers{drafts: d.Drafts},
		&invitationHandlers{signing: d.Signing, drafts: d.Drafts, sending: d.Sending,
			notify: o.Notify, maxBody: o.MaxBody},
		&companyHandlers{accounts: o.Accounts},
		&memberHandlers{accounts: o.Accounts},
		&tokenHandlers{accounts: o.Accounts, drafts: o.Signing.Drafts},
		&templateHandlers{links: o.PublicLinks, drafts: d.Drafts, sending: d.Sending,
			maxBody: o.MaxBody, maxFiles: o.MaxFiles, maxCount: o.Limits.Files},
		s.bulk,
		s.contacts,
		&outboxHandlers{notify: o.Notify},
		&textHandlers{texts: o.Notify.Texts},
		&mailServerHandlers{speech: s.speech, mailServer: o.MailServer, notify: o.Notify},
		s.webhooks,
		&checkpointHandlers{checkpoints: o.Checkpoints, completion: d.Completion},
		&installationHandlers{accounts: o.Accounts, lists: d.Lists, machine: o.Machine, notify: o.Notify},
		&serviceHandlers{keys: o.Keys, version: o.Version, ready: o.Ready, log: o.Log},
		&verifyHandlers{verifier: d.Verifier, words: o.Words, maxUpload: o.MaxUpload},
	}
	if o.Test != nil {
		all = append(all, &testHandlers{test: o.Test, notify: o.Notify, journal: s.journal, mishaps: o.Mishaps, webhooks: s.webhooks,
			rehearsal: &rehearse.Service{Authentication: o.Accounts.Authentication, Signing: d, Now: o.Now}})
	}
	return all
}
