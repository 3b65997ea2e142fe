package pdf

import "math"

// inks are the inks that printers have, and which of red, green and blue each takes away. Other inks are
// mixed of these, as on the screen, by all but printing presses.
var inks = map[name][3]bool{
	"Cyan": {true, false, false}, "Magenta": {false, true, false}, "Yellow": {false, false, true},
	"Black": {true, true, true}, "All": {true, true, true},
}

const (
	inkSteps = 256
	// inkOff is how far from itself an ink may look on the screen, as a part of full strength.
	inkOff = 0.6
	// inkWork is how many steps the functions of one file may take, about a second; honest ones take far fewer.
	inkWork = 50_000_000
	// maxInks is how many inks a colour space may mix (ISO 32000-2 annex C).
	maxInks = 32
)

// inkJudge tells whether the colour spaces of a file show the inks that they name. judged holds those that are
// objects of their own.
type inkJudge struct {
	functions
	judged map[int]bool
}

func newInkJudge(f *File) *inkJudge {
	return &inkJudge{functions{f, inkWork}, map[int]bool{}}
}

// lies reports whether a dictionary uses a colour space that shows another ink than it prints.
func (j *inkJudge) lies(d dict) bool {
	for _, key := range []name{"ColorSpace", "CS"} {
		spaces, several := j.Resolve(d[key]).(dict)
		if !several {
			spaces = dict{key: d[key]}
		}
		for _, space := range spaces {
			if j.judge(space) {
				return true
			}
		}
	}
	return false
}

func (j *inkJudge) judge(v any) bool {
	at, _ := v.(ref)
	if other, known := j.judged[at.Number]; known {
		return other
	}
	other := j.otherInk(v)
	if at.Number > 0 {
		j.judged[at.Number] = other
	}
	return other
}

// otherInk reports whether a colour space names an ink of printers and shows something quite different on
// the screen: a text in black ink that looks white is seen only on paper (ISO 32000-2 §8.6.6). A file whose
// functions never end is taken to have something to hide.
func (j *inkJudge) otherInk(v any) bool {
	space := j.Array(v)
	if len(space) == 0 {
		return false
	}
	if kind := j.Name(space[0]); len(space) > 1 && (kind == "Indexed" || kind == "I" || kind == "Pattern") {
		space = j.Array(space[1]) // neither has another one of its kind in it
	}
	if len(space) < 4 {
		return false
	}
	var names array
	switch j.Name(space[0]) {
	case "Separation":
		names = array{space[1]}
	case "DeviceN":
		names = j.Array(space[1])
	}
	if len(names) == 0 || len(names) > maxInks {
		return false
	}
	look, err := j.read(space[3], 0)
	for i, n := range names {
		if takes, known := inks[j.Name(n)]; known && err == nil && j.differs(look, space[2], i, len(names), takes) {
			return true
		}
	}
	return j.left < 0
}

// differs reports whether one of several inks is seen as something else, in any tint.
func (j *inkJudge) differs(look function, alternate any, ink, of int, takes [3]bool) bool {
	for step := 0; step <= inkSteps; step++ {
		tints := make([]float64, of)
		tints[ink] = float64(step) / inkSteps
		out, err := look(tints)
		shown, ok := j.onScreen(alternate, out)
		if err != nil || !ok {
			return false // nor can others show it
		}
		for c, taken := range takes {
			if taken && math.Abs(shown[c]-(1-tints[ink])) > inkOff {
				return true
			}
		}
	}
	return false
}

// onScreen returns about how red, green and blue a colour of a space is.
func (f *File) onScreen(space any, c []float64) (rgb [3]float64, ok bool) {
	kind, parts := f.Name(space), 0
	if a := f.Array(space); len(a) > 1 {
		kind = f.Name(a[0])
		if n, isNumber := f.Int(f.Dict(a[1])["N"]); kind == "ICCBased" && isNumber {
			parts = int(n)
		}
	}
	switch kind {
	case "DeviceGray", "CalGray":
		parts = 1
	case "DeviceRGB", "CalRGB":
		parts = 3
	case "DeviceCMYK":
		parts = 4
	case "Lab":
		if len(c) < 3 {
			return rgb, false
		}
		return fromLab(c[0], c[1], c[2]), true
	}
	if parts == 0 || len(c) < parts {
		return rgb, false
	}
	switch parts {
	case 1:
		return [3]float64{c[0], c[0], c[0]}, true
	case 3:
		return [3]float64(c[:3]), true
	case 4:
		for i := range rgb {
			rgb[i] = (1 - c[i]) * (1 - c[3])
		}
		return rgb, true
	}
	return rgb, false
}

// fromLab returns about how red, green and blue a colour of CIELAB is, by daylight.
func fromLab(l, a, b float64) (rgb [3]float64) {
	cube := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return 108.0 / 841 * (t - 4.0/29)
	}
	y := (l + 16) / 116
	x, z := 0.9642*cube(y+a/500), 0.8249*cube(y-b/200)
	y = cube(y)
	for i, v := range [3]float64{3.1339*x - 1.6169*y - 0.4906*z, -0.9788*x + 1.9161*y + 0.0335*z, 0.0719*x - 0.2290*y + 1.4052*z} {
		rgb[i] = math.Pow(min(max(v, 0), 1), 1/2.2)
	}
	return rgb
}
