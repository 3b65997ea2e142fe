package contact

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/kv"
)

func orderNames() []string {
	var names []string
	for _, sort := range slices.Sorted(maps.Keys(orders)) {
		names = append(names, string(sort))
	}
	return names
}

var statuses = []string{Active, Archived, Deleted}

// List lists the contacts of a company, by name unless another order is requested. Statuses are
// active, archived and deleted; sorts are created_at, email, last_used_at, name, organization
// and updated_at. A search matches the beginnings of words in name, address, organization and
// tags.
func (s *Service) List(_ context.Context, who account.Actor, q Query) (page list.Page[Contact], err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return page, err
	}
	l, err := newListing(who.CompanyID, q)
	if err != nil {
		return page, err
	}
	err = s.DB.View(func(tx *kv.Tx) error {
		switch words := searched(q.Search); {
		case len(words) > 0:
			page, err = l.search(tx, words)
		case strings.TrimSpace(q.Search) != "":
			page = list.Page[Contact]{Items: []Contact{}} // the search contains no characters that occur in words
		case len(l.statuses) == 1:
			page, err = l.part(tx, l.statuses[0], l.offset, l.limit)
		default:
			page, err = l.union(tx)
		}
		return err
	})
	return page, err
}

// listing is a requested list.
type listing struct {
	company       string
	order         Sort
	descending    bool
	statuses      []string
	offset, limit int
}

func newListing(company string, q Query) (listing, error) {
	l := listing{company: company, order: cmp.Or(q.Sort, ByName), descending: q.Descending, offset: max(q.Offset, 0), limit: q.Limit}
	if l.limit <= 0 {
		l.limit = math.MaxInt32
	}
	var f fault.Fields
	if orders[l.order] == nil {
		f.OneOf("sort", orderNames()...)
	}
	for _, status := range q.Statuses {
		if !slices.Contains(statuses, status) {
			f.OneOf("status", statuses...)
			break
		}
	}
	switch {
	case len(q.Statuses) > 0:
		l.statuses = slices.Compact(slices.Sorted(slices.Values(q.Statuses)))
	case q.WithTrashed:
		l.statuses = statuses
	default:
		l.statuses = []string{Active}
	}
	return l, f.Err()
}

// part reads a page of the contacts in one state directly from its index.
func (l listing) part(tx *kv.Tx, status string, offset, limit int) (list.Page[Contact], error) {
	p, err := contacts.Page(tx, kv.Query{Index: "by_" + string(l.order), Prefix: kv.K(l.company, status), Descending: l.descending, Offset: offset, Limit: limit})
	return list.Page[Contact]{Items: p.Items, Total: p.Total}, err
}

// union merges the contacts of several states.
func (l listing) union(tx *kv.Tx) (list.Page[Contact], error) {
	var all list.Page[Contact]
	for _, status := range l.statuses {
		part, err := l.part(tx, status, 0, min(l.offset+l.limit, math.MaxInt32))
		if err != nil {
			return list.Page[Contact]{}, err
		}
		all.Items, all.Total = append(all.Items, part.Items...), all.Total+part.Total
	}
	all.Items = l.window(all.Items)
	return all, nil
}

func (l listing) search(tx *kv.Tx, words []string) (list.Page[Contact], error) {
	var found []Contact
	for _, status := range l.statuses {
		err := each(tx, l.company, status, words, func(c Contact) bool {
			found = append(found, c)
			return true
		})
		if err != nil {
			return list.Page[Contact]{}, err
		}
	}
	total := len(found)
	return list.Page[Contact]{Items: l.window(found), Total: total}, nil
}

// window sorts contacts and returns one page of them.
func (l listing) window(all []Contact) []Contact {
	by := orders[l.order]
	slices.SortFunc(all, func(a, b Contact) int {
		if l.descending {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a.ID, b.ID))
	})
	all = all[min(l.offset, len(all)):]
	return all[:min(l.limit, len(all))]
}

// searched splits a search into words, longest first: that one leaves the fewest contacts to
// examine. Leading characters that begin no word are dropped.
func searched(search string) []string {
	var words []string
	for w := range strings.FieldsSeq(input.Fold(search)) {
		if w = strings.TrimLeftFunc(w, notInWord); w != "" {
			words = append(words, cut(w))
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}

// each visits, once, every contact in a state that has all the words, until fn returns false.
func each(tx *kv.Tx, company, status string, words []string, fn func(Contact) bool) error {
	seen := map[string]bool{}
	return contacts.Each(tx, "word", kv.K(company, status).Starting(words[0]), func(id string, c Contact) (bool, error) {
		if seen[id] || !c.matches(words) {
			return true, nil
		}
		seen[id] = true
		return fn(c), nil
	})
}

// Limits of suggestions: how many are returned, and how many matches are ranked.
const (
	maxSuggestions = 50
	weighed        = 500
)

// Suggest returns the contacts that may match a text being typed: the beginning of a name, an
// address or an organization. The most recently used come first; without a text, only recency
// counts.
func (s *Service) Suggest(_ context.Context, who account.Actor, text string, limit int) (out []Contact, err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return nil, err
	}
	limit = min(max(limit, 1), maxSuggestions)
	err = s.DB.View(func(tx *kv.Tx) error {
		words := searched(text)
		if len(words) == 0 {
			recent, err := listing{company: who.CompanyID, order: ByUse, descending: true}.part(tx, Active, 0, limit)
			out = recent.Items
			return err
		}
		return each(tx, who.CompanyID, Active, words, func(c Contact) bool {
			out = append(out, c)
			return len(out) < weighed
		})
	})
	slices.SortStableFunc(out, func(a, b Contact) int {
		return cmp.Or(b.usedAt().Compare(a.usedAt()), cmp.Compare(b.Documents, a.Documents), cmp.Compare(input.Fold(a.Name), input.Fold(b.Name)))
	})
	return out[:min(limit, len(out))], err
}
