package convert

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"paraph/app/convert/internal/archive"
)

// HeadSize is the number of bytes at the start of a file that Kind examines.
const HeadSize = 4096

// pdfWindow is the maximum offset of "%PDF-" in a file; readers have always accepted that
// many bytes before it (ISO 32000-1, Annex H, note 13).
const pdfWindow = 1024

// oleMagic is the signature of a compound file ([MS-CFB] §2.2).
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Supported reports whether files of a kind returned by Kind can become a document: "pdf"
// directly, "docx", "html" and images by conversion.
func Supported(kind string) bool {
	return slices.Contains([]string{"pdf", "docx", "html", "png", "jpeg", "gif", "tiff", "webp", "bmp"}, kind)
}

// Kind identifies a file by its first bytes, of which it examines up to HeadSize: "pdf",
// "docx", "html", "png", "jpeg", "gif", "tiff", "webp", "bmp", or an unsupported kind that a
// message can name: "doc", "docx-encrypted", "docm", "odt", "ods", "odp", "xls", "xlsx", "ppt",
// "pptx", "rtf", "svg", "heic", "avif", "psd", "ps", "ole", "zip". "" means unknown.
//
// The content decides. The name only distinguishes between kinds that share a container
// (zip, OLE) if the first bytes do not, and identifies HTML that begins without a head. KindOf
// reads the container's directory, so it does not need the name for that.
func Kind(head []byte, name string) string {
	head = head[:min(len(head), HeadSize)]
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return zipKindByHead(head, name)
	case bytes.HasPrefix(head, []byte(oleMagic)):
		return oleKind(name)
	}
	for _, m := range magics {
		if m.matches(head) {
			return m.kind
		}
	}
	if bytes.Contains(head[:min(len(head), pdfWindow)], []byte("%PDF-")) {
		return "pdf"
	}
	return markupKind(head, name)
}

type magic struct {
	kind   string
	prefix string
	at     int    // offset of then
	then   string // what else must be present
}

var magics = []magic{
	{kind: "pdf", prefix: "%PDF-"},
	{kind: "png", prefix: "\x89PNG\r\n\x1a\n"},
	{kind: "jpeg", prefix: "\xff\xd8\xff"},
	{kind: "gif", prefix: "GIF87a"},
	{kind: "gif", prefix: "GIF89a"},
	{kind: "tiff", prefix: "II*\x00"},
	{kind: "tiff", prefix: "MM\x00*"},
	{kind: "tiff", prefix: "II+\x00"}, // BigTIFF: named so, refused when opened
	{kind: "tiff", prefix: "MM\x00+"},
	{kind: "webp", prefix: "RIFF", at: 8, then: "WEBP"},
	{kind: "heic", at: 4, then: "ftyphe"},
	{kind: "heic", at: 4, then: "ftypmif1"},
	{kind: "heic", at: 4, then: "ftypmsf1"},
	{kind: "heic", at: 4, then: "ftypmiaf"},
	{kind: "avif", at: 4, then: "ftypavi"},
	{kind: "rtf", prefix: "{\\rtf"},
	{kind: "psd", prefix: "8BPS"},
	{kind: "ps", prefix: "%!PS"},
}

func (m magic) matches(head []byte) bool {
	if !bytes.HasPrefix(head, []byte(m.prefix)) {
		return false
	}
	return len(head) >= m.at && bytes.HasPrefix(head[m.at:], []byte(m.then))
}

func markupKind(head []byte, name string) string {
	if len(head) >= 14 && bytes.HasPrefix(head, []byte("BM")) && binary.LittleEndian.Uint32(head[6:]) == 0 {
		return "bmp"
	}
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"))
	switch {
	case bytes.HasPrefix(text, []byte("<!doctype html")), bytes.HasPrefix(text, []byte("<html")):
		return "html"
	case bytes.HasPrefix(text, []byte("<svg")), bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(text, []byte("<svg")):
		return "svg"
	case bytes.HasPrefix(text, []byte("<")) && slices.Contains([]string{"html", "htm", "xhtml"}, extension(name)):
		return "html"
	}
	return ""
}

