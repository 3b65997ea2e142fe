package redact

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// What a font says of a character that is nowhere any more, its text and its shape among others, may be all
// that was removed: one character may stand for a sentence.

// letters are the codes of the characters of a font.
type letters struct {
	removed, kept map[string]bool
	blurred       bool // characters were removed whose codes aren't known
}

// letter notes that a character of a font was removed or is kept.
func (r *Redactor) letter(f *font, code object.String, removed bool) {
	if f == nil || r.textOnly {
		return
	}
	all := r.lettersOf(f)
	if all == nil {
		return
	}
	if removed {
		all.removed[string(code)] = true
	} else {
		all.kept[string(code)] = true
	}
}

// lettersOf returns the letters of a font, nil for one that is no object of the file.
func (r *Redactor) lettersOf(f *font) *letters {
	at, ok := f.source.(ref)
	if !ok {
		return nil
	}
	if r.letters == nil {
		r.letters = map[int]*letters{}
	}
	all := r.letters[at.Number]
	if all == nil {
		all = &letters{removed: map[string]bool{}, kept: map[string]bool{}}
		r.letters[at.Number] = all
	}
	return all
}

// blur notes that characters of a font were removed and nobody knows which.
func (r *Redactor) blur(f *font, removed bool) {
	if all := r.lettersOf(f); all != nil && removed && !r.textOnly {
		all.blurred = true
	}
}

// Fonts returns, by object number, the fonts that say nothing of characters that are nowhere any more. All
// content that stays must have been seen.
func (r *Redactor) Fonts() (map[int]any, error) {
	out := map[int]any{}
	for number, all := range r.letters {
		maps.DeleteFunc(all.removed, func(code string, _ bool) bool { return all.kept[code] })
		if len(all.removed) == 0 && !all.blurred {
			continue
		}
		d := r.f.Dict(ref{Number: number}).Clone()
		if all.blurred {
			delete(d, "ToUnicode")
		} else if s, ok := r.f.Resolve(d["ToUnicode"]).(*reader.Stream); ok {
			texts, err := r.texts(s, all.kept)
			if err != nil {
				return nil, err
			}
			d["ToUnicode"] = r.to.Add(object.Compress(dict{}, texts))
		}
		r.forget(d, all)
		out[number] = d
	}
	return out, nil
}

// forget removes the names and the shapes of the characters of a font with one byte per character.
func (r *Redactor) forget(d dict, all *letters) {
	if len(all.kept) == 0 && d["CharProcs"] != nil {
		d["CharProcs"] = dict{}
	}
	encoding := r.f.Dict(d["Encoding"]).Clone()
	var left array
	used, code, next := map[name]bool{}, 0, -1
	for _, v := range r.f.Array(encoding["Differences"]) {
		v = r.f.Resolve(v)
		n, isName := v.(name)
		if !isName {
			n, _ := object.Int(v)
			code = int(n)
			continue
		}
		if code < 0 || code > 255 || !all.removed[string([]byte{byte(code)})] {
			if next != code {
				left = append(left, code)
			}
			left, used[n], next = append(left, n), true, code+1
		}
		code++
	}
	if encoding["Differences"] == nil {
		return
	}
	encoding["Differences"] = left
	d["Encoding"] = encoding
	if procs := r.f.Dict(d["CharProcs"]); procs != nil {
		procs = procs.Clone()
		maps.DeleteFunc(procs, func(n name, _ any) bool { return !used[n] })
		d["CharProcs"] = procs
	}
}

// texts returns a CMap with the texts of some characters.
func (r *Redactor) texts(s *reader.Stream, kept map[string]bool) ([]byte, error) {
	data, err := r.decode(s)
	if err != nil {
		return nil, err
	}
	var spaces, pairs [][]byte
	l := object.NewLexer(data, 0)
	var operands []any
	for {
		v, err := l.Next()
		if err != nil {
			break
		}
		word, ok := v.(object.Keyword)
		if !ok {
			operands = append(operands, v)
			continue
		}
		switch word {
		case "endcodespacerange":
			for ; len(operands) >= 2; operands = operands[2:] {
				spaces = append(spaces, pair(operands[0], operands[1]))
			}
		case "endbfchar":
			for ; len(operands) >= 2; operands = operands[2:] {
				if from, ok := operands[0].(object.String); ok && kept[string(from)] {
					pairs = append(pairs, pair(from, operands[1]))
				}
			}
		case "endbfrange":
			for ; len(operands) >= 3; operands = operands[3:] {
				pairs = append(pairs, ranged(operands[0], operands[1], operands[2], kept)...)
			}
		}
		operands = operands[:0]
	}
	slices.SortFunc(pairs, bytes.Compare)
	return cmapOf(spaces, pairs), r.f.Stop()
}

// ranged returns the texts of some of the characters of a range.
func ranged(low, high, text any, kept map[string]bool) (pairs [][]byte) {
	from, ok1 := low.(object.String)
	to, ok2 := high.(object.String)
	if !ok1 || !ok2 || len(from) != len(to) || len(from) == 0 || len(from) > 4 {
		return nil
	}
	for c := range kept {
		if len(c) != len(from) || c < string(from) || c > string(to) {
			continue
		}
		after := int(code([]byte(c)) - code(from))
		switch x := text.(type) {
		case array:
			if after < len(x) {
				pairs = append(pairs, pair(object.String(c), x[after]))
			}
		case object.String:
			if s := bytes.Clone(x); len(s) >= 2 {
				last := int(s[len(s)-2])<<8 + int(s[len(s)-1]) + after
				s[len(s)-2], s[len(s)-1] = byte(last>>8), byte(last)
				pairs = append(pairs, pair(object.String(c), object.String(s)))
			}
		}
	}
	return pairs
}

// pair returns two strings as a CMap has them.
func pair(a, b any) []byte {
	x, _ := a.(object.String)
	y, _ := b.(object.String)
	return []byte("<" + hex.EncodeToString(x) + "> <" + hex.EncodeToString(y) + ">\n")
}

// cmapOf returns a CMap with texts.
func cmapOf(spaces, pairs [][]byte) []byte {
	const most = 100 // of a block
	b := []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n")
	block := func(what string, all [][]byte) {
		for some := range slices.Chunk(all, most) {
			b = fmt.Appendf(b, "%d begin%s\n%send%s\n", len(some), what, bytes.Join(some, nil), what)
		}
	}
	block("codespacerange", spaces)
	block("bfchar", pairs)
	return append(b, "endcmap end end\n"...)
}
