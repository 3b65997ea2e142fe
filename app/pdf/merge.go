package pdf

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"
	"strconv"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// Merge writes a file with the pages of several unsigned files, one file after the other. It has
// their form fields, layers, embedded files and scripts. A form field that is named like one of an
// earlier file is renamed. As bookmarks, tags and what programs say about a file describe it as a
// whole, the result has none of them.
//
// The error wraps ErrSpec, ErrSigned, ErrDamaged or ErrTooComplex, or comes from parts or w.
func Merge(ctx context.Context, w io.Writer, parts iter.Seq2[*File, error]) error {
	m := merger{
		copying: newCopying(ctx, w), dr: dict{}, layers: dict{},
		trees: map[name][]document.NameEntry{}, taken: map[string]int{},
	}
	if err := m.begin("1.7"); err != nil {
		return err
	}
	root := ref{Number: m.reserve()}
	m.tree = ref{Number: m.reserve()}
	for f, err := range parts {
		if err != nil {
			return err
		}
		if err := m.add(f); err != nil {
			return err
		}
	}
	if m.pages == 0 {
		return fmt.Errorf("%w: no files", ErrSpec)
	}
	tree := dict{"Type": name("Pages"), "Kids": m.kids, "Count": m.pages}
	return cmp.Or(m.put(m.tree, tree), m.put(root, m.catalog()), m.finish(dict{"Root": root}))
}

// A merger joins files. All its values have the numbers of the result.
type merger struct {
	*copying
	tree    ref // root of the page tree
	parts   int
	kids    array // the page trees of the files
	pages   int
	version name
	lang    any

	fields, order array // of the form; order is that of calculations
	dr            dict
	draw          bool           // viewers are to draw the fields
	taken         map[string]int // the file that has a form field of a name

	layers             dict // lists of the default configuration
	groups, associated array
	trees              map[name][]document.NameEntry
}

// add writes the pages of a file with what belongs to them.
func (m *merger) add(f *File) error {
	a, err := newArrangement(m.copying, f)
	if err != nil {
		return err
	}
	m.parts++
	c := f.Catalog()
	a.targets = targets(f)
	all := make([]PageChoice, len(f.Pages()))
	for i := range all {
		all[i].Page = i
	}
	if err := a.choose(all); err != nil {
		return err
	}
	tree := a.changed[a.root.Number].(dict)
	tree["Parent"] = object.Raw(object.AppendRef(nil, m.tree))
	m.kids, m.pages = append(m.kids, a.value(a.root)), m.pages+len(all)
	m.version = max(m.version, f.Name(c["Version"]))
	if lang := f.Text(c["Lang"]); m.parts == 1 && lang != "" {
		m.lang = object.TextString(lang)
	} else if m.lang != nil && f.Text(c["Lang"]) != m.lang.(object.String).Text() {
		m.lang = nil
	}
	if err := m.addForm(a, f.Form()); err != nil {
		return err
	}
	m.addLayers(a, f.Dict(c["OCProperties"]))
	m.associated = append(m.associated, a.values(f.Array(c["AF"]))...)
	names := f.Dict(c["Names"])
	for _, key := range []name{"EmbeddedFiles", "JavaScript"} {
		for _, e := range f.NameTree(names[key]) {
			m.trees[key] = append(m.trees[key], document.NameEntry{Key: m.keyed(e.Key), Value: a.value(e.Value)})
		}
	}
	return a.write()
}

// keyed returns a key that no other file has; nobody sees it.
func (m *merger) keyed(key object.String) object.String {
	return append(fmt.Appendf(nil, "%06d ", m.parts), key...)
}

// values returns values as the copy has them.
func (a *arrangement) values(x array) (out array) {
	for _, v := range x {
		out = append(out, a.value(v))
	}
	return out
}

// targets returns the destinations that have a name.
func targets(f *File) map[string]any {
	c := f.Catalog()
	out := map[string]any{}
	add := func(key string, v any) {
		if d, ok := f.Resolve(v).(dict); ok {
			v = d["D"]
		}
		out[key] = v
	}
	for key, v := range f.Dict(c["Dests"]) {
		add(string(key), v)
	}
	for _, e := range f.NameTree(f.Dict(c["Names"])["Dests"]) {
		add(string(e.Key), e.Value)
	}
	return out
}

// explicit returns a link with the place that its named destination stands for. Names of other
// files may be the same.
func (a *arrangement) explicit(x dict) dict {
	if a.targets == nil {
		return x
	}
	key := name("Dest")
	if a.f.Name(x["S"]) == "GoTo" {
		key = "D"
	}
	var target any
	switch named := a.f.Resolve(x[key]).(type) {
	case object.String:
		target = a.targets[string(named)]
	case name:
		target = a.targets[string(named)]
	default:
		return x
	}
	x = x.Clone()
	if x[key] = target; target == nil {
		delete(x, key)
	}
	return x
}

// addForm adds the form of a file. Fields keep what they inherit from it.
func (m *merger) addForm(a *arrangement, form dict) error {
	renamed := map[string]string{}
	for _, v := range a.f.Array(form["Fields"]) {
		if err := a.f.Spend(nameCost); err != nil {
			return err
		}
		if r, ok := v.(ref); ok && a.changed[r.Number] == nil {
			if d := a.f.Dict(r); d != nil {
				a.changed[r.Number] = m.field(a.f, d.Clone(), form, renamed)
			}
		}
		m.fields = append(m.fields, a.value(v))
	}
	for own := range renamed {
		m.taken[renamed[own]] = m.parts
	}
	m.order = append(m.order, a.values(a.f.Array(form["CO"]))...)
	for kind, v := range a.f.Dict(form["DR"]) {
		some, _ := m.dr[kind].(dict)
		some = some.Clone()
		for n, v := range a.f.Dict(v) {
			if some[n] == nil {
				some[n] = a.value(v)
			}
		}
		if len(some) > 0 {
			m.dr[kind] = some
		}
	}
	draw, _ := a.f.Resolve(form["NeedAppearances"]).(bool)
	m.draw = m.draw || draw
	return a.f.Fault
}

