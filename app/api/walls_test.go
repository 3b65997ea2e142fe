package api_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// endpoint is one operation of the OpenAPI document.
type endpoint struct {
	method, path string
	names        []string // of the path's parameters
	protected    bool
	body         any // what its schema accepts, filled with samples
}

func (e endpoint) String() string { return e.method + " " + e.path }

// at inserts values into the path.
func (e endpoint) at(values map[string]string) string {
	path := e.path
	for _, n := range e.names {
		path = strings.Replace(path, "{"+n+"}", values[n], 1)
	}
	return path
}

// describe fetches the OpenAPI document of an appliance.
func describe(t testing.TB, s *apptest.Server) obj {
	t.Helper()
	var doc obj
	s.Anonymous().Get(t, "/openapi.json").Want(t, 200).Decode(t, &doc)
	return doc
}

var parameterName = regexp.MustCompile(`\{([a-z_]+)\}`)

// endpoints lists every operation, so that new ones are tested automatically.
func endpoints(t testing.TB, s *apptest.Server) []endpoint {
	t.Helper()
	doc := describe(t, s)
	var out []endpoint
	for path, item := range doc["paths"].(obj) {
		for method, op := range item.(obj) {
			operation, ok := op.(obj)
			if !ok || !slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				continue
			}
			e := endpoint{method: strings.ToUpper(method), path: path, body: sample(doc, operation)}
			for _, m := range parameterName.FindAllStringSubmatch(path, -1) {
				e.names = append(e.names, m[1])
			}
			security, _ := operation["security"].(list)
			e.protected = len(security) > 0
			out = append(out, e)
		}
	}
	if len(out) < 50 {
		t.Fatalf("the description has only %d operations", len(out))
	}
	slices.SortFunc(out, func(a, b endpoint) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return out
}

// sample builds a body from the schema of an operation.
func sample(doc, operation obj) any {
	content, _ := operation["requestBody"].(obj)
	content, _ = content["content"].(obj)
	if content["text/csv"] != nil {
		return apptest.Raw{Type: "text/csv", Body: []byte("name,email\nSomebody,somebody@else.example\n")}
	}
	media, _ := content["application/json"].(obj)
	schema, _ := media["schema"].(obj)
	if schema == nil {
		return nil
	}
	v, _ := sampleOf(doc, schema, "").(obj)
	return v
}

// samples are valid values by member name.
var samples = obj{
	"email": "someone@else.example", "reason": "Because.", "expires_at": "2040-01-01T00:00:00Z", "role": "signer", "code": "123456",
	"signing_order": "parallel", "locale": "en", "name": "Somebody", "scopes": list{"read"}, "authentication": "link", "field": "Kind", "op": "filled",
	"password": "a password of some length", "item.content": "JVBERi0=", "type": "typed", "x": 0.1, "y": 0.1, "width": 0.1, "height": 0.1, "page": 1, "events": list{"*"}, "url": "https://hooks.example/",
}

func sampleOf(doc, schema obj, name string) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = resolve(doc, ref)
	}
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].(list); ok {
		kind, _ = kinds[0].(string)
	}
	switch kind {
	case "object":
		out := obj{}
		properties, _ := schema["properties"].(obj)
		for k, s := range properties {
			key := k
			if samples[name+"."+k] != nil {
				key = name + "." + k
			}
			if v := sampleOf(doc, s.(obj), key); v != nil {
				out[k] = v
			}
		}
		return out
	case "array":
		if v, ok := samples[name].(list); ok {
			return v
		}
		if v := sampleOf(doc, schema["items"].(obj), "item"); v != nil {
			return list{v}
		}
	case "string":
		if v, ok := samples[name].(string); ok {
			return v
		}
	case "number", "integer":
		return samples[name]
	}
	return nil
}

func resolve(doc obj, ref string) obj {
	var v any = doc
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		m, ok := v.(obj)
		if !ok {
			return nil
		}
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	m, _ := v.(obj)
	return m
}

// open lists the operations that anybody may call. Any other operation without
// security in the description is a mistake.
var open = []string{
	"POST /login", "POST /login/passkey/begin", "POST /login/passkey", "GET /email/verify", "POST /password/forgot", "POST /password/reset", "GET /certificates/root.pem",
	"GET /openapi.json", "GET /docs", "GET /healthz", "GET /readyz", "GET /version", "POST /verify",
}

