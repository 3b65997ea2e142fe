package record

// settled is what a condition comes to before its recipient enters anything.
type settled struct{ met, known bool }

// Settled reports whether a field's condition is met, and whether that is known whatever the
// recipient enters, because the values of others decide it.
func (r *Rules) Settled(x *Field) (met, known bool) {
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

// Open returns the comparisons that decide about a field whose condition is not settled,
// with what they compare. All are about the recipient's own fields.
func (r *Rules) Open(x *Field, each func(Test, *Operand)) {
	for _, t := range x.Condition.When {
		if _, known := r.decided(x, t); !known {
			found, _ := r.operands.Of(x, t.Field)
			each(t.On(found), found)
		}
	}
}

// decided returns whether a comparison holds, and whether that is known already: it is about
// the value of somebody else, or about fields that the recipient is not asked for.
func (r *Rules) decided(x *Field, t Test) (holds, known bool) {
	found, _ := r.operands.Of(x, t.Field)
	switch {
	case found == nil:
		return false, true
	case found.Fields[0].Invitation != r.invitation:
		return t.On(found).holds(found, r.value(found)), true
	}
	for _, o := range found.Fields {
		if r.Asked(o) {
			return false, false
		}
	}
	return t.On(found).holds(found, ""), true
}

// Asked reports whether the recipient may be asked for a field, depending on what they enter.
// What they are never asked for is none of their business: it would tell what others entered.
func (r *Rules) Asked(x *Field) bool {
	if x.Condition == nil || x.Condition.Then != ConditionShow {
		return true
	}
	met, known := r.Settled(x)
	return met || !known
}
