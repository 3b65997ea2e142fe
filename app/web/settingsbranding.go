package web

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// brandingCards is the page of the company's look.
type brandingCards struct {
	Company  account.Company
	Colour   string // that is shown: the one sent, else the company's, else ours
	Proposal string // the nearest shade that can be read, where the one sent can't
	Foreign  string // address of a logo elsewhere, which no page loads
}

// ownColour is that of companies that have chosen none.
const ownColour = "#1d5bd1"

func (r *request) brandingPage(colour string) page {
	c := r.who.Company
	b := brandingCards{Company: c, Colour: cmp.Or(colour, c.BrandColor, ownColour)}
	if c.LogoURL != "" && c.OwnLogo() == "" {
		b.Foreign = c.LogoURL
	}
	if near := account.NearestReadable(b.Colour); near != b.Colour {
		b.Proposal = near
	}
	shown := cmp.Or(b.Proposal, b.Colour)
	if !account.Readable(shown) {
		shown = ownColour
	}
	return page{Title: r.say("settings.branding"), Data: b, Scripts: []string{"branding.js"},
		Styles: template.CSS(fmt.Sprintf(".preview{--brand:%s}", shown))}
}

func (r *request) showBranding() error {
	return r.settings(http.StatusOK, "settings-branding", r.brandingPage(""))
}

// saveColour refuses a colour that can't be read on white: pages would fall back
// to ours, and nobody would know why.
func (r *request) saveColour() error {
	colour := strings.ToLower(strings.TrimSpace(cmp.Or(r.form.value("use"), r.form.value("brand_color"))))
	if colour != "" && !strings.HasPrefix(colour, "#") {
		colour = "#" + colour
	}
	var err error
	if near := account.NearestReadable(colour); near != colour {
		err = account.Invalid("brand_color", r.say("branding.contrast.low", "contrast", fmt.Sprintf("%.1f", account.ContrastOnWhite(colour)), "near", near))
	} else {
		_, err = r.door.Accounts.UpdateCompany(r.UserContext(), r.who.Actor, account.CompanyPatch{BrandColor: &colour})
	}
	if err != nil {
		return r.settingsAgain(err, "settings-branding", r.brandingPage(colour))
	}
	r.flash("ok", "settings.saved")
	return r.redirect("/app/settings/branding")
}

func (r *request) saveLogo() error {
	_, err := r.door.Accounts.SetLogo(r.UserContext(), r.who.Actor, bytes.NewReader(r.form.files["logo"].Data))
	if err != nil {
		return r.settingsAgain(err, "settings-branding", r.brandingPage(""))
	}
	r.flash("ok", "branding.logo.saved")
	return r.redirect("/app/settings/branding")
}

func (r *request) removeLogo() error {
	if _, err := r.door.Accounts.UpdateCompany(r.UserContext(), r.who.Actor, account.CompanyPatch{LogoURL: new("")}); err != nil {
		return err
	}
	r.flash("ok", "branding.logo.removed")
	return r.redirect("/app/settings/branding")
}

// logo serves a company's logo to everybody: to the pages of signatories, and to
// programs that show our mails.
func (r *request) logo() error {
	logo, err := r.door.Accounts.LogoOf(r.UserContext(), r.Params("company"))
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "image/png")
	r.Set(fiber.HeaderETag, `"`+logo.Hash[:32]+`"`)
	r.Set("Cross-Origin-Resource-Policy", "cross-origin")
	r.Set(fiber.HeaderCacheControl, "public, no-cache")
	if version := r.Query("v"); version != "" && strings.HasPrefix(logo.Hash, version) {
		r.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if r.Get(fiber.HeaderIfNoneMatch) == `"`+logo.Hash[:32]+`"` {
		return r.SendStatus(http.StatusNotModified)
	}
	return r.Send(logo.PNG)
}
