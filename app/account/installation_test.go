package account_test

import (
	"errors"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
)

// TestInstallationIsForItsAdministrators asks as the owner of a company, who must not even learn that
// there is an installation to manage.
func TestInstallationIsForItsAdministrators(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("Acme")
	h.add(c, "boss@example.org", account.RoleOwner)
	who, ctx, s := h.as("boss@example.org"), t.Context(), h.Companies
	for name, ask := range map[string]func(account.Call) error{
		"found": func(who account.Call) error {
			_, err := s.FoundCompany(ctx, who, account.CompanyInput{Name: "Mine", Email: "boss@example.org"})
			return err
		},
		"rename":    func(who account.Call) error { _, err := s.RenameCompany(who, c.ID, "Mine"); return err },
		"tenants":   func(who account.Call) error { _, err := s.Tenants(ctx, who); return err },
		"companies": func(who account.Call) error { _, err := s.ListTenants(who, "", 0, 10); return err },
		"company":   func(who account.Call) error { _, err := s.GetTenant(who, c.ID); return err },
		"people":    func(who account.Call) error { _, err := s.ListPeople(who, "", 0, 10); return err },
	} {
		if err := ask(who); fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("%s: the owner of a company gets %v", name, err)
		}
	}
	if err := h.Companies.SetInstallation("boss@example.org", true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.FoundCompany(ctx, h.as("boss@example.org"), account.CompanyInput{Name: "Other", Email: "boss@example.org"}); err != nil {
		t.Error(errors.Join(errors.New("an administrator of the installation"), err))
	}
}
