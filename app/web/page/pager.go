package page

import (
	"slices"
	"strconv"
)

// pageSizes are the page sizes of lists; the first is the default.
var pageSizes = []int{20, 50, 100, 200}

// PageOf reads page and per_page from the query. Invalid values mean the defaults.
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

// Pager is the component "pager": the range shown, with links to other pages and
// sizes.
type Pager struct {
	Text                    string   // 41–60 of 183
	First, Prev, Next, Last string   // "" where there is none
	Sizes                   []Option // none if the smallest shows everything
	Kept                    []Pair   // parameters that the page size form carries along
}

// Pager returns the component for the current page. A page after the last of the list, whose rows
// may have been deleted, leads to the last one instead of being rendered.
func (r *Request) Pager(number, size, total int) Pager {
	p := Pager{Text: r.Say("list.none")}
	if total > 0 {
		from := (number-1)*size + 1
		p.Text = r.Say("list.range", "from", from, "to", min(number*size, total), "n", total)
	}
	last := max(1, (total+size-1)/size)
	at := func(n int) string {
		if n == 1 {
			return r.Link("page", "")
		}
		return r.Link("page", strconv.Itoa(n))
	}
	if number > last {
		r.lastPage = at(last)
	}
	if number > 1 {
		p.First, p.Prev = at(1), at(number-1)
	}
	if number < last {
		p.Next, p.Last = at(number+1), at(last)
	}
	if total <= pageSizes[0] { // any size shows all of them
		return p
	}
	for _, n := range pageSizes {
		p.Sizes = append(p.Sizes, Option{Value: strconv.Itoa(n), Label: strconv.Itoa(n), Selected: n == size})
	}
	p.Kept = r.Kept("per_page", "page")
	return p
}
