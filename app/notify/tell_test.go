package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

// situation is a document in a company with one member of each role that matters here.
type situation struct {
	*domain.Services
	owner, admin, approver account.Call
}

func newSituation(t *testing.T, o domain.Options) situation {
	t.Helper()
	return inCompany(t, domain.New(t, o))
}

// inCompany makes a company of its own for a case that shares the services.
func inCompany(t *testing.T, s *domain.Services) situation {
	t.Helper()
	owner := s.Company(t)
	return situation{s, owner, s.Member(t, owner.CompanyID, account.RoleAdmin), s.Member(t, owner.CompanyID, account.RoleApprover)}
}

// must ends the test if an operation was refused.
func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// invitation returns the identifier of the newest invitation of an address.
func invitation(d *record.Document, email string) string {
	for _, inv := range slices.Backward(d.Invitations) {
		if inv.Email == email {
			return inv.ID
		}
	}
	return ""
}

// told lists the messages as "kind to", with the roles of the company's members as
// their addresses, in alphabetical order.
func told(all []notify.Message) []string {
	out := []string{}
	for _, m := range all {
		to, _, _ := strings.Cut(m.To, "@")
		out = append(out, m.Kind+" "+strings.TrimRight(to, "0123456789"))
	}
	slices.Sort(out)
	return out
}

func TestEveryEventTellsThoseItConcerns(t *testing.T) {
	t.Parallel()
	services := domain.New(t, domain.Options{})
	for _, c := range []struct {
		name string
		// before happens first, and the messages about it are not looked at
		before, then func(t *testing.T, s situation, d *record.Document) *record.Document
		want         []string
	}{
		{"sent", nil, send(anyOrder, "a", "b", "viewer:c"), []string{"invitation a", "invitation b"}},
		{"sent in order", nil, send(inOrder, "a", "b"), []string{"invitation a"}},
		{"next in order", send(inOrder, "a", "b"), sign("a"), []string{"invitation b"}},
		{"reminded", send(anyOrder, "a", "b"), remind, []string{"reminder a", "reminder b"}},
		{"reminded after one has signed", then(send(anyOrder, "a", "b"), sign("a")), remind, []string{"reminder b"}},
		{"declined", send(anyOrder, "a", "b"), decline("a"), []string{"declined owner"}},
		{"delegated", send(anyOrder, "a", "b"), delegate("a", "new"), []string{"invitation new"}},
		{"delegated with an access code", send(anyOrder, "code:a", "b"), delegate("a", "new"), []string{"access_code owner"}},
		{"replaced", send(anyOrder, "a", "b"), replace("a", "new"), []string{"invitation new"}},
		{"completed", send(anyOrder, "a", "viewer:c"), sign("a"), []string{"completed a", "completed c", "completed_owner owner"}},
		{"completed after delegating", then(send(anyOrder, "a"), delegate("a", "new")), sign("new"), []string{"completed new", "completed_owner owner"}},
		{"voided by its owner", send(anyOrder, "a", "b"), void(owner), []string{"voided a", "voided b"}},
		{"voided by somebody else", send(anyOrder, "a"), void(admin), []string{"voided a", "voided_owner owner"}},
		{"voided before it was everybody's turn", send(inOrder, "a", "b"), void(owner), []string{"voided a"}},
		{"voided after one declined", then(send(anyOrder, "a", "b"), decline("a")), void(owner), []string{"voided b"}},
		{"voided after one delegated", then(send(anyOrder, "a", "b"), delegate("a", "new")), void(owner), []string{"voided b", "voided new"}},
		{"expired", sendForADay("a"), expire, []string{"expired owner"}},
		{"asked for a link", then(sendForADay("a"), expire), askForLink("a"), []string{"link_requested owner"}},
		{"reported a problem", send(anyOrder, "a"), report("a"), []string{"problem_reported owner"}},
		{"a message failed", send(anyOrder, "a"), mailFailed("a"), []string{"mail_failed owner"}},
		{"submitted to everybody who approves", draft("a"), submit(owner), []string{"approval admin", "approval approver"}},
		{"submitted by a member", draft("a"), submit(admin), []string{"approval approver", "approval owner"}},
		{"submitted to one", draftFor("a"), submit(owner), []string{"approval approver"}},
		{"approved", then(draft("a"), submit(owner)), approve, []string{"approved owner"}},
		{"rejected", then(draft("a"), submit(owner)), reject, []string{"rejected owner"}},
		{"viewed", send(anyOrder, "a"), view("a"), []string{}},
		{"extended", then(sendForADay("a"), expire), extend, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := inCompany(t, services)
			var d *record.Document
			seen := 0
			if c.before != nil {
				d = c.before(t, s, nil)
				seen = len(s.Messages(t, s.owner.CompanyID))
			}
			d = c.then(t, s, d)
			all := s.Messages(t, s.owner.CompanyID)
			if got := told(all[seen:]); !slices.Equal(got, c.want) {
				t.Errorf("told %q, want %q", got, c.want)
			}
			for _, m := range all {
				if m.Document != d.ID || m.Company != d.Company || m.Status != notify.Kept || (m.Invitation != "") != strings.HasSuffix(m.To, "@x.example") {
					t.Errorf("%s to %s belongs to %q, %q, %q and is %s", m.Kind, m.To, m.Company, m.Document, m.Invitation, m.Status)
				}
			}
		})
	}
}

