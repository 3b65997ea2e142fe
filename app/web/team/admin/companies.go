package admin

import (
	"net/http"
	"strings"

	"paraph/app/account"
	"paraph/app/machine"
	"paraph/app/web/page"
)

// companyList is the page that lists all companies.
type companyList struct {
	Search    string
	Companies []machine.Company
	Pager     page.Pager
}

// ShowCompanies serves the list of companies.
func (h *Handlers) ShowCompanies(r *page.Request) error {
	p, search := partOf(r), strings.TrimSpace(r.Query("search"))
	found, err := h.Machine.ListCompanies(r.Who.Call, search, p.offset(), p.size)
	if err != nil {
		return err
	}
	return show(r, companiesTemplate, r.Say("admin.companies"), companyList{search, found.Items, r.Pager(p.number, p.size, found.Total)})
}

func addingCompany(r *page.Request) page.View[framed[struct{}]] {
	return frame(r, r.Say("admin.companies.add"), struct{}{})
}

// AskCompany serves the form that adds a company.
func (h *Handlers) AskCompany(r *page.Request) error {
	return addingTemplate.Render(r, http.StatusOK, addingCompany(r))
}

// AddCompany adds a company and shows the link for its owner.
func (h *Handlers) AddCompany(r *page.Request) error {
	in := account.CompanyInput{Name: r.Form.Value("name"), Email: r.Form.Value("email"), Owner: strings.TrimSpace(r.Form.Value("owner"))}
	b, err := h.Machine.AddCompany(r.UserContext(), r.Who.Call, in)
	if err != nil {
		return addingTemplate.Again(r, err, addingCompany(r))
	}
	if b.Setup == "" {
		r.Flash("ok", "admin.companies.added", "name", b.Company.Name, "email", b.User.Email)
		return r.SeeOther("/admin/companies")
	}
	return r.ShowSecrets(r.Say("admin.companies.made", "name", b.Company.Name), b.User.Email, []string{setupURL(r, b.Setup)}, "/admin/companies")
}

func (h *Handlers) company(r *page.Request) (page.View[framed[machine.Company]], error) {
	c, err := h.Machine.GetCompany(r.Who.Call, r.Params("id"))
	return frame(r, c.Name, c), err
}

// ShowCompany serves one company.
func (h *Handlers) ShowCompany(r *page.Request) error {
	p, err := h.company(r)
	if err != nil {
		return err
	}
	return companyTemplate.Render(r, 200, p)
}

// RenameCompany renames a company.
func (h *Handlers) RenameCompany(r *page.Request) error {
	if _, err := h.Machine.RenameCompany(r.Who.Call, r.Params("id"), r.Form.Value("name")); err != nil {
		p, failed := h.company(r)
		if failed != nil {
			return failed
		}
		return companyTemplate.Again(r, err, p)
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/admin/companies/" + r.Params("id"))
}

// personList is the page that lists everybody with an account.
type personList struct {
	Search string
	People []personLine
	Pager  page.Pager
}

// personLine is a person in the list.
type personLine struct {
	account.Person
	Roles []string // in their companies
}

// ShowPeople serves the list of people.
func (h *Handlers) ShowPeople(r *page.Request) error {
	p, l := partOf(r), personList{Search: strings.TrimSpace(r.Query("search"))}
	found, err := h.Accounts.Companies.ListPeople(r.Who.Call, l.Search, p.offset(), p.size)
	if err != nil {
		return err
	}
	for _, x := range found.Items {
		line := personLine{Person: x}
		for _, c := range x.Companies {
			line.Roles = append(line.Roles, r.Say("admin.people.role", "company", c.Name, "role", string(c.Role)))
		}
		l.People = append(l.People, line)
	}
	l.Pager = r.Pager(p.number, p.size, found.Total)
	return show(r, peopleTemplate, r.Say("admin.people"), l)
}
