package text

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// WriteFiles writes the fonts for running text, of every script, to a folder, for other programs that draw
// text. The faces for typed signatures are not among them.
func WriteFiles(dir string) error {
	written := map[string]bool{}
	for _, s := range catalog {
		if hand := slices.ContainsFunc(Scripts(), func(face string) bool { return Style{Face: face}.primary()[0] == s.name }); hand || written[s.name] {
			continue
		}
		written[s.name] = true
		if err := unpack(s.name, dir); err != nil {
			return err
		}
	}
	return nil
}

func unpack(name, dir string) (err error) {
	packed, err := files.Open("fonts/" + name + ".ttf.gz")
	if err != nil {
		return err
	}
	defer func() { _ = packed.Close() }() // in memory: closing can't fail
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(filepath.Join(dir, name+".ttf"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	_, err = io.Copy(to, z)
	return err
}

// ShowsBox reports whether a TrueType font that was embedded for a document shows its sign for missing
// characters, usually a box, as a character. Programs that make PDFs embed only the glyphs in use, and give
// that sign a number of its own when it is in use.
func ShowsBox(program []byte) bool {
	s, err := parseSFNT(program)
	if err != nil {
		return false
	}
	box := s.outline(0)
	if len(box) == 0 {
		return false
	}
	for g := 1; g < s.glyphs; g++ {
		if bytes.Equal(s.outline(g), box) {
			return true
		}
	}
	return false
}
