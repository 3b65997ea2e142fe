package redact_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/redact"
)

// build writes a PDF of numbered objects; a body that begins with > is a stream with entries before a bar.
func build(objects map[int]string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := map[int]int{}
	last := 0
	for n := range 200 {
		body, ok := objects[n]
		if !ok {
			continue
		}
		if after, isStream := strings.CutPrefix(body, ">"); isStream {
			entries, data, _ := strings.Cut(after, "|")
			body = fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data)
		}
		offsets[n], last = b.Len(), n
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, body)
	}
	at := b.Len()
	b.WriteString("xref\n0 1\n0000000000 65535 f\r\n")
	for n := range last + 1 {
		if o, ok := offsets[n]; ok {
			fmt.Fprintf(&b, "%d 1\n%010d 00000 n\r\n", n, o)
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", last+1, at)
	return b.Bytes()
}

// unicode is a ToUnicode CMap for codes that are ASCII.
func unicode(space, low, high string) string {
	return fmt.Sprintf(`>|/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange %s endcodespacerange
1 beginbfrange <%s> <%s> <0041> endbfrange endcmap end end`, space, low, high)
}

// file returns a file of two pages with fonts of all kinds. The content is that of the first page; the
// second one draws the forms that the first one may draw.
func file(content string, more map[int]string) []byte {
	objects := map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R>>",
		2:  "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 600 800]/Resources 6 0 R>>",
		3:  "<</Type/Page/Parent 2 0 R/Contents[30 0 R 31 0 R]>>",
		4:  "<</Type/Page/Parent 2 0 R/Contents 32 0 R>>",
		5:  "<</Producer(Test)>>",
		6:  "<</Font<</F 10 0 R/W 11 0 R/C 12 0 R/M 13 0 R/V 14 0 R/T 15 0 R/U 26 0 R>>/XObject<</X 40 0 R/Y 41 0 R/I 42 0 R>>/Properties<</P<</ActualText(SECRET)/MCID 1>>>>>>",
		10: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		11: "<</Type/Font/Subtype/TrueType/BaseFont/Odd/FirstChar 65/LastChar 90/Widths[" + strings.Repeat("500 700 ", 13) + "]/FontDescriptor 16 0 R/Encoding/WinAnsiEncoding>>",
		12: "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/Identity-H/DescendantFonts[17 0 R]/ToUnicode 18 0 R>>",
		13: "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding 19 0 R/DescendantFonts[17 0 R]/ToUnicode 20 0 R>>",
		14: "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/Identity-V/DescendantFonts[17 0 R]/ToUnicode 18 0 R>>",
		15: `<</Type/Font/Subtype/Type3/FontBBox[0 0 0 0]/FontMatrix[.01 0 0 .01 0 0]/Encoding<</Differences[65/A/B/C/D]>>/FirstChar 65/LastChar 68
			/Widths[60 60 60 60]/CharProcs<</A 22 0 R/B 22 0 R/C 22 0 R/D 22 0 R>>/ToUnicode 21 0 R/Resources<<>>>>`,
		16: "<</Type/FontDescriptor/FontName/Odd/Flags 32/FontBBox[0 0 1000 1000]/MissingWidth 250/Ascent 800/Descent -200/CapHeight 700/ItalicAngle 0/StemV 80>>",
		17: "<</Type/Font/Subtype/CIDFontType2/BaseFont/Wide/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600/W[65[700 300] 67 70 450]/FontDescriptor 16 0 R>>",
		18: unicode("<0000> <FFFF>", "0041", "005A"),
		19: `>/Type/CMap/CMapName/Mixed/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>|begincmap 2 begincodespacerange <00> <7F> <8000> <FFFF> endcodespacerange
1 begincidrange <41> <5A> 65 endcidrange 1 begincidchar <8041> 66 endcidchar endcmap`,
		20: strings.Replace(unicode("<00> <7F> <8000> <FFFF>", "41", "5A"), "1 beginbfrange", "1 beginbfchar <8041> <0042> endbfchar 1 beginbfrange", 1),
		21: unicode("<00> <FF>", "41", "44"),
		22: ">|60 0 0 0 60 80 d1 0 0 60 80 re f",
		26: "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/GBK-EUC-H/DescendantFonts[17 0 R]>>",
		30: ">|q 1 0 0 1 0 0 cm",
		31: ">|" + content + " Q",
		32: ">|BT /F 12 Tf 100 700 Td (SECOND) Tj ET /X Do",
		40: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources 6 0 R|BT /F 12 Tf 100 500 Td (FORM KEEP) Tj ET /Y Do",
		41: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Matrix[1 0 0 1 0 -100]|BT /F 12 Tf 100 500 Td (INNER REST) Tj ET",
		42: ">/Type/XObject/Subtype/Image/Width 4/Height 4/BitsPerComponent 8/ColorSpace/DeviceGray|ABCDEFGHIJKLMNOP",
	}
	for n, body := range more {
		objects[n] = body
	}
	return build(objects)
}

// box returns the part of a page of 600 × 800 points.
func box(left, bottom, right, top float64) pdf.Cover {
	width, height := (right-left)/600, (top-bottom)/800
	return pdf.Cover{Box: document.Box{X: left / 600, Y: 1 - top/800, Width: width, Height: height}}
}

func redacted(t *testing.T, upload []byte, words []string, regions ...pdf.Cover) []byte {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := pdf.Redact(t.Context(), &out, f, pdf.Redaction{Regions: regions, Words: words}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// run runs a program on a file and returns what it prints.
func run(t *testing.T, content []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FILE", path)
	}
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).Output()
	if err != nil {
		t.Fatalf("%v: %v %s", args, err, out)
	}
	return string(out)
}

