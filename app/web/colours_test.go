package web_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// colour is linear light, red, green and blue from 0 to 1.
type colour [3]float64

func hex(t *testing.T, s string) colour {
	t.Helper()
	if len(s) == 4 {
		s = "#" + s[1:2] + s[1:2] + s[2:3] + s[2:3] + s[3:4] + s[3:4]
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil || len(s) != 7 {
		t.Fatalf("%q is no colour", s)
	}
	var c colour
	for i := range c {
		v := float64(n>>(16-8*i)&255) / 255
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// contrast returns the contrast ratio of WCAG 2.2.
func contrast(a, b colour) float64 {
	light := func(c colour) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// tokens reads the colours of the first block after a marker in the style sheet.
func tokens(t *testing.T, css, block string) map[string]colour {
	t.Helper()
	at := regexp.MustCompile(block).FindStringIndex(css)
	if at == nil {
		t.Fatalf("no %s in the style sheet", block)
	}
	rest := css[at[1]:]
	all := map[string]colour{}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{3}(?:[0-9a-f]{3})?);`).FindAllStringSubmatch(rest[:regexp.MustCompile(`\}`).FindStringIndex(rest)[1]], -1) {
		all[m[1]] = hex(t, m[2])
	}
	return all
}

// TestColoursAreReadable checks every pair of colours used together by WCAG
// 2.2: 4.5 for text, 3 for shapes.
func TestColoursAreReadable(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("static/ui.css")
	if err != nil {
		t.Fatal(err)
	}
	light := tokens(t, string(raw), `^:root \{`)
	dark := tokens(t, string(raw), `:root\[data-theme='dark'\] \{`)
	if system := tokens(t, string(raw), `:root:not\(\[data-theme='light'\]\) \{`); fmt.Sprint(system) != fmt.Sprint(dark) {
		t.Error("dark colours differ between the system's choice and the reader's")
	}
	pairs := []struct {
		over, under string
		least       float64
	}{
		{"text", "bg", 4.5}, {"text", "surface", 4.5}, {"text", "surface-2", 4.5}, {"muted", "bg", 4.5}, {"muted", "surface", 4.5}, {"muted", "surface-2", 4.5},
		{"accent", "bg", 4.5}, {"accent", "surface", 4.5}, {"accent-hover", "bg", 4.5}, {"on-accent", "accent", 4.5}, {"on-accent", "accent-hover", 4.5},
		{"ok", "ok-bg", 4.5}, {"warn", "warn-bg", 4.5}, {"danger", "danger-bg", 4.5}, {"info", "info-bg", 4.5}, {"violet", "violet-bg", 4.5}, {"danger", "bg", 4.5},
		{"line-strong", "bg", 3}, {"line-strong", "surface", 3}, {"line-strong", "surface-2", 3}, {"focus", "bg", 3}, {"focus", "surface", 3}, {"focus", "surface-2", 3},
	}
	for theme, all := range map[string]map[string]colour{"light": light, "dark": dark} {
		for _, p := range pairs {
			over, ok1 := all[p.over]
			under, ok2 := all[p.under]
			if !ok1 || !ok2 {
				t.Errorf("%s: there is no %s or %s", theme, p.over, p.under)
			} else if c := contrast(over, under); c < p.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, at least %.1f is wanted", theme, p.over, p.under, c, p.least)
			}
		}
	}
}

// sights are kinds of colour vision: normal, and those without one kind of cone
// (Machado, Oliveira and Fernandes 2009, full severity).
var sights = map[string][3]colour{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seen(c colour, sight [3]colour) (out colour) {
	for i, row := range sight {
		out[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return out
}

// lab returns the colour in CIELAB under daylight (D65).
func lab(c colour) [3]float64 {
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// difference returns CIEDE2000 (ISO/CIE 11664-6).
func difference(one, two colour) float64 {
	p, q := lab(one), lab(two)
	const pow7 = 6103515625 // 25 to the seventh
	mean := (math.Hypot(p[1], p[2]) + math.Hypot(q[1], q[2])) / 2
	g := 1 + 0.5*(1-math.Sqrt(math.Pow(mean, 7)/(math.Pow(mean, 7)+pow7)))
	polar := func(c [3]float64) (chroma, hue float64) {
		a := c[1] * g
		hue = math.Atan2(c[2], a) * 180 / math.Pi
		if hue < 0 {
			hue += 360
		}
		return math.Hypot(a, c[2]), hue
	}
	c1, h1 := polar(p)
	c2, h2 := polar(q)
	dh, hue := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, hue = 0, h1+h2
	case math.Abs(h1-h2) > 180:
		if dh > 0 {
			dh -= 360
		} else {
			dh += 360
		}
		if hue += 180; hue >= 360 {
			hue -= 360
		}
	}
	rad := func(d float64) float64 { return d * math.Pi / 180 }
	dl, dc := q[0]-p[0], c2-c1
	bigH := 2 * math.Sqrt(c1*c2) * math.Sin(rad(dh/2))
	l, c := (p[0]+q[0])/2, (c1+c2)/2
	weight := 1 - 0.17*math.Cos(rad(hue-30)) + 0.24*math.Cos(rad(2*hue)) + 0.32*math.Cos(rad(3*hue+6)) - 0.20*math.Cos(rad(4*hue-63))
	sl := 1 + 0.015*(l-50)*(l-50)/math.Sqrt(20+(l-50)*(l-50))
	sc, sh := 1+0.045*c, 1+0.015*c*weight
	turn := -2 * math.Sqrt(math.Pow(c, 7)/(math.Pow(c, 7)+pow7)) * math.Sin(rad(60*math.Exp(-math.Pow((hue-275)/25, 2))))
	return math.Sqrt(math.Pow(dl/sl, 2) + math.Pow(dc/sc, 2) + math.Pow(bigH/sh, 2) + turn*(dc/sc)*(bigH/sh))
}

// TestDifferenceOfColours checks reference values of the formula.
func TestDifferenceOfColours(t *testing.T) {
	t.Parallel()
	if d := difference(hex(t, "#ffffff"), hex(t, "#000000")); math.Abs(d-100) > 0.1 {
		t.Errorf("white and black are %.2f apart", d)
	}
	if d := difference(hex(t, "#123456"), hex(t, "#123456")); d != 0 {
		t.Errorf("a colour is %.2f from itself", d)
	}
}

// TestPeopleAreToldApart compares the colours of recipients with each other and with white
// paper, for every kind of colour vision.
func TestPeopleAreToldApart(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("static/team.css")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`\.r([1-8]) \{\s+--who: (#[0-9a-f]{6});\s+--on-who: (#[0-9a-f]{3,6})`).FindAllStringSubmatch(string(raw), -1)
	if len(found) != 8 {
		t.Fatalf("%d colours of people", len(found))
	}
	white := hex(t, "#ffffff")
	for i, m := range found {
		c := hex(t, m[2])
		if r := contrast(c, white); r < 3 {
			t.Errorf("person %s on paper: %.2f", m[1], r)
		}
		if r := contrast(c, hex(t, m[3])); r < 4.5 {
			t.Errorf("the letter of person %s: %.2f", m[1], r)
		}
		for _, n := range found[:i] {
			for name, sight := range sights {
				if d := difference(seen(c, sight), seen(hex(t, n[2]), sight)); d < 15 {
					t.Errorf("people %s and %s are %.1f apart for %s sight", n[1], m[1], d, name)
				}
			}
		}
	}
}
