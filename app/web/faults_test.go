package web_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestFaultsAreInTheReadersLanguage makes every possible mistake on one page and checks that all
// messages come from the catalogue.
func TestFaultsAreInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	fields := []apptest.Map{
		place("text", "Short", 1, 0.05, "min", 5), place("text", "Long", 1, 0.1, "max", 2), place("text", "Code", 1, 0.15, "pattern", "[A-Z]{3}"),
		place("number", "Number", 1, 0.2), place("number", "Least", 1, 0.25, "min", 10), place("number", "Most", 1, 0.3, "max", 10),
		place("email", "Mail", 1, 0.35), place("date", "Day", 1, 0.4), place("select", "Floor", 1, 0.45, "options", []string{"first", "second"}),
		place("text", "Nothing", 1, 0.5), place("signature", "Signature", 2, 0.7),
	}
	wrong := map[string]string{"Short": "abc", "Long": "abc", "Code": "abc", "Number": "ten", "Least": "1", "Most": "11", "Mail": "nobody", "Day": "soon", "Floor": "third", "Nothing": ""}
	d := send(t, s, []apptest.Map{maria()}, fields...)
	labels := map[string]string{}
	for _, f := range d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).At(t, "fields").(apptest.List) {
		f := f.(apptest.Map)
		labels[f["label"].(string)] = `[name="f.` + f["id"].(string) + `"]`
	}
	b := plain.Open(t, s.URL, "Accept-Language", "ar-XB")
	b.Visit(d.links[0])
	for label, value := range wrong {
		if label == "Floor" {
			b.Forge(labels[label]+" option[value=second]", "value", value)
			b.Pick(labels[label], value)
			continue
		}
		b.Write(labels[label], value)
	}
	b.Forge("#sign", "novalidate", "")
	b.Click("#finish")
	said := b.ReadAll("#errors li, .error")
	for _, text := range said {
		if !strings.Contains(text, "\u2067") {
			t.Errorf("not in the reader's language: %s", text)
		}
	}
	all := strings.Join(said, "\n")
	for label := range wrong {
		if !strings.Contains(all, label) {
			t.Errorf("nothing is said about %s", label)
		}
	}
}
