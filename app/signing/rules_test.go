package signing_test

import (
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/signing/record"
)

func TestOnlyActiveApproversAreAsked(t *testing.T) {
	t.Parallel()
	s := domain.New(t, domain.Options{})
	owner := s.Company(t)
	member, gone := s.Member(t, owner.CompanyID, account.RoleMember), s.Member(t, owner.CompanyID, account.RoleApprover)
	approver, stranger := s.Member(t, owner.CompanyID, account.RoleApprover), s.Company(t)
	if _, err := s.Accounts.Companies.UpdateMember(owner, gone.UserID, account.MemberPatch{Active: new(false)}); err != nil {
		t.Fatal(err)
	}
	d := s.Draft(t, owner, record.DocumentInput{})
	for _, tt := range []struct{ name, id, want string }{
		{"an approver", approver.UserID, ""}, {"an owner", owner.UserID, ""}, {"nobody", "", ""},
		{"a member", member.UserID, "approver_id not_an_approver"}, {"a former approver", gone.UserID, "approver_id not_an_approver"},
		{"a stranger", stranger.UserID, "approver_id not_selectable"},
	} {
		d, err := s.Signing.Drafts.Update(owner, d.ID, record.DocumentInput{ApproverID: &tt.id})
		if got := domain.Refusal(err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if err == nil && (d.Approver == nil) != (tt.id == "") {
			t.Errorf("%s: approver is %+v", tt.name, d.Approver)
		}
	}
}

func TestRepeatedProblemReportsAreThrottled(t *testing.T) {
	t.Parallel()
	s := domain.New(t, domain.Options{})
	owner := s.Company(t)
	d := s.Sent(t, owner, record.DocumentInput{}, domain.Signers("a@x.example", "b@x.example")...)
	a, b := s.Signatory(t, d, "a@x.example"), s.Signatory(t, d, "b@x.example")
	for _, tt := range []struct {
		name, text string
		who        account.Call
		invitation string
		want       string
	}{
		{"nothing", " ", a, a.Invitation, "message required"},
		{"for someone else", "It is blank.", a, b.Invitation, "not_found.invitation"},
		{"a problem", "It is blank.", a, a.Invitation, ""},
		{"again", "It is blank.", a, a.Invitation, "throttled"},
		{"another person's", "It is blank.", b, b.Invitation, ""},
	} {
		err := s.Signing.Signing.ReportProblem(tt.who, d.ID, tt.invitation, tt.text)
		if got := domain.Refusal(err); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	s.Advance(5 * time.Minute)
	if err := s.Signing.Signing.ReportProblem(a, d.ID, a.Invitation, "It is still blank."); err != nil {
		t.Error(err)
	}
}
