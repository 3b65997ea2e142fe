package app_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// tool runs a program that creates an input, and must succeed.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := run(t, name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return out
}

// stranger signs PDFs as third-party software does, with openssl.
type stranger struct{ key, certificate string }

func newStranger(t *testing.T) stranger {
	t.Helper()
	dir := t.TempDir()
	s := stranger{filepath.Join(dir, "key.pem"), filepath.Join(dir, "certificate.pem")}
	tool(t, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=A Stranger", "-days", "30", "-keyout", s.key, "-out", s.certificate)
	return s
}

// sign creates a signed PDF; level 1 to 3 certifies it with DocMDP, 0 does not.
func (s stranger) sign(t *testing.T, level int) []byte {
	t.Helper()
	if level == 0 {
		return s.signWith(t, "", "")
	}
	return s.signWith(t, "/Perms<</DocMDP 101 0 R>>", fmt.Sprintf("/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2/P %d>>", level))
}

// lock creates a signed PDF whose signature locks all fields.
func (s stranger) lock(t *testing.T) []byte {
	t.Helper()
	return s.signWith(t, "", "/TransformMethod/FieldMDP/TransformParams<</Type/TransformParams/V/1.2/Action/All>>")
}

func (s stranger) signWith(t *testing.T, catalog, transform string) []byte {
	t.Helper()
	const room = 4096
	reference := ""
	if transform != "" {
		reference = "/Reference[<</Type/SigRef" + transform + ">>]"
	}
	b := papers(catalog+"/AcroForm<</Fields[100 0 R]/SigFlags 3>>", []paper{a4},
		"<</Type/Annot/Subtype/Widget/FT/Sig/T(stranger)/F 132/Rect[0 0 0 0]/P 10 0 R/V 101 0 R>>",
		"<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/adbe.pkcs7.detached/M(D:20260101120000Z)"+reference+
			"/ByteRange [0 0000000000 0000000000 0000000000]/Contents<"+strings.Repeat("0", 2*room)+">>>")
	from := bytes.Index(b, []byte("/Contents<00")) + len("/Contents")
	to := from + 2*room + 2
	place := bytes.Index(b, []byte("0000000000 0000000000 0000000000]"))
	copy(b[place:], fmt.Sprintf("%010d %010d %010d]", from, to, len(b)-to))
	dir := t.TempDir()
	content, cms := filepath.Join(dir, "content"), filepath.Join(dir, "cms")
	if err := os.WriteFile(content, slices.Concat(b[:from], b[to:]), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "openssl", "cms", "-sign", "-binary", "-md", "sha256", "-signer", s.certificate, "-inkey", s.key, "-in", content, "-outform", "DER", "-out", cms)
	signature, err := os.ReadFile(cms)
	if err != nil {
		t.Fatal(err)
	}
	hex.Encode(b[from+1:], signature)
	return b
}

// TestSignedUploads checks that signatures in uploads stay valid.
func TestSignedUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	foreign := newStranger(t)
	// Its certificates are valid for minutes, and pdfsig asks whether they are now: so not before its turn.
	own := func(t *testing.T) []byte {
		files, _ := download(t, c, deal{files: []apptest.File{{Name: "own.pdf", Content: papers("", []paper{a4})}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}.complete(t, c))
		return files["own.pdf"]
	}
	place := apptest.Map{"type": "signature", "invitation_id": "0", "x": .1, "y": .1, "width": .3, "height": .1}
	note := apptest.Map{"type": "text", "invitation_id": "0", "name": "note", "x": .1, "y": .3, "width": .3, "height": .05}
	for name, x := range map[string]struct {
		upload  []byte
		had     int // signatures in the upload
		foreign int
		fields  apptest.List
	}{
		"ours":                             {nil, 2, 0, nil},
		"a stranger's":                     {foreign.sign(t, 0), 1, 1, nil},
		"a stranger's, with fields":        {foreign.sign(t, 0), 1, 1, apptest.List{place, note}},
		"certified for forms":              {foreign.sign(t, 2), 1, 1, nil},
		"certified for forms, and a place": {foreign.sign(t, 2), 1, 1, apptest.List{place}},
		"certified for annotations":        {foreign.sign(t, 3), 1, 1, apptest.List{place}},
		"signed by MuPDF":                  {byMuPDF(t, foreign), 1, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if x.upload == nil {
				x.upload = own(t)
			}
			data := apptest.Map{"invitations": apptest.List{guest(0), guest(1)}}
			d := deal{files: []apptest.File{{Name: "signed.pdf", Content: x.upload}}, data: data}
			if x.fields != nil {
				data["fields"] = x.fields
			}
			if len(x.fields) == 2 {
				d.signs = []apptest.Map{{"fields": apptest.Map{"note": "Noted."}}}
			}
			doc := d.complete(t, c)
			wantFinding(t, doc, "already_signed", "stay as they are")
			files, certificate := download(t, c, doc)
			j.completed(t, files["signed.pdf"], sealed{upload: x.upload, first: true, signatures: x.had - x.foreign + 2, foreign: x.foreign, signed: true})
			j.completed(t, certificate, sealed{signatures: 1})
		})
	}
	for name, upload := range map[string][]byte{
		"certified against every change": foreign.sign(t, 1),
		"signed and encrypted":           throughQPDF(t, foreign.sign(t, 0), "--encrypt", "", "owner", "256", "--"),
		"signed and damaged":             damage(foreign.sign(t, 0)),
		"signed, not found by others":    bytes.ReplaceAll(foreign.sign(t, 0), []byte("/Pages 2 0 R"), []byte("/Pages 2 7 R")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": name}, apptest.File{Name: "signed.pdf", Content: upload})).Want(t, http.StatusUnprocessableEntity)
			understood(t, r, "signed.pdf")
		})
	}
}

