package pdf

import (
	"maps"
	"slices"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// forPrinters are the entries of a graphics state that printers follow and screens don't: how inks mix, and how
// dots are made of them (ISO 32000-2 §8.4.5). White that overprints hides a text on the screen alone.
var forPrinters = []name{"OP", "op", "OPM", "HT", "HTP", "BG", "BG2", "UCR", "UCR2"}

// forPrinters reports whether a graphics state asks for something of a printer.
func (f *File) forPrinters(state dict) bool {
	return slices.ContainsFunc(forPrinters, func(key name) bool {
		switch v := f.Resolve(state[key]).(type) {
		case bool:
			return v
		case name:
			return v != "Default"
		case nil:
			return false
		}
		return key != "OPM" // which changes only how OP works
	})
}

// transfers reports whether a graphics state changes colours by a function, as some readers do and others
// don't.
func (f *File) transfers(state dict) bool {
	v := f.Resolve(state["TR2"])
	if v == nil {
		v = f.Resolve(state["TR"])
	}
	return v != nil && v != any(name("Identity")) && v != any(name("Default"))
}

// A stateAt is a graphics state in the objects of a file.
type stateAt struct {
	dict
	ref    ref  // of the state itself, or zero
	holder int  // number of the object that it is a part of
	listed bool // that object is a list of states
}

// states calls visit with the graphics states that a dictionary in an object names: the resources of content,
// or a pattern of a shading.
func (f *File) states(number int, d dict, visit func(stateAt)) {
	v := d["ExtGState"]
	if v == nil {
		return
	}
	all, listed := dict{"": v}, false
	if d["PatternType"] == nil {
		var at ref
		if at, listed = v.(ref); listed {
			number = at.Number
		}
		all = f.Dict(v)
	}
	for _, e := range all {
		at, _ := e.(ref)
		visit(stateAt{f.Dict(e), at, number, listed})
	}
}

// sameInks removes what only printers follow from the graphics states of the upload.
func (p *preparation) sameInks() error {
	holders := map[int]bool{}
	own := map[int]ref{}
	p.f.reach(p.f.RootRef, func(number int, d dict) {
		p.f.states(number, d, func(s stateAt) {
			switch {
			case !p.f.forPrinters(s.dict):
			case s.ref.Number > 0:
				own[s.ref.Number] = s.ref
			default:
				holders[s.holder] = s.listed
			}
		})
	})
	for _, number := range slices.Sorted(maps.Keys(own)) {
		at := own[number]
		p.u.put(at, screened(p.f.Dict(at)))
	}
	for n, at := range p.f.Pages() {
		if _, holds := holders[at.Ref.Number]; !holds && (len(holders) == 0 || p.dicts[at.Ref.Number] == nil) {
			continue
		}
		delete(holders, at.Ref.Number)
		_, d, err := p.page(n)
		if err != nil {
			return err
		}
		if own, direct := d["Resources"].(dict); direct {
			d["Resources"] = p.screenedIn(own, false)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(holders)) {
		if err := p.objectInks(number, holders[number]); err != nil {
			return err
		}
	}
	return p.f.Fault
}

// objectInks is sameInks for the graphics states that are parts of another object.
func (p *preparation) objectInks(number int, listed bool) error {
	at := ref{Number: number}
	switch x := p.f.Object(number).(type) {
	case dict:
		if x["Kids"] == nil {
			p.u.put(at, p.screenedIn(x, listed))
			return nil
		}
		if now := p.dicts[number]; now != nil { // a part of the page tree that has more pages now
			x = now
		}
		p.dicts[number], _ = p.screenedIn(x, false).(dict)
	case *reader.Stream:
		data, err := p.f.Raw(x)
		if err != nil {
			return err
		}
		d, _ := p.screenedIn(x.Dict, false).(dict)
		delete(d, "Length")
		p.u.put(at, &object.Stream{Dict: d, Data: data})
	}
	return nil
}

// screenedIn returns a value whose graphics states have nothing for printers; these are its entries if states is
// set.
func (p *preparation) screenedIn(v any, states bool) any {
	d, ok := v.(dict)
	if !ok {
		return v
	}
	d = d.Clone()
	for key, e := range d {
		one, direct := e.(dict)
		switch {
		case !direct:
		case states, key == "ExtGState" && d["PatternType"] != nil:
			d[key] = screened(one)
		default:
			d[key] = p.screenedIn(one, key == "ExtGState")
		}
	}
	return d
}

func screened(state dict) dict {
	state = state.Clone()
	maps.DeleteFunc(state, func(key name, _ any) bool { return slices.Contains(forPrinters, key) })
	return state
}
