package record_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
)

// place accepts fields of every type.
var place = record.Placement{Files: []record.File{{ID: "f1", Name: "a.pdf", Pages: make([]record.Size, 2)}, {ID: "f2", Name: "b.pdf", Pages: make([]record.Size, 1)}},
	Invitations: []record.Invitation{{ID: "i1", Email: "Ann@x.org"}, {ID: "i2", Email: "ben@x.org", RoleName: "Tenant"}, {ID: "i3", Role: record.Viewer}}}

func TestFieldsArePlacedByReference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, person         *string
		wantFile, wantPerson string
		refused              string
	}{
		{nil, new("i1"), "f1", "i1", ""}, {new(""), new("i2"), "f1", "i2", ""}, {new("0"), new("0"), "f1", "i1", ""}, {new("1"), new("1"), "f2", "i2", ""},
		{new("f2"), new("ann@X.org"), "f2", "i1", ""}, {new("b.pdf"), new("tenant"), "f2", "i2", ""},
		{new("2"), new("3"), "", "", "file_id not_selectable, invitation_id not_selectable"},
		{new("-1"), new("-1"), "", "", "file_id not_selectable, invitation_id not_selectable"},
		{nil, new("i3"), "f1", "", "invitation_id viewer_with_fields"}, {nil, nil, "f1", "", "invitation_id required"},
		{nil, new(""), "f1", "", "invitation_id not_selectable"},
	} {
		var f fault.Fields
		var x record.Field
		in := record.FieldInput{File: tt.file, Invitation: tt.person, Type: new("text"), X: new(.0), Y: new(.0), Width: new(.1), Height: new(.1)}
		in.Apply(&f, &x, place)
		if got := faults(&f); got != tt.refused || x.File != tt.wantFile || x.Invitation != tt.wantPerson {
			t.Errorf("got %q, %s, %s, want %+v", got, x.File, x.Invitation, tt)
		}
	}
	var f fault.Fields
	kept := record.Field{ID: "x", File: "f2", Invitation: "i2", Type: pdf.FieldText, Page: 1, Width: .1, Height: .1, Required: true}
	want := kept
	if (&record.FieldInput{}).Apply(&f, &kept, place); !reflect.DeepEqual(kept, want) || !f.Empty() {
		t.Errorf("got %+v, %q", kept, faults(&f))
	}
	if (&record.FieldInput{}).Apply(&f, &record.Field{}, record.Placement{}); faults(&f) != "file_id not_selectable, height required, "+
		"invitation_id required, type required, width required, x required, y required" {
		t.Errorf("an empty field: got %q", faults(&f))
	}
}

func TestFieldsLieOnTheirPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		page                *int
		x, y, width, height float64
		refused             string
	}{
		{nil, 0, 0, 1, 1, ""}, {new(2), .5, .5, .5, .5, ""}, {new(0), 0, 0, 1, 1, "page not_between 1 2"}, {new(3), 0, 0, 1, 1, "page not_between 1 2"},
		{nil, -.1, 0, 1, 1, "x not_a_fraction 0 1"}, {nil, 0, -.1, 1, 1, "y not_a_fraction 0 1"}, {nil, 0, 0, 1.1, 1, "width not_a_fraction 0.001 1"},
		{nil, 0, 0, 1, .0001, "height not_a_fraction 0.001 1"}, {nil, 0, 0, .001, .001, ""},
		{nil, .6, .5, .5, .5, "width over_right_edge"}, {nil, .5, .6, .5, .5, "height over_bottom_edge"}, {nil, 1.1, .5, .5, .5, "x not_a_fraction 0 1"},
		{nil, .5, 1.1, .5, .5, "y not_a_fraction 0 1"},
	} {
		var f fault.Fields
		var x record.Field
		in := record.FieldInput{
			Invitation: new("i1"), Type: new("text"), Page: tt.page, X: &tt.x, Y: &tt.y, Width: &tt.width, Height: &tt.height,
		}
		in.Apply(&f, &x, place)
		if got := faults(&f); got != tt.refused {
			t.Errorf("%+v: got %q", tt, got)
		}
		page := 1
		if tt.page != nil {
			page = *tt.page
		}
		if x.X != tt.x || x.Y != tt.y || x.Width != tt.width || x.Height != tt.height || x.Page != page {
			t.Errorf("%+v: got %+v", tt, x)
		}
	}
}

