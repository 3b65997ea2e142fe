package pdf

import "paraph/app/pdf/document"

// What a file shows on the screen and what it shows on paper may differ: annotations are shown on one of
// them alone, layers have other states (ISO 32000-2 §12.5.3, §8.11.4). What is signed has to be what was
// seen, so a preparation makes both the same.

// Flags of annotations (ISO 32000-2 §12.5.3).
const (
	annotHidden       = 1 << 1
	annotPrint        = 1 << 2
	annotNoZoom       = 1 << 3
	annotNoRotate     = 1 << 4
	annotNoView       = 1 << 5
	annotToggleNoView = 1 << 8
)

// onlyAtTimes are the categories of the usage of a layer that make it seen only in some circumstances
// (ISO 32000-2 §8.11.4.4).
var onlyAtTimes = []name{"View", "Print", "Export", "Zoom", "Language", "User"}

// played are the entries of annotations of multimedia (ISO 32000-2 §13): what some readers put in the place of their
// appearance, and others don't know.
var played = []name{"Movie", "Sound", "3DD", "3DV", "3DA", "RichMediaContent", "RichMediaSettings"}

// plays reports whether an annotation is replaced by multimedia. That of the screen does so by its actions.
func (f *File) plays(d dict) bool {
	for _, key := range played {
		if d[key] != nil {
			return true
		}
	}
	return f.Name(d["Subtype"]) == "Screen" && (d["A"] != nil || d["AA"] != nil)
}

// largestIcon is the size of the icons of notes, in points. They are as large at every zoom.
const largestIcon = 36

// resized reports whether an annotation covers more or less of the page as that is zoomed or turned.
func (f *File) resized(d dict, r document.Rect) bool {
	flags, _ := f.Int(d["F"])
	width, height := r.Size()
	icon := f.Name(d["Subtype"]) == "Text" && max(width, height) <= largestIcon
	return flags&(annotNoZoom|annotNoRotate) != 0 && !icon
}

// pageAreas are the preferences of the catalog that show another part of a page on the screen than on
// paper, or print only some of the pages.
var pageAreas = []name{"ViewArea", "ViewClip", "PrintArea", "PrintClip", "PrintPageRange"}

// seen reports whether an annotation can be seen on the screen and on paper. Links and pop-ups show
// nothing of the document.
func (f *File) seen(d dict) (screen, paper, atTimes bool) {
	flags, _ := f.Int(d["F"])
	r, ok := f.Rect(d["Rect"])
	subtype := f.Name(d["Subtype"])
	nothing := subtype == "Popup" || subtype == "Link" && d["AP"] == nil
	if nothing || flags&annotHidden != 0 || !ok || r.Empty() {
		return false, false, false
	}
	screen, paper = flags&annotNoView == 0, flags&annotPrint != 0
	atTimes = flags&annotToggleNoView != 0 || d["FixedPrint"] != nil || f.plays(d) || f.resized(d, r)
	ap := f.Dict(d["AP"])
	if subtype != "Widget" && (ap["R"] != nil || ap["D"] != nil) {
		atTimes = true // it looks different while somebody points at it
	}
	return screen, paper, atTimes
}

// alike returns an annotation that looks the same on the screen and on paper, and whether it did not
// before.
func (f *File) alike(d dict) (dict, bool) {
	screen, paper, atTimes := f.seen(d)
	if screen == paper && !atTimes {
		return d, false
	}
	flags, _ := f.Int(d["F"])
	d = d.Clone()
	d["F"] = int(flags&^(annotNoView|annotToggleNoView|annotNoZoom|annotNoRotate) | annotPrint)
	delete(d, "FixedPrint")
	if f.plays(d) {
		for _, key := range append([]name{"A", "AA"}, played...) {
			delete(d, key)
		}
	}
	if ap := f.Dict(d["AP"]); f.Name(d["Subtype"]) != "Widget" && (ap["R"] != nil || ap["D"] != nil) {
		ap = ap.Clone()
		delete(ap, "R")
		delete(ap, "D")
		d["AP"] = ap
	}
	return d, true
}

// layers calls each with the layers of the file that are named in its catalog.
func (f *File) layers(each func(ref, dict)) {
	seen := map[int]bool{}
	for _, v := range f.Array(f.Dict(f.Catalog()["OCProperties"])["OCGs"]) {
		if r, ok := v.(ref); ok && !seen[r.Number] {
			seen[r.Number] = true
			each(r, f.Dict(r))
		}
	}
}

