package me

import (
	"net/http"
	"time"

	"paraph/app/web/page"
)

// shortcutsPage lists the keyboard shortcuts.
type shortcutsPage struct {
	Groups []shortcutGroup
	On     bool
	Next   string
}

type shortcutGroup struct {
	Title string
	Keys  []shortcut
}

// shortcut is a sequence of keys and its effect.
type shortcut struct {
	Keys []string
	Text string
}

// ShowShortcuts serves the list of keyboard shortcuts.
func (h *Handlers) ShowShortcuts(r *page.Request) error {
	group := func(title string, pairs ...any) shortcutGroup {
		g := shortcutGroup{Title: r.Say(title)}
		for i := 0; i+1 < len(pairs); i += 2 {
			g.Keys = append(g.Keys, shortcut{pairs[i+1].([]string), r.Say(pairs[i].(string))})
		}
		return g
	}
	next := r.Inside(r.Query("next"))
	data := shortcutsPage{On: page.Shortcuts(r), Next: next, Groups: []shortcutGroup{
		group("keys.everywhere", "keys.search", []string{"/"}, "keys.new", []string{"n"}, "keys.documents", []string{"g", "d"},
			"keys.action", []string{"g", "a"}, "keys.templates", []string{"g", "t"}, "keys.contacts", []string{"g", "c"},
			"keys.settings", []string{"g", "s"}, "keys.list", []string{"?"}),
		group("keys.lists", "keys.next", []string{"j"}, "keys.previous", []string{"k"}, "keys.open", []string{"Enter"}, "keys.select", []string{"x"}),
	}}
	return shortcutsTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("keys.title")}, data))
}

// SetShortcuts turns single-key shortcuts on or off.
func (h *Handlers) SetShortcuts(r *page.Request) error {
	if r.Form.Value("keys") == "off" {
		r.SetCookie(page.ShortcutsCookie, "off", "/", 365*24*time.Hour)
		r.Flash("ok", "keys.done.off")
	} else {
		r.SetCookie(page.ShortcutsCookie, "", "/", -1)
		r.Flash("ok", "keys.done.on")
	}
	return r.SeeOther(r.Inside(r.Form.Value("next")))
}