// TestFieldsAreMeasured places a box of 72 by 36 points on A4 and beyond, from each corner.
func TestFieldsAreMeasured(t *testing.T) {
	t.Parallel()
	const width, height = 595.2, 841.8
	on := record.Placement{Files: []record.File{{ID: "f1", Pages: []record.Size{{Width: width, Height: height}}}}, Invitations: place.Invitations}
	for _, tt := range []struct {
		unit, origin        string
		x, y, width, height float64
		wantX, wantY        float64 // in points, from the top left corner
		refused             string
	}{
		{"pt", "", 100, 50, 72, 36, 100, 50, ""}, {"pt", "top_left", 100, 50, 72, 36, 100, 50, ""},
		{"mm", "", 25.4, 12.7, 25.4, 12.7, 72, 36, ""},
		{"pt", "top_right", 100, 50, 72, 36, width - 172, 50, ""}, {"pt", "bottom_left", 100, 50, 72, 36, 100, height - 86, ""},
		{"mm", "bottom_right", 0, 0, 25.4, 12.7, width - 72, height - 36, ""},
		{"fraction", "bottom_right", .5, .5, 72 / width, 36 / height, width/2 - 72, height/2 - 36, ""},
		{"pt", "top_right", 600, 50, 72, 36, width - 672, 50, "x not_a_fraction 0 1"},
		{"inch", "", .1, .1, 72 / width, 36 / height, width / 10, height / 10, "unit not_one_of fraction, pt, mm"},
		{"", "middle", .1, .1, 72 / width, 36 / height, width / 10, height / 10, "origin not_one_of top_left"},
	} {
		var f fault.Fields
		var x record.Field
		in := record.FieldInput{File: new("f1"), Invitation: new("i1"), Type: new("text"), X: &tt.x, Y: &tt.y, Width: &tt.width, Height: &tt.height, Unit: tt.unit, Origin: tt.origin}
		in.Apply(&f, &x, on)
		if got := faults(&f); !strings.HasPrefix(got, tt.refused) || tt.refused == "" && got != "" {
			t.Errorf("%+v: got %q", tt, got)
		}
		near := func(got, want float64) bool { return math.Abs(got-want) < 1e-6 }
		if !near(x.X*width, tt.wantX) || !near(x.Y*height, tt.wantY) || !near(x.Width*width, 72) || !near(x.Height*height, 36) {
			t.Errorf("%+v: got %g, %g, %g by %g", tt, x.X*width, x.Y*height, x.Width*width, x.Height*height)
		}
	}
}

func TestRulesOfAField(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		in      record.FieldInput
		want    record.Field
		refused string
	}{
		{"texts", record.FieldInput{Type: new("text"), Name: new(" n "), Label: new("l"), Group: new("g"), Format: new("f"), Align: new("right"), FontSize: new(6.0)},
			record.Field{Type: "text", Required: true, Name: "n", Label: "l", Group: "g", Format: "f", Look: record.Look{Align: "right", FontSize: 6}}, ""},
		{"sizes", record.FieldInput{Type: new("text"), FontSize: new(144.0)}, record.Field{Type: "text", Required: true, Look: record.Look{FontSize: 144}}, ""},
		{"no size", record.FieldInput{Type: new("text"), FontSize: new(0.0)}, record.Field{Type: "text", Required: true}, ""},
		{"too small", record.FieldInput{Type: new("text"), FontSize: new(5.9), Align: new("top")},
			record.Field{Type: "text", Required: true, Look: record.Look{FontSize: 5.9, Align: "top"}}, "align not_one_of left, center, right, font_size not_between 6 144"},
		{"too large", record.FieldInput{Type: new("text"), FontSize: new(144.1)}, record.Field{Type: "text", Required: true, Look: record.Look{FontSize: 144.1}}, "font_size not_between 6 144"},
		{"checkboxes are optional", record.FieldInput{Type: new("checkbox")}, record.Field{Type: "checkbox"}, ""},
		{"attachments are optional", record.FieldInput{Type: new("attachment")}, record.Field{Type: "attachment"}, ""},
		{"unless they are required", record.FieldInput{Type: new("checkbox"), Required: new(true), ReadOnly: new(true)},
			record.Field{Type: "checkbox", Required: true, ReadOnly: true}, ""},
		{"bounds", record.FieldInput{Type: new("number"), Min: new(1.0), Max: new(1.0)}, record.Field{Type: "number", Required: true, Min: new(1.0), Max: new(1.0)}, ""},
		{"crossed bounds", record.FieldInput{Type: new("number"), Min: new(1.1), Max: new(1.0)},
			record.Field{Type: "number", Required: true, Min: new(1.1), Max: new(1.0)}, "max max_below_min"},
		{"a pattern", record.FieldInput{Type: new("text"), Pattern: new("a+")}, record.Field{Type: "text", Required: true, Pattern: "a+"}, ""},
		{"not a pattern", record.FieldInput{Type: new("text"), Pattern: new("("), Value: new("v")},
			record.Field{Type: "text", Required: true, Pattern: "("}, "pattern not_a_pattern"},
		{"too complex", record.FieldInput{Type: new("text"), Pattern: new("a{600}b{600}")},
			record.Field{Type: "text", Required: true, Pattern: "a{600}b{600}"}, "pattern pattern_too_complex"},
		{"options", record.FieldInput{Type: new("select"), Options: &[]string{" a", "b"}, Value: new("b")},
			record.Field{Type: "select", Required: true, Options: []string{"a", "b"}, Value: "b"}, ""},
		{"no options", record.FieldInput{Type: new("select"), Value: new("b")}, record.Field{Type: "select", Required: true}, "options required"},
		{"the same option", record.FieldInput{Type: new("select"), Options: &[]string{"a", "a "}},
			record.Field{Type: "select", Required: true, Options: []string{"a", "a "}}, "options not_distinct"},
		{"an empty option", record.FieldInput{Type: new("select"), Options: &[]string{""}}, record.Field{Type: "select", Required: true, Options: []string{""}}, "options not_distinct"},
		{"a button alone", record.FieldInput{Type: new("radio"), Name: new("n")}, record.Field{Type: "radio", Required: true, Name: "n", Group: "n"}, ""},
		{"a button in no group", record.FieldInput{Type: new("radio"), Name: new("n"), Group: new("")}, record.Field{Type: "radio", Required: true, Name: "n"}, ""},
		{"a button with options", record.FieldInput{Type: new("radio"), Name: new("n"), Options: &[]string{"a"}},
			record.Field{Type: "radio", Required: true, Name: "n", Options: []string{"a"}}, ""},
		{"a number", record.FieldInput{Type: new("number"), Value: new(" 1 ")}, record.Field{Type: "number", Required: true, Value: "1"}, ""},
		{"no number", record.FieldInput{Type: new("number"), Value: new("x")}, record.Field{Type: "number", Required: true, Value: "x"}, "value not_a_number"},
		{"a checked box", record.FieldInput{Type: new("checkbox"), Value: new("Yes")}, record.Field{Type: "checkbox", Value: "true"}, ""},
		{"an empty value", record.FieldInput{Type: new("number"), Value: new("")}, record.Field{Type: "number", Required: true}, ""},
		{"a picture", record.FieldInput{Type: new("stamp"), Value: new("a\nb")}, record.Field{Type: "stamp", Required: true, Value: "a\nb"}, ""},
		{"an image", record.FieldInput{Type: new("image")}, record.Field{Type: "image", Required: true}, ""},
		{"an image with a value", record.FieldInput{Type: new("image"), Value: new("x.jpg")}, record.Field{Type: "image", Required: true}, "value image_with_value"},
		{"no type", record.FieldInput{Type: new("rune"), Value: new("x")}, record.Field{Type: "rune", Required: true},
			"type not_one_of " + strings.ReplaceAll(words(pdf.FieldTypes()), " ", ", ")},
	} {
		var f fault.Fields
		var x record.Field
		tt.in.Invitation, tt.in.X, tt.in.Y, tt.in.Width, tt.in.Height = new("i1"), new(.0), new(.0), new(.1), new(.1)
		tt.in.Apply(&f, &x, place)
		tt.want.File, tt.want.Invitation, tt.want.Page, tt.want.Width, tt.want.Height = "f1", "i1", 1, .1, .1
		if got := faults(&f); got != tt.refused || !reflect.DeepEqual(x, tt.want) {
			t.Errorf("%s: got %q, %+v, want %q, %+v", tt.name, got, x, tt.refused, tt.want)
		}
	}
}

func TestOptionsAreBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{500: "options not_distinct", 501: "options too_many 500"} {
		var f fault.Fields
		in := record.FieldInput{Options: new(make([]string, n))}
		in.Apply(&f, &record.Field{ID: "x", File: "f1", Invitation: "i1", Type: pdf.FieldSelect, Width: .1, Height: .1}, place)
		if got := faults(&f); got != want {
			t.Errorf("%d options: got %q", n, got)
		}
	}
}

// TestFoundFieldsKeepWhatTheirTagsNeed stores fields that were suggested at tags, some of them moved
// before that. Filled placeholders will move the tags.
func TestFoundFieldsKeepWhatTheirTagsNeed(t *testing.T) {
	t.Parallel()
	pages := []record.Size{{Width: 600, Height: 800}, {Width: 600, Height: 800}}
	place := record.Placement{Invitations: []record.Invitation{{ID: "i1"}}}
	tag := detect.Anchor{Text: "{{text}}", Occurrence: 1, Position: detect.At, Cover: true}
	near, away := tag, tag
	near.X, away.Position = 60, detect.Elsewhere
	for _, c := range []struct {
		name         string
		placeholders record.Placeholders
		page         int
		x            float64
		want         *detect.Anchor
	}{
		{"where it was found", record.Placeholders{{Name: "customer"}}, 1, .1, &tag},
		{"moved", record.Placeholders{{Name: "customer"}}, 1, .2, &near},
		{"on another page", record.Placeholders{{Name: "customer"}}, 2, .1, &away},
		{"in a file that stays as it is", nil, 2, .1, nil},
	} {
		place.Files = []record.File{{ID: "f1", Pages: pages, Placeholders: c.placeholders}}
		var f fault.Fields
		var x record.Field
		in := record.FieldInput{Type: new("text"), Invitation: new("i1"), Page: &c.page, X: &c.x, Y: new(.1), Width: new(.1), Height: new(.1), Anchor: &tag,
			Placed: &record.Field{Page: 1, X: .1, Y: .1, Width: .1, Height: .1}}
		in.Apply(&f, &x, place)
		if !f.Empty() || !reflect.DeepEqual(x.Anchor, c.want) {
			t.Errorf("%s: the anchor is %+v, want %+v; %s", c.name, x.Anchor, c.want, faults(&f))
		}
	}
}
