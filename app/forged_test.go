package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// forger tampers with a completed file.
type forger struct {
	*testing.T
	file []byte
}

// start returns where the newest cross-reference section begins.
func (f forger) start(b []byte) int {
	rest := b[bytes.LastIndex(b, []byte("startxref"))+len("startxref"):]
	n, err := strconv.Atoi(strings.Fields(string(rest))[0])
	if err != nil {
		f.Fatal(err)
	}
	return n
}

// object returns the newest version of an object outside object streams.
func (f forger) object(n int) string {
	at := bytes.LastIndex(f.file, fmt.Appendf(nil, "\n%d 0 obj", n))
	if at < 0 {
		f.Fatalf("no object %d", n)
	}
	body := f.file[at+1:]
	body = body[bytes.Index(body, []byte("obj"))+3 : bytes.Index(body, []byte("endobj"))]
	return string(body)
}

// number returns the number of the newest object that contains a text.
func (f forger) number(text string) int {
	at := bytes.LastIndex(f.file, []byte(text))
	if at < 0 {
		f.Fatalf("no object contains %q", text)
	}
	all := regexp.MustCompile(`\n(\d+) 0 obj`).FindAllSubmatch(f.file[:at], -1)
	n, err := strconv.Atoi(string(all[len(all)-1][1]))
	if err != nil {
		f.Fatal(err)
	}
	return n
}

// appearance returns the object number of a field's appearance.
func (f forger) appearance(field int) int {
	m := regexp.MustCompile(`/AP ?<</N (\d+) 0 R`).FindStringSubmatch(f.object(field))
	if m == nil {
		f.Fatalf("field %d has no appearance", field)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		f.Fatal(err)
	}
	return n
}

// update appends a revision with some objects, as any editor can.
func (f forger) update(objects map[int]string) []byte {
	return f.from(f.file, objects, f.start(f.file))
}

// from appends a revision that names a chosen one as its predecessor.
func (f forger) from(b []byte, objects map[int]string, previous int) []byte {
	out := bytes.NewBuffer(bytes.Clone(b))
	at := map[int]int{}
	for n, body := range objects {
		at[n] = out.Len() + 1
		fmt.Fprintf(out, "\n%d 0 obj\n%s\nendobj\n", n, body)
	}
	return f.table(out.Bytes(), at, previous)
}

// table appends only a cross-reference table.
func (f forger) table(b []byte, at map[int]int, previous int) []byte {
	out := bytes.NewBuffer(bytes.Clone(b))
	start := out.Len()
	out.WriteString("xref\n")
	for n, offset := range at {
		fmt.Fprintf(out, "%d 1\n%010d 00000 n \n", n, offset)
	}
	fmt.Fprintf(out, "trailer\n<</Size 2000/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", previous, start)
	return out.Bytes()
}

