package pdf_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"paraph/app/pdf"
	"paraph/app/pdf/object"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
)

// cluttered returns an upload with a form, scripts, files, outlines and usage
// rights.
func cluttered() []byte {
	b := newBuilder()
	b.object(1, `<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R/NeedsRendering false/Perms<</UR3 6 0 R>>
/OpenAction<</S/GoTo/D[10 0 R/Fit]/Next[<</S/Launch/F(x.exe)>>]>>/AA<</WC<</S/JavaScript/JS(1)>>>>
/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(1)>>]>>/EmbeddedFiles<</Kids[30 0 R]>>/Dests<</Names[]>>>>
/Outlines 40 0 R/Collection<<>>/AF[31 0 R]>>`)
	b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>")
	b.object(5, `<</Fields[20 0 R 22 0 R 24 0 R]/NeedAppearances true/XFA[(template)50 0 R]/CO[20 0 R]
/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 0 Tf 0 g)>>`)
	b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	b.object(6, "<</Type/Sig>>")
	b.object(10, `<</Type/Page/Parent 2 0 R/AA<</O<</S/JavaScript/JS(1)>>>>
/Annots[20 0 R 23 0 R 25 0 R 26 0 R<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/A<</S/Launch/F(x)>>>>]>>`)
	b.object(20, "<</Type/Annot/Subtype/Widget/FT/Tx/T(given)/Rect[10 10 110 30]/DA(/Helv 9 Tf)/AA<</K<</S/JavaScript/JS(1)>>>>/TU(Given name)>>")
	b.object(22, "<</T(group)/Kids[23 0 R]>>")
	b.object(23, "<</Parent 22 0 R/Type/Annot/Subtype/Widget/FT/Btn/T(tick)/Rect[10 50 20 60]/AP<</N<</On 29 0 R/Off 29 0 R>>>>/AS/Off>>")
	b.object(24, "<</FT/Ch/Ff 131072/T(pick)/Opt[(a)[(b)(Bee)]]/V(a)/Kids[25 0 R]>>")
	b.object(25, "<</Parent 24 0 R/Type/Annot/Subtype/Widget/Rect[10 70 110 90]>>")
	b.object(26, "<</Type/Annot/Subtype/FileAttachment/FS 31 0 R/Rect[0 0 5 5]>>")
	b.stream(29, "/Subtype/Form/BBox[0 0 10 10]", "")
	b.object(30, "<</Names[(old.txt)31 0 R]/Limits[(old.txt)(old.txt)]>>")
	b.object(31, "<</Type/Filespec/F(old.txt)/EF<</F 32 0 R>>>>")
	b.stream(32, "/Type/EmbeddedFile", "old")
	b.object(40, "<</First 41 0 R>>")
	b.object(41, "<</Title(x)/A<</S/JavaScript/JS(1)>>/Parent 40 0 R>>")
	b.stream(50, "", "<template><config/></template>")
	return b.end("/Root 1 0 R")
}

