package account

import (
	"net/netip"
	"slices"
	"time"

	"paraph/app/fault"
)

// ActorKind is the kind of actor.
type ActorKind string

// The kinds of actor.
const (
	ActorUser      ActorKind = "user"      // a person with a session from login
	ActorToken     ActorKind = "token"     // a program with an API token of a person
	ActorSignatory ActorKind = "signatory" // a person invited to one document
	ActorSystem    ActorKind = "system"    // the service itself, or the operator of the machine
)

// Role determines what a member may do in a company.
type Role string

// The roles, from most to least powerful. Each includes the permissions of those after it.
const (
	RoleOwner    Role = "owner"    // everything, ownership included
	RoleAdmin    Role = "admin"    // everything except changing owners
	RoleApprover Role = "approver" // like a member, and approves documents
	RoleMember   Role = "member"   // creates and sends documents
	RoleViewer   Role = "viewer"   // reads
)

// Roles lists every role, from most to least.
func Roles() []Role {
	return []Role{RoleOwner, RoleAdmin, RoleApprover, RoleMember, RoleViewer}
}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return slices.Contains(Roles(), r) }

// Allows reports whether the role by itself permits a scope.
func (r Role) Allows(s Scope) bool {
	switch s {
	case ScopeRead:
		return r.Valid()
	case ScopeWrite, ScopeSign:
		return r == RoleOwner || r == RoleAdmin || r == RoleApprover || r == RoleMember
	case ScopeAdmin:
		return r == RoleOwner || r == RoleAdmin
	}
	return false
}

// Scope restricts what a token may do within its owner's role.
type Scope string

// The scopes of a token.
const (
	ScopeRead  Scope = "read"  // read what the role can see
	ScopeWrite Scope = "write" // create, change and send documents
	ScopeSign  Scope = "sign"  // sign for an invitation of the company's documents
	ScopeAdmin Scope = "admin" // company, members, tokens, webhooks
)

// Scopes lists every scope; a session has them all.
func Scopes() []Scope {
	return []Scope{ScopeRead, ScopeWrite, ScopeSign, ScopeAdmin}
}

// Valid reports whether s is one of the scopes.
func (s Scope) Valid() bool { return slices.Contains(Scopes(), s) }

// Actor is somebody, or a program, that reads or changes a company's data: the caller of a [Call].
// Scopes may be shared between requests and must not be modified.
type Actor struct {
	Kind      ActorKind
	UserID    string
	CompanyID string
	TokenID   string    // the session or API token that was presented
	Until     time.Time // when that expires; zero: never
	ProvenAt  time.Time // when the holder of the session last proved who they are; zero: unknown
	Name      string
	Email     string
	Role      Role
	Scopes    []Scope

	// AddressProven means that the person has used a link that was mailed to their address and
	// that nobody else was shown. The address of any other account, such as one that their company
	// made for them, is only what somebody entered.
	AddressProven bool

	// MadeByCompany means that an administrator of the actor's company made the account.
	MadeByCompany bool

	Networks  []netip.Prefix // token only: where it can be used from; none means anywhere
	Templates []string       // token only: it reaches these and their documents alone; none means all that its scopes allow

	Document   string // signatory only: the document it may access
	Invitation string // signatory only: the invitation it acts for
	Host       string // signatory only: the member on whose device they sign in person
	HostDoubt  string // of the host, see Doubt

	// Installation means that the person may administer the installation; see RunsInstallation.
	Installation bool

	// Limited means that the company requires two-factor sign-in, which this person has not set
	// up: until then they can do nothing else.
	Limited bool
}

// Reasons why a member's account does not prove that they receive the mail sent to its address.
const (
	DoubtMade     = "made_by_company" // their company made the account, and the address is not proven
	DoubtUnproven = "unproven"        // nobody has proven the address
)

// Doubts returns all of these reasons.
func Doubts() []string { return []string{DoubtMade, DoubtUnproven} }

// Doubt returns why a member's account does not prove that they receive the mail sent to its address;
// "" if it does, or if the actor is no member. Evidence states it wherever it names the member.
func (a Actor) Doubt() string {
	switch {
	case a.Kind != ActorUser && a.Kind != ActorToken, a.AddressProven:
		return ""
	case a.MadeByCompany:
		return DoubtMade
	}
	return DoubtUnproven
}

