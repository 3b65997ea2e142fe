package markup_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paraph/app/markup"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"blocks": {
			`<ul><li>a</li><li>b</li></ul>`,
			"<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n",
		},
		"text stays in its line": {
			"<p>one <b>two</b>, <i>three</i></p>",
			"<p>one <b>two</b>, <i>three</i></p>\n",
		},
		"no space between inline elements": {
			`<p><a href="/a">` + strings.Repeat("a", 60) + `</a><a href="/b">` + strings.Repeat("b", 60) + `</a></p>`,
			"<p>\n  <a href=\"/a\">" + strings.Repeat("a", 60) + "</a><a href=\"/b\">" + strings.Repeat("b", 60) + "</a>\n</p>\n",
		},
		"spaces between the children of a box": {
			`<div class="row"><a href="/a">` + strings.Repeat("a", 60) + `</a><a href="/b">` + strings.Repeat("b", 60) + `</a></div>`,
			"<div class=\"row\">\n  <a href=\"/a\">" + strings.Repeat("a", 60) + "</a>\n  <a href=\"/b\">" + strings.Repeat("b", 60) + "</a>\n</div>\n",
		},
		"an attribute in each line": {
			`<input id="` + strings.Repeat("i", 70) + `" name="` + strings.Repeat("n", 40) + `"{{if .On}} checked{{end}}>`,
			"<input\n  id=\"" + strings.Repeat("i", 70) + "\"\n  name=\"" + strings.Repeat("n", 40) + "\"\n  {{if .On}}checked{{end}}\n>\n",
		},
		"branches with blocks": {
			`{{define "x"}}{{if .A}}<p>a</p>{{else}}<p>b</p>{{end}}{{end}}`,
			"{{define \"x\"}}\n  {{if .A}}\n    <p>a</p>\n  {{else}}\n    <p>b</p>\n  {{end}}\n{{end}}\n",
		},
		"a definition in a line of text": {
			`{{define "x"}}{{.A}}, {{.B}}{{end}}`,
			"{{define \"x\"}}{{.A}}, {{.B}}{{end}}\n",
		},
		"verbatim": {
			"<div><pre>\n  a\n b</pre></div>",
			"<div>\n  <pre>\n  a\n b</pre>\n</div>\n",
		},
		"a condition after text": {
			`<p>{{.A}}{{if .B}} b{{end}}</p>`,
			"<p>{{.A}}{{if .B}} b{{end}}</p>\n",
		},
	} {
		if got, err := markup.Format(c.src); err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

func TestSqueeze(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ src, want string }{
		"between blocks":     {"<div>\n  <p>a</p>\n\n  <p>b</p>\n</div>\n", "<div><p>a</p><p>b</p></div>"},
		"between words":      {"<p>\n  one\n  <b>two</b>\n</p>", "<p>one <b>two</b></p>"},
		"in a tag":           {"<input\n  id=\"a\"\n  {{if .X}}required{{else}}b=\"1\"{{end}}\n>", `<input id="a"{{if .X}} required{{else}} b="1"{{end}}>`},
		"in an action":       {"<p>{{t \"a  b\"\n  .X}}</p>", `<p>{{t "a  b" .X}}</p>`},
		"beside a condition": {"<p>a\n{{if .X}}\n<b>b</b>\n{{end}}\nc</p>", "<p>a {{if .X}} <b>b</b> {{end}} c</p>"},
		"a condition about blocks": {
			"<div>\n  {{if .X}}\n    <p>a</p>\n  {{end}}\n  {{with .Y}}\n    <p>b</p>\n  {{end}}\n</div>",
			"<div>{{if .X}}<p>a</p>{{end}}{{with .Y}}<p>b</p>{{end}}</div>",
		},
		"text before a block that may be missing": {"<div>a\n{{if .X}}<p>b</p>{{end}}\nc</div>", "<div>a {{if .X}}<p>b</p>{{end}} c</div>"},
		"verbatim":                      {"<p>\n<textarea>\n a  b</textarea>\n</p>", "<p><textarea>\n a  b</textarea></p>"},
		"a comment":                     {"{{/* note */}}\n<p>a</p>", "<p>a</p>"},
		"what is not shown":             {"<div>\n  <input type=\"hidden\">\n  <p>a</p>\n</div>", "<div><input type=\"hidden\"><p>a</p></div>"},
		"a value with the end of a tag": {`<a title="{{if gt .A 1}}>{{end}}"  href="x">a</a>`, `<a title="{{if gt .A 1}}>{{end}}" href="x">a</a>`},
	} {
		if got, err := markup.Squeeze(c.src); err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`<p {{if .X}}>a{{else}}>b{{end}}</p>`, "{{.X", "<p", "<!--", "<pre>", "{{/* a", "{{`"} {
		if got, err := markup.Squeeze(src); err == nil {
			t.Errorf("%s is read as %s", src, got)
		}
	}
}

// TestTemplatesKeepTheirMeaning compares each template with itself, laid out and squeezed.
func TestTemplatesKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	read := 0
	for _, root := range []string{"../web/templates", "../notify/layout"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".html" {
				return err
			}
			read++
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			short, err := markup.Squeeze(string(src))
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			long, err := markup.Format(short)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if got, _ := markup.Squeeze(long); got != short {
				t.Errorf("%s: laid out and squeezed it is\n%s\nnot\n%s", path, got, short)
			}
			if again, _ := markup.Format(long); again != long {
				t.Errorf("%s: laid out twice it is\n%s\nnot\n%s", path, again, long)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read == 0 {
		t.Error("no templates were found")
	}
}
