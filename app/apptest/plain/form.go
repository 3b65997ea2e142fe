package plain

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Value returns what an input, a list or a text area contains.
func (b *Browser) Value(what string) string {
	b.t.Helper()
	found := b.find(what)
	if len(found) == 0 {
		b.t.Fatalf("there is no %s; %s", what, b.sight())
	}
	return value(found[0])
}

// Values returns what each input that a selector matches contains.
func (b *Browser) Values(what string) []string {
	b.t.Helper()
	var all []string
	for _, n := range b.find(what) {
		all = append(all, value(n))
	}
	return all
}

// Write replaces the text of an input or a text area that can be seen.
func (b *Browser) Write(where, text string) {
	b.t.Helper()
	n := b.visible(where)
	if disabled(n) || has(n, "readonly") {
		b.t.Fatalf("nothing can be written into %s; %s", where, b.sight())
	}
	switch n.Data {
	case "textarea":
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	case "input":
		set(n, "value", text)
	default:
		b.t.Fatalf("nothing can be written into a %s, %s", n.Data, where)
	}
}

// Pick chooses the option of a list that has a value, or a day or time of an input.
func (b *Browser) Pick(where, option string) {
	b.t.Helper()
	n, found := b.visible(where), false
	if n.Data == "input" {
		b.Write(where, option)
		return
	}
	for o := range n.Descendants() {
		if o.Data != "option" || o.Type != html.ElementNode {
			continue
		}
		unset(o, "selected")
		if value(o) == option && !found {
			set(o, "selected", "")
			found = true
		}
	}
	if !found {
		b.t.Fatalf("%s has no option %q; %s", where, option, b.sight())
	}
}

// Choose chooses files to upload.
func (b *Browser) Choose(where string, files ...File) {
	b.t.Helper()
	n := b.visible(where)
	if attribute(n, "type") != "file" || len(files) > 1 && !has(n, "multiple") {
		b.t.Fatalf("%s takes no %d files", where, len(files))
	}
	b.files[n] = files
}

// Forge sets an attribute of an element, seen or not, as nobody could who only uses the page.
func (b *Browser) Forge(what, name, value string) {
	b.t.Helper()
	found := b.find(what)
	if len(found) == 0 {
		b.t.Fatalf("there is no %s; %s", what, b.sight())
	}
	set(found[0], name, value)
}

// Click follows a link, presses a button, ticks a box, or opens and closes what a summary stands
// for.
func (b *Browser) Click(what string) {
	b.t.Helper()
	n := b.visible(what)
	if disabled(n) {
		b.t.Fatalf("%s can't be pressed; %s", what, b.sight())
	}
	if n.Data == "label" {
		n = b.labelled(n)
	}
	kind := strings.ToLower(attribute(n, "type"))
	switch {
	case n.Data == "a" && strings.HasPrefix(attribute(n, "href"), "#"): // a place on this page
		b.byID(attribute(n, "href")[1:])
	case n.Data == "a" && has(n, "href"):
		b.request(http.MethodGet, attribute(n, "href"), nil, "")
	case n.Data == "summary":
		if has(n.Parent, "open") {
			unset(n.Parent, "open")
		} else {
			set(n.Parent, "open", "")
		}
	case n.Data == "input" && kind == "checkbox":
		if has(n, "checked") {
			unset(n, "checked")
		} else {
			set(n, "checked", "")
		}
	case n.Data == "input" && kind == "radio":
		for _, o := range b.find("input[type=radio]") {
			if attribute(o, "name") == attribute(n, "name") && b.formOf(o) == b.formOf(n) {
				unset(o, "checked")
			}
		}
		set(n, "checked", "")
	case n.Data == "button" && (kind == "" || kind == "submit"), n.Data == "input" && kind == "submit":
		b.submit(n)
	default:
		b.t.Fatalf("clicking on a %s does nothing, %s", n.Data, what)
	}
}

// Submit presses the button of a form that posts to an address.
func (b *Browser) Submit(action string) {
	b.t.Helper()
	b.Click(`form[action="` + action + `"] button.btn:not([type=button])`)
}

func (b *Browser) labelled(label *html.Node) *html.Node {
	b.t.Helper()
	if id := attribute(label, "for"); id != "" {
		return b.byID(id)
	}
	for n := range label.Descendants() {
		if n.Data == "input" {
			return n
		}
	}
	b.t.Fatal("a label of nothing")
	return nil
}

