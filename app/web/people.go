package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/mail"
)

func (d *Door) memberRoutes(app *fiber.App) {
	d.teamGet(app, "/app/team", func(r *request) error { return r.showTeam(http.StatusOK, page{}) })
	d.teamPost(app, "/app/team/invite", (*request).inviteMembers)
	d.teamGet(app, "/app/team/roles", (*request).showRoles)
	d.teamGet(app, "/app/team/:id", (*request).showMember)
	d.teamGet(app, "/app/team/:id/remove", (*request).askRemoveMember)
	for action, do := range map[string]handler{
		"role": (*request).changeRole, "deactivate": (*request).deactivate, "activate": (*request).activate,
		"hand-over": (*request).handOver, "remove": (*request).removeMember, "resend": (*request).resendInvite,
	} {
		d.teamPost(app, "/app/team/:id/"+action, do)
	}
}

// teamList is the page of all members.
type teamList struct {
	MayManage bool
	Search    string
	Members   []memberLine
	Invited   []memberLine
	Roles     []option
	Columns   []column
	Pager     pager
	Asked     bool // a search was made
}

// memberLine is a member in the list.
type memberLine struct {
	account.Member
	RoleName string
	Chip     chipData
	Seen     time.Time
	Self     bool
}

func (r *request) showTeam(status int, p page) error {
	number, size := r.pageOf()
	sort := cmp.Or(r.Query("sort"), "name|asc")
	by, direction, _ := strings.Cut(sort, "|")
	q := account.ListQuery{Offset: (number - 1) * size, Limit: size, Search: r.Query("search"), Sort: by, Descending: direction == "desc", Statuses: []string{"active", "deactivated"}}
	list, err := r.door.Accounts.ListMembers(r.UserContext(), r.who.Actor, q)
	if err != nil {
		return err
	}
	t := teamList{MayManage: r.who.Actor.IsAdmin(), Search: q.Search, Roles: r.roleOptions(account.RoleMember), Pager: r.pager(number, size, list.Total), Asked: q.Search != "",
		Columns: []column{r.sortable("name", r.say("team.name"), sort, false), r.sortable("role", r.say("team.role"), sort, false), {Text: r.say("team.twofactor")}, r.sortable("status", r.say("team.state"), sort, false)}}
	seen := map[string]time.Time{}
	if t.MayManage {
		if seen, err = r.door.Accounts.LastSeen(r.UserContext(), r.who.Actor); err != nil {
			return err
		}
		t.Columns = append(t.Columns, column{Text: r.say("team.seen")})
	}
	waiting, err := r.door.Accounts.ListMembers(r.UserContext(), r.who.Actor, account.ListQuery{Statuses: []string{"invited"}, Descending: true})
	if err != nil {
		return err
	}
	for _, m := range list.Items {
		t.Members = append(t.Members, r.memberLine(m, seen))
	}
	for _, m := range waiting.Items {
		t.Invited = append(t.Invited, r.memberLine(m, seen))
	}
	p.Title, p.Data = r.say("nav.team"), t
	return r.render(status, "team", p)
}

func (r *request) memberLine(m account.Member, seen map[string]time.Time) memberLine {
	l := memberLine{Member: m, RoleName: r.say("role." + string(m.Role)), Seen: seen[m.UserID], Self: m.UserID == r.who.User.ID}
	look := map[account.MemberStatus][2]string{account.MemberActive: {"ok", "check"}, account.MemberInvited: {"warn", "hourglass"}, account.MemberDeactivated: {"", "void"}}[m.Status]
	l.Chip = chipData{look[0], look[1], r.say("team.state." + string(m.Status))}
	return l
}

// roleOptions are the roles that the reader may give.
func (r *request) roleOptions(chosen account.Role) (out []option) {
	for _, role := range account.Roles() {
		if role != account.RoleOwner || r.who.Actor.IsOwner() || chosen == role {
			out = append(out, option{string(role), r.say("role."+string(role)) + ": " + r.say("role."+string(role)+".text"), role == chosen})
		}
	}
	return out
}

// maxInvites is how many people are invited with one form.
const maxInvites = 50

