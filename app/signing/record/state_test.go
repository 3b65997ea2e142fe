package record_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/fault"
	"paraph/app/signing/record"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// in returns the time a while from now.
func in(d time.Duration) *time.Time { return new(now.Add(d)) }

// faults lists what is wrong as "field code value", sorted.
func faults(f *fault.Fields) string {
	var out []string
	for _, x := range fault.FieldsOf(f.Err()) {
		words := []string{x.Name, string(x.Code)}
		for _, a := range x.Args {
			if a.Name != "field" {
				words = append(words, a.String())
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// code returns the code of a refusal, or its kind if it has none; "" for no error.
func code(err error) string {
	switch {
	case err == nil:
		return ""
	case fault.CodeOf(err) != "":
		return string(fault.CodeOf(err))
	}
	return fault.KindOf(err).String()
}

// step is an operation that a document allows or refuses depending on its state.
type step struct {
	name    string
	do      func(*record.Document) error
	allowed string            // states
	refused string            // code in every other state
	special map[string]string // codes of single states
}

var everyStateButSent = "draft pending_approval approved rejected completed expired voided"

func steps() []step {
	by := record.Person{ID: "u1", Name: "Ann"}
	return []step{
		{"edit", (*record.Document).Editable, "draft", "document_not_draft", nil},
		{"submit", func(d *record.Document) error { return d.Submit(by, now) }, "draft", "document_not_draft.submitted", nil},
		{"withdraw", (*record.Document).Withdraw, "pending_approval", "document_not_pending.withdrawn", nil},
		{"approve", func(d *record.Document) error { return d.Approve(by, now) }, "pending_approval", "document_not_pending.approved", nil},
		{"reject", func(d *record.Document) error { return d.Reject(by, "no", now) }, "pending_approval", "document_not_pending.rejected", nil},
		{"reopen", (*record.Document).Reopen, "approved rejected", "document_not_approved_or_rejected.reopened", nil},
		{"send", func(d *record.Document) error { return d.Sendable(false) }, "draft approved", "document_not_draft.sent",
			map[string]string{"sent": "document_already_sent"}},
		{"send approved", func(d *record.Document) error { return d.Sendable(true) }, "approved", "document_not_draft.sent",
			map[string]string{"sent": "document_already_sent", "draft": "approval_required"}},
		{"void", func(d *record.Document) error { return d.Void(record.Reason{Words: "wrong"}, now) }, "pending_approval approved rejected sent expired",
			"document_not_voidable.voided", nil},
		{"extend", func(d *record.Document) error { return d.Extend(*in(time.Hour)) }, "expired", "document_not_expired.extended", nil},
		{"run", func(d *record.Document) error { return d.Running(now) }, "sent", "document_not_sent", map[string]string{
			"completed": "document_completed.over", "expired": "document_expired.over", "voided": "document_voided.over"}},
		{"archive", func(d *record.Document) error { return d.Archive(now) }, everyStateButSent, "document_sent.archive", nil},
		{"trash", func(d *record.Document) error { return d.Trash(now) }, everyStateButSent, "document_sent.delete", nil},
		{"restore", (*record.Document).Restore, "", "document_active", nil},
		{"purge", (*record.Document).Purgeable, "", "document_not_deleted", nil},
		{"call off", record.CallOff, "", "document_not_scheduled", nil},
		{"seal", (*record.Document).Sealable, "", "nothing_to_seal", nil},
	}
}

func TestEveryStepFitsTheState(t *testing.T) {
	t.Parallel()
	for _, s := range steps() {
		for _, status := range record.Statuses() {
			d := &record.Document{Status: status}
			want, special := s.special[status.String()]
			if !special && !slices.Contains(strings.Fields(s.allowed), status.String()) {
				want = s.refused
			}
			if got := code(s.do(d)); got != want {
				t.Errorf("%s a %s document: got %q, want %q", s.name, status, got, want)
			}
			if same := reflect.DeepEqual(d, &record.Document{Status: status}); want != "" && !same {
				t.Errorf("%s a %s document: refused, but it became %+v", s.name, status, d)
			}
		}
	}
}

func TestArchivedAndDeletedDocumentsRefuseSteps(t *testing.T) {
	t.Parallel()
	archived := map[string]string{"edit": "", "void": "", "archive": "document_archived.already", "trash": "", "restore": "",
		"purge": "document_not_deleted"}
	deleted := map[string]string{"trash": "document_deleted.already", "restore": "", "purge": ""}
	for _, s := range steps() {
		status := record.Draft
		for _, candidate := range record.Statuses() {
			if strings.Contains(" "+s.allowed+" ", " "+candidate.String()+" ") {
				status = candidate
			}
		}
		for _, tt := range []struct {
			record.Document
			codes map[string]string
			other string
		}{
			{record.Document{Status: status, ArchivedAt: &now}, archived, "document_archived"},
			{record.Document{Status: status, DeletedAt: &now}, deleted, "document_deleted"},
			{record.Document{Status: status, ArchivedAt: &now, DeletedAt: &now}, deleted, "document_deleted"},
		} {
			want, named := tt.codes[s.name]
			if !named {
				want = tt.other
			}
			if got := code(s.do(&tt.Document)); got != want {
				t.Errorf("%s, archived %v, deleted %v: got %q, want %q", s.name, tt.ArchivedAt, tt.DeletedAt, got, want)
			}
		}
	}
}

func TestTemplatesAreNeitherSubmittedNorSent(t *testing.T) {
	t.Parallel()
	for _, s := range steps() {
		if s.name != "submit" && s.name != "send" {
			continue
		}
		if got := code(s.do(&record.Document{Status: record.Draft, Template: true})); got != "template_not_sent" {
			t.Errorf("%s: got %q", s.name, got)
		}
	}
}

func TestStepsRecordWhatHappened(t *testing.T) {
	t.Parallel()
	by := record.Person{ID: "u1", Name: "Ann"}
	before := in(-time.Hour)
	for _, tt := range []struct {
		step       string
		from, want record.Document
	}{
		{"submit", record.Document{Status: record.Draft, RejectedAt: before, RejectedReason: "no"},
			record.Document{Status: record.PendingApproval, SubmittedAt: &now, SubmittedBy: "u1"}},
		{"withdraw", record.Document{Status: record.PendingApproval, SubmittedAt: before, SubmittedBy: "u1"},
			record.Document{Status: record.Draft}},
		{"approve", record.Document{Status: record.PendingApproval, SubmittedAt: before, SubmittedBy: "u2"},
			record.Document{Status: record.Approved, SubmittedAt: before, SubmittedBy: "u2", ApprovedAt: &now, Approver: &by}},
		{"reject", record.Document{Status: record.PendingApproval},
			record.Document{Status: record.Rejected, RejectedAt: &now, RejectedReason: "no", Approver: &by}},
		{"reopen", record.Document{Status: record.Approved, SubmittedAt: before, SubmittedBy: "u2", ApprovedAt: before},
			record.Document{Status: record.Draft}},
		{"void", record.Document{Status: record.Sent, Attention: record.Attention{Kind: record.AttentionDeclined}, AttentionText: "Declined."},
			record.Document{Status: record.Voided, VoidedAt: &now, VoidedReason: "wrong"}},
		{"extend", record.Document{Status: record.Expired, ExpiresAt: before, ExpiredAt: before},
			record.Document{Status: record.Sent, ExpiresAt: in(time.Hour)}},
		{"archive", record.Document{Status: record.Voided}, record.Document{Status: record.Voided, ArchivedAt: &now}},
		{"trash", record.Document{Status: record.Draft}, record.Document{Status: record.Draft, DeletedAt: &now}},
		{"restore", record.Document{Status: record.Draft, DeletedAt: before, ArchivedAt: before}, record.Document{Status: record.Draft}},
	} {
		for _, s := range steps() {
			if s.name != tt.step {
				continue
			}
			if err := s.do(&tt.from); err != nil || !reflect.DeepEqual(tt.from, tt.want) {
				t.Errorf("%s: got %+v, %v, want %+v", tt.step, tt.from, err, tt.want)
			}
		}
	}
}

func TestDeadlinesEndTheSigning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		d       record.Document
		expires bool
		running string
	}{
		{"no deadline", record.Document{Status: record.Sent}, false, ""},
		{"later", record.Document{Status: record.Sent, ExpiresAt: in(1)}, false, ""},
		{"now", record.Document{Status: record.Sent, ExpiresAt: in(0)}, true, "document_expired"},
		{"passed", record.Document{Status: record.Sent, ExpiresAt: in(-1)}, true, "document_expired"},
		{"of a draft", record.Document{Status: record.Draft, ExpiresAt: in(-1)}, false, "document_not_sent"},
		{"all signed", record.Document{Status: record.Sent, ExpiresAt: in(-1), Attention: record.Attention{Kind: record.AttentionSealing}}, false, "document_expired"},
	} {
		if got := code(tt.d.Running(now)); got != tt.running {
			t.Errorf("%s: running: got %q, want %q", tt.name, got, tt.running)
		}
		next := tt.d.ExpiresNext()
		if want := tt.d.Status == record.Sent && tt.d.ExpiresAt != nil; (next != nil) != want {
			t.Errorf("%s: expires on %v", tt.name, next)
		}
		if got := tt.d.Expire(now); got != tt.expires || got != (tt.d.Status == record.Expired) ||
			got != (tt.d.ExpiredAt != nil) {
			t.Errorf("%s: expired: %v, and the document is %+v", tt.name, got, tt.d)
		}
	}
}

func TestEndedDocumentsHaveTheTimeOfTheirEnd(t *testing.T) {
	t.Parallel()
	d := record.Document{CompletedAt: in(1), ExpiredAt: in(2), VoidedAt: in(3)}
	ends := map[record.Status]*time.Time{record.Completed: d.CompletedAt, record.Expired: d.ExpiredAt,
		record.Voided: d.VoidedAt}
	for _, s := range record.Statuses() {
		if d.Status = s; d.Ended() != ends[s] {
			t.Errorf("%s: ended %v", s, d.Ended())
		}
		if want := s != record.Completed && s != record.Voided; s.Open() != want {
			t.Errorf("%s: open: %v", s, s.Open())
		}
	}
}

func TestVisibilityOfDocuments(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]record.Document{
		"active": {}, "archived": {ArchivedAt: &now}, "deleted": {ArchivedAt: &now, DeletedAt: &now},
		"template.active": {Template: true}, "template.deleted": {Template: true, DeletedAt: &now},
	} {
		if got := d.Visibility(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// acts returns the refusals of what an invited person may do.
func acts(d *record.Document, inv *record.Invitation) (sign, decline, delegate string) {
	return code(d.Signable(inv, now)), code(d.Declinable(inv, now)), code(d.Delegable(inv, now))
}

func TestPeopleActOnceAndInTurn(t *testing.T) {
	t.Parallel()
	type people = []record.Invitation
	signer := record.Invitation{ID: "me", Role: record.Signer, Status: record.Notified, Position: 2}
	with := func(change func(*record.Invitation)) people {
		inv := signer
		change(&inv)
		return people{inv}
	}
	other := func(position int, status string) people {
		return people{signer, {ID: "other", Role: record.Signer, Status: status, Position: position}}
	}
	for _, tt := range []struct {
		name                    string
		d                       record.Document
		sign, decline, delegate string
	}{
		{"alone", record.Document{Invitations: people{signer}}, "", "", ""},
		{"without declining", record.Document{NoDecline: true, Invitations: people{signer}}, "", "decline_not_allowed", ""},
		{"without delegation", record.Document{NoDelegation: true, Invitations: people{signer}}, "", "", "delegation_not_allowed"},
		{"signed", record.Document{NoDecline: true, NoDelegation: true, Invitations: with(func(i *record.Invitation) { i.Status = record.Signed })}, "already_signed", "already_signed", "already_signed"},
		{"declined", record.Document{Invitations: with(func(i *record.Invitation) { i.Status = record.Declined })},
			"invitation_declined", "invitation_declined", "invitation_declined"},
		{"delegated", record.Document{Invitations: with(func(i *record.Invitation) { i.Status = record.Delegated })},
			"invitation_delegated", "invitation_delegated", "invitation_delegated"},
		{"reading", record.Document{Invitations: with(func(i *record.Invitation) { i.Role = record.Viewer })},
			"viewer_does_not_sign", "viewer_does_not_sign", "viewer_does_not_sign"},
		{"declined by another", record.Document{Invitations: other(1, record.Declined)}, "document_declined", "document_declined", "document_declined"},
		{"before another", record.Document{SigningOrder: record.Sequential, Invitations: other(3, record.Pending)}, "", "", ""},
		{"together with another", record.Document{SigningOrder: record.Sequential, Invitations: other(2, record.Notified)}, "", "", ""},
		{"after one who has signed", record.Document{SigningOrder: record.Sequential, Invitations: other(1, record.Signed)}, "", "", ""},
		{"after another", record.Document{SigningOrder: record.Sequential, Invitations: other(1, record.Notified)},
			"not_your_turn", "not_your_turn", "not_your_turn"},
		{"in any order", record.Document{SigningOrder: record.Parallel, Invitations: other(1, record.Notified)}, "", "", ""},
	} {
		tt.d.Status = record.Sent
		sign, decline, delegate := acts(&tt.d, &tt.d.Invitations[0])
		if sign != tt.sign || decline != tt.decline || delegate != tt.delegate {
			t.Errorf("%s: got %q, %q, %q, want %q, %q, %q", tt.name, sign, decline, delegate, tt.sign, tt.decline, tt.delegate)
		}
		tt.d.Status = record.Draft
		if sign, decline, delegate = acts(&tt.d, &tt.d.Invitations[0]); sign != "document_not_sent" || decline != sign || delegate != sign {
			t.Errorf("%s, in a draft: got %q, %q, %q", tt.name, sign, decline, delegate)
		}
	}
}
