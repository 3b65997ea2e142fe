package api

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	json "github.com/goccy/go-json"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
)

// Schema describes the possible values of a field.
func (fieldValue) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}}
}

func unquote(b []byte) (s string, err error) { return s, json.Unmarshal(b, &s) }

// fieldBody is a field as it is sent: where it lies, what it depends on, and its properties.
type fieldBody struct {
	ID           string         `json:"id,omitempty" doc:"ID of an existing field to keep"`
	FileID       *string        `json:"file_id,omitempty" doc:"In a one-shot request, also the position of the file, starting at 0"`
	InvitationID *string        `json:"invitation_id,omitempty" doc:"In a one-shot request, also the position of the invitation or its e-mail address"`
	Page         *int           `json:"page,omitempty" doc:"Starts at 1"`
	Pages        string         `json:"pages,omitempty" doc:"Instead of page, for a new field on each of these pages: numbers and ranges such as 1,3-5,8-, first, last, or all"`
	X            *float64       `json:"x,omitempty" doc:"Left edge, as a fraction of the page width, or in unit and from origin"`
	Y            *float64       `json:"y,omitempty" doc:"Top edge, as a fraction of the page height, or in unit and from origin"`
	Width        *float64       `json:"width,omitempty" doc:"As a fraction of the page, or in unit"`
	Height       *float64       `json:"height,omitempty" doc:"As a fraction of the page, or in unit"`
	Unit         string         `json:"unit,omitempty" enum:"fraction,pt,mm" doc:"Unit of x, y, width and height: fraction of the page (the default), pt (72 an inch) or mm. Answers have fractions"`
	Origin       string         `json:"origin,omitempty" enum:"top_left,top_right,bottom_left,bottom_right" doc:"Corner of the page that x and y are measured from, to the same corner of the field; top_left by default"`
	Formula      *string        `json:"formula,omitempty" doc:"Computes the value of a text, number or date from other fields, such as round(net * (1 + vat / 100), 2); at most 1000 characters and 200 parts. The field is then read-only, and required only if that is said. See the description of replacing all fields"`
	Condition    *conditionBody `json:"condition,omitempty" doc:"Shows or requires the field only if other fields have certain values. What is sent for a field that is not shown is ignored, and nothing is drawn. An empty list of comparisons removes it. Not for signatures"`
	Anchor       *anchorBody    `json:"anchor,omitempty" doc:"Places the field by a phrase of the file; width and height are then optional, page, x and y ignored"`
	Covered      *[]areaView    `json:"covered,omitempty" doc:"Parts of the file's pages that are painted white when the document is sent, such as a text tag; text in them is removed, so that the sent file no longer has it to search or copy"`
	properties   record.FieldInput
}

// TransformSchema adds the properties.
func (fieldBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return addProperties(s, false)
}

// UnmarshalJSON reads the properties as well.
func (b *fieldBody) UnmarshalJSON(text []byte) error {
	type plain fieldBody
	if err := json.Unmarshal(text, (*plain)(b)); err != nil {
		return err
	}
	return readProperties(text, &b.properties)
}

func (b *fieldBody) input() record.FieldInput {
	in := b.properties
	in.ID, in.File, in.Invitation, in.Page = idOr(b.ID), idPointer(b.FileID), idPointer(b.InvitationID), b.Page
	in.Pages, in.Unit, in.Origin = b.Pages, b.Unit, b.Origin
	in.X, in.Y, in.Width, in.Height, in.Formula = b.X, b.Y, b.Width, b.Height, b.Formula
	if b.Condition != nil {
		in.Condition = b.Condition.condition()
	}
	if b.Anchor != nil {
		in.Anchor = b.Anchor.anchor()
	}
	if b.Covered != nil {
		covered := make([]detect.Area, len(*b.Covered))
		for i, a := range *b.Covered {
			covered[i] = detect.Area(a)
		}
		in.Covered = &covered
	}
	return in
}

type conditionBody struct {
	Then  string     `json:"then,omitempty" enum:"show,require" doc:"show by default"`
	Match string     `json:"match,omitempty" enum:"all,any" doc:"all by default"`
	When  []testBody `json:"when,omitempty" doc:"Comparisons, at most 20"`
}

