package drafts

import (
	"net/http"
	"slices"

	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// linksPage lists the links of a document sent without a mail server.
type linksPage struct {
	*record.Document
	People []linkRow
	Shown  bool // the page contains the links
}

// linkRow is a recipient with their link, "" while it isn't their turn.
type linkRow struct {
	Name, Email, Letter, Color, RoleText, Link string
	Invited                                    bool
}

// ShowLinks lists the recipients of a document sent without a mail server, and offers
// to show their links.
func (h *Handlers) ShowLinks(r *page.Request) error { return h.showLinks(r, false) }

// RevealLinks shows the links, and records that they were shown.
func (h *Handlers) RevealLinks(r *page.Request) error { return h.showLinks(r, true) }

func (h *Handlers) showLinks(r *page.Request, shown bool) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	data := linksPage{Document: d, Shown: shown}
	people := slices.Clone(d.Invitations)
	slices.SortStableFunc(people, func(a, b record.Invitation) int { return a.Position - b.Position })
	for i := range people {
		inv := &people[i]
		row := linkRow{Name: inv.DisplayName(), Email: inv.Email, Letter: page.LetterOf(i), Color: page.HueOf(i), RoleText: r.Say("asked." + inv.Role)}
		row.Invited = inv.NotifiedAt != nil && h.Sending.SignURL(r.Who.Call, d, inv, r.BaseURL()) != ""
		if row.Invited && shown {
			if row.Link, err = h.Sending.ShowLink(r.Who.Call, d.ID, inv.ID, r.BaseURL()); err != nil {
				return err
			}
		}
		data.People = append(data.People, row)
	}
	return linksTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("links.title")}, data))
}
