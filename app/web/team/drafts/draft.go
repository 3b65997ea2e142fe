package drafts

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// Form are the handlers of the first step, whose form every button stores.
type Form struct{ *Handlers }

// draftPage is the first step of preparing a document: its files, recipients and message. All of
// it is one form, so that each of its buttons stores what was entered anywhere.
type draftPage struct {
	people
	ID, Base         string // ID and path of the document, "" for a new one
	Title            string // "" if it has none yet
	Subject, Message string
	Limit            int64
	Files            []fileRow
	Mergeable        bool // there are several files whose pages can be joined
	Uploads          []uploadRow
	Steps            []step
}

// ShowNew serves the first step of a new document.
func (h Form) ShowNew(r *page.Request) error {
	if err := r.Who.Call.Require(account.ScopeWrite); err != nil {
		return err
	}
	return h.showDraft(r, nil, nil, http.StatusOK, page.Page{})
}

// ShowDraft serves the first step of a draft.
func (h Form) ShowDraft(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != record.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return h.showDraft(r, d, peopleRows(d), http.StatusOK, page.Page{})
}

// ShowPeople leads to the recipients, which had a page of their own.
func (h Form) ShowPeople(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	return r.SeeOther(at(d.ID, stepFiles) + "#people")
}

// showDraft shows the form of a draft, or of a new document (nil). The values and faults are in p.
func (h Form) showDraft(r *page.Request, d *record.Document, rows []personRow, status int, p page.Page) error {
	p.Title, p.Scripts = r.Say("nav.new"), []string{"people.js", "files.js"}
	data := draftPage{Limit: h.MaxUpload, Steps: steps(r, "", stepFiles)}
	if d == nil {
		d = &record.Document{}
	} else if err := h.showStored(r, d, &data); err != nil {
		return err
	}
	if d.Template {
		p.Title = d.Title
	}
	var err error
	if data.people, err = h.peopleOf(r, d, rows, p); err != nil {
		return err
	}
	return draftTemplate.Render(r, status, page.With(p, data))
}

// showStored sets what the page shows about a stored document, except its recipients.
func (h Form) showStored(r *page.Request, d *record.Document, data *draftPage) error {
	uploads, err := h.Drafts.UnfinishedUploads(r.Who.Call, d.ID)
	if err != nil {
		return err
	}
	data.ID, data.Base, data.Title, data.Steps = d.ID, "/app/documents/"+d.ID, d.Title, storing(steps(r, d.ID, stepFiles))
	if d.Title == record.Untitled || d.Title == r.Say("template.untitled") {
		data.Title = ""
	}
	data.Subject, data.Message, data.Files = d.Subject, d.Message, h.fileRows(r, d)
	joined := 0
	for _, f := range data.Files {
		if f.Arrangeable {
			joined++
		}
	}
	data.Mergeable = joined > 1
	for _, u := range uploads {
		data.Uploads = append(data.Uploads, uploadRow{u, int(100 * u.Received / u.Size)})
	}
	return nil
}

// entered reports whether a form says anything about a new document.
func entered(r *page.Request) bool {
	texts := r.Form.Value("title") + r.Form.Value("subject") + r.Form.Value("message")
	return strings.TrimSpace(texts) != "" || len(submittedPeople(r)) > 0 || r.Form.Value("do") == "me"
}

// SaveDraft stores the form and performs the action of its button.
func (h Form) SaveDraft(r *page.Request) error { return h.withFiles(r, h.proceed) }

// withForm stores what a form says, and calls a handler with the draft as it is then. Forms of
// scripts contain only what their action needs.
func (h Form) withForm(r *page.Request, do func(r *page.Request, d *record.Document) error) error {
	return h.withFiles(r, func(r *page.Request, d *record.Document, _ *received) error { return do(r, d) })
}

// withFiles is withForm for a handler that says what became of the files.
func (h Form) withFiles(
	r *page.Request, do func(r *page.Request, d *record.Document, all *received) error,
) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
	if err := h.take(r, d.ID, all, all.uploads); err != nil {
		return err
	}
	return h.store(r, d.ID, func(r *page.Request, d *record.Document) error { return do(r, d, all) })
}

