package app_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// archiveFields returns fields of every type for the first of two people; the second
// has none and therefore signs in a block on an appended page.
func archiveFields() (apptest.List, apptest.Map) {
	fields, values, _ := grid(1, [2]float64{595, 842})
	return fields, values
}

// TestPDFAStaysPDFA completes uploads that claim to be PDF/A (ISO 19005):
// everything added to them conforms to their part.
func TestPDFAStaysPDFA(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	preflight := startPreflight(t)
	for name, x := range map[string]struct {
		upload []byte
		claim  string
	}{
		"part 1":             {asPDFA(t, 1), "1"},
		"part 2":             {asPDFA(t, 2), "2"},
		"part 3":             {asPDFA(t, 3), "3"},
		"part 2, for print":  {claiming("2", "CMYK"), "2"},
		"part 2, in grey":    {claiming("2", "GRAY"), "2"},
		"part 1, for print":  {claiming("1", "CMYK"), "1"},
		"part 2, no profile": {claiming("2", ""), "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fields, values := archiveFields()
			mark := apptest.Map{"type": "image", "data": base64.StdEncoding.EncodeToString(wavyPicture(t))}
			d := deal{files: []apptest.File{{Name: "x.pdf", Content: x.upload}}, data: apptest.Map{"invitations": apptest.List{guest(0), guest(1)}, "fields": fields},
				signs: []apptest.Map{{"fields": values, "signature": mark, "initials": apptest.Map{"type": "drawn", "data": wavy}}}}
			doc := d.complete(t, c)
			wantFinding(t, doc, "pdfa", "PDF/A-"+x.claim)
			files, certificate := download(t, c, doc)
			// Signatures: one signer, with its certificate, covering the whole file.
			path := j.completed(t, files["x.pdf"], sealed{upload: x.upload, first: true, signatures: 3})
			was := j.file(t, x.upload)
			a := archive{t, x.claim, readObjects(t, was), readObjects(t, path)}
			a.check()
			if name == "part 1" { // the others only claim to be PDF/A
				noNewFinding(t, preflight, was, path)
			}
			empty := map[string]any{"trailer": map[string]any{"value": map[string]any{}}}
			a = archive{t, "3", empty, readObjects(t, j.completed(t, certificate, sealed{signatures: 1}))}
			a.check()
		})
	}
}

// noNewFinding fails the test if Preflight reports anything that it does not
// report about the upload.
func noNewFinding(t *testing.T, preflight *verifier, was, is string) {
	t.Helper()
	before, err1 := preflight.ask(was)
	after, err2 := preflight.ask(is)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			t.Errorf("Preflight reports a new finding: %s", line)
		}
	}
}

