package api

import (
	"bytes"
	"io"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/contact"
	"paraph/app/fault"
	"paraph/app/httpkit"
)

type contactView struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Undrawable     *string  `json:"name_undrawable" doc:"Characters of the name that no font has; on paper they are written as their code points"`
	Email          string   `json:"email"`
	Organization   *string  `json:"organization" doc:"Fills in the company fields of documents sent to this contact"`
	JobTitle       *string  `json:"job_title" doc:"Fills in the job title fields of documents sent to this contact"`
	Phone          *string  `json:"phone"`
	Locale         *string  `json:"locale"`
	Note           *string  `json:"note"`
	Tags           []string `json:"tags"`
	Status         string   `json:"status" enum:"active,archived,deleted"`
	DocumentsCount int      `json:"documents_count" doc:"Number of documents sent to this contact"`
	LastUsedAt     *string  `json:"last_used_at" format:"date-time"`
	CreatedAt      string   `json:"created_at" format:"date-time"`
	UpdatedAt      string   `json:"updated_at" format:"date-time"`
	ArchivedAt     *string  `json:"archived_at" format:"date-time"`
	DeletedAt      *string  `json:"deleted_at" format:"date-time"`
}

func viewContact(r *request, c contact.Contact) contactView {
	v := contactView{ID: c.ID, Name: c.Name, Undrawable: orNull(r.server.Signing.Drafts.Undrawable(c.Name)), Email: c.Email, Organization: orNull(c.Organization), JobTitle: orNull(c.JobTitle), Phone: orNull(c.Phone), Locale: orNull(c.Locale),
		Note: orNull(c.Note), Tags: c.Tags, Status: c.Status(), DocumentsCount: c.Documents, LastUsedAt: maybe(c.LastUsedAt),
		CreatedAt: when(c.CreatedAt), UpdatedAt: when(c.UpdatedAt), ArchivedAt: maybe(c.ArchivedAt), DeletedAt: maybe(c.DeletedAt)}
	if v.Tags == nil {
		v.Tags = []string{}
	}
	return v
}

type contactBody struct {
	Name         *string   `json:"name,omitempty"`
	Email        *string   `json:"email,omitempty"`
	Organization *string   `json:"organization,omitempty"`
	JobTitle     *string   `json:"job_title,omitempty"`
	Phone        *string   `json:"phone,omitempty"`
	Locale       *string   `json:"locale,omitempty"`
	Note         *string   `json:"note,omitempty"`
	Tags         *[]string `json:"tags,omitempty"`
}

type importAnswer struct {
	Rows    int               `json:"rows" doc:"Number of rows, without the header"`
	Created int               `json:"created"`
	Updated int               `json:"updated"`
	Columns map[string]string `json:"columns" doc:"Contact field to the column it was read from"`
	Faults  []importFault     `json:"faults" doc:"Rows that were skipped"`

	Warnings []importFault `json:"warnings" doc:"Rows that were imported, with a name that no font can show in full"`
}

type importFault struct {
	Row    int                 `json:"row" doc:"Line in the file, starting at 1"`
	Email  string              `json:"email"`
	Errors map[string][]string `json:"errors"`
	Codes  map[string][]string `json:"codes" doc:"Field to stable words, in the order of its errors"`
}

// maxPlain is the minimum size limit for non-JSON bodies such as CSV. The service has
// a limit of its own and reports it.
const maxPlain = 16 * httpkit.MB

// contactHandlers serves the address book.
type contactHandlers struct {
	speech
	contacts *contact.Service
	maxBody  int64 // of JSON, bytes
}

