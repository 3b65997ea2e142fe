package sheet

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"
)

// Writer writes rows in a form. The caller has to call Close.
type Writer struct {
	csv  *csv.Writer
	text io.WriteCloser
}

// NewWriter returns a writer of a form. Characters that the encoding lacks are replaced.
func NewWriter(w io.Writer, f Form) *Writer {
	text := encoding.ReplaceUnsupported(f.Encoding.codec().NewEncoder()).Writer(w)
	out := &Writer{text: closer{text}}
	if c, ok := text.(io.WriteCloser); ok {
		out.text = c
	}
	out.csv = csv.NewWriter(out.text)
	out.csv.Comma = f.comma()
	return out
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// Write writes a row with its cells guarded; see [Guarded].
func (w *Writer) Write(cells ...string) error {
	safe := make([]string, len(cells))
	for i, c := range cells {
		safe[i] = Guarded(c)
	}
	return w.csv.Write(safe)
}

// Flush passes what was written so far on to the underlying writer.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

// Close ends the file. It leaves the underlying writer open.
func (w *Writer) Close() error { return errors.Join(w.Flush(), w.text.Close()) }

// formula reports whether a spreadsheet would run a cell as a formula. A phone number is not a
// formula.
func formula(cell string) bool {
	if cell == "" || !strings.ContainsRune("=@+-\t\r", rune(cell[0])) {
		return false
	}
	return strings.Trim(cell, "+-()/. 0123456789") != ""
}

// Guarded keeps a cell from being run as a formula; [Unguarded] reverses that.
func Guarded(cell string) string {
	if formula(cell) {
		return "'" + cell
	}
	return cell
}

// Unguarded returns a cell as it was before [Guarded].
func Unguarded(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && formula(rest) {
		return rest
	}
	return cell
}
