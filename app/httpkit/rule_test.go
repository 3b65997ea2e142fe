package httpkit_test

import (
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
)

func TestRulesLetIn(t *testing.T) {
	t.Parallel()
	writer := account.Actor{Kind: account.ActorToken, Role: account.RoleMember, Scopes: []account.Scope{account.ScopeRead, account.ScopeWrite}}
	viewer := account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Scopes: account.Scopes()}
	operator := account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Installation: true}
	program, limited := operator, operator
	program.Kind, limited.Limited = account.ActorToken, true
	owner := account.Actor{Kind: account.ActorUser, Role: account.RoleOwner, Scopes: account.Scopes()}
	link := account.Actor{Kind: account.ActorSignatory}
	for what, c := range map[string]struct {
		rule httpkit.Rule
		who  account.Call
		code string
	}{
		"a stranger where everyone may":   {httpkit.Rule{For: httpkit.Everyone}, account.Call{}, ""},
		"a viewer where writers may":      {httpkit.Rule{For: httpkit.Members, Scope: account.ScopeWrite}, account.Call{Actor: viewer}, "role_not_allowed"},
		"a token without the scope":       {httpkit.Rule{For: httpkit.Members, Scope: account.ScopeSign}, account.Call{Actor: writer}, "scope_missing"},
		"a writer":                        {httpkit.Rule{For: httpkit.Members, Scope: account.ScopeWrite}, account.Call{Actor: writer}, ""},
		"a viewer to their own account":   {httpkit.Rule{For: httpkit.Members}, account.Call{Actor: viewer}, ""},
		"a link where members may":        {httpkit.Rule{For: httpkit.Members}, account.Call{Actor: link}, "signatory_not_allowed"},
		"a link where parties may":        {httpkit.Rule{For: httpkit.Parties, Scope: account.ScopeSign}, account.Call{Actor: link}, ""},
		"a viewer where parties may sign": {httpkit.Rule{For: httpkit.Parties, Scope: account.ScopeSign}, account.Call{Actor: viewer}, "role_not_allowed"},
		"a member where only links may":   {httpkit.Rule{For: httpkit.Invited}, account.Call{Actor: writer}, "unauthenticated"},
		"who runs the installation":       {httpkit.Rule{For: httpkit.Operators}, account.Call{Actor: operator}, ""},
		"their token":                     {httpkit.Rule{For: httpkit.Operators}, account.Call{Actor: program}, "not_found.page"},
		"before a second step is set up":  {httpkit.Rule{For: httpkit.Operators}, account.Call{Actor: limited}, "not_found.page"},
		"an owner where operators may":    {httpkit.Rule{For: httpkit.Operators}, account.Call{Actor: owner}, "not_found.page"},
		"a link where operators may":      {httpkit.Rule{For: httpkit.Operators}, account.Call{Actor: link}, "not_found.page"},
		"a stranger where operators may":  {httpkit.Rule{For: httpkit.Operators}, account.Call{}, "not_found.page"},
		"anybody where nothing is said":   {httpkit.Rule{}, account.Call{Actor: writer}, "unauthenticated"},
	} {
		if got := string(fault.CodeOf(c.rule.Admit(c.who))); got != c.code {
			t.Errorf("%s: got %q, want %q", what, got, c.code)
		}
	}
}
