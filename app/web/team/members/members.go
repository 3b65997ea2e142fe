package members

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/web/page"
)

// teamList is the page of all members.
type teamList struct {
	MayManage bool
	Search    string
	Members   []memberLine
	Invited   []memberLine
	Roles     []page.Option
	Columns   []page.Column
	Pager     page.Pager
	Asked     bool // a search was made
}

// memberLine is a member in the list.
type memberLine struct {
	account.Member
	RoleName string
	Chip     page.Chip
	Seen     time.Time
	Self     bool
}

func (h *Handlers) showTeam(r *page.Request, status int, p page.Page) error {
	number, size := r.PageOf()
	sort := cmp.Or(r.Query("sort"), "name|asc")
	by, direction, _ := strings.Cut(sort, "|")
	q := account.ListQuery{Offset: (number - 1) * size, Limit: size, Search: r.Query("search"), Sort: by, Descending: direction == "desc", Statuses: []string{"active", "deactivated"}}
	list, err := h.Accounts.ListMembers(r.UserContext(), r.Who.Actor, q)
	if err != nil {
		return err
	}
	t := teamList{MayManage: r.Who.Actor.IsAdmin(), Search: q.Search, Roles: roleOptions(r, account.RoleMember), Pager: r.Pager(number, size, list.Total), Asked: q.Search != "",
		Columns: []page.Column{r.Sortable("name", r.Say("team.name"), sort, false), r.Sortable("role", r.Say("team.role"), sort, false), {Text: r.Say("team.twofactor")}, r.Sortable("status", r.Say("team.state"), sort, false)}}
	seen := map[string]time.Time{}
	if t.MayManage {
		if seen, err = h.Accounts.LastSeen(r.UserContext(), r.Who.Actor); err != nil {
			return err
		}
		t.Columns = append(t.Columns, page.Column{Text: r.Say("team.seen")})
	}
	waiting, err := h.Accounts.ListMembers(r.UserContext(), r.Who.Actor, account.ListQuery{Statuses: []string{"invited"}, Descending: true})
	if err != nil {
		return err
	}
	for _, m := range list.Items {
		t.Members = append(t.Members, memberLineOf(r, m, seen))
	}
	for _, m := range waiting.Items {
		t.Invited = append(t.Invited, memberLineOf(r, m, seen))
	}
	p.Title, p.Data = r.Say("nav.team"), t
	return r.Render(status, "team", p)
}

func memberLineOf(r *page.Request, m account.Member, seen map[string]time.Time) memberLine {
	l := memberLine{Member: m, RoleName: r.Say("role." + string(m.Role)), Seen: seen[m.UserID], Self: m.UserID == r.Who.User.ID}
	look := map[account.MemberStatus][2]string{account.MemberActive: {"ok", "check"}, account.MemberInvited: {"warn", "hourglass"}, account.MemberDeactivated: {"", "void"}}[m.Status]
	l.Chip = page.Chip{Kind: look[0], Icon: look[1], Text: r.Say("team.state." + string(m.Status))}
	return l
}

// roleOptions are the roles that the reader may give.
func roleOptions(r *page.Request, chosen account.Role) (out []page.Option) {
	for _, role := range account.Roles() {
		if role != account.RoleOwner || r.Who.Actor.IsOwner() || chosen == role {
			out = append(out, page.Option{Value: string(role), Label: r.Say("role."+string(role)) + ": " + r.Say("role."+string(role)+".text"), Selected: role == chosen})
		}
	}
	return out
}

// maxInvites is how many people are invited with one form.
const maxInvites = 50

// Invite invites everybody who can be; the addresses that can't stay in
// the form with the reason.
func (h *Handlers) Invite(r *page.Request) error {
	addresses := strings.FieldsFunc(r.Form.Value("emails"), func(c rune) bool { return strings.ContainsRune(",;\r\n", c) })
	addresses = slices.DeleteFunc(addresses, func(s string) bool { return strings.TrimSpace(s) == "" })
	var f fault.Fields
	switch {
	case len(addresses) == 0:
		f.Add("emails", "no_addresses")
	case len(addresses) > maxInvites:
		f.Add("emails", "too_many_addresses", fault.Number("limit", maxInvites))
	}
	if err := f.Err(); err != nil {
		return h.teamAgain(r, err, page.Page{})
	}
	var left []string
	for _, address := range addresses {
		err := h.invite(r, strings.TrimSpace(address))
		if fault.KindOf(err) != fault.KindInvalid {
			if err != nil {
				return err
			}
			continue
		}
		left = append(left, strings.TrimSpace(address))
		for _, x := range fault.FieldsOf(err) {
			f.Add("emails", "address_refused", fault.Text("address", strings.TrimSpace(address)), fault.Text("why", r.Sentence(x, nil)))
		}
	}
	done := len(addresses) - len(left)
	if err := f.Err(); err != nil {
		r.Form.Values.Set("emails", strings.Join(left, "\n"))
		p := page.Page{}
		if done > 0 {
			p.Notice = r.Notice("ok", "team.invited", "count", strconv.Itoa(done))
		}
		return h.teamAgain(r, err, p)
	}
	r.Flash("ok", "team.invited", "count", strconv.Itoa(done))
	return r.SeeOther("/app/team")
}

