package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// TestNothingRemainsWhereItIsNotSeen removes a part of a page that other places of the file have, too: what nobody sees
// there is gone, and what is seen stays and is counted.
func TestNothingRemainsWhereItIsNotSeen(t *testing.T) {
	t.Parallel()
	const (
		picture   = "q 80 0 0 80 100 640 cm /I Do Q"
		image     = "/Type/XObject/Subtype/Image/Width 4/Height 4/BitsPerComponent 8/ColorSpace/DeviceGray"
		cell      = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/Resources<</Font<</F 10 0 R>>/XObject<</I 42 0 R>>>>"
		resources = "<</Font<</F 10 0 R>>/XObject<</X 40 0 R/I 42 0 R>>/ExtGState<</A<</ca .1>>>>/Properties<</L 60 0 R>>/Pattern<</Q 50 0 R>>>>"
		page2     = "<</Type/Page/Parent 2 0 R/Contents 32 0 R"
	)
	both := func(content string) map[int]string { return map[int]string{6: resources, 32: ">|" + content} }
	type objects = map[int]string
	for name, tt := range map[string]struct {
		content           string
		objects           objects
		gone, kept        []string
		spread, elsewhere int
	}{
		"seen":                 {picture, both(picture), nil, []string{"ABCDEFGHIJ", "D\x00\x00\x00H"}, 0, 1},
		"beneath a clip":       {picture, both("q 0 0 600 50 re W n 80 0 0 80 100 10 cm /I Do Q"), []string{"ABC", "EFG"}, []string{"HIJKLMNOP"}, 0, 0},
		"beyond an edge":       {picture, both("q 80 0 0 80 100 760 cm /I Do Q"), []string{"ABC", "EFG"}, []string{"HIJKLMNOP"}, 0, 0},
		"beyond a side":        {picture, both("q 80 0 0 80 -60 100 cm /I Do Q"), []string{"ABC"}, []string{"MNOP"}, 0, 0},
		"partly beyond":        {picture, both("q 80 0 0 80 -20 100 cm /I Do Q"), []string{"ABC"}, []string{"BCD"}, 0, 1},
		"on its side":          {picture, both("q 0 80 -80 0 50 100 cm /I Do Q"), []string{"ABC"}, []string{"MNOP"}, 0, 0},
		"a round clip":         {picture, both("q 0 0 m 300 0 600 300 600 600 c 0 600 l h W n 80 0 0 80 100 100 cm /I Do Q"), []string{"ABC"}, []string{"MNOP"}, 1, 0},
		"a clip of letters":    {picture, both("q BT 7 Tr /F 9 Tf 100 100 Td (x) Tj ET 80 0 0 80 100 100 cm /I Do Q"), []string{"ABC"}, []string{"MNOP"}, 1, 0},
		"a layer":              {picture, both("/OC/L BDC " + picture + " EMC"), []string{"ABC"}, nil, 1, 0},
		"hardly seen":          {picture, both("q /A gs " + picture + " Q"), []string{"ABC"}, nil, 1, 0},
		"askew":                {picture, both("q .9 .1 -.1 .9 0 0 cm " + picture + " Q"), nil, []string{"ABCDEFGHIJ"}, 0, 1},
		"askew beneath a clip": {picture, both("q 0 0 60 800 re W n .9 .1 -.1 .9 0 0 cm " + picture + " Q"), []string{"ABC"}, nil, 1, 0},
		"not drawn":            {picture, both("BT /I 9 Tf ET"), []string{"ABC"}, nil, 0, 0},
		"on the same page":     {picture + " q 0 0 600 50 re W n 80 0 0 80 100 10 cm /I Do Q", both(""), []string{"ABC", "EFG"}, []string{"HIJKLMNOP"}, 0, 0},
		"in a form": {picture, objects{6: resources, 32: ">|/X Do",
			40: ">/Type/XObject/Subtype/Form/BBox[0 0 600 50]/Resources<</XObject<</I 42 0 R>>>>|q 80 0 0 80 100 10 cm /I Do Q"}, []string{"ABC"}, []string{"HIJKLMNOP"}, 0, 0},
		"in an annotation": {picture, objects{6: resources, 4: page2 + "/Annots[61 0 R]>>", 61: "<</Type/Annot/Subtype/Stamp/F 4/Rect[1 1 90 90]/AP<</N 62 0 R>>>>",
			62: ">/Type/XObject/Subtype/Form/BBox[0 0 80 40]/Resources<</XObject<</I 42 0 R>>>>|q 80 0 0 80 0 0 cm /I Do Q"}, []string{"ABC"}, []string{"HIJKLMNOP"}, 0, 0},
		"as a mask": {"q 80 0 0 80 100 640 cm /J Do Q", objects{6: "<</Font<</F 10 0 R>>/XObject<</X 40 0 R/J 50 0 R/K 51 0 R>>>>", 32: ">|q 80 0 0 80 100 760 cm /K Do Q",
			50: ">" + image + "/SMask 42 0 R|abcdefghijklmnop", 51: ">" + image + "/SMask 42 0 R|qrstuvwxyzqrstuv"}, []string{"ABC", "abc"}, []string{"qrst"}, 0, 0},
		"other versions": {picture, objects{6: resources, 32: ">|" + picture, 42: ">" + image + "/Alternates[<</Image 50 0 R/DefaultForPrinting true>>]/OPI<</2.0<</F(SECRET)>>>>|ABCDEFGHIJKLMNOP",
			50: ">" + image + "|SECRETSECRETSECR"}, []string{"SECRET"}, []string{"ABCD"}, 0, 1},
		"a miniature":         {picture, objects{6: resources, 4: page2 + "/Thumb 50 0 R>>", 50: ">" + image + "|SECRETSECRETSECR"}, []string{"SECRET", "ABC"}, nil, 0, 0},
		"a form":              {"q 1 0 0 1 0 200 cm /X Do Q", both("q 0 0 600 450 re W n /X Do Q"), []string{"(FORM", "(FO"}, []string{"(EP)"}, 0, 0},
		"a form that is seen": {"q 1 0 0 1 0 200 cm /X Do Q", both("/X Do"), nil, []string{"(FORM KEEP)"}, 0, 1},
		"a form of a form": {"q 1 0 0 1 0 200 cm /X Do Q", objects{6: resources, 32: ">|q 0 0 600 450 re W n /X Do Q",
			40: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</Y 41 0 R>>>>|/Y Do",
			41: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 10 0 R>>>>|BT /F 12 Tf 100 500 Td (SECRET) Tj 0 -400 Td (KEPT) Tj ET"}, []string{"SECRET"}, []string{"KEPT"}, 0, 0},
		"a form without resources": {"q 1 0 0 1 0 300 cm /Y Do Q", objects{6: "<</Font<</F 10 0 R>>/XObject<</X 40 0 R/Y 41 0 R>>>>", 32: ">|q 0 0 600 350 re W n /Y Do Q",
			41: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]|BT /F 12 Tf 100 400 Td (SECRET) Tj 0 -300 Td (KEPT) Tj ET"}, []string{"SECRET"}, []string{"KEPT"}, 0, 0},
		"the same content": {"BT /F 12 Tf 100 700 Td (SECRET) Tj 0 -600 Td (KEPT) Tj ET", objects{6: resources, 4: "<</Type/Page/Parent 2 0 R/Contents[32 0 R 31 0 R]/CropBox[0 0 600 400]>>", 32: ">|1 w"},
			[]string{"SECRET"}, []string{"KEPT"}, 0, 0},
		"a large cell": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 600 800]/XStep 600/YStep 800|BT /F 12 Tf 100 700 Td (SECRET) Tj 0 -600 Td (KEPT) Tj ET"}, []string{"SECRET"}, []string{"KEPT", "600 800 re"}, 0, 0},
		"a picture in a cell": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 600 800]/XStep 600/YStep 800|" + picture}, []string{"ABC", "EFG"}, []string{"HIJKLMNOP", "600 800 re"}, 0, 0},
		"a picture in a moved cell": {"q 2 0 0 2 0 0 cm /Pattern cs /Q scn 0 0 300 400 re f Q", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 80 80]/XStep 900/YStep 900/Matrix[1 0 0 1 100 640]|q 80 0 0 80 0 0 cm /I Do Q"}, []string{"ABC", "EFG"}, []string{"HIJKLMNOP"}, 0, 0},
		"a round area": {"/Pattern cs /Q scn 0 0 m 600 0 l 600 800 l 0 800 l f", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 600 800]/XStep 600/YStep 800|" + picture}, []string{"ABC", "EFG"}, []string{"HIJKLMNOP", "600 800 l"}, 0, 0},
		"many cells": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 9 9]/XStep 9/YStep 9|0 0 5 5 re f"}, nil, []string{"0 0 5 5 re", "600 800 re"}, 0, 0},
		"many cells that are all removed": {"/Pattern cs /Q scn 100 700 40 20 re f", objects{6: resources, 32: ">|/Pattern cs /Q scn 0 0 m 9 9 l 9 0 l f",
			50: ">" + cell + "/BBox[0 0 9 9]/XStep 9/YStep 9|q 9 0 0 9 0 0 cm /I Do Q"}, []string{"ABC"}, nil, 1, 0},
		"text in a pattern": {"/Pattern cs /Q scn BT /F 20 Tf 100 700 Td (x) Tj ET", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 600 800]/XStep 600/YStep 800|" + picture}, []string{"ABC", "EFG"}, []string{"HIJKLMNOP"}, 0, 0},
		"steps of nothing": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g",
			50: ">" + cell + "/BBox[0 0 600 800]/XStep 0/YStep 800|" + picture}, []string{"ABC", "EFG"}, nil, 0, 0},
		"a course of colours": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g",
			50: "<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>"}, nil, []string{"600 800 re"}, 0, 0},
		"a mesh": {"/Pattern cs /Q scn 0 0 600 800 re f", objects{6: resources, 32: ">|0 g", 50: "<</PatternType 2/Shading 51 0 R>>",
			51: ">/ShadingType 4/ColorSpace/DeviceGray/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8/Decode[0 1 0 1 0 1]|SECRET"}, []string{"SECRET", "600 800 re"}, nil, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.objects[60] = "<</Type/OCG/Name(L)>>"
			upload := file(tt.content, tt.objects)
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			lost, err := pdf.Redact(t.Context(), &out, f, pdf.Redaction{Regions: []pdf.Cover{box(95, 695, 151, 725)}})
			if err != nil {
				t.Fatal(err)
			}
			if lost.Spread != tt.spread || lost.Elsewhere != tt.elsewhere {
				t.Errorf("%+v, want %d and %d", lost, tt.spread, tt.elsewhere)
			}
			run(t, out.Bytes(), "qpdf", "--check", "FILE")
			all := decoded(t, out.Bytes())
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
