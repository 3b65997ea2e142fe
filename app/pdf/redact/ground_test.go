package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
)

// TestWhatIsBare looks at the place of a field on pages that have something there, and on others.
func TestWhatIsBare(t *testing.T) {
	t.Parallel()
	resources := "<</Font<</F 10 0 R/T 15 0 R/U 26 0 R>>/XObject<</X 50 0 R/I 42 0 R/M 51 0 R>>/Pattern<</Q 52 0 R>>/Shading<</S 53 0 R>>" +
		"/ExtGState<</D<</BM/Difference>>/N<</BM/Normal/SMask/None/ca 1>>>>/ColorSpace<</Ink[/Separation/Black/DeviceGray<</FunctionType 2/Domain[0 1]/N 1>>]/Icc[/ICCBased 54 0 R]>>>>"
	objects := map[int]string{
		6:  resources,
		50: ">/Type/XObject/Subtype/Form/BBox[0 0 600 800]|90 690 200 40 re f",
		51: ">/Type/XObject/Subtype/Image/ImageMask true/Width 1/Height 1/BitsPerComponent 1|\x00",
		52: ">/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>|0 0 9 9 re f",
		53: "<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 1 1]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>",
		54: ">/N 3|",
	}
	tests := map[string]struct {
		content string
		bare    bool
	}{
		"nothing":             {"", true},
		"a line of text":      {"BT /F 8 Tf 96 700 Td (Your name, as in the) Tj ET", true},
		"a frame":             {"1 w 95 695 156 30 re S", true},
		"a thin area":         {"95 696 156 0.5 re f", true},
		"white paper":         {"1 g 0 0 600 800 re f", true},
		"white by RGB":        {"1 1 1 rg 0 0 600 800 re f 0 g", true},
		"white by ink":        {"0 0 0 0 k 0 0 600 800 re f", true},
		"white by a profile":  {"/Icc cs 1 1 1 scn 0 0 600 800 re f", true},
		"normal blending":     {"/N gs 1 g 0 0 600 800 re f", true},
		"elsewhere":           {"0 0 600 600 re f q 40 0 0 40 300 100 cm /I Do Q", true},
		"clipped away":        {"0 0 600 600 re W n 0 0 600 800 re f", true},
		"black paper":         {"0 0 600 800 re f", false},
		"grey paper":          {"0.9 g 0 0 600 800 re f", false},
		"many black tiles":    {strings.Repeat("1 0 0 1 4 0 cm 91 690 4 40 re f ", 40), false},
		"difference to white": {"1 g /D gs 0 0 600 800 re f", false},
		"all of an ink":       {"/Ink cs 1 scn 0 0 600 800 re f", false},
		"a picture":           {"q 200 0 0 200 90 600 cm /I Do Q", false},
		"a stencil":           {"q 200 0 0 200 90 600 cm /M Do Q", false},
		"an inline picture":   {"q 200 0 0 200 90 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x00 EI Q", false},
		"a form":              {"/X Do", false},
		"a pattern":           {"/Pattern cs /Q scn 0 0 600 800 re f", false},
		"a shading":           {"/S sh", false},
		"a thick line":        {"40 w 90 710 m 300 710 l S", false},
		"a large character":   {"BT /F 200 Tf 90 690 Td (M) Tj ET", false},
		"a drawn character":   {"1 g BT /T 200 Tf 90 690 Td (A) Tj ET", false},
		"lost characters":     {"BT /U 40 Tf 90 690 Td <A1A1> Tj ET", false},
		"broken content":      {"<< << >", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upload := file(tt.content, objects)
			f, err := pdf.Open(bytes.NewReader(upload), int64(len(upload)))
			if err != nil {
				t.Fatal(err)
			}
			bare, err := f.Bare(0, []document.Box{box(95, 695, 251, 725).Box, box(400, 50, 500, 70).Box})
			if err != nil || bare[0] != tt.bare {
				t.Errorf("got %v, %v", bare, err)
			}
		})
	}
}