// inviteMembers invites everybody who can be; the addresses that can't stay in
// the form with the reason.
func (r *request) inviteMembers() error {
	addresses := strings.FieldsFunc(r.form.value("emails"), func(c rune) bool { return strings.ContainsRune(",;\r\n", c) })
	addresses = slices.DeleteFunc(addresses, func(s string) bool { return strings.TrimSpace(s) == "" })
	var f account.Faults
	switch {
	case len(addresses) == 0:
		f.Add("emails", r.say("team.invite.none"))
	case len(addresses) > maxInvites:
		f.Add("emails", r.say("team.invite.many", "most", maxInvites))
	}
	if err := f.Err(); err != nil {
		return r.teamAgain(err, page{})
	}
	var left []string
	for _, address := range addresses {
		err := r.invite(strings.TrimSpace(address))
		if account.KindOf(err) != account.KindInvalid {
			if err != nil {
				return err
			}
			continue
		}
		left = append(left, strings.TrimSpace(address))
		e, _ := errors.AsType[*account.Error](err)
		for _, messages := range e.Fields {
			f.Add("emails", strings.TrimSpace(address)+": "+strings.Join(messages, " "))
		}
	}
	done := len(addresses) - len(left)
	if err := f.Err(); err != nil {
		r.form.values.Set("emails", strings.Join(left, "\n"))
		p := page{}
		if done > 0 {
			p.Notice = r.notice("ok", "team.invited", "count", strconv.Itoa(done))
		}
		return r.teamAgain(err, p)
	}
	r.flash("ok", "team.invited", "count", strconv.Itoa(done))
	return r.redirect("/app/team")
}

func (r *request) invite(address string) error {
	in := account.MemberInput{Email: address, Role: account.Role(r.form.value("role"))}
	if a, err := mail.ParseAddress(address); err == nil {
		in.Email, in.Name = a.Email, a.Name
	}
	_, err := r.door.Accounts.InviteMember(r.UserContext(), r.who.Actor, in)
	return err
}

// teamAgain shows the list with what is wrong with the form over it.
func (r *request) teamAgain(err error, p page) error {
	f := r.failureOf(err)
	p.Values, p.Faults = r.form, f.Faults
	return r.showTeam(f.Status, p)
}

// memberPage is one member, for those who run the company.
type memberPage struct {
	memberLine
	Roles   []option
	Open    int      // documents that they look after
	Heirs   []option // who can take them over
	Fixed   string   // why role and state can't be changed; "" if they can
	Joined  time.Time
	Leaving bool
}

func (r *request) memberPage() (page, error) {
	ctx, who := r.UserContext(), r.who.Actor
	m, err := r.door.Accounts.GetMember(ctx, who, r.Params("id"))
	if err != nil {
		return page{}, err
	}
	all, err := r.door.Accounts.ListMembers(ctx, who, account.ListQuery{Statuses: []string{"active"}, Sort: "name"})
	if err != nil {
		return page{}, err
	}
	seen, err := r.door.Accounts.LastSeen(ctx, who)
	if err != nil {
		return page{}, err
	}
	p := memberPage{memberLine: r.memberLine(m, seen), Roles: r.roleOptions(m.Role)}
	if p.Open, err = r.door.Signing.CountOpen(ctx, who, m.UserID); err != nil {
		return page{}, err
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
			p.Heirs = append(p.Heirs, option{other.UserID, other.Name + " (" + other.Email + ")", other.UserID == r.who.User.ID})
		}
	}
	switch {
	case m.Role == account.RoleOwner && !who.IsOwner():
		p.Fixed = r.say("member.fixed.owner")
	case m.Role == account.RoleOwner && m.Status == account.MemberActive && owners == 1:
		p.Fixed = r.say("member.fixed.last")
	}
	return page{Title: m.Name, Data: p}, nil
}

func (r *request) showMember() error {
	if !r.who.Actor.IsAdmin() {
		return r.forbid(r.say("team.forbidden"))
	}
	p, err := r.memberPage()
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "member", p)
}

// memberAgain shows what was wrong with a form of a member's page.
func (r *request) memberAgain(err error) error {
	p, failed := r.memberPage()
	if failed != nil {
		return failed
	}
	return r.again(err, "member", p)
}

func (r *request) toMember(key string, pairs ...string) error {
	r.flash("ok", key, pairs...)
	return r.redirect("/app/team/" + r.Params("id"))
}

func (r *request) changeRole() error {
	role := account.Role(r.form.value("role"))
	m, err := r.door.Accounts.UpdateMember(r.UserContext(), r.who.Actor, r.Params("id"), account.MemberPatch{Role: &role})
	if err != nil {
		return r.memberAgain(err)
	}
	return r.toMember("member.role.saved", "name", m.Name, "role", r.say("role."+string(m.Role)))
}

