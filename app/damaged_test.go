package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// sound is a file without any fault, whose faults the test makes: two pages, a form, an information
// dictionary. The words on its pages tell whether everything is there.
func sound() []byte {
	return objectsFile(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[10 0 R]/DA(/F 0 Tf 0 g)/DR<</Font<</F 3 0 R>>>>>>>>",
		"<</Type/Pages/Kids[4 0 R 5 0 R]/Count 2>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 6 0 R/Resources<</Font<</F 3 0 R>>>>/Annots[10 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[7 0 R 8 0 R]/Resources<</Font<</F 3 0 R>>>>>>",
		textStream("First"),
		textStream("Second"),
		"<</Length 9 0 R>>stream\n"+textOf("Third", 600)+"\nendstream",
		fmt.Sprint(len(textOf("Third", 600))),
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(note)/Rect[100 500 300 520]/P 4 0 R/F 4/DA(/F 9 Tf 0 g)/V(Fourth)/AP<</N 11 0 R>>>>",
		look(200, 20, "/Tx BMC q BT /F1 9 Tf 2 5 Td (Fourth) Tj ET Q EMC"),
		"<</Title(Faults)/Producer(By hand)>>",
	)
}

func textOf(word string, y int) string {
	return fmt.Sprintf("BT /F 12 Tf 72 %d Td (%s) Tj ET", y, word)
}

func textStream(word string) string { return stream(textOf(word, 700)) }

// withTable replaces what follows the objects of a file, where nobody then is misled.
func withTable(b []byte, section func(at map[int]int, start int) string) []byte {
	body := b[:regexp.MustCompile(`[\n\r]xref[\n\r]`).FindIndex(b)[0]+1]
	return fmt.Appendf(bytes.Clone(body), "%s", section(places(body), len(body)))
}

// places returns where the objects of a file begin.
func places(b []byte) map[int]int {
	at := map[int]int{}
	for _, m := range regexp.MustCompile(`(?:^|[\n\r])(\d+) 0 obj`).FindAllSubmatchIndex(b, -1) {
		n, _ := strconv.Atoi(string(b[m[2]:m[3]])) // the pattern matches only digits
		at[n] = m[2]
	}
	return at
}

// table writes a cross-reference table.
func table(at map[int]int, entry string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for n := 1; n <= len(at); n++ {
		fmt.Fprintf(&b, entry, at[n])
	}
	return b.String()
}

const inTable = "%010d 00000 n \n"

func ending(trailer string, start int) string {
	return fmt.Sprintf("trailer\n<<%s>>\nstartxref\n%d\n%%%%EOF\n", trailer, start)
}

// retabled writes a correct table behind changed objects.
func retabled(b []byte) []byte {
	return withTable(b, func(at map[int]int, start int) string {
		return table(at, inTable) + ending(fmt.Sprintf("/Size %d/Root 1 0 R/Info 12 0 R", len(at)+1), start)
	})
}

// streamTable writes a cross-reference stream for the objects of a file, with some objects in an object
// stream.
func streamTable(b []byte, index, compressed string, entries func(at map[int]int) []byte) []byte {
	body := bytes.Clone(b[:bytes.LastIndex(b, []byte("\nxref\n"))+1])
	if compressed != "" {
		body = fmt.Appendf(body, "13 0 obj\n%s\nendobj\n", compressed)
	}
	start := len(body)
	at := places(body)
	at[14] = start
	data := entries(at)
	return fmt.Appendf(body, "14 0 obj\n<</Type/XRef/Size 20/W[1 4 2]%s/Root 1 0 R/Info 12 0 R/Length %d>>stream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", index, len(data), data, start)
}

func inUse(at map[int]int, from, to int) (out []byte) {
	for n := from; n <= to; n++ {
		o, kind := at[n], byte(1)
		if n == 0 || o == 0 {
			kind = 0
		}
		out = append(out, kind, byte(o>>24), byte(o>>16), byte(o>>8), byte(o), 0, 0)
	}
	return out
}

