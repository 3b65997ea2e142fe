package members

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/web/page"
)

// teamList is the page that lists members.
type teamList struct {
	MayManage bool
	Mails     bool // messages go out by e-mail
	Search    string
	Members   []memberLine
	Invited   []memberLine
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

// ShowList serves the list of members.
func (h *Handlers) ShowList(r *page.Request) error {
	number, size := r.PageOf()
	sort := cmp.Or(r.Query("sort"), "name|asc")
	by, direction, _ := strings.Cut(sort, "|")
	q := account.MemberQuery{
		Search:     r.Query("search"),
		Sort:       account.MemberSort(by),
		Descending: direction == "desc",
		Statuses:   []string{"active", "deactivated"},
	}
	list, err := h.Accounts.Companies.ListMembers(r.Who.Call, q)
	if err != nil {
		return err
	}
	// Those who haven't joined yet are listed below, with what can be done about it.
	joined := slices.DeleteFunc(list.Items, func(m account.Member) bool { return m.Status == account.MemberInvited })
	total := len(joined)
	joined = joined[min((number-1)*size, total):min(number*size, total)]
	t := teamList{
		MayManage: r.Who.Call.IsAdmin(),
		Mails:     h.Mails(),
		Search:    q.Search,
		Pager:     r.Pager(number, size, total),
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
		if seen, err = h.Accounts.Authentication.LastSeen(r.Who.Call); err != nil {
			return err
		}
		t.Columns = append(t.Columns, page.Column{Text: r.Say("team.seen")})
	}
	invited := account.MemberQuery{Search: q.Search, Statuses: []string{"invited"}, Descending: true}
	waiting, err := h.Accounts.Companies.ListMembers(r.Who.Call, invited)
	if err != nil {
		return err
	}
	for _, m := range joined {
		t.Members = append(t.Members, memberLineOf(r, m, seen))
	}
	for _, m := range waiting.Items {
		t.Invited = append(t.Invited, memberLineOf(r, m, seen))
	}
	return teamTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("nav.team")}, t))
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
		if role != account.RoleOwner || r.Who.Call.IsOwner() || chosen == role {
			out = append(out, page.Option{Value: string(role), Label: r.Say("role."+string(role)) + ": " + r.Say("role."+string(role)+".text"), Selected: role == chosen})
		}
	}
	return out
}
