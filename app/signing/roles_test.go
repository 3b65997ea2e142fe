package signing_test

import (
	"testing"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

// TestOperationsAreLimitedToRoles tries every operation as every kind of actor, on a
// document that belongs to the author and whose state permits it.
func TestOperationsAreLimitedToRoles(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	elsewhere := c.Company(t)
	reader := c.admin
	reader.Kind, reader.Scopes = account.ActorToken, []account.Scope{account.ScopeRead}
	signatory := c.Signatory(t, c.in(t, "sent"), "a@x.example")
	type asker struct {
		name string
		who  account.Call
	}
	askers := []asker{{"owner", c.owner}, {"admin", c.admin}, {"approver", c.approver}, {"author", c.author}, {"colleague", c.colleague},
		{"viewer", c.viewer}, {"reader", reader}, {"signatory", signatory}, {"stranger", elsewhere}}
	everyone := map[string]string{"owner": "", "admin": "", "approver": "", "author": "", "colleague": ""}
	ownerOnly := map[string]string{"owner": "", "admin": "", "approver": "owner_only", "author": "", "colleague": "owner_only"}
	approvers := map[string]string{"owner": "", "admin": "", "approver": "", "author": "role_not_allowed.approver", "colleague": "role_not_allowed.approver",
		"viewer": "role_not_allowed"}
	admins := map[string]string{"owner": "", "admin": "", "approver": "role_not_allowed.purge", "author": "role_not_allowed.purge", "colleague": "role_not_allowed.purge"}
	authors := map[string]string{"owner": "owner_only.withdraw", "admin": "owner_only.withdraw", "approver": "owner_only.withdraw", "author": "", "colleague": "owner_only.withdraw"}
	for _, o := range []struct {
		name, state string
		do          func(who account.Call, d doc) error
		want        map[string]string
	}{
		{"edit", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Drafts.Update(who, d.ID, record.DocumentInput{Title: new("X")})
			return err
		}, everyone},
		{"invite", "draft", func(who account.Call, d doc) error {
			_, _, err := c.Signing.Drafts.Invite(who, d.ID, []record.InvitationInput{person("new@x.example")})
			return err
		}, everyone},
		{"submit", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Submit(who, d.ID)
			return err
		}, everyone},
		{"send", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Send(t.Context(), who, d.ID, signing.SendInput{})
			return err
		}, everyone},
		{"archive", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Archive(who, d.ID)
			return err
		}, everyone},
		{"restore", "archived", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Restore(who, d.ID)
			return err
		}, everyone},
		{"duplicate", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Drafts.Duplicate(who, d.ID)
			return err
		}, everyone},
		{"reopen", "rejected", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Reopen(who, d.ID)
			return err
		}, everyone},
		{"withdraw", "pending_approval", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Withdraw(who, d.ID)
			return err
		}, authors},
		{"approve", "pending_approval", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Approve(who, d.ID)
			return err
		}, approvers},
		{"reject", "pending_approval", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Reject(who, d.ID, new("No"))
			return err
		}, approvers},
		{"void", "pending_approval", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Void(who, d.ID, new("No"))
			return err
		}, ownerOnly},
		{"extend", "expired", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Extend(who, d.ID, new(c.Now().AddDate(0, 0, 1)))
			return err
		}, ownerOnly},
		{"delete", "draft", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Delete(who, d.ID)
			return err
		}, ownerOnly},
		{"purge", deleted, func(who account.Call, d doc) error {
			return c.Signing.Sending.Purge(who, d.ID, d.Title)
		}, admins},
		{"remind", "sent", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Remind(who, d.ID, "")
			return err
		}, everyone},
		{"replace", "sent", func(who account.Call, d doc) error {
			_, err := c.Signing.Sending.Replace(who, d.ID, d.Invitations[0].ID, person("new@x.example"))
			return err
		}, everyone},
	} {
		var d doc
		for _, a := range askers {
			want, known := o.want[a.name]
			switch {
			case known:
			case a.name == "viewer":
				want = "role_not_allowed"
			case a.name == "reader":
				want = "scope_missing"
			case a.name == "signatory":
				want = "signatory_not_allowed"
			case a.name == "stranger":
				want = "not_found.document"
			}
			if d == nil || want == "" {
				d = c.in(t, o.state)
			}
			if got := domain.Refusal(o.do(a.who, d)); got != want {
				t.Errorf("%s as %s: got %q, want %q", o.name, a.name, got, want)
			}
			if want == "" {
				d = nil
			}
		}
	}
}

