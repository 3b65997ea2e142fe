package text

import (
	"slices"
	"strings"
	"sync"
)

// maxRecent is the capacity of each generation of recent, in glyphs. A glyph takes
// about 50 bytes, so both generations take 2 MB.
const maxRecent = 20_000

// recent caches the lines shaped most recently. Shaping takes longer than drawing,
// and most lines of a certificate of completion recur in every other one.
//
// A lookup searches both generations. When the young one is full, it becomes the
// old one, which is dropped. Lines in use survive without any bookkeeping.
type recent struct {
	mu         sync.Mutex
	young, old map[linesKey][]Run
	glyphs     int // in young
}

// A linesKey is everything that the lines of a text depend on.
type linesKey struct {
	style Style
	size  float64
	wrap  bool // in lines of a width
	width float64
	text  string
}

// get returns lines set before, or those that set returns. They are shared: callers must
// not change them.
func (c *recent) get(k linesKey, set func() []Run) []Run {
	if lines, ok := c.find(k); ok {
		return lines
	}
	lines := slices.Clip(set())
	for i := range lines {
		lines[i].Glyphs, lines[i].Missing = slices.Clip(lines[i].Glyphs), slices.Clip(lines[i].Missing)
	}
	if count(lines) <= maxRecent/20 { // the text of a whole page is unlikely to recur
		k.text = strings.Clone(k.text)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.add(k, lines)
	}
	return lines
}

func (c *recent) find(k linesKey) ([]Run, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lines, ok := c.young[k]; ok {
		return lines, true
	}
	lines, ok := c.old[k]
	if ok {
		c.add(k, lines)
	}
	return lines, ok
}

func (c *recent) add(k linesKey, lines []Run) {
	if c.young == nil || c.glyphs > maxRecent {
		c.young, c.old, c.glyphs = map[linesKey][]Run{}, c.young, 0
	}
	c.young[k] = lines
	c.glyphs += count(lines)
}

// count returns the number of glyphs, and at least one for each line.
func count(lines []Run) (glyphs int) {
	for _, l := range lines {
		glyphs += len(l.Glyphs) + 1
	}
	return glyphs
}