var char = regexp.MustCompile(`<char quad="[^"]*" x="([^"]*)" y="([^"]*)".* c="([^" ]*)"`)

// characters returns the characters of the first page with their places.
func characters(t *testing.T, content []byte) (out []character) {
	t.Helper()
	page := run(t, content, "sh", "-c", "mutool draw -F stext FILE 1 || true") // which fails on broken content
	for _, m := range char.FindAllStringSubmatch(page, -1) {
		c := character{text: m[3]}
		fmt.Sscan(m[1], &c.x) //nolint:errcheck // of a known program
		fmt.Sscan(m[2], &c.y) //nolint:errcheck // of a known program
		out = append(out, c)
	}
	return out
}

type character struct {
	text string
	x, y float64
}

// at reports whether two characters are the same, but for what rounding does.
func (c character) at(o character) bool {
	return c.text == o.text && math.Abs(c.x-o.x) < 0.1 && math.Abs(c.y-o.y) < 0.1
}

func letters(chars []character) string {
	var out string
	for _, c := range chars {
		out += c.text
	}
	return out
}

// TestTextIsRemoved removes text in fonts of all kinds and checks that the rest is where it was.
func TestTextIsRemoved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content string
		region  pdf.Cover
		left    string // all letters of the page that stay
	}{
		"standard font":    {"BT /F 10 Tf 100 700 Td (KEEP) Tj 50 0 Td (GONE) Tj 50 0 Td (KEPT) Tj ET", box(150, 695, 185, 712), "KEEPKEPT"},
		"part of a string": {"BT /F 10 Tf 100 700 Td (AAABBBCCC) Tj (DDD) Tj ET", box(121, 690, 140, 712), "AAACCCDDD"},
		"spacing":          {"BT /F 10 Tf 3 Tc 7 Tw 80 Tz 100 700 Td (AA BB CC) Tj ( DD) Tj ET", box(122, 690, 141, 712), "AACCDD"},
		"kerned":           {"BT /F 10 Tf 100 700 Td [(AA) -3000 (BB) 120 (CC) -500] TJ (DD) Tj ET", box(140, 690, 156, 712), "AACCDD"},
		"lines":            {"BT /F 10 Tf 14 TL 100 700 Td (AAA) Tj (BBB) ' 2 1 (CCC) \" T* (DDD) Tj ET", box(90, 668, 200, 690), "AAADDD"},
		"turned":           {"BT /F 10 Tf 0 1 -1 0 100 100 Tm (AAABBBCCC) Tj ET", box(90, 121, 110, 140), "AAACCC"},
		"scaled":           {"q 2 0 0 2 0 0 cm BT /F 5 Tf 50 350 Td (AAABBBCCC) Tj ET Q", box(121, 690, 140, 712), "AAACCC"},
		"negative size":    {"BT /F -10 Tf -1 0 0 -1 100 700 Tm (AAABBBCCC) Tj ET", box(121, 690, 140, 712), "AAACCC"},
		"raised":           {"BT /F 10 Tf 100 700 Td (AA) Tj 20 Ts (BB) Tj 0 Ts (CC) Tj ET", box(90, 718, 200, 730), "AACC"},
		"invisible":        {"BT 3 Tr /F 10 Tf 100 700 Td (AAABBBCCC) Tj ET", box(121, 690, 140, 712), "AAACCC"},
		"own widths":       {"BT /W 10 Tf 100 700 Td (ABABCDCDEF) Tj ET", box(125, 690, 146, 712), "ABABEF"},
		"two bytes":        {"BT /C 10 Tf 100 700 Td <004100420043004400450046> Tj ET", box(111, 690, 118, 712), "ABEF"},
		"mixed bytes":      {"BT /M 10 Tf 100 700 Td <41804143> Tj (D) Tj ET", box(111, 690, 114, 712), "ABD"},
		"vertical":         {"BT /V 10 Tf 100 700 Td <00410042004300440045> Tj ET", box(90, 671, 110, 679), "ABDE"},
		"drawn":            {"BT /T 10 Tf 100 700 Td (AABBCC) Tj ET", box(113, 690, 123, 712), "AACC"},
		"form":             {"/X Do", box(90, 495, 133, 512), "KEEPINNERREST"},
		"form in a form":   {"q 1 0 0 1 0 50 cm /X Do Q", box(90, 445, 139, 462), "FORMKEEPREST"},
		"unknown font":     {"BT /U 10 Tf 100 700 Td (AAAA) Tj 0 -50 Td /F 10 Tf (BBB) Tj ET", box(300, 690, 310, 712), "BBB"},
		"missing font":     {"BT /Nix 10 Tf 100 700 Td (AAAA) Tj 0 -50 Td /F 10 Tf (BBB) Tj ET", box(300, 690, 310, 712), "BBB"},
		"broken content":   {"BT /F 10 Tf 100 700 Td (AAAA) Tj 0 -50 Td << (BBB) Tj ET", box(300, 690, 310, 712), "AAAA"},
		"nothing":          {"BT /F 10 Tf 100 700 Td (AAABBBCCC) Tj ET", box(300, 300, 310, 312), "AAABBBCCC"},
		"across streams":   {"BT /F 10 Tf 100 700 Td (AAA) Tj ET Q Q Q q BT /F 10 Tf 100 650 Td (BBB) Tj ET", box(90, 640, 200, 662), "AAA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upload := file(tt.content, nil)
			out := redacted(t, upload, nil, tt.region)
			before, after := characters(t, upload), characters(t, out)
			if got := letters(after); got != tt.left {
				t.Errorf("left: %s, want %s", got, tt.left)
			}
			for _, c := range after {
				if !slices.ContainsFunc(before, c.at) {
					t.Errorf("%v was not there; before:\n%v\nafter:\n%v", c, before, after)
				}
			}
			if got := strings.Fields(run(t, out, "pdftotext", "-f", "2", "FILE", "-")); strings.Join(got, " ") != "SECOND FORM KEEP INNER REST" {
				t.Errorf("the other page says %q", got)
			}
			run(t, out, "qpdf", "--check", "FILE")
		})
	}
}

