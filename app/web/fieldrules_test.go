package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestHintsOnThePage checks that hints are shown and named as the description of an input.
func TestHintsOnThePage(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 2, .7, "help", "Sign here <please>"),
		place("text", "City", 1, .3, "help", "As on the deed", "placeholder", "Vienna"),
		place("checkbox", "Pets", 1, .5, "placeholder", "ignored"), place("text", "Street", 1, .6, "height", .2, "placeholder", "Ring 1"))
	res, page := fetch(t, d.links[0])
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the page is %d", res.StatusCode)
	}
	want(t, page, `id="i1-help" dir="auto">As on the deed<`, `placeholder="Vienna"`, `aria-describedby="i1-help"`, `placeholder="Ring 1"`,
		`>Sign here &lt;please&gt;<`)
	if strings.Contains(page, "ignored") {
		t.Error("a box has a placeholder")
	}
}

// TestRulesInTheEditor sets rules of fields in the panel.
func TestRulesInTheEditor(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "City", 1, .1), place("date", "Birth", 1, .3))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(`.box:nth-of-type(1)`)
	w.click("#tab-properties")
	w.click("#pane-properties details:last-of-type summary")
	w.write("#q-hint", "As on the deed")
	w.write("#q-placeholder", "Vienna")
	w.key("Tab", 0)
	w.saved()
	if r := c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK); r.Text(t, "data.0.help") != "As on the deed" || r.Text(t, "data.0.placeholder") != "Vienna" {
		t.Errorf("saved is %s", r.Body)
	}
}
