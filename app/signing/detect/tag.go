package detect

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/pdf"
)

// typeWords maps the words of text tags, other than the types themselves, to types.
var typeWords = map[string]pdf.FieldType{
	"sig": pdf.FieldSignature, "sign": pdf.FieldSignature, "s": pdf.FieldSignature, "sn": pdf.FieldSignature,
	"signhere": pdf.FieldSignature, "initial": pdf.FieldInitials, "init": pdf.FieldInitials, "ini": pdf.FieldInitials,
	"in": pdf.FieldInitials, "i": pdf.FieldInitials,
	"datesigned": pdf.FieldDateSigned, "signed": pdf.FieldDateSigned, "datenow": pdf.FieldDateSigned, "ds": pdf.FieldDateSigned,
	"mail": pdf.FieldEmail, "em": pdf.FieldEmail, "e": pdf.FieldEmail, "title": pdf.FieldJobTitle, "co": pdf.FieldCompany,
	"check": pdf.FieldCheckbox, "t": pdf.FieldText, "d": pdf.FieldDate, "n": pdf.FieldName, "fn": pdf.FieldName,
	"fullname": pdf.FieldName, "file": pdf.FieldAttachment, "heading": pdf.FieldLabel,
	"cells": pdf.FieldText, "dropdown": pdf.FieldSelect,
}

// anchorWords are the words of anchors that mean something else in a tag in braces.
var anchorWords = map[string]pdf.FieldType{"d": pdf.FieldDateSigned, "t": pdf.FieldJobTitle}

// unsupported are the types that other services have and this one has not.
var unsupported = strings.Fields("payment verification kba multiple")

// typeOf returns the type that a word of a tag means, "" for none.
func typeOf(word string) pdf.FieldType {
	word = strings.ReplaceAll(strings.ToLower(oneLine(word)), " ", "_")
	kind := cmp.Or(typeWords[strings.ReplaceAll(word, "_", "")], pdf.FieldType(word))
	if !slices.Contains(pdf.FieldTypes(), kind) {
		return ""
	}
	return kind
}

var (
	numbered = regexp.MustCompile(`(?i)^\s*([a-z_]+?)\s*:?\s*(\d{0,3})\s*$`)
	listed   = regexp.MustCompile(`(?i)^\s*[a-z_]+\s*,\s*r\d{1,3}\b`)
)

// Tag reads the text between the braces of a text tag. These mean the same:
//
//	{{signature2}}  {{signature:2|Label|optional}}  {{sign|2||Label}}
//	{{signature;role=Buyer;required=false}}         {{Label;type=signature;role=Buyer}}
//	{{signature, r2, required=false}}
//
// A name alone, such as {{Place of birth}}, is a text field only if loose is set, since
// it may be a variable. ok is false if the text is no tag.
func Tag(body string, loose bool) (x Field, ok bool) {
	x = Field{Source: InTag, Confidence: 1, Recipient: 1}
	ok = true
	switch {
	case strings.Contains(body, ";") || strings.Contains(body, "=") && !listed.MatchString(body):
		x.attributes(strings.Split(body, ";"))
	case listed.MatchString(body):
		x.attributes(strings.Split(body, ","))
	default:
		ok = x.words(strings.Split(body, "|")) || loose && x.bare(body)
	}
	if !ok {
		return Field{}, false
	}
	if x.Type == pdf.FieldLabel {
		x.Value = cmp.Or(x.Value, x.Label)
	}
	return x, true
}

// setType sets the type, and what it requires by default.
func (x *Field) setType(kind pdf.FieldType) {
	x.Type = kind
	switch kind {
	case pdf.FieldCheckbox, pdf.FieldAttachment, pdf.FieldLabel, pdf.FieldStrikethrough:
		x.Required = false
	default:
		x.Required = true
	}
}

// words reads a type with an optional number, and what follows after vertical bars: a
// number, a label, and whether a value is required.
func (x *Field) words(parts []string) bool {
	m := numbered.FindStringSubmatch(parts[0])
	if m == nil || typeOf(m[1]) == "" {
		return false
	}
	x.setType(typeOf(m[1]))
	x.number(m[2])
	for _, part := range parts[1:] {
		switch part = oneLine(part); strings.ToLower(part) {
		case "":
		case "required", "*":
			x.Required = true
		case "optional":
			x.Required = false
		default:
			if _, err := strconv.Atoi(part); err == nil && m[2] == "" {
				x.number(part)
				continue
			}
			x.Label = short(part)
		}
	}
	x.Name = x.Label
	return true
}

func (x *Field) number(s string) {
	if n, err := strconv.Atoi(s); err == nil {
		x.Recipient = max(1, min(n, 1000))
	}
}

// bare reads a name alone.
func (x *Field) bare(body string) bool {
	x.Name = short(body)
	x.Label = x.Name
	x.setType(pdf.FieldText)
	return x.Name != ""
}