// decoded returns everything that a file contains, with all its streams decoded.
func decoded(t *testing.T, content []byte) string {
	t.Helper()
	return run(t, content, "qpdf", "--qdf", "--object-streams=disable", "--decode-level=all", "FILE", "-")
}

// hidden is a page of which a part is removed, and what the copy lacks and has.
type hidden struct {
	content    string
	objects    map[int]string
	gone, kept []string
}

// elsewhere has what was removed outside of the content of pages.
var elsewhere = map[string]hidden{
	"names of places": {"", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/Names<</Dests<</Names[(SECRET place)[4 0 R/Fit]]>>/Templates<</Names[(SECRET)50 0 R]>>>>/Dests<</SECRET[4 0 R/Fit]>>/Outlines 51 0 R>>",
		3:  "<</Type/Page/Parent 2 0 R/Contents 31 0 R/Annots[53 0 R]>>",
		50: "<</Type/Template/Contents 54 0 R>>",
		51: "<</First 52 0 R/Last 52 0 R/Count 1>>",
		52: "<</Title(KEPT)/Parent 51 0 R/Dest/SECRET>>",
		53: "<</Type/Annot/Subtype/Link/Rect[1 1 9 9]/A<</S/GoTo/D(SECRET place)>>>>",
		54: ">|(SECRET) Tj",
	}, []string{"SECRET"}, []string{"KEPT", "/Dest ["}},
	"layers": {"/OC/L BDC BT /F 10 Tf 100 700 Td (x) Tj ET EMC /OC/L BDC 1 1 9 9 re f EMC", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[50 0 R]/D<</Name(the SECRET)/OFF[50 0 R]/Order[(SECRET)50 0 R]>>>>>>",
		6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R>>/Properties<</L 50 0 R>>>>",
		50: "<</Type/OCG/Name(A SECRET layer)/Usage<</CreatorInfo<</Creator(SECRET)/Subtype/Artwork>>>>>>",
	}, []string{"SECRET"}, []string{"/OFF"}},
	"fields above": {"", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[50 0 R]>>>>",
		3:  "<</Type/Page/Parent 2 0 R/Contents 31 0 R/Annots[51 0 R]>>",
		4:  "<</Type/Page/Parent 2 0 R/Contents 32 0 R/Annots[52 0 R]>>",
		50: "<</T(above)/FT/Tx/V(SECRET)/DV(SECRET)/RV(SECRET)/TU(the SECRET)/Kids[51 0 R 52 0 R]>>",
		51: "<</Type/Annot/Subtype/Widget/Parent 50 0 R/T(SECRET1)/Rect[100 700 150 720]/P 3 0 R>>",
		52: "<</Type/Annot/Subtype/Widget/Parent 50 0 R/T(KEPT)/Rect[100 700 150 720]/P 4 0 R/DV(SECRET)/TU(a SECRET)/TM(SECRET)>>",
	}, []string{"SECRET"}, []string{"KEPT", "(above)"}},
	"scripts": {"", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(SECRET)>>/AA<</WC<</S/JavaScript/JS 54 0 R>>>>/Names<</JavaScript<</Names[(x)<</S/JavaScript/JS(SECRET)>>]>>>>/AcroForm<</Fields[50 0 R]/CO[50 0 R]>>>>",
		4:  "<</Type/Page/Parent 2 0 R/Contents 32 0 R/AA<</O<</S/JavaScript/JS(SECRET)>>>>/Annots[50 0 R]>>",
		50: "<</Type/Annot/Subtype/Widget/FT/Tx/T(KEPT)/Rect[100 700 150 720]/P 4 0 R/AA<</F<</S/JavaScript/JS(SECRET)>>>>/A<</S/URI/URI(http://kept)/Next<</S/JavaScript/JS(SECRET)>>>>>>",
		54: ">|// SECRET",
	}, []string{"SECRET"}, []string{"KEPT"}},
	"articles": {"", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/Threads[50 0 R]>>",
		4:  "<</Type/Page/Parent 2 0 R/Contents 32 0 R/B[51 0 R]>>",
		50: "<</Type/Thread/F 51 0 R/I<</Title(SECRET)>>>>",
		51: "<</T 50 0 R/N 51 0 R/V 51 0 R/P 4 0 R/R[1 1 9 9]>>",
	}, []string{"SECRET"}, nil},
	"numbers of pages": {"", map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</P(SECRET-)/S/D>>1<</P(KEPT-)/S/D>>]>>>>",
	}, []string{"SECRET"}, []string{"(KEPT-)"}},
	"what is said of things": {"", map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/Metadata 50 0 R/Lang(en)/X(SECRET)/Legal<</Attestation(SECRET)>>/StructTreeRoot 52 0 R/MarkInfo<</Marked true>>>>",
		4:  "<</Type/Page/Parent 2 0 R/Contents 32 0 R/Metadata 51 0 R/PieceInfo<</X(SECRET)>>>>",
		5:  "<</Secretly(KEPT)/Kind(SECRET)>>",
		41: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Matrix[1 0 0 1 0 -100]/Metadata 51 0 R/PieceInfo<</X(SECRET)>>|BT /F 12 Tf 100 500 Td (INNER REST) Tj ET",
		50: ">/Type/Metadata/Subtype/XML|\xfe\xff" + "\x00S\x00E\x00C\x00R\x00E\x00T",
		51: ">/Type/Metadata/Subtype/XML|<x>SECRET</x>",
		52: "<</Type/StructTreeRoot/K 53 0 R>>",
		53: "<</S/Table/P 52 0 R/K[]/A<</O/Table/Summary(On the SECRET)>>/T(SECRET)/Alt(KEPT)>>",
	}, []string{"SECRET", "\x00S\x00E"}, []string{"INNER", "(KEPT)"}},
}

