// Package sheet reads and writes tables as CSV, in the forms that spreadsheets save: several
// encodings and separators, with cells that a spreadsheet might run as formulas guarded.
package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"paraph/app/fault"
)

// Encoding names how the text of a file is encoded.
type Encoding string

// The encodings that spreadsheets use.
const (
	UTF8        Encoding = "utf-8"
	UTF8Mark    Encoding = "utf-8-bom" // with a byte order mark
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// codec returns the encoding that implements e, always with its byte order mark.
func (e Encoding) codec() encoding.Encoding {
	switch e {
	case UTF8Mark:
		return unicode.UTF8BOM
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case Windows1252:
		return charmap.Windows1252
	}
	return unicode.UTF8
}

// Form is how a file is written.
type Form struct {
	Encoding  Encoding
	Separator string // one of comma, semicolon and tab
}

// Standard is the form of files that we write first: one that every spreadsheet opens.
func Standard() Form { return Form{Encoding: UTF8Mark, Separator: ","} }

// Row is one row of a file and the line it starts on.
type Row struct {
	Line  int
	Cells []string
}

// Table is a file that was read. Blank rows are left out.
type Table struct {
	Form     Form
	Headings []string
	Rows     []Row
}

// Limits bound the files that are read. Zero means no limit.
type Limits struct{ Bytes, Rows int }

// Limits of every file. Cells take far more memory than the separators between them.
const (
	maxCells   = 2_000_000 // of a file
	maxColumns = 2_000
)

// ErrTooManyRows reports a file with more rows than the limit.
var ErrTooManyRows = errors.New("sheet: too many rows")

// Read reads a whole file, which must have a heading.
func Read(body io.Reader, limits Limits) (Table, error) {
	b, err := io.ReadAll(io.LimitReader(body, int64(limits.Bytes)+1))
	if err != nil {
		return Table{}, fault.Malformed("import_unreadable").Because(err)
	}
	if len(b) > limits.Bytes {
		return Table{}, fault.TooLarge("import_too_large", fault.Number("limit", limits.Bytes>>20))
	}
	return parse(b, limits.Rows)
}

func parse(b []byte, most int) (Table, error) {
	t := Table{Form: Form{Encoding: encodingOf(b)}}
	text, err := t.Form.Encoding.codec().NewDecoder().Bytes(b)
	if err != nil || !utf8.Valid(text) {
		return Table{}, fault.Malformed("import_not_text").Because(err)
	}
	if !bytes.ContainsRune(text, '\n') { // as older spreadsheets of the Macintosh end lines
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	text, skipped := t.Form.separate(text)
	if bytes.Count(text, []byte(t.Form.Separator)) > maxCells {
		return Table{}, fault.TooLarge("too_many_values", fault.Number("limit", maxCells))
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = t.Form.comma(), -1, true, t.Form.Separator != "\t"
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Table{}, fault.Malformed("import_unreadable").Because(err)
		}
		if len(cells) > maxColumns {
			var f fault.Fields
			f.TooMany("columns", maxColumns)
			return Table{}, f.Err()
		}
		line, _ := r.FieldPos(0)
		switch blank := !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }); {
		case blank:
		case t.Headings == nil:
			t.Headings = cells
		case len(t.Rows) == most:
			return Table{}, ErrTooManyRows
		default:
			t.Rows = append(t.Rows, Row{line + skipped, cells})
		}
	}
	if t.Headings == nil {
		return Table{}, fault.Malformed("import_empty")
	}
	return t, nil
}

// encodingOf recognises the encoding of a file: by its byte order mark, by the zero bytes of
// UTF-16 without one, or as the encoding of older spreadsheets if it is not UTF-8.
func encodingOf(b []byte) Encoding {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return UTF8Mark
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return UTF16LE
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return UTF16BE
	case len(b) > 1 && b[0] != 0 && b[1] == 0:
		return UTF16LE
	case len(b) > 1 && b[0] == 0 && b[1] != 0:
		return UTF16BE
	case utf8.Valid(b):
		return UTF8
	}
	return Windows1252
}

// separate finds the separator and returns the text without the line that some spreadsheets put
// first to name it, and the number of lines removed.
func (f *Form) separate(text []byte) (rest []byte, skipped int) {
	heading, rest, _ := bytes.Cut(text, []byte("\n"))
	if sign, ok := strings.CutPrefix(strings.TrimRight(string(heading), "\r"), "sep="); ok && len(sign) == 1 && strings.Contains(separators, sign) {
		f.Separator = sign
		return rest, 1
	}
	f.Separator = frequent(heading)
	return text, 0
}

const separators = ",;\t"

// frequent returns the separator that a heading contains most often outside of quotes.
func frequent(heading []byte) string {
	count, quoted := map[rune]int{}, false
	for _, r := range string(heading) {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted:
			count[r]++
		}
	}
	best := ','
	for _, sign := range separators {
		if count[sign] > count[best] {
			best = sign
		}
	}
	return string(best)
}

func (f Form) comma() rune {
	if f.Separator == "" {
		return ','
	}
	return rune(f.Separator[0])
}