type testBody struct {
	Field string      `json:"field" doc:"Name of a field, or of a group of radio buttons: of the same recipient, of one who signs earlier, or read-only"`
	Op    string      `json:"op" enum:"equals,not_equals,filled,empty,contains,greater,less" doc:"equals, not_equals, filled, empty, contains (texts), greater or less (numbers and dates)"`
	Value *fieldValue `json:"value,omitempty" doc:"What to compare with: upper and lower case differ; of a group, the label or else the name of a button"`
}

func (b *conditionBody) condition() *record.Condition {
	out := &record.Condition{Then: b.Then, Match: b.Match}
	for _, t := range b.When {
		test := record.Test{Field: t.Field, Op: t.Op}
		if t.Value != nil {
			test.Value = t.Value.text
		}
		out.When = append(out.When, test)
	}
	return out
}

type anchorBody struct {
	Text       string  `json:"text,omitempty" doc:"The phrase; upper and lower case are the same, and a line break is a space"`
	Occurrence *int    `json:"occurrence,omitempty" doc:"Which occurrence in the file; 1 by default"`
	Position   string  `json:"position,omitempty" enum:"at,above,below,beside" doc:"at (the beginning of the phrase, the default), above, below or beside (after its end)"`
	OffsetX    float64 `json:"offset_x,omitempty" doc:"To the right, in points"`
	OffsetY    float64 `json:"offset_y,omitempty" doc:"Down, in points"`
	Cover      bool    `json:"cover,omitempty" doc:"Paint the phrase white when the document is sent"`
}

func (b *anchorBody) anchor() *detect.Anchor {
	a := &detect.Anchor{Text: b.Text, Occurrence: 1, Position: cmp.Or(b.Position, "at"), X: b.OffsetX, Y: b.OffsetY,
		Cover: b.Cover}
	if b.Occurrence != nil {
		a.Occurrence = *b.Occurrence
	}
	return a
}

func idPointer(v *string) *string {
	if v == nil {
		return nil
	}
	id := idOr(*v)
	return &id
}

type fieldsBody struct {
	Fields []fieldBody `json:"fields" doc:"All fields; any that are missing here are removed"`
}

// fieldHandlers serves the fields of documents.
type fieldHandlers struct {
	drafts *signing.Drafts

	maxBody int64 // of JSON, bytes
}

func (h *fieldHandlers) routes(s *server) {
	const base = "/documents/{document}/fields"
	handle(s, operation{method: http.MethodGet, path: base, rule: shared(account.ScopeRead), id: "listFields", summary: "List the fields of a document", tag: "Fields", query: pageParameters, list: true}, h.listFields)
	handle(s, operation{method: http.MethodPut, path: base, rule: may(account.ScopeWrite).With(h.maxBody), id: "replaceFields", summary: "Replace all fields of a draft", tag: "Fields"}, h.replaceFields)
	handle(s, operation{method: http.MethodPost, path: base, rule: may(account.ScopeWrite).With(h.maxBody), id: "addFields", summary: "Add fields to a draft", tag: "Fields", status: http.StatusCreated}, h.addFields)
	handle(s, operation{method: http.MethodPost, path: base + "/detect", rule: may(account.ScopeWrite).Interruptible(), id: "detectFields", summary: "Find places that need a field", tag: "Fields"}, h.detectFields)
	handle(s, operation{method: http.MethodGet, path: base + "/{field}", rule: shared(account.ScopeRead), id: "getField", summary: "Get a field", tag: "Fields"}, h.getField)
	handle(s, operation{method: http.MethodPatch, path: base + "/{field}", rule: may(account.ScopeWrite), id: "updateField", summary: "Change a field of a draft", tag: "Fields"}, h.updateField)
	handle(s, operation{method: http.MethodDelete, path: base + "/{field}", rule: may(account.ScopeWrite), id: "deleteField", summary: "Remove a field from a draft", tag: "Fields"}, h.deleteField)
}

func (h *fieldHandlers) listFields(r *request, _ *nothing) (envelope[fieldView], error) {
	d, err := r.load()
	if err != nil {
		return envelope[fieldView]{}, err
	}
	return slice(r, r.viewFields(d))
}

func (r *request) allFields(d *record.Document, err error) (all[fieldView], error) {
	if err != nil {
		return all[fieldView]{}, err
	}
	r.version(d)
	return all[fieldView]{Data: r.viewFields(d)}, nil
}

