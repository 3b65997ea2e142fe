package verify

import "slices"

// Signing a tagged file adds a structure element for the new field and an entry
// in the parent tree (ISO 32000-2 §14.7). The tree is not shown on any page, so
// such additions are part of signing. Nothing else in it may change, because
// screen readers read out its text.

// tags judges a changed object in the structure tree.
func (p *revisions) tags(n int) *change {
	c := &change{kind: ChangeStructure, number: n, by: RuleSigning}
	if !p.grown(p.old.Object(n), p.new.Object(n), "") {
		c.breaks = RuleNone
	}
	return c
}

// growing are the entries under which a structure tree grows.
var growing = []name{"K", "Kids", "Nums", "Names", "ParentTree", "IDTree"}

// grown reports whether a value of the tree is an older one with additions.
func (p *revisions) grown(was, is any, key name) bool {
	if p.equal(was, is) {
		return true
	}
	switch key {
	case "Limits", "ParentTreeNextKey":
		return !hasRef(is)
	case "Nums", "Names":
		return p.grownPairs(p.old.Array(was), p.new.Array(is))
	case "K", "Kids":
		return p.grownList(list(p.old, was), list(p.new, is))
	}
	switch x := p.old.Resolve(was).(type) {
	case array:
		y, ok := p.new.Resolve(is).(array)
		return ok && (p.grownList(x, y) || p.grownPairs(x, y))
	case dict:
		y, ok := p.new.Resolve(is).(dict)
		return ok && p.moved(was, is) && p.grownDict(x, y)
	}
	return false
}

func (p *revisions) grownDict(a, b dict) bool {
	for _, k := range p.keys(a, b) {
		if !slices.Contains(growing, k) && k != "Limits" && k != "ParentTreeNextKey" || b[k] == nil {
			return false
		}
		if !p.grown(a[k], b[k], k) {
			return false
		}
	}
	return true
}

// list returns an array, or a single value as an array of one.
func list(f *file, v any) array {
	if a, ok := f.Resolve(v).(array); ok {
		return a
	}
	if v == nil {
		return nil
	}
	return array{v}
}

// grownList reports whether a list only gained new elements.
func (p *revisions) grownList(a, b array) bool {
	for _, v := range b {
		if len(a) > 0 && p.equal(a[0], v) {
			a = a[1:]
			continue
		}
		if !p.newElement(v) {
			return false
		}
	}
	return len(a) == 0
}

// grownPairs is grownList for alternating keys and values.
func (p *revisions) grownPairs(a, b array) bool {
	for ; len(b) >= 2; b = b[2:] {
		if len(a) >= 2 && p.equal(a[0], b[0]) {
			if !p.grown(a[1], b[1], "") {
				return false
			}
			a = a[2:]
			continue
		}
		if hasRef(b[0]) || !p.newElement(b[1]) {
			return false
		}
	}
	return len(a) == 0 && len(b) == 0
}

// newElement reports whether a value is a new element that refers only to a new
// annotation and not to existing page content.
func (p *revisions) newElement(v any) bool {
	if !p.added(v) {
		return false
	}
	d, ok := p.new.Resolve(v).(dict)
	if !ok {
		return false
	}
	if d["Obj"] != nil { // an object reference on its own, or a node of the tree
		return p.added(d["Obj"])
	}
	kids := list(p.new, d["K"])
	return len(kids) > 0 && !slices.ContainsFunc(kids, func(k any) bool {
		kd, ok := p.new.Resolve(k).(dict)
		return !ok || !p.added(kd["Obj"])
	})
}
