package pdf_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// elaborate returns an upload with features that viewers use besides pages:
// bookmarks, labels, output intents, colour profiles, fonts that define the
// meaning of their codes, roles of tags, annotations with states.
func elaborate() []byte {
	profile := content("/N 3", strings.Repeat("p", 128))
	return layered(map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R/OCProperties 4 0 R/Names 7 0 R/StructTreeRoot 8 0 R/Metadata 9 0 R/Outlines 30 0 R" +
			"/PageLabels 32 0 R/OutputIntents[33 0 R]/ViewerPreferences 36 0 R/Dests 37 0 R/AcroForm 39 0 R>>",
		3:  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 35 0 R/Encoding 44 0 R>>",
		6:  "<</OFF[5 0 R]/Order 45 0 R>>",
		8:  "<</Type/StructTreeRoot/K 14 0 R/ParentTree 15 0 R/ParentTreeNextKey 1/RoleMap 40 0 R/ClassMap 41 0 R>>",
		10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/StructParents 0/Annots[42 0 R 46 0 R]>>",
		13: "<</Font<</P 3 0 R/Parent 17 0 R>>/XObject<</X 16 0 R/Y 19 0 R>>/Properties<</L 5 0 R>>/ColorSpace<</C[/ICCBased 34 0 R]>>>>",
		30: "<</Type/Outlines/First 31 0 R/Last 31 0 R/Count 1>>",
		31: "<</Title(Chapter)/Parent 30 0 R/Dest[10 0 R/Fit]>>",
		32: "<</Nums[0<</S/D>>]>>",
		33: "<</Type/OutputIntent/S/GTS_PDFA1/DestOutputProfile 34 0 R>>",
		34: profile,
		35: content("", "1 beginbfchar <41> <0041> endbfchar"),
		36: "<</DisplayDocTitle true>>",
		37: "<</there[10 0 R/Fit]>>",
		39: "<</Fields[46 0 R]/DA(/Helv 0 Tf 0 g)/DR 47 0 R>>",
		40: "<</Title/P>>",
		41: "<</C<</O/Layout>>>>",
		42: "<</Type/Annot/Subtype/Stamp/Rect[300 300 400 400]/F 4/AP<</N<</A 43 0 R/B 48 0 R>>>>/AS/A>>",
		43: content("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 g"),
		44: "<</Type/Encoding/Differences[65/A]>>",
		45: "[5 0 R]",
		46: "<</Type/Annot/Subtype/Widget/FT/Tx/T(theirs)/Rect[9 9 99 29]/F 4/P 10 0 R/V(x)/MK 49 0 R>>",
		47: "<</Font<</Helv 3 0 R>>>>",
		48: content("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "1 g 0 0 9 9 re f"),
		49: "<</CA(x)>>",
	}, "")
}

