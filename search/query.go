package search

import (
	"context"
	"errors"
	"slices"
	"strings"
)

const (
	// maxWords is the number of different query words that count; the rest are ignored.
	maxWords = 32

	// maxText is the number of bytes of a query's text that are read.
	maxText = 4 << 10
)

// Query selects documents of one scope.
type Query struct {
	Scope string
	Kind  string // empty: every kind

	// Text is the user's query. Every word of it must begin some word of the document,
	// regardless of case and accents. It has no syntax. Without text every document matches;
	// text without a letter, a digit or a symbol matches none. Only the first 32 words count.
	Text string

	// Filters must all hold; each holds if the document has any of its terms.
	Filters [][]string

	Sort          string // a key of Document.Sort; empty: by ID. Ties go by ID
	Descending    bool   // reverses the whole order
	Offset, Limit int    // which of the results; Limit 0 only counts
}

// Query returns the IDs of one page and the total number of matches. When too many queries run,
// it waits for its turn until ctx ends.
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

// word is one word that must be found.
type word struct {
	whole string
	parts []string // searched for if nothing has the whole word; may be empty
}

// parse splits a query's text into words. possible is false if the text contains no word.
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

// partsOf returns the parts of a word such as "Meier-Schmidt", so that it finds "Meier Schmidt"
// if nothing is spelled with the hyphen. An e-mail address is not split.
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

// exact finds the documents with the scope, the kind and the filters.
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

// words finds the documents with all the words. A word that occurs nowhere as a whole is
// searched for by its parts.
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

// some reports whether any document with the scope, kind and filters has a word with this
// beginning.
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

// total computes the hits and counts them.
func (m *matcher) total() int {
	total := 0
	for _, s := range m.segments {
		s.hits, s.live = s.intersect(append(s.words, s.exact...)...)
		total += int(s.live)
	}
	return total
}
