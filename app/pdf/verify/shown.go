package verify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// showsValue reports whether a widget of a revision shows the value of its field, as
// far as that can be read: a font that does not identify its letters may show
// any.
func (x *fieldComparison) showsValue(f *file, w document.Widget) bool {
	fd := x.is
	if f == x.p.old {
		fd = x.was
	}
	pieces, ok := f.shown(f.Dict(w.Dict["AP"])["N"])
	if !ok {
		return false
	}
	value, shown := f.valueText(fd), strings.Join(pieces, " ")
	switch {
	case setAs(value, pieces):
		return true
	case fd.Kind == "Tx" && fd.Flags&document.FlagPassword != 0:
		return matches(nil, bare(shown))
	case fd.Kind == "Ch" && fd.Flags&document.FlagCombo == 0:
		return f.listed(fd, shown)
	case !plainScript(value):
		return sameNumbers(value, shown) && sameLetters(bare(value), bare(shown))
	}
	return matches(bare(value), bare(shown))
}

// sameShapes reports whether the text of a widget is drawn in fonts whose letters look like what they
// stand for, as far as is known: those that it was drawn in before, those that readers have themselves,
// and for a new value those that the form offers. A font in the file can draw any shape for a letter.
func (x *fieldComparison) sameShapes(was, is document.Widget, valued bool) bool {
	p := x.p
	fonts := func(f *file, w document.Widget) dict {
		if src, ok := f.Resolve(f.Dict(w.Dict["AP"])["N"]).(*reader.Stream); ok {
			return f.Dict(f.Dict(src.Dict["Resources"])["Font"])
		}
		return nil
	}
	known := []dict{fonts(p.old, was)}
	if valued {
		known = append(known, p.old.Dict(p.old.Dict(p.old.Form()["DR"])["Font"]))
	}
	for _, v := range fonts(p.new, is) {
		before := slices.ContainsFunc(known, func(d dict) bool {
			for _, o := range d {
				if p.deepEqual(o, v) {
					return true
				}
			}
			return false
		})
		if !before && !p.new.ownedByReaders(p.new.Dict(v)) {
			return false
		}
	}
	return true
}

// textFonts are how the names of fonts begin that readers draw with letters of their own, in lower case.
var textFonts = []string{"helvetica", "times", "courier", "arial", "verdana", "tahoma", "georgia", "calibri", "cambria", "liberation", "dejavu", "myriadpro", "minionpro"}

// ownedByReaders reports whether readers draw a font with one of their own, in an encoding of their own.
func (f *file) ownedByReaders(font dict) bool {
	if f.Name(font["Subtype"]) == "Type0" || f.Name(font["Subtype"]) == "Type3" {
		return false
	}
	base := string(f.Name(font["BaseFont"]))
	if _, rest, ok := strings.Cut(base, "+"); ok {
		base = rest
	}
	family := strings.ToLower(strings.NewReplacer(" ", "", "#20", "").Replace(base))
	if !slices.ContainsFunc(textFonts, func(s string) bool { return strings.HasPrefix(family, s) }) {
		return false // readers may draw it with pictures for letters, such as Wingdings
	}
	encoding := f.Name(font["Encoding"])
	if d := f.Dict(font["Encoding"]); d != nil {
		encoding = f.Name(d["BaseEncoding"])
	}
	if encoding == "MacExpertEncoding" {
		return false
	}
	descriptor := f.Dict(font["FontDescriptor"])
	for _, key := range []name{"FontFile", "FontFile2", "FontFile3"} {
		if descriptor[key] != nil {
			return false
		}
	}
	l := f.letters(font)
	return len(l.custom) == 0 && !l.opaque
}

// displays reports whether a widget has a place where it can be seen.
func (f *file) displays(w document.Widget) bool {
	const unseen = 2 | 32 // hidden, not viewed
	flags, _ := f.Int(w.Dict["F"])
	r, ok := f.Rect(w.Dict["Rect"])
	return ok && !r.Empty() && flags&unseen == 0
}

