package pdf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paraph/app/pdf"
	"paraph/app/pdf/document"
	"paraph/app/pdf/verify"
)

// smallSeal returns a seal that is fast to make and to read; its digests stand
// in for keys.
func smallSeal() pdf.Seal {
	return pdf.Seal{Size: 40, Sign: func(digest []byte) ([]byte, error) {
		return append([]byte{0x30, 32}, digest...), nil
	}}
}

// completed returns a small file that everyone has signed.
func completed(t testing.TB) []byte {
	seal := smallSeal()
	c := newChain(t, layered(nil, ""))
	c.add(pdf.Prepare(c.base(), pdf.PrepareSpec{
		Fields: []pdf.FieldSpec{
			{Name: "a", Type: pdf.FieldCheckbox, X: 0.1, Y: 0.1, Width: 0.1, Height: 0.1, Owner: "s"},
			{Name: "b", Type: pdf.FieldText, X: 0.1, Y: 0.3, Width: 0.1, Height: 0.1, Owner: "s"},
		},
		Signatures: []pdf.SignatureSpec{{Name: "s", X: 0.1, Y: 0.6, Width: 0.2, Height: 0.1}},
		Certify:    &seal,
	}))
	c.add(pdf.Sign(c.base(), pdf.SignSpec{Field: "s", Seal: seal, Values: []pdf.FieldValue{{Name: "a", Checked: true}, {Name: "b", Text: "100"}}}))
	c.add(pdf.AddDSS(c.base(), [][]byte{{1}}, [][]byte{{2}}, nil))
	c.add(pdf.Timestamp(c.base(), "", 40, seal.Sign))
	return c.bytes
}

// FuzzTampered flips, cuts and splices bytes of a completed file, and appends
// revisions whose objects are assembled from others. If the result is still
// reported as sound, everything it shows must be what was signed.
func FuzzTampered(f *testing.F) {
	file := completed(f)
	f.Add([]byte{0, 1, 0, 9})
	f.Add([]byte{4, 11, 10, 0, 0, 4, 2, 3, 1, 9})
	f.Add([]byte{4, 1, 2, 8, 8, 5, 6, 3, 0, 0, 4, 13, 3, 9, 9})
	t := newTamperer(f, file)
	f.Fuzz(func(tb *testing.T, program []byte) { t.judge(tb, t.run(program)) })
}

// A tamperer holds the inputs of an attack on a file.
type tamperer struct {
	file    []byte
	numbers []int
	bodies  map[int]string
	tokens  []string
	shown   string
	drawn   map[string][32]byte // by renderer
	count   int
}

func newTamperer(t testing.TB, file []byte) *tamperer {
	x := &tamperer{file: file, bodies: map[int]string{}}
	for _, m := range regexp.MustCompile(`\n(\d+) 0 obj\n`).FindAllSubmatch(file, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		x.bodies[n] = newest(file, n)
	}
	x.numbers = slices.Sorted(maps.Keys(x.bodies))
	part := regexp.MustCompile(`/[A-Za-z]+ ?(\d+ 0 R|\[[^\]]{0,80}\]|\([^)]{0,40}\)|/[A-Za-z.]+|-?[\d.]+|<<[^<>]{0,80}>>)`)
	for _, n := range x.numbers {
		x.tokens = append(x.tokens, part.FindAllString(x.bodies[n], -1)...)
	}
	slices.Sort(x.tokens)
	x.tokens = append(slices.Compact(x.tokens), "/FT/Sig", "/FT/Tx", "/Type/Page", "/Type/Annot/Subtype/Widget", "/Rect[0 0 0 0]", "/Rect[72 690 200 720]")
	opened, err := pdf.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	x.shown, x.count = opened.Shown(), len(signatures(t, file))
	x.drawn = drawn(t, file)
	return x
}

// drawn returns hashes of the pages as drawn by independent renderers.
func drawn(t testing.TB, b []byte) map[string][32]byte {
	t.Helper()
	path := file(t, b)
	out := map[string][32]byte{}
	for _, command := range [][]string{{"pdftoppm", "-q", "-r", "36", path}, {"mutool", "draw", "-q", "-r", "36", "-F", "pnm", "-o", "-", path}} {
		picture, err := exec.Command(command[0], command[1:]...).Output()
		if err != nil {
			t.Logf("%s: %v", command[0], err)
		}
		out[command[0]] = sha256.Sum256(picture)
	}
	return out
}

