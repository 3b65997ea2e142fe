package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
	"paraph/app/pki"
)

type health struct {
	Status string `json:"status"`
}

// serviceHandlers serves the state and the description of the service.
type serviceHandlers struct {
	keys  *pki.Authority
	ready func(context.Context) error
	log   *slog.Logger
}

func (h *serviceHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/healthz", rule: anyone(), summary: "Check that the process runs", tag: "Service"}, func(*request, *nothing) (health, error) {
		return health{"ok"}, nil
	})
	handle(s, operation{method: http.MethodGet, path: "/readyz", rule: anyone(), summary: "Check that requests work, including signing", tag: "Service"}, h.readyz)
	stream(s, operation{method: http.MethodGet, path: "/certificates/root.pem", rule: anyone(), summary: "Get the root certificate", tag: "Service"}, func(r *request, _ *nothing) error {
		r.Set(fiber.HeaderContentType, "application/x-pem-file")
		r.Set(fiber.HeaderContentDisposition, httpkit.Disposition("root.pem"))
		return r.Send(h.keys.RootPEM())
	})
	stream(s, operation{method: http.MethodGet, path: "/openapi.json", rule: anyone(), summary: "Get this description", tag: "Service"}, func(r *request, _ *nothing) error {
		b, err := s.document()
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
		return health{}, notReady()
	}
	return health{"ready"}, nil
}
