package api

import (
	"net/http"
	"reflect"
	"strings"

	json "github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
)

// nothing is the type of an absent input or output.
type nothing struct{}

// operation describes an endpoint for both the router and the OpenAPI document.
type operation struct {
	id      string // names the operation in the description, for instance createDocument
	method  string
	path    string // with {name} for parameters
	also    string // alternative path, "" for none
	summary string
	tag     string
	rule    httpkit.Rule
	status  int // of success; 0 is 200
	query   []parameter
	files   bool // also takes multipart/form-data with files
	// before refuses what can't succeed before the body is read. A request with an idempotency
	// key skips it: it may repeat one that succeeded, whose answer it gets.
	before  func(r *request) error
	text    string // media type of a non-JSON body; the handler finds it in r.plain
	objects int    // in the JSON of the body, if more than usual
	list    bool
	// needs names the members that a JSON body must have, for the description: what they are
	// refused without is the handler's business.
	needs []string
}

// answer is the result of an endpoint: a value to encode as JSON, and headers.
type answer struct {
	status int
	etag   string
	body   any
}

// handle registers an endpoint whose body is an I and whose response is an O.
func handle[I, O any](s *server, op operation, fn func(r *request, in *I) (O, error)) {
	s.describe(op, typeOf[I](), typeOf[O]())
	schema, again := s.bodies.schemaOf(typeOf[I]()), rebuilds[typeOf[O]()]
	echoed := echoedNames(typeOf[O]())
	s.add(op, func(r *request) error {
		in := new(I)
		r.echoed = echoed
		if op.before != nil && r.Get(onceKey) == "" {
			if err := op.before(r); err != nil {
				return err
			}
		}
		defer r.closeUploads()
		if err := s.decode(r, schema, in); err != nil {
			return err
		}
		leave, err := s.Kit.Turn(r.Ctx, op.rule, r.who)
		if err != nil {
			return err
		}
		defer leave()
		if err := r.prove(in); err != nil {
			return err
		}
		return s.once(r, again, func() (answer, error) {
			out, err := fn(r, in)
			return answer{status: op.success(), etag: r.etag, body: out}, err
		})
	})
}

// stream registers an endpoint that writes its response itself.
func stream[I any](s *server, op operation, fn func(r *request, in *I) error) {
	s.describe(op, typeOf[I](), typeOf[nothing]())
	schema := s.bodies.schemaOf(typeOf[I]())
	s.add(op, func(r *request) error {
		in := new(I)
		if err := s.decode(r, schema, in); err != nil {
			return err
		}
		leave, err := s.Kit.Turn(r.Ctx, op.rule, r.who)
		if err != nil {
			return err
		}
		defer leave()
		return fn(r, in)
	})
}

// describe adds an endpoint to the OpenAPI document.
func (s *server) describe(op operation, in, out reflect.Type) {
	s.described = append(s.described, described{op, in, out})
}

func (op operation) success() int {
	if op.status != 0 {
		return op.status
	}
	return http.StatusOK
}

// add registers the endpoint with the router, at the root and under /api.
func (s *server) add(op operation, run func(*request) error) {
	handler := func(c *fiber.Ctx) error {
		c.Locals(httpkit.RouteKey, op.method+" "+op.path)
		r := &request{Ctx: c, server: s, op: &op, query: query{args: c.Context().QueryArgs()}}
		if err := r.admit(); err != nil {
			return err
		}
		if err := r.checkQuery(); err != nil {
			return err
		}
		defer s.Kit.Serve(r.who, op.rule)()
		return run(r)
	}
	s.route(op.method, op.path, op.rule, handler)
	if op.also != "" {
		s.route(op.method, op.also, op.rule, handler)
	}
}

func (s *server) route(method, path string, rule httpkit.Rule, handler fiber.Handler) {
	path = strings.NewReplacer("{", ":", "}", "").Replace(path)
	for _, prefix := range []string{"", "/api"} {
		s.Kit.Add(s.app, method, prefix+path, rule, handler)
	}
}

// encode encodes a value as JSON. A ready body is returned unchanged.
func encode(v any) ([]byte, error) {
	if ready, ok := v.(ready); ok {
		return ready.bytes()
	}
	return json.MarshalWithOption(v, json.DisableHTMLEscape(), json.UnorderedMap())
}

// ready is a body already encoded as JSON.
type ready interface{ bytes() ([]byte, error) }

// encode returns the body of the response, nil if there is none.
func (a answer) encode() ([]byte, error) {
	if _, none := a.body.(nothing); none {
		return nil, nil
	}
	return encode(a.body)
}

func (r *request) send(a answer) error {
	body, err := a.encode()
	if err != nil {
		return err
	}
	return r.sendBytes(a, body)
}

func (r *request) sendBytes(a answer, body []byte) error {
	if a.etag != "" {
		r.Set(fiber.HeaderETag, a.etag)
		if r.op.method == http.MethodGet && httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), a.etag) {
			return r.Status(http.StatusNotModified).Send(nil)
		}
	}
	if len(body) == 0 {
		r.Status(a.status)
		if a.status == http.StatusOK {
			r.Status(http.StatusNoContent)
		}
		return nil
	}
	r.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return r.Status(a.status).Send(body)
}
