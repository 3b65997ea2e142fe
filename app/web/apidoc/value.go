package apidoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// value is JSON with ordered members. Which of keys, items and text are set
// depends on its kind; text is a scalar as encoded in JSON.
type value struct {
	kind  byte // { [ or 0 for a scalar
	keys  []string
	items []value
	text  string
}

func parseValue(raw json.RawMessage) (value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return readValue(d)
}

func readValue(d *json.Decoder) (v value, err error) {
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return scalar(token)
	}
	for v.kind = byte(delim); d.More(); {
		if v.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return v, err
			}
			v.keys = append(v.keys, fmt.Sprint(key))
		}
		item, err := readValue(d)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	_, err = d.Token()
	return v, err
}

func scalar(x any) (value, error) {
	b, err := json.Marshal(x)
	return value{text: string(b)}, err
}

// notation describes how a language writes JSON literals.
type notation struct {
	open, close string // of an object
	colon       string
	words       map[string]string   // for true, false and null
	text        func(string) string // of a string that may contain placeholders
	emptyObject string
}

var asJSON = notation{open: "{", close: "}", colon: ": ", text: strconv.Quote, emptyObject: "{}"}

// widest is the maximum length of a value on one line.
const widest = 64

// write formats a value in a language's notation, over several lines if it is
// long.
func (n notation) write(v value, indent string) string {
	if one := n.line(v); len(one) <= widest || v.kind == 0 {
		return one
	}
	open, end := "[", "]"
	if v.kind == '{' {
		open, end = n.open, n.close
	}
	lines := make([]string, len(v.items))
	for i, item := range v.items {
		lines[i] = indent + "    " + n.key(v, i) + n.write(item, indent+"    ")
	}
	return open + "\n" + strings.Join(lines, ",\n") + "\n" + indent + end
}

