package members

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/web/page"
)

// inviteForm is the form that invites people.
type inviteForm struct {
	Roles []page.Option
}

func inviteView(r *page.Request) page.View[inviteForm] {
	return page.With(page.Page{Title: r.Say("team.invite")}, inviteForm{roleOptions(r, account.RoleMember)})
}

// AskInvite serves the form.
func (h *Handlers) AskInvite(r *page.Request) error {
	return inviteTemplate.Render(r, http.StatusOK, inviteView(r))
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
		return inviteTemplate.Again(r, err, inviteView(r))
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
		v := inviteView(r)
		if done > 0 {
			v.Notice = r.Notice("ok", page.Mailed("team.invited", h.Mails()), "count", strconv.Itoa(done))
		}
		return inviteTemplate.Again(r, err, v)
	}
	r.Flash("ok", page.Mailed("team.invited", h.Mails()), "count", strconv.Itoa(done))
	return r.SeeOther("/app/team")
}

func (h *Handlers) invite(r *page.Request, address string) error {
	in := account.MemberInput{Email: address, Role: account.Role(r.Form.Value("role"))}
	if a, err := mail.ParseAddress(address); err == nil {
		in.Email, in.Name = a.Email, a.Name
	}
	_, err := h.Accounts.Companies.InviteMember(r.UserContext(), r.Who.Call, in)
	return err
}
