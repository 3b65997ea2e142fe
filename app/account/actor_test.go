package account_test

import (
	"reflect"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
)

func TestWhatActorsCan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		role                       account.Role
		read, write, sign, adm, ap bool
	}{
		{account.RoleOwner, true, true, true, true, true},
		{account.RoleAdmin, true, true, true, true, true},
		{account.RoleApprover, true, true, true, false, true},
		{account.RoleMember, true, true, true, false, false},
		{account.RoleViewer, true, false, false, false, false},
		{"king", false, false, false, false, false},
	} {
		who := account.Actor{Kind: account.ActorUser, Role: tt.role, Scopes: account.Scopes()}
		got := []bool{who.Can(account.ScopeRead), who.Can(account.ScopeWrite), who.Can(account.ScopeSign), who.IsAdmin(), who.CanApprove()}
		if want := []bool{tt.read, tt.write, tt.sign, tt.adm, tt.ap}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", tt.role, got, want)
		}
		narrow := account.Actor{Kind: account.ActorToken, Role: tt.role, Scopes: []account.Scope{account.ScopeRead}}
		if narrow.Can(account.ScopeWrite) || narrow.IsAdmin() || narrow.IsOwner() || narrow.CanApprove() || narrow.Can(account.ScopeRead) != tt.read {
			t.Errorf("%s with the read scope alone can more or less than read", tt.role)
		}
	}
	wantKind(t, account.Actor{Kind: account.ActorToken, Role: account.RoleOwner}.Require(account.ScopeWrite), fault.KindForbidden, "scope_missing")
	wantKind(t, account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Scopes: account.Scopes()}.Require(account.ScopeWrite), fault.KindForbidden, "role_not_allowed")
	if (account.Actor{}).Can(account.ScopeRead) {
		t.Error("nobody can read")
	}
	if sys := account.System("C"); !sys.IsOwner() || !sys.CanApprove() || !sys.IsSystem() || sys.CompanyID != "C" {
		t.Error("the system cannot do everything")
	}
}