// attributes reads a tag with named values. The first part is a type, or the name of a
// field whose type is a value.
func (x *Field) attributes(parts []string) {
	values := map[string]string{}
	first := ""
	for i, part := range parts {
		key, value, has := strings.Cut(part, "=")
		key = strings.ToLower(strings.Join(strings.Fields(key), ""))
		switch {
		case i == 0 && !has:
			first = oneLine(part)
		case !has && recipient.MatchString(key):
			values["role"] = key
		case key != "":
			values[key] = oneLine(value)
		}
	}
	x.typed(first, values["type"], values["name"])
	x.apply(values)
}

// typed sets the type and the name of a tag with attributes. What begins one that has a name as well can
// only be a type.
func (x *Field) typed(first, kind, name string) {
	m := numbered.FindStringSubmatch(first)
	switch {
	case kind != "" && typeOf(kind) == "":
		x.Unsupported = short(kind)
		return
	case kind != "":
		x.setType(typeOf(kind))
		x.Name = short(first)
	case m != nil && typeOf(m[1]) != "":
		x.setType(typeOf(m[1]))
		x.number(m[2])
	case slices.Contains(unsupported, strings.ToLower(first)), first != "" && name != "":
		x.Unsupported = short(first)
		return
	default:
		x.setType(pdf.FieldText)
		x.Name = short(first)
	}
	x.Label = x.Name
}

// recipient matches a role that is given by its number.
var recipient = regexp.MustCompile(`^r\d{1,3}$`)

func (x *Field) apply(values map[string]string) {
	first := func(keys ...string) string {
		for _, k := range keys {
			if v := values[k]; v != "" {
				return v
			}
		}
		return ""
	}
	x.Role = short(first("role", "signer", "recipient"))
	x.Name = cmp.Or(short(values["name"]), x.Name)
	x.Label = cmp.Or(short(first("label", "title")), x.Label, x.Name)
	x.Value = first("value", "default", "default_value")
	x.Group, x.Formula = short(values["group"]), values["formula"]
	for word, value := range values {
		x.setting(word, value)
	}
	if o := first("options", "option"); o != "" {
		x.Options = choices(strings.Split(o, ","))
	}
	x.Required = flag(values, x.Required && x.Formula == "", "required") && !flag(values, false, "optional")
	if flag(values, false, "readonly", "read_only", "locked") {
		x.set("read_only", "yes")
	}
	// Sizes are in points here; place makes fractions of them.
	if w, h := decimal(values["width"]), decimal(values["height"]); w != nil && h != nil {
		x.Width, x.Height = *w, *h
	} else if w != nil {
		x.Width = *w
	} else if h != nil {
		x.Height = *h
	}
}

// signatureFormats maps the formats of signatures in tags to the types that are accepted.
var signatureFormats = map[string]string{"drawn": "drawn", "typed": "typed", "drawn_or_typed": "drawn typed", "upload": "image"}

// tagColors are the colours that tags name.
var tagColors = map[string]string{"black": "#000000", "white": "#ffffff", "blue": "#0000ff", "red": "#ff0000", "green": "#008000"}

// settingWords maps words of tags to the names of the properties that they set.
var settingWords = map[string]string{"fontsize": "font_size", "font_type": "font_weight", "valign": "vertical_align"}

// structure are the words of tags that are read before any other, or that say where the field is.
var structure = strings.Fields(`type role signer recipient name label title value default default_value group formula options option
	required optional readonly read_only locked width height`)

// setting sets a property that a tag names, in the words that tags of other services use.
func (x *Field) setting(word, value string) {
	if slices.Contains(structure, word) {
		return
	}
	name, lower := cmp.Or(settingWords[word], word), strings.ToLower(value)
	switch {
	case name == "format" && (x.Type == pdf.FieldSignature || x.Type == pdf.FieldInitials):
		name, value = "signature_types", signatureFormats[lower]
	case name == "font_weight" && strings.Contains(lower, "bold"):
		value = "bold"
	case name == "color":
		value = cmp.Or(tagColors[lower], lower)
	case name == "vertical_align" && lower == "center":
		value = "middle"
	case name == "mask":
		value = "all"
		if lower == "" || lower == "false" {
			return
		}
	case name == "align", name == "vertical_align":
		value = lower
	}
	x.set(name, value)
}

// flag returns a value that is on if it is given alone, as in {{text;required}}.
func flag(values map[string]string, or bool, keys ...string) bool {
	for _, k := range keys {
		if v, ok := values[k]; ok {
			return !slices.Contains([]string{"false", "no", "0"}, strings.ToLower(v))
		}
	}
	return or
}

// decimal reads a positive number of a tag, nil if it is none.
func decimal(s string) *float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0 && n < 1e9) {
		return nil
	}
	return &n
}

// anchor reads the short tags that stand between slashes or backslashes, such as \s1\
// and /sn1/, and between asterisks, such as **signature_1**.
func anchor(word, number string) (Field, bool) {
	x := Field{Source: InTag, Confidence: 1, Recipient: 1}
	word = strings.ToLower(word)
	optional := len(word) == 2 && word[0] == 'o'
	if optional {
		word = word[1:]
	}
	kind := cmp.Or(anchorWords[word], typeOf(word))
	if kind == "" {
		return x, false
	}
	x.setType(kind)
	x.Required = x.Required && !optional
	x.number(number)
	return x, true
}
