package templates

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// templatePage is one template.
type templatePage struct {
	signing.Template
	Base      string // base path of the pages that edit its content
	MayEdit   bool
	State     string
	Roles     []roleLine
	Variables []string
	Used      *time.Time
	Problems  []string      // problems that prevent its documents from being sent
	Marks     []page.Option // allowed types of signatures
	Deadline  string        // number of days for the form
}

// roleLine is a role with its default person.
type roleLine struct {
	Letter, Color, Name, Does, Person string
	Fields                            int
}

// Show serves one template.
func (h *Handlers) Show(r *page.Request) error {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	return h.show(r, t, http.StatusOK, page.Page{})
}

func (h *Handlers) show(r *page.Request, t signing.Template, status int, p page.Page) error {
	data := templatePage{Template: t, Base: "/app/documents/" + t.ID, MayEdit: r.Who.Call.Can(account.ScopeWrite), State: stateOf(t.Document),
		Variables: t.Variables(), Marks: page.SignatureTypeOptions(r, t.SignatureTypes),
		Used: usedAt(t),
	}
	if t.ExpiresDays > 0 {
		data.Deadline = strconv.Itoa(t.ExpiresDays)
	}
	for i := range t.Invitations {
		inv := &t.Invitations[i]
		line := roleLine{Letter: page.LetterOf(i), Color: page.HueOf(i), Name: inv.RoleName, Does: r.Say("asked." + inv.Role)}
		if inv.Email != "" {
			line.Person = r.Words.Mailbox(inv.Name, inv.Email)
		}
		for k := range t.Fields {
			if t.Fields[k].Invitation == inv.ID {
				line.Fields++
			}
		}
		data.Roles = append(data.Roles, line)
	}
	for _, x := range h.Drafts.Problems(t.Document) {
		if x.Severity == record.SeverityError {
			data.Problems = append(data.Problems, r.Sentence(fault.Field{Code: x.Code, Args: x.Args}, nil))
		}
	}
	p.Title, p.Back = t.Title, "/app/templates"
	return templateTemplate.Render(r, status, page.With(p, data))
}

func stateOf(d *record.Document) string {
	switch {
	case d.DeletedAt != nil:
		return deleted
	case d.ArchivedAt != nil:
		return archived
	}
	return active
}

// usedAt returns the time when a template was last used, nil for never.
func usedAt(t signing.Template) *time.Time {
	at, err := time.Parse(time.RFC3339, t.LastUsedAt)
	if err != nil {
		return nil
	}
	return &at
}

// Add creates an empty template and continues with its files.
func (h *Handlers) Add(r *page.Request) error {
	title := r.Say("template.untitled")
	in := signing.CreateInput{DocumentInput: record.DocumentInput{Title: &title}, Template: true}
	d, err := h.Drafts.Create(r.UserContext(), r.Who.Call, in)
	if err != nil {
		return err
	}
	return r.SeeOther("/app/documents/" + d.ID + "/files")
}

// SaveDocument creates a template from a document.
func (h *Handlers) SaveDocument(r *page.Request) error {
	t, err := h.Drafts.SaveTemplate(r.Who.Call, r.Params("id"), nil, nil)
	if err != nil {
		return err
	}
	r.Flash("ok", "template.saved", "title", t.Title)
	return r.SeeOther("/app/templates/" + t.ID)
}

// Save stores the settings of a template.
func (h *Handlers) Save(r *page.Request) error {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	text := func(name string) *string { return new(strings.TrimSpace(r.Form.Value(name))) }
	in := record.DocumentInput{Title: text("title"), Subject: text("subject"), Message: text("message")}
	in.ReadToEnd = new(r.Form.Has("read_to_end"))
	if r.Form.Has("signature_types") {
		in.SignatureTypes = page.ReadSignatureTypes(r.Form.Value("signature_types"))
	}
	days, err := strconv.Atoi(*text("expires_days"))
	switch {
	case err == nil:
		in.ExpiresDays = &days
	case *text("expires_days") == "":
		in.ExpiresDays = new(0)
	default:
		in.ExpiresDays = new(-1) // the service's refusal states the bounds
	}
	if _, err = h.Drafts.Update(r.Who.Call, t.ID, in); err == nil {
		r.Flash("ok", "settings.saved")
		return r.SeeOther("/app/templates/" + t.ID)
	}
	if fault.KindOf(err) != fault.KindInvalid {
		return err
	}
	return h.show(r, t, http.StatusUnprocessableEntity, page.Page{Faults: faults(r, err)})
}

func faults(r *page.Request, err error) map[string][]string {
	out := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		label := strings.ReplaceAll(f.Name, "_", " ")
		out[f.Name] = append(out[f.Name], r.Sentence(f,
			map[string]string{label: label[strings.LastIndexByte(label, '.')+1:]}))
	}
	return out
}

// step is a service method whose only input is the document.
type step func(account.Call, string) (*record.Document, error)

// steps are the actions that need no further input.
func (h *Handlers) steps() map[string]step {
	l := h.Sending
	return map[string]step{
		"archive": l.Archive, "restore": l.Restore, "delete": l.Delete, "duplicate": h.Drafts.Duplicate,
	}
}

// Step returns the handler of an action.
func (h *Handlers) Step(name string) page.Handler {
	return func(r *page.Request) error {
		t, err := h.Drafts.GetTemplate(r.Who.Call, r.Params("id"))
		if err != nil {
			return err
		}
		d, err := h.steps()[name](r.Who.Call, t.ID)
		if err == nil && name == "restore" && page.Rearchives(r) {
			return h.Step("archive")(r)
		}
		if err != nil {
			return err
		}
		undo := ""
		if slices.Contains([]string{"archive", "delete"}, name) {
			undo = "/app/templates/" + t.ID + "/restore"
		}
		r.FlashNotice(page.Trash("template.done."+name, undo, d.ArchivedAt, d.DeletedAt, "title", d.Title))
		return r.SeeOther("/app/templates/" + d.ID)
	}
}
