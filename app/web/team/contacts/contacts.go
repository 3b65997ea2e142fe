package contacts

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

func contactName(c contact.Contact) string { return cmp.Or(c.Name, c.Email) }

// contactList is the page that lists contacts.
type contactList struct {
	Contacts []contact.Contact
	MayEdit  bool
	Search   string
	Status   string
	Kept     []page.Pair
	Filters  []page.Tab
	Columns  []page.Column
	Pager    page.Pager
	Filtered bool
}

// ShowList serves the list of contacts.
func (h *Handlers) ShowList(r *page.Request) error {
	number, size := r.PageOf()
	sort, status := cmp.Or(r.Query("sort"), "name|asc"), cmp.Or(r.Query("status"), contact.Active)
	by, direction, _ := strings.Cut(sort, "|")
	q := contact.Query{Offset: (number - 1) * size, Limit: size, Search: r.Query("search"), Sort: contact.Sort(by), Descending: direction == "desc", Statuses: []string{status}}
	list, err := h.Contacts.List(r.UserContext(), r.Who.Call, q)
	if err != nil {
		return err
	}
	c := contactList{Contacts: list.Items, MayEdit: r.Who.Call.Can(account.ScopeWrite), Search: q.Search, Status: status, Kept: r.Kept("search", "page"),
		Pager: r.Pager(number, size, list.Total), Filtered: q.Search != "" || status != contact.Active,
		Columns: []page.Column{r.Sortable("name", r.Say("contact.name"), sort, false), r.Sortable("email", r.Say("contact.email"), sort, false),
			r.Sortable("organization", r.Say("contact.organization"), sort, false), {Text: r.Say("contact.tags")}, {Text: r.Say("contact.documents")},
			r.Sortable("last_used_at", r.Say("contact.used"), sort, true)}}
	for _, s := range []string{contact.Active, contact.Archived, contact.Deleted} {
		value := s
		if s == contact.Active {
			value = ""
		}
		c.Filters = append(c.Filters, page.Tab{Href: r.Link("status", value, "page", ""), Text: r.Say("contacts." + s), Current: s == status, Count: -1})
	}
	return contactsTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("nav.contacts")}, c))
}

// contactPage is one contact.
type contactPage struct {
	contact.Contact
	Called    string
	State     string
	MayEdit   bool
	Language  string
	Warning   string // about the name
	Documents []record.Row
}

// documentsOf is the number of documents shown for a contact.
const documentsOf = 20

// Show serves one contact with the documents they are invited to.
func (h *Handlers) Show(r *page.Request) error {
	c, err := h.Contacts.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	p := contactPage{Contact: c, Called: contactName(c), State: c.Status(),
		MayEdit: r.Who.Call.Can(account.ScopeWrite), Language: page.LanguageName(c.Locale)}
	if missing := h.Undrawable(c.Name); missing != "" {
		p.Warning = fault.Sentence(r.Words.SayOf, "name_undrawable", fault.Text("name", c.Name), fault.Text("characters", missing))
	}
	if p.Documents, err = h.documentsWith(r, c.Email); err != nil {
		return err
	}
	return contactTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: p.Called}, p))
}

