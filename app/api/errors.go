package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/signing"
)

// failure is the body of every error.
type failure struct {
	Message   string              `json:"message"`
	Errors    map[string][]string `json:"errors,omitempty" doc:"Messages by field; with 422"`
	Code      string              `json:"code,omitempty" doc:"Stable identifier; with 403, 404, 409, 413, 415"`
	RequestID string              `json:"request_id,omitempty" doc:"ID to find in the log; with 500"`
}

// fail turns an error into the response: one place, one log line for what is
// our fault.
func (s *server) fail(c *fiber.Ctx, err error) error {
	status, body := s.failureOf(c, err)
	c.Response().ResetBody()
	c.Response().Header.Del(fiber.HeaderETag)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Status(status)
	b, encodeErr := encode(body)
	if encodeErr != nil {
		return encodeErr
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(b)
}

func (s *server) failureOf(c *fiber.Ctx, err error) (int, failure) {
	if e, ok := errors.AsType[*account.Error](err); ok && httpkit.Status(e.Kind) != 0 {
		return known(c, e)
	}
	if signing.NoSpace(err) {
		return known(c, account.NoSpace())
	}
	if signing.TooLarge(err) {
		return known(c, account.TooLarge("document_too_large", "This change holds too much for one record.").Because(err))
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok && e.Code < http.StatusInternalServerError {
		return framework(e)
	}
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return http.StatusRequestEntityTooLarge, failure{Message: "The request is larger than the limit.", Code: "body_too_large"}
	}
	level := s.Log.Error
	if errors.Is(err, context.Canceled) {
		level = s.Log.Warn
	}
	level("request failed", "request_id", httpkit.RequestID(c), "error", err)
	return http.StatusInternalServerError, failure{
		Message: "Something went wrong on our side. The request id helps to find out what.", RequestID: httpkit.RequestID(c)}
}

func known(c *fiber.Ctx, e *account.Error) (int, failure) {
	status := httpkit.Status(e.Kind)
	httpkit.SetRetryAfter(c, httpkit.RetryAfter(e))
	body := failure{Message: e.Message, Errors: e.Fields}
	switch status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		body.Code = e.Code
	case http.StatusTooManyRequests:
		c.Set("X-RateLimit-Limit", strconv.Itoa(e.Limit))
		c.Set("X-RateLimit-Remaining", "0")
	}
	return status, body
}

// framework words what the router refuses by itself.
func framework(e *fiber.Error) (int, failure) {
	switch e.Code {
	case http.StatusNotFound:
		return e.Code, failure{Message: "The page was not found.", Code: "not_found"}
	case http.StatusMethodNotAllowed:
		return e.Code, failure{Message: "This method is not allowed here.", Code: "method_not_allowed"}
	}
	return e.Code, failure{Message: http.StatusText(e.Code) + "."}
}

// rate tells the caller where they stand with a limit.
func (r *request) rate(rate account.Rate) {
	r.Set("X-RateLimit-Limit", strconv.Itoa(rate.Limit))
	r.Set("X-RateLimit-Remaining", strconv.Itoa(rate.Remaining))
}

// fieldsOf gives the faults that an error names.
func fieldsOf(err error) map[string][]string {
	if e, ok := errors.AsType[*account.Error](err); ok {
		return e.Fields
	}
	return nil
}