func (h *contactHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/contacts", rule: may(account.ScopeRead), id: "listContacts", summary: "List contacts", tag: "Contacts", query: listParameters, list: true}, h.listContacts)
	handle(s, operation{method: http.MethodPost, path: "/contacts", rule: may(account.ScopeWrite), id: "createContact", needs: []string{"name", "email"}, summary: "Create a contact", tag: "Contacts", status: http.StatusCreated}, func(r *request, in *contactBody) (contactView, error) {
		c, err := h.contacts.Create(r.who, contact.Input(*in))
		return viewContact(r, c), err
	})
	stream(s, operation{method: http.MethodGet, path: "/contacts/export", rule: may(account.ScopeRead), id: "exportContacts", summary: "Export contacts as CSV", tag: "Contacts"}, h.exportContacts)
	handle(s, operation{method: http.MethodPost, path: "/contacts/import", rule: may(account.ScopeWrite).With(max(h.maxBody, maxPlain)), id: "importContacts", summary: "Import contacts from CSV", tag: "Contacts", text: "text/csv",
		query: []parameter{{name: "check", description: "true previews the import without changing anything.", kind: "boolean"}}}, h.importContacts)
	handle(s, operation{method: http.MethodGet, path: "/contacts/{contact}", rule: may(account.ScopeRead), id: "getContact", summary: "Get a contact", tag: "Contacts"}, h.onContact(h.contacts.Get))
	handle(s, operation{method: http.MethodPatch, path: "/contacts/{contact}", rule: may(account.ScopeWrite), id: "updateContact", summary: "Change a contact", tag: "Contacts"}, func(r *request, in *contactBody) (contactView, error) {
		id, err := r.id("contact")
		if err != nil {
			return contactView{}, err
		}
		clearOnNull(r, "organization", &in.Organization)
		clearOnNull(r, "job_title", &in.JobTitle)
		clearOnNull(r, "phone", &in.Phone)
		clearOnNull(r, "locale", &in.Locale)
		clearOnNull(r, "note", &in.Note)
		clearOnNull(r, "tags", &in.Tags)
		c, err := h.contacts.Update(r.who, id, contact.Input(*in))
		return viewContact(r, c), err
	})
	handle(s, operation{method: http.MethodDelete, path: "/contacts/{contact}", rule: may(account.ScopeWrite), id: "deleteContact", summary: "Move a contact to the trash", tag: "Contacts"}, h.onContact(h.contacts.Delete))
	handle(s, operation{method: http.MethodPost, path: "/contacts/{contact}/archive", rule: may(account.ScopeWrite), id: "archiveContact", summary: "Archive a contact", tag: "Contacts"}, h.onContact(h.contacts.Archive))
	handle(s, operation{method: http.MethodPost, path: "/contacts/{contact}/restore", rule: may(account.ScopeWrite), id: "restoreContact", summary: "Restore a contact from the archive or the trash", tag: "Contacts"}, h.onContact(h.contacts.Restore))
}

// onContact returns the handler of an operation whose only input is the contact.
func (h *contactHandlers) onContact(do func(account.Call, string) (contact.Contact, error)) func(*request, *nothing) (contactView, error) {
	return func(r *request, _ *nothing) (contactView, error) {
		id, err := r.id("contact")
		if err != nil {
			return contactView{}, err
		}
		c, err := do(r.who, id)
		return viewContact(r, c), err
	}
}

func (h *contactHandlers) listContacts(r *request, _ *nothing) (envelope[contactView], error) {
	q, p, err := listQuery[contact.Sort](r)
	if err != nil {
		return envelope[contactView]{}, err
	}
	list, err := h.contacts.List(r.UserContext(), r.who, q)
	return enclose(r, p, views(list.Items, func(c contact.Contact) contactView { return viewContact(r, c) }), list.Total), err
}

func (h *contactHandlers) importContacts(r *request, _ *nothing) (importAnswer, error) {
	return h.importFrom(r, "")
}

// importFrom imports the file, or what is left of it after an import that ended early.
func (h *contactHandlers) importFrom(r *request, progress string) (importAnswer, error) {
	in := contact.ImportInput{Body: bytes.NewReader(r.plain), Check: r.query.flag("check"), Resume: progress, Undrawable: r.server.Signing.Drafts.Undrawable}
	if err := r.query.faults.Err(); err != nil {
		return importAnswer{}, err
	}
	done, err := h.contacts.Import(r.UserContext(), r.who, in)
	if err != nil {
		return importAnswer{}, err
	}
	about := func(x contact.RowFault) importFault {
		return importFault{Row: x.Row, Email: x.Email, Errors: h.sentences(x.Fields), Codes: fault.Words(x.Fields)}
	}
	return importAnswer{Rows: done.Rows, Created: done.Created, Updated: done.Updated, Columns: done.Columns,
		Faults: views(done.Faults, about), Warnings: views(done.Warnings, about)}, nil
}

func (h *contactHandlers) exportContacts(r *request, _ *nothing) error {
	write, err := h.contacts.Export(r.UserContext(), r.who)
	if err != nil {
		return err
	}
	return r.sendCSV("contacts.csv", write)
}

// sendCSV answers with a table while it is generated.
func (r *request) sendCSV(name string, write func(io.Writer) error) error {
	r.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	r.Set(fiber.HeaderContentDisposition, httpkit.Disposition(name))
	httpkit.Generated(r.Ctx, write)
	return nil
}
