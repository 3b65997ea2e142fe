package web_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// pages is a browser with scripts, *window, or without, *plain.Browser, for tests of what has to
// work in both.
type pages interface {
	Visit(address string)
	See(what string)
	Gone(what string)
	Click(what string)
	Write(where, text string)
	Pick(where, option string)
	Choose(where string, files ...plain.File)
	Read(what string) string
	Value(what string) string
	Attribute(what, name string) string
	Heading(want string)
	Says(texts ...string)
}

func (w *window) Visit(address string)      { w.t.Helper(); w.visit(address) }
func (w *window) See(what string)           { w.t.Helper(); w.see(chromedp.CSS(what)) }
func (w *window) Gone(what string)          { w.t.Helper(); w.gone(chromedp.CSS(what)) }
func (w *window) Click(what string)         { w.t.Helper(); w.click(chromedp.CSS(what)) }
func (w *window) Read(what string) string   { w.t.Helper(); return w.read(chromedp.CSS(what)) }
func (w *window) Value(where string) string { w.t.Helper(); return w.value(chromedp.CSS(where)) }
func (w *window) Heading(want string)       { w.t.Helper(); w.heading(want) }

func (w *window) Write(where, text string) {
	w.t.Helper()
	if text == "" {
		w.run(chromedp.Clear(chromedp.CSS(where)))
		return
	}
	w.replace(chromedp.CSS(where), text)
}

func (w *window) Pick(where, option string) {
	w.t.Helper()
	w.see(chromedp.CSS(where))
	pick(w, where, option)
}

func (w *window) Choose(where string, files ...plain.File) {
	w.t.Helper()
	var paths []string
	dir := w.t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			w.t.Fatal(err)
		}
		paths = append(paths, path)
	}
	w.run(chromedp.SetUploadFiles(chromedp.CSS(where), paths))
}

func (w *window) Attribute(what, name string) string {
	w.t.Helper()
	return get(w, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%q).getAttribute(%q)`, what, name)))
}

func (w *window) Says(texts ...string) {
	w.t.Helper()
	for _, x := range texts {
		w.reads(x)
	}
}

// guest returns a browser without a window of somebody who is not signed in.
func guest(t testing.TB, s *apptest.Server) *plain.Browser {
	t.Helper()
	return plain.Open(t, s.URL)
}

// colleague returns a browser without a window of a member who is signed in.
func colleague(t testing.TB, c *apptest.Client) *plain.Browser {
	t.Helper()
	b := plain.Open(t, c.URL)
	b.Enter(c.Token)
	return b
}

// either returns a browser of a member, or of a guest if they have no token, with or without
// scripts.
func either(t testing.TB, c *apptest.Client, scripts bool) pages {
	t.Helper()
	switch {
	case !scripts && c.Token == "":
		return guest(t, c.Server)
	case !scripts:
		return colleague(t, c)
	case c.Token == "":
		return open(t, look{})
	}
	return team(t, c, look{})
}

// fileNames returns the names of the files of a draft that its page shows.
func fileNames(b *plain.Browser) string {
	var all []string
	for i := range b.Count("#files [data-file]") {
		all = append(all, b.Attribute(fmt.Sprintf("#files [data-file]:nth-child(%d)", i+1), "data-name"))
	}
	return strings.Join(all, " ")
}
