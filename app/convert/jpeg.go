package convert

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// JPEG markers (ITU-T T.81, table B.1).
const (
	markSOF0  = 0xC0
	markSOF2  = 0xC2
	markDHT   = 0xC4
	markJPG   = 0xC8
	markDAC   = 0xCC
	markSOF15 = 0xCF
	markRST0  = 0xD0
	markRST7  = 0xD7
	markSOI   = 0xD8
	markEOI   = 0xD9
	markSOS   = 0xDA
	markAPP0  = 0xE0
	markAPP1  = 0xE1
	markAPP2  = 0xE2
	markAPP14 = 0xEE
	markAPP15 = 0xEF
	markCOM   = 0xFE
)

const maxProfile = 1 << 20 // bytes of an ICC profile that is copied

// jpegFile holds what was found while reading the markers.
type jpegFile struct {
	width, height, components int
	ids                       [4]byte // component identifiers
	samples                   float64 // of all components, per pixel
	progressive               bool
	adobe, jfif               bool
	resolution                resolution
	exifRes                   resolution
	orientation               int
	profile                   map[int][]byte // ICC chunks by number
	chunks                    int
	scans                     int
	keep                      []span // parts to copy, in order
}

type span struct{ at, n int64 }

// jpeg reads the markers of a JPEG file to its end and passes its data on. Everything up to
// the end-of-image marker must be present; what follows it (a second picture, a video) is
// left out.
func (s source) jpeg(context.Context) (picture, error) {
	j := jpegFile{profile: map[int][]byte{}}
	if err := j.walk(s); err != nil {
		return picture{}, err
	}
	if err := s.limits.checkPixels(j.width, j.height); err != nil {
		return picture{}, err
	}
	if j.scans == 0 {
		return picture{}, damagedImage(nil)
	}
	l, err := j.layer()
	if err != nil {
		return picture{}, err
	}
	l.data = func(ctx context.Context, w io.Writer) error { return copySpans(ctx, w, s.r, j.keep) }
	res := j.resolution
	if res == (resolution{}) {
		res = j.exifRes
	}
	return picture{colour: l, resolution: res, orientation: j.orientation}, nil
}

func (j *jpegFile) layer() (layer, error) {
	l := layer{width: j.width, height: j.height, bits: 8, components: j.components, encoded: true, more: " /Filter /DCTDecode"}
	switch j.components {
	case 1:
		l.space = "/DeviceGray"
	case 3:
		l.space = "/DeviceRGB"
		if !j.adobe && !j.jfif && string(j.ids[:3]) == "RGB" {
			l.more += " /DecodeParms <</ColorTransform 0>>"
		}
	case 4:
		l.space = "/DeviceCMYK"
		if j.adobe { // Adobe writes CMYK upside down
			l.more += " /Decode [1 0 1 0 1 0 1 0]"
		}
	default:
		return l, variant(fmt.Errorf("JPEG of %d color components", j.components))
	}
	l.profile = validProfile(j.joinProfile(), j.components)
	return l, nil
}

// walk reads segment after segment.
func (j *jpegFile) walk(s source) error {
	in := &marked{b: bufio.NewReaderSize(io.NewSectionReader(s.r, 0, s.size), 64<<10)}
	if m, err := in.marker(); err != nil || m != markSOI {
		return damagedImage(err)
	}
	j.retain(0, in.at)
	for {
		start := in.at
		m, err := in.marker()
		switch {
		case err != nil:
			return damagedImage(err)
		case m == markEOI:
			j.retain(start, in.at)
			return nil
		case m == 0x01 || m >= markRST0 && m <= markRST7:
			continue
		case m == 0 || m == markSOI:
			return damagedImage(nil)
		}
		if err := j.segment(m, in); err != nil {
			return err
		}
		if keepSegment(m) {
			j.retain(start, in.at)
		}
		if len(j.keep) > maxPieces {
			return damagedImage(nil)
		}
	}
}

// keepSegment reports whether to copy a segment: the data itself, and the two
// application segments that determine the colour transform.
func keepSegment(m byte) bool {
	return m == markAPP0 || m == markAPP14 || m != markCOM && (m < markAPP0 || m > markAPP15)
}

func (j *jpegFile) retain(from, to int64) {
	if n := len(j.keep); n > 0 && j.keep[n-1].at+j.keep[n-1].n == from {
		j.keep[n-1].n += to - from
		return
	}
	j.keep = append(j.keep, span{from, to - from})
}

func (j *jpegFile) segment(m byte, in *marked) error {
	body, err := in.segment()
	if err != nil {
		return damagedImage(err)
	}
	switch {
	case m >= markSOF0 && m <= markSOF15 && m != markDHT && m != markJPG && m != markDAC:
		return j.frame(m, body)
	case m == markDAC:
		return errArithmetic
	case m == markSOS:
		if j.components == 0 {
			return damagedImage(nil)
		}
		j.scans++
		if err := in.skipScan(); err != nil {
			return damagedImage(err)
		}
	case m == markAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 12:
		j.jfif = true
		j.density(body[7], binary.BigEndian.Uint16(body[8:]), binary.BigEndian.Uint16(body[10:]))
	case m == markAPP1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		j.orientation, j.exifRes = exif(bytes.NewReader(body[6:]))
	case m == markAPP2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")) && len(body) > 14:
		j.profile[int(body[12])] = bytes.Clone(body[14:])
		j.chunks = int(body[13])
	case m == markAPP14 && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12:
		j.adobe = true
	}
	return nil
}

