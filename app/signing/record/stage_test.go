package record_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/signing/record"
)

func TestLinksOpenAtTheirStage(t *testing.T) {
	t.Parallel()
	me := record.Invitation{ID: "me", Role: record.Signer, Status: record.Notified, Position: 2}
	as := func(role, status string) record.Invitation {
		inv := me
		inv.Role, inv.Status = role, status
		return inv
	}
	other := func(status string) record.Invitation {
		return record.Invitation{ID: "other", Role: record.Signer, Status: status, Position: 1}
	}
	for _, tt := range []struct {
		want       record.Stage
		d          record.Document
		me, other  record.Invitation
		identified bool
	}{
		{record.StageVoided, record.Document{Status: record.Voided, ExpiresAt: in(-1)}, me, other(record.Notified),
			false},
		{record.StageVoided, record.Document{Status: record.Voided}, as(record.Signer, record.Declined), other(record.Notified), false},
		{record.StageDeclined, record.Document{Status: record.Voided}, as(record.Signer, record.Declined), other(record.Notified), true},
		{record.StageExpired, record.Document{Status: record.Expired}, me, other(record.Notified), false},
		{record.StageExpired, record.Document{Status: record.Sent, ExpiresAt: in(0)}, me, other(record.Notified),
			false},
		{record.StageIdentify, record.Document{Status: record.Completed, ExpiresAt: in(0)}, me, other(record.Signed),
			false},
		{record.StageIdentify, record.Document{Status: record.Sent, ExpiresAt: in(1)}, me, other(record.Signed), false},
		{record.StageCompleted, record.Document{Status: record.Completed}, as(record.Signer, record.Signed),
			other(record.Signed), true},
		{record.StageSealing, record.Document{Status: record.Sent, ExpiresAt: in(-1),
			Attention: record.Attention{Kind: record.AttentionSealing}},
			as(record.Signer, record.Signed), other(record.Signed), true},
		{record.StageSealingFailed, record.Document{Status: record.Sent,
			Attention: record.Attention{Kind: record.AttentionSealingFailed}},
			as(record.Signer, record.Signed), other(record.Signed), true},
		{record.StageSigned, record.Document{Status: record.Sent}, as(record.Signer, record.Signed),
			other(record.Declined), true},
		{record.StageDeclined, record.Document{Status: record.Sent}, as(record.Signer, record.Declined),
			other(record.Signed), true},
		{record.StageStopped, record.Document{Status: record.Sent}, as(record.Viewer, record.Notified),
			other(record.Declined), true},
		{record.StageReading, record.Document{Status: record.Sent, SigningOrder: record.Sequential},
			as(record.Viewer, record.Notified), other(record.Notified), true},
		{record.StageWaiting, record.Document{Status: record.Sent, SigningOrder: record.Sequential}, me,
			other(record.Notified), true},
		{record.StageSign, record.Document{Status: record.Sent, SigningOrder: record.Sequential}, me,
			other(record.Signed), true},
	} {
		tt.d.Invitations = []record.Invitation{tt.other, tt.me}
		if got := tt.d.Stage(&tt.d.Invitations[1], tt.identified, now); got != tt.want {
			t.Errorf("got %q, want %q for %+v", got, tt.want, tt.d)
		}
	}
}

func TestClosedDocumentsAreHiddenUnlessTheCompanyKeepsThem(t *testing.T) {
	t.Parallel()
	declined := []record.Invitation{{Status: record.Declined}}
	for _, tt := range []struct {
		d    record.Document
		want bool
	}{
		{record.Document{Status: record.Voided}, true}, {record.Document{Status: record.Expired}, true},
		{record.Document{Status: record.Sent}, false},
		{record.Document{Status: record.Sent, Invitations: declined}, true},
		{record.Document{Status: record.Completed, Invitations: declined}, false},
		{record.Document{Status: record.Sent, ExpiresAt: in(-1)}, true},
	} {
		if got := tt.d.Hidden(account.Company{}, now); got != tt.want {
			t.Errorf("%+v hidden: %v", tt.d, got)
		}
		if tt.d.Hidden(account.Company{ClosedDocumentsReadable: true}, now) {
			t.Errorf("%+v is hidden although the company keeps it readable", tt.d)
		}
	}
}

func TestANoticeHasNoContent(t *testing.T) {
	t.Parallel()
	envelope := record.Document{ID: "1", Company: "c", Title: "Lease", Status: record.Voided, Locale: "de", Owner: record.Person{ID: "o"}, ExpiresAt: in(1),
		NoDecline: true, NoDelegation: true, DeclineReason: true}
	inv := record.Invitation{ID: "me", Name: "Ann", Message: "Please."}
	notice := envelope
	notice.CreatedAt, notice.UpdatedAt, notice.SentAt, notice.Version = *in(2), *in(3), in(4), 5
	notice.ExpiredAt, notice.VoidedAt, notice.VoidedReason = in(6), in(7), "wrong"
	full := notice
	full.Message, full.Files, full.Fields = "Hello", []record.File{{ID: "f"}}, []record.Field{{Value: "secret"}}
	full.Invitations = []record.Invitation{inv, {ID: "other"}}
	notice.Invitations = []record.Invitation{{ID: "me", Name: "Ann"}}
	if got := full.Envelope(); !reflect.DeepEqual(*got, envelope) {
		t.Errorf("got the envelope %+v", got)
	}
	if got := full.Notice(&full.Invitations[0]); !reflect.DeepEqual(*got, notice) || full.Invitations[0].Message != "Please." {
		t.Errorf("got %+v, want %+v", got, notice)
	}
}

