package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
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
