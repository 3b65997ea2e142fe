package pdf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// claim returns the name of a new field in the file.
func (p *preparation) claim(s string) (string, error) {
	full := p.prefix + clean(s)
	if s == "" || p.taken[full] {
		return "", fmt.Errorf("%w: field name %q is empty or given twice", ErrSpec, s)
	}
	p.taken[full] = true
	return full, nil
}

func (p *preparation) addFields() error {
	radios := map[string][]FieldSpec{}
	var groups []string
	for _, s := range p.spec.Fields {
		if s.Existing != "" {
			continue
		}
		if s.Type == FieldRadio {
			group := cmp.Or(s.Group, s.Name)
			if radios[group] == nil {
				groups = append(groups, group)
			}
			radios[group] = append(radios[group], s)
			continue
		}
		if err := p.addField(s); err != nil {
			return err
		}
	}
	for _, g := range groups {
		if err := p.addRadios(g, radios[g]); err != nil {
			return err
		}
	}
	return nil
}

// widget creates the dictionary of a widget at its position on its page.
func (p *preparation) widget(n int, b document.Box) (document.Page, dict, error) {
	page, _, err := p.page(n)
	if err != nil {
		return document.Page{}, nil, err
	}
	sized := b.Width > 0 && b.Height > 0 && b.Width <= 1.01 && b.Height <= 1.01
	if onPage := b.X > -1 && b.X < 1 && b.Y > -1 && b.Y < 1; !sized || !onPage {
		return document.Page{}, nil, fmt.Errorf("%w: a field is %v on page %d", ErrSpec, b, n)
	}
	d := dict{
		"Type": name("Annot"), "Subtype": name("Widget"), "P": page.Ref,
		"Rect": page.Rect(b).Array(), "F": 4, // print flag
	}
	if page.Rotate != 0 {
		d["MK"] = dict{"R": page.Rotate}
	}
	return page, d, nil
}

// place adds a widget to its page.
func (p *preparation) place(page document.Page, r ref) {
	n := page.Ref.Number
	p.annots[n] = append(p.annots[n], r)
}

func (s FieldSpec) box() document.Box {
	return document.Box{X: s.X, Y: s.Y, Width: s.Width, Height: s.Height}
}
func (s SignatureSpec) box() document.Box {
	return document.Box{X: s.X, Y: s.Y, Width: s.Width, Height: s.Height}
}

func (s FieldSpec) flags() int {
	n := 0
	if s.ReadOnly {
		n |= document.FlagReadOnly
	}
	if s.Required {
		n |= document.FlagRequired
	}
	return n
}

func (s FieldSpec) on() bool { return s.Value != "" && s.Value != "false" }

func (p *preparation) addField(s FieldSpec) error {
	full, err := p.claim(s.Name)
	if err != nil {
		return err
	}
	page, d, err := p.widget(s.Page, s.box())
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	d["T"] = object.TextString(full)
	if s.Label != "" {
		d["TU"] = object.TextString(s.Label)
	}
	d["Ff"] = s.flags()
	if err := p.typed(s, d, page); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	r := p.u.Add(d)
	p.fields = append(p.fields, r)
	p.place(page, r)
	return nil
}

// typed completes the dictionary of a field according to its type.
func (p *preparation) typed(s FieldSpec, d dict, page document.Page) error {
	switch s.Type {
	case FieldText, FieldName, FieldEmail, FieldCompany, FieldJobTitle, FieldDate, FieldDateSigned, FieldNumber,
		FieldPhone, FieldAttachment, FieldLabel:
		return p.textField(s, d, page)
	case FieldSelect:
		d["Opt"] = texts(s.Options)
		err := p.textField(s, d, page)
		d["FT"], d["Ff"] = name("Ch"), s.flags()|document.FlagCombo
		return err
	case FieldCheckbox:
		d["FT"] = name("Btn")
		if err := p.states(d, "Yes", checkMark(blank(page, s.box())), s.on()); err != nil {
			return err
		}
		d["V"] = d["AS"]
	case FieldSignature, FieldInitials, FieldStamp, FieldImage, FieldStrikethrough:
		d["FT"], d["Ff"] = name("Btn"), s.flags()|document.FlagPushbutton|document.FlagReadOnly
		return p.u.drawn(d, s.orBlank(page))
	default:
		return fmt.Errorf("%w: field type %q", ErrSpec, s.Type)
	}
	return nil
}

