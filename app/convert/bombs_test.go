package convert_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"paraph/app/convert"
)

// countingReader counts the bytes read from an image.
type countingReader struct {
	*bytes.Reader
	read int
}

func (c *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.read += n
	return n, err
}

// TestAnimationsAreRefusedAtOnce tries an animation of 20,000 frames.
func TestAnimationsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	r := &countingReader{Reader: bytes.NewReader(animatedGIF(t, 20_000))}
	if err := convert.Image(t.Context(), r, r.Size(), new(bytes.Buffer), convert.ImageLimits{}); !errors.Is(err, convert.ErrUnsupported) {
		t.Error(err)
	}
	if r.read > 64<<10 {
		t.Errorf("%d of %d bytes were read", r.read, r.Size())
	}
}

// TestAColourProfileIsNotUnpacked converts a picture with a profile of 32 MB in 32 KB.
func TestAColourProfileIsNotUnpacked(t *testing.T) {
	t.Parallel()
	var profile bytes.Buffer
	profile.WriteString("x\x00\x00")
	z := zlib.NewWriter(&profile)
	if _, err := z.Write(make([]byte, 32<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	body := append([]byte("iCCP"), profile.Bytes()...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(profile.Len()))
	chunk = binary.BigEndian.AppendUint32(append(chunk, body...), crc32.ChecksumIEEE(body))
	const header = 8 + 25 // the signature and IHDR
	plain := pngOf(t, quarters(64, 64))
	in := append(append(bytes.Clone(plain[:header]), chunk...), plain[header:]...)
	var out bytes.Buffer
	if err := convert.Image(t.Context(), bytes.NewReader(in), int64(len(in)), &out, convert.ImageLimits{}); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 2*len(in) {
		t.Errorf("the result has %d bytes", out.Len())
	}
}
