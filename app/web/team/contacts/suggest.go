package contacts

import (
	"paraph/app/web/page"
)

// knownPerson is a contact suggested for the text typed.
type knownPerson struct {
	Name   string `json:"name"`
	Email  string `json:"email"`
	Locale string `json:"locale"`
}

// Suggest responds to a script with contacts that match the text typed.
func (h *Handlers) Suggest(r *page.Request) error {
	found, err := h.Contacts.Suggest(r.UserContext(), r.Who.Call, r.Query("q"), 8)
	if err != nil {
		return err
	}
	out := struct {
		Data []knownPerson `json:"data"`
	}{[]knownPerson{}}
	for i := range found {
		out.Data = append(out.Data, knownPerson{found[i].Name, found[i].Email, found[i].Locale})
	}
	return r.JSON(out)
}
