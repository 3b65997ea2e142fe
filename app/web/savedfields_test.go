package web_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestSaveAndPlaceAField saves a field in the editor of one document, and places it in another.
func TestSaveAndPlaceAField(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("text", "IBAN", 1, .1, "pattern", "[A-Z]+", "cells", 22, "required", false))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	w.click(`.box:nth-of-type(1)`)
	w.click("#tab-properties")
	w.click(`details:has(#q-saved) summary`)
	w.click(`[data-do="save-field"]`)
	w.until(`document.activeElement.id === "q-saved"`)
	w.write("#q-saved", "Bank account")
	w.click(`[data-do="save-field"]`)
	w.until(`document.querySelector('[data-saved]')?.textContent === "Bank account"`)
	w.write("#q-saved", "bank account")
	w.click(`[data-do="save-field"]`)
	w.until(`document.querySelector(".field:has(#q-saved) .error")?.textContent.includes("taken")`)

	other := newDraft(t, c, 1, maria())
	w.edit(other)
	w.click(`[data-saved]`)
	w.until(`document.querySelector('[data-saved]').getAttribute("aria-pressed") === "true" && document.querySelector('[data-type="text"]').getAttribute("aria-pressed") === "false"`)
	w.click("#p1 .paper")
	w.saved()
	r := c.Get(t, "/documents/"+other.id+"/fields").Want(t, http.StatusOK)
	if r.Text(t, "data.0.label") != "IBAN" || r.Text(t, "data.0.pattern") != "[A-Z]+" || r.Int(t, "data.0.cells") != 22 || r.At(t, "data.0.required") != false || r.At(t, "data.0.width") != .4 {
		t.Errorf("placed is %s", r.Body)
	}
}

// TestSavedFieldsWithoutScript places, renames and deletes a saved field.
func TestSavedFieldsWithoutScript(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	field := apptest.Map{"type": "text", "label": "IBAN", "width": .4, "height": .03, "cells": 22, "pattern": "[A-Z]+", "pattern_message": "Capitals, please.", "help": "On your card"}
	c.Post(t, "/saved-fields", apptest.Map{"name": "Bank account", "field": field}).Want(t, http.StatusCreated)
	c.Post(t, "/saved-fields", apptest.Map{"name": "Other", "field": field}).Want(t, http.StatusCreated)
	d := newDraft(t, c, 1, maria())
	w := colleague(t, c)
	w.Visit(c.URL + "/app/documents/" + d.id + "/edit/list")
	w.Click(`a[href*="saved="]`)
	if got := w.Value(`[name="f.new.label"]`); got != "IBAN" {
		t.Errorf("the new field is labelled %q", got)
	}
	w.Click(`[name=do][value=save]`)
	w.Gone(`[name="f.new.label"]`)
	if got := w.Value(`[name$=".label"]`); got != "IBAN" {
		t.Errorf("the field is labelled %q", got)
	}
	if r := c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK); r.Int(t, "data.0.cells") != 22 {
		t.Errorf("placed is %s", r.Body)
	}
	w.Visit(c.URL + "/app/saved-fields")
	w.Write(`form:nth-of-type(1) [name^="name."]`, "other")
	w.Click(`form:nth-of-type(1) [value=rename]`)
	w.See(".error")
	w.Write(`form:nth-of-type(1) [name^="name."]`, "IBAN")
	w.Click(`form:nth-of-type(1) [value=rename]`)
	if got := w.Read("h2"); got != "IBAN" {
		t.Errorf("it is called %q now", got)
	}
	deleted := c.Get(t, "/saved-fields").Want(t, http.StatusOK).At(t, "data.0.field")
	w.Click(`form:nth-of-type(1) [value=delete]`)
	if n := w.Count("main form.card"); n != 1 {
		t.Errorf("%d are left", n)
	}
	if got := c.Get(t, "/saved-fields").Want(t, http.StatusOK).Text(t, "data.0.name"); got != "Other" {
		t.Errorf("left is %s", got)
	}
	w.Click(".toast form button")
	w.Says("Restored.")
	w.Gone(".toast form")
	restored := c.Get(t, "/saved-fields").Want(t, http.StatusOK)
	if restored.Text(t, "data.0.name") != "IBAN" || !reflect.DeepEqual(restored.At(t, "data.0.field"), deleted) {
		t.Errorf("restored is %s, want the field %v", restored.Body, deleted)
	}

	// Meanwhile there is another one of that name.
	w.Click(`form:nth-of-type(1) [value=delete]`)
	w.Says("Deleted.")
	c.Post(t, "/saved-fields", apptest.Map{"name": "iban", "field": field}).Want(t, http.StatusCreated)
	w.Click(".toast form button")
	w.See("#errors")
	w.Says("taken")

	// What a cookie can't hold is not offered.
	towns := make([]string, 200)
	for i := range towns {
		towns[i] = fmt.Sprintf("A town with a long name and the number %d", i)
	}
	large := apptest.Map{"type": "select", "label": "Town", "width": .4, "height": .03, "options": towns}
	id := c.Post(t, "/saved-fields", apptest.Map{"name": "A town", "field": large}).Want(t, http.StatusCreated).Text(t, "id")
	v := browse(t, c)
	if _, html := v.send("/app/saved-fields", "id", id, "do", "delete"); !strings.Contains(html, "Deleted.") || strings.Contains(html, `value="restore"`) {
		t.Errorf("deleted: %s", html)
	}
}
