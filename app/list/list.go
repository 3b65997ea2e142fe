// Package list describes a requested part of a list and the page it yields.
package list

import (
	"cmp"
	"maps"
	"slices"

	"paraph/app/fault"
)

// Query selects a part of a list. Sort is one of the sort orders of its records, "" for the
// default.
type Query[Sort ~string] struct {
	Offset      int
	Limit       int // 0: all
	Search      string
	Statuses    []string // any of these; empty: all that are not archived or deleted
	WithTrashed bool     // include archived and deleted ones
	Sort        Sort
	Descending  bool
}

// Page is one page and the exact number of records on all pages.
type Page[T any] struct {
	Items []T
	Total int
}

// Orders compares records by each sort order of a list.
type Orders[Sort ~string, T any] map[Sort]func(a, b T) int

// Names lists the orders by name.
func (o Orders[Sort, T]) Names() []string {
	var names []string
	for _, sort := range slices.Sorted(maps.Keys(o)) {
		names = append(names, string(sort))
	}
	return names
}

// Page sorts the items and returns one page of them. Records that are equal in the requested
// order are ordered by ID, so that pages never overlap.
func (o Orders[Sort, T]) Page(items []T, q Query[Sort], standard Sort, id func(T) string) (Page[T], error) {
	by, ok := o[cmp.Or(q.Sort, standard)]
	if !ok {
		var f fault.Fields
		f.OneOf("sort", o.Names()...)
		return Page[T]{}, f.Err()
	}
	slices.SortFunc(items, func(a, b T) int {
		if q.Descending {
			a, b = b, a
		}
		return cmp.Or(by(a, b), cmp.Compare(id(a), id(b)))
	})
	total := len(items)
	items = items[min(max(q.Offset, 0), total):]
	if q.Limit > 0 {
		items = items[:min(q.Limit, len(items))]
	}
	return Page[T]{Items: items, Total: total}, nil
}