func (m *merger) field(f *File, d, form dict, renamed map[string]string) dict {
	if own := f.Text(d["T"]); own != "" {
		if renamed[own] == "" {
			next := own
			for n := 2; m.taken[next] > 0; n++ {
				next = own + " (" + strconv.Itoa(n) + ")"
			}
			renamed[own] = next
		}
		d["T"] = object.TextString(renamed[own])
	}
	for _, key := range []name{"DA", "Q"} {
		if d[key] == nil && form[key] != nil {
			d[key] = form[key]
		}
	}
	return d
}

// addLayers adds the optional content of a file (ISO 32000-2 §8.11.4).
func (m *merger) addLayers(a *arrangement, layers dict) {
	groups, d := a.f.Array(layers["OCGs"]), a.f.Dict(layers["D"])
	m.groups = append(m.groups, a.values(groups)...)
	for _, key := range []name{"OFF", "Order", "RBGroups", "AS", "Locked"} {
		list := a.f.Array(d[key])
		if key == "OFF" && a.f.Name(d["BaseState"]) == "OFF" {
			on := map[any]bool{}
			for _, v := range a.f.Array(d["ON"]) {
				if r, ok := v.(ref); ok {
					on[r] = true
				}
			}
			list = slices.DeleteFunc(slices.Clone(groups), func(v any) bool {
				r, ok := v.(ref)
				return !ok || on[r]
			})
		}
		if len(list) > 0 {
			have, _ := m.layers[key].(array)
			m.layers[key] = append(have, a.values(list)...)
		}
	}
}

func (m *merger) catalog() dict {
	c := dict{"Type": name("Catalog"), "Pages": m.tree}
	if m.version > "1.7" {
		c["Version"] = m.version
	}
	if m.lang != nil {
		c["Lang"] = m.lang
	}
	if len(m.fields) > 0 {
		form := dict{"Fields": m.fields, "DR": m.dr}
		if len(m.order) > 0 {
			form["CO"] = m.order
		}
		if m.draw {
			form["NeedAppearances"] = true
		}
		c["AcroForm"] = form
	}
	if len(m.groups) > 0 {
		c["OCProperties"] = dict{"OCGs": m.groups, "D": m.layers}
	}
	if len(m.associated) > 0 {
		c["AF"] = m.associated
	}
	names := dict{}
	for key, entries := range m.trees {
		slices.SortStableFunc(entries, func(a, b document.NameEntry) int { return bytes.Compare(a.Key, b.Key) })
		var flat array
		for _, e := range entries {
			flat = append(flat, e.Key, e.Value)
		}
		names[key] = dict{"Names": flat}
	}
	if len(names) > 0 {
		c["Names"] = names
	}
	return c
}

// A copying writes a new file. Its objects are numbered in the order in which they are needed.
type copying struct {
	ctx     context.Context
	out     *bufio.Writer
	hash    hash.Hash
	size    int64   // written so far
	offsets []int64 // of objects, beginning with number 1
}

func newCopying(ctx context.Context, w io.Writer) *copying {
	return &copying{ctx: ctx, out: bufio.NewWriter(w), hash: sha256.New()}
}

func (c *copying) begin(version string) error {
	return c.print(fmt.Appendf(nil, "%%PDF-%s\n%%\xE2\xE3\xCF\xD3\n", version))
}

// reserve returns the number for an object to be written later.
func (c *copying) reserve() int {
	c.offsets = append(c.offsets, 0)
	return len(c.offsets)
}

// open returns the beginning of an object that is written next.
func (c *copying) open(number int, v any) ([]byte, error) {
	c.offsets[number-1] = c.size
	return object.Append(append(strconv.AppendInt(nil, int64(number), 10), " 0 obj\n"...), v)
}

// put writes an object that is no stream.
func (c *copying) put(r ref, v any) error {
	line, err := c.open(r.Number, v)
	if err != nil {
		return err
	}
	return c.print(append(line, "\nendobj\n"...))
}

func (c *copying) print(b []byte) error {
	_, _ = c.hash.Write(b) // hashes never fail
	n, err := c.out.Write(b)
	c.size += int64(n)
	return err
}

// finish writes the cross-reference table and the trailer.
func (c *copying) finish(trailer dict) error {
	id := object.String(c.hash.Sum(nil)[:16])
	trailer["Size"], trailer["ID"] = len(c.offsets)+1, array{id, id}
	start := c.size
	if err := c.print(fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(c.offsets)+1)); err != nil {
		return err
	}
	for _, at := range c.offsets {
		if err := c.print(fmt.Appendf(nil, "%010d 00000 n \n", at)); err != nil {
			return err
		}
	}
	end, err := object.Append([]byte("trailer\n"), trailer)
	if err != nil {
		return err
	}
	if err := c.print(fmt.Appendf(end, "\nstartxref\n%d\n%%%%EOF\n", start)); err != nil {
		return err
	}
	return c.out.Flush()
}
