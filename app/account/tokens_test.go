package account_test

import (
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

func TestTokensActWithinTheirScopes(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	made, err := h.Profile.CreateToken(ann, account.TokenInput{Name: " CI ", Scopes: []account.Scope{account.ScopeWrite, account.ScopeRead, account.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	who := h.actor(made.Secret)
	if who.Kind != account.ActorToken || who.TokenID != made.ID || !who.Can(account.ScopeWrite) || who.IsAdmin() || who.Can(account.ScopeSign) {
		t.Errorf("got %+v", who)
	}
	if made.Name != "CI" || len(made.Scopes) != 2 || made.UserName == "" || made.ExpiresAt != nil {
		t.Errorf("got %+v", made)
	}
	_, err = h.Profile.CreateToken(who, account.TokenInput{Name: "more"})
	wantKind(t, err, fault.KindForbidden, "scope_missing")
	_, err = h.Profile.ListTokens(who, account.TokenQuery{})
	wantKind(t, err, fault.KindForbidden, "scope_missing")
	h.advance(10 * 365 * 24 * time.Hour)
	h.actor(made.Secret) // without a date it does not expire
}

func TestTokenFaults(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	h.add(a, "vic@example.org", account.RoleViewer)
	vic := h.as("vic@example.org")
	past := start
	for _, tt := range []struct {
		in     account.TokenInput
		fields []string
	}{
		{account.TokenInput{}, []string{"name"}},
		{account.TokenInput{Name: strings.Repeat("é", 201)}, []string{"name"}},
		{account.TokenInput{Name: "x", ExpiresAt: &past}, []string{"expires_at"}},
		{account.TokenInput{Name: "", Scopes: []account.Scope{"read", "rule", "admin", "write"}, ExpiresAt: &past},
			[]string{"name", "scopes.1", "scopes.2", "scopes.3", "expires_at"}},
	} {
		_, err := h.Profile.CreateToken(vic, tt.in)
		wantFields(t, err, tt.fields...)
	}
	made, err := h.Profile.CreateToken(vic, account.TokenInput{Name: "mine"})
	if err != nil || len(made.Scopes) != 1 || made.Scopes[0] != account.ScopeRead {
		t.Errorf("got %+v, %v; want the one scope a viewer has", made, err)
	}
}

func TestTokensAreListedToWhomTheyConcern(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(a, "mem@example.org", account.RoleMember)
	h.add(b, "bob@example.org", account.RoleOwner)
	ann, mem, bob := h.as("ann@example.org"), h.as("mem@example.org"), h.as("bob@example.org")
	soon := start.Add(time.Hour)
	first := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "Zoë", ExpiresAt: &soon}))
	second := must[account.Token](t)(h.Profile.CreateToken(mem, account.TokenInput{Name: "apple"}))

	names := func(who account.Call, q account.TokenQuery) string {
		t.Helper()
		list, err := h.Profile.ListTokens(who, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, token := range list.Items {
			if token.Secret != "" {
				t.Error("a list shows a token")
			}
			got = append(got, token.Name)
		}
		return strings.Join(got, " ")
	}
	for _, tt := range []struct {
		who  account.Call
		q    account.TokenQuery
		want string
	}{
		{ann, account.TokenQuery{}, "Zoë apple"},
		{ann, account.TokenQuery{Descending: true}, "apple Zoë"},
		{ann, account.TokenQuery{Sort: "name"}, "apple Zoë"},
		{ann, account.TokenQuery{Search: "ZOE"}, "Zoë"},
		{ann, account.TokenQuery{Offset: 1, Limit: 5}, "apple"},
		{ann, account.TokenQuery{Offset: 7}, ""},
		{mem, account.TokenQuery{}, "apple"},
		{bob, account.TokenQuery{}, ""},
	} {
		if got := names(tt.who, tt.q); got != tt.want {
			t.Errorf("%s, %+v: got %q, want %q", tt.who.Email, tt.q, got, tt.want)
		}
	}
	h.advance(time.Hour)
	for q, want := range map[*account.TokenQuery]string{
		{}: "apple", {WithTrashed: true}: "Zoë apple", {Statuses: []string{"expired"}}: "Zoë", {Statuses: []string{"archived"}}: "Zoë", {Statuses: []string{"deleted"}}: "",
	} {
		if got := names(ann, *q); got != want {
			t.Errorf("%+v: got %q, want %q", q, got, want)
		}
	}
	_, err := h.Profile.ListTokens(ann, account.TokenQuery{Sort: "secret"})
	wantFields(t, err, "sort")
	_, err = h.Profile.ListTokens(ann, account.TokenQuery{Statuses: []string{"nope"}})
	wantFields(t, err, "status")

	wantKind(t, h.Profile.RevokeToken(mem, first.ID), fault.KindForbidden, "")
	wantKind(t, h.Profile.RevokeToken(bob, first.ID), fault.KindNotFound, "")
	_, err = h.Profile.GetToken(bob, second.ID)
	wantKind(t, err, fault.KindNotFound, "")
	if got, err := h.Profile.GetToken(mem, second.ID); err != nil || got.Name != "apple" || got.UserName != "mem" {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := h.Profile.RevokeToken(ann, second.ID); err != nil {
		t.Error(err)
	}
	h.refused(second.Secret, "revoked")
	wantKind(t, h.Profile.RevokeToken(ann, second.ID), fault.KindNotFound, "")
}

func TestSessionsAreListedAndBounded(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) { o.Sessions = 5 })
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	oldest := h.login("ann@example.org", password)
	for range 4 {
		h.login("ann@example.org", password)
	}
	h.actor(oldest)
	newest := h.login("ann@example.org", password)
	h.refused(oldest, "more sessions than are kept")
	list, err := h.Authentication.ListSessions(h.actor(newest), account.TokenQuery{Limit: 1, Descending: true})
	if err != nil || list.Total != 5 || len(list.Items) != 1 || list.Items[0].IP != "192.0.2.1" || list.Items[0].Name != "test" {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestUseIsWrittenOncePerMinuteAndNeverPerRequest(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	made := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "CI"}))
	used := func() time.Time {
		t.Helper()
		got, err := h.Profile.GetToken(ann, made.ID)
		if err != nil || got.LastUsedAt == nil {
			t.Fatalf("got %+v, %v", got, err)
		}
		return *got.LastUsedAt
	}
	commits := h.db.Changed()
	h.actor(made.Secret)
	h.advance(30 * time.Second)
	h.actor(made.Secret)
	if got := used(); !got.Equal(start) {
		t.Errorf("last used at %v, want %v", got, start)
	}
	select {
	case <-commits:
		t.Error("a request was a write")
	default:
	}
	if err := h.Upkeep.Flush(); err != nil {
		t.Fatal(err)
	}
	h.Reset() // drops whatever is only in memory
	if got := used(); !got.Equal(start) {
		t.Errorf("last used at %v after a restart, want %v", got, start)
	}
	h.advance(time.Minute)
	h.actor(made.Secret)
	if got := used(); !got.Equal(start.Add(90 * time.Second)) {
		t.Errorf("last used at %v", got)
	}
	if err := h.Profile.RevokeToken(ann, made.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.Upkeep.Flush(); err != nil {
		t.Fatal(err)
	}
	h.refused(made.Secret, "revoked, then its use written down")
}

func TestSweepRemovesWhatExpired(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	h.login("ann@example.org", password)
	kept := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "kept"}))
	if err := h.ForgotPassword(t.Context(), "ann@example.org", account.From{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{0, 0}, {time.Hour, 1}, {7 * 24 * time.Hour, 4}, {time.Hour, 0}} {
		h.advance(tt.after)
		if got, err := h.Upkeep.Sweep(t.Context()); err != nil || got != tt.want {
			t.Errorf("after %v: removed %d, %v, want %d", tt.after, got, err, tt.want)
		}
	}
	h.actor(kept.Secret)
	if errs := h.db.Check(account.Collections()...); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestNothingStoredLetsAnybodyIn(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	bearer := h.login("ann@example.org", password)
	ann := h.actor(bearer)
	setup := must[account.TwoFactorSetup](t)(h.Authentication.BeginTwoFactor(ann))
	codes := must[[]string](t)(h.Authentication.ConfirmTwoFactor(ann, code(t, setup.Secret, h.now())))
	made := must[account.Token](t)(h.Profile.CreateToken(ann, account.TokenInput{Name: "CI"}))
	if err := h.ForgotPassword(t.Context(), "ann@example.org", account.From{}); err != nil {
		t.Fatal(err)
	}
	secrets := append([]string{password, bearer, setup.Secret, made.Secret, h.mail(account.MailReset, "ann@example.org").Data["token"]}, codes...)
	var backup strings.Builder
	if _, err := h.db.Backup(&backup, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(backup.String(), "ann@example.org") {
		t.Fatal("the backup cannot be searched this way")
	}
	for i, secret := range secrets {
		if strings.Contains(backup.String(), secret) || strings.Contains(backup.String(), strings.ReplaceAll(secret, "-", "")) {
			t.Errorf("secret %d is stored", i)
		}
	}
}

var _ kv.Checker = account.Collections()[0]
