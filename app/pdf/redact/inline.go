package redact

import (
	"bytes"

	"paraph/app/pdf/object"
)

// inlineImage follows an inline image, of which BI was read. One that overlaps a region is left out
// as a whole; ok is false if it has no end.
func (c *content) inlineImage(l *object.Lexer, start int) (ok bool) {
	d := dict{}
	for {
		key, err := l.Next()
		if err != nil {
			return false
		}
		if key == any(object.Keyword("ID")) {
			break
		}
		v, err := l.Next()
		n, isName := key.(name)
		if err != nil || !isName {
			return false
		}
		d[n] = v
	}
	at := l.Pos() + 1
	length := c.inlineLength(d, at)
	if length < 0 {
		return false
	}
	l.Seek(at + length)
	if !l.Has("EI") {
		return false
	}
	c.draws(c.state.ctm.rect(Rect{0, 0, 1, 1}))
	if !c.r.textOnly && c.touches(c.state.ctm.rect(Rect{0, 0, 1, 1})) {
		c.remove()
		return true
	}
	c.emit(c.src[start:l.Pos()])
	return true
}

// inlineLength returns the length of the data of an inline image, negative if it can't be told.
func (c *content) inlineLength(d dict, at int) int {
	if at > len(c.src) {
		return -1
	}
	value := func(long, short name) any {
		if v := d[long]; v != nil {
			return v
		}
		return d[short]
	}
	if value("Filter", "F") == nil {
		width, _ := object.Int(value("Width", "W"))
		height, _ := object.Int(value("Height", "H"))
		bits, _ := object.Int(value("BitsPerComponent", "BPC"))
		colours := int64(1)
		switch value("ColorSpace", "CS") {
		case name("DeviceRGB"), name("RGB"):
			colours = 3
		case name("DeviceCMYK"), name("CMYK"):
			colours = 4
		}
		if mask, _ := value("ImageMask", "IM").(bool); mask {
			bits = 1
		}
		if width > 0 && height > 0 && bits > 0 && width < 1<<20 && height < 1<<20 && bits <= 16 {
			length := (width*bits*colours + 7) / 8 * height
			if length < int64(len(c.src)-at) && ends(c.src[at+int(length):]) {
				return int(length)
			}
		}
	}
	for from := at; ; {
		i := bytes.Index(c.src[from:], []byte("EI"))
		if i < 0 {
			return -1
		}
		from += i
		if from > at && object.IsSpace(c.src[from-1]) && ends(c.src[from:]) {
			return from - at
		}
		from += len("EI")
	}
}

// ends reports whether data begins with the end of an inline image and further content.
func ends(data []byte) bool {
	l := object.NewLexer(data, 0)
	if !l.Has("EI") {
		return false
	}
	rest := data[l.Pos():]
	if len(rest) > 0 && !object.IsSpace(rest[0]) {
		return false
	}
	for _, b := range rest[:min(len(rest), 16)] { // Compressed data has other bytes soon.
		if b > '~' || b < ' ' && !object.IsSpace(b) || b == 0 {
			return false
		}
	}
	return true
}
