package account_test

import (
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
)

func TestCompanySettings(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleAdmin)
	ann := h.as("ann@example.org")
	if a.OnDecline != account.OnDeclineNotify || a.Locale != "en" || a.Timezone != "UTC" || a.RequireApproval {
		t.Errorf("a company begins as %+v", a)
	}
	got, err := h.Companies.UpdateCompany(ann, account.CompanyPatch{
		Name: new("Acme"), Locale: new("de"), Timezone: new("Europe/Berlin"), LogoURL: new("https://example.org/logo.png"),
		BrandColor: new("#AABBCC"), RequireApproval: new(true), DefaultExpiryDays: new(30), ReminderDays: &[]int{7, 3, 7},
		ConsentText: new(" I agree. "), RetentionDays: new(365), OnDecline: new(account.OnDeclineVoid),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "Acme" || got.BrandColor != "#aabbcc" || !got.RequireApproval || got.DefaultExpiryDays != 30 ||
		!slices.Equal(got.ReminderDays, []int{3, 7}) || got.ConsentText != "I agree." || got.RetentionDays != 365 || got.OnDecline != account.OnDeclineVoid {
		t.Errorf("got %+v", got)
	}
	got, err = h.Companies.UpdateCompany(ann, account.CompanyPatch{
		LogoURL: new(""), BrandColor: new(""), DefaultExpiryDays: new(0), ReminderDays: &[]int{}, ConsentText: new(""), RetentionDays: new(0),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.LogoURL != "" || got.BrandColor != "" || got.DefaultExpiryDays != 0 || len(got.ReminderDays) != 0 || got.ConsentText != "" || got.RetentionDays != 0 || got.Name != "Acme" {
		t.Errorf("got %+v", got)
	}
	if read, err := h.Companies.Company(ann); err != nil || read.Name != "Acme" {
		t.Errorf("got %+v, %v", read, err)
	}
}

func TestCompanyFaults(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	_, err := h.Companies.UpdateCompany(h.as("ann@example.org"), account.CompanyPatch{
		Name: new(""), Locale: new("!"), Timezone: new("x"), LogoURL: new("javascript:alert(1)"), BrandColor: new("red"),
		DefaultExpiryDays: new(-1), ReminderDays: &[]int{1, 0, 4000}, ConsentText: new(strings.Repeat("x", 10_001)),
		RetentionDays: new(40_000), OnDecline: new(account.OnDecline("cry")),
	})
	wantFields(t, err, "name", "locale", "timezone", "logo_url", "brand_color", "default_expiry_days", "reminder_days.1", "reminder_days.2",
		"consent_text", "retention_days", "on_decline")
	if got, err := h.Companies.CompanyByID(a.ID); err != nil || got.Name != "A" {
		t.Errorf("a faulty change changed %+v, %v", got, err)
	}
}

func TestLogos(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	for address, ok := range map[string]bool{
		"https://example.org/a.png?v=1": true, "http://example.org": true, "data:image/png;base64,iVBORw0KGgo=": true,
		"data:image/svg+xml;base64,PHN2Zz4=": false, "data:text/html,<script>": false, "//example.org/a.png": false, "a.png": false,
		"ftp://example.org/a.png": false, "https://u:p@example.org/": false, "https://" + strings.Repeat("x", 2048): false,
		"data:image/png;base64," + strings.Repeat("A", 1<<18): false,
	} {
		if _, err := h.Companies.UpdateCompany(ann, account.CompanyPatch{LogoURL: &address}); (err == nil) != ok {
			t.Errorf("%.60s: got %v", address, err)
		}
	}
}

func TestWhoMaySeeAndChangeTheCompany(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	for _, role := range account.Roles() {
		h.add(a, string(role)+"@example.org", role)
		who := h.as(string(role) + "@example.org")
		if _, err := h.Companies.Company(who); err != nil {
			t.Errorf("%s cannot see the company: %v", role, err)
		}
		_, err := h.Companies.UpdateCompany(who, account.CompanyPatch{Name: new("B")})
		if may := role == account.RoleOwner || role == account.RoleAdmin; may && err != nil {
			t.Errorf("%s: %v", role, err)
		} else if !may {
			wantKind(t, err, fault.KindForbidden, "")
		}
	}
}