// faulty returns the faults that PDFs have.
func faulty() map[string][]byte {
	good := sound()
	start := bytes.LastIndex(good, []byte("\nxref\n")) + 1
	edit := func(old, with string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			panic(old + " is not in the file")
		}
		return bytes.Replace(good, []byte(old), []byte(with), 1)
	}
	mended := func(old, with string) []byte { return retabled(edit(old, with)) }
	shifted := func(by int) []byte {
		return withTable(good, func(at map[int]int, start int) string {
			for n := range at {
				at[n] += by
			}
			return table(at, inTable) + ending("/Size 13/Root 1 0 R/Info 12 0 R", start)
		})
	}
	one := func(number, place int) []byte {
		return withTable(good, func(at map[int]int, start int) string {
			at[number] = place
			return table(at, inTable) + ending("/Size 13/Root 1 0 R/Info 12 0 R", start)
		})
	}
	trailer := func(s string) []byte {
		return withTable(good, func(at map[int]int, start int) string { return table(at, inTable) + ending(s, start) })
	}
	written := func(form string) []byte {
		return withTable(good, func(at map[int]int, start int) string {
			return table(at, form) + ending("/Size 13/Root 1 0 R/Info 12 0 R", start)
		})
	}
	ends := func(s string) []byte {
		return append(bytes.Clone(good[:bytes.LastIndex(good, []byte("startxref"))]), s...)
	}
	update := func(objects string, trailer string, prev int) []byte {
		b := append(bytes.Clone(good), objects...)
		at := places(b)
		from := len(b)
		section := "xref\n"
		for n, o := range at {
			if o >= len(good) {
				section += fmt.Sprintf("%d 1\n"+inTable, n, o)
			}
		}
		return fmt.Appendf(b, "%strailer\n<<%s/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", section, trailer, prev, from)
	}
	const root = "/Size 13/Root 1 0 R/Info 12 0 R"
	newFont := "3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\n"
	at := places(good)
	inStream := func(header string, n, first int) string {
		body := header + "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
		return fmt.Sprintf("<</Type/ObjStm/N %d/First %d/Length %d>>stream\n%s\nendstream", n, first, len(body), body)
	}
	objectStream := func(compressed string, index int) []byte {
		return streamTable(good, "/Index[0 15]", compressed, func(at map[int]int) []byte {
			all := inUse(at, 0, 14)
			copy(all[3*7:], []byte{2, 0, 0, 0, 13, byte(index >> 8), byte(index)})
			return all
		})
	}
	crlf := regexp.MustCompile(`\r?\n`)
	return map[string][]byte{
		// Cross-reference tables.
		"offsets one too high":       shifted(1),
		"offsets one too low":        shifted(-1),
		"offsets ten too low":        shifted(-10),
		"page elsewhere":             one(4, at[4]+7),
		"content is another":         one(6, at[7]),
		"page is a font":             one(5, at[3]),
		"font at zero":               one(3, 0),
		"pages behind the end":       one(2, len(good)+500),
		"unused object elsewhere":    one(12, 20),
		"entries of 19 bytes":        written("%010d 00000 n\n"),
		"entries of 21 bytes":        written("%010d 00000 n \r\n"),
		"entries of nine digits":     written("%09d 00000 n  \n"),
		"entries without generation": written("%010d       n \n"),
		"entries marked free":        written("%010d 00000 f \n"),
		"table begins at one":        edit("xref\n0 13\n", "xref\n1 13\n"),
		"table begins at one, 12":    edit("xref\n0 13\n0000000000 65535 f \n", "xref\n1 12\n"),
		"table is too short":         edit("xref\n0 13\n", "xref\n0 9\n"),
		"table without a heading":    edit("xref\n0 13\n", "xref\n"),
		"heading on one line":        edit("xref\n0 13\n", "xref 0 13 "),
		"no table":                   withoutTable(good),
		"table empty":                withTable(good, func(_ map[int]int, start int) string { return "xref\n0 0\n" + ending(root, start) }),
		"first entry in use":         edit("0000000000 65535 f \n", "0000000015 00000 n \n"),
		"words in the table":         edit("xref\n0 13\n", "xref\n% made by hand\n0 13\n"),
		"the word misspelled":        edit("\nxref\n", "\nxreF\n"),
		"the word after junk":        edit("\nxref\n", "\n\x00\x00xref\n"),

		// Its end.
		"startxref missing":        ends("%%EOF\n"),
		"startxref zero":           ends("startxref\n0\n%%EOF\n"),
		"startxref behind the end": ends("startxref\n99999999\n%%EOF\n"),
		"startxref in an object":   ends(fmt.Sprintf("startxref\n%d\n%%%%EOF\n", at[4]+3)),
		"startxref a line early":   ends(fmt.Sprintf("startxref\n%d\n%%%%EOF\n", start-1)),
		"startxref one late":       ends(fmt.Sprintf("startxref\n%d\n%%%%EOF\n", start+1)),
		"no EOF":                   bytes.TrimSuffix(good, []byte("%%EOF\n")),
		"two ends":                 append(bytes.Clone(good), fmt.Sprintf("startxref\n%d\n%%%%EOF\n", start)...),
		"zeros behind the end":     append(bytes.Clone(good), make([]byte, 5000)...),
		"a page of HTML behind":    append(bytes.Clone(good), "\n<html><body>"+strings.Repeat("<p>Thank you.</p>\n", 200)+"</body></html>\n"...),
		"cut in the middle":        good[:len(good)/2],
		"cut in a stream":          good[:at[8]+30],
		"cut in the trailer":       good[:bytes.LastIndex(good, []byte("/Root"))+3],

		// The trailer.
		"trailer without an end": edit("R>>\nstartxref", "R\nstartxref"),
		"no Size":                trailer("/Root 1 0 R/Info 12 0 R"),
		"Size too small":         trailer("/Size 5/Root 1 0 R/Info 12 0 R"),
		"Size too large":         trailer("/Size 500/Root 1 0 R/Info 12 0 R"),
		"no Root":                trailer("/Size 13/Info 12 0 R"),
		"Root is nothing":        trailer("/Size 13/Root 40 0 R"),
		"Root is direct":         trailer("/Size 13/Root<</Type/Catalog/Pages 2 0 R>>"),
		"Root twice":             trailer("/Size 13/Root 3 0 R/Root 1 0 R"),
		"Info is nothing":        trailer("/Size 13/Root 1 0 R/Info 77 0 R"),
		"Encrypt is null":        trailer(root + "/Encrypt null"),
		"Encrypt is nothing":     trailer(root + "/Encrypt 44 0 R"),
		"Prev is zero":           trailer(root + "/Prev 0"),
		"Prev is behind the end": trailer(root + "/Prev 99999999"),
		"Prev is an object":      trailer(root + fmt.Sprintf("/Prev %d", at[3])),
		"Prev is a reference":    trailer(root + "/Prev 9 0 R"),

		// Revisions.
		"an update":                   update(newFont, root, start),
		"an update, Prev lost":        bytes.Replace(update(newFont, root, start), fmt.Appendf(nil, "/Prev %d", start), nil, 1),
		"an update, Prev off":         update(newFont, root, start+3),
		"an update, Prev a loop":      update(newFont, root, len(good)+len(newFont)),
		"an update, Size too small":   update("20 0 obj\n<<>>\nendobj\n"+newFont, root, start),
		"an update without a section": append(bytes.Clone(good), newFont...),

		// Hybrid files.
		"hybrid":          trailer(root + fmt.Sprintf("/XRefStm %d", start)),
		"hybrid, nowhere": trailer(root + "/XRefStm 99999"),

		// Cross-reference streams and object streams.
		"reference stream":           streamTable(good, "/Index[0 15]", "", func(at map[int]int) []byte { return inUse(at, 0, 14) }),
		"reference stream, short":    streamTable(good, "/Index[0 15]", "", func(at map[int]int) []byte { return inUse(at, 0, 9) }),
		"reference stream, from one": streamTable(good, "/Index[1 14]", "", func(at map[int]int) []byte { return inUse(at, 0, 13) }),
		"reference stream, no index": streamTable(good, "", "", func(at map[int]int) []byte { return inUse(at, 0, 14) }),
		"reference stream, off by one": streamTable(good, "/Index[0 15]", "", func(at map[int]int) []byte {
			for n := range at {
				at[n]++
			}
			return inUse(at, 0, 14)
		}),
		"reference stream, widths":   bytes.Replace(streamTable(good, "/Index[0 15]", "", func(at map[int]int) []byte { return inUse(at, 0, 14) }), []byte("/W[1 4 2]"), []byte("/W[1 2 2]"), 1),
		"object stream":              objectStream(inStream("3 0 ", 1, 4), 0),
		"object stream, hole":        objectStream(inStream("30 0 ", 1, 5), 0),
		"object stream, too many":    objectStream(inStream("3 0 ", 5, 4), 0),
		"object stream, wrong index": objectStream(inStream("3 0 ", 1, 4), 3),
		"object stream, wrong first": objectStream(inStream("3 0 ", 1, 1), 0),
		"object stream, missing":     objectStream("", 0),
		"object stream, a font":      objectStream("<</Type/Font>>", 0),

		// Headers.
		"junk in front":              append([]byte("HTTP/1.1 200 OK\r\n\r\n"), good...),
		"junk in front, table right": retabled(append([]byte("HTTP/1.1 200 OK\r\n\r\n"), good...)),
		"a line in front":            append([]byte("\n"), good...),
		"header after 900 bytes":     append(bytes.Repeat([]byte("\x00"), 900), good...),
		"no header":                  retabled(edit("%PDF-1.7\n", "")),
		"no version":                 retabled(edit("%PDF-1.7\n", "%PDF-\n")),
		"version of nobody":          retabled(edit("%PDF-1.7\n", "%PDF-9.9\n")),
		"header of PostScript":       retabled(edit("%PDF-1.7\n", "%!PS-Adobe-3.0 PDF-1.4\n")),
		"two headers":                retabled(edit("%PDF-1.7\n", "%PDF-1.3\n%PDF-1.7\n")),

		// Objects and streams.
		"endobj missing once":         mended("endobj\n4 0 obj", "\n4 0 obj"),
		"endobj missing always":       retabled(bytes.ReplaceAll(good, []byte("endobj\n"), nil)),
		"endstream missing":           mended("ET\nendstream", "ET\n"),
		"endstream misspelled":        mended("ET\nendstream", "ET\nendstrem"),
		"endstream, no line":          mended("ET\nendstream", "ET endstream"),
		"obj stuck to the number":     mended("\n3 0 obj\n", "\n3 0obj\n"),
		"Length too small":            mended("<</Length 35>>stream", "<</Length 9>>stream"),
		"Length too large":            mended("<</Length 35>>stream", "<</Length 9999>>stream"),
		"Length one less":             mended("<</Length 35>>stream", "<</Length 34>>stream"),
		"Length is nothing":           mended("<</Length 35>>stream", "<</Length 99 0 R>>stream"),
		"Length is itself":            mended("<</Length 35>>stream", "<</Length 6 0 R>>stream"),
		"stream after CR":             mended("<</Length 35>>stream\n", "<</Length 35>>stream\r"),
		"stream after blanks":         mended("<</Length 35>>stream\n", "<</Length 35>>stream  \n"),
		"CR line ends":                retabled(bytes.ReplaceAll(good, []byte("\n"), []byte("\r"))),
		"CR line ends throughout":     bytes.ReplaceAll(good, []byte("\n"), []byte("\r")),
		"CR LF, offsets kept":         crlf.ReplaceAll(good, []byte("\r\n")),
		"LF became nothing":           bytes.ReplaceAll(good, []byte("endobj\n"), []byte("endobj")),
		"a key twice":                 mended("/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 6", "/Parent 2 0 R/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 6"),
		"a dictionary without an end": mended("/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", "/BaseFont/Helvetica/Encoding/WinAnsiEncoding"),
		"an unknown word":             mended("/Producer(By hand)", "/Producer nobody"),
		"a number with two signs":     mended("/Rect[100 500 300 520]", "/Rect[100 --500 300 520]"),
		"a name with a bad code":      mended("/Producer(By hand)", "/Producer/By#0Xhand"),

		// Pages.
		"Count too high":            mended("/Count 2", "/Count 9"),
		"a page is missing":         mended("/Kids[4 0 R 5 0 R]", "/Kids[4 0 R 66 0 R 5 0 R]"),
		"a page is direct":          mended("/Kids[4 0 R 5 0 R]", "/Kids[4 0 R 5 0 R <</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>]"),
		"a page twice":              mended("/Kids[4 0 R 5 0 R]", "/Kids[4 0 R 5 0 R 5 0 R]"),
		"pages of no type":          mended("<</Type/Pages", "<<"),
		"a page of no type":         mended("<</Type/Page/Parent", "<</Parent"),
		"a page of another type":    mended("<</Type/Page/Parent", "<</Type/Paper/Parent"),
		"a page without a parent":   mended("<</Type/Page/Parent 2 0 R", "<</Type/Page"),
		"a page without a size":     mended("/MediaBox[0 0 595 842]/Contents 6", "/Contents 6"),
		"content is missing":        mended("/Contents[7 0 R 8 0 R]", "/Contents[7 0 R 70 0 R 8 0 R]"),
		"content is null":           mended("/Contents[7 0 R 8 0 R]", "/Contents[7 0 R null 8 0 R]"),
		"content is a font":         mended("/Contents[7 0 R 8 0 R]", "/Contents[7 0 R 8 0 R 3 0 R]"),
		"annotation is missing":     mended("/Annots[10 0 R]", "/Annots[10 0 R 88 0 R]"),
		"a form's field is missing": mended("/Fields[10 0 R]", "/Fields[10 0 R 77 0 R]"),
		"a form that is missing":    mended("/AcroForm<</Fields[10 0 R]/DA(/F 0 Tf 0 g)/DR<</Font<</F 3 0 R>>>>>>", "/AcroForm 99 0 R"),
	}
}

