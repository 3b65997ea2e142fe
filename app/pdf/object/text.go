package object

import (
	"encoding/binary"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// TextString encodes s as a text string (ISO 32000-2 §7.9.2.2): as plain bytes
// if it is printable ASCII, else as UTF-16BE with a byte order mark. Invalid
// UTF-8 becomes U+FFFD.
func TextString(s string) String {
	if isPlain(s) {
		return String(s)
	}
	units := utf16.Encode([]rune(s))
	b := make(String, 2, 2+2*len(units))
	b[0], b[1] = 0xFE, 0xFF
	for _, u := range units {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\r' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// Text decodes a text string: UTF-16 or UTF-8 with a byte order mark, otherwise
// PDFDocEncoding.
func (s String) Text() string {
	switch {
	case len(s) >= 2 && s[0] == 0xFE && s[1] == 0xFF:
		return decode16(s[2:], binary.BigEndian)
	case len(s) >= 2 && s[0] == 0xFF && s[1] == 0xFE:
		return decode16(s[2:], binary.LittleEndian)
	case len(s) >= 3 && s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF:
		return strings.ToValidUTF8(string(s[3:]), string(utf8.RuneError))
	}
	if isPlain(string(s)) {
		return string(s)
	}
	var b strings.Builder
	for _, c := range s {
		b.WriteRune(docRune(c))
	}
	return b.String()
}

func decode16(s []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(s)/2)
	for ; len(s) >= 2; s = s[2:] {
		units = append(units, order.Uint16(s))
	}
	return string(utf16.Decode(units))
}

// docLow and docHigh are PDFDocEncoding (ISO 32000-2 Annex D.3) where it
// differs from Latin-1.
const (
	docLow  = "˘ˇˆ˙˝˛˚˜"                               // 0x18 to 0x1F
	docHigh = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\uFFFD€" // 0x80 to 0xA0
)

func docRune(c byte) rune {
	switch {
	case c >= 0x18 && c <= 0x1F:
		return []rune(docLow)[c-0x18]
	case c >= 0x80 && c <= 0xA0:
		return []rune(docHigh)[c-0x80]
	case c == 0x7F, c == 0xAD:
		return utf8.RuneError
	}
	return rune(c)
}

// DateString formats a date (ISO 32000-2 §7.9.4) in UTC, to the second.
func DateString(t time.Time) String {
	return String(t.UTC().Format("D:20060102150405") + "Z")
}

// Date parses a date string. Missing parts default to their lowest value,
// a missing zone to UTC. ok is false if it is not a date.
func (s String) Date() (t time.Time, ok bool) {
	v := strings.TrimPrefix(s.Text(), "D:")
	digits := 0
	for digits < len(v) && digits < 14 && v[digits] >= '0' && v[digits] <= '9' {
		digits++
	}
	if digits < 4 || digits%2 != 0 {
		return time.Time{}, false
	}
	t, err := time.Parse("20060102150405"[:digits], v[:digits])
	if err != nil {
		return time.Time{}, false
	}
	return t.Add(-zone(v[digits:])), true
}

// zone parses +HH'mm' or -HH'mm'; anything else is UTC.
func zone(s string) time.Duration {
	s = strings.ReplaceAll(s, "'", "")
	for _, layout := range []string{"-0700", "-07"} {
		if z, err := time.Parse(layout, s); err == nil {
			_, offset := z.Zone()
			return time.Duration(offset) * time.Second
		}
	}
	return 0
}