const (
	anyOrder = record.Parallel
	inOrder  = record.Sequential
)

type step = func(t *testing.T, s situation, d *record.Document) *record.Document

func owner(s situation) account.Call { return s.owner }
func admin(s situation) account.Call { return s.admin }

func then(steps ...step) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		for _, do := range steps {
			d = do(t, s, d)
		}
		return d
	}
}

// people reads names such as "a", "viewer:b" and "code:c".
func people(names []string) (all []domain.Person) {
	for _, n := range names {
		how, name, found := strings.Cut(n, ":")
		if !found {
			how, name = "", n
		}
		p := domain.Person{Email: name + "@x.example", Name: "Person " + name}
		switch how {
		case "viewer":
			p.Role = record.Viewer
		case "code":
			p.Authentication, p.Code = record.ByAccessCode, "open sesame"
		}
		all = append(all, p)
	}
	return all
}

func send(order string, names ...string) step {
	return func(t *testing.T, s situation, _ *record.Document) *record.Document {
		return s.Sent(t, s.owner, record.DocumentInput{SigningOrder: &order}, people(names)...)
	}
}

// sendForADay sends with a deadline, which expire lets pass.
func sendForADay(names ...string) step {
	return func(t *testing.T, s situation, _ *record.Document) *record.Document {
		return s.Sent(t, s.owner, record.DocumentInput{ExpiresAt: new(s.Now().Add(24 * time.Hour))}, people(names)...)
	}
}

func draft(names ...string) step {
	return func(t *testing.T, s situation, _ *record.Document) *record.Document {
		return s.Draft(t, s.owner, record.DocumentInput{}, people(names)...)
	}
}

func draftFor(names ...string) step {
	return func(t *testing.T, s situation, _ *record.Document) *record.Document {
		return s.Draft(t, s.owner, record.DocumentInput{ApproverID: &s.approver.UserID}, people(names)...)
	}
}

func sign(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		return s.Sign(t, d, name+"@x.example")
	}
}

func remind(t *testing.T, s situation, d *record.Document) *record.Document {
	s.Advance(24 * time.Hour)
	return must[*record.Document](t)(s.Signing.Sending.Remind(s.owner, d.ID, ""))
}

func decline(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		who := s.Signatory(t, d, name+"@x.example")
		return must[*record.Document](t)(s.Signing.Signing.Decline(who, d.ID, who.Invitation, signing.DeclineInput{Reason: new("Not now")}))
	}
}

func other(name string) record.InvitationInput {
	return record.InvitationInput{Name: &name, Email: new(name + "@x.example")}
}

func delegate(name, to string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		who := s.Signatory(t, d, name+"@x.example")
		if inv := d.Invitation(who.Invitation); inv.Authentication == record.ByAccessCode {
			token := must[string](t)(s.Signing.Signing.Identify(who, d.ID, inv.ID, "open sesame"))
			who = account.Call{Actor: must[account.Actor](t)(s.Accounts.Authentication.Authenticate(token))}
		}
		return must[*record.Document](t)(s.Signing.Sending.Delegate(who, d.ID, who.Invitation, other(to), nil))
	}
}

