package verify

import (
	"regexp"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// A fieldComparison compares one field, with its widgets, between revisions.
type fieldComparison struct {
	p       *pair
	was, is *document.Field
}

func (x *fieldComparison) add(number int, key name, by, breaks string) {
	kind := ChangeField
	if by == RuleFill {
		kind = ChangeFormFill
	}
	x.p.add(change{
		kind: kind, number: number, page: x.p.is.pageWith(x.is), field: x.is.Name, key: key, by: by, breaks: breaks,
	})
}

func (x *fieldComparison) broken(number int, key name, rule string) { x.add(number, key, "", rule) }

func (x *fieldComparison) compare() {
	was, is := x.was, x.is
	n := is.Ref.Number
	switch {
	case was.Name != is.Name:
		x.broken(n, "T", RuleNone)
	case was.Kind != is.Kind:
		x.broken(n, "FT", RuleNone)
	case !slices.EqualFunc(was.Widgets, is.Widgets, func(a, b document.Widget) bool { return a.Ref == b.Ref }):
		x.broken(n, "Kids", RuleNone)
	case is.Kind == "Sig" && was.Value == nil && is.Value != nil:
		x.signed()
	case is.Kind == "Sig":
		x.frozen(signedRule(was))
	default:
		x.filled()
	}
}

// signedRule returns the rule violated by changing a signature field in any
// other way than signing it.
func signedRule(was *document.Field) string {
	if was.Value != nil {
		return RuleSignedField
	}
	return RuleNone
}

// parts calls visit with the dictionaries of a field: its own, and those of
// widgets that are separate objects. The older version of each comes first.
func (x *fieldComparison) parts(visit func(number int, a, b dict)) {
	visit(x.is.Ref.Number, x.was.Dict, x.is.Dict)
	for i, w := range x.is.Widgets {
		if w.Ref != x.is.Ref {
			visit(w.Ref.Number, x.was.Widgets[i].Dict, w.Dict)
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
		return b|document.FlagReadOnly == a|document.FlagReadOnly && b&a == a
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
	p, n := x.p, x.is.Ref.Number
	c := change{kind: p.new.signatureKind(x.is), number: n, page: p.is.pageWith(x.is), field: x.is.Name, by: RuleSigning}
	if c.kind == ChangeTimestamp {
		if p.new.Visible(x.is) {
			c.kind = ChangeSignature
		} else {
			c.by = RuleTimestamp
		}
	}
	if !p.added(x.is.Value) {
		c.breaks = RuleNumberInUse
	} else if shape(p.new.Resolve(x.is.Value)) != 'd' {
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
		x.uncovering(number, a, b)
	})
}

// uncovering checks that what a widget shows now leaves visible what was shown before.
func (x *fieldComparison) uncovering(number int, was, is dict) {
	if x.p.covers(number, was, is) {
		x.broken(number, "AP", RuleCovers)
	}
}

// ownPage reports whether v is the page of a widget.
func (s *structure) ownPage(number int, v any) bool {
	page := s.pageOf(number)
	r, ok := v.(ref)
	return ok && page > 0 && s.tree.pages[page-1].Ref == r
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
		elsewhere = c.key != "AP" || !p.was.plays(c.holder, KindAnnotation, KindField, KindWidget)
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
	any, valued := false, !p.deepEqual(x.was.Value, x.is.Value)
	x.parts(func(number int, a, b dict) {
		for _, k := range p.keys(a, b) {
			switch {
			case slices.Contains(lookEntries, k) && !valued || k == "AS" && x.is.Kind != "Btn":
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
		if any {
			x.uncovering(number, a, b)
		}
	})
	if !any && !valued {
		return
	}
	c := change{kind: ChangeFormFill, number: x.is.Ref.Number, page: p.is.pageWith(x.is), field: x.is.Name, by: RuleFill}
	for i, w := range x.is.Widgets {
		c.shapes = c.shapes || x.is.Kind != "Btn" && !p.deepEqual(x.was.Widgets[i].Dict["AP"], w.Dict["AP"]) && !x.sameShapes(x.was.Widgets[i], w, true)
	}
	if v := x.is.Value; v != nil && !p.equal(x.was.Value, v) && !p.moved(x.was.Value, v) {
		c.breaks = RuleNumberInUse
	}
	p.add(c)
	if rule := x.contradiction(); rule != "" {
		x.broken(x.is.Ref.Number, "", rule)
	}
}

// contradiction returns the rule that is violated if the value of a field
// differs from what its appearance shows ("Shadow Attacks", NDSS 2021).
func (x *fieldComparison) contradiction() string {
	if x.is.Kind == "Btn" {
		if x.is.Flags&document.FlagPushbutton != 0 { // has no value, only an appearance
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
	value := p.new.state(x.is.Value)
	for i, w := range x.is.Widgets {
		before := x.was.Widgets[i].Dict
		if !p.deepEqual(before["AP"], w.Dict["AP"]) && before["AP"] != nil {
			return RuleAppearance
		}
		states := p.new.Dict(p.new.Dict(w.Dict["AP"])["N"])
		shown := p.new.state(w.Dict["AS"])
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
func (f *file) state(v any) string {
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
	f, d := x.p.new, x.is.Dict
	if rich, ok := f.Resolve(d["RV"]).(object.String); ok && !x.p.equal(x.was.Dict["RV"], d["RV"]) {
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
	value := f.Text(x.is.Value)
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
	valued := !p.deepEqual(x.was.Value, x.is.Value)
	drawn, drew := false, false
	for i, w := range x.is.Widgets {
		before, after := x.was.Widgets[i].Dict["AP"], w.Dict["AP"]
		drew = drew || after != nil
		drawn = drawn || !p.deepEqual(before, after)
		// A value may be redrawn, but only with the visibility it had when it was
		// signed: an appearance that hid the value must not be replaced by one
		// that shows it.
		redrawn := before != nil && !p.deepEqual(before, after)
		same := func() bool {
			return x.showsValue(p.new, w) && x.showsValue(p.old, x.was.Widgets[i]) && x.sameShapes(x.was.Widgets[i], w, false)
		}
		// Where there was none, readers drew the value themselves.
		added := before == nil && after != nil && p.new.valueText(x.is) != ""
		if !valued && (redrawn && !same() || added && !p.new.plain(w)) {
			return RuleAppearance
		}
	}
	switch {
	case !drew || !valued && !drawn:
		return ""
	case x.is.Dict["AA"] != nil: // a script formats the displayed text
		if valued && !drawn {
			return ""
		}
		if !valued {
			return RuleAppearance
		}
		return ""
	}
	for _, w := range x.is.Widgets {
		if w.Dict["AP"] != nil && !x.showsValue(p.new, w) {
			return RuleContradiction
		}
	}
	return ""
}
