package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"paraph/app/apptest"
)

// webp is a lossless image of one pixel.
const webp = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

func TestUploadKinds(t *testing.T) {
	t.Parallel()
	c := company(t)
	small, err := base64.StdEncoding.DecodeString(webp)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		content []byte
		kind    string
		by      any
	}{
		"a.pdf":            {apptest.PDF(t, "One.", "Two."), "application/pdf", nil},
		"a.png":            {apptest.Picture(t, png.Encode), "image/png", "image"},
		"a.jpg":            {apptest.Picture(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }), "image/jpeg", "image"},
		"a.gif":            {apptest.Picture(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }), "image/gif", "image"},
		"a.tiff":           {apptest.Picture(t, func(w io.Writer, m image.Image) error { return tiff.Encode(w, m, nil) }), "image/tiff", "image"},
		"a.webp":           {small, "image/webp", "image"},
		"a.bmp":            {apptest.Picture(t, bmp.Encode), "image/bmp", "image"},
		"Brief an Ä.docx":  {apptest.DOCX(t, "A letter."), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "any"},
		"wrong ending.txt": {apptest.PDF(t), "application/pdf", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "/documents/" + c.Post(t, "/documents", obj{"title": name, "invitations": signers(1)}).Want(t, 201).Text(t, "id")
			r := c.Post(t, at+"/upload", obj{"files": list{obj{"name": name, "content": base64.StdEncoding.EncodeToString(x.content)}}}).Want(t, 201)
			by := r.At(t, "data.0.converted_by")
			if r.Text(t, "data.0.name") != name || r.Text(t, "data.0.content_type") != x.kind || r.Int(t, "data.0.size") != len(x.content) || r.Int(t, "data.0.pages") < 1 || by != x.by && x.by != "any" {
				t.Errorf("it is %s", r.Body)
			}
			file := at + "/files/" + r.Text(t, "data.0.id")
			if got := c.Get(t, file+"/content?version=original").Want(t, 200); !bytes.Equal(got.Body, x.content) || got.Header.Get("Content-Type") != x.kind {
				t.Errorf("the original is %d bytes of %s", len(got.Body), got.Header.Get("Content-Type"))
			}
			if got := c.Get(t, file+"/content").Want(t, 200); !bytes.HasPrefix(got.Body, []byte("%PDF-")) {
				t.Errorf("as PDF it is %.20q", got.Body)
			}
			c.Patch(t, file, obj{"confirmed": true}).Want(t, 200)
			c.Post(t, at+"/send", nil).Want(t, 200)
			d := c.Get(t, at)
			if d = c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", nil).Want(t, 200); d.Int(t, "status_id") != 6 {
				t.Errorf("it ends as %s", d.Text(t, "status"))
			}
			checkSigned(t, c.Get(t, at+"/download").Want(t, 200).Body, 2)
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	c := company(t)
	at := "/documents/" + titled(t, c, "Files")[0]
	up := c.Post(t, at+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "1.pdf", Content: apptest.PDF(t, "One.")}, apptest.File{Name: "2.pdf", Content: apptest.PDF(t, "Two.")}, apptest.File{Name: "3.pdf", Content: apptest.PDF(t, "Three.")})).Want(t, 201)
	ids := up.Texts(t, "data", "id")
	c.Patch(t, at+"/files/"+ids[2], obj{"position": 1}).Want(t, 200)
	if got := c.Get(t, at+"/files").Want(t, 200).Texts(t, "data", "name"); strings.Join(got, " ") != "3.pdf 1.pdf 2.pdf" {
		t.Errorf("the order is %v", got)
	}
	if got := c.Get(t, at+"/files?per_page=1&page=2").Want(t, 200); got.Text(t, "data.0.name") != "1.pdf" || got.Int(t, "meta.total") != 3 {
		t.Errorf("page 2 is %s", got.Body)
	}
	if r := c.Patch(t, at+"/files/"+ids[0], obj{"name": "Anlage 1.pdf"}).Want(t, 200); r.Text(t, "name") != "Anlage 1.pdf" {
		t.Errorf("renamed it is %s", r.Body)
	}
	failed(t, c.Patch(t, at+"/files/"+ids[0], obj{"name": "../x"}), 422, "name")
	failed(t, c.Patch(t, at+"/files/"+ids[0], obj{"position": 9, "name": 5}), 422)
	failed(t, c.Patch(t, at+"/files/"+ids[0], obj{"position": 9}), 422, "position")
	c.Delete(t, at+"/files/"+ids[1]).Want(t, 204)
	failed(t, c.Get(t, at+"/files/"+ids[1]), 404)
	picture := at + "/files/" + ids[0] + "/pages/1.png"
	r := c.Get(t, picture+"?width=200").Want(t, 200)
	m, err := png.DecodeConfig(bytes.NewReader(r.Body))
	if err != nil || m.Width != 200 || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the picture (%v) is %d wide", err, m.Width)
	}
	c.Get(t, picture+"?width=200", "If-None-Match", r.Header.Get("ETag")).Want(t, 304)
	for _, bad := range []string{"width=0", "width=5000", "width=x", "width="} {
		failed(t, c.Get(t, picture+"?"+bad), 422, "width")
	}
	for _, page := range []string{"0", "2", "-1", "x", "99999999999999999999"} {
		failed(t, c.Get(t, at+"/files/"+ids[0]+"/pages/"+page+".png"), 404)
	}
	failed(t, c.Get(t, at+"/files/"+ids[0]+"/content?version=new"), 422, "version")
	failed(t, c.Post(t, at+"/upload", apptest.Multipart(t, nil)), 422, "files")
	failed(t, c.Post(t, at+"/upload", obj{}), 422, "files")
	failed(t, c.Post(t, at+"/upload", obj{"files": list{obj{"name": "a.pdf", "content": "!!!"}}}), 422, "files.0.content")
	failed(t, c.Post(t, at+"/upload", obj{"files": list{obj{}, obj{"name": 1}}}), 422)
}