// TestNothingRemains removes a part of a page of which all that stands for it elsewhere says "secret".
func TestNothingRemains(t *testing.T) {
	t.Parallel()
	image := "/Type/XObject/Subtype/Image/Width 4/Height 4/BitsPerComponent 8/ColorSpace/DeviceGray"
	pages := "/Type/Page/Parent 2 0 R"
	tests := map[string]hidden{
		"described content": {"/Span<</ActualText(SECRET)/Lang(en)>>BDC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC /Span<</Alt(KEPT)>>BDC BT /F 10 Tf 100 600 Td (c) Tj ET EMC",
			nil, []string{"SECRET"}, []string{"KEPT", "(c)"}},
		"described in resources": {"/Span/P BDC /Span BMC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC EMC", nil, []string{"SECRET"}, nil},
		"described form":         {"/Span<</ActualText(SECRET)>>BDC q 1 0 0 1 0 300 cm /Y Do Q EMC", nil, []string{"SECRET"}, nil},
		"tags": {"/P<</MCID 0>>BDC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC /P<</MCID 1>>BDC BT /F 10 Tf 100 600 Td (c) Tj ET EMC", map[int]string{
			1:  "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 50 0 R/MarkInfo<</Marked true>>>>",
			3:  "<<" + pages + "/Contents 31 0 R/StructParents 7>>",
			50: "<</Type/StructTreeRoot/K 51 0 R/ParentTree<</Kids[53 0 R]>>>>",
			51: "<</S/Div/P 50 0 R/K[52 0 R 54 0 R]/Alt(all of SECRET)/Lang(en)>>",
			52: "<</S/P/P 51 0 R/Pg 3 0 R/K 0/ActualText(SECRET)>>",
			53: "<</Limits[7 7]/Nums[7[52 0 R 54 0 R]]>>",
			54: "<</S/P/P 51 0 R/Pg 3 0 R/K 1/ActualText(KEPT)>>",
		}, []string{"SECRET"}, []string{"KEPT", "/MarkInfo"}},
		"tags out of reach": {"/P<</MCID 0>>BDC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC", map[int]string{
			1:  "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 50 0 R/MarkInfo<</Marked true>>>>",
			50: "<</Type/StructTreeRoot/K 51 0 R>>",
			51: "<</S/P/P 50 0 R/Pg 3 0 R/K 0/ActualText(SECRET)>>",
		}, []string{"SECRET", "StructTreeRoot"}, nil},
		"annotations": {"", map[int]string{
			3:  "<<" + pages + "/Annots[50 0 R 51 0 R 52 0 R 53 0 R<</Type/Annot/Subtype/Link/Rect[90 690 120 699]/A<</S/URI/URI(SECRET)>>>>]/Thumb 42 0 R/Metadata 54 0 R/PieceInfo<</X(SECRET)>>>>",
			50: "<</Type/Annot/Subtype/FreeText/Rect[100 700 150 720]/Contents(SECRET)/AP<</N 54 0 R>>/Popup 51 0 R>>",
			51: "<</Type/Annot/Subtype/Popup/Rect[500 100 550 120]/Parent 50 0 R/Contents(SECRET)>>",
			52: "<</Type/Annot/Subtype/Text/Rect[500 100 550 120]/IRT 50 0 R/Contents(SECRET)>>",
			53: "<</Type/Annot/Subtype/Text/Rect[500 100 550 120]/Contents(KEPT)>>",
			54: ">/Type/XObject/Subtype/Form/BBox[0 0 1 1]|% SECRET",
		}, []string{"SECRET", "/Thumb", "/Metadata"}, []string{"KEPT"}},
		"form fields": {"", map[int]string{
			1:  "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[50 0 R 51 0 R 55 0 R]/XFA(SECRET)/CO[50 0 R]>>>>",
			3:  "<<" + pages + "/Annots[50 0 R 52 0 R]>>",
			4:  "<<" + pages + "/Annots[53 0 R 55 0 R]>>",
			50: "<</Type/Annot/Subtype/Widget/FT/Tx/T(SECRET1)/V(SECRET)/DV(SECRET)/Rect[100 700 150 720]/P 3 0 R>>",
			51: "<</FT/Tx/T(SECRET2)/V(SECRET)/Kids[52 0 R 53 0 R]>>",
			52: "<</Type/Annot/Subtype/Widget/Parent 51 0 R/Rect[100 700 150 720]/P 3 0 R>>",
			53: "<</Type/Annot/Subtype/Widget/Parent 51 0 R/Rect[100 100 150 120]/P 4 0 R/AP<</N 54 0 R>>>>",
			54: ">/Type/XObject/Subtype/Form/BBox[0 0 1 1]|% SECRET",
			55: "<</Type/Annot/Subtype/Widget/FT/Tx/T(KEPT)/V(KEPT)/Rect[100 700 150 720]/P 4 0 R>>",
		}, []string{"SECRET", "XFA"}, []string{"KEPT"}},
		"what the file says": {"", map[int]string{
			1:  "<</Type/Catalog/Pages 2 0 R/Outlines 50 0 R/Metadata 53 0 R/PieceInfo<</X(SECRET)>>>>",
			5:  "<</Title(On the Secret, and more)/Author(KEPT)>>",
			50: "<</First 51 0 R/Last 52 0 R/Count 2>>",
			51: "<</Title(A SECRET)/Parent 50 0 R/Next 52 0 R/Dest[3 0 R/Fit]>>",
			52: "<</Title(KEPT too)/Parent 50 0 R/Prev 51 0 R/Dest[3 0 R/Fit]>>",
			53: ">/Type/Metadata/Subtype/XML|<x>a SECRET</x>",
		}, []string{"SECRET", "Secret"}, []string{"(KEPT)", "(KEPT too)"}},
		"image":       {"q 80 0 0 80 100 640 cm /I Do Q", nil, []string{"ABC", "EFG"}, []string{"D\x00\x00\x00HIJKLMNOP"}},
		"whole image": {"q 10 0 0 10 100 700 cm /I Do Q", nil, []string{"ABCD", "MNOP"}, nil},
		"image with a mask": {"q 80 0 0 80 100 640 cm /J Do Q", map[int]string{
			6:  "<</XObject<</J 50 0 R/X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">" + image + "/SMask 42 0 R/Metadata 51 0 R|abcdefghijklmnop", 51: ">|SECRET",
		}, []string{"SECRET", "EFG", "efg"}, []string{"MNOP", "mnop"}},
		"image that can't be decoded": {"q 40 0 0 40 100 690 cm /I Do Q", map[int]string{42: ">" + image + "/Filter/JPXDecode|SECRET"}, []string{"SECRET"}, nil},
		"inline image":                {"q 40 0 0 40 100 690 cm BI /W 4 /H 4 /BPC 8 /CS /G ID SECRETSECRETSECR EI Q BT /F 10 Tf 100 100 Td (KEPT) Tj ET", nil, []string{"SECRET"}, []string{"KEPT"}},
		"inline image elsewhere":      {"q 40 0 0 40 100 90 cm BI /W 4 /H 4 /BPC 8 /CS /G ID KEPT EI EI EI EI EI Q BT /F 10 Tf 100 700 Td (SECRET) Tj ET", nil, []string{"SECRET"}, []string{"KEPT EI"}},
		"paths":                       {"100 700 m 111 711 l 112 700 l h 1 1 m 222 222 l S 103 703 5 5 re f", nil, []string{"111 711", "103 703"}, []string{"222 222"}},
		"clipping path":               {"100 700 m 111 711 l 112 700 l h W f 1 1 m 222 222 l S", nil, []string{"111 711"}, []string{"W\nn", "222 222"}},
		"path across":                 {"100 600 m 100 700 l 111 711 l 113 701 105 702 112 703 c 333 704 l S", nil, []string{"111 711", "105 702"}, []string{"100 600 m\n100 700 l\n112 703 l\n333 704 l\nS"}},
		"path of a pattern across": {"/Pattern cs /Q scn 90 690 200 20 re f", map[int]string{
			6:  "<</Pattern<</Q<</PatternType 2/Shading 50 0 R>>>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]|SECRET",
		}, []string{"SECRET"}, nil},
		"shading": {"q 90 690 100 100 re W n /S sh Q q 1 1 9 9 re W n /R sh /A sh Q", map[int]string{
			6:  "<</Shading<</S 50 0 R/R 51 0 R/A 53 0 R>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]|SECRET",
			51: ">/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]|KEPT",
			53: "<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>",
		}, []string{"SECRET", "/S sh"}, []string{"KEPT", "/R sh", "/A sh"}},
		"shading that is a function": {"/S sh", map[int]string{
			6:  "<</Shading<</S<</ShadingType 1/ColorSpace/DeviceGray/Domain[0 600 0 800]/Function 50 0 R>>>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/FunctionType 0/Domain[0 600 0 800]/Range[0 1]/Size[3 2]/BitsPerSample 8|SECRET",
		}, []string{"SECRET", "/S sh"}, nil},
		"shading in a form": {"/Z Do", map[int]string{
			6:  "<</XObject<</Z 50 0 R/X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Shading<</S 51 0 R>>>>|/S sh",
			51: ">/ShadingType 6/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]|SECRET",
		}, []string{"SECRET"}, nil},
		"comments and operands": {"(SECRET) 1 0 0 rg % SECRET\n(SECRET) 1 1 5 5 re /SECRET f /SECRET MP /Span<</ActualText(SECRET)>>DP (SECRET) secretly " +
			"BT /F 10 Tf 100 100 Td [(KEPT) % SECRET\n /SECRET 9 (TOO)] TJ (SECRET) (KEPT) Tj ET", nil, []string{"SECRET", "secretly"}, []string{"1 0 0 rg", "1 1 5 5 re\nf", "[(KEPT) 9 (TOO)] TJ", "(KEPT) Tj"}},
		"marked by a name": {"/SECRET BMC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC /SECRET<</MCID 3>>BDC BT /F 10 Tf 100 700 Td (ab) Tj ET EMC /Kept BMC 1 1 9 9 re f EMC", nil, []string{"SECRET"}, []string{"/Kept BMC", "/MCID 3"}},
		"character of its own": {"BT /T 20 Tf 100 700 Td (S) Tj 0 -600 Td (AK) Tj ET", map[int]string{
			3: "<<" + pages + "/Contents 31 0 R/Annots[56 0 R]>>",
			4: "<<" + pages + "/Contents 55 0 R>>",
			6: "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/T 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/a 83/SECRET 66/b/c 75/k]>>/FirstChar 65/LastChar 83/Widths[" + strings.Repeat("1 ", 19) + "]" +
				"/CharProcs<</a 51 0 R/b 53 0 R/c 53 0 R/k 53 0 R/SECRET 52 0 R>>/Resources<<>>/ToUnicode 54 0 R>>",
			51: ">|1 0 0 0 1 1 d1 0 0 1 1 re f % OPEN",
			52: ">|1 0 0 0 1 1 d1 0 0 1 1 re f % HIDDEN",
			53: ">|1 0 0 0 1 1 d1 0 0 1 1 re f",
			54: ">|begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <53> <005300450043> <41> <004F> endbfchar 2 beginbfrange <42> <43> <0062> <4B> <4B> [<00780079>] endbfrange endcmap",
			55: ">|BT /T 20 Tf 100 700 Td (B) Tj ET",
			56: "<</Type/Annot/Subtype/FreeText/Rect[1 1 90 90]/AP<</N 57 0 R>>>>",
			57: ">/Type/XObject/Subtype/Form/BBox[0 0 90 90]/Resources<</Font<</T 50 0 R>>>>|BT /T 20 Tf 1 1 Td (C) Tj ET",
		}, []string{"SECRET", "HIDDEN", "00530045"}, []string{"OPEN", "<41> <004f>", "<42> <0062>", "<43> <0063>", "<4b> <00780079>"}},
		"what fonts say": {"BT /E 10 Tf 100 700 Td (S) Tj 0 -600 Td (K) Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/E 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 51 0 R>>",
			51: ">|begincmap 1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <53> <005300450043> <4B> <004B> endbfchar endcmap",
		}, []string{"00530045"}, []string{"<4b> <004b>"}},
		"pattern": {"/Pattern cs /Q scn 0 0 600 790 re f", map[int]string{
			6:  "<</Pattern<</Q 50 0 R>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>|% SECRET",
		}, nil, []string{"600 790 re"}},
		"pattern that is used elsewhere, too": {"/Pattern cs /Q scn 0 690 600 90 re f 0 0 600 50 re f", map[int]string{
			6:  "<</Pattern<</Q 50 0 R>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 600 800]/XStep 600/YStep 800/Resources<</XObject<</I 51 0 R>>>>|600 0 0 800 0 0 cm /I Do % CANARY",
			51: ">/Type/XObject/Subtype/Image/Width 6/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray|SECRET",
		}, []string{"CANARY", "SECRET"}, []string{"600 50 re"}},
		"character that is a picture": {"BT /T 20 Tf 100 700 Td (A) Tj 0 -600 Td (A) Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/T 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/A]>>/FirstChar 65/LastChar 65/Widths[1]/CharProcs<</A 52 0 R>>/Resources<</XObject<</I 51 0 R>>>>>>",
			51: ">/Type/XObject/Subtype/Image/Width 6/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray|SECRET",
			52: ">|1 0 d0 /I Do % CANARY",
		}, []string{"CANARY", "SECRET"}, nil},
		"picture without a box": {"BT /T 20 Tf 100 700 Td (A) Tj 0 -600 Td (B) Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/T 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type3/FontBBox[0 0 0 0]/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/A/B]>>/FirstChar 65/LastChar 66/Widths[1 1]/CharProcs<</A 52 0 R/B 53 0 R>>/Resources<</XObject<</I 51 0 R>>>>>>",
			51: ">/Type/XObject/Subtype/Image/Width 6/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray|SECRET",
			52: ">|1 0 d0 /I Do % CANARY", 53: ">|1 0 d0 0 0 1 1 re f % OPEN",
		}, []string{"CANARY", "SECRET"}, []string{"OPEN"}},
		"picture without a width": {"BT /T 20 Tf 100 700 Td (A) Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/T 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/Encoding<</Differences[65/A]>>/FirstChar 66/LastChar 66/Widths[1]/CharProcs<</A 52 0 R>>/Resources<</XObject<</I 51 0 R>>>>>>",
			51: ">/Type/XObject/Subtype/Image/Width 6/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray|SECRET",
			52: ">|1 0 d0 /I Do % CANARY",
		}, []string{"CANARY", "SECRET", "(A)"}, nil},
		"picture by the encoding below": {"BT /T 20 Tf 100 700 Td (A) Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/T 50 0 R>>>>",
			50: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/Encoding/WinAnsiEncoding/FirstChar 65/LastChar 65/Widths[1]/CharProcs<</A 52 0 R>>/Resources<</XObject<</I 51 0 R>>>>>>",
			51: ">/Type/XObject/Subtype/Image/Width 6/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray|SECRET",
			52: ">|1 0 d0 /I Do % CANARY",
		}, []string{"CANARY", "SECRET", "(A)"}, nil},
		"text of characters that can't be placed": {"BT /U 10 Tf 100 700 Td <A1A1> Tj ET", map[int]string{
			6:  "<</XObject<</X 40 0 R>>/Font<</F 10 0 R/U 26 0 R>>>>",
			26: "<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/GBK-EUC-H/DescendantFonts[17 0 R]/ToUnicode 50 0 R>>",
			50: ">|begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <A1A1> <005300450043> endbfchar endcmap % SECRET",
		}, []string{"SECRET", "00530045"}, nil},
		"soft mask": {"/S gs 0 0 10 10 re f", map[int]string{
			6:  "<</ExtGState<</S<</SMask<</S/Luminosity/G 50 0 R>>>>>>/XObject<</X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Group<</S/Transparency>>/Resources 6 0 R|BT /F 10 Tf 100 700 Td (SECRET) Tj 0 -99 Td (KEPT) Tj ET",
		}, []string{"SECRET"}, []string{"KEPT"}},
		"form that draws itself": {"/Z Do", map[int]string{
			6:  "<</XObject<</Z 50 0 R/X 40 0 R>>/Font<</F 10 0 R>>>>",
			50: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources 6 0 R|BT /F 10 Tf 100 700 Td (SECRET) Tj ET /Z Do",
		}, []string{"SECRET"}, nil},
	}
	maps.Copy(tests, elsewhere)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := redacted(t, file(tt.content, tt.objects), []string{"the secret"}, box(95, 695, 151, 725))
			all := decoded(t, out)
			for _, s := range tt.gone {
				if strings.Contains(all, s) {
					t.Errorf("%s is left in %s", s, all)
				}
			}
			for _, s := range tt.kept {
				if !strings.Contains(all, s) {
					t.Errorf("%s is lost from %s", s, all)
				}
			}
		})
	}
}

