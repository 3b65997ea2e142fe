package api_test

import (
	"strings"
	"testing"

	"paraph/app/account"
)

// iban is a field worth saving.
func iban(more obj) obj {
	return merged(obj{"type": "text", "name": "iban", "label": "IBAN", "width": .5, "height": .03, "cells": 22, "required": false,
		"pattern": "[A-Z]{2}[0-9]{2}", "pattern_message": "Without blanks, please.", "font_weight": "bold"}, more)
}

// TestSavedFields saves a field, changes it, places it, and deletes it.
func TestSavedFields(t *testing.T) {
	t.Parallel()
	c := company(t)
	made := c.Post(t, "/saved-fields", obj{"name": " IBAN ", "field": iban(obj{"file_id": "0", "page": 7, "x": .9})}).Want(t, 201)
	c.Post(t, "/saved-fields", obj{"name": "Date of birth", "field": obj{"type": "date", "width": .2, "height": .03, "max": "today-18y"}}).Want(t, 201)
	at := "/saved-fields/" + made.Text(t, "id")
	r := c.Patch(t, at, obj{"name": "Bank account", "field": obj{"cells": 0, "help": "On your card"}}).Want(t, 200)
	for path, want := range map[string]any{"name": "Bank account", "field.label": "IBAN", "field.cells": nil, "field.required": false, "field.help": "On your card",
		"field.pattern_message": "Without blanks, please.", "field.font_weight": "bold", "field.width": .5} {
		if got := r.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	all := c.Get(t, "/saved-fields").Want(t, 200)
	if got := strings.Join(all.Texts(t, "data", "name"), ", "); got != "Bank account, Date of birth" || all.Text(t, "data.1.field.max") != "today-18y" {
		t.Errorf("listed: %s", all.Body)
	}

	d := newConditional(t, c)
	field := merged(c.Get(t, at).Want(t, 200).At(t, "field").(obj), obj{"file_id": d.file, "invitation_id": d.people[0], "page": 1, "x": .1, "y": .1})
	d.Post(t, d.at+"/fields", obj{"fields": list{field}}).Want(t, 201)
	c.Delete(t, at).Want(t, 204)
	c.Get(t, at).Want(t, 404)
	d.Post(t, d.at+"/send", nil).Want(t, 200)
	if got := refused(t, d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": obj{"iban": "x"}}), "fields.iban", "not_in_format"); got != "Without blanks, please." {
		t.Errorf("it says %q", got)
	}
}

func TestSavedFieldsAreChecked(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Post(t, "/saved-fields", obj{"name": "Café", "field": iban(nil)}).Want(t, 201)
	failed(t, c.Post(t, "/saved-fields", obj{}), 422, "name", "field")
	refused(t, c.Post(t, "/saved-fields", obj{"name": "CAFE", "field": iban(nil)}), "name", "taken")
	failed(t, c.Post(t, "/saved-fields", obj{"name": "A", "field": obj{"type": "text"}}), 422, "field.width", "field.height")
	failed(t, c.Post(t, "/saved-fields", obj{"name": "A", "field": iban(obj{"pattern": "(", "cells": 101, "type": "thing"})}), 422, "field.pattern", "field.cells", "field.type")
	refused(t, c.Post(t, "/saved-fields", obj{"name": "A", "field": iban(obj{"formula": "a + b"})}), "field.formula", "not_in_saved_field")
	refused(t, c.Post(t, "/saved-fields", obj{"name": "A", "field": iban(on(when("a", "filled")))}), "field.condition", "not_in_saved_field")
	if n := c.Get(t, "/saved-fields").Want(t, 200).Int(t, "meta.total"); n != 1 {
		t.Errorf("there are %d", n)
	}
}

func TestSavedFieldRights(t *testing.T) {
	t.Parallel()
	c := company(t)
	at := "/saved-fields/" + c.Post(t, "/saved-fields", obj{"name": "IBAN", "field": iban(nil)}).Want(t, 201).Text(t, "id")
	viewer := c.Member(t, account.RoleViewer)
	viewer.Get(t, at).Want(t, 200)
	viewer.Get(t, "/saved-fields").Want(t, 200)
	viewer.Patch(t, at, obj{"name": "X"}).Want(t, 403)
	viewer.Delete(t, at).Want(t, 403)
	viewer.Post(t, "/saved-fields", obj{"name": "B", "field": iban(nil)}).Want(t, 403)
	other := company(t)
	other.Get(t, at).Want(t, 404)
	other.Delete(t, at).Want(t, 404)
	other.Post(t, "/saved-fields", obj{"name": "IBAN", "field": iban(nil)}).Want(t, 201)
}
