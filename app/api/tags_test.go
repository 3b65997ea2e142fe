package api_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

func buyerAndSeller() list {
	return list{obj{"name": "Ben", "email": "ben@buyer.example", "role_name": "Buyer"}, obj{"name": "Sue", "email": "sue@seller.example", "role_name": "Seller"}}
}

// placed describes the fields of a record, with the role of each person.
func placed(t *testing.T, d *apptest.Response, people string) string {
	t.Helper()
	roles := map[any]any{}
	for _, p := range d.At(t, people).(list) {
		roles[p.(obj)["id"]] = p.(obj)["role_name"]
	}
	out := []string{}
	for _, x := range d.At(t, "fields").(list) {
		f := x.(obj)
		s := f["type"].(string) + " " + roles[f["invitation_id"]].(string)
		if name, ok := f["name"].(string); ok {
			s += " " + name
		}
		if f["required"] == false {
			s += " optional"
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// ink counts the dark pixels of a part of a page, given in fractions of it.
func ink(t *testing.T, page image.Image, part obj) int {
	t.Helper()
	size := page.Bounds().Size()
	at := func(name string, of int) int { return int(part[name].(float64) * float64(of)) }
	left, top := at("x", size.X), at("y", size.Y)
	dark := 0
	for x := left; x < left+at("width", size.X); x++ {
		for y := top; y < top+at("height", size.Y); y++ {
			if r, _, _, _ := page.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	return dark
}

func pageOf(t *testing.T, c *apptest.Client, d *apptest.Response) image.Image {
	t.Helper()
	r := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/pages/1.png?width=1200").Want(t, 200)
	m, err := png.Decode(bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTextTagsBecomeFieldsAndDisappear(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	upload := apptest.Lines(t, "Buyer: {{signature;role=Buyer;required}}, in person", `Seller: \s2\ on {{Date;type=datenow;role=seller}}`,
		"{{DOB;type=date;role=Buyer;required=false}}", "Born in {{Place of birth}}, {{Colour;type=select;options=Red,Green;role=Second Party}}")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Sale", "text_tags": true, "invitations": buyerAndSeller()},
		apptest.File{Name: "sale.pdf", Content: upload})).Want(t, 201)
	want := "signature Buyer\nsignature Seller\ndate_signed Seller Date\ndate Buyer DOB optional\ntext Buyer Place of birth\nselect Seller Colour"
	if got := placed(t, d, "invitations"); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	before := pageOf(t, c, d)
	d = c.Post(t, "/documents/"+d.Text(t, "id")+"/send", nil).Want(t, 200)
	after := pageOf(t, c, d)
	for _, x := range d.At(t, "fields").(list) {
		covered := x.(obj)["covered"].(list)
		if len(covered) != 1 {
			t.Fatalf("%v covers %v", x.(obj)["type"], covered)
		}
		part := covered[0].(obj)
		if a, b := ink(t, before, part), ink(t, after, part); a == 0 || b != 0 {
			t.Errorf("%v: %d dark pixels before, %d after", x.(obj)["type"], a, b)
		}
	}
	// The text before and after the tag is still readable.
	first := d.At(t, "fields.0.covered.0").(obj)
	right := first["x"].(float64) + first["width"].(float64)
	for _, part := range []obj{merged(first, obj{"x": .1, "width": first["x"].(float64) - .1}), merged(first, obj{"x": right, "width": .1})} {
		if a, b := ink(t, before, part), ink(t, after, part); a == 0 || a != b {
			t.Errorf("%v: %d dark pixels before, %d after", part, a, b)
		}
	}
	path := "/documents/" + d.Text(t, "id") + "/files/" + d.Text(t, "files.0.id") + "/content?version="
	if !bytes.Equal(c.Get(t, path+"original").Want(t, 200).Body, upload) || !bytes.HasPrefix(c.Get(t, path+"current").Want(t, 200).Body, upload) {
		t.Error("the bytes of the upload changed")
	}
	for i, values := range []obj{{"DOB": "1990-01-02", "Place of birth": "Utrecht"}, {"Colour": "Green"}} {
		at := "/documents/" + d.Text(t, "id") + "/" + d.Text(t, "invitations."+string(rune('0'+i))+".id") + "/sign"
		d = c.Post(t, at, obj{"fields": values}).Want(t, 200)
	}
	if d.Int(t, "status_id") != 6 {
		t.Errorf("status %v", d.At(t, "status"))
	}
	done := c.Get(t, path+"current").Want(t, 200).Body
	if !bytes.HasPrefix(done, upload) {
		t.Error("the upload is not the first revision of the completed file")
	}
	if got := c.Get(t, "/documents?search=datenow").Want(t, 200).Int(t, "meta.total"); got != 0 {
		t.Error("a search still finds the text of a tag")
	}
	for tool, text := range extracted(t, done) {
		for _, left := range []string{"Buyer: , in person", "Seller: on", "Born in"} {
			if !strings.Contains(text, left) {
				t.Errorf("%s: %q is lost from %q", tool, left, text)
			}
		}
		for _, tag := range []string{"{", "}", "\\", "role", "datenow", "Place of birth", "select", "Red"} {
			if strings.Contains(text, tag) {
				t.Errorf("%s: %q can still be read in %q", tool, tag, text)
			}
		}
	}
}

func TestTagsOfFixedFields(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Sale", "text_tags": true, "send": true, "invitations": buyerAndSeller()},
		apptest.File{Name: "sale.pdf", Content: apptest.Lines(t, "{{Terms apply;type=heading;role=Buyer}}", "{{strikethrough;role=Buyer;width=100;height=10}}",
			"{{phone;role=Buyer}}")})).Want(t, 201)
	if got, want := placed(t, d, "invitations"), "label Buyer Terms apply optional\nstrikethrough Buyer optional\nphone Buyer"; got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	sent := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	if got := apptest.PagesText(t, sent); !strings.HasPrefix(got, "Terms apply |") || strings.Contains(got, "{") {
		t.Errorf("the document says %q", got)
	}
}

// extracted returns the text that programs find in a file.
func extracted(t *testing.T, file []byte) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, args := range [][]string{{"pdftotext", "-raw", path, "-"}, {"mutool", "draw", "-F", "txt", path}} {
		text, err := exec.CommandContext(t.Context(), args[0], args[1:]...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		out[args[0]] = strings.Join(strings.Fields(string(text)), " ")
	}
	return out
}

func TestTextTagsMakeTheRolesOfTemplates(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Sale", "text_tags": true, "roles": list{obj{"role_name": "Witness"}}},
		apptest.File{Name: "sale.docx", Content: apptest.DOCX(t, "{{Sign;type=signature;role=Second Party}}", "{{Sign;type=signature;role=First Party}}",
			"{{initials;role=witness}}", "{{Notes}}")})).Want(t, 201)
	want := "signature Second Party Sign\nsignature First Party Sign\ninitials Witness\ntext Witness Notes"
	if got := placed(t, tpl, "roles"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := tpl.Texts(t, "roles", "role_name"); strings.Join(got, ", ") != "Witness, First Party, Second Party" {
		t.Errorf("the roles are %v", got)
	}
	// A further file with tags adds its roles and fields to the template.
	c.Post(t, "/documents/"+tpl.Text(t, "id")+"/upload", apptest.Multipart(t, obj{"text_tags": true},
		apptest.File{Name: "more.pdf", Content: apptest.Lines(t, "{{date_signed;role=Notary}}")})).Want(t, 201)
	tpl = c.Get(t, "/templates/"+tpl.Text(t, "id")).Want(t, 200)
	if got := placed(t, tpl, "roles"); got != want+"\ndate_signed Notary" {
		t.Errorf("got\n%s", got)
	}
}

func TestBadTextTagsAreSaidAtOnce(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	tags := apptest.File{Name: "bad.pdf", Content: apptest.Lines(t, "{{Fee;type=payment}} {{signature;role=Notary}}", "{{date9}} {{select}} {{text;pattern=(;role=Buyer}}")}
	r := c.Post(t, "/documents", apptest.Multipart(t, obj{"text_tags": true, "invitations": buyerAndSeller()}, tags))
	failed(t, r, 422, "text_tags.0.type", "text_tags.1.role", "text_tags.2.role", "text_tags.3.options", "text_tags.4.pattern")
	var refused struct{ Errors map[string][]string }
	r.Decode(t, &refused)
	if got := refused.Errors["text_tags.1.role"][0]; got != "The text tag {{signature;role=Notary}} on page 1 of bad.pdf is for a recipient who is not in the document." {
		t.Error(got)
	}
	// Without the option they are ordinary text.
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller()}, tags)).Want(t, 201)
	if got := d.At(t, "fields").(list); len(got) != 0 {
		t.Errorf("fields: %v", got)
	}
}