func replace(name, by string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		return must[*record.Document](t)(s.Signing.Sending.Replace(s.owner, d.ID, invitation(d, name+"@x.example"), other(by)))
	}
}

func void(by func(situation) account.Call) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		return must[*record.Document](t)(s.Signing.Sending.Void(by(s), d.ID, new("Superseded")))
	}
}

func expire(t *testing.T, s situation, d *record.Document) *record.Document {
	s.Advance(24 * time.Hour)
	s.Work(t)
	return must[*record.Document](t)(s.Signing.Drafts.Get(s.owner, d.ID))
}

func extend(t *testing.T, s situation, d *record.Document) *record.Document {
	return must[*record.Document](t)(s.Signing.Sending.Extend(s.owner, d.ID, new(s.Now().Add(time.Hour))))
}

func askForLink(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		who := s.Signatory(t, d, name+"@x.example")
		if err := s.Signing.Signing.AskForLink(who, d.ID, who.Invitation); err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func report(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		who := s.Signatory(t, d, name+"@x.example")
		if err := s.Signing.Signing.ReportProblem(who, d.ID, who.Invitation, "The price is wrong"); err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func mailFailed(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		if err := s.Signing.Sending.MailFailed(account.System(d.Company), d.ID, name+"@x.example"); err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func submit(by func(situation) account.Call) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		return must[*record.Document](t)(s.Signing.Sending.Submit(by(s), d.ID))
	}
}

func approve(t *testing.T, s situation, d *record.Document) *record.Document {
	return must[*record.Document](t)(s.Signing.Sending.Approve(s.approver, d.ID))
}

func reject(t *testing.T, s situation, d *record.Document) *record.Document {
	return must[*record.Document](t)(s.Signing.Sending.Reject(s.approver, d.ID, new("Too expensive")))
}

func view(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		who := s.Signatory(t, d, name+"@x.example")
		return must[*record.Document](t)(s.Signing.Signing.MarkViewed(who, d.ID, who.Invitation))
	}
}

// TestTheOnlyApproverIsAsked submits where nobody else could approve.
func TestTheOnlyApproverIsAsked(t *testing.T) {
	t.Parallel()
	s := domain.New(t, domain.Options{})
	who := s.Company(t)
	d := s.Draft(t, who, record.DocumentInput{}, domain.Signers("a@x.example")...)
	must[*record.Document](t)(s.Signing.Sending.Submit(who, d.ID))
	if got := told(s.Messages(t, who.CompanyID)); !slices.Equal(got, []string{"approval owner"}) {
		t.Errorf("told %q", got)
	}
}

