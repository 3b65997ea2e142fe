package account_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

func TestTheOperatorSetsPasswordsAndBarsPeople(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	session := h.login("ann@example.org", password)
	wantFields(t, h.Operator.SetPassword(t.Context(), "ann@example.org", "short", false), "password")
	wantKind(t, h.Operator.SetPassword(t.Context(), "nobody@example.org", "battery staple", false), fault.KindNotFound, "")
	if err := h.Operator.SetPassword(t.Context(), "ann@example.org", "battery staple", false); err != nil {
		t.Fatal(err)
	}
	h.refused(session, "a session from before the new password")
	h.mail(account.MailPassword, "ann@example.org")
	session = h.login("ann@example.org", "battery staple")
	if err := h.Operator.SetActive("ann@example.org", false); err != nil {
		t.Fatal(err)
	}
	h.refused(session, "a session of somebody barred")
	_, err := h.Authentication.Login(t.Context(), "ann@example.org", "battery staple", "", account.From{IP: "192.0.2.1"})
	if err == nil {
		t.Error("somebody barred logged in")
	}
	if err := h.Operator.SetActive("ann@example.org", true); err != nil {
		t.Fatal(err)
	}
	h.login("ann@example.org", "battery staple")
	wantKind(t, h.Operator.SetActive("nobody@example.org", true), fault.KindNotFound, "")
}

func TestASuccessDoesNotForgiveTheFailuresOfOthers(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AddressAttempts = 3 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	try := func(email, pass string) error {
		_, err := h.Authentication.Login(t.Context(), email, pass, "", account.From{IP: "192.0.2.1"})
		return err
	}
	for _, email := range []string{"bob@example.org", "eve@example.org"} {
		wantKind(t, try(email, "wrong"), fault.KindUnauthenticated, "")
	}
	h.login("ann@example.org", password)
	wantKind(t, try("bob@example.org", "wrong"), fault.KindUnauthenticated, "")
	wantKind(t, try("eve@example.org", "wrong"), fault.KindThrottled, "")
}

func TestASuccessForgivesTheFailuresOnAKnownDevice(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 3 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	from := account.From{IP: "192.0.2.1", Device: must[string](t)(h.Authentication.RememberDevice("ann@example.org", ""))}
	for range 3 {
		for range 2 {
			_, err := h.Authentication.Login(t.Context(), "ann@example.org", "wrong", "", from)
			wantKind(t, err, fault.KindUnauthenticated, "")
		}
		if _, err := h.Authentication.Login(t.Context(), "ann@example.org", password, "", from); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAddressesOfColleaguesAreTaken(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "ben@example.org", account.RoleMember)
	h.add(h.company("B"), "eve@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	for _, address := range []string{"Ben@example.org", "not an address"} {
		_, err := h.Reverify(t.Context(), ann, address)
		wantFields(t, err, "email")
	}
	if _, err := h.Reverify(t.Context(), ann, "eve@example.org"); err != nil {
		t.Errorf("it discloses whether a stranger has an address: %v", err)
	}
	h.advance(account.ProofWindow)
	_, err := h.Reverify(t.Context(), ann, "new@example.org")
	wantKind(t, err, fault.KindForbidden, "proof_required")
}

func TestTheServiceItselfNeedsNoProof(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "boss@example.org", account.RoleOwner)
	u := h.add(c, "ann@example.org", account.RoleMember)
	if _, err := h.Companies.UpdateMember(account.System(c.ID), u.ID, account.MemberPatch{Role: new(account.RoleAdmin)}); err != nil {
		t.Error(err)
	}
}

func TestLeavingOneCompanyKeepsTheSessionsInOthers(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "boss@example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleOwner)
	u := h.add(a, "ann@example.org", account.RoleMember)
	in := must[account.User](t)(h.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{IP: "192.0.2.1"}))
	if err := h.Companies.RemoveMember(h.as("boss@example.org"), u.ID); err != nil {
		t.Fatal(err)
	}
	for _, c := range in.Companies {
		if c.ID == a.ID {
			h.refused(c.Token, "a session in the company that was left")
		} else if got := h.actor(c.Token); got.CompanyID != b.ID {
			t.Errorf("got %+v", got)
		}
	}
}

func TestUsedLinksAreForgotten(t *testing.T) {
	t.Parallel()
	var forgotten []string
	h := open(t, func(o *account.Options) {
		o.Forget = func(_ *kv.Tx, link string) error {
			forgotten = append(forgotten, link)
			return nil
		}
	})
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	if err := h.ForgotPassword(t.Context(), "ann@example.org", account.From{IP: "192.0.2.1"}); err != nil {
		t.Fatal(err)
	}
	link := h.mail(account.MailReset, "ann@example.org").Data["token"]
	if err := h.Authentication.ResetPassword(t.Context(), link, account.Reset{Password: "battery staple"}); err != nil {
		t.Fatal(err)
	}
	if len(forgotten) == 0 {
		t.Error("messages keep a link that was used")
	}
}

func TestAddressesOfPrivacyNotices(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "boss@example.org", account.RoleOwner)
	boss := h.as("boss@example.org")
	long := "https://example.org/" + strings.Repeat("x", 3000)
	for address, ok := range map[string]bool{" https://example.org/privacy ": true, "": true, "javascript:1": false, long: false} {
		c, err := h.Companies.UpdateCompany(boss, account.CompanyPatch{PrivacyURL: &address})
		switch {
		case !ok:
			wantFields(t, err, "privacy_url")
		case err != nil || c.PrivacyURL != strings.TrimSpace(address):
			t.Errorf("got %q, %v", c.PrivacyURL, err)
		}
	}
}