func TestWallsToken(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	headers := badTokens(t, c)
	headers["none"] = ""
	for _, e := range endpoints(t, s) {
		if !e.protected {
			if !slices.Contains(open, e.String()) && !strings.HasPrefix(e.path, "/test/") {
				t.Errorf("%s is open to anybody", e)
			}
			continue
		}
		values := map[string]string{}
		for _, n := range e.names {
			values[n] = "01M7Z4BMC36K290EBM3T11X3Q8"
		}
		for name, header := range headers {
			for _, prefix := range []string{"", "/api"} {
				if prefix != "" && name != "none" {
					continue // one handler, see TestUnauthenticated
				}
				failed(t, s.Anonymous().Under(prefix).Do(t, e.method, e.at(values), e.body, "Authorization", header), 401)
			}
		}
	}
}

// property returns one of every kind of record that has an identifier.
func property(t testing.TB, c *apptest.Client) map[string]string {
	t.Helper()
	d := draft(t, c, 2, obj{"fields": list{obj{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1}}})
	hook := c.Post(t, "/webhooks", obj{"url": "https://hooks.example/"}).Want(t, 201).Text(t, "id")
	return map[string]string{
		"document": d.Text(t, "id"), "file": d.Text(t, "files.0.id"), "invitation": d.Text(t, "invitations.0.id"), "field": d.Text(t, "fields.0.id"),
		"member": c.Member(t, account.RoleMember).UserID, "token": c.Post(t, "/tokens", obj{"name": "ci"}).Want(t, 201).Text(t, "id"), "page": "1",
		"run":   run(t, c),
		"fault": "", "snapshot": "", // of a test double, which has no walls
		"contact":     c.Post(t, "/contacts", obj{"name": "Carla", "email": "carla@contact.example"}).Want(t, 201).Text(t, "id"),
		"saved_field": c.Post(t, "/saved-fields", obj{"name": "IBAN", "field": obj{"type": "text", "width": .3, "height": .03}}).Want(t, 201).Text(t, "id"),
		"passkey":     "",            // a colleague's passkey is 404 too: see the tests of passkeys
		"message":     "",            // see TestOutboxWalls: a message needs a sent document
		"company":     "", "job": "", // see TestNobodyElseFindsTheInstallation
		"kind": "nothing", "language": "en", // texts are found by no identifier; see TestTextsByTheAPI
		"template": "", "link": "", // see TestPublicLinkRightsAndWalls
		"webhook": hook, "delivery": c.Post(t, "/webhooks/"+hook+"/test", nil).Want(t, 200).Text(t, "id"),
	}
}

func TestWallsCompany(t *testing.T) {
	t.Parallel()
	s := server(t)
	mine, theirs := s.Company(t), s.Company(t)
	own, foreign := property(t, mine), property(t, theirs)
	before := theirs.Get(t, "/documents/"+foreign["document"])
	for _, e := range endpoints(t, s) {
		for _, name := range e.names {
			if name == "page" {
				continue
			}
			if _, known := own[name]; !known {
				t.Errorf("%s: this test needs something with an identifier for {%s}", e, name)
				continue
			}
			if own[name] == "" {
				continue
			}
			strange := merge(own, map[string]string{name: foreign[name]})
			nobody := merge(own, map[string]string{name: "01M7Z4BMC36K290EBM3T11X3Q8"})
			a := failed(t, mine.Do(t, e.method, e.at(strange), e.body), 404)
			b := failed(t, mine.Do(t, e.method, e.at(nobody), e.body), 404)
			if !bytes.Equal(a.Body, b.Body) {
				t.Errorf("%s tells what exists elsewhere: %s, but %s", e, a.Body, b.Body)
			}
		}
		if len(e.names) > 1 {
			failed(t, mine.Do(t, e.method, e.at(merge(foreign, map[string]string{"page": "1"})), e.body), 404)
		}
	}
	unchanged(t, theirs, before)
	theirs.Get(t, "/members/"+foreign["member"]).Want(t, 200)
	if ids := theirs.Get(t, "/tokens").Want(t, 200).Texts(t, "data", "id"); !slices.Contains(ids, foreign["token"]) {
		t.Error("their token is gone")
	}
}

