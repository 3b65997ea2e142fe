package templates

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// linksPage lists the public links of a template.
type linksPage struct {
	ID      string
	Links   []linkRow
	MayEdit bool // and the template can be used
}

// linkRow is a public link in the list.
type linkRow struct {
	publiclink.Link
	URL  string // "" for readers who may not see it
	QR   template.HTML
	Chip page.Chip
}

// linkForm is the form that makes or changes a public link.
type linkForm struct {
	Template, ID string // ID is "" for a new link
	publiclink.Link
	Roles     []page.Option
	People    []roleInputs // of the roles without a person in the template
	Variables []variableInput
	Limit     string
	Until     string
	Make      bool
}

// ShowLinks serves the public links of a template.
func (h *Handlers) ShowLinks(r *page.Request) error {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	list, err := h.Links.List(r.UserContext(), r.Who.Call, t.ID, 0, publiclink.MaxLinks)
	if err != nil {
		return err
	}
	p := linksPage{ID: t.ID, MayEdit: r.Who.Call.Can(account.ScopeWrite) && usable(t.Document)}
	for i := range list.Items {
		row := linkRow{Link: list.Items[i], Chip: linkChip(r, list.Items[i].Status)}
		if row.URL = h.Links.URL(r.Who.Call, &row.Link, r.MailURL()); row.URL != "" {
			if row.QR, err = page.QrCode(row.URL, r.Say("publiclinks.qr")); err != nil {
				return err
			}
		}
		p.Links = append(p.Links, row)
	}
	frame := page.Page{Title: r.Say("publiclinks.title"), Lead: t.Title, Back: "/app/templates/" + t.ID}
	return linksTemplate.Render(r, http.StatusOK, page.With(frame, p))
}

func linkChip(r *page.Request, s publiclink.Status) page.Chip {
	look := map[publiclink.Status]page.Chip{
		publiclink.Open: {Kind: "ok", Icon: "check"}, publiclink.Off: {Icon: "void"},
		publiclink.Expired: {Kind: "warn", Icon: "clock"}, publiclink.UsedUp: {Kind: "warn", Icon: "checks"},
		publiclink.Full:   {Kind: "warn", Icon: "alert"},
		publiclink.Closed: {Kind: "void", Icon: "lock"},
	}[s]
	look.Text = r.Say("publiclinks.status." + string(s))
	return look
}

// ShowLink serves the form that makes or changes a public link.
func (h *Handlers) ShowLink(r *page.Request) error {
	t, l, err := h.linkOf(r)
	if err != nil {
		return err
	}
	return showLink(r, t, l, http.StatusOK, page.Page{})
}

// newLink stands for the identifier of a link that is to be made.
const newLink = "new"

// linkOf returns the template, and the link unless it is to be made.
func (h *Handlers) linkOf(r *page.Request) (t signing.Template, l publiclink.Link, err error) {
	if t, err = h.Drafts.GetTemplate(r.Who.Call, r.Params("id")); err != nil {
		return t, l, err
	}
	if id := r.Params("link"); id != newLink {
		l, err = h.Links.Get(r.Who.Call, t.ID, id)
		return t, l, err
	}
	return t, publiclink.Link{CheckAddress: true}, nil
}

func showLink(r *page.Request, t signing.Template, l publiclink.Link, status int, p page.Page) error {
	data := linkForm{Template: t.ID, Link: l, ID: l.ID, Make: l.ID == ""}
	if l.MaxUses > 0 {
		data.Limit = strconv.Itoa(l.MaxUses)
	}
	if l.ExpiresAt != nil {
		data.Until = l.ExpiresAt.In(r.Who.Company.Zone()).Format(time.DateOnly)
	}
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		if inv.Signs() {
			data.Roles = append(data.Roles, page.Option{Value: inv.ID, Label: inv.RoleName, Selected: inv.ID == l.Role})
		}
		if inv.Name == "" || inv.Email == "" {
			data.People = append(data.People, linkPerson(&l, inv, i))
		}
	}
	if len(data.Roles) == 1 { // then it is the visitors'
		data.People = slices.DeleteFunc(data.People, func(in roleInputs) bool { return in.ID == data.Roles[0].Value })
	}
	for _, name := range t.Variables() {
		data.Variables = append(data.Variables, variableInput{Name: name, Value: l.Variables[name]})
	}
	p.Title, p.Lead, p.Back = r.Say("publiclinks.make"), t.Title, "/app/templates/"+t.ID+"/links"
	p.Scripts = []string{"settings.js"}
	return linkTemplate.Render(r, status, page.With(p, data))
}