func TestDetectionReportsItsConfidence(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller()},
		apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "Signature: ____________", "{{date_signed;role=Seller}}")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	all := c.Post(t, at+"/fields/detect", nil).Want(t, 200)
	if got := all.Texts(t, "data", "source"); strings.Join(got, " ") != "line tag" {
		t.Fatalf("found %v", got)
	}
	if line, tag := all.At(t, "data.0.confidence").(float64), all.At(t, "data.1.confidence").(float64); line <= .5 || line >= 1 || tag != 1 {
		t.Errorf("confidence of the line %v, of the tag %v", line, tag)
	}
	if got := all.Text(t, "data.1.invitation_id"); got != d.Text(t, "invitations.1.id") {
		t.Errorf("the tag is for %s", got)
	}
	sure := c.Post(t, at+"/fields/detect", obj{"min_confidence": 1, "file_id": d.Text(t, "files.0.id"), "sources": list{"tag", "line"}}).Want(t, 200)
	if got := sure.Texts(t, "data", "source"); strings.Join(got, " ") != "tag" {
		t.Errorf("found %v", got)
	}
	// A suggestion can be sent back as a field, which then is not suggested again.
	c.Post(t, at+"/fields", obj{"fields": all.At(t, "data")}).Want(t, 201)
	if got := c.Post(t, at+"/fields/detect", nil).Want(t, 200).At(t, "data").(list); len(got) != 0 {
		t.Errorf("found again: %v", got)
	}
	failed(t, c.Post(t, at+"/fields/detect", obj{"min_confidence": 2, "file_id": "none", "sources": list{"magic"}}), 422, "file_id", "min_confidence", "sources.0")
}

