package api

import (
	"bytes"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/api/examples"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing/record"
)

// parameter is one query parameter of an endpoint.
type parameter struct {
	name, description string
	kind              string // string, integer, boolean, or object of strings
	minimum, maximum  float64
}

// described is an endpoint with the types of its input and its output.
type described struct {
	op      operation
	in, out reflect.Type
}

// document is the OpenAPI description being built.
type document struct {
	api *huma.OpenAPI
	registry
	count int
	uses  map[reflect.Type]int    // of a type as a body, by operations
	types map[string]reflect.Type // of schemas that are copies, by name
}

func newDocument() *document {
	r := newRegistry()
	d := &document{registry: r, uses: map[reflect.Type]int{}, types: map[string]reflect.Type{}, api: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{Title: "Paraph", Version: "1.0.0", Contact: &huma.Contact{Name: "Paraph"}, License: &huma.License{Name: "MIT", Identifier: "MIT"},
			Description: "Document signing and management. Every endpoint is available under / and under /api."},
		Components: &huma.Components{Schemas: r.Registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer": {Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
		}},
	}}
	d.api.Components.Responses = d.refusals()
	return d
}

// openAPI describes the API. The description takes several times the memory of its text, and few
// servers are ever asked for it, so that only the text is kept, from when it is first asked for.
func (s *server) openAPI() ([]byte, error) { return s.description().json() }

func (s *server) description() *document {
	d := newDocument()
	d.api.Servers = servers(s.Kit)
	d.describeRows()
	d.describeWebhooks(s.english())
	for _, e := range s.described {
		d.uses[e.in]++
	}
	for _, e := range s.described {
		d.add(e.op, e.in, e.out)
		d.schemaOf(e.in)
	}
	d.complete()
	return d
}

// complete must be called once everything is added.
func (d *document) complete() {
	for name, s := range d.Map() {
		s.Title = titleOf(name)
	}
	d.allowNull()
	for _, s := range d.Map() {
		listsAreNeverNull(s)
	}
	d.describeProperties()
	d.tellMessagesApart()
	// Generators for Go make a constant of each word, and have a type Client of their own.
	d.Map()[schemaNames["MailLine"]].Properties["from"].Extensions = map[string]any{"x-enum-varnames": []string{"MailClient", "MailServer"}}
	examples.Add(d.Map())
}

// listsAreNeverNull removes null from the types of lists. In requests it is accepted as an empty
// list, which no description has to promise.
func listsAreNeverNull(s *huma.Schema) {
	s.Nullable = s.Nullable && s.Type != huma.TypeArray
	for _, member := range s.Properties {
		listsAreNeverNull(member)
	}
	if s.Items != nil {
		listsAreNeverNull(s.Items)
	}
	if of, ok := s.AdditionalProperties.(*huma.Schema); ok {
		listsAreNeverNull(of)
	}
}

func (d *document) json() ([]byte, error) {
	if err := d.tidy(); err != nil {
		return nil, err
	}
	return d.api.MarshalJSON()
}

// tidy removes what nothing refers to, and says in which order members are.
func (d *document) tidy() error {
	delete(d.Map(), "Nothing") // the absence of a body
	d.orderMembers()
	return d.dropUnused()
}

// tellMessagesApart makes the message of a webhook one of several records, told apart by their
// type, so that generated clients know the types there are.
func (d *document) tellMessagesApart() {
	message := d.Map()[schemaNames["EventMessage"]]
	union := &huma.Schema{Title: message.Title, Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}}}
	for _, kind := range record.EventTypes() {
		one := *message
		word := *message.Properties["type"]
		word.Description, word.Enum, word.Examples = "", []any{string(kind)}, []any{string(kind)}
		one.Title, one.Properties = "", maps.Clone(message.Properties)
		one.Properties["type"] = &word
		name := messageName(kind)
		d.Map()[name], d.types[name] = &one, typeOf[eventMessage]()
		union.OneOf = append(union.OneOf, &huma.Schema{Ref: schemaRefs + name})
		union.Discriminator.Mapping[string(kind)] = schemaRefs + name
	}
	*message = *union
	for kind, item := range d.api.Webhooks {
		item.Post.RequestBody.Content["application/json"].Schema = &huma.Schema{Ref: schemaRefs + messageName(record.EventType(kind))}
	}
}

