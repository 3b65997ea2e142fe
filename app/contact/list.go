package contact

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

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
func (s *Service) List(ctx context.Context, who account.Call, q Query) (page list.Page[Contact], err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return page, err
	}
	l, err := newListing(who.CompanyID, q)
	if err != nil {
		return page, err
	}
	words := searched(q.Search)
	switch {
	case len(words) == 0 && strings.TrimSpace(q.Search) != "":
		return list.Page[Contact]{Items: []Contact{}}, nil // the search contains no characters that occur in words
	case len(words) == 0 && len(l.statuses) == 1:
		err = s.DB.View(func(tx *kv.Tx) error {
			page, err = l.part(tx, l.statuses[0], l.offset, l.limit)
			return err
		})
		return page, err
	}
	err = s.inTurn(ctx, who, func(ctx context.Context, tx *kv.Tx) error {
		page, err = l.scan(ctx, tx, words)
		return err
	})
	return page, err
}

// scanLimit is how long one search may take.
const scanLimit = 10 * time.Second

// inTurn reads many contacts when it is the caller's turn.
func (s *Service) inTurn(ctx context.Context, who account.Call, read func(ctx context.Context, tx *kv.Tx) error) error {
	leave, err := s.searching.Enter(ctx, who.Turn())
	if err != nil {
		return err
	}
	defer leave()
	limited, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	err = s.DB.View(func(tx *kv.Tx) error { return read(limited, tx) })
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Unavailable("busy").Because(err)
	}
	return err
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

// found is a contact that a list may show, without its content: there may be many.
type found struct{ by, key, id string }

// scan reads the contacts of several states, or those that have the words, and returns one
// page of them.
func (l listing) scan(ctx context.Context, tx *kv.Tx, words []string) (page list.Page[Contact], err error) {
	var all []found
	add := func(c Contact) bool {
		all = append(all, found{orders[l.order](c), c.key(), c.ID})
		return true
	}
	for _, status := range l.statuses {
		if len(words) > 0 {
			err = each(ctx, tx, l.company, status, words, add)
		} else {
			err = contacts.Each(tx, "by_"+string(l.order), kv.K(l.company, status), func(_ string, c Contact) (bool, error) {
				return add(c), ctx.Err()
			})
		}
		if err != nil {
			return page, err
		}
	}
	page = list.Page[Contact]{Items: []Contact{}, Total: len(all)}
	for _, f := range l.window(all) {
		c, err := contacts.Get(tx, f.key)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, c)
	}
	return page, nil
}

// window sorts contacts and returns one page of them.
func (l listing) window(all []found) []found {
	slices.SortFunc(all, func(a, b found) int {
		if l.descending {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.id, b.id))
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
func each(ctx context.Context, tx *kv.Tx, company, status string, words []string, fn func(Contact) bool) error {
	seen := map[string]bool{}
	return contacts.Each(tx, "word", kv.K(company, status).Starting(words[0]), func(id string, c Contact) (bool, error) {
		if seen[id] || !c.matches(words) {
			return true, ctx.Err()
		}
		seen[id] = true
		return fn(c), ctx.Err()
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
func (s *Service) Suggest(ctx context.Context, who account.Call, text string, limit int) (out []Contact, err error) {
	if err := staff(who, account.ScopeRead); err != nil {
		return nil, err
	}
	limit = min(max(limit, 1), maxSuggestions)
	words := searched(text)
	err = s.inTurn(ctx, who, func(ctx context.Context, tx *kv.Tx) error {
		if len(words) == 0 {
			recent, err := listing{company: who.CompanyID, order: ByUse, descending: true}.part(tx, Active, 0, limit)
			out = recent.Items
			return err
		}
		return each(ctx, tx, who.CompanyID, Active, words, func(c Contact) bool {
			out = append(out, c)
			return len(out) < weighed
		})
	})
	slices.SortStableFunc(out, func(a, b Contact) int {
		return cmp.Or(b.usedAt().Compare(a.usedAt()), cmp.Compare(b.Documents, a.Documents), cmp.Compare(input.Fold(a.Name), input.Fold(b.Name)))
	})
	return out[:min(limit, len(out))], err
}
