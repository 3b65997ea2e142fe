package api

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	json "github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/turns"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// open opens the body for reading, within the limits of the endpoint, and prepares for the files in it.
func (r *request) open() (err error) {
	if r.body, err = r.server.Kit.Body(r.Ctx, r.op.rule, r.caller()); err == nil {
		r.uploads = uploads{intake: r.server.Signing.Intake, who: r.who, body: r.body}
	}
	return err
}

// caller returns the key under which the request waits for shared resources.
func (r *request) caller() turns.Key { return httpkit.CallerOf(r.who, r.server.Kit.Address(r.Ctx)) }

// decode reads the body into the endpoint's input.
func (s *server) decode(r *request, schema *huma.Schema, in any) error {
	if r.op.method == http.MethodGet {
		return nil
	}
	if err := r.open(); err != nil {
		return err
	}
	if _, none := in.(*nothing); none && !r.op.files && r.op.text == "" {
		return nil
	}
	media, params, err := mime.ParseMediaType(r.Get(fiber.HeaderContentType))
	if _, none := in.(*nothing); r.op.text != "" && (none || err == nil && media == r.op.text) {
		return r.decodePlain()
	}
	switch {
	case err == nil && media == "multipart/form-data" && r.op.files:
		return r.decodeMultipart(params["boundary"], schema, in)
	case err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")):
		return r.decodeJSON(schema, in)
	case r.body.Empty():
		return r.decodeText(nil, schema, in)
	case err == nil && media == "application/x-www-form-urlencoded" && r.Method() == http.MethodPost && !r.op.files:
		// curl -d without a header: the body is treated as JSON.
		return r.decodeJSON(schema, in)
	case r.Get(fiber.HeaderContentType) == "":
		return r.decodeJSON(schema, in)
	}
	want := "application/json"
	switch {
	case r.op.files:
		want += " or multipart/form-data"
	case r.op.text != "":
		want += " or " + r.op.text
	}
	return notAccepted(want)
}

func notAccepted(wanted string) error {
	return fault.Unsupported("content_type_not_accepted", fault.Text("wanted", wanted))
}

// decodeJSON reads a JSON body, and extracts the files in it as they arrive.
func (r *request) decodeJSON(schema *huma.Schema, in any) error {
	r.body.Sum(summing(r))
	var source io.Reader = r.body
	if r.op.files {
		source = newLifter(r.body.Buffered(), func(content io.Reader) (string, error) {
			return r.uploads.lift(content)
		})
	}
	b, err := r.body.Gather(r.UserContext(), source, r.op.rule.Body)
	switch {
	case r.body.Err() == nil && errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Malformed("body_not_json").Because(err)
	case err != nil:
		return err
	}
	return r.decodeText(b, schema, in)
}

// decodePlain stores a non-JSON body unchanged.
func (r *request) decodePlain() (err error) {
	kind := r.Get(fiber.HeaderContentType)
	if media, _, err := mime.ParseMediaType(kind); kind != "" && (err != nil || media != r.op.text) {
		return notAccepted(r.op.text)
	}
	r.isPlain = true
	r.body.Sum(summing(r))
	r.plain, err = r.body.Whole(r.UserContext())
	return err
}

// decodeText turns JSON into the input. All values of the wrong type are reported
// at once. Unknown members are ignored or refused, see [request.reportUnknown].
func (r *request) decodeText(b []byte, schema *huma.Schema, in any) (err error) {
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	var unknown []unknownName
	if r.members, unknown, err = r.server.bodies.check(b, schema, r.echoed, max(r.op.objects, r.server.MaxObjects)); err != nil {
		return err
	}
	if err := r.reportUnknown("member", unknown); err != nil {
		return err
	}
	if err := json.Unmarshal(b, in); err != nil {
		return misfit(b, in, err)
	}
	return nil
}

// misfit describes a value that the schema allows and the Go type doesn't, such
// as a number that is too large. The standard library names the field.
func misfit(b []byte, in any, err error) error {
	e, ok := errors.AsType[*stdjson.UnmarshalTypeError](stdjson.Unmarshal(b, in))
	if !ok || e.Field == "" {
		return fault.Malformed("body_unexpected").Because(err)
	}
	// Names of embedded Go types are not part of the API.
	path := slices.DeleteFunc(strings.Split(e.Field, "."), func(name string) bool { return strings.ToLower(name) != name })
	var f fault.Fields
	f.Add(strings.Join(path, "."), "not_storable")
	return f.Err()
}

// clearOnNull treats a null member as clearing the field: it sets the zero value, which
// the service understands as cleared. Elsewhere null means unset.
func clearOnNull[T any](r *request, name string, to **T) {
	if *to == nil && r.members[name] {
		*to = new(T)
	}
}

// variables holds values by name; a list is kept as JSON.
type variables map[string]variableValue

func (v variables) texts() map[string]string {
	out := make(map[string]string, len(v))
	for name, x := range v {
		out[name] = x.text
	}
	return out
}

type variableValue struct{ text string }

// Schema describes the types of a variable.
func (variableValue) Schema(huma.Registry) *huma.Schema {
	items := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}, {Type: huma.TypeArray, Items: items},
	}}
}

// UnmarshalJSON accepts what a field accepts, and arrays.
func (v *variableValue) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		v.text = string(b)
		return nil
	}
	var x fieldValue
	err := x.UnmarshalJSON(b)
	v.text = x.text
	return err
}