// damage removes the end of a file, and with it the cross-reference table.
func damage(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("xref\n0 "))] }

// withoutTable removes only the cross-reference table.
func withoutTable(b []byte) []byte {
	from := bytes.LastIndex(b, []byte("xref\n0 "))
	return slices.Concat(b[:from], b[from+bytes.Index(b[from:], []byte("trailer")):])
}

// byMuPDF signs a PDF that has a field for it with MuPDF.
func byMuPDF(t *testing.T, s stranger) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out, pfx := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf"), filepath.Join(dir, "s.pfx")
	tool(t, "openssl", "pkcs12", "-export", "-inkey", s.key, "-in", s.certificate, "-passout", "pass:x", "-out", pfx)
	b := papers("/AcroForm<</Fields[100 0 R]/SigFlags 1>>", []paper{a4}, "<</Type/Annot/Subtype/Widget/FT/Sig/T(stranger)/F 4/Rect[100 100 300 150]/P 10 0 R>>")
	if err := os.WriteFile(in, b, 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "mutool", "sign", "-s", pfx, "-P", "x", "-o", out, in, "100")
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// throughQPDF transforms a file with qpdf.
func throughQPDF(t *testing.T, b []byte, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, b, 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "qpdf", append(append([]string{"--allow-weak-crypto", in}, args...), out)...)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantFinding looks for a finding that the inspection must report for the first
// file.
func wantFinding(t *testing.T, doc *apptest.Response, code, says string) {
	t.Helper()
	for _, f := range doc.At(t, "files.0.findings").(apptest.List) {
		if m := f.(apptest.Map); m["code"] == code && strings.Contains(fmt.Sprint(m["message"]), says) {
			return
		}
	}
	t.Errorf("no finding %s with %q: %v", code, says, doc.At(t, "files.0.findings"))
}

const (
	script  = "<</S/JavaScript/JS(app.alert\\(1\\))>>"
	invoice = "<</Type/Filespec/F(invoice.xml)/UF(invoice.xml)/EF<</F 101 0 R>>>>"
	input   = "<</Type/Annot/Subtype/Widget/FT/Tx/T(theirs)/V(their value)/DA(/Helv 10 Tf 0 g)/F 4/Rect[100 100 300 120]/P 10 0 R>>"
)

func stream(body string) string {
	return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(body), body)
}

