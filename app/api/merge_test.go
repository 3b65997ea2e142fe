package api_test

import (
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// builtin makes the built-in renderer convert DOCX.
func builtin(cfg *app.Config) { cfg.Convert.Soffice = "none" }

// offer makes a template of a DOCX with placeholders and text tags.
func offer(t *testing.T, c *apptest.Client, paragraphs ...string) (id string) {
	t.Helper()
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Offer for {{customer}}", "locale": "de", "text_tags": true, "placeholders": true},
		apptest.File{Name: "offer.docx", Content: apptest.DOCX(t, paragraphs...)})).Want(t, 201)
	c.Patch(t, "/documents/"+tpl.Text(t, "id")+"/files/"+tpl.Text(t, "files.0.id"), obj{"confirmed": true}).Want(t, 200)
	return tpl.Text(t, "id")
}

func TestPlaceholdersOfADOCXAreFilledIn(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	id := offer(t, c, "Dear {{customer}},", "until {{until|D MMMM YYYY}} or {{until|date}}:", "{{#items}}", "{{what}} at {{price|#,##0.00 €}}", "{{/items}}",
		"{{#if guarantor}}", "{{guarantor}} guarantees. {{initials;role=Buyer}}", "{{/if}}", "by {{sender.name}}", "{{signature;role=Buyer}}")
	at := "/templates/" + id
	tpl := c.Get(t, at).Want(t, 200)
	if got := tpl.At(t, "variables").(list); !slices.Equal(got, list{"customer", "guarantor", "items", "until"}) {
		t.Errorf("the template needs %v", got)
	}
	if got := tpl.At(t, "lists.items").(list); !slices.Equal(got, list{"what", "price"}) {
		t.Errorf("an item has %v", got)
	}
	kinds := func(d *apptest.Response) string { return strings.Join(d.Texts(t, "fields", "type"), " ") }
	if got := kinds(tpl); got != "initials signature" {
		t.Errorf("the template's fields are %s", got)
	}
	people := list{obj{"role": "Buyer", "name": "Ben", "email": "ben@buyer.example"}}
	use := func(values obj) *apptest.Response {
		return c.Post(t, at+"/documents", obj{"people": people, "send": true, "variables": values})
	}
	items := list{obj{"what": "Desk", "price": 1234.5}, obj{"What": "Chair", "price": "2"}}
	full := obj{"customer": "Ben & Co.", "until": "2026-03-05", "guarantor": "Gus", "items": items}
	d := use(full).Want(t, 201)
	pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	if got := apptest.PagesText(t, pdf); !strings.HasPrefix(got, "Dear Ben & Co., | until 5 März 2026 or 5. März 2026: | Desk at 1.234,50 € | Chair at 2,00 € | Gus guarantees. | by Owner Person") || strings.Contains(got, "{") {
		t.Errorf("the document says %s", got)
	}
	if got := d.Text(t, "title"); got != "Offer for Ben & Co." {
		t.Errorf("its title is %s", got)
	}
	if got := kinds(d); got != "initials signature" {
		t.Errorf("its fields are %s", got)
	}
	// Everything below moves up when a section is left out, and its fields are gone.
	short := use(obj{"customer": "B", "until": "2026-03-05", "items": list{}}).Want(t, 201)
	if got := kinds(short); got != "signature" {
		t.Errorf("without a guarantor the fields are %s", got)
	}
	if a, b := d.At(t, "fields.1.y").(float64), short.At(t, "fields.0.y").(float64); b >= a-.02 {
		t.Errorf("the signature is at %v, in the shorter document at %v", a, b)
	}
	if short.At(t, "fields.0.covered.0.y") == d.At(t, "fields.1.covered.0.y") {
		t.Error("the place of the longer document's tag is covered")
	}

	// Everything that is missing or wrong is named at once.
	failed(t, use(obj{"customer": "B", "until": "soon", "items": list{obj{"what": "Desk"}, obj{"what": "x", "price": "a lot"}, obj{"what": "x", "price": 1.234}}}), 422,
		"variables.items.0.price", "variables.items.1.price", "variables.items.2.price", "variables.until")
	failed(t, use(obj{}), 422, "variables.customer", "variables.items", "variables.until")
	failed(t, use(merged(full, obj{"items": "Desk"})), 422, "variables.items.0.price")
	failed(t, use(merged(full, obj{"items": "Desk; 2; 3"})), 422, "variables.items")
	failed(t, use(merged(full, obj{"items": list{"Desk"}})), 422, "variables.items")
	failed(t, use(merged(full, obj{"other": "x"})), 422, "variables.other")
}

