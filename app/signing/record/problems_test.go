package record_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pdf/text"
	"paraph/app/signing/record"
	wording "paraph/app/words"
)

var fonts = sync.OnceValue(text.New)

// paper measures with the fonts of the program.
func paper(t *testing.T) *record.Paper {
	t.Helper()
	catalogue, err := wording.Load()
	if err != nil {
		t.Fatal(err)
	}
	return &record.Paper{Fonts: fonts(), Words: catalogue}
}

// draft returns a sendable document: Ann signs in a field of a file with two pages.
func draft() *record.Document {
	return &record.Document{
		Files:       []record.File{{ID: "f1", Name: "a.pdf", SHA256: "1", Pages: make([]record.Size, 2)}},
		Invitations: []record.Invitation{{ID: "i1", Name: "Ann", Email: "ann@x.org", Role: record.Signer}},
		Fields:      []record.Field{{ID: "x1", File: "f1", Invitation: "i1", Type: pdf.FieldSignature, Page: 1, Width: .2, Height: .1}},
	}
}

// found formats problems as "severity code: parts concerned: arguments".
func found(t *testing.T, d *record.Document) []string {
	t.Helper()
	var out []string
	for _, p := range record.Problems(d, paper(t)) {
		var args []string
		for _, a := range p.Args {
			args = append(args, a.String())
		}
		at := strings.Join(strings.Fields(fmt.Sprint(p.File, " ", p.Page, " ", p.Invitation, " ", p.Field)), " ")
		out = append(out, fmt.Sprintf("%s %s: %s: %s", p.Severity, p.Code, at, strings.Join(args, ", ")))
	}
	return out
}

