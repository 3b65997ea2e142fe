package pdf_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/verify"
)

// layered returns an upload with everything that can be reached other than
// through its pages: layers, names, tags, metadata, inherited attributes, and
// objects with a false declared type.
func layered(more map[int]string, trailer string) []byte {
	objects := map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/OCProperties 4 0 R/Names 7 0 R/StructTreeRoot 8 0 R/Metadata 9 0 R/MarkInfo<</Marked true>>>>",
		2:  "<</Type/Pages/Kids[10 0 R 12 0 R]/Count 2/MediaBox[0 0 612 792]/CropBox[0 0 612 792]/Rotate 0/Resources 13 0 R>>",
		3:  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		4:  "<</OCGs[5 0 R]/D 6 0 R>>",
		5:  "<</Type/OCG/Name(Hidden)>>",
		6:  "<</OFF[5 0 R]>>",
		7:  "<</EmbeddedFiles<</Names[]>>>>",
		8:  "<</Type/StructTreeRoot/K 14 0 R/ParentTree 15 0 R/ParentTreeNextKey 1>>",
		10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/StructParents 0>>",
		12: "<</Type/Page/Parent 2 0 R/Contents 11 0 R>>",
		13: "<</Font<</P 3 0 R/Parent 17 0 R>>/XObject<</X 16 0 R/Y 19 0 R>>/Properties<</L 5 0 R>>/ExtGState<</G 6 0 R>>>>",
		14: "<</Type/StructElem/S/Document/P 8 0 R/K[20 0 R]>>",
		15: "<</Nums[0[20 0 R]]>>",
		17: "<</Type/Page/Subtype/Type1/BaseFont/Helvetica>>",
		18: "<</Producer(Nobody)>>",
		20: "<</Type/StructElem/S/P/P 14 0 R/Pg 10 0 R/K 0/ActualText(Text)>>",
	}
	for n, body := range more {
		objects[n] = body
	}
	b := newBuilder()
	for n := range 60 {
		if body, ok := objects[n]; ok {
			b.object(n, body)
		}
	}
	b.stream(9, "/Type/Metadata/Subtype/XML", xmp("One"))
	b.stream(11, "", "BT /P 24 Tf 72 700 Td (Text) Tj ET /X Do /Y Do /OC /L BDC BT /P 24 Tf 72 500 Td (Hidden) Tj ET EMC")
	b.stream(16, "/Type/ObjStm/Subtype/Form/BBox[0 0 9 9]", "0 g 0 0 1 1 re f")
	b.stream(19, "/Type/XRef/Subtype/Form/BBox[0 0 9 9]", "0 g 0 0 1 1 re f")
	if trailer == "" {
		trailer = "/Info 18 0 R"
	}
	return b.end("/Root 1 0 R/ID[<00112233445566778899AABBCCDDEEFF><00112233445566778899AABBCCDDEEFF>]" + trailer)
}

func xmp(title string) string {
	return `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><title>` + title + `</title></x:xmpmeta><?xpacket end="w"?>`
}

func content(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data)
}

// A victim is a file under attack.
type victim struct {
	t     testing.TB
	bytes []byte
}

func (v victim) is(n int) string { return newest(v.bytes, n) }

// edit returns an object with a part of it replaced.
func (v victim) edit(n int, old, with string) string {
	v.t.Helper()
	was := v.is(n)
	if !strings.Contains(was, old) {
		v.t.Fatalf("%q is not in object %d: %s", old, n, was)
	}
	return strings.Replace(was, old, with, 1)
}

func (v victim) field(name string) int { return number(v.t, v.bytes, "paraph_"+name) }

// ref returns the number that an entry of an object refers to.
func (v victim) ref(n int, entry string) int {
	v.t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(entry) + ` ?(?:<<[^>]*?)?(\d+) 0 R`).FindStringSubmatch(v.is(n))
	if m == nil {
		v.t.Fatalf("object %d has no %s: %s", n, entry, v.is(n))
	}
	out, _ := strconv.Atoi(m[1])
	return out
}

func (v victim) with(objects map[int]string) []byte { return patch(v.bytes, objects) }

func (v victim) form() int  { return v.ref(1, "/AcroForm") }
func (v victim) store() int { return v.ref(1, "/DSS") }

// adding returns the form with one more field.
func (v victim) adding(n int) string {
	return v.edit(v.form(), "/Fields [", fmt.Sprintf("/Fields [%d 0 R ", n))
}

func (v victim) onPage(n int) string {
	return v.edit(10, "/Annots [", fmt.Sprintf("/Annots [%d 0 R ", n))
}

