package page

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
)

// Failure is an error as shown to the reader.
type Failure struct {
	Status    int
	Key       string // its texts in the catalogue are error.KEY.title and error.KEY.text
	Message   string // the error's own sentence, if it adds something
	RequestID string // as in the log, for internal errors
	Wait      int    // seconds to wait after too many requests
	Faults    map[string][]string
}

const errorTemplate Template[Failure] = "error"

// fail responds with an error: JSON for a script, a page for a reader.
func (r *Request) fail(err error) error {
	needsProof := fault.CodeOf(err) == "proof_required" && r.Shell != nil
	f := r.FailureOf(err)
	r.Response().ResetBody()
	r.Response().Header.Del(fiber.HeaderETag)
	r.Response().Header.Del(fiber.HeaderContentDisposition)
	httpkit.SetRetryAfter(r.Ctx, f.Wait)
	if r.Scripted() {
		answer := map[string]any{"message": r.Explain(f), "errors": f.Faults, "request_id": f.RequestID, "prove": needsProof}
		return r.Status(f.Status).JSON(answer)
	}
	if needsProof {
		return r.askProof()
	}
	if r.failed != nil && f.Status < http.StatusInternalServerError {
		show := r.failed
		r.failed = nil // an error while showing an error gets the common error page
		return show(r, err)
	}
	return errorTemplate.Render(r, f.Status, With(Page{Title: r.Say("error." + f.Key + ".title")}, f))
}

// Explain describes the failure in one sentence.
func (r *Request) Explain(f Failure) string {
	if f.Message != "" {
		return f.Message
	}
	return r.Say("error."+f.Key+".text", "seconds", f.Wait)
}

// FailureOf describes an error to the reader, and logs it if it is internal.
func (r *Request) FailureOf(err error) Failure {
	if signing.NoSpace(err) {
		err = fault.NoSpace()
	}
	if signing.Unreachable(err) {
		err = fault.Unavailable("file_unreachable").Because(err)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && httpkit.Status(e.Kind) != 0 {
		f := Failure{
			Status:  httpkit.Status(e.Kind),
			Message: r.Sentence(fault.Field{Code: e.Code, Args: e.Args}, nil),
			Faults:  r.Sentences(e.Fields),
			Wait:    httpkit.RetryAfter(e),
		}
		switch f.Status {
		case http.StatusNotFound, http.StatusUnauthorized:
			f.Message = ""
		case http.StatusTooManyRequests:
			if e.Code == fault.CodeThrottled {
				f.Message = "" // the page's own text says how long to wait
			}
		}
		f.Key = keyOf(f.Status)
		return f
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok && e.Code < http.StatusInternalServerError {
		return Failure{Status: e.Code, Key: keyOf(e.Code)}
	}
	if errors.Is(err, context.Canceled) && httpkit.Closed(r.Ctx) {
		return Failure{Status: httpkit.StatusClosed, Key: keyOf(httpkit.StatusClosed)}
	}
	level := r.site.Log.Error
	if errors.Is(err, context.Canceled) {
		level = r.site.Log.Warn
	}
	level("request failed", "request_id", r.RequestID(), "error", err)
	return Failure{Status: http.StatusInternalServerError, Key: "500", RequestID: r.RequestID()}
}

// keyOf returns the key of a status in the catalogue, "400" if it has no texts of
// its own.
func keyOf(status int) string {
	switch status {
	case 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 429, 500, 503, 507:
		return strconv.Itoa(status)
	}
	return "400"
}

// NotFoundPage serves the 404 page to browsers. Other clients fall through to the
// next handler.
func (d *Site) NotFoundPage(app *fiber.App) {
	show := d.serve("", httpkit.Rule{For: httpkit.Everyone}, func(r *Request) error {
		if strings.HasPrefix(r.Path(), "/app/") && !httpkit.OnlySignatories(r.Ctx) {
			if err := r.Enter(); err != nil {
				return r.signInFirst(err)
			}
		}
		return httpkit.Unknown(r.Ctx)
	})
	app.Use(func(c *fiber.Ctx) error {
		reads := c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead
		if !reads || strings.HasPrefix(c.Path(), "/api/") || !strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) {
			return c.Next()
		}
		return show(c)
	})
}