// TestFurtherForgeries attacks features that viewers use besides pages, and the
// ways in which a file locates its objects.
func TestFurtherForgeries(t *testing.T) {
	t.Parallel()
	v := victim{t, complete(t, elaborate(), twoSignatories()).bytes}
	sound(t, v.bytes)
	alice, text, date := v.field("alice"), v.field("a_text"), v.field("b_date")
	script := "<</S/JavaScript/JS(app.alert)>>"
	rect := func(n int, with string) string { return v.edit(n, "/Rect [", with+"/X [") }
	for name, objects := range map[string]map[int]string{
		"script in the names":          {7: "<</EmbeddedFiles<</Names[]>>/JavaScript<</Names[(a)" + script + "]>>>>"},
		"file embedded":                {7: "<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a.exe)/EF<</F 400 0 R>>>>]>>>>", 400: content("/Type/EmbeddedFile", "x")},
		"names with another tree":      {1: v.edit(1, "/Names 7 0 R", "/Names 400 0 R"), 400: "<</Dests<</Names[(a)[12 0 R/Fit]]>>>>"},
		"script on closing":            {1: v.edit(1, "/Pages", "/AA<</WC "+script+">>/Pages")},
		"address of the document":      {1: v.edit(1, "/Pages", "/URI<</Base(http://example.org)>>/Pages")},
		"labels of pages":              {32: "<</Nums[0<</S/r/P(Annex )>>]>>"},
		"bookmark with another target": {31: "<</Title(Chapter)/Parent 30 0 R/Dest[12 0 R/Fit]>>"},
		"bookmark with a script":       {31: "<</Title(Chapter)/Parent 30 0 R/A" + script + ">>"},
		"bookmarks added":              {30: "<</Type/Outlines/First 31 0 R/Last 400 0 R/Count 2>>", 400: "<</Title(Other)/Parent 30 0 R>>"},
		"named destination":            {37: "<</there[12 0 R/Fit]>>"},
		"viewer preferences":           {36: "<</HideToolbar true/HideMenubar true>>"},
		"shown as a collection":        {1: v.edit(1, "/Pages", "/Collection<</Type/Collection/View/T/D(other.pdf)>>/Pages")},
		"output intent":                {33: "<</Type/OutputIntent/S/GTS_PDFX/DestOutputProfile 34 0 R>>"},
		"colour profile":               {34: content("/N 3", strings.Repeat("q", 128))},
		"Unicode map of a font":        {35: content("", "1 beginbfchar <41> <0042> endbfchar")},
		"encoding of a font":           {44: "<</Type/Encoding/Differences[65/B]>>"},
		"roles of tags":                {40: "<</Title/Artifact>>"},
		"classes of tags":              {41: "<</C<</O/Table>>>>"},
		"tags removed":                 {1: v.edit(1, "/StructTreeRoot 8 0 R", "")},
		"order of layers":              {45: "[]"},
		"layers unlocked":              {1: v.edit(1, "/Locked [5 0 R]", "/Locked []")},
		"layer renamed":                {5: "<</Type/OCG/Name(Visible)>>"},
		"layer shown when printed":     {5: "<</Type/OCG/Name(Hidden)/Usage<</Print<</PrintState/ON>>>>>>"},
		"state of an annotation":       {42: v.edit(42, "/AS/A", "/AS/B")},
		"drawing of a state":           {43: content("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "1 g")},
		"states exchanged":             {42: v.edit(42, "/A 43 0 R/B 48 0 R", "/A 48 0 R/B 43 0 R")},
		"an annotation is a signature": {42: v.edit(42, "/Subtype/Stamp", "/Subtype/Widget/FT/Sig/T(x)"), v.form(): v.edit(v.form(), "46 0 R", "46 0 R 42 0 R")},
		"caption of a field":           {49: "<</CA(y)>>"},
		"font of a field":              {v.form(): v.edit(v.form(), "/Helv 3 0 R", "/Helv 17 0 R")},
		"default appearance":           {v.form(): v.edit(v.form(), "/DA", "/X(y)/DA(/Helv 0 Tf 1 g)/X")},
		"order of calculation":         {v.form(): v.edit(v.form(), "/Fields", fmt.Sprintf("/CO[%d 0 R]/Fields", text))},
		"XFA in place of the form":     {v.form(): v.edit(v.form(), "/Fields", "/XFA[(template)400 0 R]/Fields"), 400: content("", "<xdp/>")},
		"signature shrunk to a point":  {alice: rect(alice, "/Rect[0 0 0 0]")},
		"signature moved a little":     {alice: rect(alice, "/Rect[10 10 200 60]")},
		"signature not printed":        {alice: v.edit(alice, "/F 4", "/F 0")},
		"signature not viewed":         {alice: v.edit(alice, "/F 4", "/F 36")},
		"signature in a hidden layer":  {alice: v.edit(alice, "/F 4", "/F 4/OC 5 0 R")},
		"signature on another page":    {alice: v.edit(alice, "/P 10 0 R", "/P 12 0 R"), 12: v.edit(12, "/Type/Page", fmt.Sprintf("/Type/Page/Annots[%d 0 R]", alice))},
		"lock of a signature":          {alice: v.edit(alice, "/FT /Sig", "/FT /Sig/Lock<</Action/Include/Fields[]>>/X null")},
		"seed value of a signature":    {alice: v.edit(alice, "/FT /Sig", "/FT /Sig/SV<</Ff 1>>/X null")},
		"a locked field":               {date: v.edit(date, "/V ", "/V(2031-01-01)/W ")},
		"a locked field's parent":      {text: v.edit(text, "/FT /Tx", "/FT /Tx/Parent 400 0 R"), 400: fmt.Sprintf("<</T(p)/V(x)/Kids[%d 0 R]>>", text)},
		"length of a locked field":     {text: v.edit(text, "/FT /Tx", "/FT /Tx/MaxLen 1/X null")},
		"tool tip of a field":          {text: v.edit(text, "/T (", "/TU(another)/T (")},
		"certification level":          {v.ref(1, "/DocMDP"): "<</Type/Sig>>"},
		"usage rights":                 {1: v.edit(1, "/Perms <<", fmt.Sprintf("/Perms <</UR3 %d 0 R", v.ref(alice, "/V")))},
		"permissions without a level":  {1: v.edit(1, "/Perms <<", "/Perms <<>>/X <<")},
		"extensions with a reference":  {1: v.edit(1, "/Extensions <<", "/Extensions <</X 11 0 R")},
		"invalid version":              {1: v.edit(1, "/Pages", "/Version/9.9/Pages")},
		"requirements":                 {1: v.edit(1, "/Pages", "/Requirements[<</S/EnableJavaScripts>>]/Pages")},
		"language":                     {1: v.edit(1, "/Pages", "/Lang(xx)/X null/Pages")},
		"web capture":                  {1: v.edit(1, "/Pages", "/SpiderInfo<</V 1>>/Pages")},
		"threads":                      {1: v.edit(1, "/Pages", "/Threads[<</F 10 0 R>>]/Pages")},
		"private data of a program":    {10: v.edit(10, "/Type /Page", "/Type /Page/PieceInfo<</X<</LastModified(D:2026)>>>>")},
		"template of a page":           {7: "<</EmbeddedFiles<</Names[]>>/Templates<</Names[(a)400 0 R]>>>>", 400: "<</Type/Template/Contents 11 0 R>>"},
		"a free-text note":             {400: "<</Type/Annot/Subtype/FreeText/Rect[9 9 99 99]/DA(/F 9 Tf)/Contents(void)>>", 10: v.onPage(400)},
		"a redaction":                  {400: "<</Type/Annot/Subtype/Redact/Rect[9 9 99 99]/OverlayText(x)>>", 10: v.onPage(400)},
		"a watermark":                  {400: "<</Type/Annot/Subtype/Watermark/Rect[9 9 99 99]/AP<</N 48 0 R>>>>", 10: v.onPage(400)},
		"a screen with media":          {400: "<</Type/Annot/Subtype/Screen/Rect[9 9 99 99]/A" + script + ">>", 10: v.onPage(400)},
		"a link":                       {400: "<</Type/Annot/Subtype/Link/Rect[9 9 99 99]/A<</S/URI/URI(http://example.org)>>>>", 10: v.onPage(400)},
		"a comment":                    {400: "<</Type/Annot/Subtype/Text/Rect[9 9 29 29]/Contents(void)>>", 10: v.onPage(400)},
		"a button":                     {400: "<</Type/Annot/Subtype/Widget/FT/Btn/Ff 65536/T(b)/Rect[9 9 29 29]/A" + script + ">>", 10: v.onPage(400), v.form(): v.adding(400)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unsound(t, v.with(objects))
		})
	}
	for name, b := range map[string][]byte{
		"encrypted later":          patchFrom(v.bytes, map[int]string{400: "<</Filter/Standard/V 1/R 2/O()/U()/P -1>>"}, startXref(v.bytes), "/Root 1 0 R/Encrypt 400 0 R"),
		"another root":             patchFrom(v.bytes, map[int]string{400: strings.Replace(v.is(1), "/Pages 2 0 R", "/Pages 401 0 R", 1), 401: "<</Type/Pages/Kids[12 0 R]/Count 1/MediaBox[0 0 612 792]>>"}, startXref(v.bytes), "/Root 400 0 R"),
		"cyclic sections":          cycle(v.bytes),
		"sections skipped":         patchFrom(v.bytes, map[int]string{11: content("", "0 g")}, startXref(v.bytes[:bytes.Index(v.bytes, []byte("%%EOF"))]), "/Root 1 0 R"),
		"objects in a stream":      shadowed(v.bytes, 11, content("", "0 g"), 2, "<</Type/Pages/Kids[12 0 R 10 0 R]/Count 2/MediaBox[0 0 612 792]>>"),
		"more after the end":       append(bytes.Clone(v.bytes), "\n11 0 obj\n<</Length 3>>\nstream\n0 g\nendstream\nendobj\n"...),
		"text after the end":       append(bytes.Clone(v.bytes), "anything at all"...),
		"another file in front":    append(append(bytes.Clone(elaborate()), '\n'), v.bytes...),
		"an object inside the gap": between(v.bytes),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unsound(t, b)
		})
	}
	for who, s := range signatures(t, v.bytes) {
		b := bytes.Clone(v.bytes)
		end := int(s.ByteRange[2])
		copy(b[end-1-2*8:], "4142434445464748") // in the padding of the signature value
		if s := signatures(t, b)[who]; s.Sound() {
			t.Errorf("%s is sound although data follows its value", who)
		}
	}
}

