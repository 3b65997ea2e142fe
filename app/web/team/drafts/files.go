package drafts

import (
	"net/http"
	"slices"
	"strconv"

	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// fileRow is a file of the draft.
type fileRow struct {
	*record.File
	Count       int    // number of pages
	From        string // how it was converted to PDF
	Notes       []note
	First, Last bool
	Fields      int   // number of fields on it
	Look        []int // pages to check before confirming it
	Unconfirmed bool
	Arrangeable bool // its pages can be reordered, turned and removed
}

// note is a note about a file.
type note struct{ Kind, Text string }

// uploadRow is an unfinished upload.
type uploadRow struct {
	signing.Unfinished
	Percent int
}

// maxLook is the number of pages of a converted file shown for confirmation.
const maxLook = 50

func (h *Handlers) fileRows(r *page.Request, d *record.Document) []fileRow {
	var out []fileRow
	problems := h.Drafts.Problems(d)
	for i := range d.Files {
		f := &d.Files[i]
		row := fileRow{File: f, Count: len(f.Pages), First: i == 0, Last: i == len(d.Files)-1,
			Arrangeable: !f.Presigned && len(f.Placeholders) == 0}
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
			if (x.Code == "same_file" || x.Code == "field_without_page") && x.File == f.ID {
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

// finding describes a finding in a file and what can be done about it.
func finding(r *page.Request, x record.Finding) note {
	n := note{"info", x.Sentence(r.Words.SayOf)}
	if x.Severity == record.SeverityWarning {
		n.Kind = "warn"
	}
	if x.Code == "existing_form" {
		n.Text += " " + r.Say("files.form")
	}
	return n
}

// ChangeFile renames, moves, confirms or removes a file.
func (h Form) ChangeFile(r *page.Request) error { return h.withForm(r, h.changeFile) }

func (h Form) changeFile(r *page.Request, d *record.Document) error {
	file := r.Params("file")
	var in signing.FileInput
	var err error
	switch do := r.Form.Value("do"); do {
	case "rename":
		in.Name = new(r.Form.Value("name-" + file))
	case "confirm":
		in.Confirmed = new(true)
	case "up", "down", "move":
		in.Position, err = newPosition(r, d, file, do)
	case "remove":
		if _, err = h.Drafts.RemoveFile(r.Who.Call, d.ID, file); err != nil {
			return err
		}
		r.Flash("ok", "files.removed")
		return r.SeeOther(at(d.ID, stepFiles))
	default:
		err = fault.Malformed("form_without_action")
	}
	if err == nil {
		_, err = h.Drafts.UpdateFile(r.Who.Call, d.ID, file, in)
	}
	if fault.KindOf(err) == fault.KindInvalid && !r.Scripted() {
		why, _ := refusedFile(r, err)
		return h.showDraft(r, d, peopleRows(d), http.StatusUnprocessableEntity, page.Page{Fault: why})
	}
	if err != nil {
		return err
	}
	return r.SeeOther(at(d.ID, stepFiles))
}

// MergeFiles makes one file of the chosen ones, in the order in which they are shown.
func (h Form) MergeFiles(r *page.Request) error { return h.withForm(r, h.mergeFiles) }

func (h Form) mergeFiles(r *page.Request, d *record.Document) error {
	var chosen []string
	for i := range d.Files {
		if slices.Contains(r.Form.Values["merge"], d.Files[i].ID) {
			chosen = append(chosen, d.Files[i].ID)
		}
	}
	why := r.Say("files.merge.few")
	if len(chosen) > 1 {
		made, err := h.Drafts.MergeFiles(r.UserContext(), r.Who.Call.At(d.Version), d.ID, chosen[0], chosen[1:])
		if err == nil {
			r.Flash("ok", "files.merged", "name", made.File(chosen[0]).Name)
			return r.SeeOther(at(d.ID, stepFiles))
		}
		if why, err = whyNot(r, err); err != nil {
			return err
		}
	}
	return h.showDraft(r, d, peopleRows(d), http.StatusUnprocessableEntity, page.Page{Fault: why})
}

// whyNot explains why the pages of files were not changed. An error about something else is returned.
func whyNot(r *page.Request, err error) (string, error) {
	switch fault.KindOf(err) {
	case fault.KindConflict, fault.KindPreconditionFailed:
		return r.FailureOf(err).Message, nil
	}
	return refusedFile(r, err)
}

// newPosition returns a moved file's new position.
func newPosition(r *page.Request, d *record.Document, file, do string) (*int, error) {
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
