package settings

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// brandingCards is the page of the company's look.
type brandingCards struct {
	Company  account.Company
	Colour   string // shown: the submitted one, else the company's, else ours
	Proposal string // the nearest readable shade, if the submitted one is unreadable
	Foreign  string // address of an external logo, which no page loads
}

// ownColour is the default color.
const ownColour = "#1d5bd1"

func brandingPage(r *page.Request, colour string) sheet[brandingCards] {
	c := r.Who.Company
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
	return sheet[brandingCards]{Title: r.Say("settings.branding"), Own: b, Scripts: []string{"branding.js"},
		Styles: template.CSS(fmt.Sprintf(".preview{--brand:%s}", shown))}
}

// ShowBranding serves the page about logo and color.
func (h *Company) ShowBranding(r *page.Request) error {
	return show(h.Frame, r, http.StatusOK, "settings-branding", brandingPage(r, ""))
}

// SaveColor refuses a color that is unreadable on white: pages would silently fall
// back to ours.
func (h *Company) SaveColor(r *page.Request) error {
	colour := strings.ToLower(strings.TrimSpace(cmp.Or(r.Form.Value("use"), r.Form.Value("brand_color"))))
	if colour != "" && !strings.HasPrefix(colour, "#") {
		colour = "#" + colour
	}
	var err error
	if near := account.NearestReadable(colour); near != colour {
		err = fault.Invalid("brand_color", "contrast_too_low", fault.Text("contrast", fmt.Sprintf("%.1f", account.ContrastOnWhite(colour))), fault.Text("near", near))
	} else {
		_, err = h.Accounts.UpdateCompany(r.UserContext(), r.Who.Actor, account.CompanyPatch{BrandColor: &colour})
	}
	if err != nil {
		return again(h.Frame, r, err, "settings-branding", brandingPage(r, colour))
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/settings/branding")
}

// SaveLogo stores the logo.
func (h *Company) SaveLogo(r *page.Request) error {
	_, err := h.Accounts.SetLogo(r.UserContext(), r.Who.Actor, bytes.NewReader(r.Form.Files["logo"].Data))
	if err != nil {
		return again(h.Frame, r, err, "settings-branding", brandingPage(r, ""))
	}
	r.Flash("ok", "branding.logo.saved")
	return r.SeeOther("/app/settings/branding")
}

// RemoveLogo removes the logo.
func (h *Company) RemoveLogo(r *page.Request) error {
	if _, err := h.Accounts.UpdateCompany(r.UserContext(), r.Who.Actor, account.CompanyPatch{LogoURL: new("")}); err != nil {
		return err
	}
	r.Flash("ok", "branding.logo.removed")
	return r.SeeOther("/app/settings/branding")
}
