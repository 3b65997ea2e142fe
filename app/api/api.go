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
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/checkpoint"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/machine"
	"paraph/app/mailserver"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/words"
)

// Options configures the API.
type Options struct {
	Accounts   *account.Service
	Signing    *signing.Services
	Notify     *notify.Service
	Webhooks   *notify.Webhooks
	Contacts   *contact.Service
	Bulk       *bulk.Service
	Machine    *machine.Service
	MailServer *mailserver.Service

	Checkpoints *checkpoint.Service

	Keys  *pki.Authority
	Words *words.Catalogue
	Log   *slog.Logger

	LogRequests bool
	Kit         *httpkit.Kit
	MaxBody     int64 // of JSON, bytes
	MaxUpload   int64 // of one file, bytes
	MaxFiles    int64 // of all files of one request, bytes
	MaxObjects  int   // in the JSON of one request
	ReadTimeout time.Duration
	IdleTimeout time.Duration
	Connections int
	Ready       func(context.Context) error
	Test        TestControls // nil except on a test double
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

type server struct {
	Options
	doc     *document
	app     *fiber.App
	replays *replays
}

// New returns the server with all routes.
func New(o Options) *fiber.App {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Options: o, doc: newDocument(), replays: newReplays()}
	s.app = fiber.New(fiber.Config{
		AppName: "Paraph", DisableStartupMessage: true, Immutable: true, StreamRequestBody: true, BodyLimit: prefetch,
		ReadTimeout: o.ReadTimeout, IdleTimeout: o.IdleTimeout, Concurrency: o.Connections,
		ReadBufferSize: 16 << 10, ErrorHandler: s.fail, DisablePreParseMultipartForm: true, UnescapePath: true,
	})
	s.app.Use(s.observe)
	s.doc.api.Servers = servers(o.Kit)
	s.routes()
	if o.Mount != nil {
		o.Mount(s.app, s.doc.json)
	}
	s.app.Use(httpkit.Unknown)
	s.app.Server().Handler = o.Kit.Under(s.app.Server().Handler)
	return s.app
}

// routes registers every endpoint, with its access rule.
func (s *server) routes() {
	s.sessionRoutes()
	s.securityRoutes()
	s.documentRoutes()
	s.stateRoutes()
	s.fileRoutes()
	s.fieldRoutes()
	s.invitationRoutes()
	s.companyRoutes()
	s.templateRoutes()
	s.bulkRoutes()
	s.contactRoutes()
	s.outboxRoutes()
	s.textRoutes()
	s.mailServerRoutes()
	s.webhookRoutes()
	s.checkpointRoutes()
	s.installationRoutes()
	s.serviceRoutes()
	s.verifyRoutes()
	if s.Test != nil {
		s.testRoutes()
	}
}
