package editor

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

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
	all, err := h.Drafts.ListSavedFields(r.Who.Call)
	out := []editorSaved{}
	for i := range all {
		out = append(out, editorSaved{all[i].ID, all[i].Name, h.pen(r).field(&all[i].Field)})
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
	if err := h.createSaved(r); err != nil {
		return err
	}
	all, err := h.savedFields(r)
	if err != nil {
		return err
	}
	return r.JSON(savedList{all})
}

// createSaved saves the field of the form.
func (h *Handlers) createSaved(r *page.Request) error {
	var x editorField
	if err := json.Unmarshal([]byte(r.Form.Value("field")), &x); err != nil {
		return fault.Malformed("fields_unreadable").Because(err)
	}
	x.Condition, x.Formula = nil, ""
	field, unread := h.pen(r).input(&x)
	if len(unread) > 0 {
		return fault.Malformed("fields_unreadable")
	}
	name := r.Form.Value("name")
	_, err := h.Drafts.CreateSavedField(r.Who.Call, signing.SavedFieldInput{Name: &name, Field: &field})
	return err
}

// deleteSaved deletes a saved field and returns the notice, which offers to save it again.
func (h *Handlers) deleteSaved(r *page.Request, id string) (page.Notice, error) {
	notice := page.Notice{Kind: "ok", Key: "saved.done.delete", Undo: savedPath}
	x, err := h.Drafts.GetSavedField(r.Who.Call, id)
	if err != nil {
		return notice, err
	}
	field, err := json.Marshal(h.pen(r).field(&x.Field))
	if err != nil {
		return notice, err
	}
	notice.Values = map[string]string{"do": "restore", "name": x.Name, "field": string(field)}
	return notice, h.Drafts.DeleteSavedField(r.Who.Call, id)
}

// savedPath is the path of the list of saved fields.
const savedPath = "/app/saved-fields"

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
	all, err := h.Drafts.ListSavedFields(r.Who.Call)
	if err != nil {
		return err
	}
	data := savedPage{MayEdit: r.Who.Call.Can(account.ScopeWrite)}
	for i := range all {
		x := &all[i].Field
		data.Saved = append(data.Saved, savedRow{all[i].ID, all[i].Name, r.Say("edit.type." + string(x.Type)), x.Label})
	}
	p.Title = r.Say("saved.title")
	return savedTemplate.Render(r, status, page.With(p, data))
}

// ChangeSaved renames or deletes a saved field, or saves a deleted one again.
func (h *Handlers) ChangeSaved(r *page.Request) error {
	id, name, do := r.Form.Value("id"), r.Form.Value("name."+r.Form.Value("id")), r.Form.Value("do")
	notice := page.Notice{Kind: "ok", Key: "saved.done." + do}
	var err error
	switch do {
	case "rename":
		_, err = h.Drafts.UpdateSavedField(r.Who.Call, id, signing.SavedFieldInput{Name: &name})
	case "delete":
		notice, err = h.deleteSaved(r, id)
	case "restore":
		err = h.createSaved(r)
	default:
		return fault.Malformed("form_without_action")
	}
	if do == "restore" && (fault.KindOf(err) == fault.KindInvalid || fault.KindOf(err) == fault.KindConflict) {
		f := r.FailureOf(err)
		return h.showSaved(r, f.Status, page.Page{Fault: cmp.Or(strings.Join(f.Faults["name"], " "), r.Explain(f))})
	}
	if fault.KindOf(err) == fault.KindInvalid {
		faults := map[string][]string{"name." + id: r.FailureOf(err).Faults["name"]}
		return h.showSaved(r, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: faults})
	}
	if err != nil {
		return err
	}
	r.FlashNotice(notice)
	return r.SeeOther(savedPath)
}
