package web_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// TestSavedSignature saves a member's signature, checks that nobody else is
// offered it, and signs with it without scripts.
func TestSavedSignature(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	member := c.Member(t, account.RoleMember)
	v := browse(t, member)
	_, page := v.get("/app/me/signature")
	want(t, page, "Nothing saved yet", `name="signature.text"`, `name="initials.text"`)
	const strokes = "[[[0,0],[60,40],[120,0]],[[5,5]]]"
	_, page = v.send("/app/me/signature", "kind", "signature", "signature.type", "drawn", "signature.data", strokes)
	want(t, page, "It will be offered the next time you sign", `src="/app/me/signature/signature?v=`)
	if status, picture := v.get("/app/me/signature/signature"); status != http.StatusOK || !strings.Contains(picture, `d="M0.0 0.0Q60.0 40.0 90.0 20.0L120.0 0.0h.1"`) {
		t.Errorf("the drawing: %d %s", status, picture)
	}
	_, page = v.send("/app/me/signature", "kind", "initials", "initials.text", "M.M.", "initials.font", "script2")
	want(t, page, `value="M.M."`)
	if status, picture := v.get("/app/me/signature/initials"); status != http.StatusOK || !strings.Contains(picture, "<path") {
		t.Errorf("the initials: %d %s", status, picture)
	}
	for _, bad := range [][]string{{"kind", "signature", "signature.text", " "}, {"kind", "signature", "signature.type", "drawn", "signature.data", "[[]]"}} {
		if status, _ := v.send("/app/me/signature", bad...); status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", bad, status)
		}
	}
	if status, _ := v.send("/app/me/signature", "kind", "stamp", "stamp.text", "x"); status != http.StatusNotFound {
		t.Errorf("a stamp: %d", status)
	}

	d := send(t, s, []apptest.Map{{"name": "Member", "email": strings.ToUpper(member.Email)}}, place("signature", "Signature", 1, 0.5))
	at := path(t, d.links[0])
	const offer = `name="signature.saved" value="yes"`
	_, page = v.get(at)
	want(t, page, offer, `data-type="saved"`)
	for name, other := range map[string]*visitor{"nobody": invited(t, s), "another member": browse(t, c)} {
		_, page := other.get(at)
		want(t, page, `id="sign"`, "not", offer)
		if status, page := other.send(at, "do", "finish", "signature.saved", "yes"); status != http.StatusUnprocessableEntity {
			t.Errorf("%s signs with it: %d %.300s", name, status, page)
		}
	}
	_, page = v.send(at, "do", "finish", "signature.saved", "yes")
	want(t, page, "Everyone has signed")

	_, page = v.send("/app/me/signature", "kind", "signature", "do", "remove")
	want(t, page, "Removed.", "not", `src="/app/me/signature/signature`)
	if status, _ := v.get("/app/me/signature/signature"); status != http.StatusNotFound {
		t.Errorf("what was removed: %d", status)
	}
	picture := apptest.Picture(t, png.Encode)
	v.send("/app/me/signature", "kind", "signature", "signature.type", "image", "signature.data", base64.StdEncoding.EncodeToString(picture))
	if _, got := v.get("/app/me/signature/signature"); !bytes.Equal([]byte(got), picture) {
		t.Error("the picture is another one")
	}
}

// TestSavedSignatureWithScript signs with the saved signature in its tab.
func TestSavedSignatureWithScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	browse(t, c).send("/app/me/signature", "kind", "signature", "signature.text", "Olivia Owner", "signature.font", "script3")
	d := send(t, s, []apptest.Map{{"name": "Owner Person", "email": c.Email}}, place("signature", "Signature", 1, 0.5))
	w := team(t, c, look{})
	w.visit(d.links[0])
	w.click(`button[data-mark="signature"]`)
	w.click("#tab-signature-saved")
	w.click("[data-adopt]")
	w.see(`button[data-mark="signature"] img[src*="/app/me/signature/signature"]`)
	w.click("#finish")
	w.heading("Everyone has signed")
	inv := d.Get(t, "/documents/"+d.id).Text(t, "invitations.0.status")
	if inv != "signed" {
		t.Errorf("the invitation is %s", inv)
	}
}
