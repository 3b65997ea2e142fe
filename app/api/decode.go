package api

import (
	"bytes"
	"crypto/sha256"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	json "github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/door"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// idle is how long a body may stand still while it is streamed.
const idle = 30 * time.Second

// bodyReader gives the body as it comes. The connection's deadline moves on
// while bytes arrive, so that a large upload is not cut off and a dead one is.
type bodyReader struct {
	r    io.Reader
	conn func(time.Time) error
	read int64
	over bool // it was read to its end
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if err := b.conn(time.Now().Add(idle)); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	b.read += int64(n)
	b.over = b.over || errors.Is(err, io.EOF)
	return n, err
}

// body is the request's body, streamed where it is large.
func (r *request) body() io.Reader {
	if s := r.Context().RequestBodyStream(); s != nil {
		r.stream = &bodyReader{r: s, conn: r.Context().Conn().SetReadDeadline}
		return r.stream
	}
	return bytes.NewReader(r.Request().Body())
}

// skippable is how much of a body that nobody read is skipped to keep the
// connection.
const skippable = 256 << 10

// How much of a body that was refused is still taken in, and for how long, so
// that a caller who is in the middle of sending it gets to read the refusal:
// closing at once would reset the connection under the answer.
const (
	patientBytes = 16 << 20
	patientTime  = 2 * time.Second
)

// leave ends the connection behind a request whose body was not read, rather
// than taking in all of it. What is small is left to [server.skip].
func (r *request) leave() {
	if r.Context().RequestBodyStream() == nil || r.stream != nil && r.stream.over {
		return
	}
	left := int64(r.Request().Header.ContentLength())
	if r.stream != nil {
		left -= r.stream.read
	}
	if left > skippable || r.Request().Header.ContentLength() < 0 {
		r.Context().SetConnectionClose()
		r.drain()
	}
}

// skip takes in what is left of a body when its request is answered: the server
// would read it as the next request, which somebody else may have written. Behind
// a body without a length nothing can be known to be left, so the connection ends.
func (s *server) skip(c *fiber.Ctx) {
	body := c.Context().RequestBodyStream()
	if body == nil || c.Response().ConnectionClose() {
		return
	}
	if c.Request().Header.ContentLength() >= 0 {
		err := c.Context().Conn().SetReadDeadline(time.Now().Add(patientTime))
		if err == nil {
			_, err = io.CopyN(io.Discard, body, skippable)
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
	c.Context().SetConnectionClose()
}

// drain reads on for a while. The answer is made, and the connection ends with
// it, however that goes.
func (r *request) drain() {
	conn := r.Context().Conn()
	err := conn.SetReadDeadline(time.Now().Add(patientTime))
	if err == nil {
		_, err = io.CopyN(io.Discard, r.Context().RequestBodyStream(), patientBytes)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.server.Log.Debug("reading on behind a refusal", "request_id", door.RequestID(r.Ctx), "error", err)
	}
}

// bodyCut says that the connection ended before the body did.
func bodyCut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return account.Malformed("The body ends before it is complete.").Because(err)
	}
	return account.Malformed("The body could not be read.").Because(err)
}

// decode reads the body into the endpoint's input.
func (s *server) decode(r *request, op operation, schema *huma.Schema, in any) error {
	if op.text != "" {
		return s.decodePlain(r, op)
	}
	if _, none := in.(*nothing); none && !op.files {
		return nil
	}
	media, params, err := mime.ParseMediaType(r.Get(fiber.HeaderContentType))
	switch {
	case err == nil && media == "multipart/form-data" && op.files:
		return s.decodeMultipart(r, params["boundary"], schema, in)
	case err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")):
		return s.decodeJSON(r, op, schema, in)
	case r.empty():
		return r.decodeText(nil, schema, in)
	case err == nil && media == "application/x-www-form-urlencoded" && r.Method() == http.MethodPost && !op.files:
		// curl -d without a header: the body is looked at as what it should be.
		return s.decodeJSON(r, op, schema, in)
	case r.Get(fiber.HeaderContentType) == "":
		return s.decodeJSON(r, op, schema, in)
	}
	want := "application/json"
	if op.files {
		want += " or multipart/form-data"
	}
	return account.Unsupported("content_type_not_accepted", "The content type is not accepted here; send "+want+".")
}

func (r *request) empty() bool {
	return r.Context().RequestBodyStream() == nil && len(r.Request().Body()) == 0
}

func (s *server) decodeJSON(r *request, op operation, schema *huma.Schema, in any) error {
	limit := s.MaxBody
	if op.files {
		limit = s.MaxUpload*4/3 + s.MaxBody // files may come as base64
	}
	b, err := r.whole(limit)
	if err != nil {
		return err
	}
	return r.decodeText(b, schema, in)
}

// decodePlain takes a body that is no JSON as it is.
func (s *server) decodePlain(r *request, op operation) (err error) {
	kind := r.Get(fiber.HeaderContentType)
	if media, _, err := mime.ParseMediaType(kind); kind != "" && (err != nil || media != op.text) {
		return account.Unsupported("content_type_not_accepted", "The content type is not accepted here; send "+op.text+".")
	}
	r.plain, err = r.whole(max(s.MaxBody, maxPlain))
	return err
}

// maxPlain is how large a body that is no JSON may be at least, in bytes: the
// service knows its own limit, and says so.
const maxPlain = 16 << 20

// whole reads a body that fits into a limit.
func (r *request) whole(limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r.body(), limit+1))
	if err != nil {
		return nil, bodyCut(err)
	}
	if int64(len(b)) > limit {
		return nil, account.TooLarge("body_too_large", fmt.Sprintf("The body is larger than the limit of %d bytes.", limit))
	}
	if n := r.Request().Header.ContentLength(); n > len(b) {
		return nil, bodyCut(io.ErrUnexpectedEOF)
	}
	sum := sha256.Sum256(b)
	r.fingerprint = sum[:]
	return b, nil
}

