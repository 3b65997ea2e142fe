package pdf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"paraph/app/pdf/document"
	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
	"paraph/app/pdf/verify"
)

// Names of the fields that Prepare makes for the service itself.
const (
	certificationField = "certification"
	timestampField     = "timestamp"
)

// Prepare appends revision 1: all fields and widgets, one signature field per
// signatory, an invisible field for the document timestamp, an empty security
// store, appended pages, and the certification. Later revisions need not change
// a page, the catalog or the form.
//
// A signed upload is never certified and keeps all its content. It accepts no
// appended pages and no attachments and, if certified itself, only signature
// fields; otherwise the error wraps ErrChangesForbidden. Other errors wrap
// ErrDynamicXFA or ErrSpec, or come from reading or from the SignFunc.
func Prepare(b Base, s PrepareSpec) (Revision, error) {
	f, err := Open(b.Reader, b.Size)
	if err != nil {
		return Revision{}, err
	}
	return prepare(f, b, s)
}

// prepare is Prepare for a file that is open.
func prepare(f *File, b Base, s PrepareSpec) (Revision, error) {
	p, err := prepared(f, s)
	if err != nil {
		return Revision{}, err
	}
	if !s.MadeHere {
		if err := s.Rehearsals.once(&s, func() error { return p.rehearse(b) }); err != nil {
			return Revision{}, err
		}
	}
	return p.write(b, s.Certify)
}

