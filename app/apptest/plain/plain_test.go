package plain_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"paraph/app/apptest/plain"
)

const page = `<title>x</title><main><h1>Order</h1>
<form id="f" method="post" action="/done"><input type="hidden" name="csrf" value="t"><input name="city"><input name="off" disabled value="x">
<fieldset disabled><input name="in-off" value="x"></fieldset><textarea name="note">
as is</textarea><label for="c">Pets</label><input id="c" type="checkbox" name="pets" value="yes">
<input type="radio" name="size" value="s" checked><input type="radio" name="size" value="l">
<select name="floor"><option>1<option value="2">two</select><button name="do" value="save">Save</button></form>
<details><summary>More</summary><button form="f" name="do" value="more" formaction="/more">More</button></details>
<p hidden>secret</p><a href="/next?a=1">Go</a></main>`

// site answers each form with what it contains, and the rest with the page above.
func site(t *testing.T) *plain.Browser {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			http.SetCookie(w, &http.Cookie{Name: "kept", Value: "1", HttpOnly: true})
			fmt.Fprintf(w, "<main><h1>%s</h1><pre>%s</pre></main>", r.URL.Path, html.EscapeString(r.PostForm.Encode()))
			return
		}
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/page", http.StatusSeeOther)
			return
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(s.Close)
	return plain.Open(t, s.URL)
}

func TestFormsAreSentAsABrowserDoes(t *testing.T) {
	t.Parallel()
	b := site(t)
	b.Visit("/")
	if b.At() != "/page" {
		t.Errorf("the redirect leads to %s", b.At())
	}
	if strings.Contains(b.Text(), "secret") || strings.Contains(b.Text(), "Save\nMore\nMore") {
		t.Errorf("what is hidden is read: %s", b.Text())
	}
	b.Write("[name=city]", "Porto & Faro")
	b.Click("label")
	b.Click("[value=l]")
	b.Pick("select", "2")
	b.Click("[value=save]")
	b.Heading("/done")
	if got, want := b.Read("pre"), "city=Porto+%26+Faro&csrf=t&do=save&floor=2&note=as+is&pets=yes&size=l"; got != want {
		t.Errorf("sent is %s, want %s", got, want)
	}
	if c := b.Cookie("kept"); c == nil || !c.HttpOnly {
		t.Errorf("the cookie is %v", c)
	}
	b.Visit("/page")
	b.Click("summary")
	b.Click("[value=more]")
	b.Heading("/more")
	b.Visit("/page")
	b.Click("a")
	if b.At() != "/next?a=1" {
		t.Errorf("the link leads to %s", b.At())
	}
}

// refused is a test that notes its failure.
type refused struct {
	testing.TB
	said string
}

func (r *refused) Helper() {}

func (r *refused) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	panic(r)
}

func TestWhatAPersonCannotDoFails(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(b *plain.Browser){
		"can't be pressed": func(b *plain.Browser) { b.Click("[name=off]") },
		"cannot be seen":   func(b *plain.Browser) { b.Click("[value=more]") },
		"can be written":   func(b *plain.Browser) { b.Write("[name=in-off]", "y") },
		"has no option":    func(b *plain.Browser) { b.Pick("select", "3") },
		"does nothing":     func(b *plain.Browser) { b.Click("h1") },
		"is not titled":    func(b *plain.Browser) { b.Heading("Another") },
		"is there 1 times": func(b *plain.Browser) { b.Gone("h1") },
		"required and empty": func(b *plain.Browser) {
			b.Forge("[name=city]", "required", "")
			b.Click("[value=save]")
		},
		"is no address": func(b *plain.Browser) {
			b.Forge("[name=city]", "type", "email")
			b.Write("[name=city]", "nowhere")
			b.Click("[value=save]")
		},
		"another host": func(b *plain.Browser) { b.Visit("https://elsewhere.example/") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) }))
			defer s.Close()
			r := &refused{TB: t}
			b := plain.Open(r, s.URL)
			b.Visit("/")
			func() {
				defer func() {
					if p := recover(); p != nil && p != any(r) {
						panic(p)
					}
				}()
				do(b)
			}()
			if !strings.Contains(r.said, name) {
				t.Errorf("it says %q", r.said)
			}
		})
	}
}
