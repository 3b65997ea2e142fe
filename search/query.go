package search

import (
	"context"
	"errors"
	"slices"
	"strings"
)

const (
	// maxWords is how many different words of a query count; more are left out.
	maxWords = 32

	// maxText is how many bytes of a query's text are looked at.
	maxText = 4 << 10
)

// Query asks for documents of one scope.
type Query struct {
	Scope string
	Kind  string // empty: every kind

	// Text is the user's query. Every word of it must begin some word of
	// the document; case and accents do not matter. Nothing in it is syntax.
	// Without text every document matches; text without a letter, a digit or a
	// symbol matches none. The first 32 words count.
	Text string

	// Filters must all hold; one holds when the document has any of its terms.
	Filters [][]string

	Sort          string // a key of Document.Sort; empty: by ID. Ties go by ID
	Descending    bool   // reverses the whole order
	Offset, Limit int    // which of the results; Limit 0 only counts
}

// Query returns the IDs of one page and how many documents match in all. When
// too many run at once, a query waits, at most until ctx ends.
func (x *Index) Query(ctx context.Context, q Query) (ids []string, total int, err error) {
	if err := x.acquire(ctx); err != nil {
		return nil, 0, err
	}
	defer x.release()
	err = x.use(func(c *core) error {
		ids, total, err = c.query(ctx, q)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return ids, total, nil
}

func (c *core) query(ctx context.Context, q Query) (ids []string, total int, err error) {
	want, possible := parse(q.Text)
	if !possible {
		return nil, 0, nil
	}
	snapshot, err := c.snapshot()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	m := matcher{ctx: ctx}
	for _, seg := range snapshot.Segments() {
		m.segments = append(m.segments, c.views.of(seg))
	}
	c.views.keepOnly(m.segments)
	if err := m.exact(q); err != nil {
		return nil, 0, err
	}
	if err := m.words(want); err != nil {
		return nil, 0, err
	}
	total = m.total()
	ids, err = m.page(q, total)
	return ids, total, err
}

// word is one of the words that must be found.
type word struct {
	whole string
	parts []string // what to look for where nothing has the whole; may be empty
}

// parse splits a query's text into words. possible is false if there is text
// but no word in it.
func parse(text string) (words []word, possible bool) {
	if strings.TrimSpace(text) == "" {
		return nil, true
	}
	seen := make(map[string]bool)
	for w := range queryWords(cut(text, maxText)) {
		if seen[w.whole] {
			continue
		}
		seen[w.whole] = true
		if words = append(words, w); len(words) == maxWords {
			break
		}
	}
	return words, len(words) > 0
}

func queryWords(text string) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		for r := range runs(fold(text)) {
			if r.pairs {
				if !eachPair(r.text, false, func(pair []byte) bool { return yield(word{whole: string(pair)}) }) {
					return
				}
				continue
			}
			if !yield(word{whole: string(cutWord(r.text)), parts: partsOf(r)}) {
				return
			}
		}
	}
}

// partsOf returns the words of "Meier-Schmidt", so that it finds "Meier Schmidt"
// when nothing is written like it. Half of an e-mail address is not asked for.
func partsOf(r run) []string {
	if r.at || !slices.Contains(r.text, '.') {
		return nil
	}
	var parts []string
	for part := range strings.SplitSeq(string(r.text), ".") {
		parts = append(parts, string(cutWord([]byte(part))))
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	return parts[:min(len(parts), maxWords)]
}

// matcher narrows down the documents of each segment.
type matcher struct {
	ctx      context.Context
	segments []*segmentView
}

// exact finds what has the scope, the kind and the filters.
func (m *matcher) exact(q Query) error {
	groups := [][]string{{scopeTerm + q.Scope}}
	if q.Kind != "" {
		groups = append(groups, []string{kindTerm + q.Kind})
	}
	for _, group := range q.Filters {
		terms := make([]string, len(group))
		for i, f := range group {
			terms[i] = filterTerm + f
		}
		groups = append(groups, terms)
	}
	for _, s := range m.segments {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		for _, group := range groups {
			found, err := s.anyOf(group)
			if err != nil {
				return err
			}
			s.exact = append(s.exact, found)
		}
	}
	return nil
}

// words finds what has all the words. A word that is a whole run nowhere is
// looked for by its parts.
func (m *matcher) words(words []word) error {
	for _, w := range words {
		prefixes := []string{w.whole}
		if len(w.parts) > 0 {
			some, err := m.some(w.whole)
			if err != nil {
				return err
			}
			if !some {
				prefixes = w.parts
			}
		}
		for _, prefix := range prefixes {
			if err := m.require(prefix); err != nil {
				return err
			}
		}
	}
	return nil
}

// some reports whether any document with the scope, kind and filters has a word
// that begins so.
func (m *matcher) some(prefix string) (bool, error) {
	for _, s := range m.segments {
		found, err := s.begins(m.ctx, prefix)
		if err != nil {
			return false, err
		}
		if _, live := s.intersect(append(slices.Clone(s.exact), found)...); live > 0 {
			return true, nil
		}
	}
	return false, nil
}

func (m *matcher) require(prefix string) error {
	for _, s := range m.segments {
		found, err := s.begins(m.ctx, prefix)
		if err != nil {
			return err
		}
		s.words = append(s.words, found)
	}
	return nil
}

// total works out the hits and counts them.
func (m *matcher) total() int {
	total := 0
	for _, s := range m.segments {
		s.hits, s.live = s.intersect(append(s.words, s.exact...)...)
		total += int(s.live)
	}
	return total
}
