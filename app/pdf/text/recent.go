package text

import (
	"slices"
	"sync"
)

// maxRecent bounds what each of the two generations of recent holds, in glyphs.
// One takes about 150 bytes: 6 MB for both.
const maxRecent = 20_000

// recent holds the lines shaped most recently. Shaping takes longer than drawing,
// and most lines of a certificate of completion are the same in every other one.
//
// Lines are looked up in both generations; when the young one is full it becomes
// the old one, which is dropped. So what is used stays, at no cost per lookup.
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
		return // the text of a whole page is unlikely to come again
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