// listed reports whether a list box shows only its options.
func (f *file) listed(fd *document.Field, shown string) bool {
	var all []rune
	for _, o := range f.Array(fd.Dict["Opt"]) {
		if pair := f.Array(o); len(pair) == 2 {
			o = pair[1]
		}
		all = append(all, bare(f.Text(o))...)
	}
	seen := string(bare(shown))
	return strings.ContainsRune(seen, unknown) || strings.Contains(string(all), seen)
}

// sameLetters compares texts in scripts whose letters change shape and position
// in layout: each shown letter must occur in the value.
func sameLetters(value, shown []rune) bool {
	left := map[rune]int{}
	for _, r := range value {
		left[r]++
	}
	missing := len(value)
	for _, r := range shown {
		if r == unknown {
			continue
		}
		if left[r]--; left[r] < 0 {
			return false
		}
		missing--
	}
	return missing == 0 || slices.Contains(shown, unknown)
}

// sameNumbers reports whether two texts have the same numbers, in whatever order.
// Unlike letters, digits are never rearranged within one.
func sameNumbers(value, shown string) bool {
	if strings.ContainsRune(shown, unknown) {
		return true
	}
	inside := func(r rune) bool { return !unicode.IsNumber(r) && !strings.ContainsRune(".,٫٬", r) }
	a, b := strings.FieldsFunc(norm.NFKC.String(value), inside), strings.FieldsFunc(norm.NFKC.String(shown), inside)
	plain := func(all []string) []string {
		for i := range all {
			all[i] = strings.Trim(all[i], ".,٫٬")
		}
		all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
		slices.Sort(all)
		return all
	}
	return slices.Equal(plain(a), plain(b))
}

// valueText returns the value of a field in display form.
func (f *file) valueText(fd *document.Field) string {
	v := f.Resolve(fd.Value)
	for _, o := range f.Array(fd.Dict["Opt"]) {
		if pair := f.Array(o); len(pair) == 2 && f.Text(pair[0]) == f.Text(v) {
			return f.Text(pair[1])
		}
	}
	switch s := v.(type) {
	case object.String:
		return s.Text()
	case name:
		return string(s)
	case *reader.Stream:
		if data, err := f.Decode(s); err == nil {
			return object.String(data).Text()
		}
	case array:
		var out []string
		for _, e := range s {
			out = append(out, f.Text(e))
		}
		return strings.Join(out, " ")
	}
	return ""
}

// plainScript reports whether text is laid out letter by letter from left to
// right.
func plainScript(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han,
			unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Armenian, unicode.Georgian) {
			return false
		}
	}
	return true
}

// unknown stands for a letter that a font does not identify.
const unknown = '\uFFFD'

// bare reduces a text to the characters that carry its meaning: letters,
// digits, currency signs, and the punctuation in numbers.
func bare(s string) []rune {
	all := []rune(strings.ToLower(norm.NFKC.String(s)))
	var out []rune
	at := func(i int) rune {
		if i < 0 || i >= len(all) {
			return ' '
		}
		return all[i]
	}
	for i, r := range all {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Sc, r), r == '%', r == unknown:
		case (r == '.' || r == ',') && unicode.IsDigit(at(i-1)) && unicode.IsDigit(at(i+1)):
		case r == '-' && unicode.IsSpace(at(i-1)) && unicode.IsDigit(at(i+1)):
		default:
			continue
		}
		out = append(out, r)
	}
	return out
}

// matches compares two texts. An unknown letter matches any letter, or none.
func matches(value, shown []rune) bool {
	guess := 0
	for _, r := range shown {
		if r == unknown {
			guess++
		}
	}
	if guess == 0 {
		return string(value) == string(shown)
	}
	i := 0 // the known letters shown must occur in the value, in order
	for _, r := range shown {
		if r == unknown {
			continue
		}
		for i < len(value) && value[i] != r {
			i, guess = i+1, guess-1
		}
		if i == len(value) {
			return false
		}
		i++
	}
	return len(value)-i <= guess && guess >= 0
}

