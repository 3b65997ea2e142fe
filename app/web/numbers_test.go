package web_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestNumbersAreTypedAsTheReaderWritesThem fills in a number on pages in several languages, without a script and
// with one. Each shows what was understood; one form is stored; the paper has that of the document's language.
func TestNumbersAreTypedAsTheReaderWritesThem(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for _, x := range []struct{ locale, typed, format, stored, input, drawn string }{
		{"de", "1234,50", "", "1234.50", "1234,50", "1234,50"},
		{"de", "1.234", "", "1234", "1234", "1234"},
		{"de", "1.234,5 €", "#,##0.00 €", "1234.5", "1234,5", "1.234,50 €"},
		{"fr", "1\u202f234,50", "", "1234.50", "1234,50", "1234,50"},
		{"nl", "1.234,50", "", "1234.50", "1234,50", "1234,50"},
		{"en", "1,234.50", "", "1234.50", "1234.50", "1234.50"},
		{"ar", "٥٠٫٢", "", "50.2", "50.2", "٥٠٫٢"},
	} {
		t.Run(x.locale+" "+x.typed, func(t *testing.T) {
			t.Parallel()
			c := s.Company(t)
			sent := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Order", "locale": x.locale, "send": true, "send_emails": false,
				"invitations": []apptest.Map{maria("locale", x.locale)},
				"fields":      []apptest.Map{{"invitation_id": "0", "type": "number", "name": "amount", "page": 1, "x": .1, "y": .1, "width": .3, "height": .04, "format": x.format}},
			}, apptest.File{Name: "order.pdf", Content: apptest.PDF(t, "Order")})).Want(t, http.StatusCreated)
			id, field := "/documents/"+sent.Text(t, "id"), sent.Text(t, "fields.0.id")
			v, at, name := invited(t, s), path(t, sent.Text(t, "invitations.0.sign_url")), "f."+field

			_, page := v.get(at)
			form := url.Values{"csrf": {formToken.FindStringSubmatch(page)[1]}, "do": {"save"}, name: {x.typed}}
			res := v.request(http.MethodPost, at, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Requested-With", "fetch", "Origin", s.URL)
			answer, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != http.StatusOK {
				t.Fatalf("saving: %d %s %v", res.StatusCode, answer, err)
			}
			want(t, string(answer), `"value":"`+x.stored+`","shown":"`+x.drawn+`"`)

			_, page = v.get(at)
			want(t, page, `value="`+x.input+`"`, `inputmode="decimal"`, `data-shown="`+x.drawn+`"`)
			code, page := v.send(at, "do", "finish", "signature.text", "Maria S.", name, x.typed+" x")
			if code != http.StatusUnprocessableEntity || !strings.Contains(html.UnescapeString(page), x.typed+" x") {
				t.Errorf("no number: %d", code)
			}
			if code, page = v.send(at, "do", "finish", "signature.text", "Maria S.", name, x.typed); code != http.StatusOK {
				t.Fatalf("signing: %d %.2000s", code, page)
			}
			if got := c.Get(t, id).Text(t, "fields.0.value"); got != x.stored {
				t.Errorf("stored as %v, want %s", got, x.stored)
			}
			file := c.Post(t, id+"/download", apptest.Map{}).Want(t, http.StatusOK)
			got := apptest.PagesText(t, file.Body)
			for _, part := range strings.Fields(x.drawn) { // readers may put the currency elsewhere
				if !strings.Contains(got, part) {
					t.Errorf("drawn: %.300q, want %s", got, x.drawn)
				}
			}
		})
	}
}
