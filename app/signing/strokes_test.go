package signing

import (
	"math"
	"testing"

	"paraph/app/pdf/text"
)

func TestStrokesAreKeptInTheirShape(t *testing.T) {
	t.Parallel()
	given := [][]text.Point{{{X: -5, Y: 10}, {X: 95, Y: 60}, {X: 45.5, Y: 10}}, {{X: 20, Y: 20}}}
	got, err := unpackStrokes(packStrokes(given))
	if err != nil || len(got) != len(given) {
		t.Fatalf("%v, %v", got, err)
	}
	const scale = strokeGrid / 100.0 // the drawing is 100 wide
	for i, s := range given {
		for j, p := range s {
			if q := got[i][j]; math.Abs(q.X-(p.X+5)*scale) > 1 || math.Abs(q.Y-(p.Y-10)*scale) > 1 {
				t.Errorf("point %d of stroke %d is %v", j, i, q)
			}
		}
	}
}

func TestStrokesStaySmall(t *testing.T) {
	t.Parallel()
	long := make([]text.Point, maxPoints)
	for i := range long {
		long[i] = text.Point{X: float64(i % 997), Y: float64(i % 613)}
	}
	dots := make([][]text.Point, maxPoints)
	for i := range dots {
		dots[i] = long[i : i+1]
	}
	for name, strokes := range map[string][][]text.Point{"nothing": nil, "one long": {long}, "dots": dots, "one dot": {{{X: 3, Y: 3}}}} {
		b := packStrokes(strokes)
		if got, err := unpackStrokes(b); err != nil || len(b) > 64<<10 || (len(got) == 0) != (strokes == nil) {
			t.Errorf("%s: %d bytes, %d strokes, %v", name, len(b), len(got), err)
		}
	}
}

func FuzzUnpackStrokes(f *testing.F) {
	f.Add(packStrokes([][]text.Point{{{X: 1, Y: 2}, {X: 3, Y: 4}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		strokes, err := unpackStrokes(b)
		points := 0
		for _, s := range strokes {
			points += len(s)
		}
		if err == nil && points > len(b) {
			t.Errorf("%d points out of %d bytes", points, len(b))
		}
	})
}

func TestDevicesInWords(t *testing.T) {
	t.Parallel()
	all, err := readWordings()
	if err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]string{
		"": "",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                           "Firefox 132 on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15":                      "Safari 17 on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.1 Mobile/15E148 Safari/604.1":   "Chrome 130 on iPhone",
		"Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet 25 on Android",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70":                    "Edge 131 on Linux",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36":                             "Chrome 130 on ChromeOS",
		"curl/8.5.0":         "curl 8",
		"Go-http-client/1.1": "Go-http-client 1.1",
		"Firefox/":           "Firefox",
	} {
		if got := all.of("en").device(agent); got != want {
			t.Errorf("%q is %q, not %q", agent, got, want)
		}
	}
}
