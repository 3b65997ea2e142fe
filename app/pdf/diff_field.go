package pdf

import (
	"regexp"
	"slices"

	"paraph/app/pdf/object"
)

// A fieldComparison compares one field, with its widgets, between revisions.
type fieldComparison struct {
	p       *pair
	was, is *field
}

func (x *fieldComparison) add(number int, key name, by, breaks string) {
	kind := ChangeField
	if by == RuleFill {
		kind = ChangeFormFill
	}
	x.p.add(change{
		kind: kind, number: number, page: x.p.is.pageWith(x.is), field: x.is.name, key: key, by: by, breaks: breaks,
	})
}

func (x *fieldComparison) broken(number int, key name, rule string) { x.add(number, key, "", rule) }

func (x *fieldComparison) compare() {
	was, is := x.was, x.is
	n := is.ref.Number
	switch {
	case was.name != is.name:
		x.broken(n, "T", RuleNone)
	case was.kind != is.kind:
		x.broken(n, "FT", RuleNone)
	case !slices.EqualFunc(was.widgets, is.widgets, func(a, b widget) bool { return a.ref == b.ref }):
		x.broken(n, "Kids", RuleNone)
	case is.kind == "Sig" && was.value == nil && is.value != nil:
		x.signed()
	case is.kind == "Sig":
		x.frozen(signedRule(was))
	default:
		x.filled()
	}
}

// signedRule returns the rule violated by changing a signature field in any
// other way than signing it.
func signedRule(was *field) string {
	if was.value != nil {
		return RuleSignedField
	}
	return RuleNone
}

// parts calls visit with the dictionaries of a field: its own, and those of
// widgets that are separate objects. The older version of each comes first.
func (x *fieldComparison) parts(visit func(number int, a, b dict)) {
	visit(x.is.ref.Number, x.was.dict, x.is.dict)
	for i, w := range x.is.widgets {
		if w.ref != x.is.ref {
			visit(w.ref.Number, x.was.widgets[i].dict, w.dict)
		}
	}
}

// frozen checks that the only changes to a field are flags that lock it.
func (x *fieldComparison) frozen(rule string) {
	x.parts(func(number int, a, b dict) {
		for _, k := range x.p.keys(a, b) {
			if !x.p.locks(k, a[k], b[k]) && !(k == "Type" && typed(a, b)) {
				x.broken(number, k, rule)
			}
		}
		if !x.p.deepEqual(a["AP"], b["AP"]) {
			x.broken(number, "AP", rule)
		}
	})
}

// typed reports whether an annotation was given the explicit type that it
// already has implicitly.
func typed(a, b dict) bool { return a["Type"] == nil && b["Type"] == name("Annot") }

// locks reports whether an entry changed the way signing programs lock a signed
// field: read-only, printed, not movable.
func (p *revisions) locks(k name, was, is any) bool {
	a, ok1 := object.Int(p.old.Resolve(was))
	b, ok2 := object.Int(p.new.Resolve(is))
	if was != nil && !ok1 || is != nil && !ok2 {
		return false
	}
	switch k {
	case "Ff":
		return b|flagReadOnly == a|flagReadOnly && b&a == a
	case "F":
		const locked = 4 | 128 | 512 // print, locked, locked contents
		return b|locked == a|locked && b&a == a
	}
	return false
}

// signingEntries change when a field is signed.
var signingEntries = []name{"V", "AP", "AS", "M", "MK", "DA", "Q"}