func TestInspect(t *testing.T) {
	t.Parallel()
	in := newChain(t, cluttered()).open().Inspect()
	if !in.JavaScript || !in.LaunchActions || !in.HasForm || in.XFA != pdf.XFAStatic || in.Err != nil ||
		strings.Join(in.EmbeddedFiles, ",") != "old.txt" || in.Version != "1.7" {
		t.Errorf("%+v", in)
	}
	want := []pdf.FormField{
		{Name: "given", Type: pdf.FieldText, Label: "Given name", X: 10. / 612, Y: 762. / 792, Width: 100. / 612, Height: 20. / 792},
		{Name: "group.tick", Type: pdf.FieldCheckbox, Export: "On"},
		{Name: "pick", Type: pdf.FieldSelect, Options: []string{"a", "Bee"}, Value: "a"},
	}
	if len(in.FormFields) != len(want) {
		t.Fatalf("fields %+v", in.FormFields)
	}
	for i, w := range want {
		g := in.FormFields[i]
		if g.Name != w.Name || g.Type != w.Type || g.Label != w.Label || g.Export != w.Export || g.Value != w.Value ||
			strings.Join(g.Options, ",") != strings.Join(w.Options, ",") || g.Page != 0 {
			t.Errorf("field %+v, want %+v", g, w)
		}
	}
	if f := in.FormFields[0]; f.X != want[0].X || f.Y != want[0].Y {
		t.Errorf("place %v %v", f.X, f.Y)
	}
	clean := newChain(t, plain(1)).open().Inspect()
	if clean.JavaScript || clean.LaunchActions || clean.HasForm || clean.XFA != "" || clean.EmbeddedFiles != nil ||
		strings.Join(clean.FontsNotEmbedded, ",") != "Helvetica" {
		t.Errorf("plain file: %+v", clean)
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	c := newChain(t, cluttered())
	c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{
		Fields:          []pdf.FieldSpec{{Name: "theirs", Existing: "given", Owner: "a"}},
		Signatures:      []pdf.SignatureSpec{{Name: "a", Page: -1, Locks: []string{"group.tick"}}},
		Attachments:     []pdf.Attachment{{Name: "näw.txt", MIME: "text/plain", Data: []byte("new"), Modified: time.Now(), Relationship: "Source"}},
		StripJavaScript: true, StripEmbeddedFiles: true,
	}))
	in := c.open().Inspect()
	if in.JavaScript || in.LaunchActions || in.XFA != "" || strings.Join(in.EmbeddedFiles, ",") != "näw.txt" || len(in.FormFields) != 5 {
		t.Errorf("%+v", in)
	}
	added := string(c.bytes[c.ends[0]:])
	for _, gone := range []string{"NeedAppearances", "UR3", "JavaScript", "Launch", "/XFA", "/Collection"} {
		if strings.Contains(added, gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, kept := range []string{"/Dests", "(given)", "(group.tick)"} {
		if !strings.Contains(added, kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if out, err := tool(t, "qpdf", "--list-attachments", file(t, c.bytes)); err != nil || !strings.Contains(out, "näw.txt") || strings.Contains(out, "old.txt") {
		t.Errorf("qpdf: %v %s", err, out)
	}
	c.add(pdf.Sign(c.base(), pdf.SignSpec{Field: "a", Seal: signer(t).seal(t, "A"), Values: []pdf.FieldValue{
		{Name: "given", Text: "Ada"}, {Name: "group.tick", Checked: true}, {Name: "pick", Text: "Bee"},
	}}))
	judge(t, c.bytes, 1)
	for _, f := range c.open().Inspect().FormFields {
		if want := map[string]string{"given": "Ada", "group.tick": "On", "pick": "Bee"}[f.Name]; f.Value != want {
			t.Errorf("%s is %q, want %q", f.Name, f.Value, want)
		}
	}
}

// TestKeep checks that nothing is stripped unless requested.
func TestKeep(t *testing.T) {
	t.Parallel()
	c := newChain(t, cluttered())
	c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{Attachments: []pdf.Attachment{{Name: "new.txt"}}}))
	if in := c.open().Inspect(); !in.JavaScript || !in.LaunchActions || strings.Join(in.EmbeddedFiles, ",") != "new.txt,old.txt" {
		t.Errorf("%+v", in)
	}
}

func TestDynamicXFA(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"config":    "/Fields[7 0 R]/XFA[(config)6 0 R]",
		"one part":  "/Fields[7 0 R]/XFA 6 0 R",
		"no fields": "/Fields[]/XFA[]",
	} {
		b := newBuilder()
		b.object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<<"+form+">>>>")
		b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1>>")
		b.stream(6, "", "<config><dynamicRender>required</dynamicRender></config>")
		b.object(7, "<</FT/Tx/T(a)>>")
		b.object(10, "<</Type/Page/Parent 2 0 R>>")
		c := newChain(t, b.end("/Root 1 0 R"))
		if in := c.open().Inspect(); in.XFA != pdf.XFADynamic {
			t.Errorf("%s: %q", name, in.XFA)
		}
		if _, err := pdf.Prepare(c.base(), pdf.PrepareSpec{}); !errors.Is(err, pdf.ErrDynamicXFA) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAppend appends a signature page to an upload whose page tree would
// otherwise rotate and crop it.
func TestAppend(t *testing.T) {
	t.Parallel()
	fonts := text.New()
	b := page.New(fonts, page.Info{})
	b.NewPage(page.A4Width, page.A4Height)
	b.Text(72, 72, 12, false, false, 0, 0, 0, "Signature page Ωß")
	var more bytes.Buffer
	if _, err := b.Write(&more); err != nil {
		t.Fatal(err)
	}
	c := newChain(t, sized(2, "/MediaBox[0 0 300 400]/Rotate 90/CropBox[10 10 200 200]", 0))
	seal := signer(t).seal(t, "")
	set := fonts.NewSet()
	box := text.Box{Width: 0.4 * page.A4Width, Height: 0.1 * page.A4Height}
	drawn := set.Text(box, text.Field{Text: "Жанна"})
	c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{
		AppendPages: &pdf.Source{Reader: bytes.NewReader(more.Bytes()), Size: int64(more.Len())},
		Fields:      []pdf.FieldSpec{{Name: "i", Type: pdf.FieldInitials, Page: 0, X: 0.1, Y: 0.1, Width: 0.2, Height: 0.1, Owner: "a"}},
		Signatures:  []pdf.SignatureSpec{{Name: "a", Page: 2, X: 0.1, Y: 0.2, Width: 0.4, Height: 0.1}},
		Certify:     &seal,
	}))
	pages := c.open().Pages()
	if len(pages) != 3 || pages[2].Rotate != 0 || pages[2].Width < 595 || pages[0].Width != 190 {
		t.Fatalf("pages %+v", pages)
	}
	c.add(pdf.Sign(c.base(), pdf.SignSpec{
		Field: "a", Appearance: drawn, Embed: set.Embed, Seal: signer(t).seal(t, "Жанна"),
		Values: []pdf.FieldValue{{Name: "i", Appearance: drawn}},
	}))
	judge(t, c.bytes, 2)
	path := file(t, c.bytes)
	if out, err := tool(t, "pdftotext", "-f", "3", path, "-"); err != nil || !strings.Contains(out, "Signature page Ωß") {
		t.Errorf("text of the appended page: %v %s", err, out)
	}
	if s := mupdfHistory(t, path); s != "0" {
		t.Errorf("mupdf finds changes that are not permitted: %s", s)
	}
	if out, err := tool(t, "pdffonts", path); err != nil || strings.Contains(out, " no  yes") {
		t.Errorf("pdffonts: %v %s", err, out)
	}
}

