package cli_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"paraph/app/cli"
)

// TestPlainTextMovesNoCursor writes what would change a terminal, byte by byte too.
func TestPlainTextMovesNoCursor(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Ада 👩\u200d🚀\tשלום\u200f\n": "Ада 👩\u200d🚀\tשלום\u200f\n",
		"a\x1b[2Jb\rc\u009b31md\x07": `a\u001b[2Jb\u000dc\u009b31md\u0007`,
		"\u202eexe\u202c\u2066":      `\u202eexe\u202c\u2066`,
		"\xff\x9b1m":                 "\ufffd\ufffd1m",
	} {
		for _, piece := range []int{1, len(in)} {
			var out bytes.Buffer
			w := cli.Plain(&out)
			for b := []byte(in); len(b) > 0; b = b[min(piece, len(b)):] {
				if _, err := w.Write(b[:min(piece, len(b))]); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d: %q", in, piece, out.String())
			}
		}
	}
	var out bytes.Buffer
	said := ""
	if err := json.NewEncoder(cli.Plain(&out)).Encode("\u009b\u202e"); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || said != "\u009b\u202e" {
		t.Errorf("%q, %v", said, err)
	}
}
