package editor

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
)

// editorPalette lists the field types in display order.
var editorPalette = []pdf.FieldType{
	pdf.FieldSignature, pdf.FieldInitials, pdf.FieldDateSigned, pdf.FieldName, pdf.FieldEmail,
	pdf.FieldCompany, pdf.FieldJobTitle, pdf.FieldPhone, pdf.FieldText, pdf.FieldNumber, pdf.FieldDate,
	pdf.FieldCheckbox,
	pdf.FieldRadio, pdf.FieldSelect, pdf.FieldAttachment, pdf.FieldImage, pdf.FieldStamp,
	pdf.FieldLabel, pdf.FieldStrikethrough,
}

// editorPageData is the data of the editor page.
type editorPageData struct {
	*record.Document
	Base    string
	Sheets  []editorSheet
	State   editorState
	Types   []page.Option
	Locales []page.Option
	Marks   []page.Option // allowed types of signatures
	Checks  []page.Option // ways for recipients to prove their identity
	Why     string        // reason why it can't be edited; "" if it can
	Me      page.Member
}

// editing loads the document in the address.
func (h *Handlers) editing(r *page.Request) (*record.Document, error) {
	return h.Drafts.Get(r.Who.Call, r.Params("id"))
}

// whyNot returns the reason why the reader can't edit a document, "" if they can.
func whyNot(r *page.Request, d *record.Document) string {
	if err := r.Who.Call.Require(account.ScopeWrite); err != nil {
		return r.Say("edit.readonly.role")
	}
	if err := d.Editable(); err != nil {
		return r.Explain(r.FailureOf(err))
	}
	return ""
}

// Show serves the editor, or says why the reader can't edit.
func (h *Handlers) Show(r *page.Request) error {
	d, err := h.editing(r)
	if err != nil {
		return err
	}
	data := editorPageData{Document: d, Base: "/app/documents/" + d.ID, Sheets: sheetsOf(r, d), Why: whyNot(r, d), Me: r.Who}
	p := page.Page{Title: r.Say("edit.title", "title", d.Title), Styles: sheetSizes(data.Sheets)}
	if data.Why == "" {
		data.State = h.stateOf(r, d)
		if data.State.Saved, err = h.savedFields(r); err != nil {
			return err
		}
		data.Types, data.Marks = fieldTypes(r, ""), page.SignatureTypeOptions(r, nil)
		data.Locales, data.Checks = mailLanguages(r), checks(r, h.Mails())
		p.Scripts = []string{"editor/main.js"}
	}
	return editorTemplate.Render(r, http.StatusOK, page.With(p, data))
}

// mailLanguages returns the languages that mail can be sent in, the document's own
// first.
func mailLanguages(r *page.Request) []page.Option {
	return append([]page.Option{{Label: r.Say("edit.locale.")}}, r.LanguageOptions("")...)
}

// checks returns the ways for recipients to prove their identity. Codes by e-mail need
// a mail server.
func checks(r *page.Request, mails bool) (out []page.Option) {
	for _, c := range []string{record.ByLink, record.ByEmailCode, record.ByAccessCode} {
		out = append(out, page.Option{Value: c, Label: r.Say("edit.check." + c)})
	}
	if !mails {
		out[1].Label, out[1].Disabled = r.Say("edit.check.email_code.nomail"), true
	}
	return out
}

// fieldTypes returns the field types as options.
func fieldTypes(r *page.Request, chosen string) []page.Option {
	var out []page.Option
	for _, t := range editorPalette {
		out = append(out, page.Option{Value: string(t), Label: r.Say("edit.type." + string(t)), Selected: string(t) == chosen})
	}
	return out
}

// savedFields is the response to a saved set of fields.
type savedFields struct {
	Version int64    `json:"version"`
	IDs     []string `json:"ids"` // of the fields, in the order submitted
	At      string   `json:"at"`
	// Kept holds, by index, the fields that the server changed.
	Kept     map[int]editorField `json:"kept,omitempty"`
	Problems []editorProblem     `json:"problems"`
}

// editorConflict is the response to a change based on an outdated version: who has
// changed the document since, and its current state.
type editorConflict struct {
	Message string      `json:"message"`
	By      string      `json:"by"`
	At      string      `json:"at"`
	State   editorState `json:"state"`
}

// readFields decodes a list of fields, and stops as soon as there are too many: each takes
// hundreds of times the memory of the text "{},".
func readFields(text string, most int) (fields []editorField, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return nil, fault.Malformed("fields_unreadable").Because(err)
	}
	for d.More() {
		if len(fields) == most {
			var f fault.Fields
			f.TooMany("fields", most)
			return nil, f.Err()
		}
		var x editorField
		if err := d.Decode(&x); err != nil {
			return nil, fault.Malformed("fields_unreadable").Because(err)
		}
		fields = append(fields, x)
	}
	if _, err := d.Token(); err != nil {
		return nil, fault.Malformed("fields_unreadable").Because(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.Malformed("fields_unreadable").Because(err)
	}
	return fields, nil
}

