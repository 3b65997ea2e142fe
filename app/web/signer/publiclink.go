package signer

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/publiclink"
	"paraph/app/web/page"
)

// Public serves the pages behind public links, which lead to a signatory's own link.
type Public struct {
	Links *publiclink.Service
}

// startPage asks a visitor who they are, then for the code mailed to them, or says that the link is
// closed.
type startPage struct {
	publiclink.Visit
	Logo        string
	Name, Email string // as stated, once a code was mailed
	Masked      string
	Why         string // the link does not work; "" if it does
	AsksCode    bool
}

// Show serves the page behind a public link.
func (h *Public) Show(r *page.Request) error {
	v, err := h.open(r)
	if err != nil {
		return err
	}
	if v.Status == publiclink.Full {
		if err := h.Links.TurnedAway(v); err != nil {
			return err
		}
	}
	return showStart(r, v, http.StatusOK, startPage{}, page.Page{})
}

// why returns why a link does not work, in the visitor's language.
func why(r *page.Request, v *publiclink.Visit) string {
	key, ok := map[publiclink.Status]string{
		publiclink.Off: "public.closed.off", publiclink.Expired: "public.closed.expired",
		publiclink.UsedUp: "public.closed.used_up", publiclink.Full: "public.full.text",
		publiclink.Closed: "public.closed.text",
	}[v.Status]
	if !ok {
		return ""
	}
	return r.Say(key, "company", v.CompanyInfo.Name)
}

func (h *Public) open(r *page.Request) (*publiclink.Visit, error) {
	r.Set("X-Robots-Tag", "noindex, nofollow")
	v, err := h.Links.Visit(r.Params("token"))
	if err == nil {
		r.UseLocale(v.Locale, v.CompanyInfo.Locale)
	}
	return &v, err
}

func showStart(r *page.Request, v *publiclink.Visit, status int, data startPage, p page.Page) error {
	data.Visit, data.Logo = *v, v.CompanyInfo.OwnLogo()
	p.Title, p.Styles = v.Title, accent(v.CompanyInfo.BrandColor)
	switch {
	case v.Status == publiclink.Full:
		p.Title, status = r.Say("public.full"), http.StatusServiceUnavailable
		r.Set(fiber.HeaderRetryAfter, "3600")
	case !v.Open():
		p.Title, status = r.Say("public.closed"), http.StatusGone
	}
	data.Why = why(r, v)
	return startTemplate.Render(r, status, page.With(p, data))
}

// Start makes the visitor's document and continues on its signing page. Where addresses are
// checked, it first mails a code and asks for it.
func (h *Public) Start(r *page.Request) error {
	v, err := h.open(r)
	if err != nil {
		return err
	}
	by := publiclink.Visitor{Name: r.Form.Value("name"), Email: r.Form.Value("email"),
		Code: strings.NewReplacer(" ", "", "-", "").Replace(r.Form.Value("code")), Locale: r.Words.Tag(),
		IP: r.ClientIP(), Agent: r.Agent()}
	data := startPage{Name: by.Name, Email: by.Email, Masked: mask(by.Email), AsksCode: v.Code && r.Form.Has("code")}
	if data.AsksCode && by.Code == "" {
		return startAgain(r, v, data, fault.Invalid("code", "required"))
	}
	out, err := h.Links.Start(r.UserContext(), r.Params("token"), by)
	switch {
	case errors.Is(err, publiclink.ErrFull):
		v.Status = publiclink.Full
		return showStart(r, v, http.StatusOK, startPage{}, page.Page{})
	case errors.Is(err, publiclink.ErrClosed):
		if v.Open() {
			v.Status = publiclink.Closed
		}
		return showStart(r, v, http.StatusOK, startPage{}, page.Page{})
	case err != nil:
		return startAgain(r, v, data, err)
	case out.Mailed:
		data.AsksCode = true
		sent := r.Notice("ok", "gate.sent", "address", data.Masked)
		return showStart(r, v, http.StatusOK, data, page.Page{Notice: sent})
	}
	if out.Proof != "" {
		r.SetCookie(proofCookie, out.Proof, out.Path, proofLasts)
	}
	return r.SeeOther(out.Path)
}

// startAgain shows the form with what is wrong with it. A wrong name or address is asked for
// again instead of the code.
func startAgain(r *page.Request, v *publiclink.Visit, data startPage, err error) error {
	for _, f := range fault.FieldsOf(err) {
		data.AsksCode = data.AsksCode && f.Name == "code"
	}
	data.Visit, data.Logo = *v, v.CompanyInfo.OwnLogo()
	frame := page.Page{Title: v.Title, Styles: accent(v.CompanyInfo.BrandColor)}
	return startTemplate.Again(r, err, page.With(frame, data))
}
