package pdf

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

func (f *File) formField(fd document.Field, at int, page int) FormField {
	w := fd.Widgets[at].Dict
	flags, _ := f.Int(w["F"])
	out := FormField{
		Name: fd.Name, Type: formType(&fd), Page: page, Label: cmp.Or(f.Text(w["TU"]), f.Text(fd.Dict["TU"])),
		Required: fd.Flags&document.FlagRequired != 0, ReadOnly: fd.Flags&document.FlagReadOnly != 0,
		Signed: fd.Kind == "Sig" && f.Dict(fd.Value) != nil, Hidden: flags&(annotHidden|annotNoView) != 0,
	}
	switch out.Type {
	case FieldCheckbox, FieldRadio:
		f.button(&out, &fd, at)
	case FieldSelect:
		f.choice(&out, &fd)
	case FieldText:
		out.Value = f.long(fd.Value)
		out.Password = fd.Flags&document.FlagPassword != 0
		out.MaxLength = f.maxLength(&fd, w)
		out.Comb = f.cells(&fd, w) > 0
	}
	f.typeface(&out, w)
	if r, ok := f.Rect(w["Rect"]); ok && page >= 0 {
		b := f.Pages()[page].Box(r)
		out.X, out.Y, out.Width, out.Height = b.X, b.Y, b.Width, b.Height
	}
	return out
}

func formType(fd *document.Field) FieldType {
	switch {
	case fd.Kind == "Sig":
		return FieldSignature
	case fd.Kind == "Ch":
		return FieldSelect
	case fd.Kind == "Btn" && fd.Flags&document.FlagPushbutton != 0:
		return "button"
	case fd.Kind == "Btn" && fd.Flags&document.FlagRadio != 0:
		return FieldRadio
	case fd.Kind == "Btn":
		return FieldCheckbox
	}
	return FieldText
}

// button reads the state of a check box or radio button. Where several have the same value, the names of
// their states are numbers, and Opt has the values (ISO 32000-2 §12.7.5.2.3).
func (f *File) button(out *FormField, fd *document.Field, at int) {
	w := fd.Widgets[at].Dict
	out.Export = f.OnState(w)
	out.State, out.Alone = out.Export, out.Type == FieldRadio && fd.Flags&document.FlagUnison == 0
	state := f.Name(w["AS"])
	if w["AS"] == nil {
		state = f.Name(fd.Value)
		out.On = string(state) == out.Export
	} else {
		out.On = out.Export == "" || string(state) == out.Export
	}
	out.On = out.On && state != "" && state != "Off"
	out.Value = string(f.Name(fd.Value))
	others := slices.ContainsFunc(fd.Widgets, func(o document.Widget) bool { return f.OnState(o.Dict) != out.Export })
	out.Exclusive = out.Type == FieldCheckbox && others
	values := f.Array(fd.Dict["Opt"])
	if i, err := strconv.Atoi(out.Export); err == nil && len(values) == len(fd.Widgets) && i >= 0 && i < len(values) {
		out.Export = cmp.Or(f.Text(values[i]), out.Export)
	}
}

// choice reads the options of a list and the chosen one.
func (f *File) choice(out *FormField, fd *document.Field) {
	v := f.Resolve(fd.Value)
	if several, ok := v.(array); ok && len(several) == 1 {
		v = f.Resolve(several[0])
	}
	chosen := f.long(v)
	for _, o := range f.Array(f.inherited(fd.Dict, "Opt")) {
		export := o
		if pair := f.Array(o); len(pair) == 2 {
			export, o = pair[0], pair[1]
		}
		out.Options = append(out.Options, f.Text(o))
		if out.Value == "" && f.Text(export) == chosen {
			out.Value = f.Text(o)
		}
	}
	if out.Value == "" {
		out.Value = chosen
	}
	const edit = 1 << 18 // other texts may be entered
	if fd.Flags&edit != 0 && chosen != "" && !slices.Contains(out.Options, out.Value) {
		out.Options = append(out.Options, out.Value)
	}
}

// long returns a text, which may be a stream.
func (f *File) long(v any) string {
	s, ok := f.Resolve(v).(*reader.Stream)
	if !ok {
		return f.Text(v)
	}
	data, err := f.Decode(s)
	if err != nil {
		return ""
	}
	return object.String(data).Text()
}

// inherited returns an entry of a field or widget, or of the fields that it is part of.
func (f *File) inherited(d dict, key name) any {
	for range document.FieldDepth {
		if v := d[key]; v != nil || d == nil {
			return v
		}
		d = f.Dict(d["Parent"])
	}
	return nil
}

func (f *File) maxLength(fd *document.Field, w dict) int {
	for _, d := range []dict{w, fd.Dict} {
		if n, ok := f.Int(f.inherited(d, "MaxLen")); ok && n > 0 && n < 1<<31 {
			return int(n)
		}
	}
	return 0
}

// cells returns into how many cells a text field is divided, 0 if it is not.
func (f *File) cells(fd *document.Field, w dict) int {
	const fileSelect = 1 << 20
	if fd.Kind != "Tx" || fd.Flags&document.FlagComb == 0 || fd.Flags&(document.FlagMultiline|document.FlagPassword|fileSelect) != 0 {
		return 0
	}
	return f.maxLength(fd, w)
}

// typeface reads how the text of a field is drawn.
func (f *File) typeface(out *FormField, w dict) {
	either := func(key name) any {
		if v := f.inherited(w, key); v != nil {
			return v
		}
		return f.Form()[key]
	}
	if q, ok := f.Int(either("Q")); ok && (q == 1 || q == 2) {
		out.Align = []string{"", "center", "right"}[q]
	}
	var operands []string
	for _, s := range strings.Fields(string(f.string(either("DA")))) {
		n := len(operands)
		number := func(i int) float64 {
			v, _ := strconv.ParseFloat(operands[n-i], 64)
			return min(max(v, 0), 1)
		}
		switch {
		case s == "Tf" && n >= 2:
			out.FontSize, _ = strconv.ParseFloat(operands[n-1], 64)
			font := f.Dict(f.Dict(f.Dict(f.Form()["DR"])["Font"])[name(strings.TrimPrefix(operands[n-2], "/"))])
			out.Bold = strings.Contains(string(f.Name(font["BaseFont"])), "Bold")
		case s == "g" && n >= 1:
			out.Color = [3]float64{number(1), number(1), number(1)}
		case s == "rg" && n >= 3:
			out.Color = [3]float64{number(3), number(2), number(1)}
		case s == "k" && n >= 4:
			light := 1 - number(1)
			out.Color = [3]float64{(1 - number(4)) * light, (1 - number(3)) * light, (1 - number(2)) * light}
		default:
			operands = append(operands, s)
			continue
		}
		operands = nil
	}
}

func (f *File) string(v any) object.String {
	s, _ := f.Resolve(v).(object.String)
	return s
}
