package notify_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

// returned is a delivery report about a message to an address ("" leaves it out).
func returned(id, address, diagnostic string) string {
	if address != "" {
		address = "Final-Recipient: rfc822; " + address + "\r\n"
	}
	if diagnostic != "" {
		diagnostic = "Diagnostic-Code: smtp; " + diagnostic + "\r\n"
	}
	return "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b1\r\n\r\n" +
		"--b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n" +
		address + "Action: failed\r\nStatus: 5.2.2\r\n" + diagnostic + "\r\n" +
		"--b1\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <" + id + "@paraph.example>\r\n\r\nText\r\n--b1--\r\n"
}

// events counts the events of a type about a document.
func (s situation) events(t *testing.T, document string, kind record.EventType) (n int) {
	t.Helper()
	all, _, err := s.Signing.Trail.Events(s.owner, document, trail.EventsQuery{Page: 1, PerPage: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Value.Type == kind {
			n++
		}
	}
	return n
}

func TestAReturnedMessageIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	stranger := s.Company(t)
	if got := must[notify.Message](t)(s.Notify.Bounce(s.owner, strings.NewReader(returned(m.ID, "a@x.example", "")))); got.Status != notify.Queued {
		t.Errorf("a message that was not sent is %s", got.Status)
	}
	work(t, s)
	for _, tt := range []struct {
		name   string
		who    account.Call
		report string
		want   string
	}{
		{"not a report", s.owner, "Subject: hello\r\n\r\nhello", "not_a_delivery_report"},
		{"of another company", stranger, returned(m.ID, "a@x.example", ""), "not_found"},
		{"by somebody else", s.approver, returned(m.ID, "a@x.example", ""), "role_not_allowed"},
		{"about no message", s.owner, returned("01KJPWD6M0ZZZZZZZZZZZZZZZZ", "a@x.example", ""), "not_found"},
	} {
		_, err := s.Notify.Bounce(tt.who, strings.NewReader(tt.report))
		if got := domain.Refusal(err); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := s.message(t, m.ID); got.Status != notify.Sent || s.events(t, m.Document, record.EventInvitationBounced) != 0 {
		t.Fatalf("%+v", got)
	}
	for range 2 {
		got := must[notify.Message](t)(s.Notify.Bounce(s.admin, strings.NewReader(returned(strings.ToLower(m.ID), "A@x.example", "552 full"))))
		if got.Status != notify.Bounced || got.LastError != "552 full" {
			t.Errorf("%+v", got)
		}
	}
	d := must[*record.Document](t)(s.Signing.Drafts.Get(s.owner, m.Document))
	if d.Attention.Kind != "mail_failed" || d.Attention.Invitation != m.Invitation || s.events(t, m.Document, record.EventInvitationBounced) != 1 {
		t.Errorf("the document has %+v and %d events", d.Attention, s.events(t, m.Document, record.EventInvitationBounced))
	}
}

func TestAReportWithoutReasonHasItsStatus(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	work(t, s)
	got := must[notify.Message](t)(s.Notify.Bounce(s.owner, strings.NewReader(returned(m.ID, "", ""))))
	if got.Status != notify.Bounced || got.LastError != "5.2.2" {
		t.Errorf("%+v", got)
	}
}

func TestReturnedMessagesToMembersAreNoEvidence(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	work(t, s)
	d := must[*record.Document](t)(s.Signing.Drafts.Get(s.owner, m.Document))
	s.Sign(t, d, "a@x.example")
	work(t, s)
	for _, other := range s.Messages(t, s.owner.CompanyID) {
		if other.ID == m.ID || other.Status != notify.Sent {
			continue
		}
		must[notify.Message](t)(s.Notify.Bounce(s.owner, strings.NewReader(returned(other.ID, other.To, ""))))
		if n := s.events(t, m.Document, record.EventInvitationBounced); n != 0 {
			t.Errorf("the return of %s to %s is evidence", other.Kind, other.To)
		}
	}
}

func TestLinksAreShownToThoseWhoMaySendAndThatIsRecorded(t *testing.T) {
	t.Parallel()
	s, m := queued(t, domain.New(t, domain.Options{}))
	viewer := s.Member(t, s.owner.CompanyID, account.RoleViewer)
	for _, who := range []account.Actor{s.approver.Actor, viewer.Actor} {
		if _, err := s.Notify.Reveal(account.Call{Actor: who}, m.ID); fault.KindOf(err) != fault.KindForbidden {
			t.Errorf("%s: got %v", who.Role, err)
		}
	}
	if _, err := s.Notify.Reveal(s.Company(t), m.ID); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("another company: got %v", err)
	}
	got := must[notify.Message](t)(s.Notify.Reveal(s.admin, m.ID))
	if !strings.Contains(got.Text, "/s/") || len(got.Shown) != 1 || got.Shown[0].Email != s.admin.Email || !got.Shown[0].At.Equal(s.Now()) {
		t.Errorf("got %+v", got.Shown)
	}
	if again := must[notify.Message](t)(s.Notify.Reveal(s.owner, m.ID)); len(again.Shown) != 2 {
		t.Errorf("shown %d times", len(again.Shown))
	}
	if n := s.events(t, m.Document, record.EventInvitationLinkShown); n != 2 {
		t.Errorf("%d of two showings are recorded", n)
	}
	covered := got.Covered()
	if !covered.Revealable() || got.Private() || covered.Links != nil || strings.Contains(covered.Text, strings.TrimPrefix(m.Links[0], domain.BaseURL)) {
		t.Errorf("what is covered is %+v", covered)
	}
}

func TestInvitesOfMembersAreShownUntilTheyAreUsed(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	s.owner.TokenID, s.owner.ProvenAt = "", s.Now()
	in := account.MemberInput{Email: "new@x.example", Name: "Nell", Role: account.RoleMember}
	member := must[account.Member](t)(s.Accounts.Companies.InviteMember(t.Context(), s.owner, in))
	if _, err := s.Notify.RevealInvite(s.approver, member.ID); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("somebody else: got %v", err)
	}
	first := must[notify.Message](t)(s.Notify.RevealInvite(s.owner, member.ID))
	if first.Kind != string(account.MailInvite) || !first.Private() || len(first.Shown) != 1 || first.Link == "" {
		t.Errorf("got %+v", first)
	}
	must[account.Member](t)(s.Accounts.Companies.InviteMember(t.Context(), s.owner, in))
	second := must[notify.Message](t)(s.Notify.RevealInvite(s.owner, member.ID))
	if second.ID == first.ID || len(second.Shown) != 1 {
		t.Errorf("the invite that was replaced is shown: %+v", second)
	}
	if _, err := s.Notify.Reveal(s.owner, first.ID); fault.KindOf(err) == fault.KindInternal {
		t.Errorf("a replaced invite: got %v", err)
	}
	if _, err := s.Notify.RevealInvite(s.owner, s.admin.UserID); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a member who has joined: got %v", err)
	}
}