// constant returns a layer without what makes it seen only at times, and whether it had any of that.
func (f *File) constant(layer dict) (dict, bool) {
	usage := f.Dict(layer["Usage"])
	changed := false
	for _, key := range onlyAtTimes {
		if usage[key] == nil {
			continue
		}
		if !changed {
			usage, changed = usage.Clone(), true
		}
		delete(usage, key)
	}
	if !changed {
		return layer, false
	}
	layer = layer.Clone()
	layer["Usage"] = usage
	return layer, true
}

// inconstant counts the layers named in the catalog that are seen only at times. Some readers follow the
// usage of layers that are not named there as well.
func (f *File) inconstant() (n int) {
	f.layers(func(_ ref, d dict) {
		if _, changed := f.constant(d); changed {
			n++
		}
	})
	return n
}

// elsewhere reports whether something else may be shown in the place of a part of a page: another image,
// or one by a print server, on paper; PostScript, only there; or the content of another file (ISO 32000-2
// §8.9.5.4, §14.11.7, §8.8.2; ISO 32000-1 §7.3.8.2, §8.10.4).
func (f *File) elsewhere(d dict) bool {
	subtype := f.Name(d["Subtype"])
	switch {
	case subtype == "Image" && len(f.Array(d["Alternates"])) > 0,
		(subtype == "Image" || subtype == "Form") && d["OPI"] != nil,
		subtype == "Form" && (d["Ref"] != nil || d["PS"] != nil || f.Name(d["Subtype2"]) == "PS"),
		subtype == "PS" && (d["Length"] != nil || f.Name(d["Type"]) == "XObject"),
		d["Length"] != nil && d["F"] != nil: // a stream that is kept elsewhere
		return true
	}
	return false
}

// on reports whether a state of a layer's usage is not OFF.
func (f *File) on(layer dict, category, state name, otherwise bool) bool {
	v := f.Name(f.Dict(f.Dict(layer["Usage"])[category])[state])
	if v == "" {
		return otherwise
	}
	return v != "OFF"
}

// uneven counts what is not seen alike on the screen and on paper, and reports whether something is
// seen only on paper, or only at times.
func (f *File) uneven() (n int, paperOnly bool) {
	for _, p := range f.Pages() {
		for _, v := range f.Array(f.Dict(p.Ref)["Annots"]) {
			screen, paper, atTimes := f.seen(f.Dict(v))
			if screen != paper || atTimes {
				n++
				paperOnly = paperOnly || paper && !screen || atTimes && (screen || paper)
			}
		}
	}
	properties := f.Dict(f.Catalog()["OCProperties"])
	config := f.Dict(properties["D"])
	initially := map[int]bool{}
	for _, v := range f.Array(config["ON"]) {
		if r, ok := v.(ref); ok {
			initially[r.Number] = true
		}
	}
	for _, v := range f.Array(config["OFF"]) {
		if r, ok := v.(ref); ok {
			initially[r.Number] = false
		}
	}
	f.layers(func(r ref, d dict) {
		on, told := initially[r.Number]
		if !told {
			on = f.Name(config["BaseState"]) != "OFF"
		}
		screen, paper := f.on(d, "View", "ViewState", on), f.on(d, "Print", "PrintState", on)
		zoomed := f.Dict(f.Dict(d["Usage"])["Zoom"]) != nil && len(f.Array(config["AS"])) > 0
		if screen != paper || zoomed {
			n++
			paperOnly = true
		}
	})
	if f.Catalog()["Collection"] != nil { // some readers show an attached file instead of the pages
		n, paperOnly = n+1, true
	}
	preferences := f.Dict(f.Catalog()["ViewerPreferences"])
	for _, key := range pageAreas {
		if preferences[key] != nil && f.Name(preferences[key]) != "CropBox" {
			n, paperOnly = n+1, true
		}
	}
	return n, paperOnly
}

// alikeEverywhere makes layers and pages the same on the screen and on paper. Annotations are made so
// with their pages.
func (p *preparation) alikeEverywhere() {
	delete(p.catalog, "Collection")
	if preferences := p.f.Dict(p.catalog["ViewerPreferences"]); preferences != nil {
		preferences = preferences.Clone()
		before := len(preferences)
		for _, key := range pageAreas {
			delete(preferences, key)
		}
		if len(preferences) < before {
			p.catalog["ViewerPreferences"] = preferences
		}
	}
	properties := p.f.Dict(p.catalog["OCProperties"])
	if properties == nil {
		return
	}
	p.f.layers(func(r ref, d dict) {
		if c, changed := p.f.constant(d); changed {
			p.u.put(r, c)
		}
	})
	// Nobody may choose another state of the layers than that which everybody was shown.
	config := p.f.Dict(properties["D"]).Clone()
	delete(config, "AS")
	config["Locked"] = p.f.Array(properties["OCGs"])
	properties = properties.Clone()
	properties["D"] = config
	delete(properties, "Configs")
	p.catalog["OCProperties"] = properties
}