// shown reads the text that an appearance draws, a piece for each place. ok is false
// if the appearance draws anything readable other than text: pictures, other forms,
// curves, invisible text, letters that it draws itself, or areas over its text.
func (f *file) shown(appearance any) (pieces []string, ok bool) {
	src, isStream := f.Resolve(appearance).(*reader.Stream)
	if !isStream {
		return nil, appearance == nil
	}
	data, err := f.Decode(src)
	if err != nil {
		return nil, false
	}
	s := showing{f: f, fonts: f.Dict(f.Dict(src.Dict["Resources"])["Font"]), known: map[name]*letters{}, ok: true}
	s.read(data)
	s.next()
	return s.pieces, s.ok
}

// A showing extracts the text of a content stream.
type showing struct {
	f     *file
	fonts dict
	known map[name]*letters
	font  *letters
	stack array // operands
	// pieces are the texts at places that are left, out is the one at the present place.
	pieces []string
	out    strings.Builder
	ok     bool
	drew   bool // some text
}

// next begins another piece.
func (s *showing) next() {
	if s.out.Len() > 0 {
		s.pieces = append(s.pieces, s.out.String())
		s.out.Reset()
	}
}

func (s *showing) read(content []byte) {
	l := object.NewLexer(content, 0)
	for !l.AtEnd() {
		v, err := l.Next()
		if err != nil {
			return
		}
		op, isOp := v.(object.Keyword)
		if !isOp {
			if len(s.stack) < 1<<12 {
				s.stack = append(s.stack, v)
			}
			continue
		}
		s.operator(string(op))
		s.stack = s.stack[:0]
	}
}

func (s *showing) operator(op string) {
	switch op {
	case "Do", "sh", "BI", "ID", "EI", "c", "v", "y":
		s.ok = false
	case "f", "F", "f*", "B", "B*", "b", "b*": // a background comes first
		s.ok = s.ok && !s.drew
	case "Tr":
		mode, _ := object.Int(s.last())
		s.ok = s.ok && mode == 0
	case "Tf":
		if len(s.stack) >= 2 {
			n, _ := s.stack[len(s.stack)-2].(name)
			s.font = s.load(n)
			s.ok = s.ok && !s.font.drawn
		}
	case "Tj", "'", "\"":
		if op != "Tj" {
			s.next()
		}
		s.show(s.last())
	case "TJ":
		all, _ := s.last().(array)
		for _, v := range all {
			s.show(v)
		}
	case "Td", "TD", "T*", "Tm", "ET":
		s.next()
	}
}

func (s *showing) last() any {
	if len(s.stack) == 0 {
		return nil
	}
	return s.stack[len(s.stack)-1]
}

func (s *showing) show(v any) {
	b, ok := v.(object.String)
	if !ok {
		return
	}
	s.drew = s.drew || len(b) > 0
	if s.font == nil {
		s.font = &letters{width: 1}
	}
	s.font.write(&s.out, b)
}

func (s *showing) load(n name) *letters {
	if l := s.known[n]; l != nil {
		return l
	}
	l := s.f.letters(s.f.Dict(s.fonts[n]))
	s.known[n] = l
	return l
}

// letters maps the codes of a font to text.
type letters struct {
	width   int // bytes of a code
	unicode map[string]string
	custom  map[byte]bool // codes that only the font itself defines
	opaque  bool          // the meaning of all codes is unknown
	drawn   bool          // its shapes are content streams (Type 3), which can draw anything
}

