package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/signing"
)

func (d *Door) contactRoutes(app *fiber.App) {
	d.teamGet(app, "/app/contacts", (*request).showContacts)
	d.teamGet(app, "/app/contacts/new", func(r *request) error {
		return r.writers(func() error { return r.render(http.StatusOK, "contact-form", r.contactForm(contact.Contact{})) })
	})
	d.teamPost(app, "/app/contacts/new", (*request).addContact)
	d.teamGet(app, "/app/contacts/import", func(r *request) error {
		return r.writers(func() error { return r.renderImport(http.StatusOK, importPage{}, page{}) })
	})
	d.teamPost(app, "/app/contacts/import", (*request).importContacts)
	d.teamGet(app, "/app/contacts/export", (*request).exportContacts)
	d.teamGet(app, "/app/contacts/suggest", (*request).suggestContacts)
	d.teamGet(app, "/app/contacts/:id", (*request).showContact)
	d.teamGet(app, "/app/contacts/:id/edit", func(r *request) error {
		return r.writers(func() error {
			c, err := d.Contacts.Get(r.UserContext(), r.who.Actor, r.Params("id"))
			if err != nil {
				return err
			}
			return r.render(http.StatusOK, "contact-form", r.contactForm(c))
		})
	})
	d.teamPost(app, "/app/contacts/:id/edit", (*request).saveContact)
	for action, do := range map[string]func(*request) (contact.Contact, error){
		"archive": func(r *request) (contact.Contact, error) {
			return d.Contacts.Archive(r.UserContext(), r.who.Actor, r.Params("id"))
		},
		"restore": func(r *request) (contact.Contact, error) {
			return d.Contacts.Restore(r.UserContext(), r.who.Actor, r.Params("id"))
		},
		"delete": func(r *request) (contact.Contact, error) {
			return d.Contacts.Delete(r.UserContext(), r.who.Actor, r.Params("id"))
		},
	} {
		d.teamPost(app, "/app/contacts/:id/"+action, func(r *request) error {
			c, err := do(r)
			if err != nil {
				return err
			}
			r.flash("ok", "contact.done."+action, "name", contactName(c))
			return r.redirect("/app/contacts/" + c.ID)
		})
	}
}

// writers lets on whoever may change contacts.
func (r *request) writers(h func() error) error {
	if !r.who.Actor.Can(account.ScopeWrite) {
		return r.forbid(r.say("contacts.forbidden"))
	}
	return h()
}

func contactName(c contact.Contact) string { return cmp.Or(c.Name, c.Email) }

// contactList is the page of all contacts.
type contactList struct {
	Contacts []contact.Contact
	MayEdit  bool
	Search   string
	Status   string
	Kept     []pair
	Filters  []tab
	Columns  []column
	Pager    pager
	Filtered bool
}

func (r *request) showContacts() error {
	number, size := r.pageOf()
	sort, status := cmp.Or(r.Query("sort"), "name|asc"), cmp.Or(r.Query("status"), contact.Active)
	by, direction, _ := strings.Cut(sort, "|")
	q := account.ListQuery{Offset: (number - 1) * size, Limit: size, Search: r.Query("search"), Sort: by, Descending: direction == "desc", Statuses: []string{status}}
	list, err := r.door.Contacts.List(r.UserContext(), r.who.Actor, q)
	if err != nil {
		return err
	}
	c := contactList{Contacts: list.Items, MayEdit: r.who.Actor.Can(account.ScopeWrite), Search: q.Search, Status: status, Kept: r.kept("search", "page"),
		Pager: r.pager(number, size, list.Total), Filtered: q.Search != "" || status != contact.Active,
		Columns: []column{r.sortable("name", r.say("contact.name"), sort, false), r.sortable("email", r.say("contact.email"), sort, false),
			r.sortable("organization", r.say("contact.organization"), sort, false), {Text: r.say("contact.tags")}, {Text: r.say("contact.documents")},
			r.sortable("last_used_at", r.say("contact.used"), sort, true)}}
	for _, s := range []string{contact.Active, contact.Archived, contact.Deleted} {
		value := s
		if s == contact.Active {
			value = ""
		}
		c.Filters = append(c.Filters, tab{Href: r.link("status", value, "page", ""), Text: r.say("contacts." + s), Current: s == status, Count: -1})
	}
	return r.render(http.StatusOK, "contacts", page{Title: r.say("nav.contacts"), Data: c})
}

