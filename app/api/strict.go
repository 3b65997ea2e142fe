package api

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/fault"
)

// unknownName is a name in a request that the API does not know, with a known one that is spelled
// alike, "" for none.
type unknownName struct{ name, near string }

// maxUnknown is how many unknown names of a request are reported.
const maxUnknown = 10

// strict reports whether unknown names are to be refused: in the test double always, elsewhere if
// the client asks for it (RFC 7240 §4.4).
func (r *request) strict() bool {
	for preference := range strings.SplitSeq(r.Get("Prefer"), ",") {
		if strings.EqualFold(strings.ReplaceAll(strings.TrimSpace(preference), " ", ""), "handling=strict") {
			r.Set("Preference-Applied", "handling=strict")
			return true
		}
	}
	return r.server.Strict
}

// reportUnknown refuses names that the API does not know, or names them in Warning headers (RFC 7234 §5.5):
// most are misspelled, and a client for another server sends some on purpose.
func (r *request) reportUnknown(what string, unknown []unknownName) error {
	if len(unknown) == 0 {
		return nil
	}
	unknown = unknown[:min(len(unknown), maxUnknown)]
	if r.strict() {
		var f fault.Fields
		for _, u := range unknown {
			code := fault.Code("unknown_name")
			if u.near != "" {
				code = "unknown_name.near"
			}
			f.Add(u.name, code, fault.Text("near", u.near))
		}
		return f.Err()
	}
	for _, u := range unknown {
		text := "Unknown " + what + " " + quotable(u.name)
		if u.near != "" {
			text += ", did you mean " + u.near + "?"
		}
		r.Response().Header.Add("Warning", `299 - "`+text+`"`)
	}
	return nil
}

// echoedNames returns the names of all members in answers of a type. A client may send back what it
// got, with its changes, so that these are not reported.
func echoedNames(answer reflect.Type) map[string]bool {
	names := map[string]bool{}
	for _, t := range []reflect.Type{answer, typeOf[suggestionView]()} { // suggested fields become fields
		namesOf(t, names, map[reflect.Type]bool{})
	}
	return names
}

// namesOf adds the names of the members of a type, and of all in it.
func namesOf(t reflect.Type, names map[string]bool, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names[name] = true
		}
		namesOf(f.Type, names, seen)
	}
}

// quotable makes a name from a request fit for a quoted string in a header.
func quotable(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == '"' || c == '\\' || c > '~' {
			return '?'
		}
		return c
	}, name)
	return name[:min(len(name), 80)]
}

// checkQuery reports the parameters in the address that the endpoint does not have.
func (r *request) checkQuery() error {
	if r.Request().URI().QueryArgs().Len() == 0 {
		return nil
	}
	var unknown []unknownName
	for key := range r.query.args.All() {
		name := string(key)
		known := func(p parameter) bool {
			_, member := memberOf(p.name, name)
			return p.name == name || p.kind == huma.TypeObject && member
		}
		if len(unknown) < maxUnknown && !slices.ContainsFunc(r.op.query, known) {
			names := make([]string, 0, len(r.op.query))
			for _, p := range r.op.query {
				names = append(names, p.name)
			}
			unknown = append(unknown, unknownName{name, nearest(name, names)})
		}
	}
	return r.reportUnknown("parameter", unknown)
}

// nearest returns the name that is spelled most like another, if it is a likely slip: at most a
// third of the letters differ.
func nearest(name string, known []string) (best string) {
	least := len(name)/3 + 1
	slices.Sort(known)
	for _, k := range known {
		if d := distance(strings.ToLower(name), k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance returns how many letters have to be added, removed, changed or swapped with their
// neighbour to make b of a, or limit if there are at least as many.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return min(row[len(b)], limit)
}

// challenge is the value of WWW-Authenticate where a token is missing or not accepted (RFC 6750 §3).
func challenge(code fault.Code) string {
	if code == "token_missing" {
		return `Bearer realm="paraph"`
	}
	return `Bearer realm="paraph", error="invalid_token"`
}