// messageName returns the name of an event's message, for instance DocumentCompletedMessage.
func messageName(kind record.EventType) string {
	var name strings.Builder
	for part := range strings.FieldsFuncSeq(string(kind), func(r rune) bool { return r == '.' || r == '_' }) {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String() + "Message"
}

// describeWebhooks adds the messages that webhooks receive.
func (d *document) describeWebhooks(english fault.Sayer) {
	d.api.Webhooks = map[string]*huma.PathItem{}
	for i, kind := range record.EventTypes() {
		d.api.Webhooks[string(kind)] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "event-" + strings.NewReplacer(".", "-", "_", "-").Replace(string(kind)), Summary: string(kind),
			Extensions: map[string]any{"x-order": i}, Security: []map[string][]string{},
			RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
				Schema: d.Schema(typeOf[eventMessage](), true, ""), Example: viewMessageOf(english, examples.Event(kind))}}},
			Responses: map[string]*huma.Response{"200": {Description: "Received; any other 2xx does as well"},
				"400": {Description: "Anything else counts as a failure: the message is sent again later"}},
		}}
	}
}

// servers lists the two base paths of every endpoint.
func servers(k *httpkit.Kit) []*huma.Server {
	return []*huma.Server{{URL: k.Outside("/")}, {URL: k.Outside("/api")}}
}

// describeAs copies what the schema of one record says about the values of its members to
// those of another that have the same name.
func (d *document) describeAs(of, like reflect.Type) {
	from := d.SchemaFromRef(d.Schema(like, true, "").Ref)
	for name, s := range d.SchemaFromRef(d.Schema(of, true, "").Ref).Properties {
		if x := from.Properties[name]; x != nil && s.Ref == "" {
			s.Description, s.Enum, s.Format, s.Minimum, s.Maximum = x.Description, x.Enum, x.Format, x.Minimum, x.Maximum
		}
	}
}

// dropUnused removes schemas that nothing refers to, such as those that were copied
// into a member that may be null.
func (d *document) dropUnused() error {
	b, err := d.api.MarshalJSON()
	if err != nil {
		return err
	}
	for name := range d.Map() {
		if !bytes.Contains(b, []byte(`"`+schemaRefs+name+`"`)) {
			delete(d.Map(), name)
		}
	}
	return nil
}

var pathParameter = regexp.MustCompile(`\{([a-z_]+)\}`)

// orderMembers adds the order of every record's members, which schemas don't define.
func (d *document) orderMembers() {
	for name, s := range d.Map() {
		of := d.types[name]
		if of == nil {
			of = d.TypeFromRef(schemaRefs + name)
		}
		names := memberNames(of)
		if hasProperties(of) {
			names = append(names, propertyNames()...)
		}
		if len(names) > 0 && s.Type == huma.TypeObject {
			s.Extensions = map[string]any{"x-members": names}
		}
	}
}

// memberNames returns the JSON names of a type's members, in order.
func memberNames(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, memberNames(f.Type)...)
		case f.IsExported() && name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// add adds an endpoint to the document, also under its alternative path if it has one.
func (d *document) add(op operation, in, out reflect.Type) {
	about := describing().operations[op.id]
	if about == nil {
		about = &manual{}
	}
	o := d.describe(op, about, in, out)
	d.api.AddOperation(o)
	if op.also == "" {
		return
	}
	same := op
	same.path, same.id = op.also, op.id+"Alias"
	alias := d.describe(same, about, in, out)
	alias.Deprecated = true
	alias.Extensions["x-same-as"], o.Extensions["x-also"] = o.OperationID, op.also
	d.api.AddOperation(alias)
}

