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

// TestNumbersAreTypedAsTheReaderWritesThem fills in a number or a date on pages in several languages, without a script and
// with one. Each shows what was understood; one form is stored; the paper has that of the document's language.
func TestNumbersAreTypedAsTheReaderWritesThem(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	for _, x := range []struct{ locale, typed, format, stored, input, drawn, understood string }{
		{"de", "1234,50", "", "1234.50", "1234,50", "1234,50", "1234,50"},
		{"de", "1.234", "", "1234", "1234", "1234", "1234"},
		{"de", "1.234,5 €", "#,##0.00 €", "1234.5", "1234,5", "1.234,50 €", "1.234,50 €"},
		{"fr", "1\u202f234,50", "", "1234.50", "1234,50", "1234,50", "1234,50"},
		{"nl", "1.234,50", "", "1234.50", "1234,50", "1234,50", "1234,50"},
		{"en", "1,234.50", "", "1234.50", "1234.50", "1234.50", "1234.50"},
		{"ar", "٥٠٫٢", "", "50.2", "50.2", "٥٠٫٢", "٥٠٫٢"},
		{"de", "31.12.2026", "", "2026-12-31", "31.12.2026", "31. Dez. 2026", "31. Dezember 2026"},
		{"de", "3.4.26", "DD.MM.YYYY", "2026-04-03", "03.04.2026", "03.04.2026", "3. April 2026"},
		{"en", "3/4/2026", "DD/MM/YYYY", "2026-03-04", "4 March 2026", "04/03/2026", "4 March 2026"},
		{"fr", "31 décembre 2026", "DD/MM/YYYY", "2026-12-31", "31/12/2026", "31/12/2026", "31 décembre 2026"},
		{"ar", "٣١/١٢/٢٠٢٦", "DD/MM/YYYY", "2026-12-31", "31/12/2026", "31/12/2026", "31 ديسمبر 2026"},
	} {
		t.Run(x.locale+" "+x.typed, func(t *testing.T) {
			t.Parallel()
			c, kind := s.Company(t), "number"
			if strings.Count(x.stored, "-") == 2 {
				kind = "date"
			}
			sent := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Order", "locale": x.locale, "send": true, "send_emails": false,
				"invitations": []apptest.Map{maria("locale", x.locale)},
				"fields":      []apptest.Map{{"invitation_id": "0", "type": kind, "name": "amount", "page": 1, "x": .1, "y": .1, "width": .3, "height": .04, "format": x.format}},
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
			want(t, string(answer), `"value":"`+x.stored+`","shown":"`+x.drawn+`","understood":"`+x.understood+`"`)

			_, page = v.get(at)
			want(t, html.UnescapeString(page), `type="text"`, `value="`+x.input+`"`, `data-shown="`+x.drawn+`"`, x.understood)
			code, page := v.send(at, "do", "finish", "signature.text", "Maria S.", name, x.typed+" x")
			if code != http.StatusUnprocessableEntity || !strings.Contains(html.UnescapeString(page), x.typed+" x") {
				t.Errorf("no number: %d", code)
			}
			finish := []string{"do", "finish", "signature.text", "Maria S.", name, x.typed}
			if x.typed != x.drawn { // nobody signs it before they have seen what it will be
				code, page = v.send(at, finish...)
				if shown := `name="understood.` + name + `" value="` + x.understood + `"`; code != http.StatusUnprocessableEntity || !strings.Contains(html.UnescapeString(page), shown) {
					t.Errorf("an understanding that nobody has seen: %d", code)
				}
				finish = append(finish, "understood."+name, x.understood)
			}
			if code, page = v.send(at, finish...); code != http.StatusOK {
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
