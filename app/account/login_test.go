package account_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"paraph/app/account"
	"paraph/app/fault"
)

func TestLoginGivesATokenForEveryCompany(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "Ann@Example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleViewer)
	u, err := h.Authentication.Login(t.Context(), " ANN@example.org ", password, "", account.From{IP: "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Companies) != 2 {
		t.Fatalf("got %d companies, want 2", len(u.Companies))
	}
	for i, want := range []account.Actor{{CompanyID: a.ID, Role: account.RoleOwner}, {CompanyID: b.ID, Role: account.RoleViewer}} {
		got := h.actor(u.Companies[i].Token)
		if got.CompanyID != want.CompanyID || got.Role != want.Role || got.UserID != u.ID || got.Kind != account.ActorUser {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "off@example.org", account.RoleMember)
	if err := h.Operator.SetActive("off@example.org", false); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, email, password string }{
		{"wrong password", "ann@example.org", "wrong horse"},
		{"nobody", "bob@example.org", password},
		{"deactivated", "off@example.org", password},
		{"endless password", "ann@example.org", strings.Repeat("x", 100_000)},
	} {
		_, err := h.Authentication.Login(t.Context(), tt.email, tt.password, "", account.From{})
		if !errors.Is(err, fault.ErrUnauthenticated) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	_, err := h.Authentication.Login(t.Context(), " ", "", "", account.From{})
	wantFields(t, err, "email", "password")
}

func TestLoginIsThrottledPerAccountAndAddress(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.AccountAttempts, o.AddressAttempts = 3, 5 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	try := func(email, pass, ip string) error {
		_, err := h.Authentication.Login(t.Context(), email, pass, "", account.From{IP: ip})
		return err
	}
	for range 3 {
		wantKind(t, try("ann@example.org", "wrong", "192.0.2.1"), fault.KindUnauthenticated, "")
	}
	err := try("ann@example.org", password, "192.0.2.1")
	wantKind(t, err, fault.KindThrottled, "")
	if err := try("ann@example.org", password, "192.0.2.9"); err != nil {
		t.Errorf("a stranger has locked the owner out: %v", err)
	}
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.RetryAfter != 5*time.Minute || e.Limit != 3 {
		t.Errorf("got %+v", e)
	}
	for range 2 {
		wantKind(t, try("bob@example.org", "wrong", "192.0.2.1"), fault.KindUnauthenticated, "")
	}
	wantKind(t, try("eve@example.org", "wrong", "192.0.2.1"), fault.KindThrottled, "")
	h.advance(5 * time.Minute)
	for range 20 { // successes do not count
		if err := try("ann@example.org", password, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	for i, ip := range []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5"} {
		wantKind(t, try(string(rune('a'+i))+"@example.org", "wrong", ip), fault.KindUnauthenticated, "")
	}
	wantKind(t, try("z@example.org", "wrong", "2001:db8::6"), fault.KindThrottled, "")
}

func TestManyLoginsAtOnceDoNotSlipUnderTheLimit(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	var mu sync.Mutex
	count := map[fault.Kind]int{}
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, err := h.Authentication.Login(t.Context(), "ann@example.org", "wrong horse", "", account.From{IP: "192.0.2.1"})
			mu.Lock()
			defer mu.Unlock()
			count[fault.KindOf(err)]++
		})
	}
	wg.Wait()
	if count[fault.KindUnauthenticated] != 10 || count[fault.KindThrottled] != 30 {
		t.Errorf("got %v, want 10 tried and 30 refused", count)
	}
}

func TestLoginWaitsNoLongerThanItsCaller(t *testing.T) {
	t.Parallel()
	h := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// With a free slot, either outcome is possible; it must end, and must not let anybody in.
	if _, err := h.Authentication.Login(ctx, "ann@example.org", password, "", account.From{}); err == nil {
		t.Error("let in nobody")
	}
}

func TestOutdatedHashesAreMadeAgainAtLogin(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	dearer, err := account.New(h.db, account.Options{TokenKey: h.key, Now: h.now, Cost: account.Cost{Memory: 16, Passes: 2, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := dearer.Authentication.Login(t.Context(), "ann@example.org", password, "", account.From{}); err != nil {
			t.Fatal(err)
		}
	}
	h.login("ann@example.org", password)
}

func TestAuthenticateRefuses(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	ann := h.add(a, "ann@example.org", account.RoleOwner)
	good := h.login("ann@example.org", password)
	who := h.actor(good)

	other := open(t, func(o *account.Options) { o.TokenKey = []byte("another key another key another key") })
	other.add(other.company("A"), "ann@example.org", account.RoleOwner)

	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"sub": ann.ID, "company": a.ID, "jti": who.TokenID, "aud": "paraph", "iss": "paraph", "exp": start.Add(time.Hour).Unix()}
		if change != nil {
			change(c)
		}
		return c
	}
	none, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims(nil)).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	for name, bearer := range map[string]string{
		"nothing": "", "no token": "x", "dots": "..", "spaces": " " + good, "foreign key": other.login("ann@example.org", password),
		"alg none": none, "cut": good[:len(good)-2], "no signature": parts[0] + "." + parts[1] + ".",
		"other payload": parts[0] + "." + strings.Split(none, ".")[1] + "." + parts[2],
		"raw key":       sign(t, jwt.SigningMethodHS256, claims(nil), h.key),
	} {
		h.refused(bearer, name)
	}
	h.advance(7*24*time.Hour - time.Second)
	h.actor(good)
	h.advance(time.Second)
	h.refused(good, "expired")
}

