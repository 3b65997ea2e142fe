package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// oneField describes a field of a one-shot request.
func oneField(kind, name string, x, y, width, height float64, more obj) obj {
	f := obj{"file_id": "0", "invitation_id": "0", "page": 1, "type": kind, "name": name, "x": x, "y": y, "width": width, "height": height}
	for k, v := range more {
		f[k] = v
	}
	return f
}

// oneShot makes a request for a document with these fields.
func oneShot(t *testing.T, c *apptest.Client, send bool, fields ...any) *apptest.Response {
	t.Helper()
	return c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Paper", "send": send, "send_emails": false,
		"invitations": list{obj{"name": "Ben Buyer", "email": "ben@example.org"}}, "fields": list(fields),
	}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "")}))
}

// codesOf returns the codes by field of a refusal, without where they are.
func codesOf(t *testing.T, r *apptest.Response) map[string]string {
	t.Helper()
	out := map[string]string{}
	codes, _ := r.Look(t, "codes")
	all, _ := codes.(obj)
	for field, found := range all {
		out[strings.TrimPrefix(field, "fields.")] = fmt.Sprint(found.(list)...)
	}
	return out
}

// TestValuesAreDrawnWholeOrRefused fills in fields that are too small for their values, which are refused with
// how much fits, and then values that fit.
func TestValuesAreDrawnWholeOrRefused(t *testing.T) {
	t.Parallel()
	c := company(t)
	sent := oneShot(t, c, true,
		oneField("select", "choice", .05, .1, .1, .02, obj{"options": list{"Yes, I agree to all of it", "Yes, I agree to all of it except the second clause"}}),
		oneField("number", "amount", .05, .2, .03, .012, obj{"format": "#,##0.00"}),
		oneField("number", "wrapped", .05, .25, .05, .02, obj{"format": "#,##0.00"}),
		oneField("text", "address", .05, .3, .2, .02, nil),
		oneField("date", "due", .05, .4, .04, .012, obj{"format": "DD MMMM YYYY", "required": false}),
		oneField("text", "cells", .05, .5, .2, .02, obj{"cells": 4}),
		oneField("number", "counted", .05, .6, .2, .02, obj{"cells": 6, "format": "#,##0.00"}),
		oneField("text", "lines", .05, .7, .1, .04, nil),
	).Want(t, http.StatusCreated)
	at := "/documents/" + sent.Text(t, "id")
	sign := func(values obj) *apptest.Response {
		return c.Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/sign", obj{"fields": values})
	}
	long := obj{
		"choice": "Yes, I agree to all of it except the second clause", "amount": 1234567890.5, "wrapped": 1234567890.5,
		"address": "Apartment 12b, Second Floor, The Old Printing Works, 123 Long Winding Lane, Llanfairpwllgwyngyll, Anglesey, Wales, United Kingdom",
		"due":     "2026-09-30", "cells": "ABCD", "counted": 1234.5, "lines": "12345678901234567890123456789012345678901234567890",
	}
	r := sign(long).Want(t, http.StatusUnprocessableEntity)
	for field, code := range codesOf(t, r) {
		if code != "no_room" {
			t.Errorf("%s is refused with %s", field, code)
		}
		delete(long, field)
	}
	if delete(long, "cells"); len(long) > 0 {
		t.Errorf("not refused: %v", long)
	}
	if !strings.Contains(string(r.Body), "The amount field has no room for all of this. Characters that fit: 4.") {
		t.Errorf("the amount: %s", r.Body)
	}
	fits := obj{"choice": "Yes, I agree to all of it", "amount": 1, "wrapped": 12.5, "address": "12b Long Lane", "cells": "ABCD", "counted": 12.5, "lines": "1234 5678"}
	if r := sign(fits); r.Status != http.StatusOK {
		t.Errorf("what fits is refused: %s", r.Body)
	}
}