func (s FieldSpec) orBlank(page document.Page) Appearance {
	if s.Appearance != nil {
		return s.Appearance
	}
	return blank(page, s.box())
}

func blank(page document.Page, b document.Box) drawing {
	width, height := page.Size(b)
	return drawing{width: width, height: height, rotate: page.Rotate}
}

func texts(all []string) array {
	a := make(array, len(all))
	for i, s := range all {
		a[i] = object.TextString(s)
	}
	return a
}

func (p *preparation) textField(s FieldSpec, d dict, page document.Page) error {
	a := s.Appearance
	if a == nil {
		var err error
		if a, err = p.u.plainText(blank(page, s.box()), s.Value, s.FontSize); err != nil {
			return err
		}
	}
	p.u.plainFont()
	flags := s.flags()
	if s.Multiline {
		flags |= document.FlagMultiline
	}
	if s.Comb && s.MaxLength > 0 {
		flags |= document.FlagComb
	}
	d["FT"], d["Ff"] = name("Tx"), flags
	d["DA"] = object.String(fmt.Sprintf("/%s %g Tf %s", plainName, object.Round(s.FontSize), fillOf(s.Color)))
	d["V"] = object.TextString(s.Value)
	var err error
	if d["AP"], err = p.u.normal(a); err != nil {
		return err
	}
	if q := slices.Index([]string{"left", "center", "right"}, s.Align); q > 0 {
		d["Q"] = q
	}
	if s.MaxLength > 0 {
		d["MaxLen"] = s.MaxLength
	}
	return nil
}

// fillOf returns the operator that sets the colour of text.
func fillOf(rgb [3]float64) string {
	if rgb == [3]float64{} {
		return "0 g"
	}
	return fmt.Sprintf("%g %g %g rg", object.Round(rgb[0]), object.Round(rgb[1]), object.Round(rgb[2]))
}

// states adds the two appearances of a button. The state's name is its value.
func (p *preparation) states(d dict, on string, mark drawing, isOn bool) error {
	off := mark
	off.content = nil
	shown, err1 := p.u.form(mark)
	hidden, err2 := p.u.form(off)
	d["AP"] = dict{"N": dict{name(on): shown, "Off": hidden}}
	d["AS"] = name("Off")
	if isOn {
		d["AS"] = name(on)
	}
	return errors.Join(err1, err2)
}

func (s FieldSpec) export() string {
	v := s.Name
	if len(s.Options) > 0 && s.Options[0] != "" {
		v = s.Options[0]
	}
	if v == "Off" { // a reserved name
		return "Off_"
	}
	return v
}

// addRadios creates one field for all buttons of a group. Those of one value are chosen together.
func (p *preparation) addRadios(group string, specs []FieldSpec) error {
	full, err := p.claim(group)
	if err != nil {
		return err
	}
	parent := p.u.reserve()
	d := dict{"FT": name("Btn"), "T": object.TextString(full), "V": name("Off")}
	flags, seen := document.FlagRadio|document.FlagNoToggleOff, map[string]bool{}
	var kids array
	for _, s := range specs {
		if seen[s.export()] {
			flags |= document.FlagUnison
		}
		seen[s.export()] = true
		page, w, err := p.widget(s.Page, s.box())
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := p.states(w, s.export(), radioMark(blank(page, s.box())), s.on()); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		w["Parent"], w["NM"] = parent, object.TextString(s.Name)
		if s.Label != "" {
			w["TU"] = object.TextString(s.Label)
		}
		if s.on() {
			d["V"] = name(s.export())
		}
		flags |= s.flags()
		r := p.u.Add(w)
		p.place(page, r)
		kids = append(kids, r)
	}
	d["Kids"], d["Ff"] = kids, flags
	p.u.put(parent, d)
	p.fields = append(p.fields, parent)
	return nil
}

// hidden returns the dictionary of an invisible signature field.
func (u *update) hidden(full string, page document.Page) dict {
	return dict{
		"Type": name("Annot"), "Subtype": name("Widget"), "FT": name("Sig"), "T": object.TextString(full),
		"P": page.Ref, "Rect": array{0, 0, 0, 0}, "F": 132, // printed, locked
		"AP": u.emptyAppearance(),
	}
}

