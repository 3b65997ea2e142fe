package signing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

// company is the company of one test, with a member of each role.
type company struct {
	*domain.Services
	owner, admin, approver, author, colleague, viewer account.Call
}

func newCompany(t *testing.T, o ...domain.Options) company {
	t.Helper()
	return companyIn(t, domain.New(t, append(o, domain.Options{})[0]))
}

// companyIn creates a company for a test case that shares the services with others.
func companyIn(t *testing.T, s *domain.Services) company {
	t.Helper()
	owner := s.Company(t)
	member := func(role account.Role) account.Call { return s.Member(t, owner.CompanyID, role) }
	return company{s, owner, member(account.RoleAdmin), member(account.RoleApprover), member(account.RoleMember), member(account.RoleMember), member(account.RoleViewer)}
}

// ok returns the value of a call that must succeed.
func ok[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

type doc = *record.Document

// States in the tables below, besides the statuses of a document.
const (
	archived = "archived"
	deleted  = "deleted"
)

func states() (all []string) {
	for _, s := range record.Statuses() {
		all = append(all, s.String())
	}
	return append(all, archived, deleted)
}

// stateOf returns the state of a document as named in the tables.
func stateOf(d doc) string {
	switch {
	case d.DeletedAt != nil:
		return deleted
	case d.ArchivedAt != nil:
		return archived
	}
	return d.Status.String()
}

// in creates a document in the given state, owned by the author and to be signed by a@x.example.
func (c company) in(t *testing.T, state string) doc {
	t.Helper()
	people := domain.Signers("a@x.example")
	step := ok[doc](t)
	draft := func() doc { return c.Draft(t, c.author, record.DocumentInput{}, people...) }
	submitted := func() doc { return step(c.Signing.Sending.Submit(c.author, draft().ID)) }
	switch state {
	case "draft":
		return draft()
	case "pending_approval":
		return submitted()
	case "approved":
		return step(c.Signing.Sending.Approve(c.approver, submitted().ID))
	case "rejected":
		return step(c.Signing.Sending.Reject(c.approver, submitted().ID, new("No")))
	case "sent":
		return c.Sent(t, c.author, record.DocumentInput{}, people...)
	case "completed":
		return c.Sign(t, c.Sent(t, c.author, record.DocumentInput{}, people...), "a@x.example")
	case "expired":
		d := c.Sent(t, c.author, record.DocumentInput{ExpiresAt: new(c.Now().Add(time.Hour))}, people...)
		c.Advance(time.Hour)
		c.Work(t)
		return step(c.Signing.Drafts.Get(c.author, d.ID))
	case "voided":
		return step(c.Signing.Sending.Void(c.author, submitted().ID, new("Wrong")))
	case archived:
		return step(c.Signing.Sending.Archive(c.author, draft().ID))
	case deleted:
		return step(c.Signing.Sending.Delete(c.author, draft().ID))
	}
	t.Fatalf("cannot create a document in state %s", state)
	return nil
}

// operation is something members do to a document.
type operation struct {
	name    string
	do      func(t *testing.T, c company, d doc) error
	leads   string // "from>to" for each state that permits it
	refusal string // expected in all other states
	special map[string]string
	events  string // recorded if permitted
}

// away returns the refusals for archived and deleted documents, and the given others.
func away(more ...string) map[string]string {
	m := map[string]string{archived: "document_archived", deleted: "document_deleted"}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

// unsent returns the refusals of acts on invitations, by state.
func unsent() map[string]string {
	return away("draft", "document_not_sent", "pending_approval", "document_not_sent", "approved", "document_not_sent", "rejected", "document_not_sent",
		"completed", "document_completed.over", "expired", "document_expired.over", "voided", "document_voided.over")
}

func operations() []operation {
	return []operation{
		{"edit", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Drafts.Update(c.author, d.ID, record.DocumentInput{Title: new("Other")})
			return err
		}, "draft>draft archived>archived", "document_not_draft", map[string]string{deleted: "document_deleted"}, "document.updated"},
		{"submit", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Submit(c.author, d.ID)
			return err
		}, "draft>pending_approval", "document_not_draft.submitted", away(), "document.submitted"},
		{"withdraw", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Withdraw(c.author, d.ID)
			return err
		}, "pending_approval>draft", "document_not_pending.withdrawn", away(), "document.withdrawn"},
		{"approve", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Approve(c.approver, d.ID)
			return err
		}, "pending_approval>approved", "document_not_pending.approved", away(), "document.approved"},
		{"reject", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Reject(c.approver, d.ID, new("No"))
			return err
		}, "pending_approval>rejected", "document_not_pending.rejected", away(), "document.rejected"},
		{"reopen", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Reopen(c.author, d.ID)
			return err
		}, "approved>draft rejected>draft", "document_not_approved_or_rejected.reopened", away(), "document.reopened"},
		{"send", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Send(t.Context(), c.author, d.ID, signing.SendInput{})
			return err
		}, "draft>sent approved>sent", "document_not_draft.sent", away("sent", "document_already_sent"), "document.sent invitation.notified"},
		{"unschedule", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Unschedule(c.author, d.ID)
			return err
		}, "", "document_not_scheduled", away(), ""},
		{"sign", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Signing.Sign(t.Context(), c.author, d.ID, d.Invitations[0].ID, signing.SignInput{Signature: &mark.Mark{Type: "typed", Text: "A"}})
			return err
		}, "sent>completed", "", unsent(), "invitation.signed document.completed"},
		{"decline", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Signing.Decline(c.author, d.ID, d.Invitations[0].ID, signing.DeclineInput{})
			return err
		}, "sent>sent", "", unsent(), "invitation.declined"},
		{"delegate", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Delegate(c.author, d.ID, d.Invitations[0].ID, person("b@x.example"), nil)
			return err
		}, "sent>sent", "", unsent(), "invitation.replaced invitation.notified"},
		{"replace", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Replace(c.author, d.ID, d.Invitations[0].ID, person("b@x.example"))
			return err
		}, "sent>sent", "", unsent(), "invitation.replaced invitation.notified"},
		{"remind", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Remind(c.author, d.ID, "")
			return err
		}, "sent>sent", "", unsent(), "invitation.reminded"},
		{"extend", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Extend(c.author, d.ID, new(c.Now().Add(time.Hour)))
			return err
		}, "expired>sent", "document_not_expired.extended", away(), "document.extended"},
		{"void", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Void(c.author, d.ID, new("Over"))
			return err
		}, "pending_approval>voided approved>voided rejected>voided sent>voided expired>voided", "document_not_voidable.voided",
			map[string]string{deleted: "document_deleted"}, "document.voided"},
		{"archive", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Archive(c.author, d.ID)
			return err
		}, "draft>archived pending_approval>archived approved>archived rejected>archived completed>archived expired>archived voided>archived", "",
			map[string]string{"sent": "document_sent.archive", archived: "document_archived.already", deleted: "document_deleted"}, "document.archived"},
		{"delete", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Delete(c.author, d.ID)
			return err
		}, "draft>deleted pending_approval>deleted approved>deleted rejected>deleted completed>deleted expired>deleted voided>deleted archived>deleted", "",
			map[string]string{"sent": "document_sent.delete", deleted: "document_deleted.already"}, "document.deleted"},
		{"restore", func(t *testing.T, c company, d doc) error {
			_, err := c.Signing.Sending.Restore(c.author, d.ID)
			return err
		}, "archived>draft deleted>draft", "document_active", nil, "document.restored"},
		{"purge", func(t *testing.T, c company, d doc) error {
			return c.Signing.Sending.Purge(c.owner, d.ID, " "+d.Title+" ")
		}, "deleted>", "document_not_deleted", nil, ""},
	}
}

