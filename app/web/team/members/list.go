package members

import (
	"cmp"
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

// teamList is the page that lists members.
type teamList struct {
	MayManage bool
	Mails     bool // messages go out by e-mail
	Search    string
	Members   []memberLine
	Invited   []memberLine
	Roles     []page.Option
	Columns   []page.Column
	Pager     page.Pager
	Asked     bool // the list is a search result
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
	q := account.MemberQuery{
		Offset:     (number - 1) * size,
		Limit:      size,
		Search:     r.Query("search"),
		Sort:       account.MemberSort(by),
		Descending: direction == "desc",
		Statuses:   []string{"active", "deactivated"},
	}
	list, err := h.Accounts.Members.ListMembers(r.UserContext(), r.Who.Actor, q)
	if err != nil {
		return err
	}
	t := teamList{
		MayManage: r.Who.Actor.IsAdmin(),
		Mails:     h.Mails(),
		Search:    q.Search,
		Roles:     roleOptions(r, account.RoleMember),
		Pager:     r.Pager(number, size, list.Total),
		Asked:     q.Search != "",
		Columns: []page.Column{
			r.Sortable("name", r.Say("team.name"), sort, false),
			r.Sortable("role", r.Say("team.role"), sort, false),
			{Text: r.Say("team.twofactor")},
			r.Sortable("status", r.Say("team.state"), sort, false),
		},
	}
	seen := map[string]time.Time{}
	if t.MayManage {
		if seen, err = h.Accounts.Sessions.LastSeen(r.UserContext(), r.Who.Actor); err != nil {
			return err
		}
		t.Columns = append(t.Columns, page.Column{Text: r.Say("team.seen")})
	}
	waiting, err := h.Accounts.Members.ListMembers(r.UserContext(), r.Who.Actor, account.MemberQuery{Statuses: []string{"invited"}, Descending: true})
	if err != nil {
		return err
	}
	for _, m := range list.Items {
		t.Members = append(t.Members, memberLineOf(r, m, seen))
	}
	for _, m := range waiting.Items {
		t.Invited = append(t.Invited, memberLineOf(r, m, seen))
	}
	p.Title = r.Say("nav.team")
	return teamTemplate.Render(r, status, page.With(p, t))
}

func memberLineOf(r *page.Request, m account.Member, seen map[string]time.Time) memberLine {
	l := memberLine{Member: m, RoleName: r.Say("role." + string(m.Role)), Seen: seen[m.UserID], Self: m.UserID == r.Who.User.ID}
	look := map[account.MemberStatus][2]string{account.MemberActive: {"ok", "check"}, account.MemberInvited: {"warn", "hourglass"}, account.MemberDeactivated: {"", "void"}}[m.Status]
	l.Chip = page.Chip{Kind: look[0], Icon: look[1], Text: r.Say("team.state." + string(m.Status))}
	return l
}

// roleOptions returns the roles that the reader may assign.
func roleOptions(r *page.Request, chosen account.Role) (out []page.Option) {
	for _, role := range account.Roles() {
		if role != account.RoleOwner || r.Who.Actor.IsOwner() || chosen == role {
			out = append(out, page.Option{Value: string(role), Label: r.Say("role."+string(role)) + ": " + r.Say("role."+string(role)+".text"), Selected: role == chosen})
		}
	}
	return out
}

// maxInvites is the maximum number of invitations per form.
const maxInvites = 50

// Invite invites all valid addresses. The others stay in the form with the reasons
// why they were refused.
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
			p.Notice = r.Notice("ok", page.Mailed("team.invited", h.Mails()), "count", strconv.Itoa(done))
		}
		return h.teamAgain(r, err, p)
	}
	r.Flash("ok", page.Mailed("team.invited", h.Mails()), "count", strconv.Itoa(done))
	return r.SeeOther("/app/team")
}

func (h *Handlers) invite(r *page.Request, address string) error {
	in := account.MemberInput{Email: address, Role: account.Role(r.Form.Value("role"))}
	if a, err := mail.ParseAddress(address); err == nil {
		in.Email, in.Name = a.Email, a.Name
	}
	_, err := h.Accounts.Members.InviteMember(r.UserContext(), r.Who.Actor, in)
	return err
}

// teamAgain shows the list with the errors of its form.
func (h *Handlers) teamAgain(r *page.Request, err error, p page.Page) error {
	f := r.FailureOf(err)
	p.Values, p.Faults = r.Form, f.Faults
	return h.showTeam(r, f.Status, p)
}

// ShowList serves the list of members.
func (h *Handlers) ShowList(r *page.Request) error {
	return h.showTeam(r, http.StatusOK, page.Page{})
}
