package pdf

import (
	"fmt"

	"paraph/app/pdf/object"
)

// Sign appends one signatory's revision: the values of their fields with
// appearances, and a signature (PAdES, ETSI EN 319 142-1) in the field of that
// name, which locks the fields specified in Prepare. The error wraps
// ErrNoField, ErrFieldType, ErrSigned, ErrLocked, ErrChangesForbidden or
// ErrTooLarge, or comes from reading or from the SignFunc.
func Sign(b Base, s SignSpec) (Revision, error) {
	f, err := withoutPages(b)
	if err != nil {
		return Revision{}, err
	}
	u, err := f.update(s.room())
	if err != nil {
		return Revision{}, err
	}
	w := filling{u: u, names: f.names(), locks: f.locks(), changed: map[int]dict{}}
	target, err := w.signature(s.Field)
	if err != nil {
		return Revision{}, err
	}
	if err := u.embed(s.Embed); err != nil {
		return Revision{}, err
	}
	for _, v := range s.Values {
		if err := w.fill(v); err != nil {
			return Revision{}, err
		}
	}
	if err := w.write(); err != nil {
		return Revision{}, err
	}
	signature := u.reserve()
	d := target.dict.Clone()
	d["V"] = signature
	if s.Appearance != nil && !w.invisible(target) {
		if d["AP"], err = u.normal(s.Appearance); err != nil {
			return Revision{}, err
		}
	}
	u.put(target.ref, d)
	sd := signatureDict(s.Seal)
	if refs := f.fieldMDP(target.dict); refs != nil {
		sd["Reference"] = refs
	}
	return u.seal(b, signature, sd, s.Seal.Size, s.Seal.Sign)
}

// fieldMDP converts the lock of a signature field to the transform of its
// signature (ISO 32000-2 §12.8.2.4).
func (f *File) fieldMDP(d dict) array {
	lock := f.Dict(d["Lock"])
	if lock == nil {
		return nil
	}
	params := dict{"Action": f.Name(lock["Action"])}
	if fields := f.Array(lock["Fields"]); fields != nil {
		params["Fields"] = fields
	}
	t := transform("FieldMDP", params)
	t["Data"] = f.RootRef
	return array{t}
}

// A filling collects the new values of fields.
type filling struct {
	u       *update
	names   names
	locks   []Lock
	changed map[int]dict
	order   []ref
}

// signature finds the field to sign.
func (w *filling) signature(s string) (*field, error) {
	if f := w.u.f; f.docMDP() == 1 {
		return nil, fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	}
	fd := w.names.find(s)
	switch {
	case fd == nil:
		return nil, fmt.Errorf("%w: %s", ErrNoField, s)
	case fd.kind != "Sig" || len(fd.widgets) != 1 || fd.widgets[0].ref != fd.ref:
		return nil, fmt.Errorf("%w: %s is not a signature field", ErrFieldType, s)
	case fd.value != nil:
		return nil, fmt.Errorf("%w: %s", ErrSigned, s)
	}
	return fd, w.unlocked(fd)
}

func (w *filling) unlocked(fd *field) error {
	for _, l := range w.locks {
		if l.Covers(fd.name) {
			return fmt.Errorf("%w: %s", ErrLocked, fd.name)
		}
	}
	return nil
}

func (w *filling) invisible(fd *field) bool {
	r, ok := w.u.f.rect(fd.dict["Rect"])
	return !ok || r.empty()
}

// turn returns the rotation of the page of a widget.
func (f *File) turn(w dict) int {
	n, _ := f.Int(f.Dict(w["MK"])["R"])
	return int((n%360+360)%360) / 90 * 90
}

// edit returns the dictionary to change, which replaces an object.
func (w *filling) edit(r ref, d dict) dict {
	if c := w.changed[r.Number]; c != nil {
		return c
	}
	c := d.Clone()
	w.changed[r.Number] = c
	w.order = append(w.order, r)
	return c
}

func (w *filling) write() error {
	for _, r := range w.order {
		w.u.put(r, w.changed[r.Number])
	}
	return w.u.err
}

func (w *filling) fill(v FieldValue) error {
	fd := w.names.find(v.Name)
	if k, ok := w.names.kids[v.Name]; ok && fd == nil {
		if !v.Checked && v.Text == "" {
			return nil
		}
		fd, v.Text = k.field, k.export
	}
	if fd == nil {
		return fmt.Errorf("%w: %s", ErrNoField, v.Name)
	}
	if err := w.unlocked(fd); err != nil {
		return err
	}
	switch {
	case fd.kind == "Tx", fd.kind == "Ch":
		return w.fillText(fd, v)
	case fd.kind == "Btn" && fd.flags&flagPushbutton != 0:
		return w.fillDrawing(fd, v)
	case fd.kind == "Btn" && fd.flags&flagRadio != 0:
		return w.fillRadio(fd, v)
	case fd.kind == "Btn":
		return w.fillCheck(fd, v)
	}
	return fmt.Errorf("%w: %s takes no value", ErrFieldType, v.Name)
}

func (w *filling) fillText(fd *field, v FieldValue) error {
	w.edit(fd.ref, fd.dict)["V"] = object.TextString(v.Text)
	if fd.kind == "Ch" {
		delete(w.edit(fd.ref, fd.dict), "I") // the selected index, which may contradict the new value
	}
	for _, x := range fd.widgets {
		a := v.Appearance
		if a == nil {
			var err error
			if a, err = w.u.plainValue(fd, x.dict, v.Text); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		if err := w.show(x, a); err != nil {
			return err
		}
	}
	return nil
}

func (w *filling) fillDrawing(fd *field, v FieldValue) error {
	if v.Appearance == nil {
		return fmt.Errorf("%w: %s has to be drawn", ErrFieldType, v.Name)
	}
	for _, x := range fd.widgets {
		if err := w.u.drawn(w.edit(x.ref, x.dict), v.Appearance); err != nil {
			return err
		}
	}
	return nil
}

func (w *filling) show(x widget, a Appearance) error {
	normal, err := w.u.normal(a)
	w.edit(x.ref, x.dict)["AP"] = normal
	return err
}

func (w *filling) fillCheck(fd *field, v FieldValue) error {
	state := name("Off")
	for _, x := range fd.widgets {
		on := w.u.f.onState(x.dict)
		if on == "" {
			return fmt.Errorf("%w: %s has no appearance to be checked with", ErrFieldType, v.Name)
		}
		if v.Checked {
			state = name(on)
		}
		w.edit(x.ref, x.dict)["AS"] = state
	}
	w.edit(fd.ref, fd.dict)["V"] = state
	return nil
}

func (w *filling) fillRadio(fd *field, v FieldValue) error {
	known := v.Text == ""
	for _, x := range fd.widgets {
		state := name("Off")
		if on := w.u.f.onState(x.dict); on != "" && on == v.Text {
			state, known = name(on), true
		}
		w.edit(x.ref, x.dict)["AS"] = state
	}
	if !known {
		return fmt.Errorf("%w: %s has no choice %q", ErrFieldType, v.Name, v.Text)
	}
	state := name("Off")
	if v.Text != "" {
		state = name(v.Text)
	}
	w.edit(fd.ref, fd.dict)["V"] = state
	return nil
}