func person(email string) record.InvitationInput {
	return record.InvitationInput{Name: new("Person"), Email: &email}
}

// TestOperationsFollowTheStateTable tries every operation in every state: it leads to
// the expected state and records the expected events, or is refused and changes nothing.
func TestOperationsFollowTheStateTable(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for _, state := range states() {
		d := c.in(t, state)
		if got := stateOf(d); got != state {
			t.Fatalf("created a document in state %s, want %s", got, state)
		}
		for _, o := range operations() {
			to, possible := "", false
			for step := range strings.FieldsSeq(o.leads) {
				if from, then, _ := strings.Cut(step, ">"); from == state {
					to, possible = then, true
				}
			}
			if possible {
				c.performs(t, o, state, to)
				continue
			}
			want := o.special[state]
			if want == "" {
				want = o.refusal
			}
			if got := domain.Refusal(o.do(t, c, d)); got != want {
				t.Errorf("%s in state %s: got %q, want %q", o.name, state, got, want)
			}
			if now := ok[doc](t)(c.Signing.Drafts.Get(c.owner, d.ID)); now.Version != d.Version || stateOf(now) != state {
				t.Fatalf("%s was refused in state %s but changed the document", o.name, state)
			}
		}
	}
}

// performs applies a permitted operation to a new document.
func (c company) performs(t *testing.T, o operation, from, to string) {
	t.Helper()
	d := c.in(t, from)
	if err := o.do(t, c, d); err != nil {
		t.Errorf("%s in state %s: %v", o.name, from, err)
		return
	}
	now, err := c.Signing.Drafts.Get(c.owner, d.ID)
	if to == "" {
		if fault.KindOf(err) != fault.KindNotFound {
			t.Errorf("%s in state %s did not remove the document: %v", o.name, from, err)
		}
		return
	}
	if err != nil || stateOf(now) != to {
		t.Errorf("%s in state %s leads to %s, %v, want %s", o.name, from, stateOf(now), err, to)
		return
	}
	if got := strings.Join(c.events(t, d), " "); !strings.HasSuffix(got, o.events) {
		t.Errorf("%s in state %s records %q, want %q", o.name, from, got, o.events)
	}
}