func TestConsentIsToTheCurrentText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		agreed *record.Agreement
		want   bool
	}{{nil, false}, {&record.Agreement{Version: account.ConsentName("old")}, false}, {&record.Agreement{Version: account.ConsentName("new")}, true}} {
		if got := (&record.Invitation{Agreed: tt.agreed}).AgreedTo("new"); got != tt.want {
			t.Errorf("%+v: got %v", tt.agreed, got)
		}
	}
}

// parade returns a document with people in every state, at positions 1, 1, 2, 2, 3, 4.
func parade() *record.Document {
	return &record.Document{Status: record.Sent, SigningOrder: record.Sequential, Invitations: []record.Invitation{
		{ID: "1", Name: "late", Role: record.Approver, Status: record.Pending, Position: 3},
		{ID: "2", Name: "done", Role: record.Signer, Status: record.Signed, Position: 1},
		{ID: "3", Name: "first", Role: record.Signer, Status: record.Viewed, Position: 1},
		{ID: "4", Name: "reader", Role: record.Viewer, Status: record.Notified, Position: 1},
		{ID: "5", Name: "gone", Role: record.Signer, Status: record.Delegated, Position: 2},
		{ID: "6", Name: "second", Role: record.Signer, Status: record.Pending, Position: 2},
	}}
}

func TestPeopleActInTheirOrder(t *testing.T) {
	t.Parallel()
	d := parade()
	var order []string
	for _, inv := range d.InOrder() {
		order = append(order, inv.Name)
	}
	if want := []string{"done", "first", "second", "late"}; !slices.Equal(order, want) {
		t.Errorf("got %v, want %v", order, want)
	}
	if got, want := d.Before(d.Invitation("1")), []string{"first", "second"}; !slices.Equal(got, want) {
		t.Errorf("before the last: got %v, want %v", got, want)
	}
	if got := d.Before(d.Invitation("3")); len(got) > 0 {
		t.Errorf("before the first: got %v", got)
	}
	if got := d.WaitingFor(); !slices.Equal(got, []string{"first"}) {
		t.Errorf("it waits for %v", got)
	}
	if d.SigningOrder = record.Parallel; !slices.Equal(d.WaitingFor(), []string{"late", "first", "second"}) {
		t.Errorf("in any order, it waits for %v", d.WaitingFor())
	}
	if p := d.Progress(); p.Signed != 1 || p.Total != 4 {
		t.Errorf("%d of %d have signed", p.Signed, p.Total)
	}
	if d.Declined() != nil || d.Invitation("7") != nil {
		t.Errorf("found %v and %v", d.Declined(), d.Invitation("7"))
	}
	d.Invitations[2].Status = record.Declined
	if d.Declined() != &d.Invitations[2] || d.WaitingFor() != nil {
		t.Errorf("declined: found %v, and it waits for %v", d.Declined(), d.WaitingFor())
	}
	d = parade()
	if d.Status = record.Draft; d.WaitingFor() != nil {
		t.Errorf("a draft waits for %v", d.WaitingFor())
	}
}

func TestThoseWhoseTurnItIsAreNotified(t *testing.T) {
	t.Parallel()
	d := parade()
	if events := d.Notify(now); len(events) > 0 {
		t.Errorf("got %+v before anyone's turn", events)
	}
	d.Invitations[2].Status = record.Signed
	d.Invitations = append(d.Invitations,
		record.Invitation{ID: "7", Role: record.Signer, Status: record.Pending, Position: 2, Authentication: record.ByAccessCode},
		record.Invitation{ID: "8", Role: record.Viewer, Status: record.Pending, Position: 1},
		record.Invitation{ID: "9", Email: "i@x.org", Role: record.Signer, Status: record.Pending, Position: 2, Authentication: record.ByAccessCode, AccessCodeHash: "h"})
	d.Invitations[5].Email = "f@x.org"
	events := d.Notify(now)
	want := []record.Event{record.NewEvent(record.EventInvitationNotified).To("6").With("email", "f@x.org"),
		record.NewEvent(record.EventInvitationNotified).To("9").With("email", "i@x.org")}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("got %+v, want %+v", events, want)
	}
	for i := range d.Invitations {
		inv := &d.Invitations[i]
		notified := inv.ID == "6" || inv.ID == "9"
		wasNotified := inv.NotifiedAt != nil && *inv.NotifiedAt == now
		if wasNotified != notified || inv.UpdatedAt.Equal(now) != notified ||
			notified && inv.Status != record.Notified {
			t.Errorf("got %+v", inv)
		}
	}
}