func (d *document) describe(op operation, about *manual, in, out reflect.Type) *huma.Operation {
	d.group(op.tag)
	o := &huma.Operation{
		Method: op.method, Path: op.path, Summary: op.summary, Tags: []string{op.tag},
		OperationID: op.id, Responses: map[string]*huma.Response{},
		// Paths of the document are sorted; this is the order of reading.
		Extensions: map[string]any{"x-order": d.count},
	}
	d.count++
	o.Security = []map[string][]string{} // an empty list means no authentication
	if op.rule.For != httpkit.Everyone {
		o.Security = []map[string][]string{{"bearer": {}}}
	}
	for _, m := range pathParameter.FindAllStringSubmatch(op.path, -1) {
		o.Parameters = append(o.Parameters, &huma.Param{Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
	}
	for _, q := range op.query {
		o.Parameters = append(o.Parameters, q.param())
	}
	if (in != typeOf[nothing]() || op.files || op.text != "") && op.method != http.MethodGet {
		o.RequestBody = d.requestBody(op, in)
	}
	d.responses(o, op, about.media, out)
	about.apply(o)
	return o
}

// group adds a tag on its first use.
func (d *document) group(tag string) {
	if !slices.ContainsFunc(d.api.Tags, func(t *huma.Tag) bool { return t.Name == tag }) {
		d.api.Tags = append(d.api.Tags, &huma.Tag{Name: tag, Description: describing().tags[tag]})
	}
}

func (p parameter) param() *huma.Param {
	s := &huma.Schema{Type: p.kind}
	if p.maximum > 0 {
		s.Minimum, s.Maximum = &p.minimum, &p.maximum
	}
	out := &huma.Param{Name: p.name, In: "query", Description: p.description, Schema: s}
	if p.kind == huma.TypeObject {
		s.AdditionalProperties, out.Style = &huma.Schema{Type: huma.TypeString}, "deepObject"
		out.Explode = new(true)
	}
	return out
}

func (d *document) requestBody(op operation, in reflect.Type) *huma.RequestBody {
	content := map[string]*huma.MediaType{}
	if in != typeOf[nothing]() {
		content["application/json"] = &huma.MediaType{Schema: d.bodyOf(op, in)}
	}
	if op.text != "" {
		content[op.text] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	}
	if op.files {
		content["multipart/form-data"] = &huma.MediaType{Schema: &huma.Schema{Type: "object", Properties: d.parts(in)}}
	}
	return &huma.RequestBody{Content: content}
}

// bodyOf returns the schema of an operation's JSON body. Where operations share a type and need
// different members, each has a schema of its own.
func (d *document) bodyOf(op operation, in reflect.Type) *huma.Schema {
	ref := d.Schema(in, true, "")
	if len(op.needs) == 0 {
		return ref
	}
	s := d.SchemaFromRef(ref.Ref)
	if d.uses[in] > 1 {
		s = new(*s)
		name := strings.ToUpper(op.id[:1]) + op.id[1:] + "Request"
		d.Map()[name], d.types[name] = s, in
		ref = &huma.Schema{Ref: schemaRefs + name}
	}
	s.Required = op.needs
	return ref
}

// parts returns the parts of a multipart body with files.
func (d *document) parts(in reflect.Type) map[string]*huma.Schema {
	parts := map[string]*huma.Schema{}
	if in != typeOf[nothing]() {
		maps.Copy(parts, d.schemaOf(in).Properties)
		delete(parts, "files") // are parts of their own
		parts[partData] = &huma.Schema{Type: "string",
			Description: "The JSON body; members sent as parts of their own are left out of it."}
		parts[partPassword] = &huma.Schema{Type: "string", Description: "Opens an encrypted PDF; not stored."}
		parts[partFlatten] = &huma.Schema{Type: "boolean", Description: "For a PDF that must not be changed: sign a copy that looks the same, with the PDF attached to it."}
	}
	parts["file"] = &huma.Schema{Type: "string", Format: "binary",
		Description: "A file; any number of parts, of any name."}
	return parts
}

func (d *document) responses(o *huma.Operation, op operation, media string, out reflect.Type) {
	ok := &huma.Response{Description: http.StatusText(op.success())}
	switch {
	case out != typeOf[nothing]():
		ok.Content = map[string]*huma.MediaType{"application/json": {Schema: d.Schema(out, true, "")}}
	case media != "":
		ok.Content = map[string]*huma.MediaType{}
		for kind := range strings.SplitSeq(media, ", ") {
			ok.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
			if kind == "application/json" {
				ok.Content[kind].Schema = &huma.Schema{Type: "object", AdditionalProperties: true}
			}
		}
	case op.success() == http.StatusOK && o.Method != http.MethodGet:
		o.Responses["204"] = &huma.Response{Description: http.StatusText(http.StatusNoContent)}
	}
	o.Responses[strconv.Itoa(op.success())] = ok
	for _, status := range statuses(o, op, media) {
		o.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + refusalName(status)}
	}
	o.Responses["default"] = &huma.Response{Ref: "#/components/responses/" + anyRefusal}
}

// statuses returns the statuses of the errors that an operation may return.
func statuses(o *huma.Operation, op operation, media string) []int {
	out := []int{http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	private, changes := op.rule.For != httpkit.Everyone, o.Method != http.MethodGet
	if o.RequestBody != nil {
		out = append(out, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if private {
		out = append(out, http.StatusUnauthorized, http.StatusForbidden)
	}
	if private && changes && strings.Contains(op.path, "{document}") {
		out = append(out, http.StatusPreconditionFailed)
	}
	if strings.Contains(op.path, "{") || op.rule.For == httpkit.Operators { // others find nothing
		out = append(out, http.StatusNotFound)
	}
	if changes || media != "" {
		out = append(out, http.StatusConflict)
	}
	if changes {
		out = append(out, http.StatusInsufficientStorage)
	}
	return out
}