// fieldKinds lists, for each type of field, a valid value, its stored form, and
// some invalid values.
var fieldKinds = []struct {
	kind string
	more obj
	good any
	kept string
	bad  []any
}{
	{"name", nil, "Ann", "Ann", []any{strings.Repeat("x", 20_000), list{1}, obj{}}},
	{"email", nil, "ann@signer.example", "ann@signer.example", []any{"ann", "a@", 5}},
	{"company", nil, "ACME", "ACME", []any{"a\u0007b"}},
	{"job_title", nil, "Chief", "Chief", []any{list{}}},
	{"date", nil, "2026-02-28", "2026-02-28", []any{"2026-02-30", "tomorrow", "30.02.2026", "02.2026", 5, true}},
	{"text", obj{"min": 2, "max": 5, "pattern": "[a-z]+"}, "abc", "abc", []any{"a", "abcdef", "ABC", "ab1"}},
	{"number", obj{"min": -1.5, "max": 10}, 7, "7", []any{"seven", -2, 11, "NaN", "Inf", "1e999", "0x10", true}},
	{"checkbox", obj{"required": true}, true, "true", []any{false, "perhaps", 2}},
	{"radio", obj{"options": list{"yes", "no"}}, "no", "no", []any{"maybe", 1}},
	{"select", obj{"options": list{"red", "green"}}, "green", "green", []any{"blue", "Red", true}},
}