func TestRemindersReachThoseWhoseTurnItIs(t *testing.T) {
	t.Parallel()
	d := parade()
	d.Invitations[2].Email = "c@x.org"
	if got := code(d.Remindable("6", now)); got != "not_your_turn" {
		t.Errorf("too early: got %q", got)
	}
	for _, all := range []string{"", "3"} {
		if err := d.Remindable(all, now); err != nil {
			t.Errorf("%q: %v", all, err)
		}
	}
	if d.Invitations[2].RemindersSent != 0 {
		t.Error("checking whether a reminder is possible counts one")
	}
	events := d.Remind(now, record.MayRemindAgain("", now))
	if want := []record.Event{record.NewEvent(record.EventInvitationReminded).To("3").With("email", "c@x.org")}; !reflect.DeepEqual(events, want) {
		t.Errorf("got %+v, want %+v", events, want)
	}
	if inv := &d.Invitations[2]; inv.RemindersSent != 1 || *inv.RemindedAt != now || !inv.UpdatedAt.Equal(now) {
		t.Errorf("got %+v", inv)
	}
	soon := now.Add(record.RemindAgain - 1)
	if got := code(d.Remindable("", soon)); got != "nobody_to_remind" {
		t.Errorf("just reminded: got %q", got)
	}
	if err := d.Remindable("3", now.Add(record.RemindAgain)); err != nil {
		t.Error(err)
	}
	if events := d.Remind(soon.Add(time.Hour), record.MayRemindAgain("2", soon)); len(events) > 0 {
		t.Errorf("reminded %+v", events)
	}
	d.Invitations[1].Status = record.Declined
	if events := d.Remind(soon.Add(time.Hour), func(*record.Invitation) bool { return true }); events != nil {
		t.Errorf("a declined document: reminded %+v", events)
	}
	if d.Status = record.Voided; code(d.Remindable("", now)) != "document_voided.over" {
		t.Errorf("a voided document: got %q", code(d.Remindable("", now)))
	}
}

func TestRemindersAreDue(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, tt := range []struct {
		name     string
		d        record.Document
		notified *time.Time
		reminded *time.Time
		want     *time.Time
	}{
		{"never", record.Document{}, &now, nil, nil},
		{"every two days", record.Document{RemindEveryDays: 2, ReminderDays: []int{1}}, &now, nil, in(2 * day)},
		{"two days after a reminder", record.Document{RemindEveryDays: 2}, &now, in(day), in(3 * day)},
		{"overdue", record.Document{RemindEveryDays: 2}, in(-9 * day), nil, &now},
		{"on the third day", record.Document{ReminderDays: []int{3, 5}}, &now, nil, in(3 * day)},
		{"then on the fifth", record.Document{ReminderDays: []int{3, 5}}, &now, in(3 * day), in(5 * day)},
		{"then never", record.Document{ReminderDays: []int{3, 5}}, &now, in(5 * day), nil},
		{"not yet invited", record.Document{RemindEveryDays: 2}, nil, nil, nil},
	} {
		tt.d.Status = record.Sent
		tt.d.Invitations = []record.Invitation{{Role: record.Signer, Status: record.Notified, NotifiedAt: tt.notified,
			RemindedAt: tt.reminded}}
		if got := tt.d.NextReminder(now); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTheEarliestReminderIsNext(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, tt := range []struct {
		first, second record.Invitation
		order         string
		status        record.Status
		want          *time.Time
	}{
		{record.Invitation{NotifiedAt: in(day)}, record.Invitation{NotifiedAt: &now}, "", record.Sent, in(day)},
		{record.Invitation{NotifiedAt: &now}, record.Invitation{NotifiedAt: in(day)}, "", record.Sent, in(day)},
		{record.Invitation{NotifiedAt: &now, Status: record.Signed}, record.Invitation{NotifiedAt: in(day)}, "", record.Sent, in(2 * day)},
		{record.Invitation{NotifiedAt: in(day), Position: 1}, record.Invitation{NotifiedAt: &now, Position: 2},
			record.Sequential, record.Sent, in(2 * day)},
		{record.Invitation{NotifiedAt: &now}, record.Invitation{NotifiedAt: &now, Status: record.Declined}, "", record.Sent, nil},
		{record.Invitation{NotifiedAt: &now}, record.Invitation{NotifiedAt: &now}, "", record.Voided, nil},
	} {
		d := record.Document{Status: tt.status, SigningOrder: tt.order, RemindEveryDays: 1,
			Invitations: []record.Invitation{tt.first, tt.second}}
		if got := d.NextReminder(now); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", d.Invitations, got, tt.want)
		}
	}
}