func oleKind(name string) string {
	switch ext := extension(name); ext {
	case "docx", "docm": // a password turns the zip into an OLE container
		return "docx-encrypted"
	case "doc", "xls", "ppt":
		return ext
	}
	return "ole"
}

func extension(name string) string {
	return strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
}

// zipKindByHead looks for the names of members, which are stored uncompressed before each
// of them.
func zipKindByHead(head []byte, name string) string {
	if kind := openDocumentKind(head); kind != "" {
		return kind
	}
	for _, m := range officeMembers {
		if bytes.Contains(head, []byte(m.name)) {
			return m.kind
		}
	}
	opc := bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("_rels/.rels"))
	if ext := extension(name); opc && slices.Contains([]string{"docx", "docm", "xlsx", "pptx"}, ext) {
		return ext
	}
	return "zip"
}

var officeMembers = []struct{ name, kind string }{
	{"word/document.xml", "docx"},
	{"word/_rels/", "docx"},
	{"word/styles.xml", "docx"},
	{"xl/workbook.xml", "xlsx"},
	{"ppt/presentation.xml", "pptx"},
}

// openDocumentKind identifies OpenDocument files, which begin with a stored
// member "mimetype" (ODF 1.2 part 3, §3.3).
func openDocumentKind(head []byte) string {
	const prefix = "mimetypeapplication/vnd.oasis.opendocument."
	if len(head) < 30 || !bytes.HasPrefix(head[30:], []byte(prefix)) {
		return ""
	}
	switch rest := head[30+len(prefix):]; {
	case bytes.HasPrefix(rest, []byte("text")):
		return "odt"
	case bytes.HasPrefix(rest, []byte("spreadsheet")):
		return "ods"
	case bytes.HasPrefix(rest, []byte("presentation")):
		return "odp"
	}
	return "zip"
}

// KindOf identifies the size bytes of r as Kind does, but reads the directory of a zip
// instead of relying on the name. It only returns read errors; a broken zip is "zip".
func KindOf(r io.ReaderAt, size int64, name string) (string, error) {
	head := make([]byte, min(size, HeadSize))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	kind := Kind(head, name)
	switch kind {
	case "docx", "docm", "xlsx", "pptx", "zip":
		return zipKind(r, size), nil
	}
	return kind, nil
}

// IsProtectedOffice reports whether a file is a password-protected Office document: a
// compound file with a stream named EncryptedPackage ([MS-OFFCRYPTO] §2.3.4.4) among the
// first entries of its directory ([MS-CFB] §2.6). It only returns read errors.
func IsProtectedOffice(r io.ReaderAt) (bool, error) {
	head := make([]byte, 512)
	if _, err := r.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte(oleMagic)) {
		return false, ignoreEOF(err)
	}
	sector := int64(1) << min(binary.LittleEndian.Uint16(head[30:]), 12)
	directory := make([]byte, 4096)
	n, err := r.ReadAt(directory, (int64(binary.LittleEndian.Uint32(head[48:]))+1)*sector)
	return bytes.Contains(directory[:n], utf16LE("EncryptedPackage")), ignoreEOF(err)
}

func utf16LE(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

func zipKind(r io.ReaderAt, size int64) string {
	a, err := archive.Open(r, size)
	if err != nil {
		return "zip"
	}
	switch {
	case !a.Has("[Content_Types].xml"):
		return "zip"
	case a.Has("word/document.xml") && a.Has("word/vbaProject.bin"):
		return "docm"
	case a.Has("word/document.xml"):
		return "docx"
	case a.Has("xl/workbook.xml"):
		return "xlsx"
	case a.Has("ppt/presentation.xml"):
		return "pptx"
	}
	return "zip"
}