// TestForgeries covers completed files that were modified without any key:
// every signature must report the change.
func TestForgeries(t *testing.T) {
	t.Parallel()
	v := victim{t, complete(t, layered(nil, ""), twoSignatories()).bytes}
	for who, s := range signatures(t, v.bytes) {
		if !s.Sound() {
			t.Fatalf("%s before the attack: %v %+v", who, s.Problems, s.Later)
		}
	}
	other := content("", "BT /P 24 Tf 72 700 Td (Another) Tj ET")
	white := content("/Type/XObject/Subtype/Form/BBox[0 0 99 99]", "1 g 0 0 99 99 re f")
	alice, check, text := v.field("alice"), v.field("a_check"), v.field("a_text")
	widget := "/Type/Annot/Subtype/Widget/P 10 0 R/F 4"
	for name, objects := range map[string]map[int]string{
		"content claimed by a field":       {11: content("/FT/Sig/T(x)", "0 g"), v.form(): v.adding(11)},
		"page claimed by a field":          {10: v.edit(10, "/Type /Page", "/Type /Page/FT/Sig/T(x)/UserUnit 2"), v.form(): v.adding(10)},
		"page tree claimed by a field":     {2: v.edit(2, "/MediaBox[0 0 612 792]", "/MediaBox[0 0 9 9]/FT/Sig/T(x)"), v.form(): v.adding(2)},
		"content claimed as a kid":         {400: "<</FT/Sig/T(x)/Kids[11 0 R]>>", 11: content("", "0 g"), v.form(): v.adding(400)},
		"font claimed as a widget":         {3: "<</Type/Font/Subtype/Type1/BaseFont/Symbol/FT/Sig/T(x)>>", v.form(): v.adding(3), 10: v.onPage(3)},
		"inherited media box":              {2: v.edit(2, "/MediaBox[0 0 612 792]", "/MediaBox[0 0 300 300]")},
		"inherited crop box":               {2: v.edit(2, "/CropBox[0 0 612 792]", "/CropBox[0 0 300 300]")},
		"inherited rotation":               {2: v.edit(2, "/Rotate 0", "/Rotate 180")},
		"inherited resources":              {2: v.edit(2, "/Resources 13 0 R", "/Resources<</Font<</P 17 0 R>>>>")},
		"shared resources":                 {13: v.edit(13, "/P 3 0 R", "/P 17 0 R")},
		"resource called P":                {3: "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>"},
		"resource called Parent":           {17: "<</Type/Page/Subtype/Type1/BaseFont/Symbol>>"},
		"drawing typed object stream":      {16: content("/Type/ObjStm/Subtype/Form/BBox[0 0 9 9]", "1 g 0 0 9 9 re f")},
		"drawing typed cross-reference":    {19: content("/Type/XRef/Subtype/Form/BBox[0 0 9 9]", "1 g 0 0 9 9 re f")},
		"layer switched on":                {1: v.edit(1, "/OFF [5 0 R]", "/OFF []/ON[5 0 R]")},
		"layers replaced":                  {1: v.edit(1, "/OCProperties", "/OCProperties 4 0 R/Was"), 4: "<</OCGs[5 0 R]/D<<>>>>"},
		"layer and information at once":    {6: "<</OFF[]>>", 1: v.edit(1, "/Pages", "/X 6 0 R/Pages")},
		"names":                            {7: "<</JavaScript<</Names[(a)<</S/JavaScript/JS(1)>>]>>>>"},
		"text that is read out":            {20: v.edit(20, "(Text)", "(Another)")},
		"another element for the text":     {400: "<</Type/StructElem/S/P/P 14 0 R/Pg 10 0 R/K 0/ActualText(Another)>>", 14: v.edit(14, "[20 0 R]", "[20 0 R 400 0 R]")},
		"circular tags":                    {14: v.edit(14, "[20 0 R]", "[20 0 R 8 0 R]")},
		"metadata that is not XMP":         {9: content("/Type/Metadata", "0 g")},
		"metadata removed":                 {1: v.edit(1, "/Metadata 9 0 R", "")},
		"content turned into information":  {11: "<</Producer(x)>>"},
		"page shows something else":        {10: v.edit(10, "/Contents 11 0 R", "/Contents 400 0 R"), 400: other},
		"content replaced":                 {11: other},
		"page rotated":                     {10: v.edit(10, "/Type /Page", "/Type /Page/Rotate 90")},
		"unit of a page":                   {10: v.edit(10, "/Type /Page", "/Type /Page/UserUnit 2")},
		"an action of a page":              {10: v.edit(10, "/Type /Page", "/Type /Page/AA<</O<</S/JavaScript/JS(1)>>>>")},
		"another page":                     {2: v.edit(2, "/Kids[10 0 R 12 0 R]/Count 2", "/Kids[10 0 R 12 0 R 400 0 R]/Count 3"), 400: "<</Type/Page/Parent 2 0 R>>"},
		"count of pages":                   {2: v.edit(2, "/Count 2", "/Count 1")},
		"annotation removed":               {10: v.edit(10, fmt.Sprintf(" %d 0 R", check), "")},
		"annotation listed twice":          {10: v.edit(10, "/Annots [", fmt.Sprintf("/Annots [%d 0 R ", check))},
		"annotation on another page":       {12: v.edit(12, "/Type/Page", fmt.Sprintf("/Type/Page/Annots[%d 0 R]", check))},
		"free text":                        {400: "<</Type/Annot/Subtype/FreeText/Rect[9 9 99 99]/Contents(x)>>", 10: v.onPage(400)},
		"signature appearance overwritten": {v.ref(alice, "/AP"): white},
		"signature appearance replaced":    {alice: v.edit(alice, fmt.Sprintf("/N %d 0 R", v.ref(alice, "/AP")), "/N 400 0 R"), 400: white},
		"signature moved":                  {alice: v.edit(alice, "/Rect [", "/Rect [1 1 9 9]/X [")},
		"signature hidden":                 {alice: v.edit(alice, "/F 4", "/F 2")},
		"signature renamed":                {alice: v.edit(alice, "/T (paraph_alice)", "/T (x)")},
		"signature moved to another page":  {alice: v.edit(alice, "/P 10 0 R", "/P 12 0 R")},
		"check box cleared":                {check: v.edit(check, "/AS /Yes", "/AS /Off")},
		"check mark for off":               {v.ref(check, "/Off"): white},
		"check box, value only":            {check: v.edit(check, "/V /Yes", "/V /Off")},
		"locked value":                     {text: v.edit(text, "/V <", "/V (x)/W <")},
		"locked appearance":                {v.ref(text, "/AP"): white},
		"field becomes a signature":        {text: v.edit(text, "/FT /Tx", "/FT /Sig")},
		"parent of a field":                {text: v.edit(text, "/FT /Tx", "/FT /Tx/Parent 400 0 R"), 400: "<</T(x)/Kids[]>>"},
		"kids of a field":                  {text: v.edit(text, "/FT /Tx", "/FT /Tx/Kids[400 0 R]"), 400: "<<" + widget + "/Rect[0 0 9 9]>>"},
		"action of a field":                {text: v.edit(text, "/FT /Tx", "/FT /Tx/A<</S/JavaScript/JS(1)>>")},
		"visible field, empty":             {400: "<<" + widget + "/FT/Sig/T(x)/Rect[72 690 200 720]/AP<</N 401 0 R>>>>", 401: white, v.form(): v.adding(400), 10: v.onPage(400)},
		"visible field for text":           {400: "<<" + widget + "/FT/Tx/T(x)/V(x)/Rect[72 690 200 720]/AP<</N 401 0 R>>>>", 401: white, v.form(): v.adding(400), 10: v.onPage(400)},
		"widget without a field":           {400: "<<" + widget + "/Rect[72 690 200 720]/AP<</N 401 0 R>>>>", 401: white, 10: v.onPage(400)},
		"field of the same name":           {400: "<<" + widget + "/FT/Sig/T(paraph_alice)/Rect[0 0 0 0]>>", v.form(): v.adding(400)},
		"signature of another field":       {400: fmt.Sprintf("<<"+widget+"/FT/Sig/T(x)/Rect[0 0 0 0]/V %d 0 R>>", v.ref(alice, "/V")), v.form(): v.adding(400)},
		"field with a script":              {400: "<<" + widget + "/FT/Sig/T(x)/Rect[0 0 0 0]/AA<</X<</S/JavaScript/JS(1)>>>>>>", v.form(): v.adding(400)},
		"field removed":                    {v.form(): v.edit(v.form(), fmt.Sprintf("%d 0 R", check), "")},
		"flags of the form":                {v.form(): v.edit(v.form(), "/SigFlags 3", "/SigFlags 0")},
		"XFA":                              {v.form(): v.edit(v.form(), "/Fields", "/XFA 400 0 R/Fields"), 400: content("", "<x/>")},
		"order of calculation":             {v.form(): v.edit(v.form(), "/Fields", "/CO[400 0 R]/Fields"), 400: "<<>>"},
		"default resources":                {v.form(): v.edit(v.form(), "/DR <<", "/DR <</Font<<>>>>/X <<")},
		"store emptied":                    {v.store(): "<</Type/DSS>>"},
		"store without lists":              {v.store(): v.edit(v.store(), "/CRLs [", "/CRLs []/X [")},
		"store without entries":            {v.store(): v.edit(v.store(), "/VRI <<", "/VRI <<>>/X <<")},
		"store replaced":                   {1: v.edit(1, fmt.Sprintf("/DSS %d 0 R", v.store()), "/DSS 400 0 R"), 400: "<</Type/DSS>>"},
		"store removed":                    {1: v.edit(1, fmt.Sprintf("/DSS %d 0 R", v.store()), "")},
		"store is an object in use":        {1: v.edit(1, fmt.Sprintf("/DSS %d 0 R", v.store()), "/DSS 7 0 R"), 7: v.is(v.store())},
		"certification removed":            {1: v.edit(1, "/Perms", "/X")},
		"action on opening":                {1: v.edit(1, "/Pages", "/OpenAction<</S/JavaScript/JS(1)>>/Pages")},
		"other pages":                      {1: v.edit(1, "/Pages 2 0 R", "/Pages 400 0 R"), 400: "<</Type/Pages/Kids[12 0 R]/Count 1/MediaBox[0 0 612 792]>>"},
		"version that is a reference":      {1: v.edit(1, "/Pages", "/Version 11 0 R/Pages")},
		"duplicate key":                    {check: v.edit(check, "/T (", "/T (x)/T (")},
		"page turned into a stream":        {10: content("/Type/Page/Parent 2 0 R/Contents 11 0 R", "x")},
		"annotations turned into a stream": {10: v.edit(10, "/Annots [", "/Annots 400 0 R/X ["), 400: content("", "x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unsound(t, v.with(objects))
		})
	}
	for name, b := range map[string][]byte{
		"separate root":              patchFrom(v.bytes, map[int]string{400: "<</Type/Catalog/Pages 401 0 R>>", 401: "<</Type/Pages/Kids[402 0 R]/Count 1>>", 402: "<</Type/Page/Parent 401 0 R>>"}, startXref(v.bytes), "/Root 400 0 R"),
		"information in use":         patchFrom(v.bytes, map[int]string{6: "<</OFF[]>>"}, startXref(v.bytes), "/Info 6 0 R"),
		"information is a font":      patchFrom(v.bytes, map[int]string{3: "<</BaseFont/Symbol>>"}, startXref(v.bytes), "/Info 3 0 R"),
		"content freed":              bytes.Replace(patch(v.bytes, map[int]string{11: "<<>>"}), []byte(fmt.Sprintf("11 1\n%010d 00000 n", len(v.bytes))), []byte("11 1\n0000000000 00001 f"), 1),
		"content's generation":       bytes.Replace(v.with(map[int]string{11: v.is(11)}), []byte(fmt.Sprintf("11 1\n%010d 00000 n", len(v.bytes))), []byte(fmt.Sprintf("11 1\n%010d 00001 n", len(v.bytes))), 1),
		"an object not listed":       patch(append(bytes.Clone(v.bytes), "\n11 0 obj\n"+other+"\nendobj\n"...), nil),
		"a listed object is missing": bytes.Replace(v.with(map[int]string{400: "<<>>"}), []byte(fmt.Sprintf("400 1\n%010d", len(v.bytes))), []byte(fmt.Sprintf("400 1\n%010d", len(v.bytes)+3)), 1),
		"a hybrid section":           hybrid(v.bytes, 11, other),
		"two steps":                  patch(patchFrom(v.bytes, nil, startXref(v.bytes), "/Info 6 0 R"), map[int]string{6: "<</OFF[]>>"}),
		"a lost revision":            patchFrom(v.bytes, map[int]string{400: "<<>>"}, startXref(layered(nil, "")), ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if bytes.Equal(b, v.bytes) {
				t.Fatal("the file is unchanged")
			}
			unsound(t, b)
		})
	}
}