// deactivate shuts somebody out at once, then gives their open documents to
// somebody else, if asked to. What fails of the second can be done again.
func (r *request) deactivate() error {
	m, err := r.door.Accounts.UpdateMember(r.UserContext(), r.who.Actor, r.Params("id"), account.MemberPatch{Active: new(false)})
	if err != nil {
		return r.memberAgain(err)
	}
	if heir := r.form.value("to"); heir != "" {
		n, err := r.door.Signing.HandOver(r.UserContext(), r.who.Actor, m.UserID, heir)
		if err != nil {
			return r.memberAgain(err)
		}
		if n > 0 {
			return r.toMember("member.off.given", "name", m.Name, "count", strconv.Itoa(n))
		}
	}
	return r.toMember("member.off", "name", m.Name)
}

func (r *request) activate() error {
	m, err := r.door.Accounts.UpdateMember(r.UserContext(), r.who.Actor, r.Params("id"), account.MemberPatch{Active: new(true)})
	if err != nil {
		return r.memberAgain(err)
	}
	return r.toMember("member.on", "name", m.Name)
}

func (r *request) handOver() error {
	n, err := r.door.Signing.HandOver(r.UserContext(), r.who.Actor, r.Params("id"), r.form.value("to"))
	if err != nil {
		return r.memberAgain(err)
	}
	return r.toMember("member.given", "count", strconv.Itoa(n))
}

func (r *request) resendInvite() error {
	m, err := r.door.Accounts.GetMember(r.UserContext(), r.who.Actor, r.Params("id"))
	if err != nil {
		return err
	}
	if _, err := r.door.Accounts.InviteMember(r.UserContext(), r.who.Actor, account.MemberInput{Email: m.Email, Role: m.Role}); err != nil {
		return err
	}
	r.flash("ok", "team.resent", "email", m.Email)
	return r.redirect("/app/team")
}

// askRemoveMember asks once more, in a dialog where there are scripts.
func (r *request) askRemoveMember() error {
	if !r.who.Actor.IsAdmin() {
		return r.forbid(r.say("team.forbidden"))
	}
	p, err := r.memberPage()
	if err != nil {
		return err
	}
	m, _ := p.Data.(memberPage)
	c := confirmation{Text: r.say("member.remove.text"), Action: r.Path(), Do: r.say("member.remove"), Back: "/app/team/" + m.UserID}
	if m.Open > 0 {
		c.Text += " " + r.say("member.remove.open", "n", m.Open)
	}
	if m.Status == account.MemberInvited {
		c.Text, c.Do, c.Back = r.say("team.revoke.text"), r.say("team.revoke"), "/app/team"
	}
	return r.render(http.StatusOK, "confirm", page{Title: r.say("member.remove.title", "name", m.Name), Data: c})
}

func (r *request) removeMember() error {
	m, err := r.door.Accounts.GetMember(r.UserContext(), r.who.Actor, r.Params("id"))
	if err == nil {
		err = r.door.Accounts.RemoveMember(r.UserContext(), r.who.Actor, m.UserID)
	}
	if account.KindOf(err) == account.KindConflict {
		return r.memberAgain(err)
	}
	if err != nil {
		return err
	}
	r.flash("ok", "member.removed", "name", m.Name)
	return r.redirect("/app/team")
}

// permission is a row of the table of roles.
type permission struct {
	Text string
	May  []bool // by role
}

type rolesPage struct {
	Roles []pair
	Rows  []permission
}

// showRoles shows what each role may do, as the account room decides it.
func (r *request) showRoles() error {
	p := rolesPage{}
	for _, role := range account.Roles() {
		p.Roles = append(p.Roles, pair{r.say("role." + string(role)), r.say("role." + string(role) + ".text")})
	}
	scope := func(s account.Scope) func(account.Role) bool {
		return func(role account.Role) bool { return role.Allows(s) }
	}
	for i, may := range []func(account.Role) bool{scope(account.ScopeRead), scope(account.ScopeWrite), scope(account.ScopeSign), account.Role.Approves,
		scope(account.ScopeAdmin), scope(account.ScopeAdmin), scope(account.ScopeAdmin), func(role account.Role) bool { return role == account.RoleOwner }} {
		row := permission{Text: r.say(fmt.Sprintf("permission.%d", i+1))}
		for _, role := range account.Roles() {
			row.May = append(row.May, may(role))
		}
		p.Rows = append(p.Rows, row)
	}
	return r.render(http.StatusOK, "roles", page{Title: r.say("roles.title"), Data: p})
}
