package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

const (
	// maxFound is the number of bytes of cached results, for all segments together.
	maxFound = 16 << 20

	// exactKey marks cached exact terms. No word begins with it.
	exactKey = "\x00"
)

// views caches results computed for segments. A segment itself never changes, only its
// deletions do, so the cache is valid as long as the segment exists.
type views struct {
	mu       sync.Mutex
	segments map[uint64]*segmentMemory
	size     uint64 // bytes of cached results
}

// segmentMemory is the cache of one segment.
type segmentMemory struct {
	found    map[string]*roaring.Bitmap // documents with a word that begins so, or with an exact term
	ordering sync.Mutex                 // held while an order is computed
	orders   map[string]*order
}

func newViews() *views { return &views{segments: make(map[uint64]*segmentMemory)} }

// segmentView is one segment in one query.
type segmentView struct {
	id     uint64
	seg    *scorch.SegmentSnapshot
	memory *segmentMemory
	views  *views
	exact  []*roaring.Bitmap // has the scope; the kind; one of each filter
	words  []*roaring.Bitmap // has the first word; the second; ...
	hits   *roaring.Bitmap   // has all of it, deleted or not
	live   uint64            // how many of the hits are not deleted
}

func (v *views) of(seg *scorch.SegmentSnapshot) *segmentView {
	v.mu.Lock()
	defer v.mu.Unlock()
	memory := v.segments[seg.Id()]
	if memory == nil {
		memory = &segmentMemory{found: make(map[string]*roaring.Bitmap), orders: make(map[string]*order)}
		v.segments[seg.Id()] = memory
	}
	return &segmentView{id: seg.Id(), seg: seg, memory: memory, views: v}
}

// keepOnly drops the segments missing from a newer state of the index.
func (v *views) keepOnly(segments []*segmentView) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.segments) == len(segments) {
		return
	}
	live := make(map[uint64]bool, len(segments))
	for _, s := range segments {
		live[s.id] = true
	}
	for id, memory := range v.segments {
		if live[id] {
			continue
		}
		for key, b := range memory.found {
			v.size -= sizeOf(key, b)
		}
		delete(v.segments, id)
	}
}

func (v *views) recall(m *segmentMemory, key string) *roaring.Bitmap {
	v.mu.Lock()
	defer v.mu.Unlock()
	return m.found[key]
}

// keep caches a result, and drops all of them when they become too many.
func (v *views) keep(id uint64, m *segmentMemory, key string, b *roaring.Bitmap) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.segments[id] != m || m.found[key] != nil {
		return
	}
	if v.size > maxFound {
		for _, other := range v.segments {
			clear(other.found)
		}
		v.size = 0
	}
	m.found[key] = b
	v.size += sizeOf(key, b)
}

// sizeOf estimates the size of a cached result.
func sizeOf(key string, b *roaring.Bitmap) uint64 {
	const overhead = 200
	return overhead + uint64(len(key)) + b.GetSizeInBytes()
}

// intersect returns the documents in all of the sets, and how many of them are not deleted. It
// starts with the smallest set, so that a rare word makes the rest cheap. Counting deleted
// documents is cheaper than removing them.
func (s *segmentView) intersect(sets ...*roaring.Bitmap) (left *roaring.Bitmap, live uint64) {
	slices.SortFunc(sets, func(a, b *roaring.Bitmap) int {
		return cmp.Compare(a.GetCardinality(), b.GetCardinality())
	})
	left = sets[0]
	for _, set := range sets[1:] {
		if left.IsEmpty() {
			return left, 0
		}
		left = roaring.And(left, set)
	}
	live = left.GetCardinality()
	if deleted := s.seg.Deleted(); deleted != nil {
		live -= left.AndCardinality(deleted)
	}
	return left, live
}

// isHit reports whether a document matches everything and is not deleted.
func (s *segmentView) isHit(doc uint32) bool {
	return s.hits.Contains(doc) && (s.seg.Deleted() == nil || !s.seg.Deleted().Contains(doc))
}

// anyOf returns the documents that have one of the exact terms. The result may
// be shared and must not be changed.
func (s *segmentView) anyOf(exact []string) (*roaring.Bitmap, error) {
	found := roaring.New()
	for _, term := range exact {
		one, err := s.remember(exactKey+term, func(to *roaring.Bitmap) error {
			dict, err := s.dictionary(exactField)
			if err != nil {
				return err
			}
			return addPostings(dict, term, to)
		})
		if err != nil || len(exact) == 1 {
			return one, err
		}
		found.Or(one)
	}
	return found, nil
}

// begins returns the documents with a word that begins with prefix. The result is shared and
// must not be changed.
func (s *segmentView) begins(ctx context.Context, prefix string) (*roaring.Bitmap, error) {
	for _, set := range s.exact {
		if set.IsEmpty() {
			return set, nil
		}
	}
	field := headField
	if len(headOf([]byte(prefix))) < len(prefix) {
		field = wholeField
	}
	return s.remember(prefix, func(to *roaring.Bitmap) error {
		dict, err := s.dictionary(field)
		if err != nil {
			return err
		}
		terms := 0
		return eachTerm(dict, prefix, func(term string) error {
			if terms++; terms%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			return addPostings(dict, term, to)
		})
	})
}

// remember returns the cached result for the key, or computes it.
func (s *segmentView) remember(key string, find func(to *roaring.Bitmap) error) (*roaring.Bitmap, error) {
	if found := s.views.recall(s.memory, key); found != nil {
		return found, nil
	}
	found := roaring.New()
	if err := find(found); err != nil {
		return nil, err
	}
	found.RunOptimize()
	s.views.keep(s.id, s.memory, key, found)
	return found, nil
}

func (s *segmentView) dictionary(field string) (segment.TermDictionary, error) {
	dict, err := s.seg.Segment().Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return dict, nil
}

// eachTerm calls fn with the terms that begin with prefix, in order.
func eachTerm(dict segment.TermDictionary, prefix string, fn func(term string) error) error {
	start, end := []byte(prefix), afterPrefix(prefix)
	var terms segment.DictionaryIterator
	if d, ok := dict.(interface {
		AutomatonIteratorOmitCount(segment.Automaton, []byte, []byte) segment.DictionaryIterator
	}); ok {
		terms = d.AutomatonIteratorOmitCount(nil, start, end)
	} else {
		terms = dict.AutomatonIterator(nil, start, end)
	}
	for {
		entry, err := terms.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if entry == nil {
			return nil
		}
		if err := fn(entry.Term); err != nil {
			return err
		}
	}
}

// afterPrefix returns the first key after all keys with this prefix, nil if there is none.
func afterPrefix(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

// addPostings adds the documents with the term.
func addPostings(dict segment.TermDictionary, term string, to *roaring.Bitmap) error {
	postings, err := dict.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if all, ok := postings.(interface{ OrInto(*roaring.Bitmap) }); ok {
		all.OrInto(to)
		return nil
	}
	each := postings.Iterator(false, false, false, nil)
	for {
		posting, err := each.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if posting == nil {
			return nil
		}
		to.Add(uint32(posting.Number()))
	}
}
