package page

import (
	"net/url"
	"slices"
	"strings"
)

// Components of lists; their templates are in templates/parts/lists.html.

// Link returns the current address with some parameters changed; "" removes one.
func (r *Request) Link(pairs ...string) string {
	q := r.QueryValues()
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Del(pairs[i])
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return AddressOf(r.Path(), q)
}

// AddressOf returns a path with a query, leaving the separators in its values
// readable.
func AddressOf(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + strings.NewReplacer("%7C", "|", "%2C", ",").Replace(q.Encode())
}

// QueryValues returns the non-empty query parameters.
func (r *Request) QueryValues() url.Values {
	q := url.Values{}
	for k, v := range r.Context().QueryArgs().All() {
		if len(v) > 0 && !q.Has(string(k)) {
			q.Set(string(k), strings.ToValidUTF8(string(v), ""))
		}
	}
	return q
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Kept returns the query parameters for a form to carry along.
func (r *Request) Kept(except ...string) []Pair {
	var out []Pair
	q := r.QueryValues()
	for _, name := range sortedKeys(q) {
		if !slices.Contains(except, name) {
			out = append(out, Pair{name, q.Get(name)})
		}
	}
	return out
}

func sortedKeys(q url.Values) []string {
	names := make([]string, 0, len(q))
	for name := range q {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Tab is one entry of the component "tabs", a row of links with one selected, or of
// "filters", which looks like chips.
type Tab struct {
	Href, Text, Icon string
	Current          bool
	Count            int // number of items; negative shows nothing
}

// Tabs returns the parts of a page selected by ?tab=, given as names and texts.
// The first is the default.
func (r *Request) Tabs(chosen string, pairs ...string) []Tab {
	var out []Tab
	for i := 0; i+1 < len(pairs); i += 2 {
		name := pairs[i]
		if i == 0 {
			name = ""
		}
		out = append(out, Tab{Href: r.Path() + QueryString("tab", name), Text: pairs[i+1], Current: chosen == pairs[i], Count: -1})
	}
	return out
}

// QueryString returns a query of one parameter, "" if it has no value.
func QueryString(name, value string) string {
	if value == "" {
		return ""
	}
	return "?" + url.Values{name: {value}}.Encode()
}

// Column is the component "column": a table header, sortable if it has an Href.
type Column struct {
	Text, Href, Aria, Class string
}

// Sortable returns the header of a sortable column. Following it reverses the order
// if the list is already sorted by this column; otherwise descends chooses it.
func (r *Request) Sortable(field, text, current string, descends bool) Column {
	by, direction, _ := strings.Cut(current, "|")
	c := Column{Text: text, Aria: "none"}
	if by == field {
		c.Aria = map[string]string{"asc": "ascending", "desc": "descending"}[direction]
		descends = direction == "asc"
	}
	next := field + "|asc"
	if descends {
		next = field + "|desc"
	}
	c.Href = r.Link("sort", next, "page", "")
	return c
}
