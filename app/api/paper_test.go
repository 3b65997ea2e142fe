package api_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/pdf"
)

// handmade returns a PDF of one page with more entries of its catalog and its page, and with objects
// from number 6 on. Object 4 is its content, 5 a form that paints a black square.
func handmade(catalog, page, content string, objects ...string) []byte {
	all := append([]string{
		"<</Type/Catalog/Pages 2 0 R" + catalog + ">>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R" + page + ">>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
		"<</Type/XObject/Subtype/Form/BBox[0 0 100 100]/Length 16>>stream\n0 0 100 100 re f\nendstream",
	}, objects...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, o := range all {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, strings.Replace(o, "/Length 16>>", "/Length 18>>", 1))
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(all)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(all)+1, at)
	return b.Bytes()
}

// TestPaperShowsWhatTheScreenShows sends files of which parts are seen only on paper, or only at times.
func TestPaperShowsWhatTheScreenShows(t *testing.T) {
	t.Parallel()
	c := company(t)
	annot := func(entries string) []byte {
		return handmade("", "/Annots[6 0 R]", "", "<</Type/Annot/Subtype/Stamp/Rect[100 100 200 200]/AP<</N 5 0 R>>"+entries+">>")
	}
	layer := func(usage, config string) []byte {
		return handmade("/OCProperties<</OCGs[6 0 R]/D<</ON[6 0 R]"+config+">>>>", "/Resources<</Properties<</L 6 0 R>>>>",
			"/OC /L BDC 100 100 100 100 re f EMC", "<</Type/OCG/Name(L)/Usage<<"+usage+">>>>")
	}
	for _, tt := range []struct {
		what     string
		file     []byte
		found    bool
		appears  bool // something is seen on the screen afterwards that was not before
		remains  bool
		mentions string // the sent file doesn't
	}{
		{"a stamp that only prints", annot("/F 36"), true, true, true, "/F 36"},
		{"a stamp that is seen when pointed at", annot("/F 292"), true, true, true, "/F 292"},
		{"a stamp that doesn't print", annot("/F 0"), true, false, true, "/F 0>>"},
		{"an ordinary stamp", annot("/F 4"), false, false, true, ""},
		{"a hidden stamp", annot("/F 2"), false, false, false, ""},
		{"a stamp that changes under the pointer", handmade("", "/Annots[6 0 R]", "", "<</Type/Annot/Subtype/Stamp/F 4/Rect[100 100 200 200]/AP<</N 5 0 R/R 7 0 R>>>>", "<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream"), true, false, true, "/R 7 0 R"},
		{"a layer that only prints", layer("/View<</ViewState/OFF>>/Print<</PrintState/ON>>", "/AS[<</Event/Print/Category[/Print]/OCGs[6 0 R]>><</Event/View/Category[/View]/OCGs[6 0 R]>>]"), true, false, true, "/PrintState"},
		{"a layer that doesn't print", layer("/Print<</PrintState/OFF>>", "/AS[<</Event/Print/Category[/Print]/OCGs[6 0 R]>>]"), true, false, true, "/PrintState"},
		{"an ordinary layer", layer("", ""), false, false, true, ""},
		{"another part of the page", handmade("/ViewerPreferences<</ViewArea/CropBox/PrintArea/MediaBox>>", "/CropBox[0 0 300 300]", "100 100 100 100 re f"), true, false, true, "/PrintArea"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "x", "invitations": signers(1)}, apptest.File{Name: "a.pdf", Content: tt.file})).Want(t, 201)
			if found := strings.Contains(string(d.Body), `"paper_differs"`); found != tt.found {
				t.Errorf("found is %t: %s", found, d.Body)
			}
			at := "/documents/" + d.Text(t, "id")
			c.Post(t, at+"/send", obj{}).Want(t, 200)
			sent := c.Get(t, at+"/download?version=current").Want(t, 200).Body
			before, after := inkOf(t, tt.file), inkOf(t, sent)
			if before == 0 && after > 0 != tt.appears || before > 0 && tt.appears || after > 0 != tt.remains {
				t.Errorf("the page has %d black pixels, and %d when it is sent", before, after)
			}
			f, err := pdf.Open(bytes.NewReader(sent), int64(len(sent)))
			if err != nil {
				t.Fatal(err)
			}
			if in := f.Inspect(); in.Uneven > 0 {
				t.Errorf("%d parts still differ", in.Uneven)
			}
			if rest := sent[len(tt.file):]; tt.mentions != "" && bytes.Contains(rest, []byte(tt.mentions)) {
				t.Errorf("the revision still has %s", tt.mentions)
			}
			c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
			checkSigned(t, c.Get(t, at+"/download").Want(t, 200).Body, 2)
		})
	}
}

// TestImagesForPaperAreRefused uploads an image that another one replaces on paper.
func TestImagesForPaperAreRefused(t *testing.T) {
	t.Parallel()
	const image = "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1%s>>stream\n0\nendstream"
	file := handmade("", "/Resources<</XObject<</I 6 0 R>>>>", "/I Do", fmt.Sprintf(image, "/Alternates[<</Image 7 0 R/DefaultForPrinting true>>]"), fmt.Sprintf(image, ""))
	r := failed(t, company(t).Post(t, "/documents", apptest.Multipart(t, obj{"title": "x"}, apptest.File{Name: "a.pdf", Content: file})), 422, "files.0")
	if !strings.Contains(string(r.Body), `"paper_images"`) {
		t.Errorf("refused with %s", r.Body)
	}
}
