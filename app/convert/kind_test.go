package convert_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"paraph/app/convert"
)

func zipOf(tb testing.TB, members ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		name, content, _ := strings.Cut(m, "=")
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestKind(t *testing.T) {
	t.Parallel()
	ole := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	for _, tt := range []struct {
		head, name, want string
	}{
		{"", "a.pdf", ""},
		{"hello", "a.pdf", ""},
		{"%PDF-1.7\n", "a.docx", "pdf"},
		{strings.Repeat("x", 1000) + "%PDF-1.4", "", "pdf"},
		{strings.Repeat("x", 1020) + "%PDF-1.4", "", ""},
		{"\x89PNG\r\n\x1a\n", "a.jpg", "png"},
		{"\xff\xd8\xff\xe0", "a.png", "jpeg"},
		{"GIF89a", "", "gif"},
		{"II*\x00", "", "tiff"},
		{"MM\x00*", "", "tiff"},
		{"RIFF\x00\x00\x00\x00WEBPVP8 ", "", "webp"},
		{"RIFF\x00\x00\x00\x00WAVE", "", ""},
		{"\x00\x00\x00\x18ftypheic", "", "heic"},
		{"\x00\x00\x00\x18ftypavif", "", "avif"},
		{ole, "a.doc", "doc"},
		{ole, "a.docx", "docx-encrypted"},
		{ole, "", "ole"},
		{"{\\rtf1", "a.doc", "rtf"},
		{"<!DOCTYPE html>", "a.doc", "html"},
		{"\n<p>Lease", "a.HTM", "html"},
		{"<p>Lease", "a.txt", ""},
		{"Lease", "a.html", ""},
		{"\xef\xbb\xbf<?xml version='1.0'?><svg>", "", "svg"},
		{"%!PS-Adobe-3.0", "", "ps"},
		{"PK\x03\x04", "a.docx", "zip"},
		{"\xff\xd8\xff\xe0 %PDF-1.7", "", "jpeg"},
	} {
		if got := convert.Kind([]byte(tt.head), tt.name); got != tt.want {
			t.Errorf("%.20q, %s: %q, want %q", tt.head, tt.name, got, tt.want)
		}
	}
}

func TestKindOfZip(t *testing.T) {
	t.Parallel()
	types, filler := "[Content_Types].xml=x", "docProps/thumbnail.png="+strings.Repeat("p", 2*convert.HeadSize)
	for _, tt := range []struct {
		members        []string
		name           string
		byHead, byFile string
	}{
		{[]string{types, "word/document.xml=x"}, "a.zip", "docx", "docx"},
		{[]string{types, filler, "word/document.xml=x"}, "a.docx", "docx", "docx"},
		{[]string{types, filler, "word/document.xml=x"}, "a.bin", "zip", "docx"},
		{[]string{types, filler, "xl/workbook.xml=x"}, "a.docx", "docx", "xlsx"},
		{[]string{types, "ppt/presentation.xml=x"}, "", "pptx", "pptx"},
		{[]string{types, "word/document.xml=x", "word/vbaProject.bin=x"}, "a.docx", "docx", "docm"},
		{[]string{"word/document.xml=x"}, "a.docx", "docx", "zip"},
		{[]string{"mimetype=application/vnd.oasis.opendocument.text", "content.xml=x"}, "a.docx", "odt", "odt"},
		{[]string{"mimetype=application/vnd.oasis.opendocument.spreadsheet"}, "", "ods", "ods"},
		{[]string{"a.txt=x"}, "a.docx", "zip", "zip"},
	} {
		b := zipOf(t, tt.members...)
		if got := convert.Kind(b, tt.name); got != tt.byHead {
			t.Errorf("%.40v: %q, want %q", tt.members, got, tt.byHead)
		}
		got, err := convert.KindOf(bytes.NewReader(b), int64(len(b)), tt.name)
		if err != nil || got != tt.byFile {
			t.Errorf("%.40v: %q, %v, want %q", tt.members, got, err, tt.byFile)
		}
	}
}

func TestSupported(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]bool{"pdf": true, "docx": true, "webp": true, "bmp": true, "heic": false, "avif": false, "doc": false, "odt": false, "zip": false, "": false} {
		if got := convert.Supported(kind); got != want {
			t.Errorf("%q: %v", kind, got)
		}
	}
}

func TestPasswordProtectedOfficeFilesAreRecognised(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stream string
		want   bool
	}{{"EncryptedPackage", true}, {"WordDocument", false}} {
		got, err := convert.IsProtectedOffice(bytes.NewReader(compoundFile(tt.stream)))
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v, want %v", tt.stream, got, err, tt.want)
		}
	}
	for _, b := range [][]byte{nil, []byte("PK"), compoundFile("EncryptedPackage")[:600]} {
		if got, err := convert.IsProtectedOffice(bytes.NewReader(b)); got || err != nil {
			t.Errorf("%.8q: %v, %v", b, got, err)
		}
	}
}

// compoundFile returns a compound file's header, an empty sector, and a
// directory with a root and one stream ([MS-CFB] §2.2, §2.6).
func compoundFile(stream string) []byte {
	b := make([]byte, 3*512)
	copy(b, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	b[30], b[48] = 9, 1 // sectors of 512 bytes; the directory is sector 1
	for i, name := range []string{"Root Entry", stream} {
		for j, r := range name {
			b[1024+128*i+2*j] = byte(r)
		}
	}
	return b
}