// awkward are values that readers, fonts and the order of writing make difficult.
func awkward() []string {
	return []string{
		"12.50", "-5", "1,234", "27.11.2026", "1.234,50 €", "500 ﷼", "٠١٠ ١٢٣٤ ٥٦٧٨", "+٩٦٦ ٥٠", "٢٠٢٦-١١-٢٧", "٪٥٠",
		"https://example.org/release/v1.2.3.4.5.6.7.8.9", "a@b.example", "(a) [b] {c}", "1/2 × 3 ÷ 4 = 0.375",
		"שלום (world) 12.50 ₪", "السعر 1,234.50 ريال", "عام ٢٠٢٦ (ميلادي)", "abc אבג 123 def", "12.50 אבג", "אבג 12.50-", "لا إله", "(عربي)",
		"e\u0301a\u0308", "\u00e9\u00e4", "Z\u0335a\u0300\u0301\u0302", "Ångström", "ﬁnal ﬃ", "ｆｕｌｌ １２３", "한국어", "\u1112\u1161\u11ab",
		"ภาษาไทย ๑๒๓", "हिन्दी क्षत्रिय १२३", "தமிழ் சொற்கள்", "বাংলা ১২৩", "မြန်မာ", "ខ្មែរ ១២៣", "日本語、テスト。", "中文（括号）１２", "𠮷田",
		"👍", "👨‍👩‍👧", "🇩🇪", "a\u200db", "a\u00adb", "x\u00a0y\u202fz", "№ 5 § 7 ½ ² ₃", "“quoted” ‚so‘ «ou»", "…—–", "%d %s \\n $1", "<b>&amp;</b>",
	}
}

// numbers, days and phones are values of their types that are drawn in many ways.
func numbers() []string {
	return []string{"0", "-5", "12.50", "1234567.5", "-1234567890.125", "0.000001", "1e5", "00012", "123456789012345678901234567890"}
}

func days() []string {
	return []string{"2026-01-01", "2026-02-28", "2028-02-29", "2026-05-31", "2026-09-30", "2026-12-31", "0999-03-04", "9999-12-31"}
}

func phones() []string {
	return []string{"+49 (0)30 123456-7", "٠١٠ ١٢٣٤ ٥٦٧٨", "+٩٦٦ ٥٠ ١٢٣٤٥٦٧", "+1.555.010.0100", "030/123456", "०१२-३४५६७८"}
}

func addresses() []string {
	return []string{"a@b.example", "first.last+tag@sub.example.org", "under_score-dash@xn--bcher-kva.example", "o'hara@example.org", "1234567890@example.org"}
}

