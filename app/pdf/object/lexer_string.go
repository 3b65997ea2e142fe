package object

import (
	"bytes"
	"io"
	"strings"
)

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func (l *Lexer) name() any {
	l.p++
	w := l.word()
	if known, ok := frequent[string(w)]; ok {
		return known
	}
	if bytes.IndexByte(w, '#') < 0 {
		return Name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) && unhex(w[i+1]) >= 0 && unhex(w[i+2]) >= 0 {
			out = append(out, byte(unhex(w[i+1])<<4|unhex(w[i+2])))
			i += 2
		} else {
			l.tolerated = l.tolerated || w[i] == '#'
			out = append(out, w[i])
		}
	}
	return Name(out)
}

// frequent holds the names that are in most files, ready to be returned: names are most of what
// a file consists of, and would each take two allocations.
var frequent = func() map[string]any {
	all := map[string]any{}
	for _, n := range strings.Fields(frequentNames) {
		all[n] = Name(n)
	}
	return all
}()

const frequentNames = `A AA AcroForm AF AFRelationship Annot Annots AP Artifact Author BaseFont BBox BS ByteRange
	C CA ca CapHeight Cert Certs CIDFontType2 CIDSystemInfo CIDToGIDMap Colors ColorSpace Columns Contents
	Count CreationDate Creator CRL CRLs CropBox D DA Data DCTDecode DecodeParms DescendantFonts Desc
	DeviceGray DeviceRGB Differences DocTimeStamp DocMDP DR DSS DV EF EmbeddedFile EmbeddedFiles Encoding
	Encrypt ETSI.CAdES.detached ETSI.RFC3161 ExtGState F FT Ff Filespec Filter First FirstChar FitH Flags
	FlateDecode Font FontBBox FontDescriptor FontFile2 FontFile3 FontName Form FormType Fields G Group H
	Height I ID Identity Identity-H Image Index Info IRT ItalicAngle JavaScript K Kids Lang Last LastChar
	Length Length1 Limits Link Linearized M MarkInfo Matrix MaxLen MediaBox Metadata MK ModDate N Name Names
	Next NM Nums O ObjStm Off OCProperties OE OutputIntent OutputIntents Ordering P Page Pages PageLabels
	Parent ParentTree Perms Pg PieceInfo Predictor Prev ProcSet Producer Properties R Rect Reference Registry
	Resources Root Rotate S Sig SigFlags SigRef Size SMask SP StemV StmF StrF StructElem StructParent
	StructParents StructTreeRoot SubFilter Subtype Supplement T Tabs Text Title TransformMethod
	TransformParams TrimBox TrueType Tx Type Type0 Type1 Type3 U UF UR3 V VRI ViewerPreferences W Widget
	Widths Width WinAnsiEncoding X XML XObject XRef XStep Yes`

func (l *Lexer) hex() (any, error) {
	l.p++
	end := bytes.IndexByte(l.b[l.p:], '>')
	if end < 0 {
		l.p = len(l.b)
		return nil, io.ErrUnexpectedEOF
	}
	digits := l.b[l.p : l.p+end]
	l.p += end + 1
	out, high := make(String, 0, len(digits)/2+1), -1
	for _, c := range digits {
		switch v := unhex(c); {
		case v < 0:
		case high < 0:
			high = v
		default:
			out, high = append(out, byte(high<<4|v)), -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out, nil
}

func (l *Lexer) literal() (any, error) {
	l.p++
	out := make(String, 0, max(0, bytes.IndexByte(l.b[l.p:], ')'))) // all of it, unless it holds parentheses
	for depth := 1; l.p < len(l.b); {
		c := l.b[l.p]
		l.p++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return out, nil
			}
		case '\r': // any line ending counts as one line feed
			if l.p < len(l.b) && l.b[l.p] == '\n' {
				l.p++
			}
			c = '\n'
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return nil, io.ErrUnexpectedEOF
}

// escape reads an escape sequence after its backslash.
func (l *Lexer) escape(out String) String {
	if l.p >= len(l.b) {
		return out
	}
	c := l.b[l.p]
	l.p++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.p < len(l.b) && l.b[l.p] == '\n' {
			l.p++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for range 2 {
		if l.p >= len(l.b) || l.b[l.p] < '0' || l.b[l.p] > '7' {
			break
		}
		v = v<<3 | int(l.b[l.p]-'0')
		l.p++
	}
	return append(out, byte(v))
}
