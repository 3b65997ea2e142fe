package text

import (
	"slices"
	"unicode"

	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
	"golang.org/x/text/unicode/norm"
)

// An item is text[start:end] with a single direction, script and font.
type item struct {
	start, end int
	rtl        bool
	script     language.Script
	face       *face // nil when even the code point can't be drawn
	missing    bool  // no font has it
}

// itemise divides a span by script and font. What a reader perceives as one
// character is split only if no single font has all of it.
func (f *Fonts) itemise(sh *shaper, style Style, text []rune, s span) []item {
	if fc := f.plain(style, text[s.start:s.end]); fc != nil {
		return []item{{start: s.start, end: s.end, rtl: s.level%2 != 0, script: language.Latin, face: fc}}
	}
	var items []item
	script := language.Common
	var before *face
	sh.segments.Init(text[s.start:s.end])
	for clusters := sh.segments.GraphemeIterator(); clusters.Next(); {
		g := clusters.Grapheme()
		if own := scriptOf(g.Text); own != language.Common {
			script = own
		}
		next := item{start: s.start + g.Offset, rtl: s.level%2 != 0, script: script}
		next.end = next.start + len(g.Text)
		if next.face = f.choose(style, g.Text, before); next.face != nil {
			before = next.face
			items = addItem(items, next)
			continue
		}
		for i, r := range g.Text {
			one := item{start: next.start + i, end: next.start + i + 1, rtl: next.rtl, script: script}
			one.face, one.missing = f.chooseOne(style, r)
			items = addItem(items, one)
		}
	}
	return items
}

// plain returns the first font of the style if the text is all ASCII, which is
// the most common case and needs no further analysis, or nil.
func (f *Fonts) plain(style Style, text []rune) *face {
	fc := f.faces[style.primary()[0]]
	for _, r := range text {
		if r > '~' || !fc.has(r) {
			return nil
		}
	}
	return fc
}

// addItem merges an item into the last one if they can be shaped together.
func addItem(items []item, next item) []item {
	if len(items) > 0 {
		last := &items[len(items)-1]
		if last.face == next.face && !last.missing && !next.missing &&
			(last.script == next.script || last.script == language.Common) {
			last.end, last.script = next.end, next.script
			return items
		}
	}
	return append(items, next)
}

func scriptOf(cluster []rune) language.Script {
	for _, r := range cluster {
		if s := language.LookupScript(r); s.Strong() {
			return s
		}
	}
	return language.Common
}

// choose finds a font for the whole cluster, or nil. Spaces use the font of the
// text before them.
func (f *Fonts) choose(style Style, cluster []rune, before *face) *face {
	if before != nil && blank(cluster) && before.hasAll(cluster) {
		return before
	}
	if fc := f.find(style, cluster); fc != nil || len(cluster) == 1 {
		return fc
	}
	return f.find(style, []rune(norm.NFC.String(string(cluster))))
}

// chooseOne finds a font for a single rune, or one that writes its code point.
func (f *Fonts) chooseOne(style Style, r rune) (fc *face, missing bool) {
	if fc := f.find(style, []rune{r}); fc != nil {
		return fc, false
	}
	for _, name := range style.primary() {
		if f.faces[name].hasAll([]rune("[U+0123456789ABCDEF]")) {
			return f.faces[name], true
		}
	}
	return nil, true
}

// find returns the first font that has all of cluster.
func (f *Fonts) find(style Style, cluster []rune) *face {
	for _, name := range style.primary() {
		if fc := f.faces[name]; fc.hasAll(cluster) {
			return fc
		}
	}
	lead := cluster[0]
	if i := slices.IndexFunc(cluster, func(r rune) bool { return !ignorable(r) }); i >= 0 {
		lead = cluster[i]
	}
	for i := range catalog {
		if catalog[i].covers(lead, style.Bold) {
			if fc := f.faces[catalog[i].name]; fc.hasAll(cluster) {
				return fc
			}
		}
	}
	return nil
}

// hasAll reports whether the font has every visible rune.
func (fc *face) hasAll(cluster []rune) bool {
	for _, r := range cluster {
		if !ignorable(r) && !fc.has(r) {
			return false
		}
	}
	return fc.ready()
}

func blank(cluster []rune) bool {
	for _, r := range cluster {
		if !unicode.Is(unicode.Zs, r) {
			return false
		}
	}
	return true
}

// ignorable reports whether r has no shape of its own, such as a joiner.
func ignorable(r rune) bool { return harfbuzz.IsDefaultIgnorable(r) }
