package pdf_test

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
)

// patch appends an incremental update without any key.
func patch(b []byte, objects map[int]string) []byte {
	return patchFrom(b, objects, startXref(b), "")
}

func patchFrom(b []byte, objects map[int]string, prev int, trailer string) []byte {
	out := bytes.NewBuffer(bytes.Clone(b))
	offsets := map[int]int{}
	for _, n := range slices.Sorted(maps.Keys(objects)) {
		offsets[n] = out.Len()
		fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", n, objects[n])
	}
	return tableFrom(out, offsets, prev, trailer)
}

func tableFrom(out *bytes.Buffer, offsets map[int]int, prev int, trailer string) []byte {
	at := out.Len()
	out.WriteString("xref\n")
	for _, n := range slices.Sorted(maps.Keys(offsets)) {
		fmt.Fprintf(out, "%d 1\n%010d 00000 n\r\n", n, offsets[n])
	}
	if !strings.Contains(trailer, "/Root") {
		trailer += "/Root 1 0 R"
	}
	fmt.Fprintf(out, "trailer\n<</Size 500/Prev %d%s>>\nstartxref\n%d\n%%%%EOF\n", prev, trailer, at)
	return out.Bytes()
}

func startXref(b []byte) int {
	rest := b[bytes.LastIndex(b, []byte("startxref"))+len("startxref"):]
	n, err := strconv.Atoi(strings.Fields(string(rest))[0])
	if err != nil {
		panic(err)
	}
	return n
}

// newest returns the newest version of an object, in the syntax this package
// writes.
func newest(b []byte, n int) string {
	start := bytes.LastIndex(b, fmt.Appendf(nil, "\n%d 0 obj\n", n))
	body := b[start+1:]
	body = body[bytes.IndexByte(body, '\n')+1:]
	return string(body[:bytes.Index(body, []byte("\nendobj"))])
}

// number returns the object number of a field by its name in the file.
func number(t testing.TB, b []byte, field string) int {
	t.Helper()
	m := regexp.MustCompile(`\n(\d+) 0 obj\n<<[^\n]*/T \(`+field+`\)`).FindAllSubmatch(b, -1)
	if m == nil {
		t.Fatalf("no field %s", field)
	}
	n, _ := strconv.Atoi(string(m[len(m)-1][1]))
	return n
}

// halfSigned returns a file made from upload that is certified and signed by one
// of two signatories.
func halfSigned(t testing.TB, upload []byte) []byte {
	seal := signer(t).seal(t, "")
	s := twoSignatories()
	s.Certify = &seal
	c := newChain(t, upload)
	c.add(pdf.Prepare(c.base(), s))
	c.add(pdf.Sign(c.base(), alice(t)))
	return c.bytes
}

func signatures(t testing.TB, b []byte) map[string]verify.Signature {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	sigs, err := verify.Signatures(f.File)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]verify.Signature{}
	for _, s := range sigs {
		out[strings.TrimPrefix(s.Field, "paraph_")] = s
	}
	return out
}

// forbidden returns the kinds of changes that were not permitted.
func forbidden(s verify.Signature) []string {
	var out []string
	for _, u := range s.Later {
		for _, c := range u.Changes {
			if !c.Permitted && !slices.Contains(out, c.Kind) {
				out = append(out, c.Kind)
			}
		}
	}
	return out
}

