package rehearse

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/pattern"
	"paraph/app/signing/record"
)

// What recipients enter.
const (
	sampleName   = "Sample Person"
	sampleReason = "Declined in a test."
	sampleText   = "Sample text"
	samplePhone  = "+1 202 555 0100"

	sampleStrokes = "[[[0,20],[20,0],[40,25],[60,5],[80,20]]]"
	// samplePicture is a PNG of a stroke.
	samplePicture = "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAAAAADFHGIkAAAAT0lEQVR42nXJxwEAIAgEMIZg/1WxoNQj3xAzC0I8zA00JMOQDLMDzwk4N9BogHnR50cbizoeZULkiZEmRZwcYUr41LBp8afHGxA6KGSMMwvc+9UqWeFWSgAAAABJRU5ErkJggg=="
)

// longest is how many more repetitions than required are tried for a pattern.
const longest = 64

// among returns those of the values that are about the given fields.
func among(own []*record.Field, values map[string]string) map[string]string {
	out := map[string]string{}
	for key, v := range values {
		scratch := map[string]string{}
		if record.SetValue(own, scratch, key, v) || record.SetGroup(own, scratch, key, v) {
			out[key] = v
		}
	}
	return out
}

// complete adds a value to values, by identifier, for every field that a recipient has to fill in
// and has not. A field that accepts none of the samples stays empty, so that signing names it.
func complete(
	values map[string]string, d *record.Document, inv *record.Invitation, own []*record.Field, today time.Time,
) {
	given, tried := map[string]string{}, map[string]bool{}
	for key, v := range values {
		if !record.SetValue(own, given, key, v) {
			record.SetGroup(own, given, key, v)
		}
	}
	for {
		entered := record.Entered(own, inv, given, today)
		rules := record.RulesFor(d, inv.ID, entered, today)
		lacking := record.Unanswered(own, rules, entered)
		i := slices.IndexFunc(lacking, func(x *record.Field) bool { return !tried[x.ID] })
		if i < 0 {
			return
		}
		x := lacking[i]
		tried[x.ID] = true
		if v, ok := sample(x, today); ok {
			values[x.ID], given[x.ID] = v, v
		}
	}
}

// sample returns a value that a field accepts.
func sample(x *record.Field, today time.Time) (string, bool) {
	if x.HandsIn() {
		return "data:image/png;name=sample.png;base64," + samplePicture, true
	}
	all := candidates(x, today)
	if x.Pattern != "" {
		for more := range longest {
			all = append(all, pattern.Example(x.Pattern, more))
		}
	}
	i := slices.IndexFunc(all, func(v string) bool { return v != "" && x.Accepts(v, today) })
	if i < 0 {
		return "", false
	}
	return all[i], true
}

// candidates lists what people might enter in a field.
func candidates(x *record.Field, today time.Time) []string {
	switch x.Type {
	case pdf.FieldNumber:
		out := []string{"1"}
		for _, limit := range []*float64{x.Min, x.Max} {
			if limit != nil {
				out = append(out, decimal(math.Ceil(*limit)), decimal(math.Floor(*limit)), decimal(*limit))
			}
		}
		return out
	case pdf.FieldDate:
		first, last := x.Days(today)
		return []string{today.Format(time.DateOnly), first, last}
	case pdf.FieldCheckbox:
		return []string{record.Checked}
	case pdf.FieldRadio, pdf.FieldSelect:
		return append(slices.Clone(x.Options), record.Checked)
	case pdf.FieldPhone:
		return []string{samplePhone, strings.ReplaceAll(samplePhone, " ", "")}
	case pdf.FieldEmail:
		return []string{"sample@example.com"}
	case pdf.FieldName:
		return []string{fitted(x, sampleName)}
	}
	return []string{fitted(x, sampleText), fitted(x, "Sample"), fitted(x, "12345")}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// fitted makes an ASCII text as long as a field requires.
func fitted(x *record.Field, text string) string {
	if x.Type == pdf.FieldText && x.Min != nil {
		for float64(len(text)) < min(*x.Min, record.MaxValue) {
			text += "abcdefghij"
		}
	}
	most := len(text)
	if x.Type == pdf.FieldText && x.Max != nil {
		most = min(most, int(*x.Max))
	}
	if x.Divided() {
		most = min(most, x.Cells)
	}
	return strings.TrimSpace(text[:most])
}

// marksOf returns a signature and initials of types that the recipient's fields allow; nil is
// typed from their name.
func marksOf(d *record.Document, inv *record.Invitation) (signature, initials *mark.Mark) {
	mark := func(kind pdf.FieldType) *mark.Mark {
		allowed := record.TypesOfMark(d, inv.ID, kind)
		switch {
		case slices.Contains(allowed, signing.MarkTyped):
			return nil
		case slices.Contains(allowed, signing.MarkDrawn):
			return &mark.Mark{Type: signing.MarkDrawn, Data: sampleStrokes}
		}
		return &mark.Mark{Type: signing.MarkImage, Data: samplePicture}
	}
	return mark(pdf.FieldSignature), mark(pdf.FieldInitials)
}