// TestWorkIsBounded redacts files that would take forever.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	draw := func(n int) string { return strings.Repeat(fmt.Sprintf("/L%d Do ", n), 60) }
	objects := map[int]string{6: "<</XObject<</X 60 0 R"}
	for n := range 10 {
		objects[6] += fmt.Sprintf("/L%d %d 0 R", n, 60+n)
		objects[60+n] = ">/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources 6 0 R|" + draw(n+1)
	}
	objects[6] += ">>>>"
	for name, content := range map[string]string{
		"forms in forms": draw(0), "states": strings.Repeat("q ", 100_000), "operands": strings.Repeat("1 ", 100_000),
		"marks": strings.Repeat("/A<</MCID 1>>BDC ", 20_000) + strings.Repeat("BT (A) Tj ET ", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upload := file(content, objects)
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = pdf.Redact(t.Context(), io.Discard, f, pdf.Redaction{Regions: []pdf.Cover{box(0, 0, 600, 800)}})
			if err != nil && !errors.Is(err, pdf.ErrTooComplex) {
				t.Error(err)
			}
		})
	}
}

// FuzzRedact redacts a whole page: no text may be left, whatever its content.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		"BT /F 10 Tf 100 700 Td (A\\)B) Tj [(A) -3 <4142>] TJ 2 1 (C) \" ET", "BI /W 1 /H 1 /BPC 8 ID x EI /X Do", "/Span<</ActualText(A)>>BDC 1 0 0 1 2 3 cm q Q Q EMC",
		"BT /T 1 Tf (A) Tj /V 1 Tf (AB) Tj /M 1 Tf (A\x80AB) Tj ET", "0 0 m 1 1 l h W n 1 1 5 5 re S", "<< /A [ (",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if strings.Contains(content, "endstream") || strings.Contains(content, "endobj") {
			t.Skip("it would end its stream, and the file holds something else")
		}
		upload := file(content, nil)
		from, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
		if err != nil {
			t.Skipf("the file does not open: %v", err)
		}
		var out bytes.Buffer
		regions := []pdf.Cover{{Box: document.Box{X: -1e300, Y: -1e300, Width: 2e300, Height: 2e300}}}
		if _, err := pdf.Redact(t.Context(), &out, from, pdf.Redaction{Regions: regions}); err != nil {
			return
		}
		made, err := pdf.Open(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		page := made.Dict(made.Array(made.Dict(made.Catalog()["Pages"])["Kids"])[0])
		nowhere := []redact.Rect{{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}}
		data, _, _, err := redact.New(made.File.File, discard{}).Page(page, nil, redact.Rect{-1e9, -1e9, 1e9, 1e9}, nowhere)
		if err != nil {
			t.Fatal(err)
		}
		if shown := strings.Join(shownIn(data), ", "); shown != "" {
			t.Errorf("%q shows %q in %q", content, shown, data)
		}
	})
}

