package drafts

import (
	"net/http"
	"strings"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// received holds the files uploaded with a form.
type received struct {
	uploads []upload
	failed  []string // messages about refused files
	unfit   bool     // a replaced file left fields without a place
}

// upload is a file, and which one of the draft it replaces, if any.
type upload struct {
	*intake.Upload
	file string
}

func (h Form) closeReceived(r *page.Request, all *received) {
	for _, u := range all.uploads {
		if err := u.Close(); err != nil {
			h.Log.Warn("dropping an upload", "request_id", r.RequestID(), "error", err)
		}
	}
}

// receive reads a form with files. A problem with one file doesn't affect the
// others.
func (h Form) receive(r *page.Request) (*received, error) {
	all := &received{}
	err := r.Files(func(f *httpkit.Part) error {
		if f.File == "" {
			return nil // an empty file input
		}
		u, err := h.Intake.Receive(r.Who.Call, f.File, f.ContentType, f)
		switch {
		case fault.KindOf(err) == fault.KindTooLarge:
			all.failed = append(all.failed, f.File+": "+r.Explain(r.FailureOf(err)))
			return nil
		case err != nil:
			return err
		}
		_, file, _ := strings.Cut(f.Field, "-")
		all.uploads = append(all.uploads, upload{u, file})
		return nil
	})
	for _, u := range all.uploads {
		u.Password, u.Flatten = secretOf(r, u.file)
	}
	return all, err
}

// secretOf returns the password entered for a file, "" for new ones, and whether a copy of its
// pages may stand for it.
func secretOf(r *page.Request, file string) (password string, flatten bool) {
	if file != "" {
		file = "-" + file
	}
	return r.Form.Value("password" + file), r.Form.Value("flatten"+file) == "yes"
}

// refusedFile describes why a file was refused. An error that isn't about the file is
// returned.
func refusedFile(r *page.Request, err error) (string, error) {
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		var all []string
		for _, messages := range r.FailureOf(err).Faults {
			all = append(all, messages...)
		}
		return strings.Join(all, " "), nil
	case fault.KindUnsupported, fault.KindTooLarge:
		return r.Explain(r.FailureOf(err)), nil
	}
	return "", err
}

// Create creates a draft from a form. A script, which uploads later, creates it with a title alone.
func (h Form) Create(r *page.Request) error {
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
	title := r.Form.Value("title")
	in := signing.CreateInput{DocumentInput: record.DocumentInput{Title: &title}, BaseURL: r.MailURL()}
	if r.Scripted() {
		d, err := h.Drafts.Create(r.UserContext(), r.Who.Call, in)
		if err != nil {
			return err
		}
		return r.JSON(map[string]string{"base": r.Address("/app/documents/" + d.ID)})
	}
	var d *record.Document
	rest := all.uploads
	for d == nil && len(rest) > 0 {
		u := rest[0]
		rest = rest[1:]
		in.Title, in.Uploads = new(titleOr(title, u.Name)), []*intake.Upload{u.Upload}
		if d, err = h.Drafts.Create(r.UserContext(), r.Who.Call, in); err != nil {
			why, err := refusedFile(r, err)
			if err != nil {
				return err
			}
			all.failed = append(all.failed, why)
		}
	}
	if d == nil && entered(r) {
		in.Title, in.Uploads = nil, nil // the form's own is checked like the rest of it
		if d, err = h.Drafts.Create(r.UserContext(), r.Who.Call, in); err != nil {
			return err
		}
	}
	if d == nil {
		if len(all.failed) == 0 {
			all.failed = []string{r.Say("files.none")}
		}
		p := page.Page{Values: r.Form, Faults: map[string][]string{"files": all.failed}}
		return h.showDraft(r, nil, nil, http.StatusUnprocessableEntity, p)
	}
	if err := h.take(r, d.ID, all, rest); err != nil {
		return err
	}
	return h.store(r, d.ID, func(r *page.Request, d *record.Document) error { return h.proceed(r, d, all) })
}

// titleOr returns the title, or one derived from the first file's name.
func titleOr(title, name string) string {
	if title = strings.TrimSpace(title); title != "" {
		return title
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
}

func (h Form) attach(r *page.Request, id string, u *intake.Upload) error {
	in := signing.AttachInput{Uploads: []*intake.Upload{u}}
	_, _, err := h.Drafts.Attach(r.UserContext(), r.Who.Call, id, in)
	return err
}

// shorten cuts a text to a number of characters.
func shorten(s string, limit int) string {
	if c := []rune(s); len(c) > limit {
		return string(c[:limit]) + "…"
	}
	return s
}

// take adds the files of a form to a draft, or replaces those that they are meant for.
func (h Form) take(r *page.Request, id string, all *received, uploads []upload) error {
	for _, u := range uploads {
		var unfit []string
		var err error
		if u.file == "" {
			err = h.attach(r, id, u.Upload)
		} else {
			_, unfit, err = h.Drafts.ReplaceFile(r.UserContext(), r.Who.Call, id, u.file, u.Upload)
		}
		if err != nil {
			why, err := refusedFile(r, err)
			if err != nil {
				return err
			}
			all.failed = append(all.failed, why)
		}
		all.unfit = all.unfit || len(unfit) > 0
	}
	return nil
}

// ReplaceFile replaces a file of a draft and says which fields no longer fit.
func (h Form) ReplaceFile(r *page.Request) error {
	return h.withFiles(r, func(r *page.Request, d *record.Document, all *received) error {
		if len(all.uploads)+len(all.failed) == 0 {
			all.failed = []string{r.Say("files.none")}
		}
		why := strings.Join(all.failed, " ")
		switch {
		case why != "" && r.Scripted():
			return r.Status(http.StatusUnprocessableEntity).JSON(map[string]string{"message": why})
		case why != "":
			return h.showDraft(r, d, peopleRows(d), http.StatusUnprocessableEntity, page.Page{Fault: why})
		case all.unfit:
			r.Flash("warn", "files.replaced.unfit")
		default:
			r.Flash("ok", "files.replaced")
		}
		return r.SeeOther(at(d.ID, stepFiles))
	})
}