// TestPeculiarUploads uploads PDFs with unusual content: each is reported in
// the findings, and the file completes.
func TestPeculiarUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	plain := papers("", []paper{a4, a4})
	for name, x := range map[string]struct {
		upload    []byte
		code      string
		says      string
		rewritten bool   // the base is not the upload
		show      string // an object that mutool shows afterwards
		gone      string // and must not show
	}{
		"form":                 {upload: papers("/AcroForm<</Fields[100 0 R]/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 0 Tf 0 g)>>", []paper{a4}, input), code: "existing_form", says: "kept"},
		"static XFA":           {upload: papers("/AcroForm<</Fields[100 0 R]/XFA 101 0 R/DR<</Font<</Helv 3 0 R>>>>>>", []paper{a4}, input, stream("<xdp/>")), code: "xfa", says: "removed", show: "trailer/Root/AcroForm/XFA", gone: "101"},
		"JavaScript":           {upload: papers("/OpenAction "+script, []paper{a4}), code: "javascript", says: "removed", show: "trailer/Root/OpenAction", gone: "JavaScript"},
		"named JavaScript":     {upload: papers("/Names<</JavaScript<</Names[(x) 100 0 R]>>>>", []paper{a4}, script), code: "javascript", says: "removed", show: "trailer/Root/Names/JavaScript", gone: "100"},
		"launch":               {upload: papers("/OpenAction<</S/Launch/F(calc.exe)>>", []paper{a4}), code: "launch_action", says: "removed", show: "trailer/Root/OpenAction", gone: "Launch"},
		"embedded file":        {upload: papers("/Names<</EmbeddedFiles<</Names[(x) 100 0 R]>>>>", []paper{a4}, invoice, stream("<invoice/>")), code: "embedded_files", says: "embedded in this file: 1"},
		"claims PDF/A":         {upload: asPDFA(t, 2), code: "pdfa", says: "PDF/A-2B"},
		"owner password":       {upload: throughQPDF(t, plain, "--encrypt", "", "owner", "256", "--"), code: "encrypted", says: "removed", rewritten: true},
		"owner password RC4":   {upload: throughQPDF(t, plain, "--encrypt", "", "owner", "128", "--"), code: "encrypted", says: "removed", rewritten: true},
		"no table":             {upload: withoutTable(plain), code: "repaired", says: "repaired", rewritten: true},
		"wrong startxref":      {upload: bytes.Replace(plain, []byte("startxref\n"), []byte("startxref\n9"), 1), code: "repaired", says: "repaired", rewritten: true},
		"cut in the table":     {upload: plain[:len(plain)-120], code: "repaired", says: "repaired", rewritten: true},
		"cut before the table": {upload: damage(plain), code: "repaired", says: "repaired", rewritten: true},
		"cut in an object":     {upload: plain[:bytes.Index(plain, []byte("endobj\n3 0 obj"))], code: "repaired", says: "repaired", rewritten: true},
		"no header":            {upload: bytes.TrimPrefix(plain, []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")), code: "repaired", says: "repaired", rewritten: true},
		"no header, no end":    {upload: bytes.TrimPrefix(damage(plain), []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")), code: "repaired", says: "repaired", rewritten: true},
		"root of another age":  {upload: bytes.Replace(plain, []byte("/Root 1 0 R"), []byte("/Root 1 1 R"), 1), code: "repaired", says: "repaired", rewritten: true},
		"pages of another age": {upload: bytes.Replace(plain, []byte("/Pages 2 0 R"), []byte("/Pages 2 7 R"), 1), code: "repaired", says: "repaired", rewritten: true},
		"page of another age":  {upload: bytes.Replace(plain, []byte("\n12 0 obj"), []byte("\n12 1 obj"), 1), code: "repaired", says: "repaired", rewritten: true},
		"no end":               {upload: bytes.TrimSuffix(plain, []byte("%%EOF\n"))},
		"junk in front":        {upload: append([]byte("Content-Type: application/pdf\r\n\r\n"), plain...)},
		"junk behind":          {upload: append(bytes.Clone(plain), "\n<!-- served in 3 ms -->\n"...)},
		"object streams":       {upload: throughQPDF(t, plain, "--object-streams=generate")},
		"linearized":           {upload: throughQPDF(t, plain, "--linearize")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := deal{files: []apptest.File{{Name: "x.pdf", Content: x.upload}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}.complete(t, c)
			if x.code != "" {
				wantFinding(t, doc, x.code, x.says)
			}
			rewritten := x.rewritten || slices.Contains(doc.Texts(t, "files.0.findings", "code"), "repaired")
			files, certificate := download(t, c, doc)
			path := j.completed(t, files["x.pdf"], sealed{upload: x.upload, first: !rewritten, signatures: 2})
			j.completed(t, certificate, sealed{signatures: 1})
			if x.show != "" {
				if out := tool(t, "mutool", "show", path, x.show); strings.Contains(out, x.gone) {
					t.Errorf("%s is still there: %s", x.show, out)
				}
			}
			original := c.Post(t, "/documents/"+doc.Text(t, "id")+"/download", apptest.Map{"version": "original"}).Want(t, 200).Body
			if !bytes.Equal(original, x.upload) {
				t.Error("the original differs from the upload")
			}
		})
	}
}

// TestPasswords uploads a PDF that needs a password.
func TestPasswords(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	plain := papers("", []paper{a4})
	for _, bits := range []string{"40", "128", "256"} {
		t.Run(bits, func(t *testing.T) {
			t.Parallel()
			file := apptest.File{Name: "locked.pdf", Content: throughQPDF(t, plain, "--encrypt", "secret", "owner", bits, "--")}
			for password, says := range map[string]string{"": "requires a password", "wrong": "does not open"} {
				r := c.Post(t, "/documents", withParts(t, map[string]string{"password": password}, apptest.Map{"title": "Locked"}, file)).Want(t, http.StatusUnprocessableEntity)
				if sentence := understood(t, r, file.Name); !strings.Contains(sentence, says) {
					t.Errorf("with password %q: %s", password, sentence)
				}
			}
			doc := c.Post(t, "/documents", withParts(t, map[string]string{"password": "secret"}, apptest.Map{"title": "Locked", "send": true, "invitations": apptest.List{guest(0)}}, file)).Want(t, 201)
			wantFinding(t, doc, "encrypted", "removed")
			files, _ := download(t, c, deal{}.sign(t, c, doc))
			j.completed(t, files["locked.pdf"], sealed{signatures: 2})
		})
	}
}

// protectedOffice returns the beginning of a compound file as Office writes it
// for a document with a password: a header and a directory ([MS-CFB] §2.2,
// §2.6).
func protectedOffice() []byte {
	b := make([]byte, 2*512)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	b[30] = 9 // sectors of 512 bytes; the directory is in sector 0
	for i, name := range []string{"Root Entry", "EncryptionInfo", "EncryptedPackage"} {
		for j, r := range name {
			b[512+128*i+2*j] = byte(r)
		}
	}
	return b
}

// TestRefusedUploads uploads files that can't be signed: a sentence says why.
func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	plain := papers("", []paper{a4})
	dynamic := stream("<xdp><config><dynamicRender>required</dynamicRender></config></xdp>")
	for name, x := range map[string]struct {
		upload []byte
		says   string
	}{
		"dynamic XFA":            {papers("/NeedsRendering true/AcroForm<</Fields[]/XFA 100 0 R>>", []paper{a4}, dynamic), "XFA"},
		"dynamic XFA, with form": {papers("/AcroForm<</Fields[101 0 R]/XFA 100 0 R>>", []paper{a4}, dynamic, input), "XFA"},
		"no pages":               {papers("", nil), ""},
		"DOCX with a password":   {protectedOffice(), "password"},
		"cut before the pages":   {plain[:bytes.Index(plain, []byte("\n1 0 obj"))], "missing"},
		"no beginning":           {[]byte("Notes of a meeting, called a PDF by mistake.\n"), "has the name of a PDF"},
		"nothing":                {nil, "empty"},
		"a header alone":         {[]byte("%PDF-1.7\n"), "missing"},
		"noise":                  {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte{0xfe, 7, 0}, 4000)...), "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": name}, apptest.File{Name: "x.pdf", Content: x.upload}))
			if sentence := understood(t, r, "x.pdf"); !strings.Contains(sentence, x.says) {
				t.Errorf("refused with %s", sentence)
			}
		})
	}
}

