package settings

import (
	"net/http"
	"strconv"

	"paraph/app/account"
	"paraph/app/web/page"
)

// Security serves the page about sign-in security.
type Security struct {
	*Frame
	Accounts *account.Services
}

// securityCards is the data of the page about sign-in security.
type securityCards struct {
	Required bool // everybody must use two-factor login
	Without  int  // number of active members who haven't set it up
	Own      bool // the reader has set it up
	SignIns  []page.SignInLine
	Pager    page.Pager
}

func (h *Security) securityPage(r *page.Request) (sheet[securityCards], error) {
	c := securityCards{Required: r.Who.Company.RequireTwoFactor, Own: r.Who.User.TwoFactor}
	people, err := h.Accounts.Companies.ListMembers(r.Who.Call, account.MemberQuery{})
	if err != nil {
		return sheet[securityCards]{}, err
	}
	for _, m := range people.Items {
		if m.Status == account.MemberActive && !m.TwoFactor {
			c.Without++
		}
	}
	number, size := r.PageOf()
	log, err := h.Accounts.Authentication.ListSignIns(r.Who.Call, true, (number-1)*size, size)
	if err != nil {
		return sheet[securityCards]{}, err
	}
	for _, e := range log.Items {
		c.SignIns = append(c.SignIns, r.SignInLine(e))
	}
	c.Pager = r.Pager(number, size, log.Total)
	return sheet[securityCards]{Title: r.Say("settings.security"), Own: c}, nil
}

// SaveSecurity stores whether everybody must use two-factor login.
func (h *Security) SaveSecurity(r *page.Request) error {
	required := r.Form.Has("require_two_factor")
	_, err := h.Accounts.Companies.UpdateCompany(r.Who.Call, account.CompanyPatch{RequireTwoFactor: &required})
	if err != nil {
		p, failed := h.securityPage(r)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, securityTemplate, p)
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/settings/security")
}

// ShowSecurity serves the page about sign-in security.
func (h *Security) ShowSecurity(r *page.Request) error {
	p, err := h.securityPage(r)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, securityTemplate, p)
}

// AskSignOutAll asks whether to sign everybody out.
func (h *Security) AskSignOutAll(r *page.Request) error {
	return page.ConfirmTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("security.out.title", "company", r.Who.Company.Name)},
		page.Confirmation{Text: r.Say("security.out.text"), Action: r.Path(), Do: r.Say("security.out"), Back: "/app/settings/security"}))
}

// SignOutAll ends all members' sessions except the reader's own.
func (h *Security) SignOutAll(r *page.Request) error {
	ended, err := h.Accounts.Authentication.EndAllSessions(r.UserContext(), r.Who.Call)
	if err != nil {
		return err
	}
	r.Flash("ok", "security.out.done", "count", strconv.Itoa(ended))
	return r.SeeOther("/app/settings/security")
}
