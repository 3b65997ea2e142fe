package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

const (
	// denseHits is the number of hits a segment needs before the order of all its documents is
	// computed and kept; fewer are sorted each time.
	denseHits = 8

	// denseShare is the minimum share of hits in a segment, as one in so many.
	denseShare = 64
)

// order holds all documents of a segment, sorted by key and ID.
type order struct{ docs []uint32 }

// hit is a document with its sort key.
type hit struct {
	doc uint32
	key string
	id  []byte // points into the segment
}

func compareHits(a, b hit) int {
	return cmp.Or(strings.Compare(a.key, b.key), bytes.Compare(a.id, b.id))
}

// page returns the IDs of the results from Offset on. It starts from the nearer end, so that
// the last page costs as much as the first.
func (m *matcher) page(q Query, total int) ([]string, error) {
	first, last := max(q.Offset, 0), total
	if q.Limit <= 0 || first >= total {
		return nil, nil
	}
	if q.Limit < total-first {
		last = first + q.Limit
	}
	descending := q.Descending
	backwards := total-last < first
	if backwards {
		first, last, descending = total-last, total-first, !descending
	}
	ids, err := m.merge(q.Sort, descending, first, last)
	if backwards {
		slices.Reverse(ids)
	}
	return ids, err
}

// merge walks the hits of all segments in order and returns the IDs of those from first to
// last.
func (m *matcher) merge(sort string, descending bool, first, last int) ([]string, error) {
	var walks []*walk
	for _, s := range m.segments {
		w, err := s.walk(m.ctx, sort, descending)
		if err != nil {
			return nil, err
		}
		if w.more {
			walks = append(walks, w)
		}
	}
	ids := make([]string, 0, last-first)
	for n := 0; n < last && len(walks) > 0; n++ {
		if n%1024 == 0 && m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		i := leading(walks, descending)
		if n >= first {
			ids = append(ids, string(walks[i].head.id))
		}
		if err := walks[i].next(); err != nil {
			return nil, err
		}
		if !walks[i].more {
			walks = slices.Delete(walks, i, i+1)
		}
	}
	return ids, nil
}

// leading returns the walk that has the next hit.
func leading(walks []*walk, descending bool) int {
	best := 0
	for i := 1; i < len(walks); i++ {
		c := compareHits(walks[i].head, walks[best].head)
		if descending {
			c = -c
		}
		if c < 0 {
			best = i
		}
	}
	return best
}

// walk goes through the hits of a segment in order.
type walk struct {
	view       *segmentView
	keys       *keys
	head       hit
	more       bool // head is a hit
	descending bool

	sorted []hit    // either the hits, sorted
	docs   []uint32 // or all documents, sorted, of which some are hits
}

// walk starts at the first hit. Few hits are sorted; many are picked from the order of the
// whole segment, which is kept.
func (s *segmentView) walk(ctx context.Context, sort string, descending bool) (*walk, error) {
	w := &walk{view: s, keys: &keys{view: s, sort: sort}, descending: descending}
	if s.live == 0 {
		return w, nil
	}
	if s.live >= denseHits && s.live*denseShare >= s.seg.Segment().Count() {
		o, err := s.order(ctx, sort)
		if err != nil {
			return nil, err
		}
		w.docs = o.docs
		return w, w.next()
	}
	for each := s.hits.Iterator(); each.HasNext(); {
		doc := each.Next()
		if !s.isHit(doc) {
			continue
		}
		h, err := w.keys.of(doc)
		if err != nil {
			return nil, err
		}
		w.sorted = append(w.sorted, h)
	}
	slices.SortFunc(w.sorted, compareHits)
	return w, w.next()
}

// next moves head to the next hit.
func (w *walk) next() (err error) {
	w.more = false
	if n := len(w.sorted); n > 0 {
		w.more = true
		if w.descending {
			w.head, w.sorted = w.sorted[n-1], w.sorted[:n-1]
		} else {
			w.head, w.sorted = w.sorted[0], w.sorted[1:]
		}
		return nil
	}
	for len(w.docs) > 0 {
		var doc uint32
		if n := len(w.docs); w.descending {
			doc, w.docs = w.docs[n-1], w.docs[:n-1]
		} else {
			doc, w.docs = w.docs[0], w.docs[1:]
		}
		if w.view.isHit(doc) {
			w.more = true
			w.head, err = w.keys.of(doc)
			return err
		}
	}
	return nil
}

// keys reads the sort keys of a segment's documents.
type keys struct {
	view  *segmentView
	sort  string
	state segment.DocVisitState
}

func (k *keys) of(doc uint32) (hit, error) {
	id, err := k.view.seg.DocID(uint64(doc))
	if err != nil {
		return hit{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	h := hit{doc: doc, id: id}
	values, ok := k.view.seg.Segment().(segment.DocValueVisitable)
	if k.sort == "" || !ok {
		return h, nil
	}
	k.state, err = values.VisitDocValues(uint64(doc), []string{sortPrefix + k.sort}, func(_ string, term []byte) {
		h.key = string(term)
	}, k.state)
	if err != nil {
		return hit{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return h, nil
}

// order returns the sorted documents of the whole segment, computed once.
func (s *segmentView) order(ctx context.Context, sort string) (*order, error) {
	s.memory.ordering.Lock()
	defer s.memory.ordering.Unlock()
	if o := s.memory.orders[sort]; o != nil {
		return o, nil
	}
	o, err := s.sortAll(ctx, sort)
	if err != nil {
		return nil, err
	}
	s.memory.orders[sort] = o
	return o, nil
}

// sortAll reads the order from the dictionary of the field, which holds the keys in sorted
// order. Documents without the key come first.
func (s *segmentView) sortAll(ctx context.Context, sort string) (*order, error) {
	size := s.seg.Segment().Count()
	field := idField
	if sort != "" {
		field = sortPrefix + sort
	}
	dict, err := s.dictionary(field)
	if err != nil {
		return nil, err
	}
	keyed, seen := make([]uint32, 0, size), roaring.New()
	same, terms := roaring.New(), 0
	err = eachTerm(dict, "", func(term string) error {
		if terms++; terms%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		same.Clear()
		if err := addPostings(dict, term, same); err != nil {
			return err
		}
		from := len(keyed)
		keyed = append(keyed, same.ToArray()...)
		return s.sortByID(keyed[from:])
	})
	if err != nil {
		return nil, err
	}
	seen.AddMany(keyed)
	if seen.GetCardinality() == size {
		return &order{docs: keyed}, nil
	}
	missing := roaring.Flip(seen, 0, size).ToArray()
	if err := s.sortByID(missing); err != nil {
		return nil, err
	}
	return &order{docs: append(missing, keyed...)}, nil
}

// sortByID sorts documents that have the same key.
func (s *segmentView) sortByID(docs []uint32) error {
	if len(docs) < 2 {
		return nil
	}
	ids := make([]hit, len(docs))
	for i, doc := range docs {
		id, err := s.seg.DocID(uint64(doc))
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		ids[i] = hit{doc: doc, id: id}
	}
	slices.SortFunc(ids, compareHits)
	for i := range ids {
		docs[i] = ids[i].doc
	}
	return nil
}