func (b *Browser) byID(id string) *html.Node {
	b.t.Helper()
	for n := range b.page.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	b.t.Fatalf("nothing has the id %q; %s", id, b.sight())
	return nil
}

// formOf returns the form that an input or a button belongs to.
func (b *Browser) formOf(n *html.Node) *html.Node {
	b.t.Helper()
	if id := attribute(n, "form"); id != "" {
		return b.byID(id)
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "form" {
			return p
		}
	}
	return nil
}

// submit sends the form of a button.
func (b *Browser) submit(button *html.Node) {
	b.t.Helper()
	form := b.formOf(button)
	if form == nil {
		b.t.Fatalf("a button without a form; %s", b.sight())
	}
	or := func(name, own string) string {
		if has(button, name) {
			return attribute(button, name)
		}
		return attribute(form, own)
	}
	if !has(form, "novalidate") && !has(button, "formnovalidate") {
		b.complete(form)
	}
	values, files := b.entries(form, button)
	address := or("formaction", "action")
	if address == "" {
		address = b.At()
	}
	switch {
	case !strings.EqualFold(or("formmethod", "method"), http.MethodPost):
		query := url.Values{}
		for _, v := range values {
			query.Add(v[0], v[1])
		}
		address, _, _ = strings.Cut(address, "?")
		b.request(http.MethodGet, address+"?"+query.Encode(), nil, "")
	case strings.EqualFold(or("formenctype", "enctype"), "multipart/form-data"):
		body, kind := b.multipart(values, files)
		b.request(http.MethodPost, address, body, kind)
	default:
		encoded := make([]string, len(values))
		for i, v := range values {
			encoded[i] = url.QueryEscape(v[0]) + "=" + url.QueryEscape(v[1])
		}
		b.request(http.MethodPost, address, strings.NewReader(strings.Join(encoded, "&")), "application/x-www-form-urlencoded")
	}
}

// complete fails the test if a browser would not send the form.
func (b *Browser) complete(form *html.Node) {
	b.t.Helper()
	for n := range b.page.Descendants() {
		if !isControl(n) || disabled(n) || b.formOf(n) != form {
			continue
		}
		kind, v := strings.ToLower(attribute(n, "type")), value(n)
		switch {
		case kind == "checkbox" && !has(n, "checked"):
			v = ""
		case kind == "file" && len(b.files[n]) > 0:
			v = b.files[n][0].Name
		}
		if has(n, "required") && v == "" && kind != "radio" {
			b.t.Fatalf("%s is required and empty; %s", attribute(n, "name"), b.sight())
		}
		if at := strings.IndexByte(v, '@'); kind == "email" && v != "" && (at < 1 || at == len(v)-1) {
			b.t.Fatalf("%q is no address; %s", v, b.sight())
		}
	}
}

type upload struct {
	name string
	File
}

// entries returns the names and values of a form, in their order on the page, and its files.
func (b *Browser) entries(form, button *html.Node) (values [][2]string, files []upload) {
	b.t.Helper()
	for n := range b.page.Descendants() {
		name := attribute(n, "name")
		if name == "" || disabled(n) || !isControl(n) && n != button || b.formOf(n) != form {
			continue
		}
		switch strings.ToLower(attribute(n, "type")) {
		case "checkbox", "radio":
			if !has(n, "checked") {
				continue
			}
			v := "on"
			if has(n, "value") {
				v = value(n)
			}
			values = append(values, [2]string{name, v})
		case "submit", "button", "image", "reset":
			if n == button {
				values = append(values, [2]string{name, value(n)})
			}
		case "file":
			chosen := b.files[n]
			if len(chosen) == 0 {
				chosen = []File{{}}
			}
			for _, f := range chosen {
				files = append(files, upload{name, f})
			}
		default:
			if n.Data == "select" {
				for _, o := range options(n) {
					values = append(values, [2]string{name, o})
				}
				continue
			}
			values = append(values, [2]string{name, strings.ReplaceAll(strings.ReplaceAll(value(n), "\r\n", "\n"), "\n", "\r\n")})
		}
	}
	return values, files
}

func (b *Browser) multipart(values [][2]string, files []upload) (*bytes.Buffer, string) {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, v := range values {
		if err := w.WriteField(v[0], v[1]); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile(f.name, f.Name)
		if err != nil {
			b.t.Fatal(err)
		}
		if _, err := part.Write(f.Content); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	return &body, w.FormDataContentType()
}
