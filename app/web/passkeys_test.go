package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
)

// named returns the appliance's URL with a host name: numeric addresses can't
// have passkeys.
func named(s *apptest.Server) string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

// withDevice adds a device that stores passkeys and responds at once, also to the background
// request of the sign-in page, before a test can press the button. Without background, the
// browser says that it has no such requests. The device can't be made to respond later instead:
// requests that are waiting already don't notice.
func (w *window) withDevice(background bool) (device webauthn.AuthenticatorID) {
	w.t.Helper()
	if !background {
		call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `if (self.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false`})
	}
	call(w, webauthn.Enable, webauthn.EnableParams{})
	params := webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
		HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}
	made, err := chromedp.Call(w.ctx, webauthn.AddVirtualAuthenticator, params)
	if err != nil {
		w.t.Fatal(err)
	}
	return made.AuthenticatorID
}

// signOut leaves by the menu.
func (w *window) signOut() {
	w.t.Helper()
	w.click(`.menu:not(.thin) summary`)
	w.click(`form[action="/signout"] button`)
}

// signInAt signs in under a name of the appliance, with the password alone.
func (w *window) signInAt(site, email string) {
	w.t.Helper()
	w.visit(site + "/signin?next=/app/me/security")
	w.write(`[name="email"]`, email)
	w.write(`[name="password"]`, apptest.Password)
	w.send("/signin")
}

// withPasskey opens a window with a device, see withDevice, and adds a passkey of the
// owner. The window shows the recovery codes.
func withPasskey(t *testing.T, s *apptest.Server, owner *apptest.Client, background bool) *window {
	t.Helper()
	w := open(t, look{})
	w.withDevice(background)
	w.signInAt(named(s), owner.Email)
	w.heading("My account")
	w.addPasskey("My laptop")
	w.heading("Save your recovery codes")
	return w
}

// addPasskey adds a passkey on the open page.
func (w *window) addPasskey(name string) {
	w.t.Helper()
	w.write(`#i-passkey`, name)
	w.click(`form[action="/app/me/passkeys"] button.btn`)
}

// TestPasskeys follows a passkey from its making to its removal.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := withPasskey(t, s, owner, false)
	w.click("main a.primary")
	w.heading("My account")
	if text := w.read("main"); !strings.Contains(text, "My laptop") || !strings.Contains(text, "10 codes are left") {
		t.Errorf("the page says %s", text)
	}
	w.addPasskey("Again")
	w.see(`form[action="/app/me/passkeys"] [data-problem]`)

	// The second step after the password.
	w.signOut()
	w.heading("Sign in")
	w.signInAt(named(s), owner.Email)
	w.heading("One more step")
	w.click(`form[action="/signin/passkey"] button`)
	w.heading("My account")

	// Instead of it.
	w.signOut()
	w.heading("Sign in")
	w.click(`form[action="/signin/passkey"] button`)
	w.see("header.shell")

	w.visit(named(s) + "/app/me/sessions")
	if text := w.read("main"); !strings.Contains(text, "Password and passkey") {
		t.Errorf("the sign-ins are %s", text)
	}

	// An hour later, who creates an API token has to prove who they are: the form waits for the
	// passkey, and is then sent on.
	made := func() bool {
		return strings.Contains(string(owner.Get(t, "/tokens").Want(t, 200).Body), "The nightly export")
	}
	s.Advance(t, "1h")
	w.visit(named(s) + "/app/settings/api")
	w.write(`form[action="/app/settings/api"] [name="name"]`, "The nightly export")
	w.click(`form[action="/app/settings/api"] button.primary`)
	w.heading("Confirm it's you")
	if made() {
		t.Error("it was created without a proof")
	}
	w.click(`form[data-passkey="/app/me/prove/begin"] button`)
	w.see("#secret")
	if !made() {
		t.Error("it was not created")
	}
	w.visit(named(s) + "/app/me/security")
	w.click(`li:has([action="/app/me/passkeys/rename"]) summary`)
	w.write(`form[action="/app/me/passkeys/rename"] [name="name"]`, "Work laptop")
	w.send("/app/me/passkeys/rename")
	w.see(".notice.ok")
	w.click(`li:has([action="/app/me/passkeys/rename"]) summary`)
	w.write(`form[action="/app/me/passkeys/remove"] input[type="password"]`, apptest.Password)
	w.send("/app/me/passkeys/remove")
	w.until(`document.readyState === "complete" && !document.body.textContent.includes("Work laptop")`)

	// The device still has the passkey that was removed here.
	w.signOut()
	w.heading("Sign in")
	w.click(`form[action="/signin/passkey"] button`)
	w.see("#errors")
}

// TestPasskeyInTheBackground signs in with what the browser offers, without a button.
func TestPasskeyInTheBackground(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := withPasskey(t, s, owner, true)
	w.visit(named(s) + "/app/me")
	w.signOut()
	w.until(`location.pathname === "/app/documents" && document.readyState === "complete"`)
	w.visit(named(s) + "/app/me/sessions")
	if text := w.read("main"); !strings.Contains(text, "· Passkey") {
		t.Errorf("the sign-ins are %s", text)
	}
}