func TestFieldsFollowThePhrasesOfAFilledFile(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	id := offer(t, c, "{{body}}", "Sign here, {{customer}}: {{signature;role=Buyer}}")
	at, people := "/templates/"+id+"/documents", list{obj{"role": "Buyer", "name": "Ben", "email": "ben@buyer.example"}}
	tpl := c.Get(t, "/templates/"+id).Want(t, 200)
	c.Post(t, "/documents/"+id+"/fields", obj{"fields": list{obj{"type": "text", "name": "city", "anchor": obj{"text": "{{customer}}:", "position": "below"},
		"file_id": tpl.Text(t, "files.0.id"), "invitation_id": tpl.Text(t, "roles.0.id")}}}).Want(t, 201)
	long := strings.Repeat("Many words that take a line or more. ", 250)
	failed(t, c.Post(t, at, obj{"people": people, "variables": obj{"body": long, "customer": "Ann"}}), 422, "fields.1.anchor")
	c.Patch(t, "/documents/"+id+"/fields/"+c.Get(t, "/documents/"+id).Want(t, 200).Text(t, "fields.1.id"), obj{"anchor": obj{"text": "Sign here,", "position": "below"}}).Want(t, 200)
	d := c.Post(t, at, obj{"people": people, "variables": obj{"body": long, "customer": "Ann"}}).Want(t, 201)
	for _, i := range []string{"0", "1"} {
		if page := d.At(t, "fields."+i+".page").(float64); page < 2 {
			t.Errorf("field %s is on page %v", i, page)
		}
	}
}

// TestTagsStayCoveredWhenTheirFieldsMoveAway moves the field of a tag to another page, where it
// stays when values are filled in, while its tag moves on the first one.
func TestTagsStayCoveredWhenTheirFieldsMoveAway(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	paragraphs := append([]string{"{{#items}}", "Item {{what}}", "{{/items}}", "Hello {{customer}}", "{{signature;role=Buyer}}"}, slices.Repeat([]string{"More."}, 60)...)
	id := offer(t, c, paragraphs...)
	x := c.Get(t, "/templates/"+id).Want(t, 200).At(t, "fields.0").(obj)
	moved := c.Patch(t, "/documents/"+id+"/fields/"+x["id"].(string), obj{"page": 2, "x": .3, "y": .2}).Want(t, 200)
	if got := moved.At(t, "anchor"); got != nil {
		t.Errorf("a field on another page is anchored to %v", got)
	}
	d := c.Post(t, "/templates/"+id+"/documents", obj{"send": true, "people": list{obj{"role": "Buyer", "name": "Ben", "email": "ben@buyer.example"}},
		"variables": obj{"customer": "Ben", "items": list{obj{"what": "Desk"}, obj{"what": "Chair"}, obj{"what": "Lamp"}}}}).Want(t, 201)
	if page, y := d.At(t, "fields.0.page"), d.At(t, "fields.0.y"); page != 2. || y != .2 {
		t.Errorf("the field is on page %v at %v", page, y)
	}
	c.Post(t, "/test/documents/"+d.Text(t, "id")+"/sign", obj{}).Want(t, 200)
	pdf := c.Post(t, "/documents/"+d.Text(t, "id")+"/download", nil).Want(t, 200).Body
	if got := apptest.PagesText(t, pdf); !strings.Contains(got, "Item Lamp | Hello Ben") || strings.Contains(got, "signature;") {
		t.Errorf("the document says %.300s", got)
	}
}

// TestPlaceholdersThatAreNone uploads files with braces that aren't placeholders.
func TestPlaceholdersThatAreNone(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Manual"},
		apptest.File{Name: "manual.docx", Content: apptest.DOCX(t, "Write {{name}}, {{#if x}} and {{total|0.0.0}}.")})).Want(t, 201)
	if got := d.Texts(t, "files.0.findings", "code"); !slices.Contains(got, "placeholder_unpaired") || !slices.Contains(got, "placeholder_format") {
		t.Errorf("the findings are %v", got)
	}
	pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	if got := apptest.PagesText(t, pdf); !strings.Contains(got, "Write {{name}}, {{#if x}} and {{total|0.0.0}}.") {
		t.Errorf("the document says %s", got)
	}
	d = c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Too many"},
		apptest.File{Name: "many.docx", Content: apptest.DOCX(t, strings.Repeat("{{a}} ", 10_001))})).Want(t, 201)
	if got := d.Texts(t, "files.0.findings", "code"); !slices.Contains(got, "placeholders_unread") {
		t.Errorf("the findings of too many are %v", got)
	}
}