// store stores the texts, names of files, and recipients in a form, and calls a handler with the
// draft as it is then. If something is refused, it shows the form with all that was entered.
func (h Form) store(r *page.Request, id string, do func(r *page.Request, d *record.Document) error) error {
	d, err := h.Drafts.Get(r.Who.Call, id)
	if err != nil {
		return err
	}
	if !r.Form.Has("rows") {
		return do(r, d)
	}
	faults := map[string][]string{}
	for _, store := range []func(*page.Request, *record.Document) error{h.saveTexts, h.saveNames} {
		err := store(r, d)
		if err != nil && fault.KindOf(err) != fault.KindInvalid {
			return err
		}
		if err != nil {
			maps.Copy(faults, r.FailureOf(err).Faults)
		}
	}
	if order := r.Form.Value("signing_order"); order == record.Parallel || order == record.Sequential {
		d.SigningOrder = order
	}
	rows, refused, err := h.savePeople(r, d)
	if err != nil {
		return err
	}
	maps.Copy(faults, refused)
	if d, err = h.Drafts.Get(r.Who.Call, id); err != nil {
		return err
	}
	if len(faults) > 0 {
		return h.showDraft(r, d, rows, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: faults})
	}
	return do(r, d)
}

// saveTexts stores the title, the message and the order of signing. A document without a title gets
// that of its first file.
func (h Form) saveTexts(r *page.Request, d *record.Document) error {
	var in record.DocumentInput
	changed := false
	set := func(to **string, name, now string) {
		if text := r.Form.Value(name); r.Form.Has(name) && text != now {
			*to, changed = &text, true
		}
	}
	set(&in.Subject, "subject", d.Subject)
	set(&in.Message, "message", d.Message)
	set(&in.SigningOrder, "signing_order", d.SigningOrder)
	if strings.TrimSpace(r.Form.Value("title")) != "" {
		set(&in.Title, "title", d.Title)
	} else if r.Form.Has("title") && len(d.Files) > 0 {
		in.Title, changed = new(titleOr("", d.Files[0].Name)), true
	}
	if !changed {
		return nil
	}
	_, err := h.Drafts.Update(r.Who.Call, d.ID, in)
	return err
}

// saveNames stores the names of the files.
func (h Form) saveNames(r *page.Request, d *record.Document) error {
	var faults fault.Fields
	for i := range d.Files {
		f := &d.Files[i]
		field := "name-" + f.ID
		if !r.Form.Has(field) || r.Form.Value(field) == f.Name {
			continue
		}
		in := signing.FileInput{Name: new(r.Form.Value(field))}
		_, err := h.Drafts.UpdateFile(r.Who.Call, d.ID, f.ID, in)
		if err != nil && fault.KindOf(err) != fault.KindInvalid {
			return err
		}
		faults.Keep(fault.FieldsOf(page.RenameFaults(err, func(string) string { return field }))...)
	}
	return faults.Err()
}

// proceed performs the action of a button and redirects.
func (h Form) proceed(r *page.Request, d *record.Document, all *received) error {
	do, _, _ := strings.Cut(r.Form.Value("do"), ".")
	forward := do == stepFields || do == stepReview
	if len(all.failed) > 0 {
		r.Flash("warn", "files.failed", "why", shorten(strings.Join(all.failed, " "), 900))
		return r.SeeOther(at(d.ID, stepFiles))
	}
	if forward && len(all.uploads) > 0 && warned(d) {
		r.Flash("info", "files.look")
		return r.SeeOther(at(d.ID, stepFiles))
	}
	if forward && len(d.Files) == 0 {
		p := page.Page{Values: r.Form, Faults: map[string][]string{"files": {r.Say("files.none")}}}
		return h.showDraft(r, d, peopleRows(d), http.StatusUnprocessableEntity, p)
	}
	switch do {
	case stepFields, stepReview:
		return r.SeeOther(at(d.ID, do))
	case "save":
		r.Flash("ok", "create.saved")
		return r.SeeOther(at(d.ID, stepFiles))
	case "add":
		return r.SeeOther(at(d.ID, stepFiles) + "?add=1#new")
	case "detect":
		if err := h.detect(r, d.ID); err != nil {
			return err
		}
	case "me", "several", "up", "down", "remove":
	default:
		return r.SeeOther(at(d.ID, stepFiles))
	}
	return r.SeeOther(at(d.ID, stepFiles) + "#people")
}

// warned reports whether a file of a draft has a note that should be read.
func warned(d *record.Document) bool {
	for i := range d.Files {
		for _, x := range d.Files[i].Findings {
			if x.Severity == record.SeverityWarning {
				return true
			}
		}
	}
	return false
}

// detect adds the fields found in the files, and says how many there are.
func (h Form) detect(r *page.Request, id string) error {
	_, added, nobody, err := h.Drafts.AddDetected(r.UserContext(), r.Who.Call, id)
	switch {
	case err != nil:
		return err
	case added == 0 && nobody == 0:
		r.Flash("info", "people.found.none")
	case nobody > 0:
		r.Flash("warn", "people.found.some", "added", strconv.Itoa(added), "nobody", strconv.Itoa(nobody))
	default:
		r.Flash("ok", "people.found", "added", strconv.Itoa(added))
	}
	return nil
}
