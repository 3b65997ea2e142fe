package html

import (
	"cmp"
	"fmt"
	"strings"
)

// fieldKeys are the attributes of field elements that text tags know as well.
var fieldKeys = []string{
	"role", "required", "readonly", "default", "default-value", "value", "options", "option", "format", "group",
	"pattern", "formula", "min", "max", "label", "title", "mask", "cells", "color", "font-size",
}

// field writes an element such as <text-field name="Rent" role="Tenant"> as a text tag.
func (w *writer) field(n *node, around style) bool {
	kind, ok := strings.CutSuffix(n.tag, "-field")
	if !ok {
		return false
	}
	plain := strings.NewReplacer(";", ",", "{", "", "}", "", "=", " ", "\n", " ")
	tag := plain.Replace(n.attr("name")) + ";type=" + strings.ReplaceAll(kind, "-", "_")
	for _, key := range fieldKeys {
		if v := plain.Replace(n.attr(key)); v != "" {
			tag += ";" + strings.ReplaceAll(key, "-", "_") + "=" + v
		}
	}
	s := w.styleOf(n, around.inherited)
	if s.width.points > 0 {
		tag += fmt.Sprintf(";width=%.0f", s.width.points)
	}
	if s.height.points > 0 {
		tag += fmt.Sprintf(";height=%.0f", s.height.points)
	}
	w.text("{{"+tag+"}}", around)
	return true
}

// blank is a line to write on.
const blank = "____________________"

// control writes a form's control as it looks on paper.
func (w *writer) control(n *node, around style) bool {
	switch n.tag {
	case "input":
		switch n.attr("type") {
		case "hidden", "submit", "button", "reset", "image", "file":
		case "checkbox", "radio":
			mark := "☐"
			if strings.Contains(" "+attributeNames(n)+" ", " checked ") {
				mark = "☒"
			}
			w.text(mark, around)
		default:
			w.text(cmp.Or(n.attr("value"), blank), around)
		}
	case "select":
		w.text(cmp.Or(chosen(n), blank), around)
	case "textarea":
		w.text(cmp.Or(strings.TrimSpace(n.words()), blank), around)
	case "button", "datalist", "progress", "meter":
		w.found.add(LeftOut, n.tag)
	default:
		return false
	}
	return true
}

func attributeNames(n *node) string {
	var names []string
	for _, a := range n.attrs {
		names = append(names, a.Key)
	}
	return strings.Join(names, " ")
}

// chosen returns the option that a list shows.
func chosen(n *node) (text string) {
	for _, k := range n.kids {
		if k.tag == "option" && strings.Contains(" "+attributeNames(k)+" ", " selected ") {
			return strings.TrimSpace(k.words())
		}
		if text == "" && k.tag == "optgroup" {
			text = chosen(k)
		}
	}
	return text
}