func (p *preparation) addSignatures() error {
	for _, s := range p.spec.Signatures {
		if err := p.addSignature(s); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if err := p.addHidden(p.spec.Timestamp); err != nil {
		return err
	}
	if p.spec.Certify == nil || p.signed {
		return nil
	}
	if _, err := p.claim(certificationField); err != nil {
		return err
	}
	page, _, err := p.page(0)
	if err != nil {
		return err
	}
	p.cert = p.u.reserve()
	p.fields = append(p.fields, p.cert)
	p.place(page, p.cert)
	return nil
}

func (p *preparation) addHidden(s string) error {
	full, err := p.claim(s)
	if err != nil {
		return err
	}
	page, _, err := p.page(0)
	if err != nil {
		return err
	}
	r := p.u.Add(p.u.hidden(full, page))
	p.fields = append(p.fields, r)
	p.place(page, r)
	return nil
}

func (p *preparation) addSignature(s SignatureSpec) error {
	full, err := p.claim(s.Name)
	if err != nil {
		return err
	}
	n := max(s.Page, 0)
	page, _, err := p.page(n)
	if err != nil {
		return err
	}
	d := p.u.hidden(full, page)
	// Nothing visible may be added to a certified page, so the signature is made
	// invisible.
	if s.Page >= 0 && p.level == 0 {
		if page, d, err = p.widget(n, s.box()); err != nil {
			return err
		}
		d["FT"], d["T"] = name("Sig"), object.TextString(full)
		if d["AP"], err = p.u.normal(blank(page, s.box())); err != nil {
			return err
		}
	}
	if s.Label != "" {
		d["TU"] = object.TextString(s.Label)
	}
	locked, err := p.locked(s)
	if err != nil {
		return err
	}
	if len(locked) > 0 {
		d["Lock"] = dict{"Type": name("SigFieldLock"), "Action": name("Include"), "Fields": texts(locked)}
	}
	r := p.u.Add(d)
	p.fields = append(p.fields, r)
	p.place(page, r)
	return nil
}

// unowned returns the full names of the fields that no signatory fills in: those of
// the upload, and fixed ones. They are final once the file is prepared.
func (p *preparation) unowned() []string {
	owned, kept := map[string]bool{}, p.f.Locks()
	for _, s := range p.spec.Signatures {
		locked, err := p.ownedBy(s)
		if err != nil {
			continue // reported when the signature was added
		}
		for _, full := range locked {
			owned[full] = true
		}
	}
	var out []string
	add := func(full string) {
		if full != "" && !owned[full] && !slices.ContainsFunc(kept, func(l document.Lock) bool { return l.Covers(full) }) {
			owned[full] = true
			out = append(out, full)
		}
	}
	for _, fd := range p.old {
		if fd.Kind != "Sig" || p.f.Dict(fd.Value) == nil {
			add(fd.Name)
		}
	}
	for _, fs := range p.spec.Fields {
		if full, ok := p.fullName(fs.Name); ok {
			add(full)
		}
	}
	return out
}

// locked returns the full names of the fields that a signature locks. Without a
// certification, each locks what no signatory fills in as well, as any may be the
// first.
func (p *preparation) locked(s SignatureSpec) ([]string, error) {
	out, err := p.ownedBy(s)
	if err != nil || p.spec.Certify != nil && !p.signed {
		return out, err
	}
	return append(out, p.unowned()...), nil
}

// ownedBy returns the full names of the fields that are final when a person has signed.
func (p *preparation) ownedBy(s SignatureSpec) ([]string, error) {
	var out []string
	add := func(full string) {
		if !slices.Contains(out, full) {
			out = append(out, full)
		}
	}
	for _, n := range s.Locks {
		full, ok := p.fullName(n)
		if !ok {
			return nil, fmt.Errorf("%w: no field %s to lock", ErrSpec, n)
		}
		add(full)
	}
	for _, fs := range p.spec.Fields {
		if fs.Owner != s.Name {
			continue
		}
		switch {
		case fs.Existing != "":
			add(fs.Existing)
		case fs.Type == FieldRadio:
			add(p.prefix + clean(cmp.Or(fs.Group, fs.Name)))
		default:
			add(p.prefix + clean(fs.Name))
		}
	}
	return out, nil
}

func (p *preparation) fullName(n string) (string, bool) {
	for _, fs := range p.spec.Fields {
		switch {
		case fs.Name == n && fs.Existing != "":
			return fs.Existing, true
		case fs.Type == FieldRadio && (fs.Name == n || fs.Group == n):
			return p.prefix + clean(cmp.Or(fs.Group, fs.Name)), true
		case fs.Name == n:
			return p.prefix + clean(n), true
		}
	}
	exists := slices.ContainsFunc(p.old, func(fd document.Field) bool { return fd.Name == n })
	return n, exists
}
