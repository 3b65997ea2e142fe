// Package linebreak tells where lines of text may break: where Unicode allows it (UAX #14), and between the words of
// languages that are written without spaces.
//
// Thai, Lao, Khmer and Burmese are divided by lists of words, into as few words as possible. What no list has, such as
// a name, stays in one piece as far as it is not made of words.
package linebreak

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/segmenter"
)

// A Part is text[Start:End], with the spaces behind it.
type Part struct{ Start, End int }

// A Finder finds the places of breaks, in one text at a time.
type Finder struct{ segments segmenter.Segmenter }

// Parts divides a text at the places where lines may break.
func (f *Finder) Parts(text []rune) []Part {
	var out []Part
	f.segments.Init(text)
	for it := f.segments.LineIterator(); it.Next(); {
		l := it.Line()
		out = atWords(out, text, Part{l.Offset, l.Offset + len(l.Text)})
	}
	return out
}

//go:embed wordlists/*.txt.gz
var wordFiles embed.FS

// A spaceless is a script without spaces between words.
type spaceless struct {
	first, last rune // of its letters and marks
	except      string
	words       func() wordList
}

func newSpaceless(file string, first, last rune, except string) spaceless {
	return spaceless{first, last, except, sync.OnceValue(func() wordList { return readWords(file) })}
}

// spacelessScripts are the scripts without spaces. Digits and punctuation are left out: where lines break around those
// is told by UAX #14.
var spacelessScripts = []spaceless{
	newSpaceless("thai", 0xE01, 0xE4E, "฿"),
	newSpaceless("lao", 0xE81, 0xECE, ""),
	newSpaceless("burmese", 0x1000, 0x103F, ""),
	newSpaceless("khmer", 0x1780, 0x17DD, "។៕៖៘៙៚៛"),
}

func (s *spaceless) has(r rune) bool {
	return r >= s.first && r <= s.last && !strings.ContainsRune(s.except, r)
}

// spacelessOf returns the script of a character, nil if it is not one without spaces.
func spacelessOf(r rune) *spaceless {
	if r < spacelessScripts[0].first || r > spacelessScripts[len(spacelessScripts)-1].last {
		return nil
	}
	for i := range spacelessScripts {
		if s := &spacelessScripts[i]; s.has(r) {
			return s
		}
	}
	return nil
}

// atWords divides a part of a text further where words of scripts without spaces begin.
func atWords(out []Part, text []rune, p Part) []Part {
	for at := p.Start; at < p.End; {
		script, end := spacelessOf(text[at]), at+1
		for ; script != nil && end < p.End && script.has(text[end]); end++ {
		}
		if script != nil {
			for _, n := range script.words().starts(text[at:end]) {
				out = append(out, Part{p.Start, at + n})
				p.Start = at + n
			}
		}
		at = end
	}
	return append(out, p)
}

// A wordList holds the words of a language, sorted by their bytes.
type wordList []string

// readWords reads an embedded list, which is part of the program.
func readWords(file string) wordList {
	packed, err := wordFiles.ReadFile("wordlists/" + file + ".txt.gz")
	if err != nil {
		panic(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Errorf("linebreak: words of %s: %w", file, err))
	}
	b, err := io.ReadAll(r)
	if err != nil {
		panic(fmt.Errorf("linebreak: words of %s: %w", file, err))
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// The costs of dividing a text: of each word, and of each syllable that is part of no word.
const (
	wordCost     = 2
	syllableCost = 5
)

// starts returns where the words of a text begin after the first, so that there are as few as possible and as much as
// possible is part of one.
func (l wordList) starts(text []rune) []int {
	type step struct {
		cost, end int
		known     bool
	}
	n := len(text)
	steps, may := make([]step, n+1), Within(text)
	for i := n - 1; i >= 0; i-- {
		if !may[i] {
			continue
		}
		end := i + 1
		for !may[end] {
			end++
		}
		best := step{steps[end].cost + syllableCost, end, false}
		l.prefixes(text[i:], func(size int) {
			// Of divisions that cost the same, the one with the longest word first is meant more often.
			if end := i + size; may[end] && steps[end].cost+wordCost <= best.cost {
				best = step{steps[end].cost + wordCost, end, true}
			}
		})
		steps[i] = best
	}
	var out []int
	for i, before := 0, true; i < n; i, before = steps[i].end, steps[i].known {
		repeats := strings.ContainsRune("ๆฯໆຯៗ", text[i]) // stands for more of the word before
		if i > 0 && (before || steps[i].known) && !repeats {
			out = append(out, i)
		}
	}
	return out
}

// prefixes calls visit with the length of every word that a text begins with, the shortest first.
func (l wordList) prefixes(text []rune, visit func(size int)) {
	prefix := ""
	for i, r := range text {
		prefix += string(r)
		from := sort.SearchStrings(l, prefix)
		l = l[from:]
		l = l[:sort.Search(len(l), func(i int) bool { return !strings.HasPrefix(l[i], prefix) })]
		if len(l) == 0 {
			return
		}
		if l[0] == prefix {
			visit(i + 1)
		}
	}
}

// Within reports for each position of a word, and for its end, whether a line can break there if the word alone is too
// wide: between characters as people see them, but neither within a stack of consonants nor between what is written
// first and the consonant that is spoken first.
func Within(text []rune) []bool {
	const (
		coeng  = '\u17d2' // Khmer: the next consonant stands below
		virama = '\u1039' // Burmese: likewise
		asat   = '\u103a' // Burmese: the consonant before ends the syllable
	)
	out := make([]bool, len(text)+1)
	out[len(text)] = true
	var it segmenter.Segmenter
	it.Init(text)
	for marks := it.GraphemeIterator(); marks.Next(); {
		g := marks.Grapheme()
		i := g.Offset
		ends := len(g.Text) > 1 && (g.Text[1] == asat || g.Text[1] == virama)
		var before rune
		if i > 0 {
			before = text[i-1]
		}
		leading := before >= 'เ' && before <= 'ไ' || before >= 'ເ' && before <= 'ໄ'
		out[i] = i == 0 || before != coeng && before != virama && !leading && !ends && !unicode.Is(unicode.M, g.Text[0])
	}
	return out
}
