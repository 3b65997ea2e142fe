package app_test

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// readObjects reads all objects of a file with qpdf: "obj:1 0 R" and so on, and
// "trailer".
func readObjects(t *testing.T, path string) map[string]any {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "qpdf", "--json=2", "--json-key=qpdf", "--json-stream-data=inline", "--decode-level=generalized", path)
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("qpdf: %v", err)
	}
	var all struct{ QPDF []map[string]any }
	if err := json.Unmarshal(out, &all); err != nil || len(all.QPDF) != 2 {
		t.Fatalf("qpdf: %v: %.300s", err, out)
	}
	return all.QPDF[1]
}

var reference = regexp.MustCompile(`^\d+ \d+ R$`)

// get follows references.
func (a archive) get(v any) any {
	for {
		s, ok := v.(string)
		if !ok || !reference.MatchString(s) {
			return v
		}
		v = a.is["obj:"+s]
		if v == nil {
			return nil
		}
		if m := v.(map[string]any); m["stream"] == nil {
			v = m["value"]
		}
	}
}

// object returns the dictionary of an object, and the data if it is a stream.
func (a archive) object(v any) (map[string]any, []byte) {
	m, _ := v.(map[string]any)
	s, ok := m["stream"].(map[string]any)
	if !ok {
		if inner, ok := m["value"].(map[string]any); ok {
			return inner, nil
		}
		return m, nil
	}
	text, _ := s["data"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		a.Errorf("qpdf writes %v", err)
	}
	if data == nil {
		data = []byte{}
	}
	d, _ := s["dict"].(map[string]any)
	return d, data
}

func (a archive) dict(v any) map[string]any {
	d, _ := a.object(a.get(v))
	return d
}

// values checks §6.1.13, the limits
func (a archive) values(at string, v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if len(k) > 128 {
				a.broken("6.1.13-4", at, k)
			}
			a.values(at, e)
		}
	case []any:
		if a.part == "1" && len(x) > 8191 {
			a.broken("6.1.12-5 of part 1", at, len(x))
		}
		for _, e := range x {
			a.values(at, e)
		}
	case float64:
		whole := x == math.Trunc(x)
		if whole && math.Abs(x) > math.MaxInt32 || !whole && a.part == "1" && math.Abs(x) > 32767 || x != 0 && math.Abs(x) < 1.175e-38 {
			a.broken("6.1.13-1", at, x)
		}
	case string:
		length := len(x)
		if hex, ok := strings.CutPrefix(x, "b:"); ok {
			length = len(hex) / 2
		}
		if length > 32767 || strings.HasPrefix(x, "/") && length > 128 {
			a.broken("6.1.13-3", at, length)
		}
	}
}