func merge(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// unchanged compares a document with its earlier version, content and events.
func unchanged(t testing.TB, c *apptest.Client, before *apptest.Response) {
	t.Helper()
	at := "/documents/" + before.Text(t, "id")
	after := c.Get(t, at).Want(t, 200)
	if !bytes.Equal(canonical(t, before), canonical(t, after)) {
		t.Errorf("%s changed:\n%s\n%s", at, before.Body, after.Body)
	}
}

// canonical returns the JSON of a response with sorted members.
func canonical(t testing.TB, r *apptest.Response) []byte {
	t.Helper()
	var v any
	r.Decode(t, &v)
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestWallsReferences refers to another company's records inside bodies.
func TestWallsReferences(t *testing.T) {
	t.Parallel()
	s := server(t)
	mine, theirs := s.Company(t), s.Company(t)
	own, foreign := property(t, mine), property(t, theirs)
	at := "/documents/" + own["document"]
	box := obj{"type": "text", "x": 0, "y": 0, "width": 0.1, "height": 0.1}
	failed(t, mine.Post(t, "/documents", obj{"approver_id": theirs.UserID}), 422, "approver_id")
	failed(t, mine.Patch(t, at, obj{"approver_id": theirs.UserID}), 422, "approver_id")
	failed(t, mine.Put(t, at+"/fields", obj{"fields": list{merged(box, obj{"file_id": foreign["file"], "invitation_id": foreign["invitation"]})}}), 422, "fields.0.file_id", "fields.0.invitation_id")
	failed(t, mine.Post(t, at+"/fields", obj{"fields": list{merged(box, obj{"file_id": own["file"], "invitation_id": foreign["invitation"]})}}), 422, "fields.0.invitation_id")
	failed(t, mine.Patch(t, at+"/fields/"+own["field"], obj{"file_id": foreign["file"]}), 422, "file_id")
	if r := mine.Get(t, "/documents?search=contract&with_trashed=true&status=active,archived,deleted"); r.Int(t, "meta.total") != 1 {
		t.Errorf("the list shows %s", r.Body)
	}
}

// signatoryMay lists what a signatory's link grants access to: their own
// invitation, and reading the document it belongs to.
var signatoryMay = map[string]bool{
	"GET /documents/{document}": true, "GET /documents/{document}/download": true, "POST /documents/{document}/download": true,
	"GET /documents/{document}/files": true, "GET /documents/{document}/files/{file}": true,
	"GET /documents/{document}/files/{file}/content": true, "GET /documents/{document}/files/{file}/pages/{page}.png": true,
	"GET /documents/{document}/fields": true, "GET /documents/{document}/fields/{field}": true,
	"POST /logout":                          true, // does nothing: the link keeps working
	"GET /documents/{document}/invitations": true, "GET /documents/{document}/invitations/{invitation}": true,
}

func signatoryActs(e endpoint) bool {
	for _, act := range []string{"sign", "fill-in", "read", "view", "consent", "decline", "delegate", "code", "identify"} {
		if e.method == "POST" && (e.path == "/documents/{document}/{invitation}/"+act || e.path == "/documents/{document}/invitations/{invitation}/"+act) {
			return true
		}
	}
	return false
}

func TestWallsSignatory(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	field := obj{"fields": list{obj{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": 0.1, "height": 0.1, "name": "note", "required": false}}}
	make := func() (*apptest.Response, map[string]string) {
		d := sent(t, c, 2, field)
		return d, map[string]string{"document": d.Text(t, "id"), "file": d.Text(t, "files.0.id"), "invitation": d.Text(t, "invitations.0.id"), "field": d.Text(t, "fields.0.id"),
			"page": "1", "member": c.UserID, "run": "01M7Z4BMC36K290EBM3T11X3Q8", "token": "01M7Z4BMC36K290EBM3T11X3Q8", "passkey": "01M7Z4BMC36K290EBM3T11X3Q8", "contact": "01M7Z4BMC36K290EBM3T11X3Q8",
			"webhook": "01M7Z4BMC36K290EBM3T11X3Q8", "delivery": "01M7Z4BMC36K290EBM3T11X3Q8"}
	}
	d, own := make()
	other, elsewhere := make()
	before, otherBefore := c.Get(t, "/documents/"+own["document"]), c.Get(t, "/documents/"+other.Text(t, "id"))
	signatory := s.With(link(t, d, 0))
	for _, e := range endpoints(t, s) {
		if !e.protected {
			continue
		}
		refused := func(values map[string]string) {
			t.Helper()
			if r := signatory.Do(t, e.method, e.at(values), e.body); r.Status != 403 && r.Status != 404 {
				t.Errorf("a signatory got through: %s: %d %.200s", r.What, r.Status, r.Body)
			} else {
				failed(t, r, r.Status)
			}
		}
		if slices.Contains(e.names, "document") {
			refused(elsewhere)
			refused(merge(own, map[string]string{"document": elsewhere["document"]}))
		}
		if slices.Contains(e.names, "invitation") {
			refused(merge(own, map[string]string{"invitation": d.Text(t, "invitations.1.id")}))
		}
		switch {
		case signatoryActs(e):
			fresh, values := make()
			r := s.With(link(t, fresh, 0)).Do(t, e.method, e.at(values), pickActBody(e))
			if r.Status >= 300 && r.Status != 409 && !strings.HasSuffix(e.path, "/identify") {
				t.Errorf("%s: %d %s", r.What, r.Status, r.Body)
			}
		case signatoryMay[e.String()]:
			if r := signatory.Do(t, e.method, e.at(own), nil); r.Status >= 300 && r.Status != 409 {
				t.Errorf("%s: %d %s", r.What, r.Status, r.Body)
			}
		default:
			refused(own)
		}
	}
	unchanged(t, c, before)
	unchanged(t, c, otherBefore)
}

func pickActBody(e endpoint) obj {
	if strings.HasSuffix(e.path, "/delegate") {
		return obj{"name": "Deputy", "email": "deputy@else.example"}
	}
	return obj{}
}

// TestSignatorySees checks that a signatory's link doesn't show what belongs to
// others.
func TestSignatorySees(t *testing.T) {
	t.Parallel()
	s := server(t)
	c := s.Company(t)
	box := obj{"type": "text", "x": 0, "y": 0, "width": 0.1, "height": 0.1, "required": false}
	d := sent(t, c, 2, obj{"metadata": obj{"margin": "secret-margin"}, "external_id": "secret-number",
		"fields": list{merged(box, obj{"invitation_id": "0", "name": "mine"}), merged(box, obj{"invitation_id": "1", "name": "secret-field", "y": 0.5})}})
	for _, path := range []string{"", "/invitations", "/fields", "/files"} {
		r := s.With(link(t, d, 0)).Get(t, "/documents/"+d.Text(t, "id")+path).Want(t, 200)
		for _, secret := range []string{"secret-", "signer2@signer.example", "/s/"} {
			if strings.Contains(string(r.Body), secret) {
				t.Errorf("%s shows %s: %s", r.What, secret, r.Body)
			}
		}
	}
	c.Post(t, "/documents/"+d.Text(t, "id")+"/void", obj{"reason": "Over."}).Want(t, 200)
	failed(t, s.With(link(t, d, 0)).Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}), 409)
	c.Delete(t, "/documents/"+d.Text(t, "id")).Want(t, 200)
	failed(t, s.With(link(t, d, 0)).Get(t, "/documents/"+d.Text(t, "id")), 401)
}

// TestDescription checks that the OpenAPI document is valid: every reference
// resolves, every schema is used, every operation has responses and names its parameters.
func TestDescription(t *testing.T) {
	t.Parallel()
	s := server(t)
	doc := describe(t, s)
	if v, _ := doc["openapi"].(string); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("the version is %v", doc["openapi"])
	}
	if info, _ := doc["info"].(obj); info["title"] == nil || info["version"] != "1.0.0" {
		t.Errorf("info is %v", doc["info"])
	}
	used := map[string]bool{}
	walk(doc, func(v any) {
		m, ok := v.(obj)
		if !ok {
			return
		}
		ref, ok := m["$ref"].(string)
		if ok && resolve(doc, ref) == nil {
			t.Errorf("%s leads nowhere", ref)
		}
		used[ref] = true
		if m["nullable"] != nil {
			t.Errorf("nullable is no word of 3.1: %v", m)
		}
	})
	for name := range doc["components"].(obj)["schemas"].(obj) {
		if !used["#/components/schemas/"+name] {
			t.Errorf("nothing refers to the schema %s", name)
		}
	}
	ids := map[string]string{}
	for path, item := range doc["paths"].(obj) {
		for method, op := range item.(obj) {
			what := method + " " + path
			o := op.(obj)
			if id, _ := o["operationId"].(string); id == "" || ids[id] != "" {
				t.Errorf("%s: the identifier %q is that of %q", what, id, ids[id])
			} else {
				ids[id] = what
			}
			if o["description"] == nil {
				t.Errorf("%s: nothing is said beyond its summary", what)
			}
			checkResponses(t, what, doc, o)
			checkParameters(t, what, path, o)
		}
	}
	for _, e := range strings.Fields("POST/login GET/documents POST/documents POST/documents/{}/upload POST/documents/{}/invite POST/documents/{}/send POST/documents/{}/{}/sign POST/documents/{}/download POST/email/reverify " +
		"POST/logout GET/me PATCH/me POST/password/forgot POST/password/reset POST/me/two-factor DELETE/me/two-factor GET/email/verify GET/documents/{} PATCH/documents/{} DELETE/documents/{} " +
		"POST/documents/{}/archive POST/documents/{}/restore POST/documents/{}/duplicate POST/documents/{}/submit POST/documents/{}/withdraw POST/documents/{}/approve POST/documents/{}/reject POST/documents/{}/reopen POST/documents/{}/unschedule POST/documents/{}/void POST/documents/{}/extend POST/documents/{}/remind " +
		"GET/documents/{}/events GET/documents/{}/download GET/documents/{}/files GET/documents/{}/files/{} PATCH/documents/{}/files/{} DELETE/documents/{}/files/{} GET/documents/{}/files/{}/content GET/documents/{}/files/{}/pages/{}.png " +
		"GET/documents/{}/fields PUT/documents/{}/fields PATCH/documents/{}/fields/{} DELETE/documents/{}/fields/{} GET/documents/{}/invitations PATCH/documents/{}/invitations/{} DELETE/documents/{}/invitations/{} POST/documents/{}/{}/decline POST/documents/{}/{}/delegate POST/documents/{}/{}/remind POST/documents/{}/invitations/{}/replace " +
		"GET/company PATCH/company GET/members POST/members PATCH/members/{} DELETE/members/{} GET/tokens POST/tokens DELETE/tokens/{} GET/webhooks POST/webhooks PATCH/webhooks/{} DELETE/webhooks/{} GET/webhooks/{}/deliveries POST/webhooks/{}/deliveries/{}/redeliver POST/webhooks/{}/test GET/events GET/certificates/root.pem GET/openapi.json GET/healthz GET/readyz") {
		if !slices.ContainsFunc(endpoints(t, s), func(x endpoint) bool {
			return x.method+parameterName.ReplaceAllString(x.path, "{}") == e
		}) {
			t.Errorf("%s is not described", e)
		}
	}
}

func checkResponses(t *testing.T, what string, doc, o obj) {
	t.Helper()
	responses, _ := o["responses"].(obj)
	good := false
	for status, r := range responses {
		good = good || strings.HasPrefix(status, "2")
		response := r.(obj)
		if ref, ok := response["$ref"].(string); ok {
			response = resolve(doc, ref)
		}
		if d, _ := response["description"].(string); d == "" {
			t.Errorf("%s: the answer %s is not described", what, status)
		}
	}
	if !good {
		t.Errorf("%s: no answer of success", what)
	}
}

func checkParameters(t *testing.T, what, path string, o obj) {
	t.Helper()
	parameters, _ := o["parameters"].(list)
	var named []string
	for _, p := range parameters {
		m := p.(obj)
		if m["in"] == "path" {
			named = append(named, m["name"].(string))
			if m["required"] != true {
				t.Errorf("%s: %v is not required", what, m["name"])
			}
		}
		if m["schema"] == nil {
			t.Errorf("%s: %v has no schema", what, m["name"])
		}
	}
	for _, m := range parameterName.FindAllStringSubmatch(path, -1) {
		if !slices.Contains(named, m[1]) {
			t.Errorf("%s: {%s} is not described", what, m[1])
		}
	}
}

func walk(v any, see func(any)) {
	see(v)
	switch v := v.(type) {
	case obj:
		for _, x := range v {
			walk(x, see)
		}
	case list:
		for _, x := range v {
			walk(x, see)
		}
	}
}
