package account_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
)

func picture(t *testing.T, width, height int, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		m.Set(x, x%height, color.NRGBA{R: 200, A: 255})
	}
	var b bytes.Buffer
	if err := encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLogoIsDrawnAnew(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	asJPEG := func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }
	secret := append(picture(t, 2000, 1000, png.Encode), []byte("hidden behind the picture")...)
	for name, from := range map[string][]byte{"PNG": secret, "JPEG": picture(t, 100, 50, asJPEG)} {
		c, err := h.Companies.SetLogo(ann, bytes.NewReader(from))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := h.Companies.LogoOf(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.DecodeConfig(bytes.NewReader(got.PNG))
		if err != nil || m.Width > 640 || m.Height > 160 || bytes.Contains(got.PNG, []byte("hidden")) {
			t.Errorf("%s is kept as %v, %v", name, m, err)
		}
		if want := "/logo/" + a.ID + "?v=" + got.Hash[:12]; c.LogoURL != want || c.OwnLogo() != want {
			t.Errorf("%s is at %q, want %q", name, c.LogoURL, want)
		}
	}
	c, err := h.Companies.Company(ann)
	if err != nil {
		t.Fatal(err)
	}
	// Writing back what was read changes nothing.
	if c, err = h.Companies.UpdateCompany(ann, account.CompanyPatch{LogoURL: new("https://sign.example" + c.LogoURL)}); err != nil || c.OwnLogo() == "" {
		t.Errorf("the logo is gone: %q, %v", c.LogoURL, err)
	}
	if _, err = h.Companies.UpdateCompany(ann, account.CompanyPatch{LogoURL: new("")}); err != nil {
		t.Fatal(err)
	}
	_, err = h.Companies.LogoOf(a.ID)
	wantKind(t, err, fault.KindNotFound, "")
	if errs := h.db.Check(account.Collections()...); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestLogosThatAreRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "max@example.org", account.RoleMember)
	ann := h.as("ann@example.org")
	bomb := picture(t, 1, 1, png.Encode)
	copy(bomb[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // claims to be 65536 by 65536
	for name, from := range map[string][]byte{
		"nothing": nil, "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "text": []byte("hello"), "bomb": bomb,
		"cut": picture(t, 100, 100, png.Encode)[:120], "large": bytes.Repeat([]byte("x"), 3<<20),
	} {
		_, err := h.Companies.SetLogo(ann, bytes.NewReader(from))
		if fault.KindOf(err) != fault.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := h.Companies.SetLogo(h.as("max@example.org"), bytes.NewReader(picture(t, 9, 9, png.Encode)))
	wantKind(t, err, fault.KindForbidden, "")
}

func TestReadableColours(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{"#1d5bd1": "#1d5bd1", "#ffffff": "#767676", "#000000": "#000000", "red": "red"} {
		if got := account.NearestReadable(from); got != want {
			t.Errorf("the nearest of %s is %s (%.2f), want %s", from, got, account.ContrastOnWhite(got), want)
		}
	}
	for _, from := range []string{"#ffee00", "#ff7777", "#88ccff", "#777777"} {
		got := account.NearestReadable(from)
		if account.Readable(from) || !account.Readable(got) || account.ContrastOnWhite(got) > 4.7 {
			t.Errorf("the nearest of %s is %s with %.2f", from, got, account.ContrastOnWhite(got))
		}
	}
}

func TestConsentKeepsItsVersions(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "max@example.org", account.RoleMember)
	ann := h.as("ann@example.org")
	for _, text := range []string{"One.", "One.", "Two.", ""} {
		if _, err := h.Companies.UpdateCompany(ann, account.CompanyPatch{ConsentText: &text}); err != nil {
			t.Fatal(err)
		}
		h.advance(1)
	}
	all, err := h.Companies.ConsentVersions(ann)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, v := range all {
		texts = append(texts, v.Text)
	}
	if got := strings.Join(texts, "|"); got != "|Two.|One.|" || all[1].By != ann.Name || all[1].Version() != account.ConsentName("Two.") {
		t.Errorf("got %q, %+v", got, all)
	}
	_, err = h.Companies.ConsentVersions(h.as("max@example.org"))
	wantKind(t, err, fault.KindForbidden, "")
	h.add(h.company("B"), "bob@example.org", account.RoleOwner)
	if other, err := h.Companies.ConsentVersions(h.as("bob@example.org")); err != nil || len(other) != 0 {
		t.Errorf("another company sees %v, %v", other, err)
	}
}
