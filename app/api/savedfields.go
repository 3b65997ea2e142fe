package api

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/signing"
)

type savedFieldView struct {
	ID        string        `json:"id"`
	Name      string        `json:"name" doc:"What members call it"`
	Field     fieldSettings `json:"field" doc:"Can be sent as a field of a document, with its recipient and place"`
	CreatedAt string        `json:"created_at" format:"date-time"`
	UpdatedAt string        `json:"updated_at" format:"date-time"`
}

// fieldSettings are those of a field that do not depend on a document.
type fieldSettings struct {
	Type           string    `json:"type"`
	Name           *string   `json:"name"`
	Label          *string   `json:"label"`
	Width          float64   `json:"width" doc:"Fraction of the page"`
	Height         float64   `json:"height" doc:"Fraction of the page"`
	Required       bool      `json:"required"`
	ReadOnly       bool      `json:"read_only"`
	Value          *string   `json:"value"`
	Options        []string  `json:"options"`
	Min            limitView `json:"min"`
	Max            limitView `json:"max"`
	Pattern        *string   `json:"pattern"`
	PatternMessage *string   `json:"pattern_message"`
	Format         *string   `json:"format"`
	Help           *string   `json:"help"`
	Placeholder    *string   `json:"placeholder"`
	Group          *string   `json:"group"`
	GroupMin       *int      `json:"group_min"`
	GroupMax       *int      `json:"group_max"`
	FontSize       *float64  `json:"font_size"`
	Align          *string   `json:"align"`
	FontWeight     *string   `json:"font_weight"`
	Color          *string   `json:"color"`
	VerticalAlign  *string   `json:"vertical_align"`
	Cells          *int      `json:"cells"`
	Mask           *string   `json:"mask"`
	SignatureTypes []string  `json:"signature_types"`
}

func viewSavedField(x signing.SavedField) savedFieldView {
	v := viewField(&signing.Document{}, &x.Field)
	return savedFieldView{ID: x.ID, Name: x.Name, CreatedAt: when(x.CreatedAt), UpdatedAt: when(x.UpdatedAt),
		Field: fieldSettings{Type: v.Type, Name: v.Name, Label: v.Label, Width: v.Width, Height: v.Height,
			Required: v.Required, ReadOnly: v.ReadOnly, Value: v.Value, Options: v.Options, Min: v.Min, Max: v.Max,
			Pattern: v.Pattern, PatternMessage: v.PatternMessage, Format: v.Format, Help: v.Help,
			Placeholder: v.Placeholder, Group: v.Group, GroupMin: v.GroupMin, GroupMax: v.GroupMax,
			FontSize: v.FontSize, Align: v.Align, FontWeight: v.FontWeight, Color: v.Color,
			VerticalAlign: v.VerticalAlign, Cells: v.Cells, Mask: v.Mask, SignatureTypes: v.SignatureTypes}}
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
	saved *signing.SavedFields
}

func (h *savedFieldHandlers) routes(s *server) {
	const base, one = "/saved-fields", "/saved-fields/{saved_field}"
	handle(s, operation{method: http.MethodGet, path: base, rule: may(account.ScopeRead), summary: "List saved fields", tag: "Saved fields", query: pageParameters, list: true}, func(r *request, _ *nothing) (envelope[savedFieldView], error) {
		all, err := h.saved.List(r.UserContext(), r.who)
		if err != nil {
			return envelope[savedFieldView]{}, err
		}
		return slice(r, views(all, viewSavedField))
	})
	handle(s, operation{method: http.MethodPost, path: base, rule: may(account.ScopeWrite), summary: "Save a field", tag: "Saved fields", status: http.StatusCreated}, func(r *request, in *savedFieldBody) (savedFieldView, error) {
		x, err := h.saved.Create(r.UserContext(), r.who, in.input())
		return viewSavedField(x), err
	})
	handle(s, operation{method: http.MethodGet, path: one, rule: may(account.ScopeRead), summary: "Get a saved field", tag: "Saved fields"}, func(r *request, _ *nothing) (savedFieldView, error) {
		return h.one(r, func(id string) (signing.SavedField, error) { return h.saved.Get(r.UserContext(), r.who, id) })
	})
	handle(s, operation{method: http.MethodPatch, path: one, rule: may(account.ScopeWrite), summary: "Change a saved field", tag: "Saved fields"}, func(r *request, in *savedFieldBody) (savedFieldView, error) {
		return h.one(r, func(id string) (signing.SavedField, error) {
			return h.saved.Update(r.UserContext(), r.who, id, in.input())
		})
	})
	handle(s, operation{method: http.MethodDelete, path: one, rule: may(account.ScopeWrite), summary: "Delete a saved field", tag: "Saved fields"}, func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id("saved_field")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.saved.Delete(r.UserContext(), r.who, id)
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
