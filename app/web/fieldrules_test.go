package web_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestHintsOnThePage checks that hints are shown and named as the description of an input.
func TestHintsOnThePage(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 2, .7, "help", "Sign here <please>"),
		place("text", "City", 1, .3, "help", "As on the deed", "placeholder", "Vienna"),
		place("checkbox", "Pets", 1, .5, "placeholder", "ignored"), place("text", "Street", 1, .6, "height", .2, "placeholder", "Ring 1"),
		place("date", "Start", 1, .9, "min", "2026-01-31", "max", "2026-12-31"))
	res, page := fetch(t, d.links[0])
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the page is %d", res.StatusCode)
	}
	want(t, page, `id="i1-help" dir="auto">As on the deed<`, `placeholder="Vienna"`, `aria-describedby="i1-help"`, `placeholder="Ring 1"`, `data-earliest="2026-01-31" data-latest="2026-12-31"`,
		`>Sign here <please><`)
	if strings.Contains(page, "ignored") {
		t.Error("a box has a placeholder")
	}
}

// explained is a field with a pattern that its owner explains.
func explained() []apptest.Map {
	return []apptest.Map{place("signature", "Signature", 2, .7),
		place("text", "Code", 1, .3, "pattern", "[A-Z]{2}", "pattern_message", "Two capital letters, please."),
		place("number", "Rooms", 1, .5, "required", false, "max", 9)}
}

// TestFlawsAreShownAtOnce checks values as they are entered.
func TestFlawsAreShownAtOnce(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, explained()...)
	w := open(t, look{})
	w.visit(d.links[0])
	w.write("#i1", "12")
	w.key("Tab", 0)
	w.until(`document.querySelector("#i1-error")?.textContent === "Two capital letters, please."`)
	w.until(`document.querySelector("#i1[aria-invalid]")?.getAttribute("aria-describedby") === "i1-error"`)
	w.write("#i2", "10")
	w.key("Tab", 0)
	w.until(`document.querySelector("#i2-error")?.textContent.includes("9")`)
	pick(w, "#i1", "AB")
	w.until(`!document.querySelector("#i1-error") && !document.querySelector("#i1[aria-describedby]")`)
}

// TestRulesWithoutScript checks that the server refuses, whatever the page does.
func TestRulesWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, explained()...)
	w := guest(t, s)
	w.Visit(d.links[0])
	w.Write("#i1", "12")
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.See("#errors")
	if got := w.Read("#errors"); !strings.Contains(got, "Two capital letters, please.") {
		t.Errorf("it complains about %q", got)
	}
}

