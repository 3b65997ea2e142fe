package pdf

import (
	"fmt"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
)

// Sign appends one signatory's revision: the values of their fields with
// appearances, and a signature (PAdES, ETSI EN 319 142-1) in the field of that
// name, which locks the fields specified in Prepare. The error wraps
// ErrNoField, ErrFieldType, ErrSigned, ErrLocked, ErrChangesForbidden or
// ErrTooLarge, or comes from reading or from the SignFunc.
func Sign(b Base, s SignSpec) (Revision, error) {
	f, err := b.open()
	if err != nil {
		return Revision{}, err
	}
	u, err := f.update(s.room())
	if err != nil {
		return Revision{}, err
	}
	w := filling{u: u, names: f.names(), locks: f.Locks(), changed: map[int]dict{}}
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
	d := target.Dict.Clone()
	d["V"] = signature
	if s.Appearance != nil && !w.invisible(target) {
		if d["AP"], err = u.normal(s.Appearance); err != nil {
			return Revision{}, err
		}
	}
	u.put(target.Ref, d)
	sd := signatureDict(s.Seal)
	if refs := f.fieldMDP(target.Dict); refs != nil {
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
	locks   []document.Lock
	changed map[int]dict
	order   []ref
}

// signature finds the field to sign.
func (w *filling) signature(s string) (*document.Field, error) {
	if f := w.u.f; f.DocMDP() == 1 {
		return nil, fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	}
	fd := w.names.find(s)
	switch {
	case fd == nil:
		return nil, fmt.Errorf("%w: %s", ErrNoField, s)
	case fd.Kind != "Sig" || len(fd.Widgets) != 1 || fd.Widgets[0].Ref != fd.Ref:
		return nil, fmt.Errorf("%w: %s is not a signature field", ErrFieldType, s)
	case fd.Value != nil:
		return nil, fmt.Errorf("%w: %s", ErrSigned, s)
	}
	return fd, w.unlocked(fd)
}

func (w *filling) unlocked(fd *document.Field) error {
	for _, l := range w.locks {
		if l.Covers(fd.Name) {
			return fmt.Errorf("%w: %s", ErrLocked, fd.Name)
		}
	}
	return nil
}

func (w *filling) invisible(fd *document.Field) bool {
	r, ok := w.u.f.Rect(fd.Dict["Rect"])
	return !ok || r.Empty()
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
	case fd.Kind == "Tx", fd.Kind == "Ch":
		return w.fillText(fd, v)
	case fd.Kind == "Btn" && fd.Flags&document.FlagPushbutton != 0:
		return w.fillDrawing(fd, v)
	case fd.Kind == "Btn" && fd.Flags&document.FlagRadio != 0:
		return w.fillRadio(fd, v)
	case fd.Kind == "Btn":
		return w.fillCheck(fd, v)
	}
	return fmt.Errorf("%w: %s takes no value", ErrFieldType, v.Name)
}

func (w *filling) fillText(fd *document.Field, v FieldValue) error {
	w.edit(fd.Ref, fd.Dict)["V"] = object.TextString(v.Text)
	if fd.Kind == "Ch" {
		delete(w.edit(fd.Ref, fd.Dict), "I") // the selected index, which may contradict the new value
	}
	for _, x := range fd.Widgets {
		a := v.Appearance
		if a == nil {
			var err error
			if a, err = w.u.plainValue(fd, x.Dict, v.Text); err != nil {
				return fmt.Errorf("%s: %w", v.Name, err)
			}
		}
		if err := w.show(x, a); err != nil {
			return err
		}
	}
	return nil
}

func (w *filling) fillDrawing(fd *document.Field, v FieldValue) error {
	if v.Appearance == nil {
		return fmt.Errorf("%w: %s has to be drawn", ErrFieldType, v.Name)
	}
	for _, x := range fd.Widgets {
		if err := w.u.drawn(w.edit(x.Ref, x.Dict), v.Appearance); err != nil {
			return err
		}
	}
	return nil
}

func (w *filling) show(x document.Widget, a Appearance) error {
	normal, err := w.u.normal(a)
	w.edit(x.Ref, x.Dict)["AP"] = normal
	return err
}

func (w *filling) fillCheck(fd *document.Field, v FieldValue) error {
	state := name("Off")
	for _, x := range fd.Widgets {
		on := w.u.f.OnState(x.Dict)
		if on == "" {
			return fmt.Errorf("%w: %s has no appearance to be checked with", ErrFieldType, v.Name)
		}
		if v.Checked {
			state = name(on)
		}
		w.edit(x.Ref, x.Dict)["AS"] = state
	}
	w.edit(fd.Ref, fd.Dict)["V"] = state
	return nil
}

func (w *filling) fillRadio(fd *document.Field, v FieldValue) error {
	known := v.Text == ""
	for _, x := range fd.Widgets {
		state := name("Off")
		if on := w.u.f.OnState(x.Dict); on != "" && on == v.Text {
			state, known = name(on), true
		}
		w.edit(x.Ref, x.Dict)["AS"] = state
	}
	if !known {
		return fmt.Errorf("%w: %s has no choice %q", ErrFieldType, v.Name, v.Text)
	}
	state := name("Off")
	if v.Text != "" {
		state = name(v.Text)
	}
	w.edit(fd.Ref, fd.Dict)["V"] = state
	return nil
}
