package templates

import (
	"net/http"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// usePage is the form that creates a document from a template.
type usePage struct {
	ID, Name string
	Title    string
	Roles    []roleInputs
	Values   []variableInput
	Contacts bool
}

// roleInputs holds the inputs for the person in a role.
type roleInputs struct {
	ID, RoleName, Does, Name, Email, Code string
	Letter, Color                         string
	N                                     int
	AsksCode                              bool
}

// Field returns the name of an input of this role, which also names its errors.
func (p roleInputs) Field(name string) string { return "people." + strconv.Itoa(p.N) + "." + name }

// variableInput is the input for one variable.
type variableInput struct {
	Name, Value string
	Columns     string // of a list, as in a line of the input; "" for other variables
}

// Field returns the name of the input, which also names its errors.
func (v variableInput) Field() string { return "variables." + v.Name }

// ShowUse serves the form that creates a document from a template.
func (h *Handlers) ShowUse(r *page.Request) error {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return h.showUse(r, t, http.StatusOK, page.Page{})
}

func (h *Handlers) showUse(r *page.Request, t signing.Template, status int, p page.Page) error {
	data := usePage{ID: t.ID, Name: t.Title, Title: r.Form.Value("title")}
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		in := roleInputs{N: i, ID: inv.ID, RoleName: inv.RoleName, Does: r.Say("asked." + inv.Role), Name: inv.Name, Email: inv.Email,
			Letter: page.LetterOf(i), Color: page.HueOf(i), AsksCode: inv.Authentication == record.ByAccessCode}
		if status != http.StatusOK {
			in.Name, in.Email, in.Code = r.Form.Value(in.Field("name")), r.Form.Value(in.Field("email")), r.Form.Value(in.Field("access_code"))
		}
		data.Roles = append(data.Roles, in)
	}
	lists := record.ListsOf(t.Document)
	for _, name := range t.Variables() {
		v := variableInput{Name: name, Columns: strings.Join(lists[name], "; ")}
		v.Value = r.Form.Value(v.Field())
		data.Values = append(data.Values, v)
	}
	p.Title, p.Back = r.Say("template.use.title", "title", t.Title), "/app/templates/"+t.ID
	return useTemplate.Render(r, status, page.With(p, data))
}

// Use creates the document, and sends it if that button was pressed.
func (h *Handlers) Use(r *page.Request) error {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	in := signing.UseInput{Send: r.Form.Value("do") == "send", BaseURL: r.MailURL(), Variables: map[string]string{}}
	if title := strings.TrimSpace(r.Form.Value("title")); title != "" {
		in.DocumentInput.Title = &title
	}
	for i := range t.Invitations {
		at := roleInputs{N: i}
		person := signing.RolePerson{Role: t.Invitations[i].ID}
		person.Name, person.Email = new(r.Form.Value(at.Field("name"))), new(r.Form.Value(at.Field("email")))
		if code := r.Form.Value(at.Field("access_code")); code != "" {
			person.AccessCode = &code
		}
		in.People = append(in.People, person)
	}
	for _, name := range t.Variables() {
		if v := strings.TrimSpace(r.Form.Value("variables." + name)); v != "" {
			in.Variables[name] = v
		}
	}
	d, err := h.Drafts.UseTemplate(r.UserContext(), r.Who.Call, t.ID, in)
	switch {
	case fault.KindOf(err) == fault.KindInvalid:
		return h.showUse(r, t, http.StatusUnprocessableEntity, page.Page{Faults: faults(r, err)})
	case err != nil:
		return err
	case in.Send:
		r.Flash("ok", page.Mailed("template.sent", h.Mails()), "title", d.Title)
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return r.SeeOther("/app/documents/" + d.ID + "/review")
}
