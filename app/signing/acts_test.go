package signing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

// invited returns the newest invitation for an address.
func invited(d doc, email string) *record.Invitation {
	for i := range slices.Backward(d.Invitations) {
		if d.Invitations[i].Email == email {
			return &d.Invitations[i]
		}
	}
	return nil
}

// sequence parses people such as "a", "b:2" (at position 2), "viewer:c:1".
func sequence(spec string) (all []domain.Person) {
	for word := range strings.FieldsSeq(spec) {
		p := domain.Person{}
		for part := range strings.SplitSeq(word, ":") {
			switch {
			case part == record.Viewer || part == record.Approver:
				p.Role = part
			case part[0] >= '0' && part[0] <= '9':
				p.Position = int(part[0] - '0')
			default:
				p.Email = part + "@x.example"
			}
		}
		all = append(all, p)
	}
	return all
}

// TestInvitedPeopleActOnlyInTheirTurn checks who may sign, decline and delegate in each
// situation, and that they are offered exactly those actions.
func TestInvitedPeopleActOnlyInTheirTurn(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	decline := func(d doc, who string) doc {
		return ok[doc](t)(c.Signing.Signing.Decline(c.author, d.ID, invited(d, who+"@x.example").ID, signing.DeclineInput{}))
	}
	delegate := func(d doc, who, to string) doc {
		return ok[doc](t)(c.Signing.Sending.Delegate(c.author, d.ID, invited(d, who+"@x.example").ID, person(to+"@x.example"), nil))
	}
	sign := func(d doc, who string) doc { return c.Sign(t, d, who+"@x.example") }
	none := func(d doc) doc { return d }
	for _, x := range []struct {
		name   string
		in     record.DocumentInput
		people string
		before func(d doc) doc
		who    string
		want   string // expected refusal of signing, declining and delegating, or one for each
	}{
		{"in any order", record.DocumentInput{}, "a:1 b:2", none, "b", ""},
		{"first in order", inOrder(), "a:1 b:2", none, "a", ""},
		{"second in order", inOrder(), "a:1 b:2", none, "b", "not_your_turn"},
		{"second once the first has signed", inOrder(), "a:1 b:2 c:3", func(d doc) doc { return sign(d, "a") }, "b", ""},
		{"third once the first has signed", inOrder(), "a:1 b:2 c:3", func(d doc) doc { return sign(d, "a") }, "c", "not_your_turn"},
		{"same position", inOrder(), "a:1 b:1", none, "b", ""},
		{"behind an approver", inOrder(), "approver:a:1 b:2", none, "b", "not_your_turn"},
		{"behind a viewer", inOrder(), "viewer:a:1 b:2", none, "b", ""},
		{"behind someone who delegated", inOrder(), "a:1 b:2", func(d doc) doc { return delegate(d, "a", "new") }, "b", "not_your_turn"},
		{"taking over in order", inOrder(), "a:1 b:2", func(d doc) doc { return delegate(d, "a", "new") }, "new", ""},
		{"an approver", record.DocumentInput{}, "approver:a b", none, "a", ""},
		{"a viewer", record.DocumentInput{}, "viewer:a b", none, "a", "viewer_does_not_sign"},
		{"signed", record.DocumentInput{}, "a b", func(d doc) doc { return sign(d, "a") }, "a", "already_signed"},
		{"declined", record.DocumentInput{}, "a b", func(d doc) doc { return decline(d, "a") }, "a", "invitation_declined"},
		{"delegated", record.DocumentInput{}, "a b", func(d doc) doc { return delegate(d, "a", "new") }, "a", "invitation_delegated.replaced"},
		{"another declined", record.DocumentInput{}, "a b", func(d doc) doc { return decline(d, "a") }, "b", "document_declined"},
		{"another delegated", record.DocumentInput{}, "a b", func(d doc) doc { return delegate(d, "a", "new") }, "b", ""},
		{"declining not allowed", record.DocumentInput{AllowDecline: new(false)}, "a b", none, "a", " decline_not_allowed "},
		{"delegating not allowed", record.DocumentInput{AllowDelegation: new(false)}, "a b", none, "a", "  delegation_not_allowed"},
		{"reason required to decline", record.DocumentInput{DeclineReason: new(true)}, "a b", none, "a", " reason_required "},
		{"shortly before the deadline", record.DocumentInput{ExpiresAt: new(c.Now().Add(time.Hour))}, "a b", func(d doc) doc {
			c.Advance(time.Hour - time.Millisecond)
			return d
		}, "a", ""},
		{"at the deadline", record.DocumentInput{ExpiresAt: new(c.Now().Add(2 * time.Hour))}, "a b", func(d doc) doc {
			c.Advance(time.Hour + time.Millisecond)
			return d
		}, "a", "document_expired"},
	} {
		d := x.before(c.Sent(t, c.author, x.in, sequence(x.people)...))
		want := strings.SplitN(x.want+" "+x.want+" "+x.want, " ", 3)
		if strings.Contains(x.want, " ") {
			want = strings.Split(x.want, " ")
		}
		c.tries(t, x.name, d, x.who+"@x.example", want)
	}
}

