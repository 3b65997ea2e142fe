package search

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// maxWord is the number of bytes of a word that are indexed and searched. A cut falls between
// two runes, at the same place in the index and in the query.
const maxWord = 64

// How words are found: adjacent letters and digits, or those joined by marks such as . @ _ - '
// / without a space, form a run, like "jane.doe@example.com" or "kaufvertrag_2024-03.pdf". A
// part begins a run, follows a joining mark, or is a number after letters. The index holds the
// rest of the run from the start of every part, so that a run is found by the beginning of any
// of its parts, and as exactly as it is typed from there.
//
// Scripts without spaces between words, and Hangul, are indexed by pairs of neighbouring
// characters and by the last character alone, so that every single character begins something.

// The words are in two fields. headField has the letters, or the digits, that a word begins
// with, and the pairs; wholeField has the words that continue after that. "contract_1.pdf" to
// "contract_9999.pdf" share one head: a query of letters alone is answered from the heads,
// without reading thousands of names.

// run is a stretch of folded text: words and their joiners, or characters of a script that is
// indexed in pairs.
type run struct {
	text  []byte
	parts []int // where parts begin; empty for pairs
	pairs bool
	at    bool // contains an @, as an e-mail address does
}

// runs cuts folded text into runs. In place, it replaces all joiners except @ with a full stop.
func runs(text []byte) iter.Seq[run] {
	return func(yield func(run) bool) {
		for len(text) > 0 {
			r, size := utf8.DecodeRune(text)
			var found run
			switch classOf(r) {
			case pairClass:
				found, text = cutPairs(text)
			case wordClass, numberClass:
				found, text = cutWords(text)
			default:
				text = text[size:]
				continue
			}
			if !yield(found) {
				return
			}
		}
	}
}

func cutPairs(text []byte) (found run, rest []byte) {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if classOf(r) != pairClass {
			break
		}
		end += size
	}
	return run{text: text[:end:end], pairs: true}, text[end:]
}

func cutWords(text []byte) (found run, rest []byte) {
	end, last := 0, joinClass // end of the last word; class of the last rune
scan:
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		class := classOf(r)
		switch class {
		case wordClass, numberClass:
			if last == joinClass || class == numberClass && last == wordClass {
				found.parts = append(found.parts, i)
			}
			end = i + size
		case joinClass:
			// Two joiners in a row separate words. All are one byte long.
			if last == joinClass {
				break scan
			}
			if r != '@' {
				text[i] = '.'
			}
		default:
			break scan
		}
		last = class
		i += size
	}
	found.text = text[:end:end]
	for _, c := range found.text {
		found.at = found.at || c == '@'
	}
	return found, text[end:]
}

// indexWords returns the words under which to index a text.
func indexWords(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for r := range runs(fold(text)) {
			if r.pairs {
				if !eachPair(r.text, true, yield) {
					return
				}
				continue
			}
			for _, start := range r.parts {
				if !yield(cutWord(r.text[start:])) {
					return
				}
			}
		}
	}
}

// headOf returns the letters, or the digits, or the pair, that a word begins with.
func headOf(word []byte) []byte {
	first := breakClass
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		class := classOf(r)
		if i == 0 {
			first = class
		}
		if class != first {
			return word[:i]
		}
		i += size
	}
	return word
}

// eachPair yields all pairs of neighbouring runes, and the last rune if last is set or it is
// the only one.
func eachPair(text []byte, last bool, yield func([]byte) bool) bool {
	_, size := utf8.DecodeRune(text)
	start, middle := 0, size
	for middle < len(text) {
		_, size = utf8.DecodeRune(text[middle:])
		if !yield(text[start : middle+size]) {
			return false
		}
		start, middle = middle, middle+size
	}
	if last || start == 0 {
		return yield(text[start:])
	}
	return true
}

func cutWord(word []byte) []byte {
	if len(word) <= maxWord {
		return word
	}
	n := maxWord
	for n > 0 && !utf8.RuneStart(word[n]) {
		n--
	}
	return word[:n]
}

// class is the role of a rune in a text.
type class int

const (
	breakClass  class = iota // separates
	wordClass                // a letter or a mark
	numberClass              // a digit
	joinClass                // joins two words without a space
	pairClass                // indexed in pairs
)

// classOf classifies a rune. The scripts indexed in pairs all start above U+0E00.
func classOf(r rune) class {
	pairScripts := [...]*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}
	if r < utf8.RuneSelf {
		return asciiClass(byte(r))
	}
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		if r >= 0x0e00 && (unicode.In(r, pairScripts[:]...) || r == 'ー') {
			return pairClass
		}
		return wordClass
	case unicode.Is(unicode.N, r):
		return numberClass
	case unicode.Is(unicode.So, r):
		return pairClass
	}
	return breakClass
}

func asciiClass(c byte) class {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		return wordClass
	case '0' <= c && c <= '9':
		return numberClass
	}
	switch c {
	case '.', '@', '_', '-', '\'', '/', '&', '+', '\\', ':', '#', '~', '=', '%':
		return joinClass
	}
	return breakClass
}