// TestValuesAreReadInTheLanguageOfTheDocument sends numbers and dates written as people write them: as the default of a
// new field, as a changed default, and as a value when signing.
func TestValuesAreReadInTheLanguageOfTheDocument(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, x := range []struct{ kind, locale, given, kept string }{
		{"date", "de", "3.4.2026", "2026-04-03"}, {"date", "en", "3/4/2026", "2026-03-04"}, {"date", "fr", "31 décembre 2026", "2026-12-31"},
		{"date", "ar", "٣١/١٢/٢٠٢٦", "2026-12-31"}, {"date", "ja", "3/4/2026", ""}, {"date", "ja", "2026年4月3日", "2026-04-03"},
		{"number", "de", "1.234,50", "1234.50"}, {"number", "de", "1234,5", "1234.5"}, {"number", "de", "1234.5", "1234.5"},
		{"number", "fr", "1\u202f234,5", "1234.5"}, {"number", "en", "1,234.5", "1234.5"}, {"number", "ar", "٥٠٫٢", "50.2"},
		{"number", "de", "1.234", "1.234"}, // as programs write it
		{"number", "de", "1,2,3", ""},
	} {
		field := obj{"type": x.kind, "name": "f", "invitation_id": "0", "x": 0.1, "y": 0.1, "width": 0.3, "height": 0.05}
		d := sent(t, c, 1, obj{"locale": x.locale, "fields": list{field}})
		signed := c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{"fields": obj{"f": x.given}})
		made := c.Post(t, "/documents", obj{"title": "Default", "locale": x.locale, "invitations": signers(1),
			"files": list{obj{"name": "a.pdf", "content": base64.StdEncoding.EncodeToString(apptest.PDF(t, "Text"))}}, "fields": list{merged(field, obj{"value": x.given})}})
		if x.kept == "" {
			failed(t, signed, 422, "fields.f")
			failed(t, made, 422, "fields.0.value")
			continue
		}
		if got := signed.Want(t, 200).Text(t, "fields.0.value"); got != x.kept {
			t.Errorf("%s %q: %s is signed, want %s", x.locale, x.given, got, x.kept)
		}
		at := "/documents/" + made.Want(t, 201).Text(t, "id") + "/fields"
		all := c.Get(t, at).Want(t, 200)
		if got := all.Text(t, "data.0.value"); got != x.kept {
			t.Errorf("%s %q: the default is %s, want %s", x.locale, x.given, got, x.kept)
		}
		changed := c.Patch(t, at+"/"+all.Text(t, "data.0.id"), obj{"value": x.given}).Want(t, 200)
		if got := changed.Text(t, "value"); got != x.kept {
			t.Errorf("%s %q: changed to %s, want %s", x.locale, x.given, got, x.kept)
		}
	}
}

func TestFieldValues(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, x := range fieldKinds {
		t.Run(x.kind, func(t *testing.T) {
			t.Parallel()
			d := sent(t, c, 1, obj{"fields": list{merged(obj{"type": x.kind, "name": "f", "required": true, "invitation_id": "0", "x": 0.1, "y": 0.1, "width": 0.3, "height": 0.05}, x.more)}})
			at := "/documents/" + d.Text(t, "id")
			sign := at + "/" + d.Text(t, "invitations.0.id") + "/sign"
			before := c.Get(t, at)
			for _, v := range x.bad {
				r := c.Post(t, sign, obj{"fields": obj{"f": v}})
				failed(t, r, 422)
				if e := r.At(t, "errors").(obj); e["fields.f"] == nil {
					t.Errorf("%.40v: %.300s", v, r.Body)
				}
			}
			if x.kind != "name" && x.kind != "email" {
				for _, v := range []any{"", nil} {
					failed(t, c.Post(t, sign, obj{"fields": obj{"f": v}}), 422, "fields.f")
				}
				failed(t, c.Post(t, sign, obj{}), 422, "fields.f")
			}
			failed(t, c.Post(t, sign, obj{"fields": obj{"f": x.good, "nope": "x"}}), 422, "fields.nope")
			unchanged(t, c, before)
			r := c.Post(t, sign, obj{"fields": obj{d.Text(t, "fields.0.id"): x.good}}).Want(t, 200)
			if got := r.Text(t, "fields.0.value"); got != x.kept || r.Int(t, "status_id") != 6 {
				t.Errorf("kept as %q, want %q", got, x.kept)
			}
		})
	}
}