// documentsWith returns the latest documents that an address is invited to.
func (h *Handlers) documentsWith(r *page.Request, email string) (rows []record.Row, err error) {
	list, err := h.Lists.List(r.UserContext(), r.Who.Call, lists.Query{Page: 1, PerPage: 100, Search: email})
	if err != nil {
		return nil, err
	}
	for _, raw := range list.Rows {
		var row record.Row
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, err
		}
		invited := slices.ContainsFunc(row.Signatories,
			func(s record.RowSignatory) bool { return strings.EqualFold(s.Email, email) })
		if invited && len(rows) < documentsOf {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// contactInputs is the form of a contact; ID is empty for a new contact.
type contactInputs struct {
	contact.Contact
	Action, Back string
	TagList      string
	Languages    []page.Option
}

func contactForm(r *page.Request, c contact.Contact) page.View[contactInputs] {
	f := contactInputs{Contact: c, Action: "/app/contacts/new", Back: "/app/contacts", TagList: strings.Join(c.Tags, ", "),
		Languages: append([]page.Option{{Value: "", Label: r.Say("contact.locale.unknown"), Selected: c.Locale == ""}}, r.LanguageOptions(c.Locale)...)}
	title := r.Say("contacts.add")
	if c.ID != "" {
		f.Back = "/app/contacts/" + c.ID
		f.Action, title = f.Back+"/edit", r.Say("contact.edit.title", "name", contactName(c))
	}
	return page.With(page.Page{Title: title}, f)
}

func contactInput(r *page.Request) contact.Input {
	text := func(name string) *string { return new(strings.TrimSpace(r.Form.Value(name))) }
	tags := []string{}
	for t := range strings.SplitSeq(r.Form.Value("tags"), ",") {
		if t = strings.TrimSpace(t); t != "" {
			tags = append(tags, t)
		}
	}
	return contact.Input{Name: text("name"), Email: text("email"), Organization: text("organization"), JobTitle: text("job_title"), Phone: text("phone"), Locale: text("locale"), Note: text("note"), Tags: &tags}
}

// Add creates a contact.
func (h *Handlers) Add(r *page.Request) error {
	c, err := h.Contacts.Create(r.Who.Call, contactInput(r))
	if err != nil {
		return formTemplate.Again(r, page.MergeFaults(err, "tags"), contactForm(r, contact.Contact{}))
	}
	r.Flash("ok", "contact.added", "name", contactName(c))
	return r.SeeOther("/app/contacts/" + c.ID)
}

// Save changes a contact.
func (h *Handlers) Save(r *page.Request) error {
	c, err := h.Contacts.Update(r.Who.Call, r.Params("id"), contactInput(r))
	if err == nil {
		r.Flash("ok", "settings.saved")
		return r.SeeOther("/app/contacts/" + c.ID)
	}
	c, failed := h.Contacts.Get(r.Who.Call, r.Params("id"))
	if failed != nil {
		return failed
	}
	return formTemplate.Again(r, page.MergeFaults(err, "tags"), contactForm(r, c))
}

// ShowNew serves an empty form.
func (h *Handlers) ShowNew(r *page.Request) error {
	return formTemplate.Render(r, http.StatusOK, contactForm(r, contact.Contact{}))
}

// ShowEdit serves the form of a contact.
func (h *Handlers) ShowEdit(r *page.Request) error {
	c, err := h.Contacts.Get(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return formTemplate.Render(r, http.StatusOK, contactForm(r, c))
}

// Archive hides a contact from suggestions.
func (h *Handlers) Archive(r *page.Request) error {
	c, err := h.Contacts.Archive(r.Who.Call, r.Params("id"))
	return done(r, "archive", c, err)
}

// Restore restores a contact that was archived or deleted.
func (h *Handlers) Restore(r *page.Request) error {
	c, err := h.Contacts.Restore(r.Who.Call, r.Params("id"))
	if err == nil && page.Rearchives(r) {
		return h.Archive(r)
	}
	return done(r, "restore", c, err)
}

// Delete deletes a contact.
func (h *Handlers) Delete(r *page.Request) error {
	c, err := h.Contacts.Delete(r.Who.Call, r.Params("id"))
	return done(r, "delete", c, err)
}

// done redirects to a contact that was changed, and offers to undo what can be restored.
func done(r *page.Request, action string, c contact.Contact, err error) error {
	if err != nil {
		return err
	}
	at, undo := "/app/contacts/"+c.ID, ""
	if action != "restore" {
		undo = at + "/restore"
	}
	r.FlashNotice(page.Trash("contact.done."+action, undo, c.ArchivedAt, c.DeletedAt, "name", contactName(c)))
	return r.SeeOther(at)
}