// run builds a file from a program with four to five bytes per step.
func (x *tamperer) run(program []byte) []byte {
	b := bytes.Clone(x.file)
	objects := map[int]string{}
	trailer := ""
	for len(program) >= 5 && len(b) > 100 {
		op, args := program[0]%9, program[1:5]
		program = program[5:]
		at := int(binary.LittleEndian.Uint16(args)) * 7 % len(b)
		n := x.numbers[int(args[0])%len(x.numbers)]
		body, ok := objects[n]
		if !ok {
			body = x.bodies[n]
		}
		token := x.tokens[int(binary.LittleEndian.Uint16(args[1:]))%len(x.tokens)]
		switch op {
		case 0:
			b[at] ^= 1 << (args[2] % 8)
		case 1:
			b = slices.Delete(b, at, min(len(b), at+int(args[2])))
		case 2:
			b = slices.Insert(b, at, x.file[:min(len(x.file), int(args[2])*40)]...)
		case 3: // replace an object with another
			objects[n] = x.bodies[x.numbers[int(args[1])%len(x.numbers)]]
		case 4: // add an entry
			objects[n] = bytesReplace(body, "<<", "<<"+token)
		case 5: // remove an entry
			objects[n] = bytesReplace(body, token, "")
		case 6: // add an object of the same kind and a reference to it
			objects[400+int(args[3])%4] = body
			other := x.numbers[int(args[1])%len(x.numbers)]
			objects[other] = regexp.MustCompile(fmt.Sprintf(`\b%d 0 R`, n)).ReplaceAllString(x.bodies[other], fmt.Sprintf("%d 0 R", 400+int(args[3])%4))
		case 7: // refer to another object
			m := x.numbers[int(args[1])%len(x.numbers)]
			objects[n] = regexp.MustCompile(`\b\d+ 0 R`).ReplaceAllStringFunc(body, func(s string) string {
				args[2]--
				if args[2]%4 == 0 {
					return fmt.Sprintf("%d 0 R", m)
				}
				return s
			})
		case 8:
			trailer = "/Info " + fmt.Sprint(n) + " 0 R"
		}
		if op >= 3 && args[3]%8 == 7 { // start a new revision
			b, objects, trailer = patchFrom(b, objects, startXref(x.file), trailer), map[int]string{}, ""
		}
	}
	if len(objects) > 0 || trailer != "" {
		b = patchFrom(b, objects, startXref(x.file), trailer)
	}
	return b
}

func bytesReplace(s, old, with string) string {
	return string(bytes.Replace([]byte(s), []byte(old), []byte(with), 1))
}

// judge compares the verdict on a file with what it shows. Only a sample of the
// sound ones is rendered.
func (x *tamperer) judge(t *testing.T, b []byte) {
	f, err := document.OpenWithin(small(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		allowed(t, err)
		return
	}
	sigs, err := verify.Signatures(f)
	if err != nil {
		allowed(t, err)
		return
	}
	for _, s := range sigs {
		digest := sha256.New()
		if err := s.WriteSigned(digest); err != nil || !s.Sound() || !bytes.HasSuffix(s.CMS, digest.Sum(nil)) {
			return // reported
		}
	}
	if len(sigs) == 0 || bytes.HasPrefix(x.file, b) {
		return // not reported as signed, or unchanged since signing
	}
	if len(sigs) < x.count {
		t.Fatalf("%d of %d signatures remain, and all are sound", len(sigs), x.count)
	}
	if shown := (&pdf.File{File: f}).Shown(); shown != x.shown {
		was := strings.Split(x.shown, "\n")
		for i, line := range strings.Split(shown, "\n") {
			if i >= len(was) || line != was[i] {
				t.Fatalf("sound, but it shows\n%.300s\nand not\n%.300s\nafter %s", line, was[min(i, len(was)-1)], b[min(len(x.file), len(b)):])
			}
		}
		t.Fatal("sound, but it shows less")
	}
	if sum := sha256.Sum256(b); bytes.Equal(b, x.file) || sum[0]%drawnEach > 0 {
		return
	}
	for by, picture := range drawn(t, b) {
		if picture != x.drawn[by] {
			t.Fatalf("sound, but %s draws something else after %s", by, b[min(len(x.file), len(b)):])
		}
	}
}

// TestTampered runs FuzzTampered with random programs.
func TestTampered(t *testing.T) {
	t.Parallel()
	x := newTamperer(t, completed(t))
	random := rand.New(rand.NewPCG(1, tamperSeed))
	for range tamperings {
		program := make([]byte, 5*(1+random.IntN(4)))
		for i := range program {
			program[i] = byte(random.Uint32())
		}
		x.judge(t, x.run(program))
	}
}

const (
	drawnEach  = 64
	tamperings = 3000
	tamperSeed = 1
)
