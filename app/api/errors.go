package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/limit"
	"paraph/app/signing"
	"paraph/app/words"
)

// failure is the body of every error.
type failure struct {
	Message   string              `json:"message"`
	Errors    map[string][]string `json:"errors,omitempty" doc:"Messages by field; with 422"`
	Codes     map[string][]string `json:"codes,omitempty" doc:"Stable identifiers by field, in the order of the messages; with 422"`
	Code      string              `json:"code,omitempty" doc:"Stable identifier; with all but the 429 of a limit by the minute"`
	RequestID string              `json:"request_id,omitempty" doc:"ID to find in the log; with 500"`
}

// fail responds with an error, and logs internal errors. All error responses are made
// here.
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
	if e, ok := errors.AsType[*fault.Error](err); ok && httpkit.Status(e.Kind) != 0 {
		return s.known(c, e)
	}
	if signing.NoSpace(err) {
		return s.known(c, fault.NoSpace())
	}
	if signing.Unreachable(err) {
		return s.known(c, fault.Unavailable("file_unreachable").Because(err))
	}
	if signing.TooLarge(err) {
		return s.known(c, fault.TooLarge("document_too_large.change").Because(err))
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok && e.Code < http.StatusInternalServerError {
		return s.framework(e)
	}
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return s.known(c, fault.TooLarge("body_too_large.request"))
	}
	if errors.Is(err, context.Canceled) && httpkit.Closed(c) {
		return httpkit.StatusClosed, failure{}
	}
	level := s.Log.Error
	if errors.Is(err, context.Canceled) {
		level = s.Log.Warn
	}
	level("request failed", "request_id", httpkit.RequestID(c), "error", err)
	return http.StatusInternalServerError, failure{
		Message: s.sentence("internal"), Code: "internal", RequestID: httpkit.RequestID(c)}
}

func (s *server) known(c *fiber.Ctx, e *fault.Error) (int, failure) {
	status := httpkit.Status(e.Kind)
	httpkit.SetRetryAfter(c, httpkit.RetryAfter(e))
	body := failure{Message: s.sentence(e.Code, e.Args...), Errors: s.sentences(e.Fields), Codes: fault.Words(e.Fields)}
	body.Code = e.Code.Word()
	switch status {
	case http.StatusUnauthorized:
		c.Set(fiber.HeaderWWWAuthenticate, challenge(e.Code))
	case http.StatusTooManyRequests:
		body.Code = ""
		c.Set("X-RateLimit-Limit", strconv.Itoa(e.Limit))
		c.Set("X-RateLimit-Remaining", "0")
		if e.Code != fault.CodeThrottled {
			body.Message, body.Code = s.sentence(fault.CodeThrottled), e.Code.Word()
		}
	}
	return status, body
}

// framework returns the response for errors raised by the router itself.
func (s *server) framework(e *fiber.Error) (int, failure) {
	switch e.Code {
	case http.StatusNotFound:
		return e.Code, failure{Message: s.sentence("not_found.page"), Code: "not_found"}
	case http.StatusMethodNotAllowed:
		return e.Code, failure{Message: s.sentence("method_not_allowed"), Code: "method_not_allowed"}
	}
	return e.Code, failure{Message: http.StatusText(e.Code) + ".", Code: strings.ReplaceAll(strings.ToLower(http.StatusText(e.Code)), " ", "_")}
}

// rate sets the headers that state how much of a rate limit is left.
func (r *request) rate(rate limit.Rate) {
	r.Set("X-RateLimit-Limit", strconv.Itoa(rate.Limit))
	r.Set("X-RateLimit-Remaining", strconv.Itoa(rate.Remaining))
}

// speech says in English what the domain says in codes.
type speech struct{ words *words.Catalogue }

// sentence returns the English message of an error.
func (s speech) sentence(code fault.Code, args ...fault.Arg) string {
	return fault.Sentence(s.english(), code, args...)
}

// english returns the texts in which the API speaks.
func (s speech) english() fault.Sayer { return s.words.English().SayOf }

func (s speech) sentences(fields []fault.Field) map[string][]string {
	return fault.Sentences(s.english(), fields)
}

// refusal is an error that any operation may return, with an example of its body.
type refusal struct {
	status        int
	text, example string
}

// refusalsOf holds the errors in the description.
var refusalsOf = []refusal{
	{400, "The body is not what its content type says.", `{"message":"The body is not valid JSON: line 1, column 9.","code":"body_not_json"}`},
	{401, "No token, or one that is not valid any more; the code says which.", `{"message":"Unauthenticated.","code":"token_missing"}`},
	{403, "Your role or the scopes of the token do not allow this.", `{"message":"Your role doesn't allow this.","code":"role_not_allowed"}`},
	{404, "No such record here. What belongs to another company is not found either.", `{"message":"The document was not found.","code":"not_found"}`},
	{409, "The state of the record does not allow this; nothing was changed. The code says why.", `{"message":"This document is already sent; it can only be changed as a draft.","code":"document_not_draft"}`},
	{412, "The record is not the version of `If-Match` any more; read it again.", `{"message":"The record was changed in the meantime. Read it again and repeat the change.","code":"precondition_failed"}`},
	{413, "Larger than the limit that the message names.", `{"message":"The body is larger than the limit of 10000000 bytes.","code":"body_too_large"}`},
	{415, "A content type or a kind of file that is not accepted; the message names what is.", `{"message":"The content type is not accepted here; send application/json.","code":"content_type_not_accepted"}`},
	{422, "Values at fault: all of them at once, by the dotted name of the field. `codes` has a stable word for each message of `errors`, in the same order.", `{"message":"The given data was invalid.","errors":{"invitations.0.email":["The invitations.0.email field is required."]},"codes":{"invitations.0.email":["required"]},"code":"invalid"}`},
	{429, "Too often. `Retry-After` says how many seconds to wait.", `{"message":"Too Many Requests"}`},
	{503, "Not now: the server starts, stops, or lacks what it needs, which the message names. `Retry-After` says how many seconds to wait, where that is known.", `{"message":"The server is not available at the moment; see its log.","code":"not_ready"}`},
	{507, "The disk has no room for this; nothing was changed.", `{"message":"There is not enough disk space. Nothing was changed; try again when there is room.","code":"no_space"}`},
	{500, "Our fault. The request id is in the log.", `{"message":"Something went wrong on our side. If you report it, include the request ID.","code":"internal","request_id":"01K8XN2V7Q3J5T9B4C6D8E0F1G"}`},
}

// refusalName returns the name of an error in the document, such as NotFound.
func refusalName(status int) string {
	return strings.ReplaceAll(http.StatusText(status), " ", "")
}

// refusals returns the error responses, shared by all operations.
func (d *document) refusals() map[string]*huma.Response {
	schema := d.Schema(typeOf[failure](), true, "")
	out := map[string]*huma.Response{}
	for _, r := range refusalsOf {
		out[refusalName(r.status)] = &huma.Response{Description: r.text,
			Content: map[string]*huma.MediaType{"application/json": {Schema: schema, Example: json.RawMessage(r.example)}}}
	}
	out[anyRefusal] = &huma.Response{Description: "Any other error.", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	return out
}

// anyRefusal is the name of the response for errors that an operation doesn't list.
const anyRefusal = "AnyOtherError"
