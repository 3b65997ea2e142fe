package merge_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"paraph/app/convert"
	"paraph/app/convert/merge"
)

const (
	head = `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
	foot = `<w:sectPr/></w:body></w:document>`
)

// docx returns a file with a body.
func docx(t testing.TB, body string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range map[string]string{"word/document.xml": head + body + foot, "word/media/x.bin": "{{name}}"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// p returns a paragraph with a run for each text.
func p(runs ...string) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(`<w:r><w:rPr><w:b/></w:rPr><w:t>` + r + `</w:t></w:r>`)
	}
	return `<w:p>` + b.String() + `</w:p>`
}

func row(cells ...string) string {
	return `<w:tr><w:tc>` + strings.Join(cells, `</w:tc><w:tc>`) + `</w:tc></w:tr>`
}

// body returns what is in the body of a file, which has to be well-formed.
func body(t testing.TB, file []byte) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b, new(struct{})); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(b), head), foot)
}

func isTag(s string) bool { return strings.HasPrefix(s, "signature") }

var data = merge.Data{
	Values: map[string]string{"name": "Ann & Bob", "amount": "5", "empty": "", "off": "No", "kind": "Lease", "lines": "one\ntwo", "odd": "{{name}}"},
	Lists: map[string][]merge.Item{
		"items":  {{"what": "Desk", "price": "1"}, {"what": "Chair", "price": "2", "sale": "yes"}},
		"others": {{"other": "A"}, {"other": "B"}},
		"none":   {},
	},
	Write: func(value, format string) string {
		if format != "" {
			return value + " (" + format + ")"
		}
		return value
	},
}

func fill(t testing.TB, in string) string {
	t.Helper()
	file := docx(t, in)
	var out bytes.Buffer
	if err := merge.Fill(t.Context(), bytes.NewReader(file), int64(len(file)), &out, data, isTag); err != nil {
		t.Fatal(err)
	}
	return body(t, out.Bytes())
}

// text makes the lines of a body readable: one for each paragraph, its runs divided by bars.
func text(s string) string {
	var b strings.Builder
	d := xml.NewDecoder(strings.NewReader("<x xmlns:w='w'>" + s + "</x>"))
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "br" {
				b.WriteString("↵")
			}
		case xml.EndElement:
			b.WriteString(map[string]string{"r": "|", "p": "¶", "tr": "/"}[x.Name.Local])
		case xml.CharData:
			b.Write(x)
		}
	}
}

func TestPlaceholdersAreFilledIn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"value":            {p("Dear {{name}}, hello"), "Dear Ann & Bob, hello|¶"},
		"name folded":      {p("{{ NAME }}"), "Ann & Bob|¶"},
		"across runs":      {p("Dear {", "{na", "me}", "}, hello"), "Dear Ann & Bob|||, hello|¶"},
		"format":           {p("{{amount|0.00 €}}"), "5 (0.00 €)|¶"},
		"lines":            {p("{{lines}}"), "one↵two|¶"},
		"values are text":  {p("{{odd}}"), "{{name}}|¶"},
		"missing":          {p("a{{other}}b"), "ab|¶"},
		"text tag":         {p("{{signature;role=Buyer}} {{name}}"), "{{signature;role=Buyer}} Ann & Bob|¶"},
		"no name":          {p("{{a!}} {{}} {{name"), "{{a!}} {{}} {{name|¶"},
		"gap":              {`<w:p><w:r><w:t>{{na</w:t><w:br/><w:t>me}}</w:t></w:r></w:p>`, "{{na↵me}}|¶"},
		"condition":        {p("{{#if name}}yes{{/if}}{{#if empty}}no{{/if}}{{#if off}}no{{/if}}"), "yes|¶"},
		"unless":           {p("{{#unless empty}}yes{{/unless}}{{#unless name}}no{{/unless}}"), "yes|¶"},
		"equals":           {p("{{#if kind = lease}}yes{{/if}}{{#if kind=sale}}no{{/if}}{{#unless kind=sale}}yes{{/unless}}"), "yesyes|¶"},
		"nested":           {p("{{#if name}}a{{#if empty}}b{{/if}}c{{/if}}d"), "acd|¶"},
		"inline list":      {p("{{#items}}{{what}}, {{/items}}end"), "Desk, Chair, end|¶"},
		"list across runs": {p("{{#items}}", "{{what}}", ", {{/items}}", "end"), "|Desk|, Chair, |end|¶"},
		"outer value":      {p("{{#items}}{{what}} for {{name}}; {{/items}}"), "Desk for Ann & Bob; Chair for Ann & Bob; |¶"},
		"section":          {p("a") + p("{{#if name}}") + p("b") + p("{{/if}}") + p("c"), "a|¶b|¶c|¶"},
		"section left out": {p("a") + p("{{#if empty}}") + p("b") + p("{{/if}}") + p("c"), "a|¶c|¶"},
		"section and text": {p("a {{#if empty}}b") + p("c{{/if}} d") + p("e"), "e|¶"},
		"paragraphs":       {p("{{#items}}") + p("{{what}}") + p("at {{price}}") + p("{{/items}}"), "Desk|¶at 1|¶Chair|¶at 2|¶"},
		"no counterpart":   {p("{{#if name}}a") + p("{{/items}}{{name}}"), "{{#if name}}a|¶{{/items}}Ann & Bob|¶"},
		"crossed":          {p("{{#if name}}a{{#items}}b{{/if}}c{{/items}}"), "{{#if name}}ab{{/if}}cb{{/if}}c|¶"},
		"rows": {`<w:tbl>` + row(p("What"), p("Price")) + row(p("{{#items}}{{what}}"), p("{{price}}{{/items}}")) + row(p("Total"), p("{{amount}}")) + `</w:tbl>`,
			"What|¶Price|¶/Desk|¶1|¶/Chair|¶2|¶/Total|¶5|¶/"},
		"rows of several": {`<w:tbl>` + row(p("{{#items}}{{what}}")) + row(p("{{#if sale}}Sale!{{/if}}{{/items}}")) + `</w:tbl>`, "Desk|¶/|¶/Chair|¶/Sale!|¶/"},
		"no rows":         {p("a") + `<w:tbl>` + row(p("{{#none}}{{what}}"), p("{{/none}}")) + `</w:tbl>` + p("b"), "a|¶b|¶"},
		"row left out":    {`<w:tbl>` + row(p("a")) + row(p("{{#if empty}}b"), p("c{{/if}}")) + `</w:tbl>`, "a|¶/"},
		"empty cell":      {`<w:tbl>` + row(p("{{#if empty}}")+p("a")+p("{{/if}}"), p("b")) + `</w:tbl>`, "¶b|¶/"},
		"nested lists":    {p("{{#items}}") + p("{{what}}:{{#items}} {{price}}{{/items}}") + p("{{/items}}"), "Desk: 1 2|¶Chair: 1 2|¶"},
		"list in a list":  {p("{{#items}}") + p("{{what}}") + p("{{#others}}{{other}}{{/others}}") + p("{{/items}}"), "Desk|¶AB|¶Chair|¶AB|¶"},
		"picture":         {p("{{#if empty}}") + p("a") + `<w:p><w:r><w:drawing/></w:r><w:r><w:t>{{/if}}</w:t></w:r></w:p>` + p("b"), "b|¶"},
		"picture kept":    {`<w:p><w:r><w:drawing/><w:t>{{#if name}}</w:t></w:r></w:p>` + p("a") + p("{{/if}}"), "|¶a|¶"},
		"page break":      {p("{{#if name}}") + p("a") + `<w:p><w:r><w:t>{{/if}}</w:t><w:br w:type="page"/></w:r></w:p>`, "a|¶↵|¶"},
		"section break":   {p("{{#if name}}") + p("a") + `<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>{{/if}}</w:t></w:r></w:p>`, "a|¶|¶"},
		"text box":        {`<w:p><w:r><w:pict><w:txbxContent>` + p("{{name}}") + `</w:txbxContent></w:pict></w:r><w:r><w:t>x {{amount}}</w:t></w:r></w:p>`, "Ann & Bob|¶|x 5|¶"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := text(fill(t, tt.in)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestEverythingElseStaysAsItIs(t *testing.T) {
	t.Parallel()
	in := `<!-- {{name}} --><w:p w:rsidR="1"><w:pPr><w:jc w:val='left'/></w:pPr><w:r><w:t xml:space="preserve"> a &amp; b </w:t></w:r></w:p>` + p("{ {{other text}") + `<w:p/>`
	if got := fill(t, in); got != in {
		t.Errorf("%s became %s", in, got)
	}
	want := strings.Replace(in+p("x", "{{name}}"), "<w:t>{{name}}", `<w:t xml:space="preserve">Ann &amp; Bob`, 1)
	if got := fill(t, in+p("x", "{{name}}")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	file := docx(t, p("{{Name}} {{name}} {{amount|0.00}} {{#if kind=lease}}{{start  date}}{{/if}} {{#if who}}{{who}}{{/if}} {{signature}}")+
		`<w:tbl>`+row(p("{{#items}}{{what}}"), p("{{#if sale}}x{{/if}}{{price|0}}{{/items}}"))+`</w:tbl>`+p("{{#items}}{{#others}}{{other}}{{/others}}{{/items}}"))
	found, loose, err := merge.Survey(t.Context(), bytes.NewReader(file), int64(len(file)), isTag)
	if err != nil || loose {
		t.Fatal(loose, err)
	}
	want := []merge.Placeholder{{Name: "name"}, {Name: "amount", Format: "0.00"}, {Name: "kind", Kind: merge.Condition}, {Name: "start date"},
		{Name: "who", Kind: merge.Condition}, {Name: "who", Optional: true}, {Name: "items", Kind: merge.List}, {Name: "what", Of: "items"},
		{Name: "sale", Kind: merge.Condition, Of: "items"}, {Name: "price", Format: "0", Of: "items"},
		{Name: "others", Kind: merge.List}, {Name: "other", Of: "others"}}
	if !slices.Equal(found, want) {
		t.Errorf("%+v, want %+v", found, want)
	}
	file = docx(t, p("{{#if name}}"))
	if found, loose, err = merge.Survey(t.Context(), bytes.NewReader(file), int64(len(file)), isTag); len(found) > 0 || !loose || err != nil {
		t.Error(found, loose, err)
	}
}

func TestHostileFilesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("{{#items}}", 12) + "{{name}} is a long text" + strings.Repeat("{{/items}}", 12)
	for name, in := range map[string]string{
		"a paragraph repeated": strings.Repeat(p("{{#items}}"), 40) + p(strings.Repeat("x", 1000)) + strings.Repeat(p("{{/items}}"), 40),
		"a text repeated":      p(long + long + strings.Repeat(long, 10)),
		"nothing repeated":     p(strings.Repeat("{{#items}}", 60) + strings.Repeat("{{/items}}", 60)),
		"placeholders":         strings.Repeat(p("{{name}}{{name}}{{name}}{{name}}"), 3000),
		"a long text":          p("{{name}}" + strings.Repeat("x", 2<<20)),
		"unfinished":           `<w:p><w:r>{`,
		"no XML":               `{<w:p a=></w:p>`,
		"wrong end":            `<w:p></w:r></w:p>{`,
		"declaration":          `{<!DOCTYPE x [<!ENTITY a "b">]>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := docx(t, in)
			err := merge.Fill(t.Context(), bytes.NewReader(file), int64(len(file)), io.Discard, data, isTag)
			if _, ok := err.(*convert.Refusal); !ok {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestFillingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := docx(t, p("{{name}}"))
	if err := merge.Fill(ctx, bytes.NewReader(file), int64(len(file)), io.Discard, data, isTag); err == nil {
		t.Error("it went on")
	}
}

func FuzzFill(f *testing.F) {
	for _, s := range []string{p("{{name}}"), p("{", "{name}}"), p("{{#items}}") + p("{{what}}") + p("{{/items}}"), `<w:tbl>` + row(p("{{#items}}"), p("{{/items}}")) + `</w:tbl>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if xml.Unmarshal([]byte(head+s+foot), new(struct{})) != nil {
			return
		}
		file := docx(t, s)
		var out bytes.Buffer
		if merge.Fill(t.Context(), bytes.NewReader(file), int64(len(file)), &out, data, isTag) == nil {
			body(t, out.Bytes())
		}
	})
}