func (h *Handlers) invite(r *page.Request, address string) error {
	in := account.MemberInput{Email: address, Role: account.Role(r.Form.Value("role"))}
	if a, err := mail.ParseAddress(address); err == nil {
		in.Email, in.Name = a.Email, a.Name
	}
	_, err := h.Accounts.InviteMember(r.UserContext(), r.Who.Actor, in)
	return err
}

// teamAgain shows the list with what is wrong with the form over it.
func (h *Handlers) teamAgain(r *page.Request, err error, p page.Page) error {
	f := r.FailureOf(err)
	p.Values, p.Faults = r.Form, f.Faults
	return h.showTeam(r, f.Status, p)
}

// memberPage is one member, for those who run the company.
type memberPage struct {
	memberLine
	Roles   []page.Option
	Open    int           // documents that they look after
	Heirs   []page.Option // who can take them over
	Fixed   string        // why role and state can't be changed; "" if they can
	Joined  time.Time
	Leaving bool
}

func (h *Handlers) member(r *page.Request) (memberPage, error) {
	ctx, who := r.UserContext(), r.Who.Actor
	m, err := h.Accounts.GetMember(ctx, who, r.Params("id"))
	if err != nil {
		return memberPage{}, err
	}
	all, err := h.Accounts.ListMembers(ctx, who, account.ListQuery{Statuses: []string{"active"}, Sort: "name"})
	if err != nil {
		return memberPage{}, err
	}
	seen, err := h.Accounts.LastSeen(ctx, who)
	if err != nil {
		return memberPage{}, err
	}
	p := memberPage{memberLine: memberLineOf(r, m, seen), Roles: roleOptions(r, m.Role)}
	if p.Open, err = h.Signing.CountOpen(ctx, who, m.UserID); err != nil {
		return memberPage{}, err
	}
	owners := 0
	for _, other := range all.Items {
		if other.Status != account.MemberActive {
			continue
		}
		if other.Role == account.RoleOwner {
			owners++
		}
		if other.UserID != m.UserID && other.Role.Allows(account.ScopeWrite) {
			p.Heirs = append(p.Heirs, page.Option{Value: other.UserID, Label: other.Name + " (" + other.Email + ")", Selected: other.UserID == r.Who.User.ID})
		}
	}
	switch {
	case m.Role == account.RoleOwner && !who.IsOwner():
		p.Fixed = r.Say("member.fixed.owner")
	case m.Role == account.RoleOwner && m.Status == account.MemberActive && owners == 1:
		p.Fixed = r.Say("member.fixed.last")
	}
	return p, nil
}

// Show serves one member, for those who run the company.
func (h *Handlers) Show(r *page.Request) error {
	m, err := h.member(r)
	if err != nil {
		return err
	}
	return r.Render(http.StatusOK, "member", page.Page{Title: m.Name, Data: m})
}

// memberAgain shows what was wrong with a form of a member's page.
func (h *Handlers) memberAgain(r *page.Request, err error) error {
	m, failed := h.member(r)
	if failed != nil {
		return failed
	}
	return r.Again(err, "member", page.Page{Title: m.Name, Data: m})
}

func toMember(r *page.Request, key string, pairs ...string) error {
	r.Flash("ok", key, pairs...)
	return r.SeeOther("/app/team/" + r.Params("id"))
}

// ChangeRole gives a member another role.
func (h *Handlers) ChangeRole(r *page.Request) error {
	role := account.Role(r.Form.Value("role"))
	m, err := h.Accounts.UpdateMember(r.UserContext(), r.Who.Actor, r.Params("id"), account.MemberPatch{Role: &role})
	if err != nil {
		return h.memberAgain(r, err)
	}
	return toMember(r, "member.role.saved", "name", m.Name, "role", r.Say("role."+string(m.Role)))
}

