package convert

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path"
	"strings"

	"paraph/app/convert/internal/archive"
	"paraph/app/convert/internal/refuse"
)

// maxRelations is the maximum size of a relationships part, in bytes.
const maxRelations = 2 << 20

// disarm copies a DOCX to a new file, member by member, with only what LibreOffice needs:
// without macros, embedded programs and relationships to anything outside the file except
// hyperlinks (pictures, templates and frames would be fetched from the network or from
// this machine's disk). The unpacked size is bounded.
func disarm(ctx context.Context, r io.ReaderAt, size int64, to string) (err error) {
	a, err := archive.Open(r, size)
	if err != nil {
		return err
	}
	if !a.Has("[Content_Types].xml") || !a.Has("word/document.xml") {
		return refuse.Unsupported(errors.New("not a DOCX"))
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	for _, m := range a.Files() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.HasSuffix(m.Name, "/") || executable(m.Name) {
			continue
		}
		if err := copyMember(z, a, m); err != nil {
			return err
		}
	}
	return z.Close()
}

// executable reports whether a member holds programs. A DOCX opens without them.
func executable(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "vbaproject") || strings.Contains(name, "vbadata") ||
		strings.Contains(name, "/activex/") || path.Ext(name) == ".exe"
}

func copyMember(z *zip.Writer, a *archive.Archive, m *zip.File) (err error) {
	limit := int64(archive.MaxMember)
	relations := strings.HasSuffix(strings.ToLower(m.Name), ".rels")
	if relations {
		limit = maxRelations
	}
	from, err := a.OpenFile(m, limit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := z.CreateHeader(&zip.FileHeader{Name: m.Name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	if relations {
		return keepInternal(to, from)
	}
	_, err = io.Copy(to, from)
	return err
}

type relationships struct {
	XMLName xml.Name       `xml:"http://schemas.openxmlformats.org/package/2006/relationships Relationships"`
	Items   []relationship `xml:"Relationship"`
}

type relationship struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	Mode   string `xml:"TargetMode,attr,omitempty"`
}

// keepInternal copies relationships, omitting those to external targets.
func keepInternal(to io.Writer, from io.Reader) error {
	var all, kept relationships
	if err := xml.NewDecoder(from).Decode(&all); err != nil {
		if _, ok := errors.AsType[*Refusal](err); ok {
			return err
		}
		return refuse.Damaged(errors.New("part of the DOCX is not well-formed"))
	}
	for _, r := range all.Items {
		if internal(r) {
			kept.Items = append(kept.Items, r)
		}
	}
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	return xml.NewEncoder(to).Encode(kept)
}

func internal(r relationship) bool {
	if r.Mode != "" && !strings.EqualFold(r.Mode, "Internal") {
		return path.Base(r.Type) == "hyperlink"
	}
	// A scheme or a host in an internal target is an attack.
	return !strings.Contains(r.Target, ":") && !strings.HasPrefix(r.Target, "//") && !strings.HasPrefix(r.Target, `\\`)
}