// prepared makes all changes of a preparation but the certification.
func prepared(f *File, s PrepareSpec) (*preparation, error) {
	p, err := newPreparation(f, s)
	if err != nil {
		return nil, err
	}
	steps := []func() error{
		p.allowed, p.fillable, p.unhidden, p.importPages, p.cover, p.replace, p.strip, p.embed, p.addFields, p.addSignatures, p.attach,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.writePages()
	p.fillCatalog()
	return p, nil
}

// write finishes the revision, certified if seal is not nil.
func (p *preparation) write(b Base, seal *Seal) (Revision, error) {
	if seal == nil || p.signed {
		p.u.put(p.f.RootRef, p.catalog)
		return p.u.revision(b)
	}
	return p.certify(b, *seal)
}

// rehearse writes the revision with a keyless seal and rehearses the steps
// that follow. It then reverts what was written.
func (p *preparation) rehearse(b Base) error {
	before := p.u.mark()
	b.HashState = noHash()
	seal := p.spec.Certify
	if seal != nil {
		seal = keyless()
	}
	r, err := p.write(b, seal)
	if err != nil {
		return err
	}
	p.u.restore(before)
	return rehearsal{f: p.f, spec: p.spec, old: p.old, signed: p.signed}.run(b, r)
}

// A preparation is revision 1 in progress.
type preparation struct {
	f       *File
	u       *update
	spec    PrepareSpec
	old     []document.Field
	prefix  string
	signed  bool
	level   int // DocMDP level of the upload
	catalog dict
	form    dict
	pages   []document.Page
	dicts   map[int]dict  // changed pages, and nodes of their tree, by object number
	annots  map[int]array // their annotations
	taken   map[string]bool
	fields  array // new fields of the form
	cert    ref   // field of the certification
	roles   *verify.Roles
	gone    replacement
}

func newPreparation(f *File, s PrepareSpec) (*preparation, error) {
	u, err := f.update(s.room())
	if err != nil {
		return nil, err
	}
	old := f.Fields()
	p := &preparation{
		f: f, u: u, spec: s, old: old, prefix: prefix(lastRound(old) + 1), level: f.Strictest(),
		signed:  slices.ContainsFunc(old, func(fd document.Field) bool { return fd.Kind == "Sig" && f.Dict(fd.Value) != nil }),
		catalog: f.Catalog().Clone(), form: f.Form().Clone(), pages: slices.Clone(f.Pages()),
		dicts: map[int]dict{}, annots: map[int]array{}, taken: map[string]bool{}, roles: verify.NewRoles(f.File),
	}
	p.u.avoid(p.roles.Missing(), !p.signed)
	p.u.embedFont = s.PlainFont
	p.spec.Timestamp = cmp.Or(s.Timestamp, timestampField)
	return p, f.Fault
}

// allowed returns an error if the upload forbids the request.
func (p *preparation) allowed() error {
	switch {
	case p.f.xfa() == XFADynamic:
		return ErrDynamicXFA
	case !p.signed:
		return nil
	case p.level == 1:
		return fmt.Errorf("%w: certified with no changes allowed", ErrChangesForbidden)
	case p.spec.AppendPages != nil:
		return fmt.Errorf("%w: pages can't be appended to a signed file", ErrChangesForbidden)
	case len(p.spec.Attachments) > 0:
		return fmt.Errorf("%w: files can't be attached to a signed file", ErrChangesForbidden)
	case p.level > 0 && slices.ContainsFunc(p.spec.Fields, func(s FieldSpec) bool { return s.Existing == "" }):
		return fmt.Errorf("%w: certified, so only signature fields can be added", ErrChangesForbidden)
	}
	return nil
}

func (p *preparation) embed() error { return p.u.embed(p.spec.Embed) }

// page returns the page to change and loads its annotations into p.annots.
func (p *preparation) page(n int) (document.Page, dict, error) {
	if n < 0 || n >= len(p.pages) {
		return document.Page{}, nil, fmt.Errorf("%w: there is no page %d", ErrSpec, n)
	}
	page := p.pages[n]
	d := p.dicts[page.Ref.Number]
	if d == nil {
		old := p.f.Dict(page.Ref)
		d = old.Clone()
		p.dicts[page.Ref.Number] = d
		p.annots[page.Ref.Number] = slices.Clone(p.f.Array(old["Annots"]))
	}
	return page, d, nil
}

func (p *preparation) writePages() {
	for _, n := range slices.Sorted(maps.Keys(p.dicts)) {
		d := p.dicts[n]
		delete(d, "Annots")
		if a := p.annots[n]; len(a) > 0 {
			d["Annots"] = a
		}
		p.u.put(ref{Number: n}, d)
	}
}

// certify signs the revision as its author (DocMDP, ISO 32000-2 §12.8.2.2),
// still permitting signatories to sign and to fill in their fields. All other
// fields are locked (FieldMDP, §12.8.2.4).
func (p *preparation) certify(b Base, s Seal) (Revision, error) {
	signature := p.u.reserve()
	d := p.u.hidden(p.prefix+certificationField, p.pages[0])
	d["V"] = signature
	p.u.put(p.cert, d)
	p.catalog["Perms"] = dict{"DocMDP": signature}
	p.u.put(p.f.RootRef, p.catalog)
	sd := signatureDict(s)
	references := array{transform("DocMDP", dict{"P": 2})}
	if rest := p.unowned(); len(rest) > 0 {
		t := transform("FieldMDP", dict{"Action": name("Include"), "Fields": texts(rest)})
		t["Data"] = p.f.RootRef
		references = append(references, t)
	}
	sd["Reference"] = references
	return p.u.seal(b, signature, sd, s.Size, s.Sign)
}

// fillCatalog writes the form and prepares the catalog for all later revisions.
func (p *preparation) fillCatalog() {
	p.fillForm()
	if !p.signed {
		delete(p.catalog, "NeedsRendering")
		delete(p.catalog, "Perms") // usage rights do not survive a change
	}
	p.prepareStore()
	extensions := p.f.Dict(p.catalog["Extensions"]).Clone()
	extensions["ESIC"] = dict{"BaseVersion": name("1.7"), "ExtensionLevel": 5}
	if extensions["ADBE"] == nil {
		extensions["ADBE"] = dict{"BaseVersion": name("1.7"), "ExtensionLevel": 8}
	}
	p.catalog["Extensions"] = extensions
	if p.catalog["Lang"] == nil && p.spec.Language != "" && !p.signed {
		p.catalog["Lang"] = object.TextString(p.spec.Language)
	}
	p.setTitle()
}

// prepareStore makes room for validation data. Without signatures, existing
// validation data is meaningless.
func (p *preparation) prepareStore() {
	if !p.signed {
		p.catalog["DSS"] = p.u.Add(dict{"Type": name("DSS")})
		return
	}
	if r, ok := p.f.storeRef(); !ok || !p.roles.Alone(r, verify.KindStore) {
		p.catalog["DSS"] = p.u.Add(p.f.storeEntries())
	}
}

func (p *preparation) fillForm() {
	f := p.form
	f["Fields"] = slices.Concat(p.f.Array(f["Fields"]), p.fields)
	f["SigFlags"] = 3 // signatures exist, append only
	if !p.signed {
		delete(f, "NeedAppearances")
		delete(f, "XFA")
	}
	if p.u.font != (ref{}) {
		resources := p.f.Dict(f["DR"]).Clone()
		fonts := p.f.Dict(resources["Font"]).Clone()
		fonts[plainName] = p.u.font
		resources["Font"] = fonts
		f["DR"] = resources
		if f["DA"] == nil {
			f["DA"] = object.String("/" + plainName + " 0 Tf 0 g")
		}
	}
	r, ok := p.catalog["AcroForm"].(ref)
	if !ok || !p.roles.Alone(r, verify.KindForm) {
		r = p.u.reserve()
		p.catalog["AcroForm"] = r
	}
	p.u.put(r, f)
}

// setTitle sets the title of a file that has none, unless its metadata stream
// would then contradict it.
func (p *preparation) setTitle() {
	info := p.f.Dict(p.f.Trailer["Info"])
	if p.spec.Title == "" || p.signed || info["Title"] != nil || p.catalog["Metadata"] != nil {
		return
	}
	own := p.roles.Alone(p.f.Trailer["Info"], verify.KindInfo)
	info = info.Clone()
	if !own { // values other than plain ones belong to the object's other roles
		maps.DeleteFunc(info, func(_ name, v any) bool { return compound(p.f.Resolve(v)) })
	}
	info["Title"] = object.TextString(p.spec.Title)
	if r, ok := p.f.Trailer["Info"].(ref); ok && own {
		p.u.put(r, info)
		return
	}
	p.u.trailer["Info"] = p.u.Add(info)
}

// compound reports whether a value consists of others.
func compound(v any) bool {
	switch v.(type) {
	case dict, array, *reader.Stream:
		return true
	}
	return false
}