// SaveFields stores the complete set of fields sent by the script.
func (h *Handlers) SaveFields(r *page.Request) error {
	fields, err := readFields(r.Form.Value("fields"), h.Limits.Fields)
	if err != nil {
		return err
	}
	in, by := make([]record.FieldInput, 0, len(fields)), h.pen(r)
	for i := range fields {
		x, unread := by.input(&fields[i])
		if len(unread) > 0 {
			return fault.Malformed("fields_unreadable")
		}
		in = append(in, x)
	}
	version, err := seenVersion(r)
	if err != nil {
		return err
	}
	d, err := h.Drafts.ReplaceFields(r.UserContext(), r.Who.Call.At(version), r.Params("id"), in)
	if err != nil {
		return h.respondConflict(r, err)
	}
	out := savedFields{
		Version:  d.Version,
		IDs:      []string{},
		At:       formatTime(d.UpdatedAt),
		Kept:     map[int]editorField{},
		Problems: h.problemsOf(r, d),
	}
	for i := range d.Fields {
		kept := by.field(&d.Fields[i])
		out.IDs, fields[i].ID, fields[i].Found = append(out.IDs, kept.ID), kept.ID, nil
		if !kept.same(fields[i]) {
			out.Kept[i] = kept
		}
	}
	return r.JSON(out)
}

// suggestedFields is the response to a search for places that need a field.
type suggestedFields struct {
	Fields []editorField `json:"fields"`
}

// Detect finds places that need a field. It has no side effects, but is a POST because
// it can take a while.
func (h *Handlers) Detect(r *page.Request) error {
	found, err := h.Drafts.Detect(r.UserContext(), r.Who.Call, r.Params("id"), signing.DetectInput{Confidence: signing.Surely})
	if err != nil {
		return err
	}
	out := suggestedFields{Fields: []editorField{}}
	for i := range found {
		out.Fields = append(out.Fields, h.pen(r).suggested(&found[i]))
	}
	return r.JSON(out)
}

// suggested returns a suggestion as a field that is not stored yet.
func (p pen) suggested(x *signing.Suggestion) editorField {
	field := x.AsField()
	out := p.field(&field)
	out.File, out.Invitation = x.File, x.Invitation
	if len(x.Covers) > 0 || x.Anchor != nil {
		out.Found = &editorFound{x.Page, x.X, x.Y, x.Width, x.Height, x.Covers, x.Anchor}
	}
	return out
}

// editorLines are the positions of the text on a page, as fractions of it.
type editorLines struct {
	File string    `json:"file"`
	Page int       `json:"page"` // from 1
	X    []float64 `json:"x"`
	Y    []float64 `json:"y"`
}

// ShowLines responds to the script with the positions of the text on the pages, for fields to snap to.
func (h *Handlers) ShowLines(r *page.Request) error {
	pages, err := h.Drafts.Edges(r.UserContext(), r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	out := []editorLines{}
	for _, p := range pages {
		out = append(out, editorLines(p))
	}
	return r.JSON(map[string][]editorLines{"pages": out})
}

// seenVersion returns the version of the document that the change is based on.
func seenVersion(r *page.Request) (int64, error) {
	version, err := strconv.ParseInt(r.Form.Value("version"), 10, 64)
	if err != nil {
		return 0, fault.Malformed("version_missing").Because(err)
	}
	return version, nil
}

// respondConflict responds to the script with a concurrent change. Any other error is
// returned.
func (h *Handlers) respondConflict(r *page.Request, err error) error {
	if fault.KindOf(err) != fault.KindPreconditionFailed {
		return err
	}
	d, failed := h.editing(r)
	if failed != nil {
		return failed
	}
	by, at, failed := h.lastChange(r, d.ID)
	if failed != nil {
		return failed
	}
	return r.Status(http.StatusConflict).JSON(editorConflict{Message: r.Say("edit.overtaken", "name", by), By: by, At: at, State: h.stateOf(r, d)})
}

// lastChange returns who last changed a document, and when.
func (h *Handlers) lastChange(r *page.Request, id string) (by, at string, err error) {
	q := trail.EventsQuery{Page: 1, PerPage: 1, Descending: true}
	events, _, err := h.Trail.Events(r.Who.Call, id, q)
	if err != nil || len(events) == 0 {
		return "", "", err
	}
	return events[0].Value.ActorName, formatTime(events[0].At), nil
}
