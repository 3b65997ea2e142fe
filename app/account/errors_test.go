package account_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"paraph/app/account"
)

func TestErrorsAreToldByKindAndCode(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := fmt.Errorf("load: %w", account.Conflict("document_not_draft", "The document was already sent.").Because(cause))
	if account.KindOf(err) != account.KindConflict || account.CodeOf(err) != "document_not_draft" {
		t.Errorf("got %v, %q", account.KindOf(err), account.CodeOf(err))
	}
	for _, tt := range []struct {
		target error
		want   bool
	}{
		{account.ErrConflict, true}, {account.ErrNotFound, false}, {cause, true},
		{&account.Error{Kind: account.KindConflict, Code: "document_not_draft"}, true},
		{&account.Error{Kind: account.KindConflict, Code: "other"}, false},
	} {
		if got := errors.Is(err, tt.target); got != tt.want {
			t.Errorf("Is(%v) = %v", tt.target, got)
		}
	}
	if account.KindOf(cause) != account.KindInternal || account.CodeOf(cause) != "" {
		t.Error("a foreign error is not internal")
	}
	if got := account.Throttled(6, time.Second); got.RetryAfter != time.Second || got.Limit != 6 {
		t.Errorf("got %+v", got)
	}
	if got := account.Unauthenticated().Error(); got != "Unauthenticated." {
		t.Errorf("got %q", got)
	}
	if got := account.Kind(200).String(); got != "internal" {
		t.Errorf("an unknown kind is %q", got)
	}
}

func TestFaultsAreToldTogether(t *testing.T) {
	t.Parallel()
	var f account.Faults
	if f.Err() != nil || !f.Empty() {
		t.Error("no faults are an error")
	}
	f.Required("title")
	in := f.At("invitations", 0)
	in.Must("email", "be a valid email address")
	in.Under("auth").Selected("kind")
	f.Between("default_expiry_days", 1, 10)
	f.Between("default_expiry_days", 1, 11)
	f.TooLong("name", 5)
	f.TooMany("files", 3)
	f.Taken("slug")
	f.OneOf("on_decline", "notify", "void")
	e, ok := errors.AsType[*account.Error](f.Err())
	if !ok || e.Message != "The given data was invalid." || !in.Has("email") || in.Has("title") || in.Empty() {
		t.Fatalf("got %+v", e)
	}
	want := map[string][]string{
		"title":                   {"The title field is required."},
		"invitations.0.email":     {"The invitations.0.email field must be a valid email address."},
		"invitations.0.auth.kind": {"The selected invitations.0.auth.kind is invalid."},
		"default_expiry_days":     {"The default expiry days field must be between 1 and 10.", "The default expiry days field must be between 1 and 11."},
		"name":                    {"The name field must not be greater than 5 characters."},
		"files":                   {"The files field must not have more than 3 items."},
		"slug":                    {"The slug has already been taken."},
		"on_decline":              {"The on decline field must be one of: notify, void."},
	}
	if !reflect.DeepEqual(e.Fields, want) {
		t.Errorf("got  %q\nwant %q", e.Fields, want)
	}
}

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
	wantKind(t, account.Actor{Kind: account.ActorToken, Role: account.RoleOwner}.Require(account.ScopeWrite), account.KindForbidden, "scope_missing")
	wantKind(t, account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Scopes: account.Scopes()}.Require(account.ScopeWrite), account.KindForbidden, "role_not_allowed")
	if (account.Actor{}).Can(account.ScopeRead) {
		t.Error("nobody can read")
	}
	if sys := account.System("C"); !sys.IsOwner() || !sys.CanApprove() || !sys.IsSystem() || sys.CompanyID != "C" {
		t.Error("the system cannot do everything")
	}
}
