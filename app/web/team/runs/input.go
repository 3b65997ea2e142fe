package runs

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/bulk"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// MaxTable is the maximum size of a table in bytes. The browser sends it with every step, in a
// hidden input after the first.
const MaxTable = 4_000_000

// request holds the values of the form.
type request struct {
	template  signing.Template
	input     bulk.Input
	validPace bool
	badTime   []fault.Field // of sending later
	name      string        // of the file
}

// read reads the form. It returns the template even if there is no table.
func (h *Handlers) read(r *page.Request) (*request, error) {
	t, err := h.Drafts.GetTemplate(r.Who.Call, r.Form.Value("template"))
	if err != nil {
		return nil, err
	}
	q := &request{template: t}
	file, err := q.table(r)
	if err != nil {
		return q, err
	}
	q.input = bulk.Input{
		Template: t.ID, File: file, Columns: columnsOf(r), Edits: editsOf(r), BaseURL: r.MailURL(),
		Send: r.Form.Value("send") != "draft", SkipInvalid: r.Form.Value("skip") == "yes",
	}
	q.input.PerMinute, q.validPace = paceOf(r)
	if r.Form.Value("send") == "later" {
		q.input.SendAt, q.badTime = h.sendAt(r)
	}
	return q, nil
}

// sendAt returns when the documents are to be sent, nil if that is no such time.
func (h *Handlers) sendAt(r *page.Request) (*time.Time, []fault.Field) {
	at, err := r.Form.Time("send_at", r.Who.Zone())
	if err != nil {
		return nil, fault.FieldsOf(err)
	}
	var f fault.Fields
	record.CheckSendAt(&f, *at, h.Bulk.Now(r.Who.Company.ID))
	if err := f.Err(); err != nil {
		return nil, fault.FieldsOf(err)
	}
	return at, nil
}

// paceOf returns the number of documents per minute, 0 for as fast as possible.
func paceOf(r *page.Request) (pace int, valid bool) {
	text := strings.TrimSpace(r.Form.Value("per_minute"))
	if text == "" {
		return 0, true
	}
	pace, err := strconv.Atoi(text)
	if err != nil || pace < 1 || pace > bulk.MaxPerMinute {
		return 0, false
	}
	return pace, true
}

// table returns the chosen file, the pasted text, or the table carried along by the form.
func (q *request) table(r *page.Request) (b []byte, err error) {
	pasted := r.Form.Value("pasted")
	switch f, chosen := r.Form.Files["file"]; {
	case chosen && len(f.Data) > 0:
		b, q.name = f.Data, f.Name
	case strings.TrimSpace(pasted) != "":
		b = []byte(pasted)
	default:
		if b, err = base64.StdEncoding.DecodeString(r.Form.Value("data")); err != nil {
			return nil, fault.Malformed("form_cut_short").Because(err)
		}
		q.name = r.Form.Value("name")
	}
	switch {
	case len(b) == 0:
		return nil, fault.Invalid("file", "no_file_chosen")
	case len(b) > MaxTable:
		return nil, fault.Invalid("file", "import_too_large.file", fault.Text("limit", page.FormatBytes(MaxTable)))
	}
	return b, nil
}

// columnsOf returns what the columns were chosen to be used for, by heading. Of several columns
// with the same heading, the one that is used counts.
func columnsOf(r *page.Request) map[string]string {
	out := map[string]string{}
	for name := range r.Form.Values {
		n, ok := strings.CutPrefix(name, "column.")
		if !ok || !r.Form.Has("heading."+n) {
			continue
		}
		heading := withBreaks(r.Form.Value("heading." + n))
		out[heading] = cmp.Or(r.Form.Value(name), out[heading])
	}
	return out
}

// withBreaks returns the text of a hidden input with its line breaks as they were: browsers submit
// every break as CRLF.
func withBreaks(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// editsOf returns the cells that were corrected.
func editsOf(r *page.Request) (out []bulk.Edit) {
	for name := range r.Form.Values {
		var e bulk.Edit
		if n, err := fmt.Sscanf(name, "cell.%d.%d", &e.Row, &e.Column); err != nil || n != 2 {
			continue
		}
		e.Text = withBreaks(r.Form.Value(name))
		out = append(out, e)
	}
	return out
}

// cellName returns the name of the input of a cell.
func cellName(row, column int) string { return fmt.Sprintf("cell.%d.%d", row, column) }

// kept returns the values that the form carries along without showing them.
func kept(r *page.Request, shown func(name string) bool) (out []page.Pair) {
	for _, name := range slices.Sorted(maps.Keys(r.Form.Values)) {
		known := name == "send" || name == "send_at" || name == "skip" || name == "per_minute" || strings.HasPrefix(name, "cell.") ||
			strings.HasPrefix(name, "column.") || strings.HasPrefix(name, "heading.")
		if known && !shown(name) {
			out = append(out, page.Pair{Name: name, Value: r.Form.Value(name)})
		}
	}
	return out
}
