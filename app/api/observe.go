package api

import (
	"cmp"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
)

// observe assigns an ID to every request, recovers panics, and logs one line. The line
// names the route rather than the path, which may contain a token.
func (s *server) observe(c *fiber.Ctx) (err error) {
	started := time.Now()
	id := ulid.Make().String()
	c.Locals(httpkit.RequestIDKey, id)
	c.Set(fiber.HeaderXRequestID, id)
	s.Kit.Secure(c)
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic", "request_id", id, "panic", p, "stack", string(debug.Stack()))
			err = s.fail(c, fiber.ErrInternalServerError)
		}
		httpkit.Finish(c)
		took := time.Since(started)
		if s.LogRequests {
			s.logRequest(c, id, took)
		}
		if s.Observe != nil {
			s.Observe(cmp.Or(routeOf(c), "(none)"), c.Response().StatusCode(), took)
		}
	}()
	if err := s.admit(c); err != nil {
		return s.fail(c, err)
	}
	return nil
}

// admit runs the request, unless the appliance is stopping.
func (s *server) admit(c *fiber.Ctx) error {
	if s.Enter == nil {
		return c.Next()
	}
	leave, ok := s.Enter()
	if !ok {
		c.Context().SetConnectionClose()
		return fault.Unavailable("stopping")
	}
	defer leave()
	return c.Next()
}

func (s *server) logRequest(c *fiber.Ctx, id string, took time.Duration) {
	route := cmp.Or(routeOf(c), c.Method()+" (none)")
	company, _ := c.Locals(companyKey).(string)
	status := c.Response().StatusCode()
	level := slog.LevelInfo
	if status >= 500 {
		level = slog.LevelError
	}
	s.Log.LogAttrs(c.Context(), level, "request", slog.String("id", id), slog.String("route", route), slog.Int("status", status),
		slog.Duration("duration", took), slog.String("company", company))
}

// routeOf returns the name of the route that matched a request, "" for none.
func routeOf(c *fiber.Ctx) string {
	route, _ := c.Locals(httpkit.RouteKey).(string)
	return route
}

func notReady() error {
	return fault.Unavailable("not_ready")
}