func TestFieldRules(t *testing.T) {
	t.Parallel()
	c := company(t)
	d := draft(t, c, 2)
	at := "/documents/" + d.Text(t, "id")
	good := obj{"type": "text", "name": "f", "invitation_id": d.Text(t, "invitations.0.id"), "file_id": d.Text(t, "files.0.id"), "page": 1, "x": 0.1, "y": 0.1, "width": 0.2, "height": 0.05}
	for _, x := range []struct {
		change obj
		faults []string
	}{
		{obj{"type": "poem"}, []string{"type"}}, {obj{"type": nil}, []string{"type"}}, {obj{"page": 99}, []string{"page"}}, {obj{"page": 0}, []string{"page"}}, {obj{"page": -1}, []string{"page"}}, {obj{"page": 1.5}, []string{"page"}},
		{obj{"x": -0.1}, []string{"x"}}, {obj{"x": 1.1}, []string{"x"}}, {obj{"y": 2}, []string{"y"}}, {obj{"x": 0.9}, []string{"width"}}, {obj{"y": 0.99}, []string{"height"}}, {obj{"width": 0}, []string{"width"}},
		{obj{"height": -1}, []string{"height"}}, {obj{"width": 1e300}, []string{"width"}}, {obj{"x": nil, "y": nil}, []string{"x", "y"}}, {obj{"x": "left"}, []string{"x"}}, {obj{"file_id": "nope"}, []string{"file_id"}},
		{obj{"invitation_id": nil}, []string{"invitation_id"}}, {obj{"invitation_id": "nope"}, []string{"invitation_id"}}, {obj{"type": "select"}, []string{"options"}}, {obj{"type": "select", "options": list{"a", "a"}}, []string{"options"}},
		{obj{"options": "a"}, []string{"options"}}, {obj{"options": list{1}}, []string{"options.0"}}, {obj{"pattern": "("}, []string{"pattern"}}, {obj{"pattern": strings.Repeat("a", 2000)}, []string{"pattern"}},
		{obj{"pattern": "(a{1000}){1000}"}, []string{"pattern"}}, {obj{"min": 5, "max": 1}, []string{"max"}}, {obj{"font_size": 1000}, []string{"font_size"}}, {obj{"align": "middle"}, []string{"align"}},
		{obj{"type": "number", "value": "x"}, []string{"value"}}, {obj{"required": "yes"}, []string{"required"}}, {obj{"name": strings.Repeat("n", 4000)}, []string{"name"}}, {obj{"label": "a\u0000b"}, []string{"label"}},
	} {
		t.Run(fmt.Sprint(x.change), func(t *testing.T) {
			var faults []string
			for _, f := range x.faults {
				faults = append(faults, "fields.0."+f)
			}
			failed(t, c.Put(t, at+"/fields", obj{"fields": list{merged(good, x.change)}}), 422, faults...)
		})
	}
	unchanged(t, c, d)
	r := c.Put(t, at+"/fields", obj{"fields": list{good, merged(good, obj{"type": "signature", "name": nil, "y": 0.5})}}).Want(t, 200)
	first, second := r.Text(t, "data.0.id"), r.Text(t, "data.1.id")
	r = c.Put(t, at+"/fields", obj{"fields": list{merged(good, obj{"id": second, "type": "initials"})}}).Want(t, 200)
	if r.Text(t, "data.0.id") != second || len(r.At(t, "data").(list)) != 1 {
		t.Errorf("replaced they are %s", r.Body)
	}
	failed(t, c.Get(t, at+"/fields/"+first), 404)
	if r = c.Patch(t, at+"/fields/"+second, obj{"x": 0.5, "label": "Initial here"}).Want(t, 200); r.Text(t, "label") != "Initial here" || r.At(t, "y") != 0.1 {
		t.Errorf("changed it is %s", r.Body)
	}
	failed(t, c.Patch(t, at+"/fields/"+second, obj{"x": 0.95}), 422, "width")
	c.Delete(t, at+"/fields/"+second).Want(t, 204)
	failed(t, c.Put(t, at+"/fields", obj{"fields": "none"}), 422, "fields")
	failed(t, c.Put(t, at+"/fields", obj{}), 422, "fields")
	viewer := c.Post(t, at+"/invite", obj{"invitations": list{obj{"name": "V", "email": "v@signer.example", "role": "viewer"}}}).Want(t, 201)
	failed(t, c.Put(t, at+"/fields", obj{"fields": list{merged(good, obj{"invitation_id": viewer.Text(t, "data.0.id")})}}), 422, "fields.0.invitation_id")
}

