package docx

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// prefixes by namespace, transitional and strict.
var prefixes = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":           "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                       "w",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":    "r",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                "r",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                  "a",
	"http://purl.oclc.org/ooxml/drawingml/main":                              "a",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":             "wp",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":               "pic",
	"http://purl.oclc.org/ooxml/drawingml/picture":                           "pic",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                 "c",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":            "mc",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":             "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                         "m",
	"http://schemas.microsoft.com/office/word/2010/wordml":                   "w14",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":      "wps",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":      "wpg",
	"urn:schemas-microsoft-com:vml":                                          "v",
	"urn:schemas-microsoft-com:office:office":                                "o",
	"http://schemas.openxmlformats.org/package/2006/relationships":           "rel",
	"http://www.w3.org/XML/1998/namespace":                                   "xml",
	"xml":                                                                    "xml",
}

// reader reads XML as a stream and returns subtrees of it.
type reader struct {
	ctx   context.Context
	d     *xml.Decoder
	token *tokenReader
	names map[xml.Name]string
	count int
}

func newReader(ctx context.Context, r io.Reader) *reader {
	token := &tokenReader{r, maxToken}
	d := xml.NewDecoder(token)
	// Entities are never declared by a DOCX, and declarations are refused
	// below; so nothing can be expanded or fetched.
	d.Entity = nil
	return &reader{ctx: ctx, d: d, token: token, names: map[xml.Name]string{}}
}

// tokenReader limits what the parser reads for one token. It keeps all of it, and an attribute
// takes many times the memory of its five bytes.
type tokenReader struct {
	io.Reader
	left int
}

func (r *tokenReader) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, refuse.TooLarge("docx_text", fault.Number("limit", maxToken>>20))
	}
	n, err := r.Reader.Read(b)
	r.left -= n
	return n, err
}

// next returns the next start or end element or text, or io.EOF at the end.
func (r *reader) next() (xml.Token, error) {
	for {
		r.token.left = maxToken
		t, err := r.d.Token()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, notWellFormed(err)
		}
		switch t.(type) {
		case xml.Directive:
			return nil, refuse.Damaged(errors.New("the DOCX declares a document type"))
		case xml.StartElement, xml.EndElement, xml.CharData:
			return t, nil
		}
	}
}

// notWellFormed hides the text that the parser's messages may quote.
func notWellFormed(err error) error {
	if _, ok := errors.AsType[*refuse.Error](err); ok {
		return err
	}
	if s, ok := errors.AsType[*xml.SyntaxError](err); ok {
		err = fmt.Errorf("xml: syntax error on line %d", s.Line)
	}
	return refuse.Damaged(fmt.Errorf("part of the DOCX is not well-formed: %w", err))
}

func (r *reader) name(n xml.Name) string {
	s, ok := r.names[n]
	if !ok {
		s = n.Local
		if p := prefixes[n.Space]; p != "" {
			s = p + ":" + s
		}
		if len(r.names) < 10_000 {
			r.names[n] = s
		}
	}
	return s
}

func (r *reader) start(e xml.StartElement) *node {
	n := &node{name: r.name(e.Name)}
	if len(e.Attr) > 0 {
		n.attrs = make([]attr, 0, len(e.Attr))
		for _, a := range e.Attr {
			n.attrs = append(n.attrs, attr{r.name(a.Name), a.Value})
		}
	}
	return n
}

// subtree reads the rest of an element whose start was read.
func (r *reader) subtree(e xml.StartElement) (*node, error) {
	root := r.start(e)
	stack := []*node{root}
	var text []byte // of the innermost element that has text
	for count, length := 1, 0; len(stack) > 0; {
		t, err := r.next()
		if err != nil {
			return nil, notWellFormed(unexpectedEnd(err))
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			if count++; count > maxNodes {
				return nil, tooManyElements()
			}
			if len(stack) >= maxDepth {
				return nil, refuse.TooLarge("docx_depth", fault.Number("limit", maxDepth))
			}
			n := r.start(t)
			top.kids = append(top.kids, n)
			stack = append(stack, n)
			text = text[:0]
		case xml.CharData:
			if hasText(top.name) {
				text = append(text, t...)
				if length += len(t); length > maxText {
					return nil, refuse.TooLarge("docx_text", fault.Number("limit", maxText>>20))
				}
			}
		case xml.EndElement:
			if hasText(top.name) {
				top.text = string(text)
			}
			text = text[:0]
			stack = stack[:len(stack)-1]
		}
		if r.count++; r.count%4096 == 0 && r.ctx.Err() != nil {
			return nil, r.ctx.Err()
		}
	}
	return root, nil
}

func tooManyElements() error {
	return refuse.TooLarge("docx_elements", fault.Number("limit", maxNodes))
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
