package docx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"paraph/app/convert/internal/archive"
	"paraph/app/convert/internal/refuse"
)

// Limits of the parts, in unpacked bytes.
const (
	maxDocument   = 64 << 20 // word/document.xml
	maxPart       = 32 << 20 // any other XML part
	maxPicture    = 32 << 20 // a picture
	maxAllPicture = 96 << 20 // all pictures together
)

// pack is the file: its parts and their relationships (ISO/IEC 29500-2).
type pack struct {
	ctx  context.Context
	zip  *archive.Archive
	main string // name of the document part
}

// part is a part that refers to others by relationship.
type part struct {
	pack *pack
	name string
	rels map[string]relation
}

type relation struct {
	kind     string // last element of the type
	target   string // name of the part, or an address if external
	external bool
}

func openPack(ctx context.Context, r io.ReaderAt, size int64) (*pack, *part, error) {
	z, err := archive.Open(r, size)
	if err != nil {
		return nil, nil, err
	}
	p := &pack{ctx: ctx, zip: z, main: "word/document.xml"}
	root, err := p.part("")
	if err != nil {
		return nil, nil, err
	}
	if name := root.byKind("officeDocument"); name != "" && z.Has(name) {
		p.main = name
	}
	if !z.Has(p.main) {
		return nil, nil, refuse.Unsupported(errors.New("no text document in the DOCX"))
	}
	main, err := p.part(p.main)
	return p, main, err
}

// part reads the relationships of a part; it may have none.
func (p *pack) part(name string) (*part, error) {
	dir, base := path.Split(name)
	out := &part{pack: p, name: name, rels: map[string]relation{}}
	relsName := dir + "_rels/" + base + ".rels"
	if !p.zip.Has(relsName) {
		return out, nil
	}
	root, err := p.tree(relsName)
	if err != nil {
		return nil, err
	}
	for _, r := range root.kids {
		rel := relation{kind: path.Base(r.attr("Type")), target: r.attr("Target")}
		rel.external = strings.EqualFold(r.attr("TargetMode"), "External")
		if !rel.external {
			rel.target = resolve(dir, rel.target)
		}
		out.rels[r.attr("Id")] = rel
	}
	return out, nil
}

func resolve(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/")
	}
	return strings.TrimPrefix(path.Clean("/"+dir+target), "/")
}

func (p *pack) tree(name string) (*node, error) {
	b, err := p.zip.Read(name, maxPart)
	if err != nil {
		return nil, err
	}
	return tree(p.ctx, bytes.NewReader(b))
}

// byKind returns the target of the relationship of a kind, "" if there is none.
func (t *part) byKind(kind string) string {
	for _, r := range t.rels {
		if r.kind == kind && !r.external {
			return r.target
		}
	}
	return ""
}

// related reads the target of the relationship of a kind, and returns nil if
// there is none.
func (t *part) related(kind string) (*node, error) {
	name := t.byKind(kind)
	if name == "" || !t.pack.zip.Has(name) {
		return nil, nil
	}
	return t.pack.tree(name)
}