// TestForgedFiles verifies completed files that were tampered with: neither the
// command nor the API reports any as valid.
func TestForgedFiles(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	upload := papers("", []paper{a4, a4})
	// The page shows the second version of its content; the first is hidden.
	hidden := bytes.Index(upload, []byte("\n11 0 obj")) + 1
	shadow := forger{t, upload}.update(map[int]string{11: stream("BT /F 9 Tf 4 4 Td (You pay nothing) Tj ET")})
	d := deal{data: apptest.Map{"invitations": apptest.List{guest(0)}, "fields": apptest.List{
		apptest.Map{"type": "signature", "invitation_id": "0", "x": .1, "y": .1, "width": .3, "height": .1},
		apptest.Map{"type": "text", "invitation_id": "0", "name": "price", "x": .1, "y": .3, "width": .3, "height": .05}}},
		signs: []apptest.Map{{"fields": apptest.Map{"price": "100"}}}, files: []apptest.File{{Name: "a.pdf", Content: upload}, {Name: "shadow.pdf", Content: shadow}}}
	doc := d.complete(t, c)
	files, _ := download(t, c, doc)
	f := forger{t, files["a.pdf"]}
	field := f.number("/T (paraph_" + doc.Text(t, "fields.1.id"))
	found := extract(t, f.file, 0)
	signature, stamp := found[1], found[2]
	page := f.object(10)
	white := "<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Length 20>>stream\n0 0 595 842 re 1 g f\nendstream"
	ranges := byteRange.FindAllIndex(f.file, -1)
	replaced := func(old, with string) []byte {
		if !bytes.Contains(f.file, []byte(old)) {
			t.Fatalf("%q is not in the file", old)
		}
		return bytes.Replace(f.file, []byte(old), []byte(with), 1)
	}
	for name, forged := range map[string][]byte{
		"a byte of the upload":        flipped(f.file, bytes.Index(f.file, []byte("(Page 1)"))+6),
		"a byte of a signature":       flipped(f.file, bytes.Index(f.file, hexOf(f.file, signature))+400),
		"a byte of the timestamp":     flipped(f.file, bytes.Index(f.file, hexOf(f.file, stamp))+2*len(stamp.cms)-8),
		"a value, locked":             f.update(map[int]string{field: strings.Replace(f.object(field), "/V (", "/V (9", 1) + " "}),
		"what a field shows":          f.update(map[int]string{f.appearance(field): white}),
		"a signature taken out":       f.update(map[int]string{1: strings.Replace(f.object(1), "/AcroForm", "/NoForm", 1)}),
		"a page's content":            f.update(map[int]string{11: stream("BT /F 9 Tf 4 4 Td (Page of another) Tj ET")}),
		"a page":                      f.update(map[int]string{10: strings.Replace(page, "/Contents 11", "/Contents 13", 1)}),
		"a page left out":             f.update(map[int]string{2: "<</Type/Pages/Kids[12 0 R]/Count 1>>"}),
		"an overlay":                  f.update(map[int]string{10: strings.Replace(page, "/Annots [", "/Annots [1900 0 R ", 1), 1900: "<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 595 842]/AP<</N 1901 0 R>>>>", 1901: white}),
		"a script":                    f.update(map[int]string{1: strings.Replace(f.object(1), "<<", "<</OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>", 1)}),
		"bytes behind the end":        append(bytes.Clone(f.file), "\n900 0 obj\n<<>>\nendobj\n"...),
		"another table, one cut out":  f.from(f.file, map[int]string{11: stream("0 g")}, f.start(upload)),
		"no byte range":               slices.Concat(f.file[:ranges[1][0]], []byte("/Bytes"), f.file[ranges[1][0]+6:]),
		"a signature's claim":         replaced("/Reason (Recorded by Owner Person for Guest 0)", "/Reason (Recorded by Owner Person for Guest 9)"),
		"a signature of another file": bytes.Replace(f.file, hexOf(f.file, signature), fit(hexOf(files["shadow.pdf"], extract(t, files["shadow.pdf"], 0)[1]), hexOf(f.file, signature)), 1),
		"a shadow brought forward":    forger{t, files["shadow.pdf"]}.table(files["shadow.pdf"], map[int]int{11: hidden}, f.start(files["shadow.pdf"])),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if bytes.Equal(forged, f.file) {
				t.Fatal("the forged file equals the original")
			}
			path := filepath.Join(t.TempDir(), "forged.pdf")
			if err := os.WriteFile(path, forged, 0o600); err != nil {
				t.Fatal(err)
			}
			got := call(t, "verify", "--root", j.root, path)
			named := strings.Contains(got.out, "NOT SOUND") && strings.Contains(got.out, "problem") || strings.Contains(got.out, "no digital signature")
			if got.code != 1 || !named {
				t.Errorf("verify: exit %d: %s%s", got.code, got.out, got.err)
			}
			answer := s.Anonymous().Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: "forged.pdf", Content: forged})).Want(t, http.StatusOK)
			if answer.At(t, "sound") != false {
				t.Errorf("POST /verify: %s", answer.Body)
			}
		})
	}
	for name, b := range files {
		answer := s.Anonymous().Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: name, Content: b})).Want(t, http.StatusOK)
		if answer.At(t, "sound") != true {
			t.Errorf("%s before forging: %s", name, answer.Body)
		}
	}
}