func inputs(in []fieldBody) []record.FieldInput {
	out := make([]record.FieldInput, 0, len(in))
	for i := range in {
		out = append(out, in[i].input())
	}
	return out
}

func (h *fieldHandlers) replaceFields(r *request, in *fieldsBody) (all[fieldView], error) {
	id, err := r.document()
	if err != nil {
		return all[fieldView]{}, err
	}
	return r.allFields(h.drafts.ReplaceFields(r.UserContext(), r.call(), id, inputs(in.Fields)))
}

func (h *fieldHandlers) addFields(r *request, in *fieldsBody) (all[fieldView], error) {
	id, err := r.document()
	if err != nil {
		return all[fieldView]{}, err
	}
	return r.allFields(h.drafts.AddFields(r.UserContext(), r.call(), id, inputs(in.Fields)))
}

type detectBody struct {
	FileID        string   `json:"file_id,omitempty" doc:"Search only this file"`
	Sources       []string `json:"sources,omitempty" enum:"form,tag,line,box" doc:"What to search for: form (fields of the file's own form), tag (text tags), line (lines to write on), box (boxes to tick); all by default"`
	MinConfidence float64  `json:"min_confidence,omitempty" doc:"Between 0 and 1"`
}

func (h *fieldHandlers) detectFields(r *request, in *detectBody) (all[suggestionView], error) {
	id, err := r.document()
	if err != nil {
		return all[suggestionView]{}, err
	}
	found, err := h.drafts.Detect(r.UserContext(), r.who, id,
		signing.DetectInput{File: idOr(in.FileID), Sources: in.Sources, Confidence: in.MinConfidence})
	if err != nil {
		return all[suggestionView]{}, err
	}
	return all[suggestionView]{Data: views(found, viewSuggestion)}, nil
}

// fieldsFor lists the fields of a document that the caller may know: a signatory what the signing
// page tells about those that they are asked for. How values are computed is for the team.
func fieldsFor(who account.Call, d *record.Document) (out []*record.Field) {
	if !who.IsSignatory() {
		for i := range d.Fields {
			out = append(out, &d.Fields[i])
		}
		return out
	}
	rules := record.RulesFor(d, who.Invitation, nil, time.Time{})
	for _, part := range record.AskedOf(d, d.Invitation(who.Invitation)) {
		for _, x := range rules.Told(part.Fields) {
			told := *x
			told.Formula, told.Invitation = "", part.Of.ID // it may name another one of their group
			out = append(out, &told)
		}
	}
	return out
}

// otherFieldView is a field of somebody else, as a recipient is shown it: where something of others is
// or will be, under the label that people see.
type otherFieldView struct {
	FileID       string  `json:"file_id"`
	InvitationID string  `json:"invitation_id"`
	Type         string  `json:"type"`
	Label        *string `json:"label"`
	Page         int     `json:"page"`
	X            float64 `json:"x"`
	Y            float64 `json:"y"`
	Width        float64 `json:"width"`
	Height       float64 `json:"height"`
	FilledIn     bool    `json:"filled_in"`
}

// othersFor lists the fields of other people that a signatory is shown.
func othersFor(who account.Call, d *record.Document) []otherFieldView {
	out := []otherFieldView{}
	inv := d.Invitation(who.Invitation)
	if !who.IsSignatory() || inv == nil {
		return out
	}
	for _, x := range d.OthersFields(inv) {
		out = append(out, otherFieldView{FileID: x.File, InvitationID: x.Invitation, Type: string(x.Type), Label: orNull(x.Label),
			Page: x.Page, X: x.X, Y: x.Y, Width: x.Width, Height: x.Height, FilledIn: d.Entered(x)})
	}
	return out
}

func (r *request) showField(d *record.Document, id string) (fieldView, error) {
	all := fieldsFor(r.who, d)
	i := slices.IndexFunc(all, func(x *record.Field) bool { return x.ID == id })
	if i < 0 {
		return fieldView{}, fault.NotFound("field")
	}
	r.version(d)
	return viewField(d, all[i]), nil
}

func (h *fieldHandlers) getField(r *request, _ *nothing) (fieldView, error) {
	id, err := r.id("field")
	if err != nil {
		return fieldView{}, err
	}
	d, err := r.load()
	if err != nil {
		return fieldView{}, err
	}
	return r.showField(d, id)
}

