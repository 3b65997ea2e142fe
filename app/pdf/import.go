package pdf

import (
	"fmt"
	"paraph/app/pdf/document"
	"paraph/app/pdf/reader"
	"slices"
)

// importPages appends the pages of another file to those of the upload.
func (p *preparation) importPages() error {
	if p.spec.AppendPages == nil {
		return nil
	}
	from, err := Open(p.spec.AppendPages.Reader, p.spec.AppendPages.Size)
	if err != nil {
		return fmt.Errorf("pages to append: %w", err)
	}
	root, ok := p.f.Catalog()["Pages"].(ref)
	if !ok {
		return reader.Damaged("page tree")
	}
	c := copier{from: from, to: p.u, numbers: map[int]ref{}}
	var added array
	err = from.EachPage(func(_ ref, d dict, in document.Inherited) error {
		page := from.PageOf(p.u.reserve(), in)
		added = append(added, page.Ref)
		copied := c.page(d, in, page, root)
		p.u.addColours(copied)
		p.dicts[page.Ref.Number] = copied
		p.pages = append(p.pages, page)
		return nil
	})
	if err != nil {
		return err
	}
	if err := c.run(); err != nil {
		return err
	}
	node := p.f.Dict(root).Clone()
	count, _ := p.f.Int(node["Count"])
	if len(p.f.Pages()) != int(count) {
		count = int64(len(p.f.Pages()))
	}
	node["Kids"] = slices.Concat(p.f.Array(node["Kids"]), added)
	node["Count"] = count + int64(len(added))
	p.dicts[root.Number] = node
	return nil
}

// A copier copies objects of one file into a revision of another.
type copier struct {
	from    *File
	to      *update
	numbers map[int]ref
	queue   []int
}

// page copies the dictionary of a page. Inherited entries are written
// explicitly, because the page moves to another tree.
func (c *copier) page(d dict, in document.Inherited, page document.Page, parent ref) dict {
	out := dict{"Type": name("Page"), "Parent": parent, "Rotate": page.Rotate,
		"MediaBox": page.Area.Array(), "CropBox": page.Area.Array(), "Resources": dict{}}
	if in.Resources != nil {
		out["Resources"] = c.value(c.from.Resolve(in.Resources))
	}
	for _, key := range []name{"Contents", "Group", "UserUnit"} {
		if v := d[key]; v != nil {
			out[key] = c.value(v)
		}
	}
	return out
}

// value copies a value. The objects it refers to get a number and a place in a
// queue, so that long chains of references do not overflow the stack.
func (c *copier) value(v any) any {
	switch x := v.(type) {
	case ref:
		r, ok := c.numbers[x.Number]
		if !ok {
			r = c.to.reserve()
			c.numbers[x.Number] = r
			c.queue = append(c.queue, x.Number)
		}
		return r
	case array:
		out := make(array, len(x))
		for i, e := range x {
			out[i] = c.value(e)
		}
		return out
	case dict:
		out := make(dict, len(x))
		for k, e := range x {
			out[k] = c.value(e)
		}
		return out
	}
	return v
}

func (c *copier) run() error {
	for len(c.queue) > 0 {
		n := c.queue[0]
		c.queue = c.queue[1:]
		v := c.from.Object(n)
		src, ok := v.(*reader.Stream)
		if !ok {
			c.to.put(c.numbers[n], c.value(v))
			continue
		}
		data, err := c.from.Raw(src)
		if err != nil {
			return err
		}
		d := src.Dict.Clone()
		delete(d, "Length")
		d, _ = c.value(d).(dict)
		c.to.put(c.numbers[n], &stream{Dict: d, Data: data})
	}
	return c.from.Fault
}