// signed judges a newly signed field.
func (x *fieldComparison) signed() {
	p, n := x.p, x.is.ref.Number
	c := change{kind: p.new.signatureKind(x.is), number: n, page: p.is.pageWith(x.is), field: x.is.name, by: RuleSigning}
	if c.kind == ChangeTimestamp {
		if p.new.visible(x.is) {
			c.kind = ChangeSignature
		} else {
			c.by = RuleTimestamp
		}
	}
	if !p.added(x.is.value) {
		c.breaks = RuleNumberInUse
	} else if shape(p.new.Resolve(x.is.value)) != 'd' {
		c.breaks = RuleDamaged
	}
	p.add(c)
	x.parts(func(number int, a, b dict) {
		for _, k := range p.keys(a, b) {
			switch {
			case slices.Contains(signingEntries, k), p.locks(k, a[k], b[k]), k == "Type" && typed(a, b):
			case k == "StructParent" && a[k] == nil:
			case k == "P" && a[k] == nil && p.is.ownPage(number, b[k]):
			default:
				x.broken(number, k, RuleNone)
			}
		}
		x.drawable(number, a["AP"], b["AP"])
	})
}

// ownPage reports whether v is the page of a widget.
func (s *structure) ownPage(number int, v any) bool {
	page := s.pageOf(number)
	r, ok := v.(ref)
	return ok && page > 0 && s.tree.pages[page-1].ref == r
}

// drawable checks that a new appearance is valid and consists of new objects.
func (x *fieldComparison) drawable(number int, was, is any) {
	p := x.p
	a, b := p.old.Dict(was), p.new.Dict(is)
	switch {
	case is == nil && was == nil:
	case is == nil:
		x.broken(number, "AP", RuleRemoved)
	case shape(p.new.Resolve(is)) != 'd':
		x.broken(number, "AP", RuleTwoRoles)
	case !p.equal(was, is) && !p.moved(was, is) || !p.movedAll(a, b):
		x.broken(number, "AP", RuleNumberInUse)
	case !p.deepEqual(was, is) && p.usedElsewhere(was):
		x.broken(number, "AP", RuleTwoRoles)
	}
}

// usedElsewhere reports whether an appearance was already used for something
// else.
func (p *revisions) usedElsewhere(v any) bool {
	r, ok := v.(ref)
	if !ok {
		return false
	}
	before, elsewhere := &walker{graph: p.graph, parts: p.was}, false
	before.each(r.Number, func(c route) bool {
		elsewhere = c.key != "AP" || !p.was.plays(c.holder, kindAnnotation, kindField, kindWidget)
		return !elsewhere
	})
	return elsewhere
}

// movedAll applies moved to the entries of an appearance and of its states.
func (p *revisions) movedAll(a, b dict) bool {
	for k, v := range b {
		if p.equal(a[k], v) {
			continue
		}
		if !p.moved(a[k], v) {
			return false
		}
		states, ok := p.new.Resolve(v).(dict)
		if ok && !p.movedAll(p.old.Dict(a[k]), states) {
			return false
		}
	}
	return true
}

// fillEntries change when a field is filled in.
var fillEntries = []name{"V", "AP", "AS", "I", "M", "RV", "TI", "DA", "Q"}

// lookEntries describe the look of a value or repeat it, so they change with
// it.
var lookEntries = []name{"I", "RV", "TI", "DA", "Q"}

// filled judges a field that was filled in.
func (x *fieldComparison) filled() {
	p := x.p
	any, valued := false, !p.deepEqual(x.was.value, x.is.value)
	x.parts(func(number int, a, b dict) {
		for _, k := range p.keys(a, b) {
			switch {
			case slices.Contains(lookEntries, k) && !valued || k == "AS" && x.is.kind != "Btn":
				x.broken(number, k, RuleAppearance)
			case slices.Contains(fillEntries, k):
				any = true
			case p.locks(k, a[k], b[k]), k == "Type" && typed(a, b):
			case k == "MK" && a[k] == nil && len(p.new.Dict(b[k])) == 0:
			default:
				x.broken(number, k, RuleNone)
			}
		}
		if !p.deepEqual(a["AP"], b["AP"]) {
			any = true
			x.drawable(number, a["AP"], b["AP"])
		}
	})
	if !any && !valued {
		return
	}
	c := change{kind: ChangeFormFill, number: x.is.ref.Number, page: p.is.pageWith(x.is), field: x.is.name, by: RuleFill}
	if v := x.is.value; v != nil && !p.equal(x.was.value, v) && !p.moved(x.was.value, v) {
		c.breaks = RuleNumberInUse
	}
	p.add(c)
	if rule := x.contradiction(); rule != "" {
		x.broken(x.is.ref.Number, "", rule)
	}
}