func TestProblemsOfADraft(t *testing.T) {
	t.Parallel()
	field := func(change func(*record.Field)) func(*record.Document) {
		return func(d *record.Document) {
			x := record.Field{ID: "x2", File: "f1", Invitation: "i1", Type: pdf.FieldText, Page: 2, X: .1, Y: .1, Width: .2, Height: .1}
			change(&x)
			d.Fields = append(d.Fields, x)
		}
	}
	person := func(inv record.Invitation) func(*record.Document) {
		return func(d *record.Document) { d.Invitations = append(d.Invitations, inv) }
	}
	const place = ": field_place"
	for _, tt := range []struct {
		name   string
		change func(*record.Document)
		want   []string
		ready  string // what prevents sending
	}{
		{"none", func(*record.Document) {}, nil, ""},
		{"no file", func(d *record.Document) { d.Files, d.Fields = nil, nil }, []string{"error no_files: 0: "}, "files no_files"},
		{"not confirmed", func(d *record.Document) { d.Files[0].ConvertedBy = "builtin" }, []string{"error not_confirmed: f1 0: a.pdf"}, "files not_confirmed a.pdf"},
		{"confirmed", func(d *record.Document) { d.Files[0].ConvertedBy, d.Files[0].Confirmed = "builtin", true }, nil, ""},
		{"converted well", func(d *record.Document) { d.Files[0].ConvertedBy = "libreoffice" }, nil, ""},
		{"the same file twice", func(d *record.Document) {
			d.Files = append(d.Files, record.File{ID: "f2", Name: "b.pdf", SHA256: "1", Pages: make([]record.Size, 2)})
		},
			[]string{"warning same_file: f2 0: a.pdf, b.pdf"}, ""},
		{"two files", func(d *record.Document) { d.Files = append(d.Files, record.File{ID: "f2", Name: "b.pdf", SHA256: "2"}) }, nil, ""},
		{"nobody", func(d *record.Document) { d.Invitations, d.Fields = nil, nil }, []string{"error no_signer: 0: "}, "invitations no_signer"},
		{"approved only", func(d *record.Document) { d.Invitations[0].Role = record.Approver }, []string{"error no_signer: 0: "}, "invitations no_signer"},
		{"one address twice", person(record.Invitation{ID: "i2", Email: "ANN@x.org", Role: record.Viewer}), []string{"warning same_email: 0 i2: ANN@x.org"}, ""},
		{"no address twice", func(d *record.Document) {
			d.Invitations = append(d.Invitations, record.Invitation{Role: record.Viewer},
				record.Invitation{Role: record.Viewer})
		}, nil, ""},
		{"no code", person(record.Invitation{ID: "i2", RoleName: "Tenant", Role: record.Viewer, Authentication: record.ByAccessCode}),
			[]string{"error access_code_missing: 0 i2: Tenant"}, "invitations.1.access_code access_code_missing Tenant"},
		{"no fields", person(record.Invitation{ID: "i2", Email: "b@x.org", Role: record.Signer}), []string{"info no_fields: 0 i2: b@x.org"}, ""},
		{"no fields in a signed file", func(d *record.Document) { d.Files[0].Presigned, d.Fields = true, nil }, []string{"info no_fields.presigned: 0 i1: Ann"}, ""},
		{"no signature", func(d *record.Document) { d.Fields[0].Type = pdf.FieldText }, []string{"warning no_signature: 0 i1: Ann"}, ""},
		{"nobody's field", field(func(x *record.Field) { x.Invitation, x.Label, x.Name = "i9", "l", "n" }), []string{"error field_of_nobody: f1 2 i9 x2" + place}, "fields field_of_nobody field_place"},
		{"a reader's field", func(d *record.Document) {
			person(record.Invitation{ID: "i2", Role: record.Viewer})(d)
			field(func(x *record.Field) { x.Invitation = "i2" })(d)
		}, []string{"error field_of_viewer: f1 2 i2 x2" + place}, "fields field_of_viewer field_place"},
		{"on no file", field(func(x *record.Field) { x.File = "f9" }), []string{"error field_without_page: f9 2 i1 x2" + place}, "fields field_without_page field_place"},
		{"before the first page", field(func(x *record.Field) { x.Page = 0 }), []string{"error field_without_page: f1 0 i1 x2" + place}, "fields field_without_page field_place"},
		{"after the last page", field(func(x *record.Field) { x.Page = 3 }), []string{"error field_without_page: f1 3 i1 x2" + place}, "fields field_without_page field_place"},
		{"overlapping", field(func(x *record.Field) { x.Page = 1 }), nil, ""},
		{"one over another", field(func(x *record.Field) { x.Page, x.Y = 1, .05 }), []string{"warning overlap: f1 1 i1 x2: field_place, field_place"}, ""},
		{"impossible when required", field(func(x *record.Field) {
			x.ReadOnly, x.Condition = true, &record.Condition{Then: record.ConditionRequire, Match: record.MatchAll}
		}), []string{"error field_impossible: f1 2 i1 x2" + place}, "fields field_impossible field_place"},
		{"impossible", field(func(x *record.Field) { x.Required, x.ReadOnly = true, true }), []string{"error field_impossible: f1 2 i1 x2" + place}, "fields field_impossible field_place"},
	} {
		d := draft()
		tt.change(d)
		if got := found(t, d); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		var f fault.Fields
		if d.Ready(&f, paper(t)); faults(&f) != tt.ready {
			t.Errorf("%s: got %q, want %q", tt.name, faults(&f), tt.ready)
		}
	}
}

func TestFieldsOutsideTheirPageAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x, y, width, height float64
		outside             bool
	}{
		{0, 0, 1, 1, false}, {.5, .5, .5, .5, false}, {-.01, 0, .5, .5, true}, {0, -.01, .5, .5, true},
		{0, 0, 0, .5, true}, {0, 0, .5, 0, true},
		{.6, 0, .5, .5, true}, {0, .6, .5, .5, true}, {.5, .5, .5 + 1e-7, .5 + 1e-7, false},
	} {
		d := draft()
		x := &d.Fields[0]
		x.X, x.Y, x.Width, x.Height = tt.x, tt.y, tt.width, tt.height
		if got := slices.Contains(found(t, d), "error field_outside: f1 1 i1 x1: field_place"); got != tt.outside {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

func TestRequiredFieldsCanHaveAValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x          record.Field
		impossible bool
	}{
		{record.Field{Type: pdf.FieldText, Required: true, ReadOnly: true}, true},
		{record.Field{Type: pdf.FieldText, Required: true}, false},
		{record.Field{Type: pdf.FieldText, ReadOnly: true}, false}, {record.Field{Type: pdf.FieldText, Required: true, ReadOnly: true, Value: "v"}, false},
		{record.Field{Type: pdf.FieldStamp, Required: true, ReadOnly: true}, false},
		{record.Field{Type: pdf.FieldAttachment, Required: true, ReadOnly: true}, true}, {record.Field{Type: pdf.FieldImage, Required: true, ReadOnly: true}, true},
		{record.Field{Type: pdf.FieldRadio, Required: true, ReadOnly: true}, true}, {record.Field{Type: pdf.FieldRadio, Required: true, ReadOnly: true, Group: "g"}, true},
		{record.Field{Type: pdf.FieldCheckbox, Required: true, ReadOnly: true, Value: "false"}, true},
		{record.Field{Type: pdf.FieldDateSigned, Required: true, ReadOnly: true}, false},
		{record.Field{Type: pdf.FieldName, Required: true, ReadOnly: true}, false},
		{record.Field{Type: pdf.FieldEmail, Required: true, ReadOnly: true}, false},
	} {
		d := draft()
		tt.x.File, tt.x.Invitation, tt.x.Page, tt.x.Width, tt.x.Height = "f1", "i1", 2, .1, .1
		d.Fields = append(d.Fields, tt.x)
		if got := len(found(t, d)) > 0; got != tt.impossible {
			t.Errorf("%+v: got %q", tt.x, found(t, d))
		}
	}
}

func TestFieldsThatShareMoreThanAnEdgeOverlap(t *testing.T) {
	t.Parallel()
	x := record.Field{X: .2, Y: .2, Width: .2, Height: .2}
	for _, tt := range []struct {
		o    record.Field
		want bool
	}{
		{record.Field{X: .3, Y: .3, Width: .2, Height: .2}, true},
		{record.Field{X: .1, Y: .1, Width: .2, Height: .2}, true},
		{record.Field{X: .25, Y: .25, Width: .1, Height: .1}, true},
		{record.Field{X: .4, Y: .2, Width: .2, Height: .2}, false},
		{record.Field{X: .2, Y: .4, Width: .2, Height: .2}, false},
		{record.Field{X: .399, Y: .2, Width: .2, Height: .2}, false},
		{record.Field{X: .2, Y: .399, Width: .2, Height: .2}, false},
		{record.Field{X: .2, Y: .6, Width: .2, Height: .2}, false},
		{record.Field{X: .6, Y: .2, Width: .2, Height: .2}, false},
	} {
		if x.Covers(&tt.o) != tt.want || tt.o.Covers(&x) != tt.want {
			t.Errorf("%+v: got %v and %v", tt.o, x.Covers(&tt.o), tt.o.Covers(&x))
		}
	}
}