func inOrder() record.DocumentInput {
	return record.DocumentInput{SigningOrder: new(record.Sequential)}
}

// tries attempts to sign, decline and delegate, beginning with what should be refused.
func (c company) tries(t *testing.T, name string, d doc, email string, want []string) {
	t.Helper()
	ctx, id := t.Context(), invited(d, email).ID
	signatory := account.Actor{Kind: account.ActorSignatory, CompanyID: d.Company, Document: d.ID, Invitation: id}
	offered := ok[[]record.Action](t)(c.Signing.Drafts.Actions(account.Call{Actor: signatory}, d))
	acts := []struct {
		action record.Action
		do     func() error
	}{
		{record.ActionSign, func() error {
			_, err := c.Signing.Signing.Sign(ctx, c.author, d.ID, id, signing.SignInput{Signature: &mark.Mark{Type: "typed", Text: "A"}})
			return err
		}},
		{record.ActionDecline, func() error {
			_, err := c.Signing.Signing.Decline(c.author, d.ID, id, signing.DeclineInput{Reason: new("  ")})
			return err
		}},
		{record.ActionDelegate, func() error {
			_, err := c.Signing.Sending.Delegate(c.author, d.ID, id, person("other@x.example"), nil)
			return err
		}},
	}
	done := false
	for _, possible := range []bool{false, true} {
		for i, act := range acts {
			if done || (want[i] == "") != possible {
				continue
			}
			if got := strings.ReplaceAll(domain.Refusal(act.do()), " ", "_"); got != want[i] {
				t.Errorf("%s: %s: got %q, want %q", name, act.action, got, want[i])
			}
			if offer := slices.Contains(offered, act.action); offer != (want[i] == "" || want[i] == "reason_required") {
				t.Errorf("%s: %s offered: %v", name, act.action, offer)
			}
			done = possible
		}
	}
}

func TestDecliningStopsOrVoidsTheDocument(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for _, x := range []struct {
		then   account.OnDecline
		status record.Status
		kind   record.AttentionKind
		reason record.Reason
	}{
		{account.OnDeclineNotify, record.Sent, record.AttentionDeclined, record.Reason{}},
		{account.OnDeclineVoid, record.Voided, "", record.Reason{Code: record.ReasonDeclined, Name: "Name of a@x.example"}},
	} {
		ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{OnDecline: &x.then}))
		d := c.Sent(t, c.author, record.DocumentInput{}, domain.Signers("a@x.example", "b@x.example")...)
		who := c.Signatory(t, d, "a@x.example")
		d = ok[doc](t)(c.Signing.Signing.Decline(who, d.ID, who.Invitation, signing.DeclineInput{Reason: new(" Not\nnow ")}))
		inv := invited(d, "a@x.example")
		if d.Status != x.status || d.Attention.Kind != x.kind || d.WhyVoided() != x.reason || inv.Status != record.Declined || inv.DeclinedReason != "Not\nnow" || !inv.DeclinedAt.Equal(c.Now()) {
			t.Errorf("%s: %s, %+v, %+v, %+v", x.then, d.Status, d.Attention, d.WhyVoided(), inv)
		}
		if x.kind != "" && (d.Attention.Invitation != inv.ID || d.Attention.Code != "declined") {
			t.Errorf("%+v", d.Attention)
		}
	}
	d := c.Sent(t, c.author, record.DocumentInput{DeclineReason: new(true)}, domain.Signers("a@x.example")...)
	who := c.Signatory(t, d, "a@x.example")
	if _, err := c.Signing.Signing.Decline(who, d.ID, who.Invitation, signing.DeclineInput{Reason: new(strings.Repeat("x", 2001))}); domain.Refusal(err) != "reason too_long" {
		t.Error(err)
	}
	if _, err := c.Signing.Signing.Decline(who, d.ID, who.Invitation, signing.DeclineInput{Reason: new("Why not")}); err != nil {
		t.Error(err)
	}
}