// contactPage is one contact.
type contactPage struct {
	contact.Contact
	Called    string
	State     string
	MayEdit   bool
	Language  string
	Documents []signing.Row
}

// documentsOf is how many documents of a contact are shown.
const documentsOf = 20

func (r *request) showContact() error {
	c, err := r.door.Contacts.Get(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	p := contactPage{Contact: c, Called: contactName(c), State: c.Status(), MayEdit: r.who.Actor.Can(account.ScopeWrite), Language: c.Locale}
	for _, l := range languages {
		if l.tag == c.Locale {
			p.Language = l.name
		}
	}
	if p.Documents, err = r.documentsWith(c.Email); err != nil {
		return err
	}
	return r.render(http.StatusOK, "contact", page{Title: p.Called, Data: p})
}

// documentsWith are the newest documents to which an address is invited.
func (r *request) documentsWith(email string) (rows []signing.Row, err error) {
	list, err := r.door.Signing.List(r.UserContext(), r.who.Actor, signing.ListQuery{Page: 1, PerPage: 100, Search: email})
	if err != nil {
		return nil, err
	}
	for _, raw := range list.Rows {
		var row signing.Row
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, err
		}
		invited := slices.ContainsFunc(row.Signatories, func(s signing.RowSignatory) bool { return strings.EqualFold(s.Email, email) })
		if invited && len(rows) < documentsOf {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// contactInputs is the form of a contact, a new one where ID is empty.
type contactInputs struct {
	contact.Contact
	Action, Back string
	TagList      string
	Languages    []option
}

func (r *request) contactForm(c contact.Contact) page {
	f := contactInputs{Contact: c, Action: "/app/contacts/new", Back: "/app/contacts", TagList: strings.Join(c.Tags, ", "),
		Languages: append([]option{{"", r.say("contact.locale.unknown"), c.Locale == ""}}, languageOptions(c.Locale)...)}
	title := r.say("contacts.add")
	if c.ID != "" {
		f.Back = "/app/contacts/" + c.ID
		f.Action, title = f.Back+"/edit", r.say("contact.edit.title", "name", contactName(c))
	}
	return page{Title: title, Data: f}
}

func (r *request) contactInput() contact.Input {
	text := func(name string) *string { return new(strings.TrimSpace(r.form.value(name))) }
	tags := []string{}
	for t := range strings.SplitSeq(r.form.value("tags"), ",") {
		if t = strings.TrimSpace(t); t != "" {
			tags = append(tags, t)
		}
	}
	return contact.Input{Name: text("name"), Email: text("email"), Organization: text("organization"), Phone: text("phone"), Locale: text("locale"), Note: text("note"), Tags: &tags}
}

func (r *request) addContact() error {
	c, err := r.door.Contacts.Create(r.UserContext(), r.who.Actor, r.contactInput())
	if err != nil {
		return r.again(gathered(err, "tags"), "contact-form", r.contactForm(contact.Contact{}))
	}
	r.flash("ok", "contact.added", "name", contactName(c))
	return r.redirect("/app/contacts/" + c.ID)
}

func (r *request) saveContact() error {
	c, err := r.door.Contacts.Update(r.UserContext(), r.who.Actor, r.Params("id"), r.contactInput())
	if err == nil {
		r.flash("ok", "settings.saved")
		return r.redirect("/app/contacts/" + c.ID)
	}
	c, failed := r.door.Contacts.Get(r.UserContext(), r.who.Actor, r.Params("id"))
	if failed != nil {
		return failed
	}
	return r.again(gathered(err, "tags"), "contact-form", r.contactForm(c))
}