// TestRulesInTheEditor sets rules of fields in the panel, and reads and changes some in the list.
func TestRulesInTheEditor(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "City", 1, .1), place("date", "Birth", 1, .2, "max", "today"), place("number", "Net", 1, .3), place("number", "Total", 1, .4),
		place("checkbox", "Cellar", 1, .5, "group", "extras"), place("checkbox", "Garden", 1, .6, "group", "extras"), place("checkbox", "Pets", 1, .7))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click("#tab-properties")
	choose := func(n int) {
		t.Helper()
		w.click(chromedp.CSS(fmt.Sprintf(".box:nth-of-type(%d)", n)))
	}
	choose(1)
	w.click("#look summary")
	w.click("#pane-properties details:last-of-type summary")
	pick(w, "#q-weight", "bold")
	pick(w, "#q-mask", "paper")
	w.write("#q-hint", "As on the deed")
	pick(w, "#q-preset", "digits")
	w.write("#q-message", "Digits, please.")
	w.write("#q-placeholder", "Vienna")
	w.write("#q-color", "#1D5BD1")
	w.write("#q-cells", "12")
	w.key("Tab", 0)
	w.saved()
	choose(2)
	w.write("#q-min", "today-99y")
	w.key("Tab", 0)
	choose(4)
	w.write("#q-formula", "round(net * 1.19, 2)")
	w.key("Tab", 0)
	choose(5)
	w.write("#q-least", "1")
	w.key("Tab", 0)
	w.saved()
	stored := func(expected map[string]any) {
		t.Helper()
		r := c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK)
		for path, want := range expected {
			if got := r.At(t, "data."+path); got != want {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		}
	}
	stored(map[string]any{
		"0.font_weight": "bold", "0.mask": "paper", "0.color": "#1d5bd1", "0.cells": 12.0, "0.help": "As on the deed", "0.placeholder": "Vienna",
		"0.pattern_message": "Digits, please.", "1.min": "today-99y", "1.max": "today",
		"3.formula": "round(net * 1.19, 2)", "3.read_only": true, "3.required": false,
		"4.group_min": 1.0, "5.group_min": 1.0, "6.group_min": nil,
	})

	b := colleague(t, c)
	b.Visit("/app/documents/" + d.id + "/edit/list")
	if got := b.Values(`[name$=".formula"]`); !slices.Contains(got, "round(net * 1.19, 2)") {
		t.Errorf("the list has the formulas %q", got)
	}
	born := d.fields(t)[1].ID
	b.Click(fmt.Sprintf(`li:has([name="f.%s.max"]) details summary`, born))
	b.Write(fmt.Sprintf(`[name="f.%s.max"]`, born), "today-18y")
	b.Click(`button[value="save"]`)
	b.See(".notice.ok")
	if got := b.Value(fmt.Sprintf(`[name="f.%s.max"]`, born)); got != "today-18y" {
		t.Errorf("the list shows the limit %q", got)
	}
	stored(map[string]any{"1.min": "today-99y", "1.max": "today-18y", "3.formula": "round(net * 1.19, 2)", "4.group_min": 1.0})
}

// TestNumbersAndDatesInTheEditor types defaults and limits as the reader of the page writes them, in the list and as the
// panel sends them.
func TestNumbersAndDatesInTheEditor(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	c.Patch(t, "/me", apptest.Map{"locale": "de"}).Want(t, http.StatusOK)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("number", "Price", 1, .1, "value", 12.5, "max", 1e6), place("date", "Start", 1, .3, "value", "2026-04-03", "min", "today"))
	v, at := browse(t, c), "/app/documents/"+d.id+"/edit"
	fields := d.fields(t)
	stored := func(want string) {
		t.Helper()
		r := c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK)
		if got := fmt.Sprint(r.At(t, "data.0.value"), " ", r.At(t, "data.0.max"), " ", r.At(t, "data.1.value"), " ", r.At(t, "data.1.min")); got != want {
			t.Errorf("stored are %s, want %s", got, want)
		}
	}
	_, page := v.get(at + "/list")
	want(t, page, `value="12,5"`, `value="1000000"`, `value="03.04.2026"`, `value="today"`)
	form := []string{"unit", "mm", "part", "1", "do", "save", "version", regexp.MustCompile(`name="version" value="([0-9]+)"`).FindStringSubmatch(page)[1]}
	for i, values := range []map[string]string{{"value": "1.234,50", "max": "2.000,5"}, {"value": "4. Mai 2026", "min": "1.5.2026"}} {
		prefix := "f." + fields[i].ID + "."
		form = append(form, "row", fields[i].ID)
		for name, x := range map[string]string{"type": fields[i].Type, "file": d.file, "who": d.people[0], "page": "1", "x": "10", "y": "10,5", "w": "50", "h": "10"} {
			form = append(form, prefix+name, x)
		}
		for name, x := range values {
			form = append(form, prefix+name, x)
		}
	}
	if code, page := v.send(at+"/list", form...); code != http.StatusOK {
		t.Fatalf("the list: %d %.3000s", code, page)
	}
	stored("1234.50 2000.5 2026-05-04 2026-05-01")
	_, page = v.get(at + "/list")
	form[7] = regexp.MustCompile(`name="version" value="([0-9]+)"`).FindStringSubmatch(page)[1]
	for i := range form {
		form[i] = strings.Replace(form[i], "2.000,5", "2,0,5", 1)
	}
	if code, page := v.send(at+"/list", form...); code != http.StatusUnprocessableEntity || !strings.Contains(page, `value="2,0,5"`) {
		t.Errorf("a limit that is no number: %d", code)
	}
	stored("1234.50 2000.5 2026-05-04 2026-05-01")
	_, page = v.get(at)
	want(t, html.UnescapeString(page), `"value":"1234,50"`, `"max":"2000,5"`, `"value":"04.05.2026"`, `"min":"01.05.2026"`)
}

