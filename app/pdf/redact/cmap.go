package redact

import (
	"cmp"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// A cmap maps the codes of strings to CIDs (ISO 32000-2 §9.7.5).
type cmap struct {
	vertical bool
	identity bool           // two bytes that are the CID
	based    bool           // on another one
	spaces   [5][]codeRange // by length in bytes
	ranges   [5][]codeRange
}

// A codeRange is a range of codes; first is the CID of its first code.
type codeRange struct {
	low, high uint32
	first     int
}

const (
	maxRanges   = 70_000 // of a CMap
	maxUseCMaps = 4      // CMaps that use another
)

// cmap reads the encoding of a composite font, nil if it is not understood.
func (r *Redactor) cmap(v any, depth int) *cmap {
	switch x := r.f.Resolve(v).(type) {
	case name:
		switch x {
		case "Identity-H", "Identity-V":
			return &cmap{identity: true, vertical: x == "Identity-V"}
		}
	case *reader.Stream:
		data, err := r.decode(x)
		if err != nil || depth > maxUseCMaps {
			return nil
		}
		m := &cmap{}
		if used := x.Dict["UseCMap"]; used != nil {
			other := r.cmap(used, depth+1)
			if other == nil || other.identity {
				return nil
			}
			*m, m.based = *other, true
		}
		if mode, ok := r.f.Int(x.Dict["WMode"]); ok {
			m.vertical = mode == 1
		}
		if !m.read(data) {
			return nil
		}
		return m
	}
	return nil
}

// read reads the definitions of a CMap and reports whether they are complete.
func (m *cmap) read(data []byte) bool {
	l := object.NewLexer(data, 0)
	var operands []any
	for range maxRanges * 4 {
		v, err := l.Next()
		if err != nil {
			return m.sorted()
		}
		word, ok := v.(object.Keyword)
		if !ok {
			operands = append(operands, v)
			continue
		}
		switch word {
		case "usecmap":
			if !m.based {
				return false
			}
		case "endcodespacerange":
			m.define(operands, 2, &m.spaces)
		case "endcidrange":
			m.define(operands, 3, &m.ranges)
		case "endcidchar":
			m.define(operands, 2, &m.ranges)
		case "def":
			if len(operands) >= 2 && operands[len(operands)-2] == any(name("WMode")) {
				mode, _ := object.Int(operands[len(operands)-1])
				m.vertical = mode == 1
			}
		}
		operands = operands[:0]
	}
	return false
}

// define adds ranges of which each has a number of operands.
func (m *cmap) define(operands []any, each int, to *[5][]codeRange) {
	m.identity = false
	for ; len(operands) >= each; operands = operands[each:] {
		low, ok := operands[0].(object.String)
		if !ok || len(low) == 0 || len(low) > 4 {
			continue
		}
		x := codeRange{low: code(low), high: code(low)}
		if high, ok := operands[1].(object.String); ok && len(high) == len(low) {
			x.high = code(high)
		}
		cid, _ := object.Int(operands[each-1])
		x.first = int(cid)
		to[len(low)] = append(to[len(low)], x)
	}
}

func code(s []byte) (n uint32) {
	for _, b := range s {
		n = n<<8 | uint32(b)
	}
	return n
}

// sorted prepares the ranges for searching and reports whether there are any codes.
func (m *cmap) sorted() bool {
	spaces := 0
	for i := range m.ranges {
		slices.SortFunc(m.ranges[i], func(a, b codeRange) int { return cmp.Compare(a.low, b.low) })
		spaces += len(m.spaces[i])
	}
	return m.identity || spaces > 0 && spaces <= 256
}

// next returns the CID and the length of the first code of a string.
func (m *cmap) next(s []byte) (cid, length int, ok bool) {
	if m.identity {
		if len(s) < 2 {
			return 0, len(s), false
		}
		return int(code(s[:2])), 2, true
	}
	for length = 1; length <= 4 && length <= len(s); length++ {
		c := code(s[:length])
		if !slices.ContainsFunc(m.spaces[length], func(x codeRange) bool { return x.has(c) }) {
			continue
		}
		all := m.ranges[length]
		i, _ := slices.BinarySearchFunc(all, c, func(x codeRange, c uint32) int {
			if x.low <= c {
				return -1
			}
			return 1
		})
		if i == 0 || all[i-1].high < c {
			return 0, length, true
		}
		return all[i-1].first + int(c-all[i-1].low), length, true
	}
	return 0, 1, false
}

// has reports whether every byte of a code is within the range.
func (x codeRange) has(c uint32) bool {
	for shift := 0; shift < 32; shift += 8 {
		if b := c >> shift & 0xFF; b < x.low>>shift&0xFF || b > x.high>>shift&0xFF {
			return false
		}
	}
	return true
}