// TestMessagesAboutThePast writes the messages only after more has happened.
func TestMessagesAboutThePast(t *testing.T) {
	t.Parallel()
	services := domain.New(t, domain.Options{})
	for _, c := range []struct {
		name string
		do   step
		want []string
	}{
		{"signed since", then(send(anyOrder, "a", "b"), sign("a")), []string{"invitation a", "invitation b"}},
		{"completed since", then(send(anyOrder, "a"), sign("a")), []string{"completed a", "completed_owner owner", "invitation a"}},
		{"voided since", then(send(anyOrder, "a"), void(owner)), []string{"voided a"}},
		{"delegated since", then(send(anyOrder, "a"), delegate("a", "new")), []string{"invitation new"}},
		{"declined since", then(send(anyOrder, "a"), decline("a")), []string{"declined owner"}},
		{"reminded and signed since", then(send(anyOrder, "a", "b"), remind, sign("a")), []string{"invitation a", "invitation b", "reminder b"}},
		{"given an access code since", then(send(anyOrder, "code:a", "b"), delegate("a", "new"), giveCode("new")),
			[]string{"invitation b", "invitation new"}},
		{"purged since", then(send(anyOrder, "a"), void(owner), purge), []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := inCompany(t, services)
			c.do(t, s, nil)
			if got := told(s.Messages(t, s.owner.CompanyID)); !slices.Equal(got, c.want) {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}

func giveCode(name string) step {
	return func(t *testing.T, s situation, d *record.Document) *record.Document {
		return must[*record.Document](t)(s.Signing.Sending.SetAccessCode(s.owner, d.ID, invitation(d, name+"@x.example"),
			record.InvitationInput{AccessCode: new("another one")}))
	}
}

func purge(t *testing.T, s situation, d *record.Document) *record.Document {
	must[*record.Document](t)(s.Signing.Sending.Delete(s.owner, d.ID))
	if err := s.Signing.Sending.Purge(s.owner, d.ID, d.Title); err != nil {
		t.Fatal(err)
	}
	return d
}

// silent is a timestamp authority that can be switched off.
type silent struct {
	pki.Timestamper
	off atomic.Bool
}

func (s *silent) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	if s.off.Load() {
		return nil, fmt.Errorf("%w: no answer", pki.ErrTimestamp)
	}
	return s.Timestamper.Timestamp(ctx, digest)
}

func TestTheOwnerIsToldThatSealingIsDelayed(t *testing.T) {
	t.Parallel()
	ts := &silent{}
	s := newSituation(t, domain.Options{Signing: func(o *signing.Options) {
		ts.Timestamper = o.Keys.Timestamper()
		o.Timestamper = func(string, bool) pki.Timestamper { return ts }
	}})
	d := send(anyOrder, "a")(t, s, nil)
	ts.off.Store(true)
	d = sign("a")(t, s, d)
	if got, want := told(s.Messages(t, s.owner.CompanyID)), []string{"invitation a", "sealing_delayed owner"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	ts.off.Store(false)
	if err := s.Signing.Completion.Seal(t.Context(), d.Company, d.ID); err != nil {
		t.Fatal(err)
	}
	if got, want := told(s.Messages(t, s.owner.CompanyID)), []string{"completed a", "completed_owner owner", "invitation a", "sealing_delayed owner"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// TestManyPeopleAreToldInSeveralTransactions checks that everybody gets one
// message where an event calls for more than one transaction holds, at its limits.
func TestManyPeopleAreToldInSeveralTransactions(t *testing.T) {
	t.Parallel()
	services := domain.New(t, domain.Options{})
	for _, n := range []int{49, 50, 51, 100, 101} { // with the owner's
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := inCompany(t, services)
			var names []string
			for i := range n {
				names = append(names, fmt.Sprint("p", i))
			}
			then(send(anyOrder, names...), void(admin))(t, s, nil)
			count := map[string]int{}
			for _, m := range s.Messages(t, s.owner.CompanyID) {
				count[m.Kind+" "+m.To]++
			}
			for who, times := range count {
				if times != 1 {
					t.Errorf("%s: %d messages", who, times)
				}
			}
			if len(count) != n+1 {
				t.Errorf("%d people are told, want %d and the owner", len(count)-1, n)
			}
		})
	}
}

// last returns the newest message of a kind to an address.
func last(t *testing.T, s situation, kind, to string) notify.Message {
	t.Helper()
	for _, m := range slices.Backward(s.Messages(t, s.owner.CompanyID)) {
		if m.Kind == kind && m.To == to {
			return m
		}
	}
	t.Fatalf("no message %s to %s", kind, to)
	return notify.Message{}
}

func TestMessagesSayWhatThePersonNeedsToKnow(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	must[account.Company](t)(s.Accounts.Companies.UpdateCompany(s.owner, account.CompanyPatch{Name: new("Sample Ltd"), Locale: new("de"),
		Timezone: new("Europe/Vienna"), BrandColor: new("#004400")}))
	d := s.Sent(t, s.owner, record.DocumentInput{Title: new("Lease"), Message: new("To all of you"), ExpiresAt: new(s.Now().Add(48 * time.Hour))},
		domain.Person{Email: "own@x.example", Name: "Olga", Message: "Only to you", Locale: "fr"},
		domain.Person{Email: "boss@x.example", Name: "Bea", Role: record.Approver, Locale: "en"},
		domain.Person{Email: "plain@x.example", Name: "Per"})
	link := func(email string) string {
		return domain.BaseURL + "/s/" + s.Signing.Sending.LinkToken(d.Invitation(invitation(d, email)))
	}
	for _, c := range []struct {
		to               string
		says, doesNotSay []string
	}{
		{"own@x.example", []string{"Bonjour", "Olga", "Only to you", "Lease", "The owner", "Sample Ltd"}, []string{"To all of you", "Read and"}},
		{"boss@x.example", []string{"Bea", "To all of you", "Read and approve", "4 March 2026", "10:00", "UTC+01:00"}, []string{"Only to you"}},
		{"plain@x.example", []string{"Guten Tag", "Per", "To all of you"}, []string{"Read and"}},
	} {
		m := last(t, s, "invitation", c.to)
		for _, text := range c.says {
			if !strings.Contains(m.Text, text) {
				t.Errorf("to %s: no %q in\n%s", c.to, text, m.Text)
			}
		}
		for _, text := range c.doesNotSay {
			if strings.Contains(m.Text, text) {
				t.Errorf("to %s: %q in\n%s", c.to, text, m.Text)
			}
		}
		if !slices.Equal(m.Links, []string{link(c.to)}) || !strings.Contains(m.Text, link(c.to)) || !strings.Contains(m.HTML, link(c.to)) {
			t.Errorf("to %s: the links are %q", c.to, m.Links)
		}
		if m.Invitation != invitation(d, c.to) || m.ToName != d.Invitation(m.Invitation).Name || !strings.Contains(m.HTML, "#004400") {
			t.Errorf("to %s: %+v", c.to, m)
		}
	}
	decline("plain")(t, s, d)
	m := last(t, s, "declined", s.owner.Email)
	for _, text := range []string{"Per", "Not now", "Lease"} {
		if !strings.Contains(m.Subject+m.Text, text) {
			t.Errorf("no %q in\n%s", text, m.Text)
		}
	}
	if want := domain.BaseURL + "/app/documents/" + d.ID; !slices.Equal(m.Links, []string{want}) || m.ToName != "The owner" {
		t.Errorf("links %q, want %s; to %q", m.Links, want, m.ToName)
	}
}

func TestMessagesSpeakTheDocumentsLanguage(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	must[account.Company](t)(s.Accounts.Companies.UpdateCompany(s.owner, account.CompanyPatch{Locale: new("fr")}))
	d := s.Sent(t, s.owner, record.DocumentInput{Locale: new("de")}, domain.Signers("a@x.example")...)
	report("a")(t, s, d)
	if m := last(t, s, "invitation", "a@x.example"); !strings.Contains(m.Text, "Guten Tag") {
		t.Errorf("the invitation is\n%s", m.Text)
	}
	if m := last(t, s, "problem_reported", s.owner.Email); !strings.Contains(m.Text, "Bonjour") || !strings.Contains(m.Text, "The price is wrong") {
		t.Errorf("the report is\n%s", m.Text)
	}
}

func TestColoursAndLogosThatMailsCannotShowAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	for _, c := range []struct {
		colour, logo   string
		shows, doesNot string
	}{
		{"#004400", "", "#004400", "<img"},
		{"#ffffee", "", "#1d5bd1", "#ffffee"}, // white text is not readable on it
		{"", "https://elsewhere.example/logo.png", "#1d5bd1", "elsewhere"},
	} {
		must[account.Company](t)(s.Accounts.Companies.UpdateCompany(s.owner, account.CompanyPatch{BrandColor: &c.colour, LogoURL: &c.logo}))
		send(anyOrder, "a")(t, s, nil)
		if m := last(t, s, "invitation", "a@x.example"); !strings.Contains(m.HTML, c.shows) || strings.Contains(m.HTML, c.doesNot) {
			t.Errorf("colour %q, logo %q:\n%s", c.colour, c.logo, m.HTML)
		}
	}
}

func TestPreviewIsTheMessageThatWouldBeSent(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	d := draft("a", "viewer:b")(t, s, nil)
	for _, c := range []struct{ to, kind string }{{"a@x.example", "invitation"}, {"b@x.example", "completed"}} {
		m, err := s.Notify.Preview(s.owner, d.ID, invitation(d, c.to))
		if err != nil || m.Kind != c.kind || m.To != c.to || !slices.Equal(m.Links, []string{domain.BaseURL + "/s/…"}) || !strings.Contains(m.Text, "Acme") {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if n := len(s.Messages(t, s.owner.CompanyID)); n != 0 {
		t.Errorf("%d messages are recorded", n)
	}
	if _, err := s.Notify.Preview(s.owner, d.ID, "none"); fault.KindOf(err) != fault.KindNotFound {
		t.Error(err)
	}
	if _, err := s.Notify.Preview(s.Company(t), d.ID, invitation(d, "a@x.example")); fault.KindOf(err) != fault.KindNotFound {
		t.Error(err)
	}
}
