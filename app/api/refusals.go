package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// refusal is an error that any operation may return, with an example of its body.
type refusal struct {
	status        int
	text, example string
}

// refusalsOf holds the errors in the description.
var refusalsOf = []refusal{
	{400, "The body is not what its content type says.", `{"message":"The body is not valid JSON."}`},
	{401, "No token, or one that is not valid any more.", `{"message":"Unauthenticated."}`},
	{403, "Your role or the scopes of the token do not allow this.", `{"message":"Your role doesn't allow this.","code":"role_not_allowed"}`},
	{404, "No such record here. What belongs to another company is not found either.", `{"message":"The document was not found.","code":"not_found"}`},
	{409, "The state of the record does not allow this; nothing was changed. The code says why.", `{"message":"This document is already sent; it can only be changed as a draft.","code":"document_not_draft"}`},
	{412, "The record is not the version of `If-Match` any more; read it again.", `{"message":"The record was changed in the meantime. Read it again and repeat the change."}`},
	{413, "Larger than the limit that the message names.", `{"message":"The body is larger than the limit of 10000000 bytes.","code":"body_too_large"}`},
	{415, "A content type or a kind of file that is not accepted; the message names what is.", `{"message":"The content type is not accepted here; send application/json.","code":"content_type_not_accepted"}`},
	{422, "Values at fault: all of them at once, by the dotted name of the field. `codes` has a stable word for each message of `errors`, in the same order.", `{"message":"The given data was invalid.","errors":{"invitations.0.email":["The invitations.0.email field is required."]},"codes":{"invitations.0.email":["required"]}}`},
	{429, "Too often. `Retry-After` says how many seconds to wait.", `{"message":"Too Many Requests"}`},
	{500, "Our fault. The request id is in the log.", `{"message":"Something went wrong on our side. If you report it, include the request ID.","request_id":"01K8XN2V7Q3J5T9B4C6D8E0F1G"}`},
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
	return out
}
