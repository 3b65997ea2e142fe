package convert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/convert"
)

const wordSpaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`

// word returns a small DOCX with a body and further relationships of the
// document.
func word(tb testing.TB, body, relations string) []byte {
	tb.Helper()
	const relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const package_ = "http://schemas.openxmlformats.org/package/2006/"
	return zipOf(tb,
		`[Content_Types].xml=<Types xmlns="`+package_+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Default Extension="svg" ContentType="image/svg+xml"/><Default Extension="html" ContentType="text/html"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		`_rels/.rels=<Relationships xmlns="`+package_+`relationships"><Relationship Id="r1" Type="`+relType+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		`word/_rels/document.xml.rels=<Relationships xmlns="`+package_+`relationships">`+strings.ReplaceAll(relations, "TYPE", relType)+`</Relationships>`,
		`word/document.xml=<?xml version="1.0" encoding="UTF-8"?><w:document`+wordSpaces+`><w:body>`+body+`</w:body></w:document>`)
}

func say(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }

// office returns the installed LibreOffice, with its scratch folders in the
// test's folder.
func office(tb testing.TB) *convert.Office {
	tb.Helper()
	o, ok := convert.FindOffice("")
	if !ok {
		tb.Fatal("LibreOffice is not installed")
	}
	o.Dir = tb.TempDir()
	return o
}

// pdfText returns the text of a PDF.
func pdfText(tb testing.TB, pdf []byte) string {
	tb.Helper()
	cmd := exec.Command("pdftotext", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// empty fails the test if a folder holds anything.
func empty(tb testing.TB, dir string) {
	tb.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		tb.Errorf("left behind: %v %v", left, err)
	}
}

func TestTogetherOfficeConvertsSeveral(t *testing.T) {
	t.Parallel()
	o := office(t)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			text := fmt.Sprintf("Contract number %d", i)
			in := word(t, say(text), "")
			if i == 1 {
				in = word(t, "<w:p><w:r>", "") // one bad file must not spoil the others
			}
			var out bytes.Buffer
			_, err := o.Convert(t.Context(), bytes.NewReader(in), "", &out)
			switch {
			case i == 1:
				if err == nil && out.Len() == 0 || err != nil && !errors.Is(err, convert.ErrDamaged) {
					t.Errorf("the bad file: %v", err)
				}
			case err != nil:
				t.Error(err)
			case pdfText(t, out.Bytes()) != text:
				t.Errorf("%q, want %q", pdfText(t, out.Bytes()), text)
			}
		})
	}
	wg.Wait()
	empty(t, o.Dir)
}

func TestOfficeFetchesNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	var served sync.WaitGroup
	served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = c.Close()
		}
	})
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("TOP SECRET"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/x.png"
	picture := func(id string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="1270000"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="` + id + `"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="1270000"/></a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	}
	field := func(s string) string {
		return `<w:p><w:fldSimple w:instr="` + s + `"><w:r><w:t>field</w:t></w:r></w:fldSimple></w:p>`
	}
	in := word(t, say("visible")+picture("r10")+picture("r11")+
		field(`INCLUDEPICTURE &quot;`+url+`&quot; \d`)+field(`INCLUDETEXT &quot;`+secret+`&quot;`)+`<w:altChunk r:id="r12"/><w:subDoc r:id="r13"/>`,
		`<Relationship Id="r10" Type="TYPE/image" Target="`+url+`" TargetMode="External"/>`+
			`<Relationship Id="r11" Type="TYPE/image" Target="`+url+`"/>`+
			`<Relationship Id="r12" Type="TYPE/aFChunk" Target="file://`+secret+`" TargetMode="External"/>`+
			`<Relationship Id="r13" Type="TYPE/subDocument" Target="file://`+secret+`" TargetMode="external"/>`+
			`<Relationship Id="r14" Type="TYPE/attachedTemplate" Target="`+url+`" TargetMode="External"/>`+
			`<Relationship Id="r15" Type="TYPE/hyperlink" Target="https://example.org/" TargetMode="External"/>`)
	var out bytes.Buffer
	if _, err := office(t).Convert(t.Context(), bytes.NewReader(in), "", &out); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	served.Wait()
	if n := asked.Load(); n > 0 {
		t.Errorf("%d connections were made", n)
	}
	if text := pdfText(t, out.Bytes()); !strings.Contains(text, "visible") || strings.Contains(text, "SECRET") {
		t.Errorf("the PDF contains %q", text)
	}
}

// TestOfficeShowsWhatTheAuthorSaved converts fields with the day and with the name of the file.
func TestOfficeShowsWhatTheAuthorSaved(t *testing.T) {
	t.Parallel()
	complex := func(code, result string) string {
		mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
		return `<w:p>` + mark("begin") + `<w:r><w:instrText> ` + code + ` </w:instrText></w:r>` + mark("separate") + `<w:r><w:t>` + result + `</w:t></w:r>` + mark("end") + `</w:p>`
	}
	simple := func(code, result string) string {
		return `<w:p><w:fldSimple w:instr=" ` + code + ` "><w:r><w:t>` + result + `</w:t></w:r></w:fldSimple></w:p>`
	}
	mark := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(s string) string { return `<w:r><w:instrText>` + s + `</w:instrText></w:r>` }
	nested := `<w:p>` + mark("begin") + code(" IF ") + mark("begin") + code(" MERGEFIELD Due ") + mark("separate") + `<w:r><w:t>1</w:t></w:r>` + mark("end") +
		code(` = 1 "due" "paid" `) + mark("separate") + `<w:r><w:t>due at once</w:t></w:r>` + mark("end") + `</w:p>`
	in := word(t, complex("DATE \\@ &quot;d MMMM yyyy&quot;", "3 March 2021")+simple("DATE", "4 March 2021")+complex("TIME", "12:34")+
		complex("FILENAME \\p", "lease.docx")+simple("FILENAME", "rent.docx")+complex("FILENAME", "</w:t></w:r><w:r><w:t>a</w:t></w:r><w:r><w:t>b")+
		`<w:p>`+mark("begin")+code("FILENAME")+mark("end")+`</w:p><w:p><w:fldSimple w:instr="FILENAME"/></w:p>`+simple("SAVEDATE", "")+`<w:p>`+mark("begin")+code("DATE")+mark("end")+`</w:p>`+complex("PAGE", "9")+complex("REVNUM", "3")+complex("REF nowhere", "4.1")+nested, "")
	var out bytes.Buffer
	changed, err := office(t).Convert(t.Context(), bytes.NewReader(in), "Letting & rent.docx", &out)
	if err != nil || changed != (convert.Changed{Undated: 2}) {
		t.Fatalf("%+v, %v", changed, err)
	}
	if got := strings.Join(strings.Fields(pdfText(t, out.Bytes())), " "); got != "3 March 2021 4 March 2021 12:34 "+strings.Repeat("Letting & rent.docx ", 5)+"1 3 4.1 due at once" {
		t.Errorf("the page says %s", got)
	}
}

func TestOfficeRefusesBeforeItStarts(t *testing.T) {
	t.Parallel()
	o := &convert.Office{Path: "/nonexistent/soffice", Dir: t.TempDir(), MaxInput: 1 << 20}
	good := word(t, say("x"), "")
	for _, tt := range []struct {
		name string
		in   []byte
		want error
	}{
		{"empty", nil, convert.ErrDamaged},
		{"cut", good[:len(good)/2], convert.ErrDamaged},
		{"another zip", zipOf(t, "a=b"), convert.ErrUnsupported},
		{"too large", make([]byte, 2<<20), convert.ErrTooLarge},
		{"relationships that are not XML", zipOf(t, "[Content_Types].xml=x", "word/document.xml=x", "word/_rels/document.xml.rels=no"), convert.ErrDamaged},
	} {
		_, err := o.Convert(t.Context(), bytes.NewReader(tt.in), "", new(bytes.Buffer))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := o.Convert(t.Context(), bytes.NewReader(good), "", new(bytes.Buffer)); err == nil {
		t.Error("a program that does not exist was run")
	}
	empty(t, o.Dir)
}

// fakeOffice returns an Office that runs a script instead of soffice.
func fakeOffice(tb testing.TB, script string) *convert.Office {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "soffice")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		tb.Fatal(err)
	}
	return &convert.Office{Path: path, Dir: tb.TempDir(), Unconfined: true}
}

func TestOfficeIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "pid")
	o := fakeOffice(t, `sh -c 'echo $$ > `+marker+`; sleep 600' & wait`)
	o.Timeout = 5 * time.Second // the child has to start within it
	_, err := o.Convert(t.Context(), bytes.NewReader(word(t, say("x"), "")), "", new(bytes.Buffer))
	if !errors.Is(err, convert.ErrTimeout) || !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("%v, want the time limit", err)
	}
	pid, err := os.ReadFile(marker)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("the child still runs: %s", state)
	}
	empty(t, o.Dir)
}

func TestOfficeStopsWithTheContext(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	o := fakeOffice(t, `touch `+started+`; sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() {
			if _, err := o.Convert(ctx, bytes.NewReader(word(t, say("x"), "")), "", new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	patience.Until(t, "the program has started", func() (string, bool) {
		_, err := os.Stat(started)
		return fmt.Sprint(err), err == nil
	})
	cancel()
	waiting.Wait()
	empty(t, o.Dir)
}

func TestOfficeBoundsItsOutput(t *testing.T) {
	t.Parallel()
	arguments := `out=; while [ $# -gt 0 ]; do case $1 in --outdir) out=$2; mkdir -p $2; shift;; *.docx) in=$1;; esac; shift; done; f=$out/$(basename $in .docx).pdf; `
	for _, tt := range []struct {
		name, script string
		want         error
	}{
		{"large", `printf '%%PDF-1.4' > $f; head -c 2000000 /dev/zero >> $f; printf '%%%%EOF' >> $f`, convert.ErrDamaged}, // killed by the limit, or cut
		{"cut", `printf '%%PDF-1.4 and no end' > $f`, convert.ErrDamaged},
		{"nothing", `:`, convert.ErrDamaged},
		{"failure", `echo oops >&2; exit 3`, convert.ErrDamaged},
	} {
		o := fakeOffice(t, arguments+tt.script)
		o.MaxOutput = 1 << 20
		var out bytes.Buffer
		if _, err := o.Convert(t.Context(), bytes.NewReader(word(t, say("x"), "")), "", &out); !errors.Is(err, tt.want) && !errors.Is(err, convert.ErrTooLarge) || out.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", tt.name, err, out.Len())
		}
		empty(t, o.Dir)
	}
}

func TestFindOffice(t *testing.T) {
	t.Parallel()
	if _, ok := convert.FindOffice("/nonexistent/soffice"); ok {
		t.Error("found a program that does not exist")
	}
}
