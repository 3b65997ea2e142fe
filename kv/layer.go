package kv

import (
	"slices"
	"sort"
	"sync"
)

// layer holds writes that have not reached Badger yet: those of one call, or of a group of
// calls. A nil value is a deletion.
type layer struct {
	writes map[string][]byte
	size   int
	sorted []string // never changed in place: scans hold on to it
	fresh  []string // keys since sorted was made
	from   *layers
}

// entryOverhead is the size of an entry in Badger besides its key and value: version, transaction
// mark, lengths.
const entryOverhead = 24

// layers is a pool of empty layers, since making a map costs more than filling it. Calls and groups
// have one each: a map that was once large takes long to walk and to clear.
type layers struct {
	pool sync.Pool
	most int // writes in a layer that is kept
}

var (
	callLayers  = layers{most: 256}
	groupLayers = layers{most: groupKeys}
)

func (p *layers) get() *layer {
	if l, ok := p.pool.Get().(*layer); ok {
		return l
	}
	return &layer{writes: map[string][]byte{}, from: p}
}

// drop returns a layer to its pool. Nothing may use it any more.
func (l *layer) drop() {
	if len(l.writes) > l.from.most {
		return
	}
	clear(l.writes)
	clear(l.fresh[:cap(l.fresh)])
	l.fresh, l.sorted, l.size = l.fresh[:0], nil, 0
	l.from.pool.Put(l)
}

func (l *layer) put(key string, value []byte) {
	old, had := l.writes[key]
	if had {
		l.size -= len(old)
	} else {
		l.fresh = append(l.fresh, key)
		l.size += len(key) + entryOverhead
	}
	l.size += len(value)
	l.writes[key] = value
}

// merge adds the newer writes of o.
func (l *layer) merge(o *layer) {
	for key, value := range o.writes {
		l.put(key, value)
	}
}

// keys returns all keys in order.
func (l *layer) keys() []string {
	if len(l.fresh) == 0 {
		return l.sorted
	}
	slices.Sort(l.fresh)
	merged := make([]string, 0, len(l.sorted)+len(l.fresh))
	old := l.sorted
	for _, key := range l.fresh {
		n := sort.SearchStrings(old, key)
		merged = append(append(merged, old[:n]...), key)
		old = old[n:]
	}
	l.sorted = append(merged, old...)
	l.fresh = l.fresh[:0]
	return l.sorted
}

// within returns the keys that begin with a prefix, in order.
func (l *layer) within(prefix []byte) []string {
	keys := l.keys()
	from := sort.SearchStrings(keys, string(prefix))
	to := len(keys)
	if end := after(prefix); end != nil {
		to = from + sort.SearchStrings(keys[from:], string(end))
	}
	return keys[from:to]
}

// union merges ordered lists and drops repetitions.
func union(lists [][]string) []string {
	lists = slices.DeleteFunc(lists, func(l []string) bool { return len(l) == 0 })
	if len(lists) == 0 {
		return nil
	}
	if len(lists) == 1 {
		return lists[0]
	}
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
