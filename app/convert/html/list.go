package html

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// list is a list of the document, of which each is numbered on its own.
type list struct {
	format string // of Word, or a bullet
	level  int
	start  int
}

// item is the list item that the next paragraph begins.
type item struct {
	number int // of the list, from 1; 0 for none
	level  int
}

// maxLevel is the deepest level that Word knows.
const maxLevel = 8

// list writes a list.
func (w *writer) list(n *node, s style) error {
	level := 0
	for _, x := range ancestors(n) {
		if x.tag == "ul" || x.tag == "ol" || x.tag == "menu" {
			level++
		}
	}
	format := s.listStyle
	if own := n.tag == "ol"; format == "" || own != isNumber(format) && format != "none" {
		format = []string{"•", "◦", "▪"}[min(level, 2)]
		if own {
			format = "decimal"
		}
	}
	s.listStyle = ""
	start, err := strconv.Atoi(cmp.Or(n.attr("start"), "1"))
	if err != nil || start < 0 || start > 30_000 {
		start = 1
	}
	w.lists = append(w.lists, list{format, min(level, maxLevel), start})
	number := len(w.lists)
	return w.boxed(s, func() error {
		around := w.number
		w.number = number
		err := w.kids(n, s)
		w.number = around
		return err
	})
}

func isNumber(format string) bool { return len(format) > 4 }

// listItem writes an item, whose first paragraph has the number.
func (w *writer) listItem(n *node, s style) error {
	return w.boxed(s, func() error {
		if w.number > 0 {
			l := w.lists[w.number-1]
			w.item = &item{w.number, l.level}
			if l.format == "none" {
				w.item.number = 0
			}
		}
		return w.kids(n, s)
	})
}

// numbering returns the part of the DOCX that describes the lists.
func (w *writer) numbering() string {
	var abstract, numbers strings.Builder
	for i, l := range w.lists {
		format, text := "bullet", l.format
		if isNumber(l.format) {
			format, text = l.format, fmt.Sprintf("%%%d.", l.level+1)
		}
		fmt.Fprintf(&abstract, `<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="multilevel"/>`, i)
		for level := range l.level + 1 {
			fmt.Fprintf(&abstract, `<w:lvl w:ilvl="%d"><w:start w:val="%d"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/>`+
				`<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="600" w:hanging="360"/></w:pPr></w:lvl>`, level, l.start, format, text)
		}
		abstract.WriteString("</w:abstractNum>")
		fmt.Fprintf(&numbers, `<w:num w:numId="%d"><w:abstractNumId w:val="%d"/></w:num>`, i+1, i)
	}
	return abstract.String() + numbers.String()
}
