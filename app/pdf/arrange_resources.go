package pdf

import (
	"bytes"
	"maps"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// byName lists the resources that a content stream uses by name (ISO 32000-2 §7.8.3) but for colour
// spaces, some of which are used without being named.
var byName = []name{"XObject", "Font", "ExtGState", "Pattern", "Shading", "Properties"}

// Work that reads no further object counts as reading bytes of syntax does: pages may share much that
// is gone through for each of them.
const (
	visitCost = 64  // of an entry that is looked at
	nameCost  = 512 // of a name that is kept in memory
)

// prune returns the resources that content streams use: pages often share theirs, which then have
// the pictures of pages that are left out.
func (a *arrangement) prune(resources any, content ...any) (dict, error) {
	all := a.f.Dict(resources)
	used := map[name]bool{}
	if err := a.use(all, used, map[int]bool{}, content...); err != nil {
		return nil, err
	}
	kept := all.Clone()
	for _, kind := range byName {
		if all[kind] == nil {
			continue
		}
		some, shared := dict{}, a.f.Dict(all[kind])
		for n := range used {
			if v := shared[n]; v != nil {
				some[n] = v
			}
		}
		kept[kind] = some
	}
	return kept, a.f.Spend(visitCost * int64(len(kept)+len(used)))
}

// use adds the names in content streams, and in what they draw that has no resources of its own.
func (a *arrangement) use(all dict, used map[name]bool, seen map[int]bool, content ...any) error {
	for _, v := range content {
		r, _ := v.(ref)
		if r.Number > 0 && seen[r.Number] {
			continue
		}
		seen[r.Number] = true
		switch x := a.f.Resolve(v).(type) {
		case array:
			if err := a.use(all, used, seen, x...); err != nil {
				return err
			}
		case *reader.Stream:
			names, err := a.namesIn(r.Number, x)
			if err != nil {
				return err
			}
			for n := range names {
				used[n] = true
				if err := a.f.Spend(4 * visitCost); err != nil {
					return err
				}
				if err := a.use(all, used, seen, a.drawnBy(all, n)...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// namesIn returns all names in a content stream, whatever they are there for.
func (a *arrangement) namesIn(number int, content *reader.Stream) (map[name]bool, error) {
	if names := a.named[number]; names != nil && number > 0 {
		return names, nil
	}
	data, err := a.f.Decode(content)
	if err != nil {
		return nil, err
	}
	names := map[name]bool{}
	l := object.NewLexer(data, 0)
	for at := 0; ; at = l.Pos() {
		next := bytes.IndexByte(data[at:], '/')
		if next < 0 {
			break
		}
		l.Seek(at + next)
		n, err := l.Next()
		if found, ok := n.(name); ok && err == nil && !names[found] {
			names[found] = true
			if err := a.f.Spend(nameCost); err != nil {
				return nil, err
			}
		}
	}
	a.named[number] = names
	return names, nil
}

// drawnBy returns the content of forms, characters and masks of a name that use the resources of
// where they are drawn, as they have none of their own.
func (a *arrangement) drawnBy(all dict, n name) []any {
	var out []any
	form := func(v any) {
		if x, ok := a.f.Resolve(v).(*reader.Stream); ok && a.f.Name(x.Dict["Subtype"]) == "Form" && x.Dict["Resources"] == nil {
			out = append(out, v)
		}
	}
	form(a.f.Dict(all["XObject"])[n])
	form(a.f.Dict(a.f.Dict(a.f.Dict(all["ExtGState"])[n])["SMask"])["G"])
	if font := a.f.Dict(a.f.Dict(all["Font"])[n]); font["Resources"] == nil {
		out = slices.AppendSeq(out, maps.Values(a.f.Dict(font["CharProcs"])))
	}
	return out
}

// pruned returns a form, pattern, appearance or font with only the resources that it uses.
func (a *arrangement) pruned(v any) (any, error) {
	switch x := v.(type) {
	case *reader.Stream:
		if x.Dict["Resources"] == nil {
			return v, nil
		}
		resources, err := a.prune(x.Dict["Resources"], x)
		some := *x
		some.Dict = x.Dict.Clone()
		some.Dict["Resources"] = resources
		return &some, err
	case dict:
		if x["Resources"] == nil || a.f.Name(x["Subtype"]) != "Type3" {
			return v, nil
		}
		resources, err := a.prune(x["Resources"], slices.Collect(maps.Values(a.f.Dict(x["CharProcs"])))...)
		x = x.Clone()
		x["Resources"] = resources
		return x, err
	}
	return v, nil
}