func TestDetectionFindsBoxesToTick(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller()},
		apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "Delivery: [ ] by post [_] by courier", "No box: [1]")})).Want(t, 201)
	found := c.Post(t, "/documents/"+d.Text(t, "id")+"/fields/detect", obj{"sources": list{"box"}}).Want(t, 200)
	if got := strings.Join(found.Texts(t, "data", "label"), ", "); got != "by post, by courier" {
		t.Errorf("found %q", got)
	}
	if got := strings.Join(found.Texts(t, "data", "type"), " "); got != "checkbox checkbox" {
		t.Errorf("they are %q", got)
	}
	if first, second := found.At(t, "data.0.x").(float64), found.At(t, "data.1.x").(float64); first >= second {
		t.Errorf("they are at %v and %v", first, second)
	}
}

// TestNothingIsCoveredInSignedFiles uploads a file that was signed before: its pages can't be painted over.
func TestNothingIsCoveredInSignedFiles(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	first := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller(), "send": true},
		apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "{{text;role=Buyer}}")})).Want(t, 201)
	at := "/documents/" + first.Text(t, "id")
	for _, id := range first.Texts(t, "invitations", "id") {
		c.Post(t, at+"/"+id+"/sign", obj{}).Want(t, 200)
	}
	signed := apptest.File{Name: "signed.pdf", Content: c.Post(t, at+"/download", obj{}).Want(t, 200).Body}
	failed(t, c.Post(t, "/documents", apptest.Multipart(t, obj{"text_tags": true, "invitations": buyerAndSeller()}, signed)), 422, "text_tags")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"invitations": buyerAndSeller()}, signed)).Want(t, 201)
	field := obj{"type": "text", "invitation_id": d.Text(t, "invitations.0.id"), "file_id": d.Text(t, "files.0.id")}
	fields := "/documents/" + d.Text(t, "id") + "/fields"
	failed(t, c.Post(t, fields, obj{"fields": list{merged(field, obj{"anchor": obj{"text": "role=Buyer", "cover": true}})}}), 422, "fields.0.covered")
	c.Post(t, fields, obj{"fields": list{merged(field, obj{"anchor": obj{"text": "role=Buyer"}})}}).Want(t, 201)
}

