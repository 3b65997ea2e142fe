package pdf

import (
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// Additions to a file that claims to be PDF/A (ISO 19005) follow its rules, so
// that the claim stays true. Most of the rules are followed in every file; this
// one concerns colour: in PDF/A, DeviceRGB and DeviceGray are defined only
// through the output profile of the file.

// lacksColours reports whether added colours need definitions of their own: the
// file claims to be PDF/A and its output profile is not an RGB profile.
func (f *File) lacksColours() bool {
	for _, v := range f.Array(f.Catalog()["OutputIntents"]) {
		intent := f.Dict(v)
		if f.Name(intent["S"]) != "GTS_PDFA1" {
			continue
		}
		profile, ok := f.Resolve(intent["DestOutputProfile"]).(*reader.Stream)
		if !ok {
			continue
		}
		head, err := f.Decode(profile)
		const space = 16 // where an ICC profile names its colour space
		if err == nil && len(head) >= space+4 && string(head[space:space+4]) == "RGB " {
			return false
		}
	}
	return f.pdfA() != ""
}

// colours returns definitions of the device colours (ISO 32000-2 §8.6.5.6) for
// added resources, or an empty dictionary if the file does not need them.
func (f *File) colours() dict {
	if !f.lacksColours() {
		return dict{}
	}
	white := array{0.9505, 1, 1.089}
	return dict{
		"DefaultGray": array{name("CalGray"), dict{"WhitePoint": white, "Gamma": 2.2}},
		"DefaultRGB": array{name("CalRGB"), dict{
			"WhitePoint": white, "Gamma": array{2.2, 2.2, 2.2},
			"Matrix": array{0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505},
		}},
	}
}

// addColours adds colour definitions to the resources in d.
func (u *update) addColours(d dict) {
	if u.colours == nil {
		u.colours = u.f.colours()
	}
	resources, ok := d["Resources"].(dict)
	if !ok || len(u.colours) == 0 {
		return
	}
	resources = resources.Clone()
	resources["ColorSpace"] = u.colours
	d["Resources"] = resources
}

// drawnState is the only appearance state of drawn fields. They are push
// buttons, and PDF/A requires button appearances to have states (ISO 19005-2
// §6.3.3).
const drawnState = "Drawn"

// drawn sets the appearance in the dictionary of a drawn field.
func (u *update) drawn(d dict, a Appearance) error {
	shown, err := u.form(a)
	d["AP"], d["AS"] = dict{"N": dict{drawnState: shown}}, name(drawnState)
	return err
}

// emptyAppearance returns the appearance of invisible fields, which PDF/A-1 also
// requires (ISO 19005-1 §6.9).
func (u *update) emptyAppearance() dict {
	if u.blank == (ref{}) {
		u.blank = u.Add(&object.Stream{Dict: dict{
			"Type": name("XObject"), "Subtype": name("Form"), "BBox": array{0, 0, 0, 0}, "Resources": dict{},
		}})
	}
	return dict{"N": u.blank}
}
