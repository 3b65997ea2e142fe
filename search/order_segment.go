package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

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
