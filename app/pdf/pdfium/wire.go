package pdfium

import (
	"encoding/binary"
	"errors"
	"math"
)

// A page of text is encoded as its text, the number of words, and each word
// with its box as six float32; lengths are varints.

func encodePage(p PageText) []byte {
	b := make([]byte, 0, 2*len(p.Text)+33*len(p.Words)+16)
	b = appendString(b, p.Text)
	b = binary.AppendUvarint(b, uint64(len(p.Words)))
	for _, w := range p.Words {
		b = appendString(b, w.Text)
		for _, v := range [6]float64{w.X, w.Y, w.W, w.H, w.Top, w.Bottom} {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
		b = append(b, 0)
		if w.Glued {
			b[len(b)-1] = 1
		}
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errShort = errors.New("pdfium: page of text cut short")

func decodePage(b []byte) (PageText, error) {
	var p PageText
	var ok bool
	if p.Text, b, ok = takeString(b); !ok {
		return p, errShort
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b))/26 {
		return p, errShort
	}
	b = b[size:]
	p.Words = make([]Word, n)
	for k := range p.Words {
		w := &p.Words[k]
		if w.Text, b, ok = takeString(b); !ok || len(b) < 25 {
			return p, errShort
		}
		w.X, w.Y = float64(float32At(b, 0)), float64(float32At(b, 4))
		w.W, w.H = float64(float32At(b, 8)), float64(float32At(b, 12))
		w.Top, w.Bottom = float64(float32At(b, 16)), float64(float32At(b, 20))
		w.Glued = b[24] == 1
		b = b[25:]
	}
	return p, nil
}

func takeString(b []byte) (string, []byte, bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil, false
	}
	b = b[size:]
	return string(b[:n]), b[n:], true
}