func TestFieldsOfTagsStayCoveredWhenAllAreReplaced(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"text_tags": true, "invitations": buyerAndSeller()},
		apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "{{text;role=Buyer}}")})).Want(t, 201)
	x := merged(d.At(t, "fields.0").(obj), obj{"x": .5})
	delete(x, "covered")
	replaced := c.Put(t, "/documents/"+d.Text(t, "id")+"/fields", obj{"fields": list{x}}).Want(t, 200)
	if got := replaced.At(t, "data.0.covered").(list); len(got) != 1 {
		t.Errorf("covered: %v", got)
	}
	x["covered"] = list{}
	replaced = c.Put(t, "/documents/"+d.Text(t, "id")+"/fields", obj{"fields": list{x}}).Want(t, 200)
	if got := replaced.At(t, "data.0.covered").(list); len(got) != 0 {
		t.Errorf("covered: %v", got)
	}
	x["covered"] = list{obj{"page": 2, "x": 0, "y": -.1, "width": .5, "height": .5}}
	failed(t, c.Put(t, "/documents/"+d.Text(t, "id")+"/fields", obj{"fields": list{x}}), 422, "fields.0.covered.0.page", "fields.0.covered.0.y")
}

func TestFieldsAreAnchoredToPhrases(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	// Lines are 60 points apart, the first 100 points down the page.
	file := apptest.File{Name: "a.pdf", Content: apptest.Lines(t, "Signature of the tenant", "Rent: 900", "Signature of the TENANT", `\sx\ here`)}
	anchored := func(more obj) obj {
		return merged(obj{"invitation_id": "0", "type": "signature", "width": .2, "height": .04}, obj{"anchor": merged(obj{"text": "signature of  the tenant"}, more)})
	}
	in := obj{"invitations": buyerAndSeller(), "fields": list{
		anchored(nil), anchored(obj{"occurrence": 2, "position": "above"}), anchored(obj{"position": "below"}), anchored(obj{"position": "beside", "offset_x": 10, "offset_y": 20}),
		obj{"invitation_id": "1", "type": "text", "anchor": obj{"text": `\SX\`, "cover": true}},
	}}
	d := c.Post(t, "/documents", apptest.Multipart(t, in, file)).Want(t, 201)
	const height, width = 842.0, 595.0
	at := func(d *apptest.Response, n, member string) float64 { return d.At(t, "fields."+n+"."+member).(float64) }
	bottom := func(n string) float64 { return (at(d, n, "y") + at(d, n, "height")) * height }
	for n, want := range map[string][2]float64{"0": {72, 103}, "1": {72, 209}, "2": {72, 103 + .04*height}, "3": {210, 123}} {
		if x := at(d, n, "x") * width; x < want[0]-8 || x > want[0]+8 || bottom(n) < want[1]-8 || bottom(n) > want[1]+8 {
			t.Errorf("field %s: left edge at %.0f, bottom edge at %.0f, want %.0f", n, x, bottom(n), want)
		}
	}
	if got := d.At(t, "fields.4.covered").(list); len(got) != 1 || at(d, "4", "width") < .1 {
		t.Errorf("%v covered, width %v", got, at(d, "4", "width"))
	}
	if got := d.Text(t, "fields.1.anchor.position"); got != "above" {
		t.Errorf("the anchor is %s", got)
	}
	// The same in a template, and for one field.
	in["roles"] = list{obj{"role_name": "Buyer"}, obj{"role_name": "Seller"}}
	tpl := c.Post(t, "/templates", apptest.Multipart(t, in, file)).Want(t, 201)
	path := "/documents/" + tpl.Text(t, "id") + "/fields/" + tpl.Text(t, "fields.0.id")
	moved := c.Patch(t, path, obj{"anchor": obj{"text": "rent"}}).Want(t, 200)
	if y := moved.At(t, "y").(float64); y <= at(tpl, "0", "y") || y >= at(d, "1", "y")+.05 {
		t.Errorf("moved to %v", y)
	}
	if moved = c.Patch(t, path, obj{"x": .5}).Want(t, 200); moved.At(t, "anchor") != nil {
		t.Errorf("moved by hand, it is still anchored: %s", moved.Body)
	}
	in["fields"] = list{anchored(obj{"occurrence": 3}), anchored(obj{"text": ""}), anchored(obj{"position": "inside", "offset_x": 5000}),
		obj{"invitation_id": "0", "type": "text", "anchor": obj{"text": "Deposit"}}}
	failed(t, c.Post(t, "/documents", apptest.Multipart(t, in, file)), 422,
		"fields.0.anchor", "fields.1.anchor.text", "fields.2.anchor.position", "fields.2.anchor.offset_x", "fields.3.anchor")
}

func TestTagsSayHowTextLooks(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	upload := apptest.Lines(t, "{{text;name=a;role=1;font_type=bold;color=blue;valign=center}}", "{{text;name=b;role=1;cells=12;mask=true}}",
		"{{text;name=c;role=1;color=ultraviolet;cells=1000;valign=left}}")
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Looks", "text_tags": true, "invitations": buyerAndSeller()},
		apptest.File{Name: "a.pdf", Content: upload})).Want(t, 201)
	for i, want := range []obj{
		{"font_weight": "bold", "color": "#0000ff", "vertical_align": "middle", "cells": nil, "mask": nil},
		{"font_weight": nil, "color": nil, "vertical_align": nil, "cells": 12., "mask": "all"},
		{"font_weight": nil, "color": nil, "vertical_align": nil, "cells": nil, "mask": nil},
	} {
		x := d.At(t, "fields").(list)[i].(obj)
		for name, v := range want {
			if x[name] != v {
				t.Errorf("%v has the %s %v, want %v", x["name"], name, x[name], v)
			}
		}
	}
}

// TestTagsAsLibreOfficeSetsThem reads tags in cells that are too narrow for them, and covers one between
// lines of a font that is higher than their distance: what is above and below it stays whole.
func TestTagsAsLibreOfficeSetsThem(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, func(c *app.Config) { c.Convert.Soffice = "" }).Company(t)
	upload := func(name string) *apptest.Response {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Tags", "text_tags": true, "invitations": list{obj{"name": "Ben", "email": "ben@example.org", "role_name": "Buyer"}}},
			apptest.File{Name: name, Content: content})).Want(t, 201)
	}
	d := upload("tags-in-cells.docx")
	if types, names := d.Texts(t, "fields", "type"), d.Texts(t, "fields", "name"); !slices.Equal(types, []string{"initials", "checkbox"}) || !slices.Equal(names, []string{"verylongname_in_a_narrow_cell", "ok"}) {
		t.Errorf("the fields are %v, named %v", types, names)
	}
	d = upload("tag-between-lines.docx")
	base := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	cmd := exec.CommandContext(t.Context(), "pdftoppm", "-r", "288", "-singlefile", "-png", "-")
	cmd.Stdin = bytes.NewReader(base)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	at := func(key string, side int) int {
		return int(d.At(t, "fields.0.covered.0."+key).(float64) * float64(side))
	}
	left, top := at("x", m.Bounds().Dx()), at("y", m.Bounds().Dy())
	right, bottom := left+at("width", m.Bounds().Dx()), top+at("height", m.Bounds().Dy())
	inked := func(y int) (n int) {
		for x := left; x < right; x++ {
			if r, _, _, _ := m.At(x, y).RGBA(); r < 0xA000 {
				n++
			}
		}
		return n
	}
	if inked(top) > 0 || inked(bottom) > 0 {
		t.Errorf("the cover from %d to %d cuts letters: %d and %d points are dark there", top, bottom, inked(top), inked(bottom))
	}
	if middle := inked((top + bottom) / 2); middle == 0 {
		t.Error("the tag is not covered")
	}
}

// TestReferencesOutOfAFileAreRemoved uploads a file with a picture that is elsewhere.
func TestReferencesOutOfAFileAreRemoved(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, func(c *app.Config) { c.Convert.Soffice = "" }).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease"}, apptest.File{Name: "lease.docx", Content: apptest.DOCXOf(t,
		`<w:p><w:fldSimple w:instr="INCLUDEPICTURE &quot;file:///etc/passwd&quot;"><w:r><w:t>kept</w:t></w:r></w:fldSimple></w:p>`)})).Want(t, 201)
	if got := d.Texts(t, "files.0.findings", "code"); !slices.Contains(got, "references_removed") {
		t.Errorf("the findings are %v", got)
	}
	file := "/documents/" + d.Text(t, "id") + "/files/" + d.Text(t, "files.0.id") + "/content"
	if got := apptest.PagesText(t, c.Get(t, file).Want(t, 200).Body); got != "kept" {
		t.Errorf("the page says %s", got)
	}
}

// TestTagsInEveryDirection reads tags and anchors that Chromium set from right to left, from top to bottom, between the two
// directions, and with letters that are divided into their parts, and covers nothing else.
func TestTagsInEveryDirection(t *testing.T) {
	t.Parallel()
	c := company(t)
	content, err := os.ReadFile("testdata/tags-every-way.pdf")
	if err != nil {
		t.Fatal(err)
	}
	upload := func(more obj) *apptest.Response {
		more["title"], more["send_emails"] = "Tags", false
		more["invitations"] = list{obj{"name": "Ben", "email": "ben@example.org", "role_name": "Buyer"}}
		return c.Post(t, "/documents", apptest.Multipart(t, more, apptest.File{Name: "a.pdf", Content: content}))
	}
	d := upload(obj{"text_tags": true, "send": true}).Want(t, 201)
	want := []string{"sig", "שם מלא", "alone", "סכום כולל", "الاسم", "שם", "two", "Größe", "縦"}
	types := []string{"signature", "text", "initials", "number", "text", "text", "text", "text", "date"}
	if got := d.Texts(t, "fields", "name"); !slices.Equal(got, want) || !slices.Equal(d.Texts(t, "fields", "type"), types) {
		t.Errorf("the fields are %q, of %v", got, d.Texts(t, "fields", "type"))
	}
	file := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200)
	cmd := exec.CommandContext(t.Context(), "pdftotext", "-raw", "-", "-")
	cmd.Stdin = bytes.NewReader(file.Body)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	drawn := strings.Join(strings.Fields(string(out)), "")
	for _, left := range []string{"jgpqy", "תודה", "סוגריים", "النهاية", "English", "שלום", "end", "after,11il", "以上", "次の行です"} {
		if !strings.Contains(drawn, left) {
			t.Errorf("%q is covered", left)
		}
	}
	if strings.ContainsAny(drawn, "{}=") {
		t.Errorf("not covered: %s", drawn)
	}
	var anchored list
	phrases := []string{"שורה ראשונה jgpqy", "חתימה:", "תודה (סוגריים)", "الأول", "في النهاية", "שלום", "\u00fcber", "署名する日", "次の行です"}
	for i, p := range phrases {
		anchored = append(anchored, obj{"file_id": "0", "invitation_id": "0", "type": "checkbox", "name": string(rune('a' + i)), "anchor": obj{"text": p, "position": "beside"}})
	}
	d = upload(obj{"fields": anchored}).Want(t, 201)
	x := func(i int) float64 { return d.At(t, "fields").(list)[i].(obj)["x"].(float64) }
	if x(1) > .835 || x(1) < .78 {
		t.Errorf("what is beside a phrase that is read from right to left begins at %.3f", x(1))
	}
	y := func(i int) float64 { return d.At(t, "fields").(list)[i].(obj)["y"].(float64) }
	if y(8) < y(6)+.05 {
		t.Errorf("what is beside vertical text begins at %.3f", y(8))
	}
}
