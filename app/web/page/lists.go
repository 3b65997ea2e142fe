package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"paraph/app/signing"
)

// Components of lists; their templates are in templates/parts/lists.html.

// Link is the address of the page that is shown, with some parameters changed:
// "" takes one away.
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

func AddressOf(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + strings.NewReplacer("%7C", "|", "%2C", ",").Replace(q.Encode())
}

// QueryValues is the parameters of the address; those that are empty are left out.
func (r *Request) QueryValues() url.Values {
	q := url.Values{}
	for k, v := range r.Context().QueryArgs().All() {
		if len(v) > 0 && !q.Has(string(k)) {
			q.Set(string(k), strings.ToValidUTF8(string(v), ""))
		}
	}
	return q
}

// pageSizes are the sizes that lists offer; the first is what they begin with.
var pageSizes = []int{20, 50, 100, 200}

// PageOf reads page and per_page. What makes no sense is the beginning.
func (r *Request) PageOf() (number, size int) {
	number, size = r.QueryInt("page", 1), r.QueryInt("per_page", pageSizes[0])
	if number < 1 || number > 1_000_000 {
		number = 1
	}
	if !slices.Contains(pageSizes, size) {
		size = pageSizes[0]
	}
	return number, size
}

// Pager is the component "pager": where a list stands, and the way to its other
// pages and sizes.
type Pager struct {
	Text                    string // 41–60 of 183
	First, Prev, Next, Last string // "" where there is none
	Sizes                   []Option
	Kept                    []Pair // parameters that the form for the size keeps
}

// Pair is a name with its value.
type Pair struct{ Name, Value string }

// Pager makes the component for the page that is shown.
func (r *Request) Pager(number, size, total int) Pager {
	p := Pager{Text: r.Say("list.none")}
	if total > 0 {
		from := (number-1)*size + 1
		p.Text = r.Say("list.range", "from", min(from, total), "to", min(number*size, total), "n", total)
	}
	last := max(1, (total+size-1)/size)
	at := func(n int) string {
		if n == 1 {
			return r.Link("page", "")
		}
		return r.Link("page", strconv.Itoa(n))
	}
	if number > 1 {
		p.First, p.Prev = at(1), at(min(number-1, last))
	}
	if number < last {
		p.Next, p.Last = at(number+1), at(last)
	}
	for _, n := range pageSizes {
		p.Sizes = append(p.Sizes, Option{strconv.Itoa(n), strconv.Itoa(n), n == size})
	}
	p.Kept = r.Kept("per_page", "page")
	return p
}

// Kept are the parameters of the address for a form that sends others.
func (r *Request) Kept(but ...string) []Pair {
	var out []Pair
	q := r.QueryValues()
	for _, name := range sortedKeys(q) {
		if !slices.Contains(but, name) {
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

// Tab is one entry of the component "tabs", a row of links of which one is
// shown, and of "filters", the same as chips.
type Tab struct {
	Href, Text, Icon string
	Current          bool
	Count            int // what is behind it; negative shows nothing
}

// Tabs are the parts of a page that ?tab= chooses, each of a name and a text.
// The first is shown when none is named.
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

func QueryString(name, value string) string {
	if value == "" {
		return ""
	}
	return "?" + url.Values{name: {value}}.Encode()
}

// Column is the component "column": a header of a table, by which it can be
// sorted when Href is there.
type Column struct {
	Text, Href, Aria, Class string
}

// Sortable makes a header that turns the order around when the list is sorted
// by it already. descends says how it begins.
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

// StatusLooks are the colour and the symbol of every state of a document.
var StatusLooks = map[string]Chip{
	"draft":            {Kind: "", Icon: "pencil"},
	"pending_approval": {Kind: "violet", Icon: "hourglass"},
	"approved":         {Kind: "info", Icon: "shield-ok"},
	"rejected":         {Kind: "danger", Icon: "shield-no"},
	"sent":             {Kind: "accent", Icon: "sent"},
	"completed":        {Kind: "ok", Icon: "checks"},
	"expired":          {Kind: "warn", Icon: "expired"},
	"voided":           {Kind: "void", Icon: "void"},
}

// StatusChip is the component "chip" for a state by its word in the API:
// {{template "chip" (status .Status)}}.
func (w *Words) StatusChip(status string) (Chip, error) {
	look, ok := StatusLooks[status]
	if !ok {
		return look, fmt.Errorf("web: there is no status %q", status)
	}
	var err error
	look.Text, err = w.Say("status." + status)
	return look, err
}

// Badge is the component "badge": a person invited as a letter in a colour, with
// how far they are.
type Badge struct {
	Letter, Color, State, Name, Text string
}

// Badges are the people of a list item; those who passed their invitation on
// are left out.
func (w *Words) Badges(people []signing.RowSignatory) []Badge {
	var out []Badge
	for _, p := range people {
		if p.Status == signing.Delegated {
			continue
		}
		out = append(out, w.Badge(len(out), p.Name, p.Status))
	}
	return out
}

// Badge is the n-th person, from 0.
func (w *Words) Badge(n int, name, status string) Badge {
	return Badge{Letter: LetterOf(n), Color: HueOf(n), State: status, Name: name, Text: w.Must("person.state", "name", name, "state", w.Must("person."+status))}
}
