package signer

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/web/page"
)

// PreviewRoutes are the pages of somebody else's invitation, to be looked at.
func (h *Handlers) PreviewRoutes(app *fiber.App) {
	const base = "/app/documents/:id/preview/:invitation"
	h.Site.TeamGet(app, base, h.showPreview)
	h.Site.TeamGet(app, base+"/pages/:file/:page.png", func(r *page.Request) error { return SendPicture(r, h.Signing, r.Who.Actor, r.Params("id")) })
	h.Site.TeamGet(app, base+"/typed.svg", func(r *page.Request) error { return h.typed(r, nil) })
}

// showPreview is the page on which somebody will sign, for those who prepare it:
// everything on it can be seen and nothing can be done.
func (h *Handlers) showPreview(r *page.Request) error {
	id, invitation := r.Params("id"), r.Params("invitation")
	visit, err := h.Signing.Preview(r.UserContext(), r.Who.Actor, id, invitation)
	if err != nil {
		return err
	}
	v := &visitor{Visit: visit, who: r.Who.Actor, base: "/app/documents/" + id + "/preview/" + invitation}
	v.who.Document, v.who.Invitation = id, invitation
	r.Speak(v.Invitation.Locale)
	p := frame(r, v, r.Say("preview.title", "name", v.Invitation.Name))
	data, s := p.Data.(visitPage), h.signPage(r, v, page.Form{}, nil)
	data.Sign = s
	p.Data, p.Styles, p.Back = data, p.Styles+s.places(), "/app/documents/"+id+"/edit"
	r.Shell = nil // the reader sees what the other one will see
	return r.Render(http.StatusOK, "preview", p)
}
