package drafts

import (
	"net/http"
	"slices"

	"paraph/app/signing"
	"paraph/app/web/page"
)

// linksPage lists the links of a document sent without a mail server.
type linksPage struct {
	*signing.Document
	People []linkRow
}

// linkRow is a recipient with their link, "" while it isn't their turn.
type linkRow struct{ Name, Email, Letter, Color, RoleText, Link string }

// ShowLinks serves the links of a document sent without a mail server.
func (h *Handlers) ShowLinks(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	data := linksPage{Document: d}
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b signing.Invitation) int { return a.Position - b.Position })
	for i := range people {
		inv := &people[i]
		row := linkRow{Name: inv.Name, Email: inv.Email, Letter: page.LetterOf(i), Color: page.HueOf(i), RoleText: r.Say("asked." + inv.Role)}
		if inv.NotifiedAt != nil {
			row.Link = h.Signing.SignURL(r.Who.Actor, d, inv, r.BaseURL())
		}
		data.People = append(data.People, row)
	}
	return r.Render(http.StatusOK, "links", page.Page{Title: r.Say("links.title"), Data: data})
}
