package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/pki"
)

type health struct {
	Status string `json:"status"`
}

type versionView struct {
	Version string `json:"version" doc:"Of the program, as paraph --version prints it"`
}

// serviceHandlers serves the state and the description of the service.
type serviceHandlers struct {
	keys    *pki.Authority
	version string
	ready   func(context.Context) error
	log     *slog.Logger
}

func (h *serviceHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/healthz", rule: anyone(), id: "getHealth", summary: "Check that the process runs", tag: "Service"}, func(*request, *nothing) (health, error) {
		return health{"ok"}, nil
	})
	handle(s, operation{method: http.MethodGet, path: "/readyz", rule: anyone(), id: "getReadiness", summary: "Check that requests work, including signing", tag: "Service"}, h.readyz)
	handle(s, operation{method: http.MethodGet, path: "/version", rule: anyone(), id: "getVersion", summary: "Get the version", tag: "Service"}, func(*request, *nothing) (versionView, error) {
		return versionView{h.version}, nil
	})
	stream(s, operation{method: http.MethodGet, path: "/certificates/root.pem", rule: anyone(), id: "getRootCertificate", summary: "Get the root certificate", tag: "Service"}, func(r *request, _ *nothing) error {
		r.Set(fiber.HeaderContentType, "application/x-pem-file")
		r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("root.pem"))
		return r.Send(h.keys.RootPEM())
	})
	stream(s, operation{method: http.MethodGet, path: "/openapi.json", rule: anyone(), id: "getDescription", summary: "Get this description", tag: "Service",
		query: []parameter{{name: "version", description: "3.1 or 3.0, of OpenAPI; 3.1 unless given. 3.0 has no webhooks.", kind: "string"}}}, func(r *request, _ *nothing) error {
		of, ok := map[string]func() ([]byte, error){"": s.document, "3.1": s.document, "3.0": s.document30}[r.query.text("version")]
		if !ok {
			var f fault.Fields
			f.OneOf("version", "3.1", "3.0")
			return f.Err()
		}
		b, err := of()
		if err != nil {
			return err
		}
		r.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return r.Send(b)
	})
}

func (h *serviceHandlers) readyz(r *request, _ *nothing) (health, error) {
	if err := h.ready(r.UserContext()); err != nil {
		h.log.Error("not ready", "error", err)
		if known, ok := errors.AsType[*fault.Error](err); ok {
			return health{}, known
		}
		return health{}, notReady()
	}
	return health{"ready"}, nil
}