// shownIn returns the strings that content shows.
func shownIn(content []byte) (out []string) {
	var before any
	for l := object.NewLexer(content, 0); ; {
		v, err := l.Next()
		if err != nil {
			return out
		}
		if op, ok := v.(object.Keyword); ok && slices.Contains([]object.Keyword{"Tj", "TJ", "'", "\""}, op) {
			list, ok := before.(object.Array)
			if !ok {
				list = object.Array{before}
			}
			for _, e := range list {
				if s, ok := e.(object.String); ok && len(s) > 0 {
					out = append(out, string(s))
				}
			}
		}
		before = v
	}
}

type discard struct{}

func (discard) Add(any) object.Ref { return object.Ref{Number: 1} }

// TestPhotoIsPaintedOver blacks out a part of a JPEG.
func TestPhotoIsPaintedOver(t *testing.T) {
	t.Parallel()
	for name, picture := range map[string]draw.Image{"colour": image.NewRGBA(image.Rect(0, 0, 80, 80)), "gray": image.NewGray(image.Rect(0, 0, 80, 80))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			draw.Draw(picture, picture.Bounds(), image.NewUniform(color.RGBA{R: 200, G: 200, B: 200, A: 255}), image.Point{}, draw.Src)
			var photo bytes.Buffer
			if err := jpeg.Encode(&photo, picture, nil); err != nil {
				t.Fatal(err)
			}
			space := map[string]string{"colour": "/DeviceRGB", "gray": "/DeviceGray"}[name]
			upload := file("q 80 0 0 80 100 640 cm /I Do Q", map[int]string{
				42: ">/Type/XObject/Subtype/Image/Width 80/Height 80/BitsPerComponent 8/Filter/DCTDecode/ColorSpace" + space + "|" + photo.String(),
			})
			out := redacted(t, upload, nil, box(120, 660, 150, 690))
			_, after, _ := bytes.Cut(out, []byte("\xff\xd8"))
			m, err := jpeg.Decode(bytes.NewReader(append([]byte("\xff\xd8"), after...)))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []struct {
				x, y int
				dark bool
			}{{5, 5, false}, {35, 45, true}, {22, 32, true}, {48, 58, true}, {60, 45, false}, {35, 75, false}} {
				if v, _, _, _ := m.At(p.x, p.y).RGBA(); (v < 0x4000) != p.dark {
					t.Errorf("at %d, %d the photo is %x", p.x, p.y, v)
				}
			}
		})
	}
}

