package record

import (
	"paraph/app/fault"
	"paraph/app/pdf"
)

// maxTicks limits how many checkboxes of a group can be asked for.
const maxTicks = 500

// Boxes is a group of checkboxes of one recipient. The strictest limits of its boxes hold.
type Boxes struct {
	Min, Max int // 0 is no limit
	Fields   []*Field
}

// BoxesOf returns the groups of checkboxes among a recipient's fields, by name. One that repeats another is not
// counted again.
func BoxesOf(own []*Field) map[string]*Boxes {
	groups, followers := map[string]*Boxes{}, Followers(own)
	for _, x := range own {
		if x.Type != pdf.FieldCheckbox || x.Group == "" || followers[x] != nil {
			continue
		}
		g := groups[x.Group]
		if g == nil {
			g = &Boxes{}
			groups[x.Group] = g
		}
		g.Fields = append(g.Fields, x)
		g.Min = max(g.Min, x.GroupMin)
		if x.GroupMax > 0 && (g.Max == 0 || x.GroupMax < g.Max) {
			g.Max = x.GroupMax
		}
	}
	return groups
}

// unmeetable returns the first box of every group of checkboxes whose limits can't be met.
func unmeetable(d *Document) map[*Field]bool {
	out := map[*Field]bool{}
	for i := range d.Invitations {
		for _, g := range BoxesOf(d.UnsortedFieldsOf(d.Invitations[i].ID)) {
			if !g.possible() {
				out[g.Fields[0]] = true
			}
		}
	}
	return out
}

// possible reports whether the limits leave room for what is ticked for good and for what has
// to be ticked, whichever of the other boxes the rules hide.
func (g *Boxes) possible() bool {
	fixed, open, required := 0, 0, 0
	for _, x := range g.Fields {
		switch {
		case x.Condition != nil:
		case x.ReadOnly && !x.empty(x.Value):
			fixed++
		case !x.ReadOnly:
			if open++; x.Required {
				required++
			}
		}
	}
	most := max(g.Max, fixed)
	return g.Max == 0 || min(g.Min, fixed+open) <= most && fixed+required <= most
}

// checkMost refuses more ticks than a group may have. Boxes that the rules hide don't
// count, and those that nobody can change are never too many by themselves.
func (g *Boxes) checkMost(f *fault.Fields, name string, rules *Rules, values map[string]string) {
	ticked, fixed, _ := g.count(rules, values)
	if g.Max > 0 && ticked > max(g.Max, fixed) {
		f.Add("fields."+g.Fields[0].GroupKey(), "too_many_ticks", fault.Number("limit", g.Max), fault.Text("field", name))
	}
}

// checkLeast requires as many ticks as a group must have, as far as boxes are shown that
// can be ticked.
func (g *Boxes) checkLeast(f *fault.Fields, name string, rules *Rules, values map[string]string) {
	ticked, _, open := g.count(rules, values)
	if least := min(g.Min, ticked+open); ticked < least {
		f.Add("fields."+g.Fields[0].GroupKey(), "too_few_ticks", fault.Number("limit", least), fault.Text("field", name))
	}
}

// count counts the boxes that are shown: those that are ticked, those of them that nobody
// can change, and those that can still be ticked.
func (g *Boxes) count(rules *Rules, values map[string]string) (ticked, fixed, open int) {
	for _, x := range g.Fields {
		on := !x.empty(values[x.ID])
		switch {
		case !rules.Shown(x):
		case on:
			if ticked++; x.ReadOnly {
				fixed++
			}
		case !x.ReadOnly:
			open++
		}
	}
	return ticked, fixed, open
}
