package docx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"paraph/app/convert"
	"paraph/app/convert/docx"
)

// repeated returns a part that repeats one piece many times, as bombs do.
func repeated(before, piece string, n int, after string) []byte {
	return []byte(before + strings.Repeat(piece, n) + after)
}

// withDocument returns a file with the given document part.
func withDocument(tb testing.TB, document []byte) []byte {
	f := docxFile{raw: map[string][]byte{"word/document.xml": document}}
	return zipped(tb, f.members())
}

const (
	open  = "<w:document" + spaces + "><w:body>"
	shut  = "</w:body></w:document>"
	laugh = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>`
	xxe   = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>`
)

func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	good := docxFile{body: p("", strings.Repeat(words, 50))}.bytes(t)
	for _, tt := range []struct {
		name string
		file func(t *testing.T) []byte
		want error
	}{
		{"empty", func(*testing.T) []byte { return nil }, convert.ErrDamaged},
		{"not a zip", func(*testing.T) []byte { return []byte("%PDF-1.7 and so on") }, convert.ErrDamaged},
		{"another zip", func(t *testing.T) []byte { return zipped(t, map[string][]byte{"a.txt": []byte("a")}) }, convert.ErrUnsupported},
		{"cut in half", func(*testing.T) []byte { return good[:len(good)/2] }, convert.ErrDamaged},
		{"without its last byte", func(*testing.T) []byte { return good[:len(good)-1] }, convert.ErrDamaged},
		{"flipped byte", func(*testing.T) []byte {
			b := bytes.Clone(good)
			i := bytes.Index(b, []byte("word/document.xml"))
			b[i+60] ^= 0xFF
			return b
		}, convert.ErrDamaged},
		{"empty document", func(t *testing.T) []byte { return withDocument(t, nil) }, convert.ErrDamaged},
		{"not XML", func(t *testing.T) []byte { return withDocument(t, []byte("hello")) }, convert.ErrDamaged},
		{"XML that ends early", func(t *testing.T) []byte { return withDocument(t, []byte(open+"<w:p><w:r>")) }, convert.ErrDamaged},
		{"another root", func(t *testing.T) []byte { return withDocument(t, []byte("<html><body/></html>")) }, convert.ErrUnsupported},
		{"billion laughs", func(t *testing.T) []byte {
			return withDocument(t, []byte(laugh+open+"<w:p><w:r><w:t>&lol2;</w:t></w:r></w:p>"+shut))
		}, convert.ErrDamaged},
		{"entity without declaration", func(t *testing.T) []byte {
			return withDocument(t, []byte(open+"<w:p><w:r><w:t>&lol2;</w:t></w:r></w:p>"+shut))
		}, convert.ErrDamaged},
		{"external entity", func(t *testing.T) []byte {
			return withDocument(t, []byte(xxe+open+"<w:p><w:r><w:t>&x;</w:t></w:r></w:p>"+shut))
		}, convert.ErrDamaged},
		{"external entity in styles", func(t *testing.T) []byte {
			f := docxFile{body: p("", "x"), parts: map[string]string{"styles": ""}}
			f.raw = map[string][]byte{"word/styles.xml": []byte(xxe + "<w:styles" + spaces + ">&x;</w:styles>")}
			return f.bytes(t)
		}, convert.ErrDamaged},
		{"deep nesting", func(t *testing.T) []byte {
			return withDocument(t, []byte(open+strings.Repeat("<w:p>", 100_000)+strings.Repeat("</w:p>", 100_000)+shut))
		}, convert.ErrTooLarge},
		{"deep tables", func(t *testing.T) []byte {
			return withDocument(t, []byte(open+strings.Repeat("<w:tbl><w:tr><w:tc>", 40)+"<w:p/>"+strings.Repeat("</w:tc></w:tr></w:tbl>", 40)+shut))
		}, convert.ErrTooLarge},
		{"a million paragraphs", func(t *testing.T) []byte { return withDocument(t, repeated(open, "<w:p/>", 1_000_000, shut)) }, convert.ErrTooLarge},
		{"a hundred thousand pages", func(t *testing.T) []byte {
			return withDocument(t, repeated(open, `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, 100_000, shut))
		}, convert.ErrTooLarge},
		{"a million runs", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<w:p>", "<w:r><w:t>x</w:t></w:r>", 1_000_000, "</w:p>"+shut))
		}, convert.ErrTooLarge},
		{"zip bomb", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<w:p><w:r><w:t>", strings.Repeat(" ", 1<<20), 130, "</w:t></w:r></w:p>"+shut))
		}, convert.ErrTooLarge},
		{"millions of attributes", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<w:p", ` a=""`, 2_000_000, "/>"+shut))
		}, convert.ErrTooLarge},
		{"endless comment", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<!--", strings.Repeat(" ", 1<<20), 100, "-->"+shut))
		}, convert.ErrTooLarge},
		{"endless tag", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<w:", strings.Repeat("p", 1<<20), 100, "/>"+shut))
		}, convert.ErrTooLarge},
		{"endless text", func(t *testing.T) []byte {
			return withDocument(t, repeated(open+"<w:p><w:r><w:t>", strings.Repeat("x", 1<<20), 100, "</w:t></w:r></w:p>"+shut))
		}, convert.ErrTooLarge},
		{"huge header", func(t *testing.T) []byte {
			f := docxFile{body: p("", "x"), headers: map[string]string{"h1": strings.Repeat(p("", "x"), 5000)}, sect: `<w:headerReference r:id="h1"/>` + a4}
			return f.bytes(t)
		}, convert.ErrTooLarge},
		{"too many columns", func(t *testing.T) []byte {
			return docxFile{body: table(grid, "", tr("", cellOf(`<w:gridSpan w:val="999999"/>`, p("", "x")), cellOf(`<w:gridSpan w:val="99"/>`, p("", "y"))))}.bytes(t)
		}, convert.ErrTooLarge},
		{"too many members", func(t *testing.T) []byte {
			m := docxFile{body: p("", "x")}.members()
			for i := range 10_001 {
				m[fmt.Sprint("m", i)] = nil
			}
			return zipped(t, m)
		}, convert.ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := tt.file(t)
			start := time.Now()
			c := &recorder{}
			_, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "", c)
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			refusal, ok := errors.AsType[*convert.Refusal](err)
			if !ok || refusal.Why.Name == "" && refusal.Cause == nil || strings.Contains(fmt.Sprint(err), "lol") {
				t.Errorf("the refusal is %v", err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("refusing took %s", took)
			}
		})
	}
}

func TestLargeParagraphsAreBounded(t *testing.T) {
	t.Parallel()
	// A long word, a long line of words, and a paragraph of tabs.
	for _, s := range []string{strings.Repeat("x", 100_000), strings.Repeat("word ", 50_000), strings.Repeat("שלום ", 25_000)} {
		c := body(t, p(`<w:jc w:val="both"/>`, s))
		if len(c.pages) < 2 {
			t.Errorf("%d pages", len(c.pages))
		}
	}
	c := body(t, "<w:p>"+strings.Repeat("<w:r><w:tab/></w:r>", 50_000)+"</w:p>")
	if len(c.pages) == 0 {
		t.Error("no page was drawn")
	}
}

func TestEmptyBodyIsOnePage(t *testing.T) {
	t.Parallel()
	if c := body(t, ""); len(c.pages) != 1 {
		t.Errorf("%d pages", len(c.pages))
	}
}

func TestStrictFilesAreRead(t *testing.T) {
	t.Parallel()
	m := docxFile{body: p(`<w:ind w:left="1in"/>`, "strict")}.members()
	for name, b := range m {
		s := strings.ReplaceAll(string(b), "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main")
		m[name] = []byte(strings.ReplaceAll(s, "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships"))
	}
	b := zipped(t, m)
	c := &recorder{}
	if _, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "", c); err != nil {
		t.Fatal(err)
	}
	if d, _ := c.find(t, "strict"); !near(d.x, leftEdge+72) {
		t.Errorf("x is %.1f", d.x)
	}
}

func TestFieldWithoutEndHidesNothing(t *testing.T) {
	t.Parallel()
	c := body(t, `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>`+p("", "after"))
	c.find(t, "after")
}

func TestContextStopsRendering(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := withDocument(t, repeated(open, p("", words), 20_000, shut))
	c := &stopping{stop: cancel}
	_, err := docx.Render(ctx, bytes.NewReader(b), int64(len(b)), "", c)
	if !errors.Is(err, context.Canceled) || len(c.pages) > 3 {
		t.Errorf("%v after %d pages", err, len(c.pages))
	}
}

// stopping cancels on its second page.
type stopping struct {
	recorder
	stop func()
}

func (c *stopping) NewPage(w, h float64) {
	c.recorder.NewPage(w, h)
	if len(c.pages) == 2 {
		c.stop()
	}
}

func TestMemoryDoesNotGrowWithTheDocument(t *testing.T) {
	b := withDocument(t, repeated(open, p("", words), 10_000, shut))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := &forgetful{}
	if _, err := docx.Render(t.Context(), bytes.NewReader(b), int64(len(b)), "", c); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// forgetful keeps nothing, unlike a recorder.
type forgetful struct{}

func (forgetful) NewPage(float64, float64)                                                      {}
func (forgetful) Text(float64, float64, float64, bool, bool, float64, float64, float64, string) {}
func (forgetful) Measure(size float64, _, _ bool, s string) float64 {
	return size / 2 * float64(len(s))
}
func (forgetful) Line(float64, float64, float64, float64, float64, float64, float64, float64) {}
func (forgetful) Rect(float64, float64, float64, float64, float64, float64, float64)          {}
func (forgetful) Image(float64, float64, float64, float64, []byte) error                      { return io.ErrUnexpectedEOF }
