// Package html turns HTML files into DOCX (ISO/IEC 29500), which is then converted like
// any other. It knows what letters and contracts are made of: headings, paragraphs, lists,
// tables, pictures within the file, and the styles for them, from attributes, style sheets
// within the file and @page. What it leaves out is listed in the findings.
//
// Elements such as <signature-field name="Sign" role="Buyer"> become text tags.
//
// The input is hostile: its size, depth and numbers are bounded, nothing is executed or
// fetched, and errors and findings never quote text of the document.
package html

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// Limits of one file. Pictures within it only count towards the size of the upload.
const (
	maxText    = 2 << 20  // bytes of text and markup
	maxToken   = 32 << 20 // bytes of one token, such as the address of a picture
	maxDepth   = 100      // further elements are taken for siblings
	maxRules   = 500      // of style sheets, those of a group counted one by one
	maxSet     = 100      // declarations of a rule, and of a style attribute
	maxChosen  = 200      // bytes of a selector
	maxAttrs   = 64       // of an element; others are ignored
	maxClasses = 32       // of an element; others are ignored
	maxSteps   = 20 << 20 // comparisons of selectors with elements
	setCost    = 8        // of applying a declaration, in such steps
	maxWritten = 48 << 20 // bytes of the document
	maxCells   = 100_000  // of all tables, those that continue a cell above included
	maxLists   = 5000
	maxColumns = 60 // Word allows 63
	maxRowSpan = 1000
	maxNames   = 8  // in a finding
	maxName    = 40 // characters of one
)

// Finding is one kind of deviation, with the names of the elements or properties.
type Finding struct {
	Code  string
	Names []string
}

// The codes of findings.
const (
	LeftOut  = "html_left_out" // elements
	Unstyled = "html_unstyled" // properties
	Unlinked = "html_picture"  // a picture that is not in the file
)

// DOCX writes the HTML in r as DOCX to w.
func DOCX(ctx context.Context, r io.Reader, w io.Writer) ([]Finding, error) {
	found := &findings{}
	decoded, err := charset.NewReader(r, "text/html")
	if errors.Is(err, io.EOF) {
		return nil, refuse.Damaged(errors.New("the HTML is empty"))
	}
	if err != nil {
		return nil, refuse.Damaged(errors.New("the character set of the HTML is not known"))
	}
	t := &tree{ctx: ctx, tokens: html.NewTokenizer(decoded), found: found}
	t.tokens.SetMaxBuf(maxToken)
	if err := t.read(); err != nil {
		return nil, err
	}
	sheet := readSheet(t.styles.String(), found)
	out := newWriter(ctx, sheet, found)
	if err := out.document(t.root); err != nil {
		return nil, err
	}
	return found.list(), out.save(w)
}

func tooLong() error { return refuse.TooLarge("html_text", fault.Number("limit", maxText>>20)) }

// findings collects names by code.
type findings struct{ all []Finding }

func (f *findings) add(code, name string) {
	i := slices.IndexFunc(f.all, func(x Finding) bool { return x.Code == code })
	if i < 0 {
		i = len(f.all)
		f.all = append(f.all, Finding{Code: code})
	}
	if name = strings.ToValidUTF8(name, ""); utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName]) + "…"
	}
	x := &f.all[i]
	if len(x.Names) < maxNames && !slices.Contains(x.Names, name) {
		x.Names = append(x.Names, name)
	}
}

func (f *findings) list() []Finding {
	slices.SortFunc(f.all, func(a, b Finding) int { return cmp.Compare(a.Code, b.Code) })
	return f.all
}