var errArithmetic = variant(errors.New("JPEG with arithmetic coding"))

// frame reads a frame header (§B.2.2). PDF readers support baseline, extended and
// progressive Huffman coding.
func (j *jpegFile) frame(m byte, b []byte) error {
	switch {
	case m >= 0xC9:
		return errArithmetic
	case m > markSOF2:
		return variant(errors.New("lossless or hierarchical JPEG"))
	case len(b) < 6 || j.components != 0:
		return damagedImage(nil)
	case b[0] != 8:
		return variant(fmt.Errorf("JPEG of %d bits per sample", b[0]))
	}
	j.height, j.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	j.components = int(b[5])
	if len(b) < 6+3*j.components || j.components == 0 {
		return damagedImage(nil)
	}
	j.progressive = m == markSOF2
	var all, across, down float64
	for i := range min(j.components, 4) {
		c := b[6+3*i:]
		j.ids[i] = c[0]
		h, v := float64(c[1]>>4), float64(c[1]&15)
		all, across, down = all+h*v, max(across, h), max(down, v)
	}
	j.samples = all / max(1, across*down)
	return nil
}

// perPixel returns the memory that decoding takes: a byte for each sample, and of a progressive
// picture a coefficient of four bytes besides.
func (j *jpegFile) perPixel() int64 {
	bytes := j.samples
	if j.progressive {
		bytes *= 5
	}
	return int64(math.Ceil(bytes))
}

// density reads JFIF's units: 0 only states the aspect ratio of a pixel, 1 is per inch, 2
// per centimetre.
func (j *jpegFile) density(unit byte, x, y uint16) {
	if unit != 0 {
		j.resolution = resolution{float64(x), float64(y)}.in(uint32(unit) + 1)
	}
}

func (j *jpegFile) joinProfile() []byte {
	var b []byte
	for i := range j.chunks {
		c, ok := j.profile[i+1]
		if !ok || len(b)+len(c) > maxProfile {
			return nil
		}
		b = append(b, c...)
	}
	return b
}

// validProfile returns an ICC profile (ICC.1:2022 §7.2) if it is complete and fits the
// number of components, otherwise nil: the picture is then shown without it.
func validProfile(b []byte, components int) []byte {
	if len(b) < 132 || int(binary.BigEndian.Uint32(b)) != len(b) || string(b[36:40]) != "acsp" {
		return nil
	}
	want := map[int]string{1: "GRAY", 3: "RGB ", 4: "CMYK"}[components]
	if string(b[16:20]) != want {
		return nil
	}
	return b
}

// marked reads a JPEG marker by marker and tracks its position.
type marked struct {
	b  *bufio.Reader
	at int64
}

func (r *marked) next() (byte, error) {
	c, err := r.b.ReadByte()
	if err == nil {
		r.at++
	}
	return c, err
}

// marker reads 0xFF, any fill bytes, and the code.
func (r *marked) marker() (byte, error) {
	c, err := r.next()
	if err == nil && c != 0xFF {
		err = errors.New("jpeg: no marker where one is due")
	}
	for err == nil && c == 0xFF {
		c, err = r.next()
	}
	return c, err
}

func (r *marked) segment() ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(r.b, head[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(head[:]))
	if n < 2 {
		return nil, fmt.Errorf("jpeg: segment of length %d", n)
	}
	body := make([]byte, n-2)
	got, err := io.ReadFull(r.b, body)
	r.at += 2 + int64(got)
	return body, err
}

// skipScan reads entropy-coded data up to the marker that ends it. In such data, 0xFF is
// followed by a zero byte or is a restart marker.
func (r *marked) skipScan() error {
	for {
		b, err := r.b.Peek(max(2, r.b.Buffered()))
		if len(b) < 2 {
			return errors.Join(io.ErrUnexpectedEOF, err)
		}
		i := bytes.IndexByte(b[:len(b)-1], 0xFF)
		if i >= 0 && b[i+1] != 0 && b[i+1] != 0xFF && (b[i+1] < markRST0 || b[i+1] > markRST7) {
			return r.discard(i)
		}
		step := i + 1
		if i < 0 {
			step = len(b) - 1
		}
		if err := r.discard(step); err != nil {
			return err
		}
	}
}

func (r *marked) discard(n int) error {
	got, err := r.b.Discard(n)
	r.at += int64(got)
	return err
}

// copySpans writes pieces of r.
func copySpans(ctx context.Context, w io.Writer, r io.ReaderAt, spans []span) error {
	for _, s := range spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.Copy(w, io.NewSectionReader(r, s.at, s.n))
		if err == nil && n < s.n {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}
