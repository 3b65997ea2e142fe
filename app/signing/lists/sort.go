package lists

import (
	"cmp"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing/store"
)

// Order is a key by which lists of documents are sorted.
type Order = store.Order

// The orders of lists of documents.
const (
	ByCreation   = store.ByCreation
	ByUpdate     = store.ByUpdate
	ByTitle      = store.ByTitle
	ByStatus     = store.ByStatus
	ByDeadline   = store.ByDeadline
	ByCompletion = store.ByCompletion
)

// Sort is an order and its direction. The zero value lists the newest documents first.
type Sort struct {
	By        Order
	Ascending bool
}

// ParseSort reads an order such as "title|asc". A malformed one becomes an order that no list has,
// which is refused together with the other faults of a query.
func ParseSort(text string) Sort {
	if text == "" {
		return Sort{}
	}
	by, direction, _ := strings.Cut(text, "|")
	if by == "" || direction != "asc" && direction != "desc" {
		by = text + "|"
	}
	return Sort{Order(by), direction == "asc"}
}

// String returns the sort as ParseSort reads it.
func (s Sort) String() string {
	if s.Ascending {
		return string(s.order()) + "|asc"
	}
	return string(s.order()) + "|desc"
}

func (s Sort) order() Order { return cmp.Or(s.By, ByCreation) }

func (s Sort) check(f *fault.Fields) {
	orders := store.Orders()
	if slices.Contains(orders, s.order()) {
		return
	}
	names := make([]string, 0, len(orders))
	for _, o := range orders {
		names = append(names, string(o))
	}
	f.Add("sort", "not_a_sort_order.fields", fault.Choices("fields", names...))
}
