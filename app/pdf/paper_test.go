package pdf_test

import (
	"maps"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// onPaper is an upload with one page, and what may look different on paper.
func onPaper(catalog, page string, objects map[int]string, streams map[int][2]string) []byte {
	b := newBuilder()
	b.object(1, "<</Type/Catalog/Pages 2 0 R"+catalog+">>")
	b.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>")
	b.object(10, "<</Type/Page/Parent 2 0 R"+page+">>")
	for n := range 100 {
		if body, ok := objects[n]; ok {
			b.object(n, body)
		}
		if s, ok := streams[n]; ok {
			b.stream(n, s[0], s[1])
		}
	}
	return b.end("/Root 1 0 R")
}

// TestNothingDiffersOnPaperUnnamed prepares files with everything that is shown only on the screen, only on paper, or
// only at times: it is the same afterwards, or the file can be told from others before.
func TestNothingDiffersOnPaperUnnamed(t *testing.T) {
	t.Parallel()
	type objects = map[int]string
	const marked = "/OC /MC0 BDC 0 0 9 9 re f EMC"
	layered := func(usage string, more string) []byte {
		return onPaper("/OCProperties<</OCGs[20 0 R]/D<<"+more+">>>>", "/Resources<</Properties<</MC0 20 0 R>>>>/Contents 30 0 R",
			objects{20: "<</Type/OCG/Name(x)/Usage<<" + usage + ">>>>"}, map[int][2]string{30: {"", marked}})
	}
	annotation := func(entries string) []byte {
		return onPaper("", "/Annots[20 0 R]", objects{20: "<</Type/Annot/Subtype/Stamp/Rect[10 10 90 90]/AP<</N 30 0 R>>" + entries + ">>"},
			map[int][2]string{30: {"/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "0 0 9 9 re f"}})
	}
	loose := func(catalog, properties string, more objects) []byte {
		return onPaper(catalog, "/Resources<</Properties<</MC0 "+properties+">>>>/Contents 30 0 R", more, map[int][2]string{30: {"", marked}})
	}
	drawn := func(entries string) []byte {
		return onPaper("", "/Resources<</XObject<</X 20 0 R>>>>/Contents 30 0 R", nil, map[int][2]string{20: {entries, "0"}, 30: {"", "/X Do"}})
	}
	for name, file := range map[string][]byte{
		"not on paper":               annotation(""),
		"only on paper":              annotation("/F 36"),
		"when pointed at":            annotation("/F 4/AP<</N 30 0 R/R 30 0 R>>"),
		"toggled":                    annotation("/F 260"),
		"fixed on paper":             annotation("/F 4/FixedPrint<</Type/FixedPrint>>"),
		"as large at every zoom":     annotation("/F 12"),
		"upright at every turn":      annotation("/F 20"),
		"video":                      annotation("/F 4/Subtype/Screen/A<</S/Rendition/OP 0>>"),
		"video when the page opens":  annotation("/F 4/Subtype/Screen/AA<</PO<</S/Rendition/OP 0>>>>"),
		"three dimensions":           annotation("/F 4/Subtype/3D/3DD 30 0 R"),
		"rich media":                 annotation("/F 4/Subtype/RichMedia/RichMediaContent<<>>/RichMediaSettings<</Activation<</Condition/PV>>>>"),
		"movie":                      annotation("/F 4/Subtype/Movie/Movie<</F(x)>>/A true"),
		"another file in its place":  onPaper("/Collection<</D(other.pdf)/View/H>>", "", nil, nil),
		"layer not on paper":         layered("/Print<</PrintState/OFF>>", ""),
		"layer only on paper":        layered("/View<</ViewState/OFF>>/Print<</PrintState/ON>>", ""),
		"layer by its events":        layered("/Print<</PrintState/OFF>>", "/AS[<</Event/Print/Category[/Print]/OCGs[20 0 R]>>]"),
		"layer when zoomed":          layered("/Zoom<</min 2>>", "/AS[<</Event/View/Category[/Zoom]/OCGs[20 0 R]>>]"),
		"another part of a page":     onPaper("/ViewerPreferences<</PrintArea/MediaBox>>", "/CropBox[0 0 100 100]", nil, nil),
		"some of the pages":          onPaper("/ViewerPreferences<</PrintPageRange[0 0]>>", "", nil, nil),
		"another clip of a page":     onPaper("/ViewerPreferences<</ViewClip/TrimBox>>", "/TrimBox[0 0 100 100]", nil, nil),
		"layer off, shown on paper":  layered("/Print<</PrintState/ON>>", "/OFF[20 0 R]"),
		"layers off, shown on paper": layered("/Print<</PrintState/ON>>", "/BaseState/OFF"),
	} {
		c := newChain(t, file)
		if in := c.open().Inspect(); in.Uneven == 0 || in.PaperParts {
			t.Errorf("%s: %d parts are named, %v", name, in.Uneven, in.PaperParts)
		}
		c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{Signatures: []pdf.SignatureSpec{{Name: "a", Page: -1}}, StripJavaScript: true}))
		if in := c.open().Inspect(); in.Uneven != 0 || in.PaperParts {
			t.Errorf("%s: prepared, %d parts differ", name, in.Uneven)
		}
	}
	inks := func(resources string, more objects, streams map[int][2]string) []byte {
		content := map[int][2]string{30: {"", "/G gs /X Do"}}
		maps.Copy(content, streams)
		return onPaper("", "/Resources "+resources+"/Contents 30 0 R", more, content)
	}
	const overprint, form = "<</OP true/op true/OPM 1/LW 2>>", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
	inherited := newBuilder()
	inherited.object(1, "<</Type/Catalog/Pages 2 0 R>>")
	inherited.object(2, "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]/Resources<</ExtGState<</G "+overprint+">>>>>>")
	inherited.object(10, "<</Type/Page/Parent 2 0 R/Contents 30 0 R>>")
	inherited.stream(30, "", "/G gs")
	for name, upload := range map[string][]byte{
		"overprint":                 inks("<</ExtGState<</G "+overprint+">>>>", nil, nil),
		"halftone":                  inks("<</ExtGState<</G<</LW 2/HT<</HalftoneType 1/Frequency 60/Angle 45/SpotFunction/Round>>>>>>>>", nil, nil),
		"black generation":          inks("<</ExtGState<</G<</LW 2/BG2 20 0 R/UCR 20 0 R>>>>>>", objects{20: "<</FunctionType 2/Domain[0 1]/N 1>>"}, nil),
		"state of its own":          inks("<</ExtGState<</G 20 0 R>>>>", objects{20: overprint}, nil),
		"list of states":            inks("<</ExtGState 20 0 R>>", objects{20: "<</G " + overprint + "/H " + overprint + ">>"}, nil),
		"resources of their own":    inks("20 0 R", objects{20: "<</ExtGState<</G " + overprint + ">>>>"}, nil),
		"inherited":                 inherited.end("/Root 1 0 R"),
		"states of a form":          inks("<</XObject<</X 40 0 R>>>>", nil, map[int][2]string{40: {form + "/Resources<</ExtGState<</G " + overprint + ">>>>", "/G gs"}}),
		"states of a shading":       inks("<</Pattern<</P 20 0 R>>>>", objects{20: "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]>>/ExtGState " + overprint + ">>"}, nil),
		"states of a shading there": inks("20 0 R", objects{20: "<</Pattern<</P<</PatternType 2/Shading<<>>/ExtGState " + overprint + ">>>>>>"}, nil),
		"states of a font":          inks("<</Font<</F 20 0 R>>>>", objects{20: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/CharProcs<<>>/Resources<</ExtGState<</G " + overprint + ">>>>>>"}, nil),
	} {
		c := newChain(t, upload)
		if in := c.open().Inspect(); !in.Printing || in.PaperParts {
			t.Errorf("%s: not told: %+v", name, in)
		}
		c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{Signatures: []pdf.SignatureSpec{{Name: "a", Page: -1}}}))
		if in := c.open().Inspect(); in.Printing || in.PaperParts {
			t.Errorf("%s: it is left", name)
		}
		all, err := tool(t, "qpdf", "--qdf", file(t, c.bytes), "-")
		if err != nil || strings.Contains(all, "/OP") || strings.Contains(string(upload), "/LW 2") && !strings.Contains(all, "/LW 2") {
			t.Errorf("%s: %v %s", name, err, all)
		}
	}
	for _, harmless := range []string{"/OP false/op false/OPM 1", "/HT/Default/BG2/Default/UCR2/Default/TR2/Default", "/TR/Identity", "/TR 20 0 R/TR2/Default", "/LW 3/SA true"} {
		if in := newChain(t, inks("<</ExtGState<</G<<"+harmless+">>>>>>", objects{20: "<</FunctionType 2/Domain[0 1]/N 1>>"}, nil)).open().Inspect(); in.Printing || in.PaperParts {
			t.Errorf("%s: %+v", harmless, in)
		}
	}
	only := "<</Type/OCG/Name(x)/Usage<</Print<</PrintState/OFF>>>>>>"
	ink := func(space string) []byte {
		return onPaper("", "/Resources<</ColorSpace<</C 20 0 R>>>>/Contents 30 0 R", objects{20: space, 21: "<</FunctionType 2/Domain[0 1]/C0[1 1 1]/C1[0 0 0]/N 1>>"}, map[int][2]string{
			22: {"/FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1 0 1]", "{0 0 0 4 -1 roll}"},
			23: {"/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1 0 1]", "{pop dup 0.5 gt {pop 1}{2 mul} ifelse 0 exch dup 0.3 mul exch 0}"},
			24: {"/FunctionType 0/Domain[0 1]/Range[0 1 0 1 0 1]/Size[2]/BitsPerSample 8", "\xff\xff\xff\xff\x80\x80"},
			27: {"/FunctionType 4/Domain[0 1]/Range[0 1]", "{1 exch sub"}, 28: {"/FunctionType 4/Domain[0 1]/Range[0 1]", strings.Repeat("{", 100_000)},
			29: {"/FunctionType 4/Domain[0 1]/Range[0 1]", "{" + strings.Repeat("{1} if ", 2000) + "}"}, 25: {"/N 3", "a profile"}, 30: {"", "/C cs 1 scn 0 0 9 9 re f"}})
	}
	for name, space := range map[string]string{
		"black":             "[/Separation/Black/DeviceGray 26 0 R]",
		"black, black":      "[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>]",
		"black as a mix":    "[/Separation/Black/DeviceCMYK 22 0 R]",
		"all":               "[/Separation/All/DeviceCMYK<</FunctionType 2/Domain[0 1]/C0[0 0 0 0]/C1[1 1 1 1]/N 1>>]",
		"yellow of Lab":     "[/Separation/Yellow[/Lab<</WhitePoint[0.9642 1 0.8249]/Range[-128 127 -128 127]>>]<</FunctionType 2/Domain[0 1]/C0[100 0 0]/C1[89 -5 93]/N 1>>]",
		"white as a spot":   "[/Separation/Varnish/DeviceCMYK<</FunctionType 2/Domain[0 1]/C0[0 0 0 0]/C1[0 0 0 0]/N 1>>]",
		"no function":       "[/Separation/Black/DeviceGray 99 0 R]",
		"nested in nothing": "[/Indexed[/Indexed[/Indexed]]]",
		"nested in itself":  "[/Pattern 20 0 R/x/x]",
		"made of itself":    "[/Separation/Black/DeviceGray<</FunctionType 3/Domain[0 1]/Bounds[]/Encode[0 1]/Functions[27 0 R]>>]",
		"program too deep":  "[/Separation/Black/DeviceGray 28 0 R]",
		"without end":       "[/Separation/Black/DeviceGray 29 0 R]",
	} {
		if in := newChain(t, ink(space)).open().Inspect(); in.PaperParts {
			t.Errorf("%s counts as another ink", name)
		}
	}
	const busy = "[/DeviceN[/Cyan/Magenta/Yellow/Black/All]/DeviceGray 22 0 R]"
	for name, file := range map[string][]byte{
		"other image":          drawn("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Alternates[<</Image 20 0 R/DefaultForPrinting true>>]"),
		"image by the printer": drawn("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/OPI<</2.0<</F(x.tif)>>>>"),
		"PostScript":           drawn("/Type/XObject/Subtype/PS"),
		"form of PostScript":   drawn("/Subtype/Form/BBox[0 0 9 9]/Subtype2/PS"),
		"colours by functions": inks("<</ExtGState<</G<</TR 20 0 R>>>>>>", objects{20: "<</FunctionType 2/Domain[0 1]/N 1>>"}, nil),
		"colours by others":    inks("<</ExtGState<</G<</TR/Identity/TR2[/Identity 20 0 R/Identity/Identity]>>>>>>", objects{20: "<</FunctionType 2/Domain[0 1]/N 1>>"}, nil),
		"page of another file": drawn("/Subtype/Form/BBox[0 0 9 9]/Ref<</F(x.pdf)/Page 0>>"),
		"content elsewhere":    drawn("/Subtype/Form/BBox[0 0 9 9]/F(x.bin)"),
		"unlisted layer":       loose("/OCProperties<</OCGs[]/D<<>>>>", "20 0 R", objects{20: only}),
		"no layers listed":     loose("", "20 0 R", objects{20: only}),
		"layer in its place":   loose("", only, nil),
		"white for black":      ink("[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]"),
		"black for no black":   ink("[/Separation/Black/DeviceCMYK<</FunctionType 2/Domain[0 1]/C0[0 0 0 1]/C1[0 0 0 1]/N 1>>]"),
		"white at a tint":      ink("[/Separation/All/DeviceRGB<</FunctionType 3/Domain[0 1]/Bounds[0.9]/Encode[1 0 1 0]/Functions[21 0 R<</FunctionType 2/Domain[0 1]/C0[1 1 1]/C1[1 1 1]/N 1>>]>>]"),
		"white by a program":   ink("[/DeviceN[/Gold/Black]/DeviceCMYK 23 0 R]"),
		"white by a table":     ink("[/Separation/Cyan[/ICCBased 25 0 R]24 0 R]"),
		"hidden behind work": onPaper("", "/Resources<</ColorSpace<</A "+busy+"/B "+busy+"/C "+busy+"/D "+busy+"/E "+busy+">>>>/Contents 30 0 R", nil, map[int][2]string{
			22: {"/FunctionType 4/Domain[0 1 0 1 0 1 0 1 0 1]/Range[0 1]", "{add add add add 1 exch sub " + strings.Repeat("0 add ", 4900) + "}"}, 30: {"", "/A cs 1 1 1 1 1 scn"}}),
		"white in an image":  drawn("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/Indexed[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]0<ff>]"),
		"white in a shading": onPaper("", "/Resources<</Shading<</S<</ShadingType 2/ColorSpace[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/C0[1]/C1[1]/N 1>>]/Coords[0 0 1 1]>>>>>>/Contents 30 0 R", nil, map[int][2]string{30: {"", "/S sh"}}),
		"layer of a group":   loose("/OCProperties<</OCGs[21 0 R]/D<<>>>>", "<</Type/OCMD/OCGs[20 0 R]>>", objects{20: only, 21: only}),
	} {
		if in := newChain(t, file).open().Inspect(); !in.PaperParts {
			t.Errorf("%s: not told: %+v", name, in)
		}
	}
	if in := newChain(t, layered("", "")).open().Inspect(); in.Uneven > 0 || in.PaperParts {
		t.Errorf("a layer without usage differs: %+v", in)
	}
}
