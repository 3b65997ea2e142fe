package search

import (
	"cmp"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
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
