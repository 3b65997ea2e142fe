package page

import (
	"net/http"

	"paraph/app/account"
)

// forbiddenPage names the people who can do what the reader's role doesn't allow.
type forbiddenPage struct {
	Text   string
	People []account.Member
}

// Forbid responds with 403 and says what the page is for and who can help.
func (r *Request) Forbid(text string) error {
	people, err := r.Administrators()
	if err != nil {
		return err
	}
	p := Page{Title: r.Say("error.403.title")}
	return forbiddenTemplate.Render(r, http.StatusForbidden, With(p, forbiddenPage{text, people}))
}

// Administrators returns the company's active administrators.
func (r *Request) Administrators() ([]account.Member, error) {
	list, err := r.site.Accounts.Companies.ListMembers(r.Who.Call, account.MemberQuery{Sort: "role"})
	var out []account.Member
	for _, m := range list.Items {
		if m.Status == account.MemberActive && m.Role.Allows(account.ScopeAdmin) {
			out = append(out, m)
		}
	}
	return out, err
}

// ConfirmTemplate asks before an act.
const ConfirmTemplate Template[Confirmation] = "confirm"

const forbiddenTemplate Template[forbiddenPage] = "forbidden"

// Confirmation is the page "confirm", which asks before doing something that can't
// be undone.
type Confirmation struct{ Text, Action, Do, Back string }
