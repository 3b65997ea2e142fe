package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
)

// signatureRoutes are for what somebody keeps to sign with.
func (d *Door) signatureRoutes(app *fiber.App) {
	d.teamGet(app, "/app/me/signature", func(r *request) error { return r.showSaved(http.StatusOK, page{}) })
	d.teamPost(app, "/app/me/signature", (*request).saveMark)
	d.teamGet(app, "/app/me/signature/:kind", (*request).savedPicture)
}

// savedPage is what somebody keeps to sign with.
type savedPage struct {
	meTabs
	Marks []savedView
}

// savedView is the signature or the initials, with the form to change them.
type savedView struct {
	Kind, Title, Text, Src string
	Styles                 []option
}

func (r *request) showSaved(status int, p page) error {
	saved, err := r.door.Signing.SavedMarks(r.UserContext(), r.who.Actor)
	if err != nil {
		return err
	}
	data := savedPage{meTabs: r.meTabs()}
	for _, kind := range []string{"signature", "initials"} {
		v := savedView{Kind: kind, Title: r.say("me.signature." + kind), Text: r.who.User.Name}
		if kind == "initials" {
			v.Text = signing.Initials(v.Text)
		}
		font := ""
		if m := saved.Mark(kind); m != nil {
			v.Src, font = savedAddress(kind, m), m.Font
			if m.Text != "" {
				v.Text = m.Text
			}
		}
		for i, face := range text.Scripts() {
			v.Styles = append(v.Styles, option{face, r.say("mark.style", "n", i+1), face == font})
		}
		data.Marks = append(data.Marks, v)
	}
	p.Title, p.Data, p.Scripts = r.say("me.signature.title"), data, []string{"mesignature.js"}
	return r.render(status, "me-signature", p)
}

// savedAddress is where the picture of what is kept is found: another one for
// every other one, so that no old one is shown.
func savedAddress(kind string, m *signing.Mark) string {
	return "/app/me/signature/" + kind + "?v=" + account.ConsentName(m.Type+m.Data+m.Text+m.Font)
}

func (r *request) saveMark() error {
	kind := r.form.value("kind")
	var m *signing.Mark
	if r.form.value("do") != "remove" {
		if m = r.mark(kind, signing.SavedMarks{}); m == nil {
			m = &signing.Mark{Type: "typed"}
		}
	}
	if err := r.door.Signing.SaveMark(r.UserContext(), r.who.Actor, kind, m); err != nil {
		if account.KindOf(err) == account.KindInvalid {
			f := r.failureOf(err)
			return r.showSaved(f.Status, page{Faults: r.translated(f.Faults), Values: r.form})
		}
		return err
	}
	r.flash("ok", map[bool]string{true: "me.signature.removed", false: "me.signature.saved"}[m == nil])
	return r.redirect("/app/me/signature")
}

// savedPicture shows what somebody keeps as it will look.
func (r *request) savedPicture() error {
	saved, err := r.door.Signing.SavedMarks(r.UserContext(), r.who.Actor)
	if err != nil {
		return err
	}
	m := saved.Mark(r.Params("kind"))
	if m == nil {
		return account.NotFound("signature")
	}
	switch {
	case m.Type == "typed":
		return r.sendTyped(r.door.Fonts, m.Text, m.Font)
	case strings.HasPrefix(m.Data, "["):
		return r.sendStrokes(m.Data)
	}
	data := m.Data[strings.Index(m.Data, ",")+1:]
	picture, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, http.DetectContentType(picture))
	r.Set(fiber.HeaderCacheControl, "private, max-age=600")
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; sandbox")
	return r.Send(picture)
}

// sendStrokes shows what was drawn.
func (r *request) sendStrokes(data string) error {
	var strokes [][][2]float64
	if err := json.Unmarshal([]byte(data), &strokes); err != nil {
		return err
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	var path strings.Builder
	for _, s := range strokes {
		for i, p := range s {
			path.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
			fmt.Fprintf(&path, "%.1f %.1f", p[0], p[1])
			for k := range 2 {
				low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
			}
		}
		if len(s) == 1 {
			path.WriteString("h.1")
		}
	}
	wide, tall := high[0]-low[0], high[1]-low[1]
	pen := max(wide, tall)/80 + 1
	return r.sendSVG(fmt.Sprintf(`viewBox="%.1f %.1f %.1f %.1f"`, low[0]-pen, low[1]-pen, wide+2*pen, tall+2*pen),
		fmt.Sprintf(`fill="none" stroke="#14285a" stroke-width="%.1f" stroke-linecap="round" stroke-linejoin="round"`, pen), path.String())
}

// sendSVG answers with one line or shape.
func (r *request) sendSVG(size, style, path string) error {
	r.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'")
	r.Set(fiber.HeaderContentType, "image/svg+xml")
	r.Set(fiber.HeaderCacheControl, "private, max-age=600")
	_, err := fmt.Fprintf(r, `<svg xmlns="http://www.w3.org/2000/svg" %s><path %s d="%s"/></svg>`, size, style, template.HTMLEscapeString(path))
	return err
}

// ownMarks are what the person invited keeps to sign with, if they are a member who
// is signed in here.
func (r *request) ownMarks(v *visitor) signing.SavedMarks {
	who, u, ok := r.signedIn()
	if !ok || !strings.EqualFold(u.Email, v.Invitation.Email) {
		return signing.SavedMarks{}
	}
	saved, err := r.door.Signing.SavedMarks(r.UserContext(), who)
	if err != nil {
		r.door.Log.Error("saved signature", "request_id", r.id(), "error", err)
	}
	return saved
}