func TestEachOverlapIsNamedOnce(t *testing.T) {
	t.Parallel()
	d := draft()
	at := func(id string, page int, y float64) record.Field {
		return record.Field{ID: id, File: "f1", Invitation: "i1", Type: pdf.FieldText, Page: page, X: .5, Y: y, Width: .2, Height: .1}
	}
	d.Fields = append(d.Fields, at("c", 2, .55), at("b", 2, .5), at("a", 2, .3), at("d", 2, .58), at("e", 1, .5))
	want := []string{"warning overlap: f1 2 i1 c: field_place, field_place", "warning overlap: f1 2 i1 d: field_place, field_place"}
	if got := found(t, d); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProblemsOfAKindAreBoundedAndErrorsComeFirst(t *testing.T) {
	t.Parallel()
	d := draft()
	d.Files = append(d.Files, record.File{ID: "f2", Name: "b.pdf", SHA256: "1", Pages: make([]record.Size, 2)}) // a warning
	for range 60 {
		d.Fields = append(d.Fields, record.Field{Type: pdf.FieldText})
	}
	d.Fields = append(d.Fields, d.Fields[0])
	all := record.Problems(d, paper(t))
	errors := slices.IndexFunc(all, func(p record.Problem) bool { return p.Severity != record.SeverityError })
	if errors != 50 || len(all) != 52 {
		t.Errorf("%d problems, of which the first %d are errors", len(all), errors)
	}
	if p := all[0]; p.Args[0].String() != "field_place" {
		t.Errorf("got %+v", p)
	}
	d.Fields[1].File = "f1"
	if p := record.Problems(d, paper(t))[0]; p.Args[0].String() != "field_place.file" {
		t.Errorf("of several files: got %+v", p)
	}
}

func TestFieldsAreListedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	d := record.Document{Files: []record.File{{ID: "f1"}, {ID: "f2"}, {ID: "f3"}}}
	at := func(id, file string, page int, x, y float64) {
		d.Fields = append(d.Fields, record.Field{ID: id, File: file, Invitation: "i1", Page: page, X: x, Y: y, Width: .1, Height: .1})
	}
	at("6", "f2", 1, 0, 0)
	at("5", "f1", 2, 0, 0)
	at("4", "f1", 1, .1, .5)
	at("3", "f1", 1, .5, .22)
	at("2", "f1", 1, .3, .24)
	at("1", "f1", 1, .1, .2)
	d.Fields = append(d.Fields, record.Field{ID: "other", Invitation: "i2", File: "f3"})
	ids := func(all []*record.Field) string {
		var out []string
		for _, x := range all {
			out = append(out, x.ID)
		}
		return strings.Join(out, " ")
	}
	if got := ids(d.FieldsOf("i1")); got != "1 2 3 4 5 6" {
		t.Errorf("got %s", got)
	}
	if got := ids(d.FieldsIn("i1", "f2")); got != "6" {
		t.Errorf("on the second file: got %s", got)
	}
	files := func(invitation string) (out []string) {
		for _, f := range d.SignsFiles(invitation) {
			out = append(out, f.ID)
		}
		return out
	}
	for invitation, want := range map[string][]string{"i1": {"f1", "f2"}, "i2": {"f3"}, "i3": {"f1"}} {
		if got := files(invitation); !reflect.DeepEqual(got, want) {
			t.Errorf("%s signs %v, want %v", invitation, got, want)
		}
	}
	if got := (&record.Document{}).SignsFiles("i1"); got != nil {
		t.Errorf("without files: got %v", got)
	}
	if d.File("f2") != &d.Files[1] || d.File("f9") != nil || d.Field("5") != &d.Fields[1] || d.Field("9") != nil {
		t.Error("files and fields are not found by their identifiers")
	}
}

func TestGroupsOfCheckboxesCanBeTicked(t *testing.T) {
	t.Parallel()
	shown := &record.Condition{Then: record.ConditionShow}
	for _, tt := range []struct {
		name       string
		boxes      []record.Field
		impossible bool
	}{
		{"no limits", []record.Field{{}, {Required: true}}, false},
		{"as many as there are", []record.Field{{GroupMin: 2}, {}}, false},
		{"more than there are, so all of them", []record.Field{{GroupMin: 3}, {}}, false},
		{"one at most, one at least", []record.Field{{GroupMin: 1}, {GroupMax: 1}}, false},
		{"one at most, two at least", []record.Field{{GroupMin: 2}, {GroupMax: 1}}, true},
		{"two required, one at most", []record.Field{{Required: true}, {Required: true, GroupMax: 1}}, true},
		{"two required, one of them hidden sometimes", []record.Field{{Required: true, Condition: shown}, {Required: true, GroupMax: 1}}, false},
		{"two ticked for good, one at most", []record.Field{{ReadOnly: true, Value: "true"}, {ReadOnly: true, Value: "true", GroupMax: 1}}, false},
		{"one ticked for good, one required, one at most", []record.Field{{ReadOnly: true, Value: "true"}, {Required: true, GroupMax: 1}}, true},
	} {
		d := draft()
		for i, x := range tt.boxes {
			x.ID, x.File, x.Invitation, x.Type, x.Group = fmt.Sprint("b", i), "f1", "i1", pdf.FieldCheckbox, "g"
			x.Page, x.Width, x.Height, x.Y = 2, .1, .05, .1*float64(i)
			d.Fields = append(d.Fields, x)
		}
		got := slices.ContainsFunc(found(t, d), func(s string) bool { return strings.Contains(s, "group_impossible") })
		if got != tt.impossible {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.impossible)
		}
	}
}