func sign(t *testing.T, method jwt.SigningMethod, c jwt.Claims, key any) string {
	t.Helper()
	return must[string](t)(jwt.NewWithClaims(method, c).SignedString(key))
}

func TestChangesCountAtTheNextRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(h *house, boss account.Call, ann account.User, who account.Call) error
	}{
		{"logout", func(h *house, _ account.Call, _ account.User, who account.Call) error {
			return h.Authentication.Logout(who)
		}},
		{"revoked", func(h *house, boss account.Call, _ account.User, who account.Call) error {
			return h.Profile.RevokeToken(boss, who.TokenID)
		}},
		{"deactivated member", func(h *house, boss account.Call, ann account.User, _ account.Call) error {
			_, err := h.Companies.UpdateMember(boss, ann.ID, account.MemberPatch{Active: new(false)})
			return err
		}},
		{"removed member", func(h *house, boss account.Call, ann account.User, _ account.Call) error {
			return h.Companies.RemoveMember(boss, ann.ID)
		}},
		{"deactivated user", func(h *house, _ account.Call, ann account.User, _ account.Call) error {
			return h.Operator.SetActive(ann.Email, false)
		}},
		{"new password", func(h *house, _ account.Call, ann account.User, _ account.Call) error {
			return h.Operator.SetPassword(t.Context(), ann.Email, "another horse", false)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			a := h.company("A")
			h.add(a, "boss@example.org", account.RoleOwner)
			ann := h.add(a, "ann@example.org", account.RoleMember)
			bearer := h.login("ann@example.org", password)
			who := h.actor(bearer)
			if err := tt.change(h, h.as("boss@example.org"), ann, who); err != nil {
				t.Fatal(err)
			}
			h.refused(bearer, tt.name)
		})
	}
}

func TestRoleChangesCountAtTheNextRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "boss@example.org", account.RoleOwner)
	ann := h.add(a, "ann@example.org", account.RoleMember)
	bearer := h.login("ann@example.org", password)
	if h.actor(bearer).IsAdmin() {
		t.Fatal("a member is an admin")
	}
	if _, err := h.Companies.UpdateMember(h.as("boss@example.org"), ann.ID, account.MemberPatch{Role: new(account.RoleAdmin)}); err != nil {
		t.Fatal(err)
	}
	if !h.actor(bearer).IsAdmin() {
		t.Error("the new role does not count")
	}
}

// A request made during a change must not be cached with the state before it.
func TestNobodyIsRememberedAsTheyWere(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "boss@example.org", account.RoleOwner)
	ann := h.add(a, "ann@example.org", account.RoleMember)
	boss := h.as("boss@example.org")
	for range 50 {
		bearer := h.login("ann@example.org", password)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					_, err := h.Authentication.Authenticate(bearer)
					if err != nil && !errors.Is(err, fault.ErrUnauthenticated) {
						t.Error(err)
					}
				}
			})
		}
		if _, err := h.Companies.UpdateMember(boss, ann.ID, account.MemberPatch{Active: new(false)}); err != nil {
			t.Fatal(err)
		}
		h.refused(bearer, "deactivated")
		wg.Wait()
		h.refused(bearer, "deactivated, after the race")
		if _, err := h.Companies.UpdateMember(boss, ann.ID, account.MemberPatch{Active: new(true)}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignatoryTokensOpenOneInvitation(t *testing.T) {
	t.Parallel()
	h := open(t)
	bearer, err := h.Authentication.SignatoryToken("C", "D", "I", "Sam", "sam@example.org", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	who := h.actor(bearer)
	if !who.IsSignatoryOf("D", "I") || who.IsSignatoryOf("D", "J") || who.IsSignatoryOf("E", "I") || who.CompanyID != "C" {
		t.Errorf("got %+v", who)
	}
	if !who.Can(account.ScopeSign) || !who.Can(account.ScopeRead) || who.Can(account.ScopeWrite) || who.IsAdmin() || who.CanApprove() {
		t.Errorf("%+v can do other than read and sign", who)
	}
	_, err = h.Companies.Company(who)
	wantKind(t, err, fault.KindForbidden, "")
	_, err = h.Profile.Me(who)
	wantKind(t, err, fault.KindForbidden, "")
	h.advance(time.Hour)
	h.refused(bearer, "expired")
	if _, err := h.Authentication.SignatoryToken("C", "D", "", "", "", time.Hour); err == nil {
		t.Error("made a token for no invitation")
	}
}

func TestShortTokenKeysAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := account.New(nil, account.Options{TokenKey: make([]byte, 31)}); err == nil {
		t.Error("took a key of 31 bytes")
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	h := open(b)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	b.Run("live", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := h.Authentication.Authenticate(bearer); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("looked up", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h.Reset()
			if _, err := h.Authentication.Authenticate(bearer); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// addressOf returns one of many addresses, each in its own network.
func addressOf(i int) string { return fmt.Sprintf("203.0.%d.%d", 100+i/250, 1+i%250) }
