package drafts

import (
	"net/http"
	"strings"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// received holds the files uploaded with a form.
type received struct {
	uploads []*signing.Upload
	failed  []string // messages about refused files
}

func (h *Handlers) closeReceived(r *page.Request, all *received) {
	for _, u := range all.uploads {
		if err := u.Close(); err != nil {
			h.Log.Warn("dropping an upload", "request_id", r.RequestID(), "error", err)
		}
	}
}

// receive reads a form with files. A problem with one file doesn't affect the
// others.
func (h *Handlers) receive(r *page.Request) (*received, error) {
	all := &received{}
	err := r.Files(func(f *httpkit.Part) error {
		if f.File == "" {
			return nil // an empty file input
		}
		u, err := h.Intake.Receive(r.UserContext(), r.Who.Actor, f.File, f.ContentType, f)
		switch {
		case fault.KindOf(err) == fault.KindTooLarge:
			all.failed = append(all.failed, f.File+": "+r.Explain(r.FailureOf(err)))
			return nil
		case err != nil:
			return err
		}
		all.uploads = append(all.uploads, u)
		return nil
	})
	for _, u := range all.uploads {
		u.Password, u.Flatten = r.Form.Value("password"), r.Form.Value("flatten") == "yes"
	}
	return all, err
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

// Create creates a draft from the files of a form. A script, which uploads later,
// creates it without files.
func (h *Handlers) Create(r *page.Request) error {
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
	title := r.Form.Value("title")
	if r.Scripted() {
		in := signing.CreateInput{DocumentInput: signing.DocumentInput{Title: &title}, BaseURL: r.MailURL()}
		d, err := h.Drafts.Create(r.UserContext(), r.Who.Actor, in)
		if err != nil {
			return err
		}
		return r.JSON(map[string]string{"base": r.Address("/app/documents/" + d.ID)})
	}
	var d *signing.Document
	for _, u := range all.uploads {
		if d != nil {
			err = h.attach(r, d.ID, u)
		} else {
			in := signing.CreateInput{
				DocumentInput: signing.DocumentInput{Title: new(titleOr(title, u.Name))},
				Uploads:       []*signing.Upload{u},
				BaseURL:       r.MailURL(),
			}
			d, err = h.Drafts.Create(r.UserContext(), r.Who.Actor, in)
		}
		if err != nil {
			why, err := refusedFile(r, err)
			if err != nil {
				return err
			}
			all.failed = append(all.failed, why)
		}
	}
	if d == nil {
		if len(all.failed) == 0 {
			all.failed = []string{r.Say("files.none")}
		}
		p := page.Page{Values: r.Form, Faults: map[string][]string{"files": all.failed}}
		return h.showFilesOf(r, nil, http.StatusUnprocessableEntity, p)
	}
	return h.afterFiles(r, d.ID, all.failed)
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

func (h *Handlers) attach(r *page.Request, id string, u *signing.Upload) error {
	in := signing.AttachInput{Uploads: []*signing.Upload{u}}
	_, _, err := h.Drafts.Attach(r.UserContext(), r.Who.Actor, id, in)
	return err
}

// afterFiles continues with the recipients, or returns to files that need attention.
func (h *Handlers) afterFiles(r *page.Request, id string, failed []string) error {
	d, err := h.Documents.Get(r.UserContext(), r.Who.Actor, id)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		r.Flash("warn", "files.failed", "why", shorten(strings.Join(failed, " "), 900))
		return r.SeeOther(at(id, stepFiles))
	}
	for i := range d.Files {
		for _, x := range d.Files[i].Findings {
			if x.Severity == record.SeverityWarning {
				r.Flash("info", "files.look")
				return r.SeeOther(at(id, stepFiles))
			}
		}
	}
	return r.SeeOther(at(id, stepPeople))
}

// shorten cuts a text to a number of characters.
func shorten(s string, limit int) string {
	if c := []rune(s); len(c) > limit {
		return string(c[:limit]) + "…"
	}
	return s
}

// withFiles calls a handler with the draft and the files of a form. A form without files
// counts as one that failed.
func (h *Handlers) withFiles(
	r *page.Request, do func(r *page.Request, d *signing.Document, all *received) error,
) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
	if len(all.uploads)+len(all.failed) == 0 {
		all.failed = []string{r.Say("files.none")}
	}
	return do(r, d, all)
}

// AddFiles adds files to a draft.
func (h *Handlers) AddFiles(r *page.Request) error {
	return h.withFiles(r, h.addFiles)
}

func (h *Handlers) addFiles(r *page.Request, d *signing.Document, all *received) error {
	for _, u := range all.uploads {
		err := h.attach(r, d.ID, u)
		if err == nil {
			continue
		}
		why, err := refusedFile(r, err)
		if err != nil {
			return err
		}
		all.failed = append(all.failed, why)
	}
	if len(all.failed) > 0 {
		r.Flash("warn", "files.failed", "why", shorten(strings.Join(all.failed, " "), 900))
	}
	return r.SeeOther(at(d.ID, stepFiles))
}

// ReplaceFile replaces a file of a draft and says which fields no longer fit.
func (h *Handlers) ReplaceFile(r *page.Request) error {
	return h.withFiles(r, h.replaceFile)
}

func (h *Handlers) replaceFile(r *page.Request, d *signing.Document, all *received) error {
	if len(all.failed) > 0 {
		return h.notReplaced(r, d, strings.Join(all.failed, " "))
	}
	_, unfit, err := h.Drafts.ReplaceFile(r.UserContext(), r.Who.Actor, d.ID, r.Params("file"), all.uploads[0])
	if err != nil {
		why, err := refusedFile(r, err)
		if err != nil {
			return err
		}
		return h.notReplaced(r, d, why)
	}
	if len(unfit) > 0 {
		r.Flash("warn", "files.replaced.unfit")
	} else {
		r.Flash("ok", "files.replaced")
	}
	return r.SeeOther(at(d.ID, stepFiles))
}

// notReplaced says why a file was not replaced.
func (h *Handlers) notReplaced(r *page.Request, d *signing.Document, why string) error {
	if r.Scripted() {
		return r.Status(http.StatusUnprocessableEntity).JSON(map[string]string{"message": why})
	}
	return h.showFilesOf(r, d, http.StatusUnprocessableEntity, page.Page{Fault: why})
}
