package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"paraph/app/account"
	"paraph/app/fault"
)

func code(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	return must[string](t)(totp.GenerateCode(secret, at))
}

func TestTwoFactorLogin(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts = 100 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	login := func(code string) error {
		_, err := h.Authentication.Login(t.Context(), "ann@example.org", password, code, account.From{})
		return err
	}

	_, err := h.Authentication.ConfirmTwoFactor(ann, "123456")
	wantKind(t, err, fault.KindConflict, "two_factor_not_begun")
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(ann))
	if !strings.HasPrefix(setup.URL, "otpauth://totp/") || !strings.Contains(setup.URL, setup.Secret) {
		t.Errorf("got %q", setup.URL)
	}
	if err := login(""); err != nil {
		t.Errorf("a code is asked for before one was confirmed: %v", err)
	}
	_, err = h.Authentication.ConfirmTwoFactor(ann, "000000")
	wantFields(t, err, "code")
	codes := must[[]string](t)(h.Authentication.ConfirmTwoFactor(ann, code(t, setup.Secret, h.now())))
	if len(codes) != 10 {
		t.Errorf("got %d recovery codes", len(codes))
	}
	if me, err := h.Profile.Me(ann); err != nil || !me.TwoFactor {
		t.Errorf("got %+v, %v", me, err)
	}
	_, err = h.Authentication.BeginTwoFactor(ann)
	wantKind(t, err, fault.KindConflict, "two_factor_active")

	wantKind(t, login(""), fault.KindInvalid, "two_factor_required")
	wantFields(t, login(code(t, setup.Secret, h.now())), "code") // used to confirm
	wantFields(t, login("abc"), "code")
	h.advance(30 * time.Second)
	now := code(t, setup.Secret, h.now())
	if err := login(now[:3] + " " + now[3:]); err != nil {
		t.Errorf("the current code: %v", err)
	}
	wantFields(t, login(now), "code")
	h.advance(time.Minute)
	wantFields(t, login(code(t, setup.Secret, h.now().Add(-time.Minute))), "code")
	if err := login(code(t, setup.Secret, h.now().Add(-30*time.Second))); err != nil {
		t.Errorf("the code before: %v", err)
	}

	if err := login(strings.ToLower(codes[3])); err != nil {
		t.Errorf("a recovery code: %v", err)
	}
	wantFields(t, login(codes[3]), "code")
	if err := login(strings.ReplaceAll(codes[4], "-", "")); err != nil {
		t.Errorf("another recovery code: %v", err)
	}
	_, err = h.Authentication.Login(t.Context(), "ann@example.org", "wrong horse", codes[5], account.From{})
	wantKind(t, err, fault.KindUnauthenticated, "")
	if err := login(codes[5]); err != nil {
		t.Errorf("a code was used up by a wrong password: %v", err)
	}
}

func TestTwoFactorIsTurnedOffWithProof(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, password string
		code           func(secret string, codes []string, h *house) string
		fields         []string
	}{
		{"nothing", "", func(string, []string, *house) string { return "" }, []string{"code"}},
		{"wrong password", "wrong horse", func(string, []string, *house) string { return "" }, []string{"password"}},
		{"wrong code", "", func(string, []string, *house) string { return "12" }, []string{"code"}},
		{"password", password, func(string, []string, *house) string { return "" }, nil},
		{"recovery code", "", func(_ string, codes []string, _ *house) string { return codes[0] }, nil},
		{"code", "", func(secret string, _ []string, h *house) string { return code(t, secret, h.now()) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.add(h.company("A"), "ann@example.org", account.RoleOwner)
			ann := h.as("ann@example.org")
			setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(ann))
			codes := must[[]string](t)(h.Authentication.ConfirmTwoFactor(ann, code(t, setup.Secret, h.now())))
			h.advance(time.Minute)
			err := h.Authentication.DisableTwoFactor(t.Context(), ann, tt.password, tt.code(setup.Secret, codes, h))
			if tt.fields == nil {
				if err != nil {
					t.Fatal(err)
				}
				h.login("ann@example.org", password)
				return
			}
			wantFields(t, err, tt.fields...)
			_, err = h.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{})
			wantKind(t, err, fault.KindInvalid, "two_factor_required")
		})
	}
}

func TestTwoFactorNeedsASession(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	made := must[account.Token](t)(h.Profile.CreateToken(h.as("ann@example.org"), account.TokenInput{Name: "CI", Scopes: account.Scopes()}))
	_, err := h.Authentication.BeginTwoFactor(h.actor(made.Secret))
	wantKind(t, err, fault.KindForbidden, "session_required")
	wantKind(t, h.Authentication.DisableTwoFactor(t.Context(), h.actor(made.Secret), password, ""), fault.KindForbidden, "session_required")
}

func TestTheOperatorTurnsTwoFactorOff(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(ann))
	must[[]string](t)(h.Authentication.ConfirmTwoFactor(ann, code(t, setup.Secret, h.now())))
	if err := h.Operator.SetPassword(t.Context(), "ann@example.org", "another horse", true); err != nil {
		t.Fatal(err)
	}
	h.login("ann@example.org", "another horse")
}