// revised returns a file with the given number of revisions that change
// nothing.
func revised(b []byte, revisions int) []byte {
	prev := string(b[bytes.LastIndex(b, []byte("startxref"))+len("startxref"):])
	prev = strings.Fields(prev)[0]
	const root = "/Root 1 0 R"
	out := bytes.Clone(b)
	for range revisions {
		at := len(out)
		out = fmt.Appendf(out, "xref\n0 0\ntrailer\n<</Size 100%s/Prev %s>>\nstartxref\n%d\n%%%%EOF\n", root, prev, at)
		prev = fmt.Sprint(at)
	}
	return out
}

// TestFilesWithoutRoom sends files that would exceed a limit once everyone has signed:
// they are refused as soon as the signatories are known.
func TestFilesWithoutRoom(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	many := apptest.List{}
	for i := range 40 {
		many = append(many, guest(i))
	}
	for name, x := range map[string]struct {
		revisions  int
		people     apptest.List
		status     int
		code       string
		uploadOnly bool
	}{
		"for nobody":  {1990, many[:1], 422, "unsignable", true},
		"for few":     {1950, many[:2], 200, "", false},
		"not for all": {1950, many, 422, "file_too_complex", false},
	} {
		file := apptest.File{Name: "a.pdf", Content: revised(papers("", []paper{a4}), x.revisions)}
		made := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": name, "invitations": x.people, "send": false}, file))
		answer := made
		if !x.uploadOnly {
			answer = c.Post(t, "/documents/"+made.Want(t, 201).Text(t, "id")+"/send", apptest.Map{})
		}
		if answer.Status != x.status || !strings.Contains(string(answer.Body), x.code) {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}