// linkPerson returns the inputs for the person in a role, with what the link has for it.
func linkPerson(l *publiclink.Link, inv *record.Invitation, n int) roleInputs {
	in := roleInputs{N: n, ID: inv.ID, RoleName: inv.RoleName, Name: inv.Name, Email: inv.Email}
	for _, p := range l.People {
		if p.Role == inv.ID || strings.EqualFold(p.Role, inv.RoleName) {
			in.Name, in.Email = p.Name, p.Email
		}
	}
	return in
}

// SaveLink makes or changes a public link.
func (h *Handlers) SaveLink(r *page.Request) error {
	t, l, err := h.linkOf(r)
	if err != nil {
		return err
	}
	in, rows := linkInput(r, t, l)
	if l.ID == "" {
		_, err = h.Links.Create(r.Who.Call, t.ID, in)
	} else {
		_, err = h.Links.Update(r.Who.Call, t.ID, l.ID, in)
	}
	if fault.KindOf(err) == fault.KindInvalid {
		refused := page.Page{Values: r.Form, Faults: faults(r, atRows(err, rows))}
		return showLink(r, t, l, http.StatusUnprocessableEntity, refused)
	}
	if err != nil {
		return err
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/templates/" + t.ID + "/links")
}

// linkInput reads the form of a public link, and returns the index of the role of each person. What
// the form doesn't ask for stays as the link has it.
func linkInput(r *page.Request, t signing.Template, before publiclink.Link) (in publiclink.Input, rows []int) {
	text := func(name string) *string { return new(strings.TrimSpace(r.Form.Value(name))) }
	in = publiclink.Input{Role: text("role"), ClosingText: text("closing_text"), MaxUses: new(0),
		CheckAddress: new(r.Form.Has("check_address")), People: &[]publiclink.Person{}, Variables: &map[string]string{},
		ExpiresAt: new(time.Time), BaseURL: r.MailURL()}
	if s := *text("max_uses"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			n = -1 // the service's refusal states the bounds
		}
		in.MaxUses = &n
	}
	if s := *text("expires_at"); s != "" {
		day, err := time.ParseInLocation(time.DateOnly, s, r.Who.Company.Zone())
		if err != nil {
			day = time.Unix(0, 0) // the service refuses what is past
		}
		in.ExpiresAt = new(day.AddDate(0, 0, 1).Add(-time.Millisecond))
	}
	for i := range t.Invitations {
		at, role := roleInputs{N: i}, t.Invitations[i].ID
		p := publiclink.Person{Role: role, Name: *text(at.Field("name")), Email: *text(at.Field("email"))}
		for _, known := range before.People {
			if known.Role == role && strings.EqualFold(known.Email, p.Email) {
				p.Locale = known.Locale
			}
		}
		if role != *in.Role && p.Name+p.Email != "" {
			*in.People, rows = append(*in.People, p), append(rows, i)
		}
	}
	for _, name := range t.Variables() {
		if v := *text("variables." + name); v != "" {
			(*in.Variables)[name] = v
		}
	}
	return in, rows
}

// atRows moves faults of people to the inputs of their roles.
func atRows(err error, rows []int) error {
	return page.RenameFaults(err, func(name string) string {
		part := strings.SplitN(name, ".", 3)
		if len(part) < 3 || part[0] != "people" {
			return name
		}
		if i, bad := strconv.Atoi(part[1]); bad == nil && i < len(rows) {
			part[1] = strconv.Itoa(rows[i])
		}
		return strings.Join(part, ".")
	})
}

// SwitchLink returns the handler that turns a public link on or off.
func (h *Handlers) SwitchLink(off bool) page.Handler {
	return func(r *page.Request) error {
		id := r.Params("id")
		_, err := h.Links.Update(r.Who.Call, id, r.Params("link"), publiclink.Input{Off: &off})
		if err != nil {
			return err
		}
		r.Flash("ok", "settings.saved")
		return r.SeeOther("/app/templates/" + id + "/links")
	}
}

// DeleteLink deletes a public link.
func (h *Handlers) DeleteLink(r *page.Request) error {
	id := r.Params("id")
	if err := h.Links.Delete(r.Who.Call, id, r.Params("link")); err != nil {
		return err
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/templates/" + id + "/links")
}