// decodeText turns JSON into the input. All values of the wrong type are told
// at once; unknown members are ignored.
func (r *request) decodeText(b []byte, schema *huma.Schema, in any) error {
	if len(bytes.TrimSpace(b)) == 0 {
		b = []byte("{}")
	}
	if !utf8.Valid(b) {
		return account.Malformed("The body is not valid JSON: it is not UTF-8.")
	}
	if err := shallow(b); err != nil {
		return err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&v); err != nil || d.More() {
		return account.Malformed("The body is not valid JSON.").Because(err)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return account.Malformed("The body must be a JSON object.")
	}
	r.nulls = map[string]bool{}
	for name, member := range members {
		r.nulls[name] = member == nil
	}
	var faults account.Faults
	r.server.doc.validate(&faults, schema, withoutNulls(v))
	if err := faults.Err(); err != nil {
		return err
	}
	if err := json.Unmarshal(b, in); err != nil {
		return misfit(b, in, err)
	}
	return nil
}

// misfit words what the schema lets through and the Go type does not take, such
// as a number that is too large. The standard library says which field it is.
func misfit(b []byte, in any, err error) error {
	e, ok := errors.AsType[*stdjson.UnmarshalTypeError](stdjson.Unmarshal(b, in))
	if !ok || e.Field == "" {
		return account.Malformed("The body is not what this endpoint takes.").Because(err)
	}
	// Names of embedded Go types are no names of the API.
	path := slices.DeleteFunc(strings.Split(e.Field, "."), func(name string) bool { return strings.ToLower(name) != name })
	var f account.Faults
	f.Must(strings.Join(path, "."), "be a value that this field can hold")
	return f.Err()
}

// deepest is how deep JSON may nest; nothing here needs more than a few levels.
const deepest = 64

// shallow refuses JSON that nests too deeply, before any decoder recurses.
func shallow(b []byte) error {
	depth, inString, escaped := 0, false, false
	for _, c := range b {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > deepest {
				return account.Malformed(fmt.Sprintf("The body nests more than %d levels deep.", deepest))
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// takeAway takes a member that is null for one that takes the value away: the
// service knows that by the zero value. Elsewhere null counts as not given.
func takeAway[T any](r *request, name string, to **T) {
	if *to == nil && r.nulls[name] {
		*to = new(T)
	}
}

// withoutNulls leaves out members that are null: they count as not given.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if x == nil {
				delete(v, k)
				continue
			}
			v[k] = withoutNulls(x)
		}
	case []any:
		for i, x := range v {
			v[i] = withoutNulls(x)
		}
	}
	return v
}