func TestChangesAfterSigning(t *testing.T) {
	t.Parallel()
	signed := halfSigned(t, plain(2))
	text, date := number(t, signed, "paraph_a_text"), number(t, signed, "paraph_b_date")
	field := func(n int, old, new string) string {
		was := newest(signed, n)
		if !strings.Contains(was, old) {
			t.Fatalf("%q is not in %s", old, was)
		}
		return strings.Replace(was, old, new, 1)
	}
	annots := func(more string) string {
		return strings.Replace(newest(signed, 10), "/Annots [", "/Annots ["+more+" ", 1)
	}
	page := newest(signed, 10)
	appearance := regexp.MustCompile(`/AP <</N (\d+) 0 R`).FindStringSubmatch(newest(signed, text))
	ap, _ := strconv.Atoi(appearance[1])
	white := "<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Length 20>>\nstream\n0 0 612 792 re 1 g f\nendstream"
	for name, c := range map[string]struct {
		objects map[int]string
		company []string // violations of the certification
		alice   []string // violations of Alice's signature
	}{
		"nothing":           {map[int]string{400: "<<>>"}, nil, nil},
		"unchanged copies":  {map[int]string{10: page, text: newest(signed, text)}, nil, nil},
		"content replaced":  {map[int]string{11: "<</Length 5>>\nstream\n0 g f\nendstream"}, []string{"page_content"}, []string{"page_content"}},
		"font replaced":     {map[int]string{3: "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"}, []string{"page_content"}, []string{"page_content"}},
		"page box":          {map[int]string{10: strings.Replace(page, "/Type /Page", "/Type /Page/MediaBox[0 0 10 10]", 1)}, []string{"page"}, []string{"page"}},
		"page content ref":  {map[int]string{10: strings.Replace(page, "/Contents 11", "/Contents 13", 1)}, []string{"page_content"}, []string{"page_content"}},
		"page removed":      {map[int]string{2: "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>"}, []string{"page_tree"}, []string{"page_tree"}},
		"pages swapped":     {map[int]string{2: "<</Type/Pages/Kids[12 0 R 10 0 R]/Count 2/MediaBox[0 0 612 792]>>"}, []string{"page_tree"}, []string{"page_tree"}},
		"locked field":      {map[int]string{text: field(text, "/V <", "/V (no)/OldV <")}, []string{"field"}, []string{"form_fill", "field"}},
		"locked appearance": {map[int]string{ap: "<</Subtype/Form/BBox[0 0 1 1]/Length 0>>\nstream\n\nendstream"}, []string{"field"}, []string{"form_fill", "field"}},
		"free field":        {map[int]string{date: field(date, "/V ()", "/V (now)")}, []string{"field"}, []string{"field"}}, // shows nothing
		"field moved":       {map[int]string{date: field(date, "/Rect [", "/Rect [1 1 9 9]/OldRect [")}, []string{"field"}, []string{"field"}},
		"field read-only":   {map[int]string{date: field(date, "/Ff 0", "/Ff 1")}, nil, nil},
		"field hidden":      {map[int]string{date: field(date, "/F 4", "/F 2")}, []string{"field"}, []string{"field"}},
		"annotation": {map[int]string{
			400: "<</Type/Annot/Subtype/Square/Rect[0 0 10 10]>>", 10: annots("400 0 R"),
		}, []string{"annotation"}, []string{"annotation"}},
		"overlay": {map[int]string{
			400: "<</Type/Annot/Subtype/Stamp/Rect[0 0 612 792]/AP<</N 401 0 R>>>>", 401: white, 10: annots("400 0 R"),
		}, []string{"annotation", "overlay"}, []string{"annotation", "overlay"}},
		"field on page only": {map[int]string{
			400: "<</Type/Annot/Subtype/Widget/FT/Tx/T(new)/Rect[0 0 10 10]>>", 10: annots("400 0 R"),
		}, []string{"field"}, []string{"field"}},
		"script": {map[int]string{
			1: strings.Replace(newest(signed, 1), "<<", "<</OpenAction<</S/JavaScript/JS(app.alert)>>", 1),
		}, []string{"catalog"}, []string{"catalog"}},
		"form removed": {map[int]string{
			1: strings.Replace(newest(signed, 1), "/AcroForm", "/NoForm", 1),
		}, nil, nil}, // the signed content is reported as removed
		"store": {map[int]string{400: "<</Type/DSS>>", 1: strings.Replace(newest(signed, 1), "/DSS ", "/DSS 400 0 R/OldDSS ", 1)}, []string{"catalog"}, []string{"catalog"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := patch(signed, c.objects)
			sigs := signatures(t, b)
			if name == "form removed" {
				removed(t, sigs, "certification", "alice")
				return
			}
			for who, want := range map[string][]string{"certification": c.company, "alice": c.alice} {
				s := sigs[who]
				got := forbidden(s)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: forbidden %v, want %v; %+v", who, got, want, s.Later)
				}
				if len(s.Problems) > 0 || s.Whole || s.Sound() != (len(want) == 0) {
					t.Errorf("%s: problems %v, whole %v, sound %v", who, s.Problems, s.Whole, s.Sound())
				}
			}
		})
	}
}

// removed checks that these signatures are reported as removed.
func removed(t *testing.T, sigs map[string]verify.Signature, names ...string) {
	t.Helper()
	for _, name := range names {
		s, ok := sigs[name]
		reported := slices.ContainsFunc(s.Problems, func(p verify.Problem) bool { return p.Code == verify.ProblemRemoved })
		if !ok || s.Sound() || !reported {
			t.Errorf("%s: reported %v, problems %v", name, ok, s.Problems)
		}
	}
}

