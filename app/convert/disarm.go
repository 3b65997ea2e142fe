package convert

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"paraph/app/convert/internal/archive"
	"paraph/app/convert/internal/refuse"
)

// maxRelations is the maximum size of a relationships part, in bytes.
const maxRelations = 2 << 20

// disarm copies a DOCX to a new file, member by member, with only what LibreOffice needs:
// without macros, embedded programs, and all that would be fetched from the network or from this
// machine's disk: relationships to anything outside the file except hyperlinks, parts that may refer to
// something, such as SVG pictures and embedded documents, and elements and fields that do. Fields show what
// their author saved, or the file's name. It returns what was changed. The unpacked size is bounded.
func disarm(ctx context.Context, r io.ReaderAt, size int64, name, to string) (changed Changed, err error) {
	a, err := archive.Open(r, size)
	if err != nil {
		return changed, err
	}
	if !a.Has("[Content_Types].xml") || !a.Has("word/document.xml") {
		return changed, refuse.Unsupported(errors.New("not a DOCX"))
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return changed, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z := zip.NewWriter(f)
	for _, m := range a.Files() {
		if err := ctx.Err(); err != nil {
			return changed, err
		}
		if strings.HasSuffix(m.Name, "/") || executable(m.Name) {
			continue
		}
		n, err := copyMember(z, a, m, name)
		if changed.add(n); err != nil {
			return changed, err
		}
	}
	return changed, z.Close()
}

// executable reports whether a member holds programs. A DOCX opens without them.
func executable(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "vbaproject") || strings.Contains(name, "vbadata") ||
		strings.Contains(name, "/activex/") || path.Ext(name) == ".exe"
}

// sniffed is how much of a part is looked at to tell its format, more than LibreOffice does.
const sniffed = 16 << 10

// copyMember copies a part of a file with a name, and returns how it was changed.
func copyMember(z *zip.Writer, a *archive.Archive, m *zip.File, name string) (changed Changed, err error) {
	limit := int64(archive.MaxMember)
	relations := strings.HasSuffix(strings.ToLower(m.Name), ".rels")
	if relations {
		limit = maxRelations
	}
	from, err := a.OpenFile(m, limit)
	if err != nil {
		return changed, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	in := bufio.NewReaderSize(from, sniffed)
	start, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return changed, err
	}
	switch {
	case drawn(start):
		return Changed{Removed: 1}, nil
	case opaque(m.Name, start):
		return changed, nil
	}
	to, err := z.CreateHeader(&zip.FileHeader{Name: m.Name, Method: zip.Deflate})
	switch {
	case err != nil:
		return changed, err
	case relations:
		changed.Removed, err = keepInternal(to, in)
		return changed, err
	case strings.EqualFold(path.Ext(m.Name), ".xml"):
		return scrub(to, in, name)
	}
	_, err = io.Copy(to, in)
	return changed, err
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

// keepInternal copies relationships, omitting those to external targets and to parts that reach out.
func keepInternal(to io.Writer, from io.Reader) (removed int, err error) {
	var all, kept relationships
	if err := xml.NewDecoder(from).Decode(&all); err != nil {
		if _, ok := errors.AsType[*Refusal](err); ok {
			return 0, err
		}
		return 0, refuse.Damaged(errors.New("part of the DOCX is not well-formed"))
	}
	for _, r := range all.Items {
		switch {
		case keeps(r):
			kept.Items = append(kept.Items, r)
		case outside(r) && !slices.Contains(unseen, path.Base(r.Type)), slices.Contains(included, path.Base(r.Type)):
			removed++
		}
	}
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return removed, err
	}
	return removed, xml.NewEncoder(to).Encode(kept)
}

// unseen lists the relationships to what no page shows: nothing is missing without them.
var unseen = []string{"attachedTemplate", "keyMapCustomizations", "mailMergeSource", "mailMergeHeaderSource", "transform", "oleObject", "package"}

// included lists the relationships to documents that pages show.
var included = []string{"aFChunk", "subDocument"}

// keeps reports whether a DOCX is shown with a relationship, and without reaching out for it.
func keeps(r relationship) bool {
	kind := path.Base(r.Type)
	if !slices.Contains(relationTypes, kind) {
		return false
	}
	return !outside(r) || kind == "hyperlink" && declared(r)
}

// declared reports whether a relationship says that its target is outside of the file.
func declared(r relationship) bool { return r.Mode != "" && !strings.EqualFold(r.Mode, "Internal") }

// outside reports whether the target of a relationship is outside of the file. A scheme or a host in an
// internal target is an attack.
func outside(r relationship) bool {
	return declared(r) || strings.Contains(r.Target, ":") || strings.HasPrefix(r.Target, "//") || strings.HasPrefix(r.Target, `\\`)
}