// TestPasskeyAskedForEarly presses the button before the browser has said whether it can offer
// passkeys in the background: the background request must not replace the one that was pressed.
func TestPasskeyAskedForEarly(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	w := open(t, look{})
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		if (self.PublicKeyCredential) {
			PublicKeyCredential.isConditionalMediationAvailable = () => new Promise(answer => { window.available = answer });
			CredentialsContainer.prototype.get = options => new Promise(() => { window.pressed ??= options.signal });
		}`})
	w.visit(named(s) + "/signin")
	w.until(`!!window.available`)
	w.click(`form[action="/signin/passkey"] button`)
	w.until(`!!window.pressed`)
	w.run(chromedp.Evaluate[chromedp.Void](`available(true)`))
	if get(w, chromedp.Evaluate[bool](`pressed.aborted`)) {
		t.Error("the request of the button was given up")
	}
}

// putBack is webauthn.AddCredential without what this browser's devices don't know.
var putBack = cdp.Command[putBackParams, cdp.Empty]{Method: webauthn.CommandAddCredential}

type putBackParams struct {
	AuthenticatorID webauthn.AuthenticatorID `json:"authenticatorId"`
	Credential      plainPasskey             `json:"credential"`
}

type plainPasskey struct {
	CredentialID         []byte  `json:"credentialId"`
	IsResidentCredential bool    `json:"isResidentCredential"`
	RpID                 string  `json:"rpId"`
	PrivateKey           []byte  `json:"privateKey"`
	UserHandle           []byte  `json:"userHandle"`
	SignCount            float64 `json:"signCount"`
}

// TestPasskeysThatProveNothing signs in with a device that has not verified its holder, though the page asked it to,
// and with a copy of a passkey whose original was used since.
func TestPasskeysThatProveNothing(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	w := open(t, look{})
	device := w.withDevice(false)
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `{
		const get = CredentialsContainer.prototype.get;
		CredentialsContainer.prototype.get = function (o) {
			if (sessionStorage.discouraged) o.publicKey.userVerification = "discouraged";
			return get.call(this, o);
		};
	}`})
	w.signInAt(named(s), owner.Email)
	w.addPasskey("My laptop")
	w.heading("Save your recovery codes")
	w.visit(named(s) + "/app/me")
	w.signOut()
	w.heading("Sign in")
	refused := func(what string) {
		t.Helper()
		w.visit(named(s) + "/signin")
		w.click(`form[action="/signin/passkey"] button`)
		w.see("#errors")
		if w.cookies()["paraph_session"] != nil {
			t.Errorf("%s signs in", what)
		}
	}

	call(w, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device})
	w.run(chromedp.Evaluate[chromedp.Void](`sessionStorage.discouraged = "yes"`))
	refused("a device that has not verified its holder")
	call(w, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: true})
	w.run(chromedp.Evaluate[chromedp.Void](`delete sessionStorage.discouraged`))
	kept, err := chromedp.Call(w.ctx, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: device})
	if err != nil || len(kept.Credentials) != 1 {
		t.Fatalf("the device has %+v, %v", kept, err)
	}

	w.visit(named(s) + "/signin")
	w.click(`form[action="/signin/passkey"] button`)
	w.see("header.shell")
	w.signOut()
	w.heading("Sign in")
	call(w, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: device})
	call(w, putBack, putBackParams{device, plainPasskey{kept.Credentials[0].CredentialID, true, kept.Credentials[0].RpID,
		kept.Credentials[0].PrivateKey, kept.Credentials[0].UserHandle, kept.Credentials[0].SignCount}})
	refused("a copy of a passkey")
}

// TestCompanyAsksForTwoFactor signs in to a company that requires a second step.
func TestCompanyAsksForTwoFactor(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	member := owner.Member(t, account.RoleMember)
	enrol(t, s, colleague(t, owner))
	who, err := s.Accounts.Operator.ActorFor(owner.Email, owner.CompanyID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accounts.Companies.UpdateCompany(account.Call{Actor: who}, account.CompanyPatch{RequireTwoFactor: new(true)}); err != nil {
		t.Fatal(err)
	}

	b := guest(t, s)
	identify(t, b, member.Email, apptest.Password)
	b.Heading("My account")
	b.See(".notice.warn")
	for _, path := range []string{"/app/documents", "/app/me", "/app/settings", "/app/team"} {
		b.Visit(path)
		if b.At() != "/app/me/security" {
			t.Errorf("%s leads to %s", path, b.At())
		}
	}
	enrol(t, s, b)
	b.Click("main a.primary")
	b.See("header.shell")
	if !strings.HasPrefix(b.At(), "/app/documents") {
		t.Errorf("it leads on to %s", b.At())
	}
}

func TestNewRecoveryCodes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	b := colleague(t, s.Company(t))
	_, before := enrol(t, s, b)
	b.Visit("/app/me/security")
	b.Click("details:has([name=proof-codes]) summary")
	b.Write(`[name="proof-codes"]`, "not the password")
	b.Submit("/app/me/recovery-codes")
	b.See("#errors")
	b.Write(`[name="proof-codes"]`, apptest.Password)
	b.Submit("/app/me/recovery-codes")
	b.Heading("Save your recovery codes")
	if after := b.Read("#codes"); strings.Contains(after, before[0]) {
		t.Errorf("the codes are the old ones: %s", after)
	}
}
