// Package api is the JSON door: it decodes a request, calls the heart, and
// encodes what comes back. No rule of the business lives here.
//
// Every endpoint answers bare and under /api. The OpenAPI document is made from
// the same Go types that the handlers take and give, so it can't drift.
package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/httpkit"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/words"
)

// Options are what the door needs.
type Options struct {
	Accounts *account.Service
	Signing  *signing.Service
	Notify   *notify.Service
	Webhooks *notify.Webhooks
	Contacts *contact.Service
	Keys     *pki.Authority
	Words    *words.Catalogue
	Log      *slog.Logger

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
	Test        TestControls // nil: there are none
	// Enter counts a request in, and returns what counts it out again; false
	// refuses it because the appliance is stopping. nil lets everything in.
	Enter func() (leave func(), ok bool)
	// Mount adds the routes of other doors to the same server, before anything
	// unknown is refused; nil adds none. It is given the OpenAPI document too.
	Mount func(app *fiber.App, openAPI func() ([]byte, error))
}

// prefetch is how much of a body the server reads before the handler runs. Zero
// would be its default.
const prefetch = 1

type server struct {
	Options
	doc     *document
	app     *fiber.App
	replays *replays
}

// New makes the server with all routes.
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
	s.routes()
	if o.Mount != nil {
		o.Mount(s.app, s.doc.json)
	}
	s.app.Use(httpkit.Unknown)
	return s.app
}

// routes is every endpoint, with who may come in.
func (s *server) routes() {
	s.sessionRoutes()
	s.securityRoutes()
	s.documentRoutes()
	s.stateRoutes()
	s.fileRoutes()
	s.fieldRoutes()
	s.invitationRoutes()
	s.companyRoutes()
	s.contactRoutes()
	s.outboxRoutes()
	s.webhookRoutes()
	s.serviceRoutes()
	s.verifyRoutes()
	if s.Test != nil {
		s.testRoutes()
	}
}
