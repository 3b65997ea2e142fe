package pki

import (
	"encoding/asn1"
	"strings"
	"unicode"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// Upper bounds in characters of RFC 5280 appendix A.1.
const (
	maxCommonName   = 64
	maxOrganization = 64
	maxSerialNumber = 64
	maxEmailAddress = 255
)

var (
	oidCommonName   = asn1.ObjectIdentifier{2, 5, 4, 3}
	oidSerialNumber = asn1.ObjectIdentifier{2, 5, 4, 5}
	oidOrganization = asn1.ObjectIdentifier{2, 5, 4, 10}
	oidEmailAddress = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 1}
)

// nameAttribute is one part of a distinguished name.
type nameAttribute struct {
	oid   asn1.ObjectIdentifier
	tag   cbasn1.Tag
	value string
}

// distinguishedName encodes an RDNSequence (RFC 5280 §4.1.2.4); attributes without a value are left out.
func distinguishedName(attributes ...nameAttribute) ([]byte, error) {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		for _, a := range attributes {
			if a.value == "" {
				continue
			}
			b.AddASN1(cbasn1.SET, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1ObjectIdentifier(a.oid)
					b.AddASN1(a.tag, func(b *cryptobyte.Builder) { b.AddBytes([]byte(a.value)) })
				})
			})
		}
	})
	return b.Bytes()
}

func commonName(s string) nameAttribute {
	return nameAttribute{oidCommonName, cbasn1.UTF8String, directoryText(s, maxCommonName)}
}

func organization(s string) nameAttribute {
	return nameAttribute{oidOrganization, cbasn1.UTF8String, directoryText(s, maxOrganization)}
}

// serialAttribute distinguishes holders of the same name (RFC 5280 §4.1.2.6 requires subjects
// to be unique within an issuer).
func serialAttribute(s string) nameAttribute {
	s = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" '()+,-./:=?", r)) {
			return r
		}
		return '-'
	}, s)
	return nameAttribute{oidSerialNumber, cbasn1.PrintableString, truncate(s, maxSerialNumber)}
}

// emailAttribute is empty for an address that does not fit the attribute's IA5String.
func emailAttribute(s string) nameAttribute {
	if !isASCII(s) || len(s) > maxEmailAddress {
		s = ""
	}
	return nameAttribute{oidEmailAddress, cbasn1.IA5String, s}
}

// directoryText makes any string suitable for a name in a certificate: valid UTF-8, on one
// line, without characters that reverse or hide others, at most n characters.
func directoryText(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case isDirectionControl(r), r == '\uFEFF', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(truncate(strings.Join(strings.Fields(s), " "), n))
}

// isDirectionControl recognises embeddings, overrides and isolates (Unicode Standard Annex 9),
// which can disguise a name as another one.
func isDirectionControl(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// truncate keeps at most n runes without separating a letter from its marks.
func truncate(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	end := n
	for end > 0 && joins(runes[end]) {
		end--
	}
	for end > 0 && runes[end-1] == '\u200D' {
		end--
	}
	if end == 0 {
		end = n
	}
	return string(runes[:end])
}

// joins reports whether a rune belongs to the previous one.
func joins(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Mc, unicode.Me) || r == '\u200D' || r == '\u200C'
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
