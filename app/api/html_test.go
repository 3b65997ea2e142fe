package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// contract is an HTML file with placeholders, tags and things that can't be shown.
const contract = `<!doctype html><html><head><title>x</title><style>h1 { color: #123456 } p { transform: none }</style></head><body>
<h1>Lease for {{tenant}}</h1><script>alert(1)</script>
<table border=1><thead><tr><th>What<th>Price</thead><tr><td>{{#items}}{{what}}<td>{{price|0.00}}{{/items}}</table>
{{#if guarantor}}<p>{{guarantor}} guarantees.</p>{{/if}}
<p>Signed: <signature-field name="Sig" role="Tenant" style="width:160px;height:40px"></signature-field></p>
<img src="https://elsewhere.example/logo.png" alt="Logo"></body></html>`

func TestAnHTMLFileIsConverted(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease"},
		apptest.File{Name: "lease.html", Content: []byte(contract)})).Want(t, http.StatusCreated)
	file := "/documents/" + d.Text(t, "id") + "/files/" + d.Text(t, "files.0.id")
	findings := strings.Join(d.Texts(t, "files.0.findings", "code"), " ")
	for _, code := range []string{"html_left_out", "html_picture", "html_unstyled", "converted_builtin"} {
		if !strings.Contains(findings, code) {
			t.Errorf("%s is missing in %s", code, findings)
		}
	}
	if got := d.Text(t, "files.0.converted_by"); got != "builtin" {
		t.Errorf("converted by %s", got)
	}
	pdf := c.Get(t, file+"/content").Want(t, http.StatusOK).Body
	if got := apptest.PagesText(t, pdf); !strings.HasPrefix(got, "Lease for ") || strings.Contains(got, "alert") || !strings.Contains(got, "[Logo]") {
		t.Errorf("the pages say %s", got)
	}
	original := c.Get(t, file+"/content?version=original").Want(t, http.StatusOK)
	if string(original.Body) != contract || !strings.HasPrefix(original.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the upload is sent as %v", original.Header)
	}
}

func TestPlaceholdersOfAnHTMLFileAreFilledIn(t *testing.T) {
	t.Parallel()
	c := apptest.New(t, builtin).Company(t)
	tpl := c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "text_tags": true, "placeholders": true},
		apptest.File{Name: "lease.html", Content: []byte(contract)})).Want(t, http.StatusCreated)
	c.Patch(t, "/documents/"+tpl.Text(t, "id")+"/files/"+tpl.Text(t, "files.0.id"), obj{"confirmed": true}).Want(t, http.StatusOK)
	d := c.Post(t, "/templates/"+tpl.Text(t, "id")+"/documents", obj{
		"people":    list{obj{"role": "Tenant", "name": "Ben", "email": "ben@buyer.example"}},
		"variables": obj{"tenant": "Ben & Co.", "items": list{obj{"what": "Flat", "price": 900}, obj{"what": "Cellar", "price": 50}}}, "send": true,
	}).Want(t, http.StatusCreated)
	if got := strings.Join(d.Texts(t, "fields", "type"), " "); got != "signature" {
		t.Errorf("its fields are %s", got)
	}
	pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, http.StatusOK).Body
	got := apptest.PagesText(t, pdf)
	for _, part := range []string{"Lease for Ben & Co.", "Flat", "900.00", "Cellar", "50.00", "Signed:"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in %s", part, got)
		}
	}
	if strings.Contains(got, "{{") || strings.Contains(got, "guarantees") {
		t.Errorf("the pages say %s", got)
	}
}

// TestEveryScriptIsConverted uploads a DOCX with scripts for which a machine may have no font: the built-in
// fonts serve both converters, and a character that no font has is a finding.
func TestEveryScriptIsConverted(t *testing.T) {
	t.Parallel()
	for by, option := range map[string]func(*app.Config){
		"builtin": builtin, "libreoffice": func(c *app.Config) { c.Convert.Soffice = "" },
	} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			c := apptest.New(t, option).Company(t)
			for text, missing := range map[string]bool{
				"中文合同金额壹万元 日本語の契約 한국어 계약 ไทย สัญญา हिन्दी अनुबंध": false, "Signed 𓀀": true,
			} {
				d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Scripts"},
					apptest.File{Name: "a.docx", Content: apptest.DOCX(t, text)})).Want(t, http.StatusCreated)
				if got := d.Text(t, "files.0.converted_by"); got != by {
					t.Fatalf("converted by %s", got)
				}
				findings := d.Texts(t, "files.0.findings", "code")
				if slices.Contains(findings, "characters_missing") != missing {
					t.Errorf("%s: findings %v", text, findings)
				}
				if pdf := c.Get(t, "/documents/"+d.Text(t, "id")+"/files/"+d.Text(t, "files.0.id")+"/content").Want(t, http.StatusOK).Body; !missing && strings.TrimSpace(apptest.PagesText(t, pdf)) != text {
					t.Errorf("the pages say %s", apptest.PagesText(t, pdf))
				}
			}
		})
	}
}
