package drafts

import (
	"net/http"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// filesPage is the first step of making a document.
type filesPage struct {
	ID, Base string // of the document; "" before there is one
	Name     string // title of the document
	Limit    int64
	Files    []fileRow
	Uploads  []uploadRow
	Steps    []step
}

// fileRow is a file that is there.
type fileRow struct {
	*signing.File
	Count       int    // pages
	From        string // how it became a PDF
	Notes       []note
	First, Last bool
	Fields      int   // that lie on it
	Look        []int // pages to look at before it can be confirmed
	Unconfirmed bool
}

// note is something to know of a file.
type note struct{ Kind, Text string }

// uploadRow is a file that has not come whole.
type uploadRow struct {
	signing.Unfinished
	Percent int
}

// maxLook is how many pages of a converted file are shown to be confirmed.
const maxLook = 50

// ShowNew serves the first step of a new document.
func (h *Handlers) ShowNew(r *page.Request) error {
	if err := r.Who.Actor.Require(account.ScopeWrite); err != nil {
		return err
	}
	return h.showFilesOf(r, nil, http.StatusOK, page.Page{})
}

// ShowFiles serves the step about the files.
func (h *Handlers) ShowFiles(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	if d.Status != signing.Draft {
		return r.SeeOther("/app/documents/" + d.ID)
	}
	return h.showFilesOf(r, d, http.StatusOK, page.Page{})
}

func (h *Handlers) showFilesOf(r *page.Request, d *signing.Document, status int, p page.Page) error {
	p.Title, p.Scripts = r.Say("files.title"), []string{"files.js"}
	data := filesPage{Limit: h.MaxUpload, Steps: steps(r, "", stepFiles)}
	if d != nil {
		uploads, err := h.Signing.UnfinishedUploads(r.UserContext(), r.Who.Actor, d.ID)
		if err != nil {
			return err
		}
		data.ID, data.Base, data.Name, data.Steps = d.ID, "/app/documents/"+d.ID, d.Title, steps(r, d.ID, stepFiles)
		data.Files = fileRows(r, d)
		for _, u := range uploads {
			data.Uploads = append(data.Uploads, uploadRow{u, int(100 * u.Received / u.Size)})
		}
	}
	p.Data = data
	return r.Render(status, "files", p)
}

func fileRows(r *page.Request, d *signing.Document) []fileRow {
	var out []fileRow
	problems := signing.Problems(d)
	for i := range d.Files {
		f := &d.Files[i]
		row := fileRow{File: f, Count: len(f.Pages), First: i == 0, Last: i == len(d.Files)-1}
		if f.ConvertedBy != "" {
			row.From = r.Say("files.by." + f.ConvertedBy)
		}
		for _, x := range f.Findings {
			if x.Code == "converted_builtin" && f.Confirmed {
				continue
			}
			row.Notes = append(row.Notes, finding(r, x))
		}
		for _, x := range problems {
			if x.Code == "same_file" && x.File == f.ID {
				row.Notes = append(row.Notes, note{"warn", r.Problem(x)})
			}
		}
		for _, x := range d.Fields {
			if x.File == f.ID {
				row.Fields++
			}
		}
		if row.Unconfirmed = f.ConvertedBy == "builtin" && !f.Confirmed; row.Unconfirmed {
			for n := range min(len(f.Pages), maxLook) {
				row.Look = append(row.Look, n+1)
			}
		}
		out = append(out, row)
	}
	return out
}

// finding is what the inspection saw, with what can be done about it.
func finding(r *page.Request, x signing.Finding) note {
	n := note{"info", x.Message}
	if x.Severity == signing.SeverityWarning {
		n.Kind = "warn"
	}
	if x.Code == "existing_form" {
		n.Text += " " + r.Say("files.form")
	}
	return n
}

// received is what came with a form of files.
type received struct {
	uploads []*signing.Upload
	failed  []string // sentences on files that can't be taken
}

func (h *Handlers) closeReceived(r *page.Request, all *received) {
	for _, u := range all.uploads {
		if err := u.Close(); err != nil {
			h.Log.Warn("dropping an upload", "request_id", r.RequestID(), "error", err)
		}
	}
}

// receive reads a form of files. What is wrong with one file does not keep the
// others from being taken.
func (h *Handlers) receive(r *page.Request) (*received, error) {
	all := &received{}
	err := r.Files(func(f *httpkit.Part) error {
		if f.File == "" {
			return nil // an input that nothing was chosen in
		}
		u, err := h.Signing.Receive(r.UserContext(), r.Who.Actor, f.File, f.ContentType, f)
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

// refusedFile is the sentence about a file that was not taken, or the error
// when it is about something else.
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

// Create makes a draft of the files of a form. A script that sends its
// files later has one made without any.
func (h *Handlers) Create(r *page.Request) error {
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
	title := r.Form.Value("title")
	if r.Scripted() {
		d, err := h.Signing.Create(r.UserContext(), r.Who.Actor, signing.CreateInput{DocumentInput: signing.DocumentInput{Title: &title}, BaseURL: r.BaseURL()})
		if err != nil {
			return err
		}
		return r.JSON(map[string]string{"base": "/app/documents/" + d.ID})
	}
	var d *signing.Document
	for _, u := range all.uploads {
		if d != nil {
			err = h.attach(r, d.ID, u)
		} else {
			in := signing.CreateInput{DocumentInput: signing.DocumentInput{Title: new(titleOr(title, u.Name))}, Uploads: []*signing.Upload{u}, BaseURL: r.BaseURL()}
			d, err = h.Signing.Create(r.UserContext(), r.Who.Actor, in)
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
		return h.showFilesOf(r, nil, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: map[string][]string{"files": all.failed}})
	}
	return h.afterFiles(r, d.ID, all.failed)
}

// titleOr is the title, or one made of the name of the first file.
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
	_, _, err := h.Signing.Attach(r.UserContext(), r.Who.Actor, id, []*signing.Upload{u})
	return err
}

// afterFiles leads on to the people, or back to files that somebody should look at.
func (h *Handlers) afterFiles(r *page.Request, id string, failed []string) error {
	d, err := h.Signing.Get(r.UserContext(), r.Who.Actor, id)
	if err != nil {
		return err
	}
	if len(failed) > 0 {
		r.Flash("warn", "files.failed", "why", shorten(strings.Join(failed, " "), 900))
		return r.SeeOther(at(id, stepFiles))
	}
	for i := range d.Files {
		for _, x := range d.Files[i].Findings {
			if x.Severity == signing.SeverityWarning {
				r.Flash("info", "files.look")
				return r.SeeOther(at(id, stepFiles))
			}
		}
	}
	return r.SeeOther(at(id, stepPeople))
}

// shorten cuts a text for a place that holds only so much.
func shorten(s string, limit int) string {
	if c := []rune(s); len(c) > limit {
		return string(c[:limit]) + "…"
	}
	return s
}

// AddFiles takes further files for a draft.
func (h *Handlers) AddFiles(r *page.Request) error {
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	all, err := h.receive(r)
	defer h.closeReceived(r, all)
	if err != nil {
		return err
	}
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
	if len(all.uploads)+len(all.failed) == 0 {
		all.failed = []string{r.Say("files.none")}
	}
	if len(all.failed) > 0 {
		r.Flash("warn", "files.failed", "why", shorten(strings.Join(all.failed, " "), 900))
	}
	return r.SeeOther(at(d.ID, stepFiles))
}

// SaveTitle keeps the title and leads on.
func (h *Handlers) SaveTitle(r *page.Request) error {
	id := r.Params("id")
	d, err := h.Signing.Update(r.UserContext(), r.Who.Actor, id, signing.DocumentInput{Title: new(r.Form.Value("title"))})
	if fault.KindOf(err) == fault.KindInvalid {
		now, lost := h.draft(r)
		if lost != nil {
			return lost
		}
		return h.showFilesOf(r, now, http.StatusUnprocessableEntity, page.Page{Values: r.Form, Faults: r.FailureOf(err).Faults})
	}
	if err != nil {
		return err
	}
	if r.Form.Value("do") == "save" {
		r.Flash("ok", "create.saved")
		return r.SeeOther(at(d.ID, stepFiles))
	}
	return r.SeeOther(at(d.ID, stepPeople))
}

// ChangeFile renames, moves, confirms or removes a file.
func (h *Handlers) ChangeFile(r *page.Request) error {
	id, file := r.Params("id"), r.Params("file")
	d, err := h.draft(r)
	if err != nil {
		return err
	}
	var in signing.FileInput
	switch do := r.Form.Value("do"); do {
	case "rename":
		in.Name = new(r.Form.Value("name"))
	case "confirm":
		in.Confirmed = new(true)
	case "up", "down", "move":
		in.Position, err = newPosition(r, d, file, do)
	case "remove":
		if _, err = h.Signing.RemoveFile(r.UserContext(), r.Who.Actor, id, file); err != nil {
			return err
		}
		r.Flash("ok", "files.removed")
		return r.SeeOther(at(id, stepFiles))
	default:
		err = fault.Malformed("form_without_action")
	}
	if err == nil {
		_, err = h.Signing.UpdateFile(r.UserContext(), r.Who.Actor, id, file, in)
	}
	if fault.KindOf(err) == fault.KindInvalid && !r.Scripted() {
		why, _ := refusedFile(r, err)
		return h.showFilesOf(r, d, http.StatusUnprocessableEntity, page.Page{Fault: why})
	}
	if err != nil {
		return err
	}
	return r.SeeOther(at(id, stepFiles))
}

// newPosition is where a file goes that is moved by one place or to a place.
func newPosition(r *page.Request, d *signing.Document, file, do string) (*int, error) {
	if do == "move" {
		n, err := strconv.Atoi(r.Form.Value("position"))
		if err != nil {
			return nil, fault.Malformed("form_without_position")
		}
		return &n, nil
	}
	for i := range d.Files {
		if d.Files[i].ID != file {
			continue
		}
		n := i + 1
		if do == "up" {
			n = max(1, n-1)
		} else {
			n = min(len(d.Files), n+1)
		}
		return &n, nil
	}
	return nil, fault.NotFound("file")
}