// contradiction returns the rule that is violated if the value of a field
// differs from what its appearance shows ("Shadow Attacks", NDSS 2021).
func (x *fieldComparison) contradiction() string {
	if x.is.kind == "Btn" {
		if x.is.flags&flagPushbutton != 0 { // has no value, only an appearance
			return ""
		}
		return x.button()
	}
	return x.text()
}

// button compares check boxes and radio buttons. They keep their appearances,
// and the state each one shows must match the value.
func (x *fieldComparison) button() string {
	p := x.p
	value := p.new.state(x.is.value)
	for i, w := range x.is.widgets {
		before := x.was.widgets[i].dict
		if !p.deepEqual(before["AP"], w.dict["AP"]) && before["AP"] != nil {
			return RuleAppearance
		}
		states := p.new.Dict(p.new.Dict(w.dict["AP"])["N"])
		shown := p.new.state(w.dict["AS"])
		want := "Off"
		if _, ok := states[name(value)]; ok {
			want = value
		}
		if shown != want && len(states) > 0 {
			return RuleContradiction
		}
	}
	return ""
}

// state returns the state name of a button, Off if it has none.
func (f *File) state(v any) string {
	switch s := f.Resolve(v).(type) {
	case name:
		return string(s)
	case object.String:
		return s.Text()
	}
	return "Off"
}

// repeated reports whether the entries that repeat the value agree with it: the
// index of a choice, and rich text.
func (x *fieldComparison) repeated() bool {
	f, d := x.p.new, x.is.dict
	if rich, ok := f.Resolve(d["RV"]).(object.String); ok && !x.p.equal(x.was.dict["RV"], d["RV"]) {
		plain := markup.ReplaceAllString(rich.Text(), " ")
		if !slices.Equal(bare(plain), bare(f.valueText(x.is))) {
			return false
		}
	}
	index, options := f.Array(d["I"]), f.Array(d["Opt"])
	if len(index) != 1 || len(options) == 0 {
		return true
	}
	i, ok := f.Int(index[0])
	if !ok || i < 0 || int(i) >= len(options) {
		return false
	}
	value := f.Text(x.is.value)
	if pair := f.Array(options[i]); len(pair) == 2 {
		return f.Text(pair[0]) == value || f.Text(pair[1]) == value
	}
	return f.Text(options[i]) == value
}

var markup = regexp.MustCompile(`<[^>]*>`)

// text compares text fields and choices: a new appearance requires a new value,
// and the two must agree.
func (x *fieldComparison) text() string {
	p := x.p
	if !x.repeated() {
		return RuleContradiction
	}
	valued := !p.deepEqual(x.was.value, x.is.value)
	drawn, drew := false, false
	for i, w := range x.is.widgets {
		before, after := x.was.widgets[i].dict["AP"], w.dict["AP"]
		drew = drew || after != nil
		drawn = drawn || !p.deepEqual(before, after)
		// A value may be redrawn, but only with the visibility it had when it was
		// signed: an appearance that hid the value must not be replaced by one
		// that shows it.
		redrawn := before != nil && !p.deepEqual(before, after)
		if !valued && redrawn && !(x.showsValue(p.new, w) && x.showsValue(p.old, x.was.widgets[i])) {
			return RuleAppearance
		}
	}
	switch {
	case !drew || !valued && !drawn:
		return ""
	case x.is.dict["AA"] != nil: // a script formats the displayed text
		if valued && !drawn {
			return ""
		}
		if !valued {
			return RuleAppearance
		}
		return ""
	}
	for _, w := range x.is.widgets {
		if w.dict["AP"] != nil && !x.showsValue(p.new, w) {
			return RuleContradiction
		}
	}
	return ""
}