// TestFaxIsPaintedOver blacks out a part of a picture of eight white rows.
func TestFaxIsPaintedOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ params, kept string }{
		"black is 0": {"", "\xff\x00\xff"}, "black is 1": {"/BlackIs1 true", "\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// In Group 4, a row like the one above is a single bit.
			upload := file("q 80 0 0 80 100 640 cm /I Do Q", map[int]string{
				42: ">/Type/XObject/Subtype/Image/Width 24/Height 8/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 24/Rows 8" +
					tt.params + ">>|\xff\x00\x10\x01",
			})
			all := decoded(t, redacted(t, upload, nil, box(127, 600, 153, 800)))
			if !strings.Contains(all, strings.Repeat(tt.kept, 8)) {
				t.Errorf("the picture is not %q", tt.kept)
			}
		})
	}
}

// TestAttachedFilesAreRemoved blacks out a part of a page of a file that has the same text in attached files, wherever
// such can be.
func TestAttachedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	file := "50 0 R"
	upload := build(map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a.txt)" + file + "]>>>>/AF[" + file + "]/Collection<</Type/Collection>>>>",
		2:  "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 600 800]>>",
		3:  "<</Type/Page/Parent 2 0 R/Contents 31 0 R/AF[" + file + "]>>",
		4:  "<</Type/Page/Parent 2 0 R/Annots[20 0 R 21 0 R]/AF[" + file + "]>>",
		20: "<</Type/Annot/Subtype/FileAttachment/Rect[10 10 30 30]/FS " + file + ">>",
		21: "<</Type/Annot/Subtype/Link/Rect[10 40 30 60]/A<</S/GoToE/F " + file + "/D[0/Fit]>>/AF[" + file + "]>>",
		31: ">|0 0 10 10 re f",
		50: "<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 51 0 R>>/RF<</F[(b.txt)51 0 R]>>>>",
		51: ">/Type/EmbeddedFile|THE SECRET",
	})
	f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lost, err := pdf.Redact(t.Context(), &out, f, pdf.Redaction{Regions: []pdf.Cover{box(0, 0, 100, 100)}})
	if err != nil || lost.Files != 1 {
		t.Errorf("%d files were removed: %v", lost.Files, err)
	}
	if plain := run(t, out.Bytes(), "qpdf", "--qdf", "--object-streams=disable", "FILE", "-"); strings.Contains(plain, "SECRET") || strings.Contains(plain, "FileAttachment") {
		t.Errorf("the copy is %s", plain)
	}
}

