package pdf

import (
	"bytes"
	"slices"

	"paraph/app/pdf/object"
)

// A field whose value says one thing and whose appearance shows another is read
// differently by people and by programs ("Shadow Attacks", NDSS 2021). Whoever
// fills a field in changes both.

// contradicts says whether of the value and the appearance of a text field only
// one was changed. Fields with scripts that format what is shown are let be.
func (p *pair) contradicts(a, b *field) bool {
	if b.kind != "Tx" && b.kind != "Ch" || b.dict["AA"] != nil || !p.redrawn(a, b) {
		return false
	}
	before, after := p.old.shown(a), p.new.shown(b)
	if p.same(p.old.resolve(a.value), p.new.resolve(b.value)) {
		return !slices.EqualFunc(before, after, bytes.Equal)
	}
	return len(after) > 0 && slices.EqualFunc(before, after, bytes.Equal)
}

// redrawn says whether anything of a field or its appearances was changed.
func (p *pair) redrawn(a, b *field) bool {
	marked := map[int]bool{a.ref.Number: true}
	for _, w := range slices.Concat(a.widgets, b.widgets) {
		marked[w.ref.Number] = true
		if r, ok := w.dict["AP"].(ref); ok {
			marked[r.Number] = true
		}
	}
	p.old.markAppearances(a, marked)
	p.new.markAppearances(b, marked)
	for n := range marked {
		if p.changed[n] {
			return true
		}
	}
	return false
}

func (f *File) markAppearances(fd *field, marked map[int]bool) {
	for _, w := range fd.widgets {
		if r, ok := f.dict(w.dict["AP"])["N"].(ref); ok {
			marked[r.Number] = true
		}
	}
}

// shown lists the strings that the appearances of a field draw, in the codes of
// their fonts, runs of one line put together.
func (f *File) shown(fd *field) [][]byte {
	var out [][]byte
	for _, w := range fd.widgets {
		src, ok := f.resolve(f.dict(w.dict["AP"])["N"]).(*source)
		if !ok {
			continue
		}
		data, err := f.decode(src)
		if err != nil {
			continue
		}
		if s := drawnStrings(data); len(s) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// drawnStrings puts all strings of a content stream together.
func drawnStrings(content []byte) []byte {
	var out []byte
	l := object.NewLexer(content, 0)
	for !l.AtEnd() {
		v, err := l.Next()
		if err != nil {
			break
		}
		all, ok := v.(array)
		if !ok {
			all = array{v}
		}
		for _, e := range all {
			if s, ok := e.(object.String); ok {
				out = append(out, s...)
			}
		}
	}
	return out
}