// cycle appends a section whose predecessors lead back to it.
func cycle(b []byte) []byte {
	return patchFrom(b, map[int]string{11: content("", "0 g")}, len(b)+len("11 0 obj\n"+content("", "0 g")+"\nendobj\n"), "/Root 1 0 R")
}

// shadowed appends an object, and another in a compressed stream, both listed
// in a cross-reference stream.
func shadowed(b []byte, n int, body string, m int, inner string) []byte {
	out := bytes.NewBuffer(bytes.Clone(b))
	plain := out.Len()
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", n, body)
	holder := out.Len()
	head := fmt.Sprintf("%d 0 ", m)
	fmt.Fprintf(out, "450 0 obj\n<</Type/ObjStm/N 1/First %d/Length %d>>\nstream\n%s%s\nendstream\nendobj\n", len(head), len(head)+len(inner), head, inner)
	at := out.Len()
	entries := map[int][]byte{
		n: entryAt(1, plain, 0), m: entryAt(2, 450, 0), 450: entryAt(1, holder, 0), 451: entryAt(1, at, 0),
	}
	var index strings.Builder
	var data []byte
	for _, k := range []int{m, n, 450, 451} {
		fmt.Fprintf(&index, "%d 1 ", k)
		data = append(data, entries[k]...)
	}
	fmt.Fprintf(out, "451 0 obj\n<</Type/XRef/W[1 4 1]/Index[%s]/Size 500/Root 1 0 R/Prev %d/Length %d>>\nstream\n%s\nendstream\nendobj\n", index.String(), startXref(b), len(data), data)
	fmt.Fprintf(out, "startxref\n%d\n%%%%EOF\n", at)
	return out.Bytes()
}

func entryAt(kind byte, at int, last byte) []byte {
	return []byte{kind, byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at), last}
}

// between inserts a revision into the gap of the last signature's byte range.
func between(b []byte) []byte {
	at := bytes.LastIndex(b, []byte("/Contents <")) + len("/Contents <")
	return slices.Insert(bytes.Clone(b), at, []byte("00>/X(\n11 0 obj\n<</Length 3>>\nstream\n0 g\nendstream\nendobj\n)/Y<")...)
}