func (h *fieldHandlers) updateField(r *request, in *fieldBody) (fieldView, error) {
	document, id, err := r.within("field")
	if err != nil {
		return fieldView{}, err
	}
	d, err := h.drafts.UpdateField(r.UserContext(), r.call(), document, id, in.input())
	if err != nil {
		return fieldView{}, err
	}
	return r.showField(d, id)
}

func (h *fieldHandlers) deleteField(r *request, _ *nothing) (nothing, error) {
	document, id, err := r.within("field")
	if err != nil {
		return nothing{}, err
	}
	_, err = h.drafts.RemoveField(r.call(), document, id)
	return nothing{}, err
}

type savedFieldView struct {
	ID        string        `json:"id"`
	Name      string        `json:"name" doc:"What members call it"`
	Field     fieldSettings `json:"field" doc:"Can be sent as a field of a document, with its recipient and place"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	UpdatedAt string        `json:"updated_at" format:"date-time"`
}

func viewSavedField(x signing.SavedField) savedFieldView {
	return savedFieldView{
		ID: x.ID, Name: x.Name, Field: fieldSettings{x.Field.Width, x.Field.Height, &x.Field},
		CreatedAt: when(x.CreatedAt), UpdatedAt: when(x.UpdatedAt),
	}
}

type savedFieldBody struct {
	Name  *string    `json:"name,omitempty" doc:"What members call it: up to 255 characters, once in a company"`
	Field *fieldBody `json:"field,omitempty" doc:"As in a document, but without a recipient and a place, and without what depends on other fields or a file: condition, formula, anchor and covered"`
}

func (b *savedFieldBody) input() signing.SavedFieldInput {
	in := signing.SavedFieldInput{Name: b.Name}
	if b.Field != nil {
		field := b.Field.input()
		in.Field = &field
	}
	return in
}

// savedFieldHandlers serves the saved fields of a company.
type savedFieldHandlers struct {
	drafts *signing.Drafts
}

func (h *savedFieldHandlers) routes(s *server) {
	const base, one = "/saved-fields", "/saved-fields/{saved_field}"
	handle(s, operation{method: http.MethodGet, path: base, rule: may(account.ScopeRead), id: "listSavedFields", summary: "List saved fields", tag: "Saved fields", query: pageParameters, list: true}, func(r *request, _ *nothing) (envelope[savedFieldView], error) {
		all, err := h.drafts.ListSavedFields(r.who)
		if err != nil {
			return envelope[savedFieldView]{}, err
		}
		return slice(r, views(all, viewSavedField))
	})
	handle(s, operation{method: http.MethodPost, path: base, rule: may(account.ScopeWrite), id: "createSavedField", needs: []string{"name", "field"}, summary: "Save a field", tag: "Saved fields", status: http.StatusCreated}, func(r *request, in *savedFieldBody) (savedFieldView, error) {
		x, err := h.drafts.CreateSavedField(r.who, in.input())
		return viewSavedField(x), err
	})
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeRead), id: "getSavedField", summary: "Get a saved field", tag: "Saved fields"}, func(r *request, _ *nothing) (savedFieldView, error) {
		return h.one(r, func(id string) (signing.SavedField, error) { return h.drafts.GetSavedField(r.who, id) })
	})
	handle(s, operation{method: http.MethodPatch, path: one, rule: may(account.ScopeWrite), id: "updateSavedField", summary: "Change a saved field", tag: "Saved fields"}, func(r *request, in *savedFieldBody) (savedFieldView, error) {
		return h.one(r, func(id string) (signing.SavedField, error) {
			return h.drafts.UpdateSavedField(r.who, id, in.input())
		})
	})
	handle(s, operation{method: http.MethodDelete, path: one, rule: may(account.ScopeWrite), id: "deleteSavedField", summary: "Delete a saved field", tag: "Saved fields"}, func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id("saved_field")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.drafts.DeleteSavedField(r.who, id)
	})
}

// one performs an operation on the saved field in the path.
func (h *savedFieldHandlers) one(r *request, do func(id string) (signing.SavedField, error)) (savedFieldView, error) {
	id, err := r.id("saved_field")
	if err != nil {
		return savedFieldView{}, err
	}
	x, err := do(id)
	return viewSavedField(x), err
}
