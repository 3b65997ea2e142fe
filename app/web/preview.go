package web

import (
	"net/http"

	"github.com/gofiber/fiber/v2"
)

// previewRoutes are the pages of somebody else's invitation, to be looked at.
func (d *Door) previewRoutes(app *fiber.App) {
	const base = "/app/documents/:id/preview/:invitation"
	d.teamGet(app, base, (*request).showPreview)
	d.teamGet(app, base+"/pages/:file/:page.png", func(r *request) error { return r.sendPicture(r.door.Signing, r.who.Actor, r.Params("id")) })
	d.teamGet(app, base+"/typed.svg", func(r *request) error { return r.typed(nil) })
}

// showPreview is the page on which somebody will sign, for those who prepare it:
// everything on it can be seen and nothing can be done.
func (r *request) showPreview() error {
	id, invitation := r.Params("id"), r.Params("invitation")
	visit, err := r.door.Signing.Preview(r.UserContext(), r.who.Actor, id, invitation)
	if err != nil {
		return err
	}
	v := &visitor{Visit: visit, who: r.who.Actor, base: "/app/documents/" + id + "/preview/" + invitation}
	v.who.Document, v.who.Invitation = id, invitation
	r.speak(v.Invitation.Locale)
	p := r.frame(v, r.say("preview.title", "name", v.Invitation.Name))
	data, s := p.Data.(visitPage), r.signPage(v, form{}, nil)
	data.Sign = s
	p.Data, p.Styles, p.Back = data, p.Styles+s.places(), "/app/documents/"+id+"/edit"
	r.shell = nil // the reader sees what the other one will see
	return r.render(http.StatusOK, "preview", p)
}
