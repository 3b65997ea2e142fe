package api

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	json "github.com/goccy/go-json"
	"github.com/valyala/fasthttp"

	"paraph/app/fault"
	"paraph/app/list"
)

// envelope is the body of every list: one page of records, the links to other
// pages, and its position.
type envelope[T any] struct {
	Data  []T   `json:"data"`
	Links links `json:"links"`
	Meta  meta  `json:"meta"`
}

type links struct {
	First string  `json:"first" format:"uri"`
	Last  string  `json:"last" format:"uri"`
	Prev  *string `json:"prev" format:"uri"`
	Next  *string `json:"next" format:"uri"`
}

type meta struct {
	CurrentPage int  `json:"current_page"`
	From        *int `json:"from"`
	LastPage    int  `json:"last_page"`
	PerPage     int  `json:"per_page"`
	To          *int `json:"to"`
	Total       int  `json:"total"`
}

// all is the body of a response with a complete list.
type all[T any] struct {
	Data []T `json:"data"`
}

// Limits of a page.
const (
	defaultPerPage = 20
	maxPerPage     = 1000
	maxPage        = 1_000_000_000
)

// Parameters common to all lists.
var (
	pageParameters = []parameter{
		{name: "page", description: "Page number, from 1.", kind: "integer", minimum: 1, maximum: maxPage},
		{name: "per_page", description: "Page size.", kind: "integer", minimum: 1, maximum: maxPerPage},
	}
	listParameters = listParametersFor("Comma-separated: active, archived, deleted, or statuses of the record.")
)

// listParametersFor returns the parameters of a list whose filter by status is described.
func listParametersFor(status string) []parameter {
	return append([]parameter{
		{name: "sort", description: "field|direction, such as created_at|desc.", kind: "string"},
		{name: "search", description: "Full-text search.", kind: "string"},
		{name: "status", description: status, kind: "string"},
		{name: "with_trashed", description: "true includes archived and deleted records.", kind: "boolean"},
	}, pageParameters...)
}

// page is the requested page of a list.
type page struct{ number, size int }

func (p page) offset() int { return (p.number - 1) * p.size }

// query reads the parameters in a request's address, and collects what is wrong with them.
type query struct {
	args   *fasthttp.Args
	faults fault.Fields
}

// page reads page and per_page. A value out of range is a fault.
func (q *query) page() page {
	return page{
		number: q.number("page", 1, 1, maxPage),
		size:   q.number("per_page", defaultPerPage, 1, maxPerPage),
	}
}

// number reads a whole number.
func (q *query) number(name string, otherwise, low, high int) int {
	v, ok := q.value(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		q.faults.Add(name, "wrong_type.integer")
		return otherwise
	}
	if n < low || n > high {
		q.faults.Between(name, low, high)
		return otherwise
	}
	return n
}

// flag reads true or false.
func (q *query) flag(name string) bool {
	v, ok := q.value(name)
	if !ok || v == "false" || v == "0" {
		return false
	}
	if v != "true" && v != "1" {
		q.faults.Add(name, "not_true_or_false")
	}
	return true
}

// value returns a parameter, and whether there is one.
func (q *query) value(name string) (string, bool) {
	if !q.args.Has(name) {
		return "", false
	}
	return string(q.args.Peek(name)), true
}

// text reads a text.
func (q *query) text(name string) string {
	v, _ := q.value(name)
	return strings.ToValidUTF8(v, "")
}

// values reads the members of an object, as name[key]=value or name.key=value.
func (q *query) values(name string) map[string]string {
	out := map[string]string{}
	for k, v := range q.args.All() {
		if key, ok := memberOf(name, string(k)); ok {
			out[key] = strings.ToValidUTF8(string(v), "")
		}
	}
	return out
}

// memberOf returns the key that a parameter sets in an object.
func memberOf(name, parameter string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(parameter, name)
	if !ok {
		return "", false
	}
	if key, ok := strings.CutPrefix(rest, "."); ok && key != "" {
		return key, true
	}
	key, open := strings.CutPrefix(rest, "[")
	key, closed := strings.CutSuffix(key, "]")
	return key, open && closed && key != ""
}

// link returns the address of a page of this list. The page comes first,
// followed by the caller's other parameters.
func (r *request) link(number int) string {
	var b strings.Builder
	path := r.Path()
	if p, ok := strings.CutPrefix(path, "/api/"); ok {
		path = "/" + p
	}
	fmt.Fprintf(&b, "%s%s?page=%d", r.base(), path, number)
	for k, v := range r.query.args.All() {
		if string(k) != "page" {
			b.WriteString("&" + url.QueryEscape(string(k)) + "=" + strings.ReplaceAll(url.QueryEscape(string(v)), "%2C", ","))
		}
	}
	return b.String()
}

// frame returns the links and the position of a page that holds count records.
func (r *request) frame(p page, count, total int) (links, meta) {
	last := max(1, (total+p.size-1)/p.size)
	m := meta{CurrentPage: p.number, LastPage: last, PerPage: p.size, Total: total}
	if count > 0 {
		from, to := p.offset()+1, p.offset()+count
		m.From, m.To = &from, &to
	}
	l := links{First: r.link(1), Last: r.link(last)}
	if p.number > 1 {
		prev := r.link(min(p.number-1, last))
		l.Prev = &prev
	}
	if p.number < last {
		next := r.link(p.number + 1)
		l.Next = &next
	}
	return l, m
}

// enclose returns the envelope of a page.
func enclose[T any](r *request, p page, data []T, total int) envelope[T] {
	if data == nil {
		data = []T{}
	}
	l, m := r.frame(p, len(data), total)
	return envelope[T]{Data: data, Links: l, Meta: m}
}

// slice returns the envelope of one page of the given records.
func slice[T any](r *request, records []T) (envelope[T], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[T]{}, err
	}
	from := min(p.offset(), len(records))
	return enclose(r, p, records[from:min(from+p.size, len(records))], len(records)), nil
}

// rawEnvelope is a page of records already encoded as JSON.
type rawEnvelope struct {
	rows  [][]byte
	links links
	meta  meta
}

func (e rawEnvelope) bytes() ([]byte, error) {
	l, err := json.MarshalWithOption(e.links, json.DisableHTMLEscape())
	if err != nil {
		return nil, err
	}
	m, err := json.MarshalWithOption(e.meta, json.DisableHTMLEscape())
	if err != nil {
		return nil, err
	}
	size := len(l) + len(m) + 64
	for _, row := range e.rows {
		size += len(row) + 1
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	b.WriteString(`{"data":[`)
	for i, row := range e.rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(row)
	}
	b.WriteString(`],"links":`)
	b.Write(l)
	b.WriteString(`,"meta":`)
	b.Write(m)
	b.WriteByte('}')
	return b.Bytes(), nil
}

// listQuery reads the parameters of a list with orders of type S.
func listQuery[S ~string](r *request) (list.Query[S], page, error) {
	p := r.query.page()
	q := list.Query[S]{Offset: p.offset(), Limit: p.size, Search: r.query.text("search"), WithTrashed: r.query.flag("with_trashed")}
	if sort := r.query.text("sort"); sort != "" {
		field, direction, ok := strings.Cut(sort, "|")
		if !ok || field == "" || direction != "asc" && direction != "desc" {
			r.query.faults.Add("sort", "not_a_sort_order.direction")
		}
		q.Sort, q.Descending = S(field), direction == "desc"
	}
	if status := r.query.text("status"); status != "" {
		q.Statuses = strings.Split(status, ",")
	}
	return q, p, r.query.faults.Err()
}