func TestDelegateTakesOverTheInvitation(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	d := c.Draft(t, c.author, record.DocumentInput{}, domain.Person{Email: "a@x.example", Message: "To you", Position: 3, Role: record.Approver}, domain.Person{Email: "b@x.example"})
	d = ok[doc](t)(c.Signing.Drafts.AddFields(ctx, c.author, d.ID, []record.FieldInput{box("signature", "a@x.example"), box("text", "b@x.example", lower)}))
	d = ok[doc](t)(c.Signing.Sending.Send(ctx, c.author, d.ID, signing.SendInput{}))
	first := invited(d, "a@x.example")
	who := c.Signatory(t, d, "a@x.example")
	for _, x := range []struct {
		in   record.InvitationInput
		want string
	}{
		{record.InvitationInput{}, "email required, name required"},
		{person("nonsense"), "email not_an_email"},
		{person("B@x.example"), "email already_invited"},
		{person("a@x.example"), "email already_invited"},
	} {
		if _, err := c.Signing.Sending.Delegate(who, d.ID, first.ID, x.in, nil); domain.Refusal(err) != x.want {
			t.Errorf("%+v: got %q, want %q", x.in, domain.Refusal(err), x.want)
		}
	}
	in := person("new@x.example")
	in.Role, in.Position = new(record.Viewer), new(1)
	now := ok[doc](t)(c.Signing.Sending.Delegate(who, d.ID, first.ID, in, new("On leave")))
	old, next := now.Invitation(first.ID), invited(now, "new@x.example")
	if old.Status != record.Delegated || old.DelegatedTo != next.ID || old.LinkGeneration != 1 {
		t.Errorf("delegated invitation is %+v", old)
	}
	if next.Status != record.Notified || next.Name != "Person" || next.Role != record.Approver || next.Position != 3 || next.Message != "" || !slices.Equal(next.SignatureFields, first.SignatureFields) || len(next.SignatureFields) != 1 {
		t.Errorf("new invitation is %+v", next)
	}
	if now.Fields[0].Invitation != next.ID || now.Fields[1].Invitation != invited(d, "b@x.example").ID {
		t.Errorf("fields belong to %s and %s", now.Fields[0].Invitation, now.Fields[1].Invitation)
	}
	if _, err := c.Signing.Sending.Signatory(c.Signing.Sending.LinkToken(first)); domain.Refusal(err) != "unauthenticated" {
		t.Errorf("the old link still works: %v", err)
	}
	// Someone who delegated can be invited again.
	if _, err := c.Signing.Sending.Delegate(c.author, d.ID, next.ID, person("a@x.example"), nil); err != nil {
		t.Error(err)
	}
}

func TestReplacingSomeoneWhoDeclined(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, record.DocumentInput{}, domain.Signers("a@x.example", "b@x.example")...)
	a := invited(d, "a@x.example")
	ok[doc](t)(c.Signing.Signing.Decline(c.author, d.ID, a.ID, signing.DeclineInput{}))
	d = ok[doc](t)(c.Signing.Sending.Replace(c.author, d.ID, a.ID, person("new@x.example")))
	if d.Attention.Kind != "" {
		t.Errorf("attention was not cleared: %+v", d.Attention)
	}
	if _, err := c.Signing.Sending.Replace(c.author, d.ID, a.ID, person("other@x.example")); domain.Refusal(err) != "invitation_delegated.replaced" {
		t.Error(err)
	}
	d = c.Sign(t, d, "b@x.example")
	if _, err := c.Signing.Sending.Replace(c.author, d.ID, invited(d, "b@x.example").ID, person("other@x.example")); domain.Refusal(err) != "already_signed" {
		t.Error(err)
	}
	if d = c.Sign(t, d, "new@x.example"); d.Status != record.Completed {
		t.Errorf("status is %s, want completed", d.Status)
	}
}

func TestFailedMailNeedsAttention(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, record.DocumentInput{}, domain.Signers("a@x.example", "b@x.example")...)
	attention := func() record.Attention { return ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID)).Attention }
	fails := func(address string) {
		t.Helper()
		if err := c.Signing.Sending.MailFailed(account.System(d.Company), d.ID, address); err != nil {
			t.Error(err)
		}
	}
	arrives := func(address string) {
		t.Helper()
		if err := c.Signing.Sending.MailDelivered(d.Company, d.ID, address); err != nil {
			t.Error(err)
		}
	}
	if fails(d.Owner.Email); attention().Kind != "" {
		t.Errorf("a failed mail to the owner raised %+v", attention())
	}
	if fails("a@x.example"); attention().Kind != record.AttentionMailFailed || attention().Invitation != invited(d, "a@x.example").ID {
		t.Errorf("%+v", attention())
	}
	if fails("b@x.example"); attention().Invitation != invited(d, "a@x.example").ID {
		t.Errorf("the second replaced the first: %+v", attention())
	}
	if arrives("b@x.example"); attention().Kind == "" {
		t.Error("mail delivered to someone else cleared the attention")
	}
	if arrives("a@x.example"); attention().Kind != "" {
		t.Errorf("%+v", attention())
	}
	if got := c.events(t, d); !slices.Equal(got[len(got)-2:], []string{"document.mail_failed", "document.mail_delivered"}) {
		t.Errorf("recorded %q", got)
	}
	if err := c.Signing.Sending.MailFailed(account.System(d.Company), "none", "a@x.example"); err != nil {
		t.Error(err)
	}
	done := c.in(t, "completed")
	if err := c.Signing.Sending.MailFailed(account.System(done.Company), done.ID, "a@x.example"); err != nil || ok[doc](t)(c.Signing.Drafts.Get(c.author, done.ID)).Attention.Kind != "" {
		t.Error(err)
	}
}