// TestNobodyApprovesTheirOwnSubmission makes an exception for a company's only member.
func TestNobodyApprovesTheirOwnSubmission(t *testing.T) {
	t.Parallel()
	s := domain.New(t, domain.Options{})
	alone := s.Company(t)
	draft := func() doc {
		d := s.Draft(t, alone, record.DocumentInput{}, domain.Signers("a@x.example")...)
		return ok[doc](t)(s.Signing.Sending.Submit(alone, d.ID))
	}
	if _, err := s.Signing.Sending.Approve(alone, draft().ID); err != nil {
		t.Error(err)
	}
	s.Member(t, alone.CompanyID, account.RoleViewer)
	d := draft()
	if _, err := s.Signing.Sending.Approve(alone, d.ID); domain.Refusal(err) != "own_submission" {
		t.Error(err)
	}
	if _, err := s.Signing.Sending.Reject(alone, d.ID, new("No")); domain.Refusal(err) != "own_submission" {
		t.Error(err)
	}
}

func TestTransferMovesOpenDocuments(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	open := map[string]doc{}
	for _, state := range states() {
		open[state] = c.in(t, state)
	}
	foreign := c.Draft(t, c.colleague, record.DocumentInput{}, domain.Signers("a@x.example")...)
	for _, x := range []struct {
		name, from, to string
		who            account.Call
		want           string
	}{
		{"by a member", c.author.UserID, c.colleague.UserID, c.colleague, "role_not_allowed"},
		{"to a stranger", c.author.UserID, c.Company(t).UserID, c.admin, "to not_a_member"},
		{"to themselves", c.author.UserID, c.author.UserID, c.admin, "to same_member"},
		{"to a viewer", c.author.UserID, c.viewer.UserID, c.admin, "to member_cannot_work"},
		{"from a stranger", c.Company(t).UserID, c.colleague.UserID, c.admin, "not_found.member"},
	} {
		if n, err := c.Signing.Sending.TransferOwnership(x.who, x.from, x.to); domain.Refusal(err) != x.want || n != 0 {
			t.Errorf("%s: %d, %v, want %q", x.name, n, err, x.want)
		}
	}
	count := len(ok[[]string](t)(c.Signing.Sending.OpenDocumentsOf(c.admin, c.author.UserID)))
	if n := ok[int](t)(c.Signing.Sending.TransferOwnership(c.admin, c.author.UserID, c.approver.UserID)); n != 8 || count != 8 {
		t.Errorf("%d documents are open, %d were transferred, want 8", count, n)
	}
	for state, d := range open {
		now := ok[doc](t)(c.Signing.Drafts.Get(c.admin, d.ID))
		want := c.approver
		if state == "completed" || state == "voided" {
			want = c.author
		}
		if now.Owner.ID != want.UserID || now.Owner.Email != want.Email || now.Owner.Name != want.Name || stateOf(now) != state {
			t.Errorf("owner of the %s document is %+v, want %s", state, now.Owner, want.Email)
		}
	}
	if now := ok[doc](t)(c.Signing.Drafts.Get(c.admin, foreign.ID)); now.Owner.ID != c.colleague.UserID {
		t.Errorf("a document of another member went to %+v", now.Owner)
	}
	if _, err := c.Signing.Sending.OpenDocumentsOf(c.author, c.author.UserID); domain.Refusal(err) != "role_not_allowed" {
		t.Error(err)
	}
}