// TestGroupsOfBoxesOnThePage ticks boxes until it is right.
func TestGroupsOfBoxesOnThePage(t *testing.T) {
	t.Parallel()
	box := func(label string, y float64) apptest.Map {
		return place("checkbox", label, 1, y, "required", false, "group", "extras", "group_min", 2, "group_max", 2)
	}
	d := send(t, apptest.New(t), []apptest.Map{maria()}, place("signature", "Signature", 2, .7), box("Cellar", .2), box("Garden", .3), box("Garage", .4))
	w := open(t, look{})
	w.visit(d.links[0])
	left := func(done, all int) {
		t.Helper()
		w.until(fmt.Sprintf(`document.querySelector("#left").textContent.startsWith("%d of %d")`, done, all))
	}
	left(0, 2)
	w.click("#i1")
	left(0, 2)
	w.click("#i3")
	left(1, 2)
	w.click("#i2")
	w.until(`document.querySelector("#i1-error")?.textContent.includes("at most 2")`)
	w.click("#i1")
	w.until(`!document.querySelector("#i1-error")`)
	w.click(`[data-mark="signature"]`)
	w.click("dialog[open] [data-adopt]")
	left(2, 2)
	w.click("#finish")
	w.heading("Everyone has signed")
}

// pick chooses an option of a select.
func pick(w *window, id, value string) {
	w.t.Helper()
	get(w, chromedp.Evaluate[bool](fmt.Sprintf(
		`(e => { e.value = %[2]q; return e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(%[1]q))`, id, value)))
}

// sums are fields whose values are computed, one of which depends on another.
func sums() []apptest.Map {
	return []apptest.Map{place("signature", "Signature", 2, .7), place("number", "Net", 1, .1), place("number", "Fee", 1, .2, "required", false),
		place("number", "Total", 1, .3, "required", false, "formula", "sum(net, fee)", "format", "#,##0.00 €"),
		place("text", "Reason", 1, .4, "required", false, "condition", apptest.Map{"when": []apptest.Map{{"field": "total", "op": "greater", "value": 1000}}}),
		place("number", "Share", 1, .5, "required", false, "formula", "total / fee")}
}

// TestSumsFollowTyping checks that computed fields show what the server computes.
func TestSumsFollowTyping(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, sums()...)
	w := open(t, look{})
	w.visit(d.links[0])
	w.until(`document.querySelector("#i3").textContent === "" && document.querySelector("#f4").hidden`)
	w.write("#i1", "1000.1")
	w.until(`document.querySelector("#i3").textContent === "1,000.10 €" && !document.querySelector("#f4").hidden`)
	w.write("#i2", "0")
	w.until(`document.querySelector("#i5-error")?.textContent.includes("division by zero")`)
	pick(w, "#i2", "0.2")
	w.until(`document.querySelector("#i3").textContent === "1,000.30 €" && !document.querySelector("#i5-error")`)
	w.until(`document.querySelector("#i5").textContent === "5001.5" && document.querySelector('[data-of="i5"]').textContent === "5001.5"`)
	pick(w, "#i1", "1")
	w.until(`document.querySelector("#i3").textContent === "1.20 €" && document.querySelector("#f4").hidden`)
}

