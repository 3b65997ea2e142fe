package signing_test

import (
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/fault"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/words"
)

// paper measures with the fonts of the program.
func paper(t *testing.T) *record.Paper {
	t.Helper()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	return &record.Paper{Fonts: text.New(), Words: catalogue}
}

func codes(t *testing.T, d *record.Document) string {
	var out []string
	for _, p := range record.Problems(d, paper(t)) {
		out = append(out, p.Severity+" "+string(p.Code))
	}
	return strings.Join(out, ", ")
}

func TestProblemsAreFound(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := catalogue.English()
	box := func(id string, x, y float64) record.Field {
		return record.Field{ID: id, File: "f", Invitation: "a", Type: "text", Page: 1, X: x, Y: y, Width: .2, Height: .1}
	}
	for want, change := range map[string]func(d *record.Document){
		"":                                func(*record.Document) {},
		"error no_files, error no_signer": func(d *record.Document) { *d = record.Document{} },
		"error not_confirmed":             func(d *record.Document) { d.Files[0].ConvertedBy = "builtin" },
		"warning same_file":               func(d *record.Document) { d.Files = append(d.Files, d.Files[0]) },
		"error no_signer":                 func(d *record.Document) { d.Invitations[0].Role = record.Approver },
		"warning same_email": func(d *record.Document) {
			d.Invitations = append(d.Invitations, record.Invitation{ID: "b", Email: "A@x.org", Role: record.Viewer})
		},
		"info no_fields":        func(d *record.Document) { d.Fields = nil },
		"warning no_signature":  func(d *record.Document) { d.Fields[0].Type = "text" },
		"error field_of_nobody": func(d *record.Document) { x := box("x", .5, .5); x.Invitation = "z"; d.Fields = append(d.Fields, x) },
		"error field_of_viewer": func(d *record.Document) {
			d.Invitations = append(d.Invitations, record.Invitation{ID: "b", Email: "b@x.org", Role: record.Viewer})
			x := box("x", .5, .5)
			x.Invitation = "b"
			d.Fields = append(d.Fields, x)
		},
		"error field_without_page": func(d *record.Document) { x := box("x", .5, .5); x.Page = 2; d.Fields = append(d.Fields, x) },
		"error field_outside":      func(d *record.Document) { d.Fields = append(d.Fields, box("x", .9, .5)) },
		"error field_impossible": func(d *record.Document) {
			x := box("x", .5, .5)
			x.Required, x.ReadOnly = true, true
			d.Fields = append(d.Fields, x)
		},
		"warning overlap": func(d *record.Document) {
			d.Fields = append(d.Fields, box("x", .5, .5), box("y", .6, .55), box("z", .3, .5))
		},
	} {
		d := &record.Document{
			Files:       []record.File{{ID: "f", Name: "f.pdf", Pages: []record.Size{{Width: 595, Height: 842}}}},
			Invitations: []record.Invitation{{ID: "a", Name: "Ana", Email: "a@x.org", Role: record.Signer}},
			Fields:      []record.Field{{ID: "s", File: "f", Invitation: "a", Type: "signature", Page: 1, X: .1, Y: .1, Width: .2, Height: .1}},
		}
		change(d)
		if got := codes(t, d); got != want {
			t.Errorf("problems are %q, want %q", got, want)
		}
		for _, p := range record.Problems(d, paper(t)) {
			if _, err := english.TextOf("fault."+string(p.Code), nil); err != nil {
				t.Errorf("%s: %v", p.Code, err)
			}
		}
	}
}

// TestProblemListIsBounded makes thousands of fields overlap.
func TestProblemListIsBounded(t *testing.T) {
	t.Parallel()
	d := &record.Document{Files: []record.File{{ID: "f", Pages: []record.Size{{Width: 1, Height: 1}}}}}
	for range 5000 {
		d.Fields = append(d.Fields, record.Field{File: "f", Page: 1, Width: 1, Height: 1})
	}
	if n := len(record.Problems(d, paper(t))); n == 0 || n > 200 {
		t.Errorf("%d problems listed, want 1 to 200", n)
	}
}

// TestErrorsBlockSending checks that a problem listed as an error prevents sending.
func TestErrorsBlockSending(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	id := draft(t, c, 1, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})
	c.Post(t, "/documents/"+id+"/fields", apptest.Map{"fields": apptest.List{apptest.Map{"invitation_id": "0", "type": "text", "x": .1, "y": .1, "width": .2, "height": .05, "required": true, "read_only": true}}}).Want(t, 201)
	_, err := c.Signing.Sending.Send(t.Context(), actor(t, c), id, signing.SendInput{})
	if !slices.Contains(fault.Words(fault.FieldsOf(err))["fields"], "field_impossible") {
		t.Errorf("Send returned %v", err)
	}
}