func TestSignatureMarks(t *testing.T) {
	t.Parallel()
	c := company(t)
	picture := base64.StdEncoding.EncodeToString(apptest.Picture(t, png.Encode))
	d := sent(t, c, 1)
	sign := "/documents/" + d.Text(t, "id") + "/" + d.Text(t, "invitations.0.id") + "/sign"
	for _, x := range []struct {
		mark  any
		fault string
	}{
		{obj{"type": "carved"}, "signature.type"}, {obj{"type": "drawn"}, "signature.data"}, {obj{"type": "image"}, "signature.data"}, {obj{"type": "image", "data": "!!"}, "signature.data"},
		{obj{"type": "image", "data": "aGVsbG8="}, "signature.data"}, {obj{"type": "drawn", "data": "[[[1,2"}, "signature.data"}, {obj{"type": "drawn", "data": "[]"}, "signature.data"}, {obj{"type": "drawn", "data": "[[[1e300,2]]]"}, "signature.data"},
		{obj{"type": "typed", "font": "comic"}, "signature.font"}, {obj{"type": "typed", "text": strings.Repeat("x", 4000)}, "signature.text"}, {obj{"type": 1}, "signature.type"}, {"Ann", "signature"},
		{obj{"type": "typed", "text": "\u2003\u3164"}, "signature.text"},
	} {
		failed(t, c.Post(t, sign, obj{"signature": x.mark}), 422, x.fault)
	}
	failed(t, c.Post(t, sign, obj{"consent": "yes"}), 422, "consent")
	unchanged(t, c, d)
	for _, mark := range []obj{
		{"type": "typed", "text": "Ann Example", "font": "script2"}, {"type": "drawn", "data": "[[[0,0],[50,30],[100,0]],[[20,20]]]"},
		{"type": "image", "data": picture}, {"type": "image", "data": "data:image/png;base64," + picture}, {"type": "drawn", "data": "data:image/png;base64," + picture},
	} {
		d := sent(t, c, 1)
		at := "/documents/" + d.Text(t, "id")
		c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{"signature": mark, "initials": obj{"type": "typed", "text": "AE"}}).Want(t, 200)
		if got := c.Get(t, at+"/download?content=evidence").Want(t, 200).Text(t, "signatories.0.signature_type"); got != mark["type"] {
			t.Errorf("the evidence says %s", got)
		}
	}
}