// hybrid appends a section that shows readers of cross-reference streams a
// different object.
func hybrid(b []byte, n int, body string) []byte {
	out := bytes.NewBuffer(bytes.Clone(b))
	at := out.Len()
	fmt.Fprintf(out, "%d 0 obj\n%s\nendobj\n", n, body)
	stream := out.Len()
	data := []byte{1, byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at), 0}
	fmt.Fprintf(out, "450 0 obj\n<</Type/XRef/W[1 4 1]/Index[%d 1]/Size 500/Root 1 0 R/Length 6>>\nstream\n%s\nendstream\nendobj\n", n, data)
	return tableFrom(out, map[int]int{450: stream}, startXref(b), fmt.Sprintf("/XRefStm %d", stream))
}

// unsound checks that every signature of a file is reported, and none as sound.
func unsound(t *testing.T, b []byte) {
	t.Helper()
	f, err := pdf.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return // the file is not reported as sound at all
	}
	sigs, err := verify.Signatures(f.File)
	if err != nil {
		return
	}
	if len(sigs) < 4 {
		t.Errorf("%d signatures remain", len(sigs))
	}
	for _, s := range sigs {
		if s.Sound() {
			t.Errorf("%s is sound: %+v", s.Field, s.Later)
		}
	}
}

// TestArranged covers uploads arranged so that one object has both a harmless
// and a visible role: changing it is reported.
func TestArranged(t *testing.T) {
	t.Parallel()
	field := "<</Type/Annot/Subtype/Widget/FT/Tx/T(theirs)/Rect[9 9 99 29]/F 4/P 10 0 R/AP 6 0 R>>"
	catalog := "<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[5 0 R]/D 6 0 R>>"
	for name, upload := range map[string][]byte{
		"information":    layered(nil, "/Info 6 0 R"),
		"appearance":     layered(map[int]string{1: catalog + "/AcroForm<</Fields[30 0 R]>>>>", 30: field, 10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/Annots[30 0 R]>>"}, ""),
		"metadata":       layered(map[int]string{1: catalog + "/Metadata 6 0 R>>"}, ""),
		"extensions":     layered(map[int]string{1: catalog + "/Extensions 6 0 R>>"}, ""),
		"resources":      layered(map[int]string{1: catalog + "/AcroForm<</Fields[]/DR 6 0 R>>>>"}, ""),
		"tags":           layered(map[int]string{1: catalog + "/StructTreeRoot 6 0 R>>"}, ""),
		"annotation":     layered(map[int]string{10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/Annots[6 0 R]>>"}, ""),
		"information's":  layered(map[int]string{18: "<</Producer 6 0 R>>"}, ""),
		"value":          layered(map[int]string{1: catalog + "/AcroForm<</Fields[30 0 R]>>>>", 30: strings.Replace(field, "/AP", "/V", 1), 10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/Annots[30 0 R]>>"}, ""),
		"private mark":   layered(nil, "/Mark 6 0 R"),
		"list of fields": layered(map[int]string{1: catalog + "/AcroForm<</Fields 6 0 R>>>>"}, ""),
		"only field":     layered(map[int]string{1: catalog + "/AcroForm<</Fields[6 0 R]>>>>"}, ""),
	} {
		v := victim{t, halfSigned(t, upload)}
		if s := signatures(t, v.bytes)["certification"]; !s.Sound() {
			t.Fatalf("%s: before the attack: %v %+v", name, s.Problems, s.Later)
		}
		for _, with := range []string{"<</OFF[]/ON[5 0 R]>>", "<</OFF[]/FT/Tx/V(x)>>"} {
			if s := signatures(t, v.with(map[int]string{6: with}))["certification"]; s.Sound() {
				t.Errorf("%s: what pages show is changed: %+v", name, s.Later)
			}
		}
	}
}

// TestUnreadableSignature damages a signature, which must be reported as
// broken.
func TestUnreadableSignature(t *testing.T) {
	t.Parallel()
	c := complete(t, plain(2), twoSignatories())
	for who, s := range signatures(t, c.bytes) {
		at := int(s.ByteRange[1])
		start := bytes.LastIndex(c.bytes[:at], []byte(" obj\n<<"))
		for name, damage := range map[string]func([]byte){
			"dictionary": func(b []byte) { b[start+5] = '[' },
			"contents":   func(b []byte) { b[at] = '[' },
			"object":     func(b []byte) { b[start+1] = 'x' },
			"byte range": func(b []byte) {
				copy(b[start+bytes.Index(b[start:], []byte("/ByteRange")):], "/ByteRang_")
			},
		} {
			b := bytes.Clone(c.bytes)
			damage(b)
			sigs := signatures(t, b)
			sound := 0
			for _, s := range sigs {
				if s.Sound() {
					sound++
				}
			}
			if len(sigs) < 4 || sound > 3 {
				t.Errorf("%s, %s: %d signatures, %d of them sound", who, name, len(sigs), sound)
			}
		}
	}
}