// TestForgedForms changes what the upload's own form shows after everybody has signed: values, what is drawn for them,
// and whether readers draw them anew. No field of it was anybody's to fill in.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	d := deal{data: apptest.Map{"invitations": apptest.List{guest(0)}, "fields": apptest.List{
		apptest.Map{"type": "signature", "invitation_id": "0", "x": .1, "y": .8, "width": .3, "height": .1}}},
		signs: []apptest.Map{{}}, files: []apptest.File{{Name: "form.pdf", Content: ownForm(0)}}}
	files, _ := download(t, c, d.complete(t, c))
	f := forger{t, files["form.pdf"]}
	shows := func(text string) string { return look(200, 20, "q BT /F1 12 Tf 2 5 Td ("+text+") Tj ET Q") }
	edit := func(n int, old, with string) string {
		pattern := regexp.MustCompile(old)
		if !pattern.MatchString(f.object(n)) {
			t.Fatalf("%s is not in object %d: %s", old, n, f.object(n))
		}
		return pattern.ReplaceAllString(f.object(n), with)
	}
	for name, objects := range map[string]map[int]string{
		"a price":                       {6: edit(6, `/V ?\(EUR 100\)`, "/V(EUR 999)"), 7: shows("EUR 999")},
		"a price, not drawn":            {6: edit(6, `/V ?\(EUR 100\)`, "/V(EUR 999)")},
		"a price, only drawn":           {7: shows("EUR 999")},
		"a price, drawn elsewhere":      {6: edit(6, `/AP ?<</N 7 0 R`, "/AP<</N 1900 0 R"), 1900: shows("EUR 999")},
		"a price in other shapes":       {5: "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"},
		"a price in an attached font":   {5: "<</Type/Font/Subtype/TrueType/BaseFont/Helvetica-Bold/FontDescriptor<</FontFile2 1900 0 R>>>>", 1900: "<</Length 6>>stream\nshapes\nendstream"},
		"a price that readers draw":     {6: edit(6, `/AP ?<<[^>]*>>`, "")},
		"the other plan":                {8: edit(8, `/V ?/b`, "/V/a"), 9: edit(9, `/AS ?/Off`, "/AS/a"), 10: edit(10, `/AS ?/b`, "/AS/Off")},
		"the other plan, only shown":    {9: edit(9, `/AS ?/Off`, "/AS/a"), 10: edit(10, `/AS ?/b`, "/AS/Off")},
		"a box":                         {14: edit(14, `/AS ?/Yes`, "/AS/Off")},
		"what a box looks like":         {11: look(18, 18, "0 g")},
		"a choice":                      {15: edit(15, `/V ?\(2\)`, "/V(1)"), 16: shows("Red")},
		"an empty field filled in":      {13: edit(13, `/Rect`, "/V(NL12345678)/AP<</N 1900 0 R>>/Rect"), 1900: shows("NL12345678")},
		"an appearance without a value": {13: edit(13, `/Rect`, "/AP<</N 1900 0 R>>/Rect"), 1900: shows("NL12345678")},
		"the default of a look":         {6: edit(6, `/DA ?\([^)]*\)`, "/DA(/F1 1 Tf 1 g)")},
		"a field hidden":                {6: edit(6, `/F 4`, "/F 2")},
		"a field moved":                 {6: edit(6, `/Rect ?\[[^\]]*\]`, "/Rect[0 0 9 9]")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "forged.pdf")
			if err := os.WriteFile(path, f.update(objects), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := call(t, "verify", "--root", j.root, path); got.code != 1 || !strings.Contains(got.out, "NOT SOUND") {
				t.Errorf("verify: exit %d: %s%s", got.code, got.out, got.err)
			}
		})
	}
}

// fit pads or trims a value with zeros to the length of another.
func fit(value, like []byte) []byte {
	value = bytes.TrimRight(value, "0>")
	return append(append(bytes.Clone(value), bytes.Repeat([]byte("0"), len(like)-len(value)-1)...), '>')
}

// hexOf returns the value of a signature as written in the file.
func hexOf(file []byte, x extracted) []byte {
	all := regexp.MustCompile(`/Contents ?<[0-9a-fA-F]{200,}>`).FindAll(file, -1)
	for _, m := range all {
		if bytes.Contains(bytes.ToLower(m), fmt.Appendf(nil, "%x", x.cms[:min(len(x.cms), 2000)])) {
			return m
		}
	}
	return nil
}