// TestRemovedSignatures removes signatures from a file.
func TestRemovedSignatures(t *testing.T) {
	t.Parallel()
	signed := halfSigned(t, plain(2))
	alice := number(t, signed, "paraph_alice")
	field := newest(signed, alice)
	value := regexp.MustCompile(`/V (\d+) 0 R`).FindStringSubmatch(field)
	signature, err := strconv.Atoi(value[1])
	if err != nil {
		t.Fatal(err)
	}
	form, err := strconv.Atoi(regexp.MustCompile(`/AcroForm (\d+) 0 R`).FindStringSubmatch(newest(signed, 1))[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, objects := range map[string]map[int]string{
		"field emptied":         {alice: strings.Replace(field, value[0], "", 1)},
		"value null":            {signature: "null"},
		"out of the form":       {form: strings.Replace(newest(signed, form), fmt.Sprintf(" %d 0 R", alice), "", 1)},
		"not a signature field": {alice: strings.Replace(field, "/FT /Sig", "/FT /Tx", 1)},
		"replaced":              {signature: strings.Replace(newest(signed, signature), "/Contents <30", "/Contents <31", 1)},
	} {
		sigs := signatures(t, patch(signed, objects))
		if name == "replaced" {
			// Its replacement has the same name; the certification reveals the
			// change.
			if sigs["certification"].Sound() {
				t.Errorf("%s: %+v", name, sigs["certification"])
			}
			continue
		}
		if name == "not a signature field" {
			if s, ok := sigs["alice"]; !ok || s.Sound() {
				t.Errorf("%s: reported %v, %+v", name, ok, s.Problems)
			}
		} else {
			removed(t, sigs, "alice")
		}
		if sigs["certification"].Sound() {
			t.Errorf("%s: the certification permits it: %+v", name, sigs["certification"].Later)
		}
	}
}

// TestContradiction covers fields whose value differs from what is shown.
func TestContradiction(t *testing.T) {
	t.Parallel()
	spec := twoSignatories()
	for i := range spec.Fields {
		if spec.Fields[i].Name == "b.date" {
			spec.Fields[i].Value = "2026-01-01"
		}
	}
	seal := signer(t).seal(t, "")
	spec.Certify = &seal
	c := newChain(t, plain(2))
	c.add(pdf.Prepare(c.base(), spec))
	c.add(pdf.Sign(c.base(), alice(t)))
	date := number(t, c.bytes, "paraph_b_date")
	field := newest(c.bytes, date)
	drawn, err := strconv.Atoi(regexp.MustCompile(`/AP <</N (\d+) 0 R`).FindStringSubmatch(field)[1])
	if err != nil {
		t.Fatal(err)
	}
	shows := func(text string) string {
		return strings.Replace(newest(c.bytes, drawn), "(2026-01-01)", "("+text+")", 1)
	}
	says := func(text string) string { return strings.Replace(field, "/V (2026-01-01)", "/V ("+text+")", 1) }
	inFont := func(text string) string {
		return regexp.MustCompile(`/Font ?<<(/\w+) \d+ 0 R`).ReplaceAllString(shows(text), "/Font<<$1 500 0 R")
	}
	const font = "<</Type/Font/Subtype/TrueType/BaseFont/Swapped/Encoding/WinAnsiEncoding/FontDescriptor<</FontFile2 501 0 R>>>>"
	program := content("", "shapes")
	for name, x := range map[string]struct {
		objects map[int]string
		sound   bool
	}{
		"both":                 {map[int]string{date: says("2026-02-02"), drawn: shows("2026-02-02")}, true},
		"only what is shown":   {map[int]string{drawn: shows("2026-02-02")}, false},
		"only the value":       {map[int]string{date: says("2026-02-02")}, false},
		"another appearance":   {map[int]string{date: strings.Replace(field, fmt.Sprintf("/N %d 0 R", drawn), "/N 400 0 R", 1), 400: shows("2026-02-02")}, false},
		"nothing is shown":     {map[int]string{drawn: shows("")}, false},
		"redrawn unchanged":    {map[int]string{drawn: strings.Replace(newest(c.bytes, drawn), "q BT", "Q BT", 1)}, true},
		"drawn with a picture": {map[int]string{drawn: strings.Replace(newest(c.bytes, drawn), "q BT", "/X Do", 1)}, false},
		"rewritten unchanged":  {map[int]string{date: field, drawn: newest(c.bytes, drawn)}, true},
		"in other shapes":      {map[int]string{drawn: inFont("2026-01-01"), 500: font, 501: program}, false},
		"both, other shapes":   {map[int]string{date: says("2026-02-02"), drawn: inFont("2026-02-02"), 500: font, 501: program}, false},
		"renamed letters":      {map[int]string{drawn: inFont("2026-01-01"), 500: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[49/nine]>>>>"}, false},
		"in pictures":          {map[int]string{drawn: inFont("2026-01-01"), 500: "<</Type/Font/Subtype/TrueType/BaseFont/Wingdings/Encoding/WinAnsiEncoding>>"}, false},
		"in expert's figures":  {map[int]string{drawn: inFont("2026-01-01"), 500: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/MacExpertEncoding>>"}, false},
		"in another's font":    {map[int]string{drawn: inFont("2026-01-01"), 500: "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Arial,Bold/Encoding/WinAnsiEncoding>>"}, true},
		"in a reader's font":   {map[int]string{drawn: inFont("2026-01-01"), 500: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}, true},
	} {
		for who, s := range signatures(t, patch(c.bytes, x.objects)) {
			if s.Sound() != x.sound {
				t.Errorf("%s: %s is sound: %v, %+v", name, who, s.Sound(), s.Later)
			}
		}
	}
}

// TestValuesDrawnAnew asks readers to draw the values of an upload's form themselves, which must not show
// anything else than what was signed.
func TestValuesDrawnAnew(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		widget string
		sound  bool
	}{
		"as shown":         {"/V(EUR 100)/F 4/AP<</N 21 0 R>>", true},
		"another value":    {"/V(EUR 999)/F 4/AP<</N 21 0 R>>", false},
		"nothing shown":    {"/V(EUR 999)/F 4", false},
		"no value":         {"/F 4", true},
		"nowhere, another": {"/V(EUR 999)/F 2", true},
	} {
		b := newBuilder()
		b.object(1, "<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R>>")
		b.object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
		b.object(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[20 0 R]>>")
		b.object(4, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
		b.object(5, "<</Fields[20 0 R]>>")
		b.object(20, "<</Type/Annot/Subtype/Widget/FT/Tx/T(price)/DA(/F 9 Tf 0 g)/Rect[100 700 200 720]"+x.widget+">>")
		b.stream(21, "/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F 4 0 R>>>>", "/Tx BMC q BT /F 9 Tf 2 2 Td (EUR 100) Tj ET Q EMC")
		c := newChain(t, b.end("/Root 1 0 R"))
		seal := signer(t).seal(t, "")
		c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{Certify: &seal}))
		asked := strings.Replace(newest(c.bytes, 5), "/SigFlags", "/NeedAppearances true/SigFlags", 1)
		for who, s := range signatures(t, patch(c.bytes, map[int]string{5: asked})) {
			if s.Sound() != x.sound {
				t.Errorf("%s: %s is sound: %v, %+v", name, who, s.Sound(), s.Later)
			}
		}
	}
}

// TestAppearancesAddedLater gives a value that readers drew themselves an appearance, which must look like
// theirs.
func TestAppearancesAddedLater(t *testing.T) {
	t.Parallel()
	signed := sealed(t, "", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/AcroForm 5 0 R>>",
		2:  "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3:  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[20 0 R 22 0 R]>>",
		4:  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		5:  "<</Fields[20 0 R 22 0 R]/SigFlags 3/DR<</Font<</F 4 0 R/G 6 0 R>>>>>>",
		6:  "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>",
		20: "<</Type/Annot/Subtype/Widget/FT/Tx/T(price)/V(EUR 100)/DA(/F 9 Tf 0 0 1 rg)/F 4/Rect[100 700 200 720]>>",
		22: "<</Type/Annot/Subtype/Widget/FT/Sig/T(theirs)/V 21 0 R/Rect[0 0 0 0]/F 132/P 3 0 R>>",
	})
	for name, x := range map[string]struct {
		draws string
		sound bool
	}{
		"as readers draw it":  {"/Tx BMC q 1 1 98 18 re W n BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET Q EMC", true},
		"another value":       {"q BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 999) Tj ET Q", false},
		"in another colour":   {"q BT /F 9 Tf 1 g 2 6 Td (EUR 100) Tj ET Q", false},
		"in another font":     {"q BT /G 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET Q", false},
		"in another size":     {"q BT /F 1 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET Q", false},
		"beside its place":    {"q BT /F 9 Tf 0 0 1 rg 2 600 Td (EUR 100) Tj ET Q", false},
		"at its end":          {"q BT /F 9 Tf 0 0 1 rg 97 6 Td (EUR 100) Tj ET Q", false},
		"enlarged":            {"q BT /F 9 Tf 0 0 1 rg 90 0 0 90 2 6 Tm (EUR 100) Tj ET Q", false},
		"drawn into a corner": {"q .1 0 0 .1 0 0 cm BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET Q", false},
		"clipped":             {"q 0 0 20 20 re W n BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET Q", false},
		"on its own colour":   {"0 0 1 rg 0 0 100 20 re f BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET", false},
		"struck out":          {"BT /F 9 Tf 0 0 1 rg 2 6 Td (EUR 100) Tj ET 0 9 m 99 9 l S", false},
		"not at all":          {"", false},
	} {
		b := patch(signed, map[int]string{
			20:  strings.Replace(newest(signed, 20), "/Rect", "/AP<</N 400 0 R>>/Rect", 1),
			400: content("/Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F 4 0 R/G 6 0 R>>>>", x.draws),
		})
		for who, s := range signatures(t, b) {
			if s.Sound() != x.sound {
				t.Errorf("%s: %s is sound: %v, %+v", name, who, s.Sound(), s.Later)
			}
		}
	}
}

// TestShadow covers uploads prepared for changes after signing ("Shadow
// Attacks", NDSS 2021).
func TestShadow(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>")
	b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	b.object(10, "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents[11 0 R 99 0 R]>>")
	hidden := b.Len()
	b.stream(11, "", "BT /F 24 Tf 72 700 Td (You pay all) Tj ET")
	b.stream(11, "", "BT /F 24 Tf 72 700 Td (You pay nothing) Tj ET")
	signed := halfSigned(t, b.end("/Root 1 0 R"))
	if s := signatures(t, signed)["alice"]; !s.Sound() || !s.Whole {
		t.Fatalf("before the attack: %+v", s)
	}
	for name, c := range map[string]struct {
		attacked []byte
		want     string
	}{
		"hide and replace": {tableFrom(bytes.NewBuffer(bytes.Clone(signed)), map[int]int{11: hidden}, startXref(signed), ""), "hidden_object"},
		"missing object":   {patch(signed, map[int]string{99: "<</Length 5>>\nstream\n0 g f\nendstream"}), "page_content"},
	} {
		s := signatures(t, c.attacked)["alice"]
		if s.Sound() || !slices.Contains(forbidden(s), c.want) {
			t.Errorf("%s: %v %+v, want %s", name, s.Problems, s.Later, c.want)
		}
	}
}

// TestTwoRoles covers objects that have both a harmless and a visible role.
func TestTwoRoles(t *testing.T) {
	t.Parallel()
	for role, entries := range map[string][2]string{
		"information":    {"", "/Info 3 0 R"},
		"metadata":       {"/Metadata 11 0 R", ""},
		"store":          {"/DSS 3 0 R", ""},
		"store parts":    {"/DSS<</Certs 12 0 R/VRI<</A 11 0 R>>>>", ""},
		"list of fields": {"/AcroForm<</Fields 12 0 R>>", ""},
		"resources":      {"/AcroForm<</Fields[]/DR 4 0 R>>", ""},
		"field":          {"/AcroForm<</Fields[11 0 R]>>", ""},
	} {
		b := newBuilder()
		b.object(1, "<</Type/Catalog/Pages 2 0 R"+entries[0]+">>")
		b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>")
		b.object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
		b.object(4, "<</Font<</F 3 0 R>>>>")
		b.object(10, "<</Type/Page/Parent 2 0 R/Resources 4 0 R/Contents 12 0 R>>")
		b.stream(11, "/FT/Tx/T(x)", "BT /F 24 Tf 72 700 Td (Text) Tj ET")
		b.object(12, "[11 0 R]")
		b.stream(13, "", "BT /F 24 Tf 72 700 Td (More) Tj ET")
		signed := halfSigned(t, b.end("/Root 1 0 R"+entries[1]))
		for what, change := range map[string]map[int]string{
			"font":     {3: "<</Type/Font/Subtype/Type1/BaseFont/Courier>>"},
			"contents": {12: "[11 0 R 13 0 R]"},
			"stream":   {11: "<</FT/Tx/T(x)/Length 3>>\nstream\n0 g\nendstream"},
			"names":    {4: "<</Font<</F 3 0 R/G 3 0 R>>>>"},
		} {
			if s := signatures(t, patch(signed, change))["certification"]; s.Sound() {
				t.Errorf("%s: changed %s passes: %+v", role, what, s.Later)
			}
		}
		complete(t, b.Bytes(), twoSignatories())
		if f, err := pdf.Open(bytes.NewReader(signed), int64(len(signed))); err != nil || f.Inspect().Err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
}

// TestForgery covers files whose signature does not cover what it appears to.
func TestForgery(t *testing.T) {
	t.Parallel()
	signed := halfSigned(t, plain(2))
	sig := signatures(t, signed)["alice"]
	r := sig.ByteRange
	edit := func(pattern, with string) []byte {
		at := regexp.MustCompile(pattern).FindAllIndex(signed, -1)
		last := at[len(at)-1]
		return slices.Concat(signed[:last[0]], []byte(with), signed[last[1]:])
	}
	same := func(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }
	rangeText := string(regexp.MustCompile(`/ByteRange \[[^\]]*\] *`).FindAll(signed[r[1]-200:r[1]], -1)[0])
	ranged := func(s string) []byte { return edit(`/ByteRange \[[^\]]*\] *`, same(s, len(rangeText))) }
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"no byte range":       {ranged("/NoRange 1"), verify.ProblemByteRange},
		"empty byte range":    {ranged("/ByteRange []"), verify.ProblemByteRange},
		"null in it":          {ranged("/ByteRange [null null]"), verify.ProblemByteRange},
		"negative":            {ranged("/ByteRange [0 -1 5 7]"), verify.ProblemByteRange},
		"not from the start":  {ranged(fmt.Sprintf("/ByteRange [9 %d %d %d]", r[1]-9, r[2], r[3])), verify.ProblemByteRange},
		"beyond the file":     {ranged(fmt.Sprintf("/ByteRange [0 %d %d %d]", r[1], r[2], r[3]+9)), verify.ProblemByteRange},
		"early end":           {ranged(fmt.Sprintf("/ByteRange [0 %d %d %d]", r[1], r[2], r[3]-60)), verify.ProblemNotRevision},
		"wide gap":            {ranged(fmt.Sprintf("/ByteRange [0 %d %d %d]", r[1]-40, r[2], r[3])), verify.ProblemGap},
		"gap after the value": {ranged(fmt.Sprintf("/ByteRange [0 %d %d %d]", r[1], r[2]+40, r[3]-40)), verify.ProblemGap},
		"no value":            {edit(`/Contents <[0-9a-f]+>`, same("/Contents <>", len("/Contents ")+int(r[2]-r[1]))), verify.ProblemContents},
		"zeros":               {edit(`/Contents <[0-9a-f]+>`, "/Contents <"+strings.Repeat("0", int(r[2]-r[1]-2))+">"), verify.ProblemContents},
		"trailing bytes":      {append(bytes.Clone(signed), "400 0 obj\n<<>>\nendobj\n"...), verify.ProblemTail},
		"body without table":  {append(bytes.Clone(signed), "11 0 obj\n<<>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n"...), verify.ProblemTail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ok := signatures(t, c.b)["alice"]
			if !ok {
				t.Fatal("the signature is not reported at all")
			}
			if s.Sound() || !slices.ContainsFunc(s.Problems, func(p verify.Problem) bool { return p.Code == c.want }) {
				t.Errorf("problems %v, want %s", s.Problems, c.want)
			}
		})
	}
}

// TestWrapping moves the signed bytes elsewhere and puts the attacker's
// signature dictionary in their place ("1 Trillion Dollar Refund", CCS 2019).
func TestWrapping(t *testing.T) {
	t.Parallel()
	signed := halfSigned(t, plain(2))
	n := regexp.MustCompile(`/V (\d+) 0 R`).FindStringSubmatch(newest(signed, number(t, signed, "paraph_alice")))
	at, _ := strconv.Atoi(n[1])
	dict := newest(signed, at)
	b := patch(signed, map[int]string{at: strings.Replace(dict, "/Reason (Test)", "/Reason (Tost)", 1)})
	got := signatures(t, b)["alice"]
	if got.Sound() {
		t.Errorf("a signature dictionary after its signed bytes passes: %+v", got)
	}
	if c := signatures(t, b)["certification"]; !slices.Contains(forbidden(c), verify.ChangeField) {
		t.Errorf("a replaced signature is permitted: %+v", c.Later)
	}
	// A newer table that omits the signed revision from its chain.
	skip := patchFrom(signed, map[int]string{11: "<</Length 0>>\nstream\n\nendstream"}, startXref(plain(2)), "")
	removed(t, signatures(t, skip), "alice")
}
