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
	low    string  // lower bound of the first block
	sum    int     // entries below
	kids   []*rank // of an inner node
	blocks []block // of a leaf
}

// block represents the n entries from low to the next block's low.
type block struct {
	low string
	n   int
}

const (
	rankFan  = 32
	blockMax = 128
	blockMin = 32 // a smaller one is merged with a neighbour
)

func (r *rank) total() int {
	if r == nil {
		return 0
	}
	return r.sum
}

func leafOf(blocks []block) *rank {
	r := &rank{low: blocks[0].low, blocks: blocks}
	for _, b := range blocks {
		r.sum += b.n
	}
	return r
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
		level = append(level, leafOf(slices.Clip(part)))
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
		i := sort.Search(len(r.kids), func(i int) bool { return r.kids[i].low > key }) - 1
		for _, k := range r.kids[:i] {
			before += k.sum
		}
		r = r.kids[i]
	}
	i := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].low > key }) - 1
	for _, b := range r.blocks[:i] {
		before += b.n
	}
	return r.blocks[i], before, true
}

// next returns the first block whose lower bound is greater than low.
func (r *rank) next(low string) (b block, ok bool) {
	if r == nil {
		return block{}, false
	}
	if r.kids == nil {
		i := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].low > low })
		if i == len(r.blocks) {
			return block{}, false
		}
		return r.blocks[i], true
	}
	i := max(0, sort.Search(len(r.kids), func(i int) bool { return r.kids[i].low > low })-1)
	if b, ok = r.kids[i].next(low); ok || i+1 == len(r.kids) {
		return b, ok
	}
	return r.kids[i+1].next(low)
}

// at returns the block
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
	for before+r.blocks[i].n <= n {
		before += r.blocks[i].n
		i++
	}
	return r.blocks[i], before
}

// each visits the blocks in order.
func (r *rank) each(fn func(b block)) {
	if r == nil {
		return
	}
	for _, k := range r.kids {
		k.each(fn)
	}
	for _, b := range r.blocks {
		fn(b)
	}
}

// set returns a rank in which the block at low has n entries; n = 0 removes it.
func (r *rank) set(low string, n int) *rank {
	if r == nil {
		if n == 0 {
			return nil
		}
		return leafOf([]block{{low, n}})
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

// replace is set for a node: it returns the zero to two nodes that replace it.
func (r *rank) replace(low string, n int) []*rank {
	if r.kids == nil {
		return r.replaceBlock(low, n)
	}
	i := max(0, sort.Search(len(r.kids), func(i int) bool { return r.kids[i].low > low })-1)
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
	i := sort.Search(len(r.blocks), func(i int) bool { return r.blocks[i].low >= low })
	rest := r.blocks[i:]
	if len(rest) > 0 && rest[0].low == low {
		rest = rest[1:]
	}
	blocks := append(make([]block, 0, len(r.blocks)+1), r.blocks[:i]...)
	if n > 0 {
		blocks = append(blocks, block{low, n})
	}
	blocks = append(blocks, rest...)
	if len(blocks) == 0 {
		return nil
	}
	if len(blocks) <= rankFan {
		return []*rank{leafOf(blocks)}
	}
	half := cut(len(blocks), i)
	return []*rank{leafOf(slices.Clip(blocks[:half])), leafOf(slices.Clip(blocks[half:]))}
}

// cut returns where n children are split: in the middle, or near the end if that is where they
// grow, so that ascending inserts leave full nodes.
func cut(n, changed int) int {
	if changed >= n-2 {
		return n - 4
	}
	return n / 2
}