func (n notation) line(v value) string {
	switch {
	case v.kind == '{' && len(v.items) == 0:
		return n.emptyObject
	case v.kind == 0 && strings.HasPrefix(v.text, `"`):
		s, err := strconv.Unquote(v.text)
		if err != nil {
			return v.text
		}
		return n.text(s)
	case v.kind == 0:
		if w, ok := n.words[v.text]; ok {
			return w
		}
		return v.text
	}
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		parts[i] = n.key(v, i) + n.line(item)
	}
	if v.kind == '{' {
		return n.open + strings.Join(parts, ", ") + n.close
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (n notation) key(v value, i int) string {
	if v.kind != '{' {
		return ""
	}
	return strconv.Quote(v.keys[i]) + n.colon
}

// indented formats JSON for reading.
func indented(raw json.RawMessage) string {
	v, err := parseValue(raw)
	if err != nil {
		return string(raw)
	}
	return asJSON.write(v, "")
}

// Example values by member name.
var exampleValues = map[string]any{
	"id": "01K8XN2V7Q3J5T9B4C6D8E0F1G", "document_id": "01K8XN2V7Q3J5T9B4C6D8E0F1G", "file_id": "01K8XN2V8A2M4P6R8T0W2Y4Z6B", "invitation_id": "01K8XN2V8C5N7Q9S1V3X5Z7A9C",
	"user_id": "01K8XN2V6H8K0M2P4R6T8W0Y2A", "title": "Lease", "name": "Ben Buyer", "email": "ben@example.org", "user_name": "Ada Lovelace", "to": "ben@example.org", "to_name": "Ben Buyer",
	"status_id": 5, "status": []string{"sent", "notified", "active", "ok", "kept"}, "role": []string{"signer", "owner"}, "locale": "en", "timezone": "Europe/Amsterdam",
	"sent_at": "", "notified_at": "", "joined_at": "", "last_used_at": "", "email_verified_at": "", "claimed_at": "", "timestamp_at": "",
	"sign_url": "https://sign.example.org/s/01K8XN2V8C5N7Q9S1V3X5Z7A9C5f1c", "content_type": "application/pdf", "size": 48213, "pages": 2,
	"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
	"previous_hash": "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13", "width": 0.3, "height": 0.06, "x": 0.1, "y": 0.8, "page": 1, "total": 1, "signed": 0, "version": 4,
	"first": "https://sign.example.org/documents?page=1", "last": "https://sign.example.org/documents?page=1", "current_page": 1, "last_page": 1, "per_page": 20, "from": 1, "data.to": 1,
	"files_count": 1, "type": []string{"signature", "user", "invitation.signed"}, "required": true, "enabled": true, "confirmed": true, "intact": true, "trusted": true, "sound": true, "covers_whole_file": true,
	"level": "B-LTA", "algorithm": "ECDSA P-256, SHA-256", "issuer": "Acme signing", "signer": "Ben Buyer", "field": "Signature 1", "revocation": "good", "revision": 2, "subject": "Please sign: Lease",
	"text": "Please sign: Lease", "html": "<p>Please sign: Lease</p>", "kind": "invitation", "token": "eyJhbGciOiJFUzI1NiJ9…", "message": "Please sign by Friday.", "brand_color": "#1d5bd1",
	"ip": "203.0.113.7", "user_agent": "curl/8.5.0", "secret": "JBSWY3DPEHPK3PXP", "url": "otpauth://totp/Paraph:ada", "now": "", "default_expiry_days": 30, "recovery_codes": "x7f2-9qkd", "scopes": "read", "links": "https://sign.example.org/s/…",
	"events": "document.completed", "event_id": "01K8XN2V9E7R9T1V3X5Z7B9D1F", "data.type": "document.completed", "timestamp": "", "after": "01K8XN2V9E7R9T1V3X5Z7B9D1F", "status_code": 200, "duration_ms": 84, "attempt": 1, "delivered": 41, "failed": 1, "count": 3,
	"reminder_days": 3, "code": "fonts_not_embedded", "severity": "info", "attempts": 1,
}

const exampleTime = "2026-05-04T09:30:00.000Z"

// example returns JSON that fits a schema. Nullable members without an example
// value are null.
func (d *openAPI) example(s *apiSchema, name string) json.RawMessage {
	schema, _ := d.of(s)
	switch kind := schema.Type.name(); {
	case kind == "object":
		if schema.Type.null() {
			return json.RawMessage("null")
		}
		return d.exampleObject(schema)
	case kind == "array":
		if inner, _ := d.of(schema.Items); inner.Type.name() != "object" && exampleValues[name] == nil {
			return json.RawMessage("[]")
		}
		return json.RawMessage("[" + string(d.example(schema.Items, name)) + "]")
	default:
		return exampleScalar(schema, kind, name)
	}
}

func (d *openAPI) exampleObject(s *apiSchema) json.RawMessage {
	var parts []string
	for _, name := range s.members() {
		parts = append(parts, strconv.Quote(name)+":"+string(d.example(s.Properties[name], name)))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

func exampleScalar(s *apiSchema, kind, name string) json.RawMessage {
	v, known := exampleValues[name]
	if len(s.Examples) > 0 {
		v, known = s.Examples[0], true
	}
	if !known && s.Type.null() {
		return json.RawMessage("null")
	}
	if kind == "integer" || kind == "number" {
		switch n := v.(type) {
		case int, float64:
			return json.RawMessage(fmt.Sprint(n))
		}
		if s.Type.null() {
			return json.RawMessage("null")
		}
		return json.RawMessage("0")
	}
	if kind == "boolean" {
		return json.RawMessage(fmt.Sprint(v == true))
	}
	return quoted(exampleText(s, v))
}

func exampleText(s *apiSchema, v any) string {
	if s.Format == "date-time" || v == "" {
		return exampleTime
	}
	if choices := texts(s.Enum); len(choices) > 0 {
		if wanted, ok := v.([]string); ok {
			for _, w := range wanted {
				if slices.Contains(choices, w) {
					return w
				}
			}
		}
		return choices[0]
	}
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return v[len(v)-1]
	}
	return "…"
}

func quoted(s string) json.RawMessage {
	v, err := scalar(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return json.RawMessage(v.text)
}
