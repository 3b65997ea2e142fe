package kv

import (
	"slices"
	"sort"
)

// rank is a tree over the entries of one counted index. Instead of the entries it holds blocks
// of up to blockMax of them, each identified by a lower bound and a count, so that a million
// entries take about a megabyte. It returns how many entries precede a key, and which block
// holds the n-th entry.
//
// A rank is immutable: set returns a new one that shares the unchanged parts. So a reader keeps
// the counts of its own moment, and a failed call has no effect.
type rank struct {
	low  string   // lower bound of the first block
	sum  int      // entries below
	kids []*rank  // of an inner node
	lows []string // lower bounds of the blocks of a leaf
	ns   []uint8  // and the entries in each
}

// block represents the n entries from low to the next block's low.
type block struct {
	low string
	n   int
}

const (
	rankFan  = 32
	blockMax = 128 // fits into a byte
	blockMin = 32  // a smaller one is merged with a neighbour
)

func (r *rank) total() int {
	if r == nil {
		return 0
	}
	return r.sum
}

func leafOf(lows []string, ns []uint8) *rank {
	r := &rank{low: lows[0], lows: lows, ns: ns}
	for _, n := range ns {
		r.sum += int(n)
	}
	return r
}

// block returns the i-th block of a leaf.
func (r *rank) block(i int) block { return block{r.lows[i], int(r.ns[i])} }

// child returns the child of an inner node in which a block at low belongs.
func (r *rank) child(low string) int {
	return max(0, sort.Search(len(r.kids), func(i int) bool { return r.kids[i].low > low })-1)
}

func innerOf(kids []*rank) *rank {
	r := &rank{low: kids[0].low, kids: kids}
	for _, k := range kids {
		r.sum += k.sum
	}
	return r
}

// build makes a rank of blocks in order.
func build(blocks []block) *rank {
	var level []*rank
	for part := range slices.Chunk(blocks, rankFan/2) {
		lows, ns := make([]string, len(part)), make([]uint8, len(part))
		for i, b := range part {
			lows[i], ns[i] = b.low, uint8(b.n)
		}
		level = append(level, leafOf(lows, ns))
	}
	for len(level) > 1 {
		var up []*rank
		for part := range slices.Chunk(level, rankFan/2) {
			up = append(up, innerOf(slices.Clip(part)))
		}
		level = up
	}
	if len(level) == 0 {
		return nil
	}
	return level[0]
}

// floor returns the last block whose lower bound is at most key, and the number
// of entries before that block.
func (r *rank) floor(key string) (b block, before int, ok bool) {
	if r == nil || key < r.low {
		return block{}, 0, false
	}
	for r.kids != nil {
		i := r.child(key)
		for _, k := range r.kids[:i] {
			before += k.sum
		}
		r = r.kids[i]
	}
	i := sort.Search(len(r.lows), func(i int) bool { return r.lows[i] > key }) - 1
	for _, n := range r.ns[:i] {
		before += int(n)
	}
	return r.block(i), before, true
}

// next returns the first block whose lower bound is greater than low.
func (r *rank) next(low string) (b block, ok bool) {
	if r == nil {
		return block{}, false
	}
	if r.kids == nil {
		i := sort.Search(len(r.lows), func(i int) bool { return r.lows[i] > low })
		if i == len(r.lows) {
			return block{}, false
		}
		return r.block(i), true
	}
	i := r.child(low)
	if b, ok = r.kids[i].next(low); ok || i+1 == len(r.kids) {
		return b, ok
	}
	return r.kids[i+1].next(low)
}

// at returns the block that holds the entry of a number, and how many entries are before the block.
func (r *rank) at(n int) (b block, before int) {
	for r.kids != nil {
		i := 0
		for before+r.kids[i].sum <= n {
			before += r.kids[i].sum
			i++
		}
		r = r.kids[i]
	}
	i := 0
	for before+int(r.ns[i]) <= n {
		before += int(r.ns[i])
		i++
	}
	return r.block(i), before
}

// each visits the blocks in order.
func (r *rank) each(fn func(b block)) {
	if r == nil {
		return
	}
	for _, k := range r.kids {
		k.each(fn)
	}
	for i := range r.lows {
		fn(r.block(i))
	}
}

// set returns a rank in which the block at low has n entries; n = 0 removes it.
func (r *rank) set(low string, n int) *rank {
	if r == nil {
		if n == 0 {
			return nil
		}
		return leafOf([]string{low}, []uint8{uint8(n)})
	}
	if out := r.recount(low, n); out != nil {
		return out
	}
	parts := r.replace(low, n)
	if len(parts) == 0 {
		return nil
	}
	out := parts[0]
	if len(parts) > 1 {
		out = innerOf(parts)
	}
	for len(out.kids) == 1 {
		out = out.kids[0]
	}
	return out
}

// recount is set where that changes only the count of a block. Otherwise it returns nil.
func (r *rank) recount(low string, n int) *rank {
	if r.kids == nil {
		i, has := slices.BinarySearch(r.lows, low)
		if !has || n == 0 {
			return nil
		}
		ns := slices.Clone(r.ns)
		ns[i] = uint8(n)
		return &rank{low: r.low, sum: r.sum - int(r.ns[i]) + n, lows: r.lows, ns: ns}
	}
	i := r.child(low)
	kid := r.kids[i].recount(low, n)
	if kid == nil {
		return nil
	}
	kids := slices.Clone(r.kids)
	kids[i] = kid
	return &rank{low: r.low, sum: r.sum - r.kids[i].sum + kid.sum, kids: kids}
}

// replace is set for a node: it returns the zero to two nodes that replace it.
func (r *rank) replace(low string, n int) []*rank {
	if r.kids == nil {
		return r.replaceBlock(low, n)
	}
	i := r.child(low)
	parts := r.kids[i].replace(low, n)
	kids := make([]*rank, 0, len(r.kids)+1)
	kids = append(append(append(kids, r.kids[:i]...), parts...), r.kids[i+1:]...)
	if len(kids) == 0 {
		return nil
	}
	if len(kids) <= rankFan {
		return []*rank{innerOf(kids)}
	}
	half := cut(len(kids), i)
	return []*rank{innerOf(slices.Clip(kids[:half])), innerOf(slices.Clip(kids[half:]))}
}

func (r *rank) replaceBlock(low string, n int) []*rank {
	i, has := slices.BinarySearch(r.lows, low)
	end := i
	if has {
		end++
	}
	lows, ns := []string{low}, []uint8{uint8(n)}
	if n == 0 {
		lows, ns = nil, nil
	}
	lows = slices.Concat(r.lows[:i], lows, r.lows[end:])
	ns = slices.Concat(r.ns[:i], ns, r.ns[end:])
	if len(lows) == 0 {
		return nil
	}
	if len(lows) <= rankFan {
		return []*rank{leafOf(lows, ns)}
	}
	half := cut(len(lows), i)
	return []*rank{
		leafOf(slices.Clip(lows[:half]), slices.Clip(ns[:half])),
		leafOf(slices.Clip(lows[half:]), slices.Clip(ns[half:])),
	}
}

// cut returns where n children are split: in the middle, or near the end if that is where they
// grow, so that ascending inserts leave full nodes.
func cut(n, changed int) int {
	if changed >= n-2 {
		return n - 4
	}
	return n / 2
}
