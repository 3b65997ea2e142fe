package page

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"

	"paraph/app/pdf/object"
	"paraph/app/pdf/text"
)

// picture embeds data once, no matter how often it is drawn.
func (b *Builder) picture(data []byte) (*text.Picture, error) {
	key := sha256.Sum256(data)
	if p, ok := b.pictures[key]; ok {
		return p, nil
	}
	p, err := b.set.Picture(data, false)
	if err != nil {
		return nil, err
	}
	b.pictures[key] = p
	return p, nil
}

// Picture reads a JPEG, PNG or GIF for a [text.Mark]. A picture that is used
// repeatedly is embedded once. The error wraps [text.ErrPicture].
func (b *Builder) Picture(data []byte) (*text.Picture, error) { return b.picture(data) }

// objects collects indirect objects, numbered from 1 in order.
type objects []any

// Add implements [object.Writer].
func (o *objects) Add(v any) object.Ref {
	*o = append(*o, v)
	return object.Ref{Number: len(*o)}
}

// set stores an object whose number was reserved earlier.
func (o objects) set(r object.Ref, v any) { o[r.Number-1] = v }

// size returns about how many bytes the objects take when written.
func (o objects) size() int {
	const each = 200 // of syntax
	n := each * len(o)
	for _, v := range o {
		if s, ok := v.(*object.Stream); ok {
			n += len(s.Data)
		}
	}
	return n
}

// Write writes the document and returns its size in bytes. The Builder can't be
// used afterwards. A document without pages gets an empty one.
func (b *Builder) Write(w io.Writer) (size int64, err error) {
	b.page()
	for _, f := range b.finish {
		f()
	}
	o, info, err := b.objects()
	if err != nil {
		return 0, err
	}
	if b, ok := w.(*bytes.Buffer); ok {
		b.Grow(o.size())
	}
	f := &file{w: bufio.NewWriter(w), hash: sha256.New()}
	f.write([]byte("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"))
	offsets := make([]int64, len(o))
	for i, v := range o {
		offsets[i] = f.size
		f.object(i+1, v)
	}
	f.trailer(offsets, info)
	if f.err == nil {
		f.err = f.w.Flush()
	}
	return f.size, f.err
}

// objects returns everything but the trailer. Object 1 is the catalog.
func (b *Builder) objects() (o objects, info object.Ref, err error) {
	catalog, tree := o.Add(nil), o.Add(nil)
	info = o.Add(b.infoDict())
	b.set.Embed(&o)
	kids := make(object.Array, len(b.pages))
	for i, p := range b.pages {
		resources, err := p.Resources()
		if err != nil {
			return nil, info, err
		}
		content := o.Add(object.Compress(nil, p.Ops()))
		*p.buffer = p.Ops()
		p.Reuse(nil) // so that nothing can be drawn into what another page uses
		buffers.Put(p.buffer)
		kids[i] = o.Add(object.Dict{
			"Type": name("Page"), "Parent": tree, "MediaBox": object.Array{0, 0, p.width, p.height},
			"Resources": resources, "Contents": content,
		})
	}
	o.set(tree, object.Dict{"Type": name("Pages"), "Kids": kids, "Count": len(kids)})
	o.set(catalog, b.catalog(&o, tree))
	return o, info, nil
}

func (b *Builder) catalog(o *objects, tree object.Ref) object.Dict {
	c := object.Dict{"Type": name("Catalog"), "Pages": tree, "Metadata": o.Add(b.metadata())}
	profile := &object.Stream{Dict: object.Dict{"N": 3}, Data: sRGB()} // too small to compress
	c["OutputIntents"] = object.Array{object.Dict{
		"Type": name("OutputIntent"), "S": name("GTS_PDFA1"), "DestOutputProfile": o.Add(profile),
		"OutputConditionIdentifier": object.String("sRGB"), "Info": object.String("sRGB IEC61966-2.1"),
	}}
	if b.info.Language != "" {
		c["Lang"] = object.TextString(b.info.Language)
	}
	if b.info.Title != "" {
		c["ViewerPreferences"] = object.Dict{"DisplayDocTitle": true}
	}
	b.attach(o, c)
	return c
}

// A file counts and hashes the bytes written and keeps the first error.
type file struct {
	w    *bufio.Writer
	hash interface {
		io.Writer
		Sum([]byte) []byte
	}
	size int64
	line []byte // the last object, for reuse
	err  error
}

func (f *file) write(p []byte) {
	if f.err != nil {
		return
	}
	_, _ = f.hash.Write(p) // hashes never fail
	var n int
	n, f.err = f.w.Write(p)
	f.size += int64(n)
}

func (f *file) object(number int, v any) {
	line := append(strconv.AppendInt(f.line[:0], int64(number), 10), " 0 obj\n"...)
	line, err := object.Append(line, v)
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("object %d: %w", number, err)
	}
	f.line = append(line, "\nendobj\n"...)
	f.write(f.line)
}

// trailer writes the cross-reference table, whose lines are exactly 20 bytes
// long, and the trailer. The identifier is the hash of everything before it.
func (f *file) trailer(offsets []int64, info object.Ref) {
	id := object.String(f.hash.Sum(nil)[:16])
	start := f.size
	table := fmt.Appendf(f.line[:0], "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		table = fmt.Appendf(table, "%010d 00000 n \n", at)
	}
	d, err := object.Append(append(table, "trailer\n"...), object.Dict{
		"Size": len(offsets) + 1, "Root": object.Ref{Number: 1}, "Info": info, "ID": object.Array{id, id},
	})
	if err != nil && f.err == nil {
		f.err = err
	}
	f.write(fmt.Appendf(d, "\nstartxref\n%d\n%%%%EOF\n", start))
}
