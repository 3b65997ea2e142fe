package record

import "slices"

// settled is the outcome of a condition before its recipient enters anything.
type settled struct{ met, known bool }

// settledOf reports whether a field's condition is met, and whether that is known whatever the
// recipient enters, because the values of others decide it.
func (r *Rules) settledOf(x *Field) (met, known bool) {
	if x.Condition == nil {
		return true, true
	}
	out, ok := r.settled[x]
	if !ok {
		r.settled[x] = settled{} // documents that are sent have no circles
		out = r.settle(x.Condition, x)
		r.settled[x] = out
	}
	return out.met, out.known
}

func (r *Rules) settle(c *Condition, x *Field) settled {
	any, open := c.Match == MatchAny, false
	for _, t := range c.When {
		switch holds, known := r.decided(x, t); {
		case !known:
			open = true
		case holds == any:
			return settled{met: any, known: true}
		}
	}
	return settled{met: !any, known: !open}
}

// Told returns what the recipient may know of their fields: not those that the values of others
// hide, and of conditions only what depends on what they enter themselves.
func (r *Rules) Told(own []*Field) []*Field {
	out := make([]*Field, 0, len(own))
	for _, x := range own {
		if r.asked(x) {
			out = append(out, r.told(x))
		}
	}
	return out
}

func (r *Rules) told(x *Field) *Field {
	if x.Condition == nil {
		return x
	}
	out := *x
	if met, known := r.settledOf(x); known {
		out.Condition, out.Required = nil, x.Required || met && x.Condition.Then == ConditionRequire
		return &out
	}
	open := *x.Condition
	open.When = slices.DeleteFunc(slices.Clone(open.When), func(t Test) bool {
		_, known := r.decided(x, t)
		return known
	})
	out.Condition = &open
	return &out
}

// Comparisons returns the comparisons of a field's condition in their simplest form, with the
// fields that they compare.
func (r *Rules) Comparisons(x *Field, each func(Test, *Operand)) {
	for _, t := range x.Condition.When {
		found, _ := r.operands.Of(x, t.Field)
		each(t.On(found), found)
	}
}

// decided returns whether a comparison holds, and whether that is known already: it is about
// the value of somebody else, or about fields that the recipient is not asked for.
func (r *Rules) decided(x *Field, t Test) (holds, known bool) {
	found, _ := r.operands.Of(x, t.Field)
	switch {
	case found == nil:
		return false, true
	case !r.own[found.Fields[0].Invitation]:
		return t.On(found).holds(found, r.value(found)), true
	}
	for _, o := range found.Fields {
		if r.asked(o) {
			return false, false
		}
	}
	return t.On(found).holds(found, ""), true
}

// asked reports whether the recipient may be asked for a field, depending on what they enter.
// What they are never asked for is none of their business: even its label would tell what
// others have entered.
func (r *Rules) asked(x *Field) bool {
	if x.Condition == nil || x.Condition.Then != ConditionShow {
		return true
	}
	met, known := r.settledOf(x)
	return met || !known
}