// TestSumsWithoutScript checks that what was saved is summed up, and that a value that
// the page doesn't offer is not taken.
func TestSumsWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, sums()...)
	w := guest(t, s)
	w.Visit(d.links[0])
	w.Write("#i1", "0.1")
	w.Write("#i2", "0.2")
	w.Click(`.btn[value="save"]`)
	w.See(".notice.ok")
	if got := w.Read("#i3"); got != "0.30 €" {
		t.Errorf("the sum is %q", got)
	}
	want(t, w.HTML, `<data class="fixed" value="0.3">0.30 €</data>`)
}

// TestRepeatedFieldsAreTypedOnce fills in one of two fields with the same name.
func TestRepeatedFieldsAreTypedOnce(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for _, scripts := range []bool{true, false} {
		d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 1, .7), place("text", "Town", 1, .1),
			place("date", "Start", 1, .2, "format", "D MMMM YYYY"),
			place("text", "Town again", 1, .3, "name", "town"), place("date", "Start again", 1, .4, "name", "start", "format", "D MMMM YYYY"))
		p := either(t, s.Anonymous(), scripts)
		p.Visit(d.links[0])
		p.Write("#i1", "Utrecht")
		p.Pick("#i2", "2026-12-01")
		if w, is := p.(*window); is {
			w.until(`document.querySelector("#i3").textContent === "Utrecht" && document.querySelector("#i4").textContent === "1 December 2026"`)
			w.click(`[data-mark="signature"]`)
			w.click("dialog[open] [data-adopt]")
		} else {
			p.Click(`.btn[value="save"]`)
			p.See(".notice.ok")
			if town, start := p.Read("#i3"), p.Read("#i4"); town != "Utrecht" || start != "1 December 2026" {
				t.Errorf("the other fields show %q and %q", town, start)
			}
			p.Write(`[name="signature.text"]`, "Maria Silva")
		}
		p.Click("#finish")
		p.Heading("Everyone has signed")
		r := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
		for i, want := range []string{"Utrecht", "2026-12-01", "Utrecht", "2026-12-01"} {
			if got := r.Text(t, fmt.Sprintf("fields.%d.value", i+1)); got != want {
				t.Errorf("value %d is %q, want %q", i, got, want)
			}
		}
	}
}

// TestBoxesOfOneNameAreTickedTogether ticks one of two boxes of a name, and chooses one of two buttons of a name.
func TestBoxesOfOneNameAreTickedTogether(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, place("checkbox", "Pets", 1, .1, "required", false), place("checkbox", "Pets", 2, .1, "required", false),
		place("radio", "Basic", 1, .3, "group", "plan"), place("radio", "Basic", 1, .4, "group", "plan"), place("radio", "Full", 1, .5, "group", "plan"))
	v, at := invited(t, s), path(t, d.links[0])
	_, page := v.get(at)
	boxes := regexp.MustCompile(`type="checkbox"[^>]*?name="(f\.[^"]+)"`).FindAllStringSubmatch(page, -1)
	buttons := regexp.MustCompile(`type="radio"[^>]*?name="(g\.[^"]+plan)"[^>]*?value="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(boxes) != 2 || boxes[0][1] != boxes[1][1] || len(buttons) != 3 || buttons[0][2] != buttons[1][2] || buttons[0][2] == buttons[2][2] {
		t.Fatalf("the page has %q and %q", boxes, buttons)
	}
	if code, page := v.send(at, "do", "finish", "signature.text", "Maria S.", boxes[0][1], "yes", buttons[0][1], buttons[0][2]); code != http.StatusOK {
		t.Fatalf("signing: %d %.2000s", code, page)
	}
	r := d.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK)
	if got := fmt.Sprint(r.Texts(t, "data", "value")); got != "[true true true true false]" {
		t.Errorf("stored are %s", got)
	}
}