// TestAuthentication makes signatories prove their identity.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	people := list{merged(signer(1), obj{"authentication": "access_code", "access_code": "open sesame"}), merged(signer(2), obj{"authentication": "email_code"})}
	failed(t, c.Post(t, "/documents", obj{"invitations": list{merged(signer(1), obj{"authentication": "access_code"})}}), 422, "invitations.0.access_code")
	d := sent(t, c, 0, obj{"invitations": people})
	if strings.Contains(string(d.Body), "sesame") {
		t.Error("the access code is shown")
	}
	at := "/documents/" + d.Text(t, "id")
	for i, code := range []string{"open sesame", ""} {
		who := s.With(link(t, d, i))
		mine := at + "/" + d.Text(t, fmt.Sprintf("invitations.%d.id", i))
		for _, path := range []string{at, at + "/files", at + "/download?version=current", at + "/files/" + d.Text(t, "files.0.id") + "/content"} {
			failed(t, who.Get(t, path), 403, "identification_required")
		}
		for _, act := range []string{"/view", "/decline", "/delegate"} {
			failed(t, who.Post(t, mine+act, obj{"name": "X", "email": "x@signer.example"}), 403, "identification_required")
		}
		failed(t, who.Post(t, mine+"/sign", obj{}), 422, "code")
		failed(t, who.Post(t, mine+"/sign", obj{"code": "wrong"}), 422, "code")
		if code == "" {
			who.Post(t, mine+"/code", nil).Want(t, 202)
			throttled(t, who.Post(t, mine+"/code", nil))
			mails := s.Mails(t, "signer2@signer.example")
			code = digits(mails[0].Text)
		}
		token := who.Post(t, mine+"/identify", obj{"code": code}).Want(t, 200).Text(t, "token")
		s.With(token).Get(t, at).Want(t, 200)
		s.With(token).Post(t, mine+"/view", nil).Want(t, 200)
		failed(t, s.With(token).Get(t, "/documents"), 403)
		s.With(token).Post(t, mine+"/sign", obj{}).Want(t, 200)
	}
	if got := c.Get(t, at).Int(t, "status_id"); got != 6 {
		t.Errorf("it ends in state %d", got)
	}
	d = sent(t, c, 0, obj{"invitations": people[:1]})
	at = "/documents/" + d.Text(t, "id")
	mine := at + "/" + d.Text(t, "invitations.0.id")
	who := s.With(link(t, d, 0))
	for range 5 {
		failed(t, who.Post(t, mine+"/identify", obj{"code": "wrong"}), 422, "code")
	}
	throttled(t, who.Post(t, mine+"/identify", obj{"code": "open sesame"}))
	s.Advance(t, "11m")
	who.Post(t, mine+"/sign", obj{"code": "open sesame"}).Want(t, 200)
}

// digits finds a code of six digits in a message.
func digits(text string) string {
	for word := range strings.FieldsSeq(text) {
		if word = strings.Trim(word, ".:,"); len(word) == 6 && strings.Trim(word, "0123456789") == "" {
			return word
		}
	}
	return ""
}

// TestFieldsInMillimetres places fields on a page of A4 from its corners, in one request and in a change.
func TestFieldsInMillimetres(t *testing.T) {
	t.Parallel()
	c := company(t)
	field := obj{"type": "text", "invitation_id": "0", "unit": "mm", "origin": "bottom_right", "x": 20, "y": 30, "width": 50, "height": 10}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "invitations": signers(1), "fields": list{field}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id")
	page := c.Get(t, at+"/files").Want(t, 200)
	wide, high := page.At(t, "data.0.page_sizes.0.width").(float64)/72*25.4, page.At(t, "data.0.page_sizes.0.height").(float64)/72*25.4
	near := func(r *apptest.Response, name string, want float64) {
		t.Helper()
		if got := r.At(t, name).(float64); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %g instead of %g", name, got, want)
		}
	}
	near(d, "fields.0.x", 1-70/wide)
	near(d, "fields.0.y", 1-40/high)
	near(d, "fields.0.width", 50/wide)
	one := at + "/fields/" + d.Text(t, "fields.0.id")
	near(c.Patch(t, one, obj{"unit": "pt", "x": 36}).Want(t, 200), "x", 36/72.*25.4/wide)
	failed(t, c.Patch(t, one, obj{"unit": "furlong", "x": 1}), 422, "unit")
	failed(t, c.Patch(t, one, obj{"origin": "middle", "x": 0.1}), 422, "origin")
	failed(t, c.Patch(t, one, obj{"anchor": obj{"text": "Lease"}, "unit": "mm", "width": 20}), 422, "unit")
}