// Deactivate shuts somebody out at once, then gives their open documents to
// somebody else, if asked to. What fails of the second can be done again.
func (h *Handlers) Deactivate(r *page.Request) error {
	m, err := h.Accounts.UpdateMember(r.UserContext(), r.Who.Actor, r.Params("id"), account.MemberPatch{Active: new(false)})
	if err != nil {
		return h.memberAgain(r, err)
	}
	if heir := r.Form.Value("to"); heir != "" {
		n, err := h.Signing.HandOver(r.UserContext(), r.Who.Actor, m.UserID, heir)
		if err != nil {
			return h.memberAgain(r, err)
		}
		if n > 0 {
			return toMember(r, "member.off.given", "name", m.Name, "count", strconv.Itoa(n))
		}
	}
	return toMember(r, "member.off", "name", m.Name)
}

// Activate lets a deactivated member in again.
func (h *Handlers) Activate(r *page.Request) error {
	m, err := h.Accounts.UpdateMember(r.UserContext(), r.Who.Actor, r.Params("id"), account.MemberPatch{Active: new(true)})
	if err != nil {
		return h.memberAgain(r, err)
	}
	return toMember(r, "member.on", "name", m.Name)
}

// HandOver gives a member's open documents to another member.
func (h *Handlers) HandOver(r *page.Request) error {
	n, err := h.Signing.HandOver(r.UserContext(), r.Who.Actor, r.Params("id"), r.Form.Value("to"))
	if err != nil {
		return h.memberAgain(r, err)
	}
	return toMember(r, "member.given", "count", strconv.Itoa(n))
}

// ResendInvite sends an invitation again.
func (h *Handlers) ResendInvite(r *page.Request) error {
	m, err := h.Accounts.GetMember(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	if _, err := h.Accounts.InviteMember(r.UserContext(), r.Who.Actor, account.MemberInput{Email: m.Email, Role: m.Role}); err != nil {
		return err
	}
	r.Flash("ok", "team.resent", "email", m.Email)
	return r.SeeOther("/app/team")
}

// AskRemove asks once more, in a dialog where there are scripts.
func (h *Handlers) AskRemove(r *page.Request) error {
	m, err := h.member(r)
	if err != nil {
		return err
	}
	c := page.Confirmation{Text: r.Say("member.remove.text"), Action: r.Path(), Do: r.Say("member.remove"), Back: "/app/team/" + m.UserID}
	if m.Open > 0 {
		c.Text += " " + r.Say("member.remove.open", "n", m.Open)
	}
	if m.Status == account.MemberInvited {
		c.Text, c.Do, c.Back = r.Say("team.revoke.text"), r.Say("team.revoke"), "/app/team"
	}
	return r.Render(http.StatusOK, "confirm", page.Page{Title: r.Say("member.remove.title", "name", m.Name), Data: c})
}

// Remove removes a member or revokes an invitation.
func (h *Handlers) Remove(r *page.Request) error {
	m, err := h.Accounts.GetMember(r.UserContext(), r.Who.Actor, r.Params("id"))
	if err == nil {
		err = h.Accounts.RemoveMember(r.UserContext(), r.Who.Actor, m.UserID)
	}
	if fault.KindOf(err) == fault.KindConflict {
		return h.memberAgain(r, err)
	}
	if err != nil {
		return err
	}
	r.Flash("ok", "member.removed", "name", m.Name)
	return r.SeeOther("/app/team")
}

// permission is a row of the table of roles.
type permission struct {
	Text string
	May  []bool // by role
}

type rolesPage struct {
	Roles []page.Pair
	Rows  []permission
}

// ShowRoles shows what each role may do, as the account room decides it.
func ShowRoles(r *page.Request) error {
	p := rolesPage{}
	for _, role := range account.Roles() {
		p.Roles = append(p.Roles, page.Pair{Name: r.Say("role." + string(role)), Value: r.Say("role." + string(role) + ".text")})
	}
	scope := func(s account.Scope) func(account.Role) bool {
		return func(role account.Role) bool { return role.Allows(s) }
	}
	for i, may := range []func(account.Role) bool{scope(account.ScopeRead), scope(account.ScopeWrite), scope(account.ScopeSign), account.Role.Approves,
		scope(account.ScopeAdmin), scope(account.ScopeAdmin), scope(account.ScopeAdmin), func(role account.Role) bool { return role == account.RoleOwner }} {
		row := permission{Text: r.Say(fmt.Sprintf("permission.%d", i+1))}
		for _, role := range account.Roles() {
			row.May = append(row.May, may(role))
		}
		p.Rows = append(p.Rows, row)
	}
	return r.Render(http.StatusOK, "roles", page.Page{Title: r.Say("roles.title"), Data: p})
}

// ShowList serves the list of members.
func (h *Handlers) ShowList(r *page.Request) error {
	return h.showTeam(r, http.StatusOK, page.Page{})
}