func (f *file) letters(font dict) *letters {
	l := &letters{width: 1, custom: map[byte]bool{}, drawn: f.Name(font["Subtype"]) == "Type3"}
	if f.Name(font["Subtype"]) == "Type0" {
		l.width, l.opaque = 2, true
	}
	if src, ok := f.Resolve(font["ToUnicode"]).(*reader.Stream); ok {
		if data, err := f.Decode(src); err == nil {
			l.unicode, l.opaque = readCMap(data), false
		}
	}
	switch f.Name(font["BaseFont"]) {
	case "Symbol", "ZapfDingbats":
		l.opaque = true
	}
	code := int64(0)
	for _, v := range f.Array(f.Dict(font["Encoding"])["Differences"]) {
		if n, ok := object.Int(v); ok {
			code = n
			continue
		}
		if n, ok := v.(name); ok && !(len(n) == 1 && int64(n[0]) == code) && !standardName(code, n) {
			l.custom[byte(code)] = true
		}
		code++
	}
	return l
}

// standardName reports whether a glyph name has the meaning of its code in
// ASCII. The names of digits and punctuation are words.
func standardName(code int64, n name) bool {
	const digits = "zero one two three four five six seven eight nine"
	if code >= '0' && code <= '9' {
		return strings.Fields(digits)[code-'0'] == string(n)
	}
	return code < '0' && (n == "space" || n == "period" || n == "comma" || n == "hyphen")
}

// text returns what some codes stand for.
func (l *letters) text(codes object.String) string {
	var out strings.Builder
	l.write(&out, codes)
	return out.String()
}

func (l *letters) write(out *strings.Builder, b object.String) {
	if l.width == 1 && l.unicode == nil && !l.opaque && len(l.custom) == 0 {
		out.WriteString(latin(b))
		return
	}
	for ; len(b) >= l.width; b = b[l.width:] {
		code := b[:l.width]
		text, told := l.unicode[string(code)]
		switch {
		case told:
			out.WriteString(text)
		case l.opaque || l.width > 1 || l.custom[code[0]]:
			out.WriteRune(unknown)
		default:
			out.WriteString(latin(code))
		}
	}
}

// latin decodes the common encodings for Latin script, which agree on nearly
// all letters.
func latin(b object.String) string {
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
		if c >= 0x80 && c < 0xA0 {
			out[i] = unknown
		}
	}
	return string(out)
}

// readCMap reads the mapping from codes to text of a font (ISO 32000-2
// §9.10.3).
func readCMap(data []byte) map[string]string {
	out := map[string]string{}
	l := object.NewLexer(data, 0)
	var stack array
	for !l.AtEnd() && len(out) < 1<<16 {
		v, err := l.Next()
		if err != nil {
			break
		}
		op, isOp := v.(object.Keyword)
		if !isOp {
			stack = append(stack, v)
			continue
		}
		switch op {
		case "endbfchar":
			for ; len(stack) >= 2; stack = stack[2:] {
				mapRange(out, stack[0], stack[0], stack[1])
			}
		case "endbfrange":
			for ; len(stack) >= 3; stack = stack[3:] {
				mapRange(out, stack[0], stack[1], stack[2])
			}
		}
		stack = nil
	}
	return out
}

func mapRange(out map[string]string, from, to, text any) {
	a, ok1 := from.(object.String)
	b, ok2 := to.(object.String)
	if !ok1 || !ok2 || len(a) == 0 || len(a) > 2 || len(a) != len(b) {
		return
	}
	first, last := number(a), number(b)
	list, _ := text.(array)
	for n := first; n <= last; n++ {
		code := string([]byte{byte(n >> 8), byte(n)}[2-len(a):])
		if list != nil {
			if i := n - first; i < len(list) {
				s, _ := list[i].(object.String)
				out[code] = utf16Text(s, 0)
			}
			continue
		}
		s, _ := text.(object.String)
		out[code] = utf16Text(s, n-first)
	}
}

func number(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

// utf16Text decodes big-endian UTF-16 after adding more to its last unit.
func utf16Text(b []byte, more int) string {
	var units []uint16
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, uint16(number(b[:2])))
	}
	if len(b) == 1 {
		units = append(units, uint16(b[0]))
	}
	if len(units) > 0 {
		units[len(units)-1] += uint16(more)
	}
	return string(utf16.Decode(units))
}