// events lists the types of a document's events.
func (c company) events(t *testing.T, d doc) (types []string) {
	t.Helper()
	all, _, err := c.Signing.Trail.Events(c.owner, d.ID, trail.EventsQuery{Page: 1, PerPage: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		types = append(types, string(e.Value.Type))
	}
	return types
}

// TestOfferedActionsArePermitted compares the actions offered in each state with the
// table of operations.
func TestOfferedActionsArePermitted(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	offered := map[string]record.Action{"edit": record.ActionEdit, "submit": record.ActionSubmit, "withdraw": record.ActionWithdraw, "approve": record.ActionApprove,
		"reject": record.ActionReject, "reopen": record.ActionReopen, "send": record.ActionSend, "unschedule": record.ActionCallOff, "replace": record.ActionReplace, "remind": record.ActionRemind,
		"extend": record.ActionExtend, "void": record.ActionVoid, "archive": record.ActionArchive, "delete": record.ActionDelete,
		"restore": record.ActionRestore, "purge": record.ActionPurge}
	for _, state := range states() {
		d := c.in(t, state)
		got := ok[[]record.Action](t)(c.Signing.Drafts.Actions(c.owner, d))
		for _, o := range operations() {
			action, known := offered[o.name]
			if !known || action == record.ActionWithdraw { // offered to the submitter only
				continue
			}
			if want := strings.Contains(" "+o.leads, " "+state+">"); slices.Contains(got, action) != want {
				t.Errorf("%s in state %s: offered %v, want %v", o.name, state, !want, want)
			}
		}
		if !slices.Contains(got, record.ActionDuplicate) || !slices.Contains(got, record.ActionDownload) {
			t.Errorf("in state %s only %q are offered", state, got)
		}
	}
}

func TestApprovalStepsRecordWhoAndWhen(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	step := ok[doc](t)
	d := c.in(t, "draft")
	tick := func() time.Time { c.Advance(time.Minute); return c.Now() }
	at := tick()
	if d = step(c.Signing.Sending.Submit(c.colleague, d.ID)); !d.SubmittedAt.Equal(at) || d.SubmittedBy != c.colleague.UserID {
		t.Errorf("submitted: %v by %s", d.SubmittedAt, d.SubmittedBy)
	}
	at = tick()
	if d = step(c.Signing.Sending.Reject(c.approver, d.ID, new("Too dear"))); !d.RejectedAt.Equal(at) || d.RejectedReason != "Too dear" || d.Approver.ID != c.approver.UserID {
		t.Errorf("rejected: %v, %q by %+v", d.RejectedAt, d.RejectedReason, d.Approver)
	}
	if d = step(c.Signing.Sending.Reopen(c.author, d.ID)); d.SubmittedAt != nil || d.SubmittedBy != "" || d.RejectedReason != "Too dear" {
		t.Errorf("reopened: %v, %q, %q", d.SubmittedAt, d.SubmittedBy, d.RejectedReason)
	}
	if d = step(c.Signing.Sending.Submit(c.author, d.ID)); d.RejectedAt != nil || d.RejectedReason != "" {
		t.Errorf("submitted again: %v, %q", d.RejectedAt, d.RejectedReason)
	}
	if d = step(c.Signing.Sending.Withdraw(c.author, d.ID)); d.SubmittedAt != nil || d.SubmittedBy != "" {
		t.Errorf("withdrawn: %v, %q", d.SubmittedAt, d.SubmittedBy)
	}
	step(c.Signing.Sending.Submit(c.author, d.ID))
	at = tick()
	if d = step(c.Signing.Sending.Approve(c.admin, d.ID)); !d.ApprovedAt.Equal(at) || d.Approver.ID != c.admin.UserID || d.Approver.Name != c.admin.Name || d.Approver.Email != c.admin.Email {
		t.Errorf("approved: %v by %+v", d.ApprovedAt, d.Approver)
	}
	if d = step(c.Signing.Sending.Reopen(c.author, d.ID)); d.ApprovedAt != nil {
		t.Errorf("reopened: %v", d.ApprovedAt)
	}
	step(c.Signing.Sending.Submit(c.author, d.ID))
	at = tick()
	if d = step(c.Signing.Sending.Void(c.author, d.ID, new(" Not needed\r\nany more "))); !d.VoidedAt.Equal(at) || d.VoidedReason != "Not needed\nany more" || d.Attention.Kind != "" {
		t.Errorf("voided: %v, %q", d.VoidedAt, d.VoidedReason)
	}
	if _, err := c.Signing.Sending.Void(c.author, d.ID, new("  ")); domain.Refusal(err) != "reason required" {
		t.Error(err)
	}
	if _, err := c.Signing.Sending.Reject(c.approver, d.ID, new(strings.Repeat("x", 2001))); domain.Refusal(err) != "reason too_long" {
		t.Error(err)
	}
}

func TestCompanyCanRequireApproval(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{RequireApproval: new(true)}))
	d := c.in(t, "draft")
	if _, err := c.Signing.Sending.Send(t.Context(), c.author, d.ID, signing.SendInput{}); domain.Refusal(err) != "approval_required" {
		t.Error(err)
	}
	if got := ok[[]record.Action](t)(c.Signing.Drafts.Actions(c.author, d)); slices.Contains(got, record.ActionSend) {
		t.Error("sending is offered without approval")
	}
	ok[doc](t)(c.Signing.Sending.Submit(c.author, d.ID))
	ok[doc](t)(c.Signing.Sending.Approve(c.approver, d.ID))
	if d, err := c.Signing.Sending.Send(t.Context(), c.author, d.ID, signing.SendInput{}); err != nil || d.Status != record.Sent {
		t.Error(err)
	}
	_, err := c.Signing.Drafts.Create(t.Context(), c.author, signing.CreateInput{Send: true, Invitations: []record.InvitationInput{person("a@x.example")}})
	if err == nil {
		t.Error("a new document was sent without approval")
	}
}

func TestPurgingAsksForTheTitle(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.in(t, deleted)
	if err := c.Signing.Sending.Purge(c.owner, d.ID, d.Title+"s"); domain.Refusal(err) != "title not_the_title" {
		t.Error(err)
	}
	if _, err := c.Signing.Drafts.Get(c.owner, d.ID); err != nil {
		t.Error(err)
	}
}

// TestSealingOfACompletedDocumentIsNotRepeated asks for what is done already.
func TestSealingOfACompletedDocumentIsNotRepeated(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.in(t, "completed")
	before := c.events(t, d)
	again := ok[doc](t)(c.Signing.Completion.RetrySealing(t.Context(), c.author, d.ID))
	if again.Version != d.Version || !slices.Equal(c.events(t, d), before) {
		t.Errorf("version %d became %d, events %v", d.Version, again.Version, c.events(t, d))
	}
	if _, err := c.Signing.Completion.RetrySealing(t.Context(), c.colleague, d.ID); fault.KindOf(err) != fault.KindForbidden {
		t.Errorf("a colleague gets %v", err)
	}
}