// TestManyDocumentsOfADOCX creates documents from the rows of a CSV, lists included.
func TestManyDocumentsOfADOCX(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	id := offer(t, c, "Dear {{customer}}", "{{#items}}{{what}}, {{/items}}", "{{signature;role=Buyer}}")
	csv := "Buyer.name,Buyer.email,customer,items\n" +
		`Ann,ann@a.example,Ann,"[{""what"": ""Desk""}]"` + "\n" + `Bob,bob@b.example,Bob,"Desk; 2"` + "\n" + `Cem,cem@c.example,Cem,"[]"` + "\n"
	r := c.Post(t, "/templates/"+id+"/bulk?send=true&skip_invalid=true", text(csv)).Want(t, 200)
	if got := r.At(t, "invalid.0.row").(float64); got != 3 {
		t.Errorf("row %v is invalid: %s", got, r.Body)
	}
	over(t, c, r.Text(t, "run.id"))
	got := c.Get(t, "/documents?per_page=10").Want(t, 200).Texts(t, "data", "title")
	slices.Sort(got)
	if !slices.Equal(got, []string{"Offer for Ann", "Offer for Cem"}) {
		t.Errorf("the documents are %v", got)
	}
}

// TestListsUseValuesOfTheDocument uses values of the document, those that the service fills in,
// and other lists only within a list.
func TestListsUseValuesOfTheDocument(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	id := offer(t, c, "{{#items}}", "{{what}} in {{place}} from {{sender.name}}: {{#colours}}{{colour}} {{/colours}}", "{{/items}}")
	tpl := c.Get(t, "/templates/"+id).Want(t, 200)
	if got := tpl.At(t, "variables").(list); !slices.Equal(got, list{"colours", "customer", "items"}) {
		t.Errorf("the template needs %v", got)
	}
	use := func(place string) *apptest.Response {
		return c.Post(t, "/templates/"+id+"/documents", obj{"variables": obj{"customer": "Ben", "place": place,
			"items":   list{obj{"what": "Desk"}, obj{"what": "Chair", "place": "Bergen"}},
			"colours": list{obj{"colour": "red"}, obj{"colour": "blue"}}}})
	}
	d := use(" Oslo\t").Want(t, 201)
	pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
	if got := apptest.PagesText(t, pdf); !strings.Contains(got, "Desk in Oslo from Owner Person: red blue | Chair in Bergen from Owner Person: red blue") {
		t.Errorf("the document says %s", got)
	}
	failed(t, use("Oslo\x07"), 422, "variables.place")

	// A row needs only what the document lacks, and may contain more.
	for lines, want := range map[string]string{
		"Desk":              "Desk in Oslo from Owner",
		"Desk; ":            "Desk in Oslo from Owner",
		"Desk; Bergen":      "Desk in Bergen from Owner",
		"Desk; Rome\nChair": "Desk in Rome from Owner Person: red | Chair in Oslo from Owner",
	} {
		d := c.Post(t, "/templates/"+id+"/documents", obj{"variables": obj{"customer": "Ben", "place": "Oslo", "items": lines, "colours": "red"}}).Want(t, 201)
		pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, 200).Body
		if got := apptest.PagesText(t, pdf); !strings.Contains(got, want) {
			t.Errorf("of %q the document says %s", lines, got)
		}
	}
}

// TestFormatsOfValuesUsedInAList tries a value that a list can't format.
func TestFormatsOfValuesUsedInAList(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	at := "/templates/" + offer(t, c, "{{#items}}", "{{what}} until {{until|date}}", "{{/items}}") + "/documents"
	use := func(until string) *apptest.Response {
		return c.Post(t, at, obj{"variables": obj{"customer": "Ben", "until": until, "items": list{obj{"what": "Desk"}, obj{"what": "Chair"}}}})
	}
	failed(t, use("soon"), 422, "variables.until")
	use("2026-03-05").Want(t, 201)
}

// TestADamagedDOCXIsRefused uploads files that look like DOCX but can't be read.
func TestADamagedDOCXIsRefused(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	whole := apptest.DOCX(t, "Dear {{name}}")
	for name, content := range map[string][]byte{
		"markup": apptest.Zip(t, apptest.File{Name: "[Content_Types].xml", Content: []byte("<Types/>")},
			apptest.File{Name: "word/document.xml", Content: []byte("<w:document><w:p>{{name}}<w:t a=></w:p></w:document>")}),
		"cut": whole[:len(whole)/2],
	} {
		r := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Damaged"}, apptest.File{Name: "a.docx", Content: content}))
		if r.Status != 422 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}
