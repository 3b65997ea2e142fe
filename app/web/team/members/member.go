package members

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// memberPage is one member, for administrators.
type memberPage struct {
	memberLine
	Roles     []page.Option
	Open      int           // number of open documents they own
	NewOwners []page.Option // possible new owners
	Fixed     string        // why role and state can't be changed; "" if they can
	Joined    time.Time
	Leaving   bool
}

func (h *Handlers) member(r *page.Request) (memberPage, error) {
	who := r.Who.Call
	m, err := h.Accounts.Companies.GetMember(who, r.Params("id"))
	if err != nil {
		return memberPage{}, err
	}
	all, err := h.Accounts.Companies.ListMembers(who, account.MemberQuery{Statuses: []string{"active"}, Sort: "name"})
	if err != nil {
		return memberPage{}, err
	}
	seen, err := h.Accounts.Authentication.LastSeen(who)
	if err != nil {
		return memberPage{}, err
	}
	p := memberPage{memberLine: memberLineOf(r, m, seen), Roles: roleOptions(r, m.Role)}
	open, err := h.Sending.OpenDocumentsOf(who, m.UserID)
	if err != nil {
		return memberPage{}, err
	}
	p.Open = len(open)
	owners := 0
	for _, other := range all.Items {
		if other.Status != account.MemberActive {
			continue
		}
		if other.Role == account.RoleOwner {
			owners++
		}
		if other.UserID != m.UserID && other.Role.Allows(account.ScopeWrite) {
			p.NewOwners = append(p.NewOwners, page.Option{Value: other.UserID, Label: other.Name + " (" + other.Email + ")", Selected: other.UserID == r.Who.User.ID})
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

// Show serves one member, for administrators.
func (h *Handlers) Show(r *page.Request) error {
	m, err := h.member(r)
	if err != nil {
		return err
	}
	return memberTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: m.Name}, m))
}

// memberAgain shows a member's page with the errors of a form.
func (h *Handlers) memberAgain(r *page.Request, err error) error {
	m, failed := h.member(r)
	if failed != nil {
		return failed
	}
	return memberTemplate.Again(r, err, page.With(page.Page{Title: m.Name}, m))
}

// backToMember redirects to a member's page with a notice.
func backToMember(r *page.Request, key string, pairs ...string) error {
	r.Flash("ok", key, pairs...)
	return r.SeeOther("/app/team/" + r.Params("id"))
}

// ChangeRole changes a member's role.
func (h *Handlers) ChangeRole(r *page.Request) error {
	role := account.Role(r.Form.Value("role"))
	m, err := h.Accounts.Companies.UpdateMember(r.Who.Call, r.Params("id"), account.MemberPatch{Role: &role})
	if err != nil {
		return h.memberAgain(r, err)
	}
	return backToMember(r, "member.role.saved", "name", m.Name, "role", r.Say("role."+string(m.Role)))
}

// Deactivate revokes a member's access at once, and then hands over their open
// documents if requested. If that fails, it can be repeated on its own. Its notice offers to
// undo both.
func (h *Handlers) Deactivate(r *page.Request) error {
	who, id := r.Who.Call, strings.Clone(r.Params("id"))
	whole, err := h.restorable(r, id)
	if err != nil {
		return err
	}
	m, err := h.Accounts.Companies.UpdateMember(who, id, account.MemberPatch{Active: new(false)})
	if err != nil {
		return h.memberAgain(r, err)
	}
	notice := page.Notice{Kind: "ok", Key: "member.off", Pairs: []string{"name", m.Name}}
	if newOwner := r.Form.Value("to"); newOwner != "" {
		open, err := h.Sending.OpenDocumentsOf(who, id)
		if err != nil {
			return err
		}
		n, err := h.Sending.TransferOwnership(who, id, newOwner)
		if err != nil {
			return h.memberAgain(r, err)
		}
		if n > 0 {
			notice.Key, notice.Pairs = "member.off.given", append(notice.Pairs, "count", strconv.Itoa(n))
			notice.Values, notice.IDs = map[string]string{"from": newOwner}, open
		}
	}
	if whole && len(notice.IDs) <= page.MaxUndo {
		notice.Undo = "/app/team/" + id + "/activate"
	}
	r.FlashNotice(notice)
	return r.SeeOther("/app/team/" + id)
}

// restorable reports whether activating a member again restores all that deactivating them takes
// away, which tokens are not.
func (h *Handlers) restorable(r *page.Request, id string) (bool, error) {
	all, err := h.Accounts.Profile.ListTokens(r.Who.Call, account.TokenQuery{})
	return !slices.ContainsFunc(all.Items, func(t account.Token) bool { return t.UserID == id }), err
}

// Activate reactivates a member. Undoing their deactivation also returns the documents that were
// handed over.
func (h *Handlers) Activate(r *page.Request) error {
	m, err := h.Accounts.Companies.UpdateMember(r.Who.Call, r.Params("id"), account.MemberPatch{Active: new(true)})
	if err != nil {
		return h.memberAgain(r, err)
	}
	if ids := r.Form.Values["id"]; len(ids) > 0 {
		if _, err := h.Sending.TransferOwnership(r.Who.Call, r.Form.Value("from"), m.UserID, ids...); err != nil {
			return h.memberAgain(r, err)
		}
	}
	return backToMember(r, "member.on", "name", m.Name)
}

// TransferOwnership hands over a member's open documents to another member.
func (h *Handlers) TransferOwnership(r *page.Request) error {
	n, err := h.Sending.TransferOwnership(r.Who.Call, r.Params("id"), r.Form.Value("to"))
	if err != nil {
		return h.memberAgain(r, err)
	}
	return backToMember(r, "member.given", "count", strconv.Itoa(n))
}

// ResendInvite sends an invitation again.
func (h *Handlers) ResendInvite(r *page.Request) error {
	m, err := h.Accounts.Companies.GetMember(r.Who.Call, r.Params("id"))
	if err != nil {
		return err
	}
	in := account.MemberInput{Email: m.Email, Role: m.Role}
	if _, err := h.Accounts.Companies.InviteMember(r.UserContext(), r.Who.Call, in); err != nil {
		return err
	}
	r.Flash("ok", page.Mailed("team.resent", h.Mails()), "email", m.Email)
	return r.SeeOther("/app/team")
}

// AskRemove asks for confirmation, in a dialog if scripts run.
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
	p := page.Page{Title: r.Say("member.remove.title", "name", m.Name)}
	return page.ConfirmTemplate.Render(r, http.StatusOK, page.With(p, c))
}

// Remove removes a member or revokes an invitation.
func (h *Handlers) Remove(r *page.Request) error {
	m, err := h.Accounts.Companies.GetMember(r.Who.Call, r.Params("id"))
	if err == nil {
		err = h.Accounts.Companies.RemoveMember(r.Who.Call, m.UserID)
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

// RevealInvite shows the link of an invitation that couldn't be sent by e-mail.
func (h *Handlers) RevealInvite(r *page.Request) error {
	m, err := h.Notify.RevealInvite(r.Who.Call, r.Params("id"))
	if fault.KindOf(err) == fault.KindNotFound {
		r.Flash("warn", "team.nolink")
		return r.SeeOther("/app/team")
	}
	if err != nil {
		return err
	}
	return r.ShowSecrets(r.Say("handed.join", "name", m.ToName), m.ToName, m.Links, "/app/team")
}