// TestOwnFilesAreSound fills in every kind of field that is drawn as text with awkward values, in boxes of
// several shapes, formats and languages. What signing accepts is sound for the verification, and has signatures that
// are valid for others, whatever was typed.
func TestOwnFilesAreSound(t *testing.T) {
	t.Parallel()
	c := company(t)
	for name, x := range map[string]struct {
		values []string
		more   obj
		locale string
	}{
		"text":   {awkward(), obj{"width": .3, "height": .017}, "en"},
		"narrow": {awkward(), obj{"width": .09, "height": .03}, "en"},
		"lines":  {awkward(), obj{"width": .08, "height": .06}, "en"},
		"cells":  {awkward(), obj{"width": .4, "height": .017, "cells": 48}, "en"},
		"select": {awkward(), obj{"type": "select", "width": .3, "height": .017}, "en"},
		"radio":  {awkward(), obj{"type": "radio", "width": .3, "height": .017}, "en"},
		"right":  {awkward(), obj{"width": .3, "height": .017, "align": "right"}, "en"},
		"centre": {awkward(), obj{"width": .14, "height": .03, "align": "center", "font_size": 9}, "en"},
		"name":   {awkward(), obj{"type": "name", "width": .2, "height": .017}, "en"},
		"title":  {awkward(), obj{"type": "job_title", "width": .06, "height": .03}, "en"},

		"number":             {numbers(), obj{"type": "number", "width": .3, "height": .017}, "en"},
		"number, Arabic":     {numbers(), obj{"type": "number", "width": .14, "height": .03, "format": "#,##0.00####### ريال"}, "ar"},
		"number, German":     {numbers(), obj{"type": "number", "width": .3, "height": .03, "format": "#,##0.######### €"}, "de"},
		"number, French":     {numbers(), obj{"type": "number", "width": .3, "height": .03, "format": "EUR #,##0.0########", "align": "right"}, "fr"},
		"number, Hebrew":     {numbers(), obj{"type": "number", "width": .3, "height": .017, "format": "₪ #,##0.00#######"}, "he"},
		"number in cells":    {numbers(), obj{"type": "number", "width": .4, "height": .017, "cells": 40, "format": "#,##0.0######## %"}, "ar"},
		"date":               {days(), obj{"type": "date", "width": .2, "height": .017}, "en"},
		"date, Arabic":       {days(), obj{"type": "date", "width": .12, "height": .03}, "ar"},
		"date, Hebrew":       {days(), obj{"type": "date", "width": .3, "height": .03, "format": "D MMMM YYYY"}, "he"},
		"date, Japanese":     {days(), obj{"type": "date", "width": .12, "height": .017, "format": "YYYY年M月D日"}, "ja"},
		"date, Czech, short": {days(), obj{"type": "date", "width": .08, "height": .012, "format": "DD.MM.YY", "align": "center"}, "cs"},
		"phone":              {phones(), obj{"type": "phone", "width": .2, "height": .017}, "en"},
		"phone, high":        {phones(), obj{"type": "phone", "width": .1, "height": .06}, "ar"},
		"e-mail":             {addresses(), obj{"type": "email", "width": .3, "height": .017}, "en"},
		"e-mail, high":       {addresses(), obj{"type": "email", "width": .12, "height": .06}, "he"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var fields []any
			values := obj{}
			for i, v := range x.values {
				key := fmt.Sprintf("v%d", i)
				f := oneField("text", key, .02+.49*float64(i%2), .02+.038*float64(i/2), 0, 0, x.more)
				f["required"] = false
				if height, _ := x.more["height"].(float64); height > .038 {
					f["x"], f["y"] = .02+.13*float64(i%7), .02+.07*float64(i/7)
				}
				if f["type"] == "select" || f["type"] == "radio" {
					f["options"] = list{v, "another"}
				}
				fields, values[key] = append(fields, f), v
			}
			sent := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Paper", "locale": x.locale, "send": true, "send_emails": false,
				"invitations": list{obj{"name": "Ben Buyer", "email": "ben@example.org"}}, "fields": fields,
			}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "")})).Want(t, http.StatusCreated)
			at := "/documents/" + sent.Text(t, "id")
			sign := func() *apptest.Response {
				return c.Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/sign", obj{"fields": values})
			}
			r := sign()
			if r.Status == http.StatusUnprocessableEntity {
				for field, code := range codesOf(t, r) {
					if !slices.Contains([]string{"no_room", "undrawable_characters"}, code) {
						t.Errorf("%s %q is refused with %s", field, values[field], code)
					}
					t.Logf("%q: %s", values[field], code)
					delete(values, field)
				}
				r = sign()
			}
			r.Want(t, http.StatusOK)
			if len(values) < len(x.values)/2 {
				t.Errorf("only %d of %d values were accepted", len(values), len(x.values))
			}
			file := c.Post(t, at+"/download", obj{}).Want(t, http.StatusOK)
			checkSigned(t, file.Body, 2)
			verdict := c.Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: file.Body})).Want(t, http.StatusOK)
			if verdict.At(t, "sound") != true {
				t.Errorf("not sound: %s", verdict.Body)
			}
		})
	}
}

// TestCaptionsShowTheDayOfTheCompany signs where it is already tomorrow. The caption of the signature shows the
// same day as the date beside it, with the offset of the company's time zone.
func TestCaptionsShowTheDayOfTheCompany(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Patch(t, "/company", obj{"timezone": "Pacific/Kiritimati"}).Want(t, http.StatusOK)
	sent := oneShot(t, c, true, oneField("signature", "signature", .1, .1, .5, .1, nil), oneField("date_signed", "day", .1, .3, .3, .03, nil)).Want(t, http.StatusCreated)
	at := "/documents/" + sent.Text(t, "id")
	_, token, _ := strings.Cut(sent.Text(t, "invitations.0.sign_url"), "/s/")
	c.With(token).Post(t, at+"/"+sent.Text(t, "invitations.0.id")+"/sign", obj{"consent": true}).Want(t, http.StatusOK)
	text := apptest.PagesText(t, c.Post(t, at+"/download", obj{}).Want(t, http.StatusOK).Body)
	zone, err := time.LoadLocation("Pacific/Kiritimati")
	if err != nil {
		t.Fatal(err)
	}
	day := c.Clock.Now().In(zone)
	for _, part := range []string{day.Format("2 January 2006 "), "UTC+14:00", day.Format("2 Jan 2006")} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not drawn: %q", part, text)
		}
	}
}
