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
)

// otherInk reports whether a colour space names an ink of printers and shows something quite different on
// the screen: a text in black ink that looks white is seen only on paper (ISO 32000-2 §8.6.6).
func (f *File) otherInk(v any) bool {
	space := f.Array(v)
	if len(space) < 2 {
		return false
	}
	var names array
	switch f.Name(space[0]) {
	case "Indexed", "I", "Pattern":
		return len(f.Array(space[1])) > 2 && f.Name(f.Array(space[1])[0]) != "Indexed" && f.otherInk(space[1])
	case "Separation":
		names = array{space[1]}
	case "DeviceN":
		names = f.Array(space[1])
	}
	if len(space) < 4 {
		return false
	}
	for i, n := range names {
		takes, known := inks[f.Name(n)]
		for step := 0; known && step <= inkSteps; step++ {
			tints := make([]float64, len(names))
			tints[i] = float64(step) / inkSteps
			out, err := f.compute(space[3], tints, 0)
			shown, ok := f.onScreen(space[2], out)
			if err != nil || !ok {
				break // nor can others show it
			}
			for c, taken := range takes {
				if taken && math.Abs(shown[c]-(1-tints[i])) > inkOff {
					return true
				}
			}
		}
	}
	return false
}

// onScreen returns about how red, green and blue a colour of a space is.
func (f *File) onScreen(space any, c []float64) (rgb [3]float64, ok bool) {
	kind, parts := f.Name(space), 0
	if a := f.Array(space); len(a) > 0 {
		kind = f.Name(a[0])
		if n, isNumber := f.Int(f.Dict(array(append(a, nil))[1])["N"]); kind == "ICCBased" && isNumber {
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

// otherInks reports whether a dictionary uses colour spaces that show other inks than they print. judged
// holds those that are objects of their own.
func (f *File) otherInks(d dict, judged map[int]bool) bool {
	judge := func(v any) bool {
		at, _ := v.(ref)
		if other, known := judged[at.Number]; known {
			return other
		}
		other := f.otherInk(v)
		if at.Number > 0 {
			judged[at.Number] = other
		}
		return other
	}
	for _, key := range []name{"ColorSpace", "CS"} {
		spaces, several := f.Resolve(d[key]).(dict)
		if !several {
			spaces = dict{key: d[key]}
		}
		for _, space := range spaces {
			if judge(space) {
				return true
			}
		}
	}
	return false
}