// Can reports whether the actor has a scope in its company: its token includes it and its role
// permits it. A signatory can read and sign, for its own invitation only (see
// [Actor.IsSignatoryOf]).
func (a Actor) Can(s Scope) bool {
	switch a.Kind {
	case ActorSystem:
		return true
	case ActorSignatory:
		return s == ScopeRead || s == ScopeSign
	case ActorUser, ActorToken:
		return !a.Limited && a.Role.Allows(s) && slices.Contains(a.Scopes, s)
	}
	return false
}

// CallFrom returns a call by the actor that comes from there, or an error if its token can't be used there.
func (a Actor) CallFrom(from From) (Call, error) {
	if len(a.Networks) > 0 {
		at, err := netip.ParseAddr(from.IP)
		inside := func(n netip.Prefix) bool { return n.Contains(at.Unmap()) }
		if err != nil || !slices.ContainsFunc(a.Networks, inside) {
			return Call{}, fault.Forbidden("token_address", fault.Text("address", from.IP))
		}
	}
	return a.Call(from), nil
}

// Require returns an error unless the actor has the scope.
func (a Actor) Require(s Scope) error {
	switch {
	case a.Can(s):
		return nil
	case a.Limited:
		return errLimited()
	case a.Kind == ActorToken && a.Role.Allows(s):
		return fault.Forbidden("scope_missing", fault.Text("scope", string(s)))
	}
	return fault.Forbidden("role_not_allowed")
}

// RequireMember is Require for what signatories may not do: it is for the
// company's own members.
func (a Actor) RequireMember(s Scope) error {
	if a.IsSignatory() {
		return fault.Forbidden("signatory_not_allowed")
	}
	return a.Require(s)
}

func errLimited() error {
	return fault.Forbidden("two_factor_required_by_company")
}

// IsAdmin reports whether the actor may manage the company: members, settings, everybody's
// documents.
func (a Actor) IsAdmin() bool { return a.Can(ScopeAdmin) }

// IsOwner reports whether the actor acts with the rights of an owner.
func (a Actor) IsOwner() bool {
	return a.Kind == ActorSystem || a.Role == RoleOwner && a.Can(ScopeAdmin)
}

// CanApprove reports whether the actor may approve or reject documents.
func (a Actor) CanApprove() bool {
	switch {
	case a.Kind == ActorSystem:
		return true
	case !a.Can(ScopeWrite):
		return false
	}
	return a.Role.Approves()
}

// Approves reports whether the role includes approving documents.
func (r Role) Approves() bool {
	return r == RoleOwner || r == RoleAdmin || r == RoleApprover
}

// IsSystem reports whether the service itself acts.
func (a Actor) IsSystem() bool { return a.Kind == ActorSystem }

// IsSignatory reports whether a signatory acts, for any document.
func (a Actor) IsSignatory() bool { return a.Kind == ActorSignatory }

// IsSignatoryOf reports whether the actor is the given invitation of the given document.
func (a Actor) IsSignatoryOf(document, invitation string) bool {
	return a.Kind == ActorSignatory && document != "" && invitation != "" &&
		a.Document == document && a.Invitation == invitation
}

// staff returns nil if the actor belongs to the company (not a signatory) and has the scope.
func staff(who Call, scope Scope) error {
	if who.IsSignatory() {
		return fault.Forbidden("role_not_allowed.signatory")
	}
	return who.Require(scope)
}

// self returns nil if the actor is a person with this scope over their own record.
func self(who Call, scope Scope) error {
	switch {
	case who.UserID == "":
		return fault.Forbidden("role_not_allowed.person")
	case who.Kind == ActorToken && !hasScope(who, scope):
		return fault.Forbidden("scope_missing", fault.Text("scope", string(scope)))
	case who.Limited:
		return errLimited()
	}
	return nil
}

// session returns nil if the actor logged in, as opposed to using an API token.
func session(who Call) error {
	if who.UserID == "" || who.Kind != ActorUser {
		return fault.Forbidden("session_required")
	}
	return nil
}
