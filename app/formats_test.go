package app_test

import (
	"net/http"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestNumbersAndDatesAreDrawnInTheirFormat reads the text of the signed file. The API
// returns the values unformatted.
func TestNumbersAndDatesAreDrawnInTheirFormat(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	j := newJudges(t, s)
	c := s.Company(t)
	field := func(kind, name, format string, y float64) apptest.Map {
		return apptest.Map{"type": kind, "name": name, "format": format, "invitation_id": "0", "x": .1, "y": y, "width": .5, "height": .04}
	}
	data := apptest.Map{"title": "Miete", "locale": "de", "send": true, "invitations": apptest.List{guest(0)}, "fields": apptest.List{
		field("number", "rent", "#,##0.00 €", .2), field("date", "begin", "D. MMMM YYYY", .3), field("number", "plain", "", .4)}}
	file := apptest.File{Name: "miete.pdf", Content: smallPDF("Mietvertrag", 2000)}
	doc := c.Post(t, "/documents", apptest.Multipart(t, data, file)).Want(t, http.StatusCreated)
	sign := "/documents/" + doc.Text(t, "id") + "/" + doc.Texts(t, "invitations", "id")[0] + "/sign"
	refused := c.Post(t, sign, apptest.Map{"consent": true, "fields": apptest.Map{"rent": "1234.567", "begin": "2026-12-31", "plain": "1234.5"}}).Want(t, http.StatusUnprocessableEntity)
	if !strings.Contains(string(refused.Body), `"codes":{"fields.rent":["too_many_decimals"]}`) {
		t.Errorf("refused with %s", refused.Body)
	}
	doc = deal{signs: []apptest.Map{{"fields": apptest.Map{"rent": "1234.5", "begin": "2026-12-31", "plain": "1234.5"}}}}.sign(t, c, doc)
	files, _ := download(t, c, doc)
	text := tool(t, "pdftotext", j.completed(t, files[file.Name], sealed{signatures: 2}), "-")
	for _, want := range []string{"1.234,50 €", "31. Dezember 2026", "1234,5"} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("%q is not drawn: %q", want, text)
		}
	}
	for i, want := range []string{"1234.5", "2026-12-31"} {
		if got := doc.Texts(t, "fields", "value")[i]; got != want {
			t.Errorf("the API returned %q, want %q", got, want)
		}
	}
}
