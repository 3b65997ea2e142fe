package text

import (
	"slices"
	"sync"
)

// maxRecent is the capacity of each generation of recent, in glyphs. A glyph takes
// about 150 bytes, so both generations take 6 MB.
const maxRecent = 20_000

// recent caches the lines shaped most recently. Shaping takes longer than drawing,
// and most lines of a certificate of completion recur in every other one.
//
// A lookup searches both generations. When the young one is full, it becomes the
// old one, which is dropped. Lines in use survive without any bookkeeping.
type recent struct {
	mu         sync.Mutex
	young, old map[lineKey]Run
	glyphs     int // in young
}

type lineKey struct {
	style Style
	size  float64
	base  direction
	text  string
}

// get returns a line laid out before. Its glyphs are shared: callers must not
// change them.
func (c *recent) get(k lineKey) (Run, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.young[k]; ok {
		return r, true
	}
	r, ok := c.old[k]
	if ok {
		c.add(k, r)
	}
	return r, ok
}

func (c *recent) put(k lineKey, r Run) {
	if len(r.Glyphs) > maxRecent/20 {
		return // the text of a whole page is unlikely to recur
	}
	r.Glyphs, r.Missing = slices.Clip(r.Glyphs), slices.Clip(r.Missing)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(k, r)
}

func (c *recent) add(k lineKey, r Run) {
	if c.young == nil || c.glyphs > maxRecent {
		c.young, c.old, c.glyphs = map[lineKey]Run{}, c.young, 0
	}
	c.young[k] = r
	c.glyphs += len(r.Glyphs) + 1
}
