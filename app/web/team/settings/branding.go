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

// brandingCards is the page about the company's branding.
type brandingCards struct {
	Company  account.Company
	Color    string // the submitted color, else the company's, else the default
	Proposal string // the nearest readable shade, if the submitted one is unreadable
	Foreign  string // address of an external logo, which our pages don't load
}

// defaultColor is the default color.
const defaultColor = "#1d5bd1"

func brandingPage(r *page.Request, color string) sheet[brandingCards] {
	c := r.Who.Company
	b := brandingCards{Company: c, Color: cmp.Or(color, c.BrandColor, defaultColor)}
	if c.LogoURL != "" && c.OwnLogo() == "" {
		b.Foreign = c.LogoURL
	}
	if near := account.NearestReadable(b.Color); near != b.Color {
		b.Proposal = near
	}
	shown := cmp.Or(b.Proposal, b.Color)
	if !account.Readable(shown) {
		shown = defaultColor
	}
	return sheet[brandingCards]{Title: r.Say("settings.branding"), Own: b, Scripts: []string{"branding.js"},
		Styles: template.CSS(fmt.Sprintf(".preview{--brand:%s}", shown))}
}

// ShowBranding serves the page about logo and color.
func (h *Company) ShowBranding(r *page.Request) error {
	return show(h.Frame, r, http.StatusOK, brandingTemplate, brandingPage(r, ""))
}

// SaveColor stores the color. It refuses one that is unreadable on white, because
// pages would silently fall back to the default.
func (h *Company) SaveColor(r *page.Request) error {
	color := strings.ToLower(strings.TrimSpace(cmp.Or(r.Form.Value("use"), r.Form.Value("brand_color"))))
	if color != "" && !strings.HasPrefix(color, "#") {
		color = "#" + color
	}
	var err error
	if near := account.NearestReadable(color); near != color {
		contrast := fmt.Sprintf("%.1f", account.ContrastOnWhite(color))
		err = fault.Invalid("brand_color", "contrast_too_low", fault.Text("contrast", contrast),
			fault.Text("near", near))
	} else {
		_, err = h.Accounts.Companies.UpdateCompany(r.Who.Call, account.CompanyPatch{BrandColor: &color})
	}
	if err != nil {
		return again(h.Frame, r, err, brandingTemplate, brandingPage(r, color))
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/settings/branding")
}

// SaveLogo stores the logo.
func (h *Company) SaveLogo(r *page.Request) error {
	_, err := h.Accounts.Companies.SetLogo(r.Who.Call, bytes.NewReader(r.Form.Files["logo"].Data))
	if err != nil {
		return again(h.Frame, r, err, brandingTemplate, brandingPage(r, ""))
	}
	r.Flash("ok", "branding.logo.saved")
	return r.SeeOther("/app/settings/branding")
}

// RemoveLogo removes the logo.
func (h *Company) RemoveLogo(r *page.Request) error {
	if _, err := h.Accounts.Companies.UpdateCompany(r.Who.Call, account.CompanyPatch{LogoURL: new("")}); err != nil {
		return err
	}
	r.Flash("ok", "branding.logo.removed")
	return r.SeeOther("/app/settings/branding")
}