// lost are the faults by which a part of the file is lost for everybody: other programs say so.
var lost = []string{"cut in a stream", "cut in the middle", "a dictionary without an end", "obj stuck to the number"}

// beyondRepair are the faults with which a file is refused: what it consists of can't be told.
var beyondRepair = []string{
	"LF became nothing", "a page is direct", "a page is missing", "a page twice", "page elsewhere", "page is a font", "header of PostScript",
}

// TestFaultyUploads takes a file with every fault that files have through the whole product: it is refused
// when it is uploaded, with a reason, or is completed and then read by all others without a warning.
func TestFaultyUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	all := faulty()
	all["sound"] = sound()
	for name, upload := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := apptest.File{Name: "x.pdf", Content: upload}
			made := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": name, "invitations": apptest.List{guest(0)}}, file))
			if slices.Contains(beyondRepair, name) {
				understood(t, made, "x.pdf")
				return
			}
			made.Want(t, http.StatusCreated)
			sent := c.Post(t, "/documents/"+made.Text(t, "id")+"/send", apptest.Map{}).Want(t, 200)
			done := deal{}.sign(t, c, sent)
			files, _ := download(t, c, done)
			if name == "sound" && !bytes.HasPrefix(files["x.pdf"], upload) {
				t.Error("a file without a fault was rewritten")
			}
			j.withoutWarning(t, files["x.pdf"], !slices.Contains(lost, name))
		})
	}
}

// withoutWarning requires that other programs read a completed file, with one signatory, as if it had never
// had a fault.
func (j *judges) withoutWarning(t *testing.T, b []byte, whole bool) {
	t.Helper()
	path := j.file(t, b)
	j.pdfsig(t, path, 2, 0)
	if out, err := run(t, "qpdf", "--check", path); err != nil {
		t.Errorf("qpdf (%v): %s", err, tail(out, 600))
	}
	bouncyCastle(t, path, 3)
	if !whole {
		return
	}
	for _, args := range [][]string{{"pdftotext", path, "-"}, {"mutool", "draw", "-q", "-F", "text", path}} {
		out, err := run(t, args[0], args[1:]...)
		for _, usual := range []string{"warning: ICC support is not available", "warning: unknown font format"} { // our own fonts
			out = strings.ReplaceAll(out, usual, "")
		}
		if err != nil || strings.Contains(strings.ToLower(out), "error") || strings.Contains(out, "warning") {
			t.Errorf("%s (%v): %s", args[0], err, tail(out, 600))
		}
		for _, word := range []string{"First", "Second", "Third"} {
			if !strings.Contains(out, word) {
				t.Errorf("%s does not find %q: %s", args[0], word, out)
			}
		}
	}
}