// asPDFA returns a file that LibreOffice writes as PDF/A.
func asPDFA(t *testing.T, part int) []byte {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "letter.docx")
	if err := os.WriteFile(in, apptest.DOCX(t, "A letter for the archive."), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "soffice", "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to",
		fmt.Sprintf(`pdf:writer_pdf_Export:{"SelectPdfVersion":{"type":"long","value":"%d"}}`, part), "--outdir", dir, in)
	b, err := os.ReadFile(filepath.Join(dir, "letter.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// claiming returns a file that claims to be PDF/A, with an output profile for a
// colour space; the profile is only a header.
func claiming(part, space string) []byte {
	xmp := `<x:xmpmeta xmlns:x="adobe:ns:meta/"><pdfaid:part>` + part + `</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></x:xmpmeta>`
	catalog, more := "/Metadata 100 0 R", []string{fmt.Sprintf("<</Type/Metadata/Subtype/XML/Length %d>>stream\n%s\nendstream", len(xmp), xmp)}
	if space != "" {
		profile := strings.Repeat(" ", 12) + "prtr" + space + strings.Repeat(" ", 108)
		catalog += "/OutputIntents[<</S/GTS_PDFA1/DestOutputProfile 101 0 R>>]"
		more = append(more, stream(profile))
	}
	return papers(catalog, []paper{a4}, more...)
}

// archive checks what was added to a file that claims to be PDF/A by the rules
// of its part, numbered as in the profiles of veraPDF: by clauses of ISO
// 19005-2, or of part 1 where it says so.
type archive struct {
	*testing.T
	part    string
	was, is map[string]any // objects as qpdf reads them
}

func (a archive) broken(rule, object string, v any) {
	a.Helper()
	a.Errorf("PDF/A-%s, %s: %s is %.300v", a.part, rule, object, v)
}

func (a archive) check() {
	for _, at := range slices.Sorted(maps.Keys(a.is)) {
		if reflect.DeepEqual(a.was[at], a.is[at]) {
			continue
		}
		d, data := a.object(a.is[at])
		a.values(at, d)
		if d == nil {
			continue
		}
		a.annotation(at, d)
		a.font(at, d)
		a.file(at, d)
		if data != nil {
			a.stream(at, d, data)
		}
		for _, key := range []string{"/AA", "/PresSteps", "/Requirements", "/NeedsRendering", "/XFA", "/OPI", "/Ref", "/PS", "/Alternates", "/TR", "/HTP"} {
			if d[key] != nil {
				a.broken("a forbidden key", at+" "+key, d)
			}
		}
	}
	a.document()
}

// document checks the file as a whole.
func (a archive) document() {
	trailer := a.dict(a.is["trailer"])
	if id, ok := trailer["/ID"].([]any); !ok || len(id) != 2 || trailer["/Encrypt"] != nil {
		a.broken("6.1.3", "the trailer", trailer)
	}
	catalog, before := a.dict(trailer["/Root"]), a.dict(a.dict(a.was["trailer"])["/Root"])
	for _, key := range []string{"/Metadata", "/OutputIntents"} {
		if v := before[key]; v != nil && !reflect.DeepEqual(v, catalog[key]) {
			a.broken("6.6.4", "the catalog's "+key, catalog[key])
		}
	}
	if at, ok := catalog["/Metadata"].(string); !ok || len(before) > 0 && !reflect.DeepEqual(a.was["obj:"+at], a.is["obj:"+at]) {
		a.broken("6.6.2.1", "the metadata", at)
	}
	for key := range a.dict(catalog["/Perms"]) {
		if key != "/DocMDP" && key != "/UR3" {
			a.broken("6.1.12-1", "/Perms", key)
		}
	}
	form := a.dict(catalog["/AcroForm"])
	if form["/NeedAppearances"] == true {
		a.broken("6.4.1-3", "/AcroForm", form)
	}
	for _, at := range a.dict(a.dict(form["/DR"])["/Font"]) {
		a.font(fmt.Sprint("/DR ", at), a.dict(at))
	}
}

// annotation checks §6.3.
func (a archive) annotation(at string, d map[string]any) {
	if d["/Type"] != "/Annot" && d["/Subtype"] != "/Widget" {
		return
	}
	f, _ := d["/F"].(float64)
	if flags := int(f); flags&4 == 0 || flags&(1|2|32|256) != 0 {
		a.broken("6.3.2-2", at+" /F", d["/F"])
	}
	appearances := a.dict(d["/AP"])
	if len(appearances) != 1 || appearances["/N"] == nil {
		a.broken("6.3.3-2", at+" /AP", d["/AP"])
	}
	_, isStream := a.object(a.get(appearances["/N"]))
	kind := d["/FT"]
	for up := d; kind == nil && up["/Parent"] != nil; {
		up = a.dict(up["/Parent"])
		kind = up["/FT"]
	}
	if isStream == nil != (kind == "/Btn") {
		a.broken("6.3.3-3", at+" /AP/N", appearances["/N"])
	}
	if kind == "/Btn" {
		for state, v := range a.dict(appearances["/N"]) {
			if _, data := a.object(a.get(v)); data == nil {
				a.broken("6.3.3-3", at+" "+state, v)
			}
		}
	}
	if d["/A"] != nil {
		a.broken("6.4.1-1", at, d)
	}
}

// font checks §6.2.11.
func (a archive) font(at string, d map[string]any) {
	if d["/Type"] != "/Font" || d["/Subtype"] == "/CIDFontType2" {
		return
	}
	base, _ := d["/BaseFont"].(string)
	if d["/Subtype"] == "/Type0" {
		if _, data := a.object(a.get(d["/ToUnicode"])); len(data) == 0 || d["/Encoding"] != "/Identity-H" {
			a.broken("6.2.11.7", at, d)
		}
		d = a.dict(d["/DescendantFonts"].([]any)[0])
		if w, ok := a.get(d["/W"]).([]any); !ok || len(w) == 0 || d["/CIDToGIDMap"] != "/Identity" {
			a.broken("6.2.11.3.2-1", at, d)
		}
		if _, set := a.object(a.get(a.dict(d["/FontDescriptor"])["/CIDSet"])); len(set) == 0 {
			a.broken("6.3.5-3 of part 1", at, d)
		}
	} else {
		first, _ := d["/FirstChar"].(float64)
		last, _ := d["/LastChar"].(float64)
		widths, _ := a.get(d["/Widths"]).([]any)
		if len(widths) == 0 || len(widths) != int(last-first)+1 {
			a.broken("6.2.11.2-6", at, d)
		}
		if d["/Encoding"] != "/WinAnsiEncoding" && d["/ToUnicode"] == nil {
			a.broken("6.2.11.6-2", at, d)
		}
	}
	descriptor := a.dict(d["/FontDescriptor"])
	if _, data := a.object(a.get(descriptor["/FontFile2"])); len(data) == 0 || descriptor["/FontName"] != base || d["/BaseFont"] != base {
		a.broken("6.2.11.4.1", at, d)
	}
}

// file checks §6.8, embedded files.
func (a archive) file(at string, d map[string]any) {
	if d["/Type"] == "/EmbeddedFile" && !strings.Contains(fmt.Sprint(d["/Subtype"]), "/") {
		a.broken("6.8-1 of part 3", at, d)
	}
	if d["/EF"] == nil {
		return
	}
	associated, _ := a.get(a.dict(a.dict(a.is["trailer"])["/Root"])["/AF"]).([]any)
	if a.part != "3" || d["/F"] == nil || d["/UF"] == nil || d["/AFRelationship"] == nil || !slices.Contains(associated, any(strings.TrimPrefix(at, "obj:"))) {
		a.broken("6.8", at, d)
	}
}

// stream checks §6.1.7.
func (a archive) stream(at string, d map[string]any, data []byte) {
	filters := fmt.Sprint(d["/Filter"])
	if strings.Contains(filters, "LZW") || strings.Contains(filters, "Crypt") || d["/F"] != nil || d["/FFilter"] != nil {
		a.broken("6.1.7", at, d)
	}
	if a.part == "1" && (d["/Type"] == "/XRef" || d["/Type"] == "/ObjStm" || d["/SMask"] != nil || a.dict(d["/Group"])["/S"] == "/Transparency") {
		a.broken("6.1.4 or 6.4 of part 1", at, d)
	}
	if d["/Subtype"] == "/Image" && (d["/Interpolate"] == true || d["/ColorSpace"] == "/DeviceCMYK" && a.intent() != "CMYK") {
		a.broken("6.2.8-3", at, d)
	}
	if d["/Subtype"] == "/Form" {
		if d["/Resources"] == nil {
			a.broken("6.2.2-2", at, d)
		}
		a.colours(at, a.dict(d["/Resources"]), data)
	}
}

// colours requires device colours to match the output profile or to have a default
// colour space.
func (a archive) colours(at string, resources map[string]any, content []byte) {
	spaces, intent := a.dict(resources["/ColorSpace"]), a.intent()
	for _, op := range strings.Fields(string(content)) {
		ok := true
		switch op {
		case "rg", "RG":
			ok = intent == "RGB " || spaces["/DefaultRGB"] != nil
		case "g", "G":
			ok = intent != "" || spaces["/DefaultGray"] != nil
		case "k", "K":
			ok = intent == "CMYK" || spaces["/DefaultCMYK"] != nil
		}
		if !ok {
			a.broken("6.2.4.3", at+" "+op, spaces)
			return
		}
	}
	for _, v := range a.dict(resources["/XObject"]) {
		if d := a.dict(v); d["/ColorSpace"] == "/DeviceRGB" && intent != "RGB " && spaces["/DefaultRGB"] == nil {
			a.broken("6.2.4.3-2", at+" and its picture", d)
		}
	}
}

// intent returns the colour space of the output profile.
func (a archive) intent() string {
	all, _ := a.get(a.dict(a.dict(a.is["trailer"])["/Root"])["/OutputIntents"]).([]any)
	for _, v := range all {
		if d := a.dict(v); d["/S"] == "/GTS_PDFA1" {
			if _, profile := a.object(a.get(d["/DestOutputProfile"])); len(profile) >= 20 {
				return string(profile[16:20])
			}
		}
	}
	return ""
}