// TestRemovedTextHasNoWidths blacks out text whose characters are placed one by one: the copy says where the text
// begins that stays, exactly there, and nothing of the places of what was removed.
func TestRemovedTextHasNoWidths(t *testing.T) {
	t.Parallel()
	var placed strings.Builder
	for _, c := range "SECRETS" {
		fmt.Fprintf(&placed, "(%c) Tj 8.25 0 Td ", c)
	}
	number := regexp.MustCompile(`-?[0-9.]+`)
	for name, content := range map[string]string{
		"moved":             "BT /F 12 Tf 100 700 Td " + placed.String() + "60 0 Td (KEEP) Tj 0 -40 Td (STAY) Tj ET",
		"shown":             "BT /F 12 Tf 100 700 Td (S) Tj (E) Tj (C) Tj (RET) Tj [-100 (S) -200] TJ (S) Tj 110 0 Td (KEEP) Tj 0 -40 Td (STAY) Tj ET",
		"with leading":      "BT /F 12 Tf 100 700 TD (SECRETS) Tj 110 0 Td (KEEP) Tj 0 -40 TD (STAY) Tj ET",
		"set with leading":  "BT /F 12 Tf 40 TL 100 740 Td (SECRETS) ' 110 0 Td (KEEP) Tj (STAY) ' ET",
		"spaced":            "BT /F 12 Tf 40 TL 100 740 Td 1 2 (SECRETS) \" 110 0 Td (KEEP) Tj 0 1 (STAY) \" ET",
		"wide":              "BT /F 12 Tf 150 Tz 100 700 Td (SECRETS) Tj (S) Tj /F 9 Tf 110 0 Td (KEEP) Tj 0 -40 Td (STAY) Tj ET",
		"placed absolutely": "BT /F 12 Tf 1 0 0 1 100 700 Tm (SECRET) Tj 1 0 0 1 150 700 Tm (S) Tj 1 0 0 1 210 700 Tm (KEEP) Tj 1 0 0 1 100 660 Tm (STAY) Tj ET",
	} {
		upload := file(content, nil)
		out := redacted(t, upload, nil, box(90, 690, 205, 715))
		for _, word := range []string{"KEEP", "STAY"} {
			if was, is := placeOf(t, upload, word), placeOf(t, out, word); was != is || was == "" {
				t.Errorf("%s: %s is at %q, was at %q", name, word, is, was)
			}
		}
		plain := run(t, out, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
		_, text, _ := strings.Cut(plain, "/F 12 Tf")
		text, _, _ = strings.Cut(text, "KEEP")
		// One place of the text that stays, of six numbers, and what was before the text.
		if got := number.FindAllString(text, -1); len(got) > 14 || strings.Contains(text, "SEC") {
			t.Errorf("%s: before what stays, the copy says %s", name, text)
		}
	}
}

// placeOf returns where a word begins on the first page.
func placeOf(t *testing.T, upload []byte, word string) string {
	t.Helper()
	boxes := run(t, upload, "pdftotext", "-bbox", "-l", "1", "FILE", "-")
	m := regexp.MustCompile(`xMin="(\d+\.\d)\d*" yMin="(\d+\.\d)\d*"[^>]*>[A-Z]*` + word).FindStringSubmatch(boxes)
	if m == nil {
		return ""
	}
	return m[1] + " " + m[2]
}
