package documents

import (
	"slices"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// rowMenu is the menu of a document in a list. It is loaded on demand because it
// needs the whole document.
type rowMenu struct {
	Title   string
	Entries []menuEntry
}

// menuEntry is a link, or a button that submits the list's form to Action.
type menuEntry struct {
	Text, Icon, Href, Action string
	Dialog                   bool
}

func (h *Handlers) rowMenu(r *page.Request, id, next string) (*rowMenu, error) {
	d, actions, err := h.document(r, id)
	if err != nil {
		return nil, err
	}
	m := &rowMenu{Title: d.Title, Entries: []menuEntry{{Text: r.Say("documents.open"), Icon: "eye", Href: "/app/documents/" + id}}}
	for _, a := range actions {
		if e, ok := h.menuEntry(r, d, a, next); ok {
			m.Entries = append(m.Entries, e)
		}
	}
	return m, nil
}

// menuIcons holds the actions of the row menu with their icons. Other actions are only
// on the document's page.
var menuIcons = map[record.Action]string{
	record.ActionEdit:      "pencil",
	record.ActionSign:      "sign",
	record.ActionRemind:    "bell",
	record.ActionSeal:      "lock",
	record.ActionDownload:  "download",
	record.ActionDuplicate: "copy", record.ActionVoid: "void", record.ActionExtend: "clock", record.ActionArchive: "archive", record.ActionRestore: "back",
	record.ActionDelete: "trash",
	record.ActionPurge:  "trash",
}

func (h *Handlers) menuEntry(r *page.Request, d *record.Document, a record.Action, next string) (menuEntry, bool) {
	icon, ok := menuIcons[a]
	if !ok || a == record.ActionRestore && d.ArchivedAt == nil && d.DeletedAt == nil {
		return menuEntry{}, false
	}
	at := "/app/documents/" + d.ID + "/"
	e := menuEntry{Text: r.Say("act." + string(a)), Icon: icon}
	switch {
	case a == record.ActionEdit:
		e.Href = at + "edit"
	case a == record.ActionSign:
		e.Action = h.ownLink(r, d)
	case a == record.ActionDownload:
		e.Href = at + "download/" + downloadOf(d)
	case documentForms[string(a)].fields != nil:
		e.Href, e.Dialog = at+string(a)+page.QueryString("next", next), true
	default:
		e.Action = at + string(a)
	}
	return e, true
}

// downloadOf returns what "Download" serves: the sealed document, or its current state.
func downloadOf(d *record.Document) string {
	switch {
	case len(d.Files) > 1:
		return "all"
	case d.Status == record.Completed:
		return "document"
	}
	return "current"
}

// document loads a document and the actions the reader may take.
func (h *Handlers) document(r *page.Request, id string) (*record.Document, []record.Action, error) {
	d, err := h.Completion.Get(r.Who.Call, id)
	if err != nil {
		return nil, nil, err
	}
	actions, err := h.Completion.Actions(r.Who.Call, d)
	return d, slices.Clip(actions), err
}

// ShowRowMenu serves only the menu, for the list's script.
func (h *Handlers) ShowRowMenu(r *page.Request) error {
	m, err := h.rowMenu(r, r.Params("id"), r.Inside(r.Query("next")))
	if err != nil {
		return err
	}
	return menuFragment.Send(r, m)
}