// mupdfHistory returns mupdf's verdict on whether only permitted changes
// followed the certification; 0 means yes.
func mupdfHistory(t *testing.T, path string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "history.js")
	if err := os.WriteFile(script, []byte("print('history', new PDFDocument(scriptArgs[0]).validateChangeHistory())"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := tool(t, "mutool", "run", script, path)
	if err != nil {
		t.Fatal(err, out)
	}
	return regexp.MustCompile(`history (\d+)`).FindStringSubmatch(out)[1]
}

func TestMupdfHistory(t *testing.T) {
	t.Parallel()
	c := complete(t, plain(2), twoSignatories())
	for i, end := range c.ends[1:4] { // mupdf rejects any security store
		if s := mupdfHistory(t, file(t, c.bytes[:end])); s != "0" {
			t.Errorf("revision %d: %s", i+1, s)
		}
	}
}

func TestSpecFaults(t *testing.T) {
	t.Parallel()
	place := func(s pdf.FieldSpec) pdf.FieldSpec {
		if s.Width == 0 {
			s.Width, s.Height = 0.1, 0.1
		}
		return s
	}
	one := func(s ...pdf.FieldSpec) pdf.PrepareSpec {
		for i := range s {
			s[i] = place(s[i])
		}
		return pdf.PrepareSpec{Fields: s}
	}
	for name, s := range map[string]pdf.PrepareSpec{
		"no name":            one(pdf.FieldSpec{Type: pdf.FieldText}),
		"twice":              one(pdf.FieldSpec{Name: "a", Type: pdf.FieldText}, pdf.FieldSpec{Name: "a", Type: pdf.FieldText}),
		"unknown type":       one(pdf.FieldSpec{Name: "a", Type: "hologram"}),
		"no such page":       one(pdf.FieldSpec{Name: "a", Type: pdf.FieldText, Page: 7}),
		"no size":            one(pdf.FieldSpec{Name: "a", Type: pdf.FieldText, Width: -1, Height: 1}),
		"off the page":       one(pdf.FieldSpec{Name: "a", Type: pdf.FieldText, X: 3}),
		"no Helvetica":       one(pdf.FieldSpec{Name: "a", Type: pdf.FieldText, Value: "日本"}),
		"lock of nothing":    {Signatures: []pdf.SignatureSpec{{Name: "a", Page: -1, Locks: []string{"nothing"}}}},
		"reserved timestamp": one(pdf.FieldSpec{Name: "timestamp", Type: pdf.FieldText}),
		"no function":        {Certify: &pdf.Seal{}},
	} {
		if _, err := pdf.Prepare(newChain(t, plain(1)).base(), s); !errors.Is(err, pdf.ErrSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSignFaults(t *testing.T) {
	t.Parallel()
	signed := newChain(t, halfSigned(t, plain(1)))
	seal := signer(t).seal(t, "X")
	value := func(v pdf.FieldValue) pdf.SignSpec {
		return pdf.SignSpec{Field: "bob", Seal: seal, Values: []pdf.FieldValue{v}}
	}
	broken := seal
	broken.Sign = func([]byte) ([]byte, error) { return nil, errBroken }
	for name, c := range map[string]struct {
		spec pdf.SignSpec
		want error
	}{
		"no such signature":  {pdf.SignSpec{Field: "carol", Seal: seal}, pdf.ErrNoField},
		"signed already":     {pdf.SignSpec{Field: "alice", Seal: seal}, pdf.ErrSigned},
		"not a signature":    {pdf.SignSpec{Field: "b.date", Seal: seal}, pdf.ErrFieldType},
		"no such field":      {value(pdf.FieldValue{Name: "nothing"}), pdf.ErrNoField},
		"locked":             {value(pdf.FieldValue{Name: "a.text", Text: "x"}), pdf.ErrLocked},
		"locked radio":       {value(pdf.FieldValue{Name: "a.one", Checked: true}), pdf.ErrLocked},
		"signature as value": {value(pdf.FieldValue{Name: "bob", Text: "x"}), pdf.ErrFieldType},
		"no Helvetica":       {value(pdf.FieldValue{Name: "b.lines", Text: "日本"}), pdf.ErrSpec},
		"broken signer":      {pdf.SignSpec{Field: "bob", Seal: broken}, errBroken},
		"broken embedding":   {pdf.SignSpec{Field: "bob", Seal: seal, Embed: func(w object.Writer) { w.Add(struct{}{}) }}, object.ErrType},
	} {
		if _, err := pdf.Sign(signed.base(), c.spec); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	fresh := newChain(t, plain(1))
	spec := twoSignatories()
	fresh.add(pdf.Prepare(fresh.base(), spec))
	for name, v := range map[string]pdf.FieldValue{
		"drawn field without a drawing": {Name: "a.initials", Text: "x"},
		"radio without that choice":     {Name: "choice", Text: "drei"},
	} {
		if _, err := pdf.Sign(fresh.base(), pdf.SignSpec{Field: "alice", Seal: seal, Values: []pdf.FieldValue{v}}); !errors.Is(err, pdf.ErrFieldType) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errBroken = errors.New("broken")

// TestSmallPlace starts with too little room for the signature.
func TestSmallPlace(t *testing.T) {
	t.Parallel()
	for name, upload := range map[string][]byte{"table": plain(1), "stream": qpdf(t, plain(1), "--object-streams=generate")} {
		c := newChain(t, upload)
		seal := signer(t).seal(t, "")
		calls, inner := 0, seal.Sign
		seal.Size = 100
		seal.Sign = func(digest []byte) ([]byte, error) { calls++; return inner(digest) }
		spec := twoSignatories()
		spec.Certify = &seal
		c.add(pdf.Prepare(c.base(), spec))
		if calls != 2 {
			t.Errorf("%s: signed %d times", name, calls)
		}
		judge(t, c.bytes, 1)
		size := 0
		seal.Sign = func([]byte) ([]byte, error) { size += 1000; return make([]byte, size), nil }
		if _, err := pdf.Prepare(newChain(t, upload).base(), spec); !errors.Is(err, pdf.ErrTooLarge) {
			t.Errorf("%s: ever larger: %v", name, err)
		}
	}
}

func qpdf(t testing.TB, b []byte, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.pdf")
	if s, err := tool(t, "qpdf", append(args, file(t, b), out)...); err != nil {
		t.Fatal(err, s)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestPlainFont draws text with an embedded font instead of Helvetica.
func TestPlainFont(t *testing.T) {
	t.Parallel()
	const value = "Größe 100 € – “naïve”"
	spec := twoSignatories()
	spec.PlainFont = text.New().Simple
	spec.Fields[0].Value = value
	c := newChain(t, plain(2))
	c.add(pdf.Prepare(c.base(), spec))
	c.add(pdf.Sign(c.base(), alice(t)))
	path := file(t, c.bytes)
	fonts, err := tool(t, "pdffonts", path)
	if err != nil || !regexp.MustCompile(`NotoSans-Regular +TrueType +WinAnsi +yes yes`).MatchString(fonts) {
		t.Errorf("pdffonts (%v):\n%s", err, fonts)
	}
	if got, err := tool(t, "pdftotext", path, "-"); err != nil || !strings.Contains(got, "Übergröße") {
		t.Errorf("pdftotext (%v): %s", err, got)
	}
	c = newChain(t, plain(2))
	c.add(pdf.Prepare(c.base(), spec))
	if got, err := tool(t, "pdftotext", file(t, c.bytes), "-"); err != nil || !strings.Contains(got, value) {
		t.Errorf("pdftotext (%v): %s", err, got)
	}
}
