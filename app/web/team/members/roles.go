package members

import (
	"fmt"
	"net/http"

	"paraph/app/account"
	"paraph/app/web/page"
)

// permission is a row in the table of roles.
type permission struct {
	Text string
	May  []bool // by role
}

type rolesPage struct {
	Roles []page.Pair
	Rows  []permission
}

// ShowRoles serves the table of permissions by role.
func ShowRoles(r *page.Request) error {
	p := rolesPage{}
	for _, role := range account.Roles() {
		p.Roles = append(p.Roles, page.Pair{Name: r.Say("role." + string(role)), Value: r.Say("role." + string(role) + ".text")})
	}
	scope := func(s account.Scope) func(account.Role) bool {
		return func(role account.Role) bool { return role.Allows(s) }
	}
	owns := func(role account.Role) bool { return role == account.RoleOwner }
	admin := scope(account.ScopeAdmin)
	for i, may := range []func(account.Role) bool{scope(account.ScopeRead), scope(account.ScopeWrite),
		scope(account.ScopeSign), account.Role.Approves, admin, admin, admin, owns} {
		row := permission{Text: r.Say(fmt.Sprintf("permission.%d", i+1))}
		for _, role := range account.Roles() {
			row.May = append(row.May, may(role))
		}
		p.Rows = append(p.Rows, row)
	}
	return rolesTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("roles.title")}, p))
}
