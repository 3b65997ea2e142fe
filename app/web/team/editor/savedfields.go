package editor

import (
	"encoding/json"
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// editorSaved is a field that the company has saved, as the editor offers it.
type editorSaved struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Field editorField `json:"field"`
}

func (h *Handlers) savedFields(r *page.Request) ([]editorSaved, error) {
	all, err := h.SavedFields.List(r.UserContext(), r.Who.Actor)
	out := []editorSaved{}
	for i := range all {
		out = append(out, editorSaved{all[i].ID, all[i].Name, editorFieldOf(&all[i].Field)})
	}
	return out, err
}

// savedList is the response to the script with all saved fields.
type savedList struct {
	Saved []editorSaved `json:"saved"`
}

// SaveField saves a field of the document for all documents of the company. What depends on
// other fields stays behind.
func (h *Handlers) SaveField(r *page.Request) error {
	var x editorField
	if err := json.Unmarshal([]byte(r.Form.Value("field")), &x); err != nil {
		return fault.Malformed("fields_unreadable").Because(err)
	}
	x.Condition, x.Formula = nil, ""
	field, name := x.input(), r.Form.Value("name")
	_, err := h.SavedFields.Create(r.UserContext(), r.Who.Actor, signing.SavedFieldInput{Name: &name, Field: &field})
	if err != nil {
		return err
	}
	all, err := h.savedFields(r)
	if err != nil {
		return err
	}
	return r.JSON(savedList{all})
}

// savedPage is the list of saved fields.
type savedPage struct {
	Saved   []savedRow
	MayEdit bool
}

type savedRow struct{ ID, Name, Type, Label string }

// ShowSaved serves the list of saved fields, where they are renamed and deleted.
func (h *Handlers) ShowSaved(r *page.Request) error {
	return h.showSaved(r, http.StatusOK, page.Page{})
}

func (h *Handlers) showSaved(r *page.Request, status int, p page.Page) error {
	all, err := h.SavedFields.List(r.UserContext(), r.Who.Actor)
	if err != nil {
		return err
	}
	data := savedPage{MayEdit: r.Who.Actor.Can(account.ScopeWrite)}
	for i := range all {
		x := &all[i].Field
		data.Saved = append(data.Saved, savedRow{all[i].ID, all[i].Name, r.Say("edit.type." + string(x.Type)), x.Label})
	}
	p.Title = r.Say("saved.title")
	return savedTemplate.Render(r, status, page.With(p, data))
}

// ChangeSaved renames or deletes a saved field.
func (h *Handlers) ChangeSaved(r *page.Request) error {
	id, name := r.Form.Value("id"), r.Form.Value("name."+r.Form.Value("id"))
	var err error
	switch do := r.Form.Value("do"); do {
	case "rename":
		_, err = h.SavedFields.Update(r.UserContext(), r.Who.Actor, id, signing.SavedFieldInput{Name: &name})
	case "delete":
		err = h.SavedFields.Delete(r.UserContext(), r.Who.Actor, id)
	default:
		return fault.Malformed("form_without_action")
	}
	if fault.KindOf(err) == fault.KindInvalid {
		faults := map[string][]string{"name." + id: r.FailureOf(err).Faults["name"]}
		return h.showSaved(r, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: faults})
	}
	if err != nil {
		return err
	}
	r.Flash("ok", "saved.done."+r.Form.Value("do"))
	return r.SeeOther("/app/saved-fields")
}
