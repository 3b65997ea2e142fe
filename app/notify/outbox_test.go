package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/apptest/patience"
	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/notify"
	"paraph/app/signing/record"
	"paraph/kv"
)

// server is a mail server. It answers with err, and waits for the gate if there is one.
type server struct {
	mu  sync.Mutex
	err error
	got []mail.Message

	began, gate chan struct{} // nil, or both: told of each delivery, and waited for
}

func (s *server) Deliver(_ context.Context, m mail.Message) (string, error) {
	s.mu.Lock()
	s.got = append(s.got, m)
	err, gate := s.err, s.gate
	s.mu.Unlock()
	if gate != nil {
		s.began <- struct{}{}
		<-gate
	}
	if err != nil {
		return "", err
	}
	return "250 taken", nil
}

func (s *server) answer(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

// post returns a situation with a mail server and one message that waits for it.
func post(t *testing.T, change ...func(*domain.Options)) (situation, *server, notify.Message) {
	t.Helper()
	to := &server{}
	o := domain.Options{Sender: to}
	for _, c := range change {
		c(&o)
	}
	s, m := queued(t, domain.New(t, o))
	return s, to, m
}

// queued makes a company with one message.
func queued(t *testing.T, services *domain.Services) (situation, notify.Message) {
	t.Helper()
	s := inCompany(t, services)
	send(anyOrder, "a")(t, s, nil)
	return s, last(t, s, "invitation", "a@x.example")
}

// work runs all due jobs and the notifications that follow from them.
func work(t *testing.T, s situation) {
	t.Helper()
	s.Work(t)
	if err := s.Notify.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s situation) message(t *testing.T, id string) notify.Message {
	t.Helper()
	return must[notify.Message](t)(s.Notify.Messages.Get(s.owner, id))
}

// jobs lists the states of the company's jobs of a kind.
func (s situation) jobs(t *testing.T, kind string) (states []string) {
	t.Helper()
	err := s.DB.View(func(tx *kv.Tx) error {
		for _, state := range []string{kv.JobWaiting, kv.JobRunning, kv.JobDead} {
			all, err := s.Jobs.List(tx, state, kv.Query{Limit: 1000})
			if err != nil {
				return err
			}
			for _, j := range all.Items {
				if j.Kind == kind && (j.Scope == "" || j.Scope == s.owner.CompanyID) {
					states = append(states, state)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return states
}

func TestAMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	s, to, m := post(t)
	if m.Status != notify.Queued || m.Attempts != 0 || m.SentAt != nil || !s.Notify.CanSend() {
		t.Fatalf("before: %+v", m)
	}
	s.Advance(time.Minute)
	work(t, s)
	work(t, s)
	after := s.message(t, m.ID)
	if after.Status != notify.Sent || after.Attempts != 1 || after.SentAt == nil || !after.SentAt.Equal(s.Now()) || after.Reply != "250 taken" || after.LastError != "" {
		t.Errorf("after: %+v", after)
	}
	if len(to.got) != 1 || len(s.jobs(t, "mail")) != 0 {
		t.Fatalf("delivered %d times, jobs %q", len(to.got), s.jobs(t, "mail"))
	}
	want := mail.Message{ID: m.ID, From: mail.Address{Name: "Paraph", Email: "paraph@paraph.example"},
		To: []mail.Address{{Name: "Person a", Email: "a@x.example"}}, Subject: m.Subject, Text: m.Text, HTML: m.HTML, Date: m.CreatedAt}
	if got := to.got[0]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delivered %+v\nwant %+v", got, want)
	}
}

func TestWhatIsSentKeepsNoLinks(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	_, token, _ := strings.Cut(m.Links[0], "/s/")
	if !strings.Contains(m.Text, token) || !strings.Contains(m.HTML, token) {
		t.Fatal("the message has no link")
	}
	work(t, s)
	after := s.message(t, m.ID)
	if all := after.Subject + after.Text + after.HTML + strings.Join(after.Links, " "); strings.Contains(all, token) {
		t.Errorf("the link is still in %s", all)
	}
	if want := []string{domain.BaseURL + "/s/…"}; !slices.Equal(after.Links, want) || len(after.Secrets) > 0 || !strings.Contains(after.Text, "Person a") {
		t.Errorf("kept %+v", after)
	}
}

func TestAnUnreachableServerIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, to, m := post(t)
	to.answer(errors.New("no route"))
	for i, pause := range []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour} {
		work(t, s)
		if got := s.message(t, m.ID); got.Status != notify.Queued || got.Attempts != i+1 || got.LastError != "no route" || to.count() != i+1 {
			t.Fatalf("after attempt %d: %+v; %d deliveries", i+1, got, to.count())
		}
		s.Advance(pause - time.Millisecond)
		work(t, s)
		if to.count() != i+1 {
			t.Fatalf("the pause after attempt %d is shorter than %v", i+1, pause)
		}
		s.Advance(time.Millisecond)
	}
	work(t, s)
	if got := s.message(t, m.ID); got.Status != notify.Failed || got.Attempts != 10 || !slices.Equal(s.jobs(t, "mail"), []string{kv.JobWaiting, kv.JobDead}) {
		t.Errorf("given up: %+v, jobs %q", got, s.jobs(t, "mail"))
	}
	if got := told(s.Messages(t, s.owner.CompanyID)); !slices.Equal(got, []string{"invitation a", "mail_failed owner"}) {
		t.Errorf("told %q", got)
	}
}

// TestEveryWaitingMessageIsHurried queues more messages than fit into one transaction.
func TestEveryWaitingMessageIsHurried(t *testing.T) {
	t.Parallel()
	to := &server{err: errors.New("no route")}
	s := newSituation(t, domain.Options{Sender: to})
	all := make([]account.Mail, 2*notify.Hurried+1)
	for i := range all {
		all[i] = account.Mail{Kind: account.MailAdministrator, To: fmt.Sprintf("p%d@x.example", i)}
	}
	mailTo(t, s, all...)
	work(t, s)
	to.answer(nil)
	work(t, s)
	if to.count() != len(all) {
		t.Fatalf("%d deliveries before the pause is over, want %d", to.count(), len(all))
	}
	if err := s.Notify.Hurry(t.Context()); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	if to.count() != 2*len(all) {
		t.Errorf("%d deliveries, want %d", to.count(), 2*len(all))
	}
}

func TestARejectedMessageFailsAtOnce(t *testing.T) {
	t.Parallel()
	s, to, m := post(t)
	to.answer(fmt.Errorf("%w: no such mailbox", mail.ErrRejected))
	work(t, s)
	got := s.message(t, m.ID)
	if got.Status != notify.Failed || got.Attempts != 1 || !strings.Contains(got.LastError, "no such mailbox") || got.SentAt != nil {
		t.Errorf("%+v", got)
	}
	d, err := s.Signing.Drafts.Get(s.owner, m.Document)
	if err != nil || d.Attention.Kind != "mail_failed" || d.Attention.Invitation != m.Invitation {
		t.Errorf("%+v, %v", d.Attention, err)
	}
	to.answer(nil)
	if again := must[notify.Message](t)(s.Notify.Retry(s.owner, m.ID)); again.Status != notify.Queued {
		t.Errorf("%+v", again)
	}
	work(t, s)
	if got := s.message(t, m.ID); got.Status != notify.Sent || got.Attempts != 2 || got.LastError != "" {
		t.Errorf("%+v", got)
	}
	if d, err := s.Signing.Drafts.Get(s.owner, m.Document); err != nil || d.Attention.Kind != "" {
		t.Errorf("%+v, %v", d.Attention, err)
	}
}

// inState returns a message that is in the given state.
func inState(t *testing.T, services *domain.Services, to *server, state string) (situation, notify.Message) {
	t.Helper()
	s, m := queued(t, services)
	switch state {
	case notify.Kept:
		s.Notify.SetTransport(notify.Transport{From: domain.From})
		send(anyOrder, "kept")(t, s, nil)
		m = last(t, s, "invitation", "kept@x.example")
		s.Notify.SetTransport(notify.Transport{Sender: to, From: domain.From})
	case notify.Sent:
		work(t, s)
	case notify.Failed:
		to.answer(mail.ErrRejected)
		work(t, s)
		to.answer(nil)
	case notify.Cancelled:
		must[notify.Message](t)(s.Notify.Cancel(s.owner, m.ID))
	}
	if m = s.message(t, m.ID); m.Status != state {
		t.Fatalf("the message is %s, want %s", m.Status, state)
	}
	return s, m
}

// TestRetryAndCancelInEveryState tries every action on a message in every state.
func TestRetryAndCancelInEveryState(t *testing.T) {
	t.Parallel()
	to := &server{}
	services := domain.New(t, domain.Options{Sender: to})
	for _, c := range []struct{ state, retry, cancel string }{
		{notify.Kept, "", "message_not_queued"},
		{notify.Queued, "", ""},
		{notify.Sent, "message_sent", "message_not_queued"},
		{notify.Failed, "", "message_not_queued"},
		{notify.Cancelled, "", "message_not_queued"},
	} {
		t.Run(c.state+" and retry", func(t *testing.T) {
			s, m := inState(t, services, to, c.state)
			before := to.count()
			after, err := s.Notify.Retry(s.owner, m.ID)
			if got := domain.Refusal(err); got != c.retry {
				t.Fatalf("got %q, want %q", got, c.retry)
			}
			if err != nil {
				if got := s.message(t, m.ID); got.Status != c.state || len(s.jobs(t, "mail")) > 0 {
					t.Errorf("it is %s, jobs %q", got.Status, s.jobs(t, "mail"))
				}
				return
			}
			if after.Status != notify.Queued {
				t.Errorf("it is %s", after.Status)
			}
			work(t, s)
			if got := s.message(t, m.ID); got.Status != notify.Sent || !slices.ContainsFunc(to.got[before:], func(x mail.Message) bool { return x.ID == m.ID }) {
				t.Errorf("%s, delivered %d times", got.Status, to.count()-before)
			}
		})
		t.Run(c.state+" and cancel", func(t *testing.T) {
			s, m := inState(t, services, to, c.state)
			before := to.count()
			after, err := s.Notify.Cancel(s.owner, m.ID)
			if got := domain.Refusal(err); got != c.cancel {
				t.Fatalf("got %q, want %q", got, c.cancel)
			}
			if err == nil && (after.Status != notify.Cancelled || len(s.jobs(t, "mail")) > 0) {
				t.Errorf("it is %s, jobs %q", after.Status, s.jobs(t, "mail"))
			}
			work(t, s)
			if slices.ContainsFunc(to.got[before:], func(x mail.Message) bool { return x.ID == m.ID }) {
				t.Error("it was delivered")
			}
		})
	}
}

func TestNothingIsRetriedWithoutAServer(t *testing.T) {
	t.Parallel()
	to := &server{}
	s, m := inState(t, domain.New(t, domain.Options{Sender: to}), to, notify.Failed)
	s.Notify.SetTransport(notify.Transport{From: domain.From})
	if _, err := s.Notify.Retry(s.owner, m.ID); domain.Refusal(err) != "mail_not_configured" || s.message(t, m.ID).Status != notify.Failed {
		t.Errorf("%v, %s", err, s.message(t, m.ID).Status)
	}
	if s.Notify.CanSend() {
		t.Error("it can send")
	}
	s.Notify.SetTransport(notify.Transport{Sender: to, From: domain.From})
}

func TestAMessageBeingSentIsLeftAlone(t *testing.T) {
	t.Parallel()
	s, to, m := post(t)
	to.began, to.gate = make(chan struct{}), make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Jobs.Run(ctx, 1, s.Notify.Handlers()...) }()
	patience.Receive(t, "the message is being sent", to.began)
	for name, do := range map[string]func(account.Call, string) (notify.Message, error){"retry": s.Notify.Retry, "cancel": s.Notify.Cancel} {
		if _, err := do(s.owner, m.ID); domain.Refusal(err) != "message_sending" {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(to.gate)
	stop()
	<-ended // the attempt in progress is finished first
	if got := s.message(t, m.ID); got.Status != notify.Sent {
		t.Errorf("it is %s", got.Status)
	}
}

func TestOutboxIsForAdministratorsOfTheCompany(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	reader := s.owner
	reader.Kind, reader.TokenID, reader.Scopes = account.ActorToken, "T", []account.Scope{account.ScopeAdmin}
	for _, c := range []struct {
		name string
		who  account.Call
		want string
	}{
		{"owner", s.owner, ""},
		{"admin", s.admin, ""},
		{"token for administration", reader, ""},
		{"approver", s.approver, "role_not_allowed"},
		{"member", s.Member(t, s.owner.CompanyID, account.RoleMember), "role_not_allowed"},
		{"viewer", s.Member(t, s.owner.CompanyID, account.RoleViewer), "role_not_allowed"},
		{"signatory", s.Signatory(t, must[*record.Document](t)(s.Signing.Drafts.Get(s.owner, m.Document)), "a@x.example"), "signatory_not_allowed"},
		{"owner of another company", s.Company(t), "other"},
	} {
		one := c.want
		if c.want == "other" {
			one = "not_found.message"
		}
		page, err := s.Notify.Messages.List(c.who, notify.OutboxQuery{Limit: 10})
		if want := strings.TrimPrefix(c.want, "other"); domain.Refusal(err) != want || (len(page.Items) > 0) != (c.want == "") {
			t.Errorf("%s lists %d, %v", c.name, len(page.Items), err)
		}
		got, err := s.Notify.Messages.Get(c.who, m.ID)
		if domain.Refusal(err) != one || (got.Subject == "") != (c.want != "") {
			t.Errorf("%s reads %q, %v", c.name, got.Subject, err)
		}
		source, err := s.Notify.Source(c.who, m.ID)
		switch {
		case c.name == "token for administration":
			if domain.Refusal(err) != "scope_missing" || got.Text != "" || got.HTML != "" || got.Links != nil {
				t.Errorf("%s reads the link: %+v, %v", c.name, got, err)
			}
		case domain.Refusal(err) != one || (len(source) > 0) != (c.want == "") || (got.Text == "") != (c.want != ""):
			t.Errorf("%s reads %d bytes and %q, %v", c.name, len(source), got.Text, err)
		}
		for what, do := range map[string]func(account.Call, string) (notify.Message, error){"retries": s.Notify.Retry, "cancels": s.Notify.Cancel} {
			if c.want == "" {
				continue
			}
			if after, err := do(c.who, m.ID); domain.Refusal(err) != one || after.ID != "" {
				t.Errorf("%s %s: %v", c.name, what, err)
			}
		}
		if _, err := s.Notify.SendTest(t.Context(), c.who, "x@x.example"); c.want != "other" && domain.Refusal(err) != c.want {
			t.Errorf("%s tests: %v", c.name, err)
		}
	}
	if after, err := s.Notify.Cancel(reader, m.ID); err != nil || after.Text != "" || after.Status != notify.Cancelled {
		t.Errorf("%+v, %v", after, err)
	}
}

func TestAccountMessagesAreNobodysInTheOutbox(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	mailTo(t, s, account.Mail{Kind: account.MailReset, To: "a@x.example", Data: map[string]string{"token": "T"}})
	all, total, err := s.Notify.Messages.All("", 0, 10)
	if err != nil || total != 1 || all[0].To != "a@x.example" || all[0].Company != "" {
		t.Fatalf("%+v, %d, %v", all, total, err)
	}
	if _, err := s.Notify.Messages.Get(s.owner, all[0].ID); fault.KindOf(err) != fault.KindNotFound {
		t.Error(err)
	}
	nobody := account.System("")
	if _, err := s.Notify.Messages.Get(nobody, all[0].ID); fault.KindOf(err) != fault.KindNotFound {
		t.Error(err)
	}
	if _, err := s.Notify.Messages.Get(s.owner, "none"); domain.Refusal(err) != "not_found.message" {
		t.Error(err)
	}
}

func mailTo(t *testing.T, s situation, all ...account.Mail) {
	t.Helper()
	if err := s.DB.Update(func(tx *kv.Tx) error {
		for _, m := range all {
			if err := s.Notify.Mail(tx, m); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAccountMessagesLeadToTheirPages(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	paths := map[account.MailKind]string{account.MailVerifyEmail: "/confirm/", account.MailReset: "/reset/", account.MailInvite: "/join/"}
	for _, kind := range account.Notices() {
		paths[kind] = "/undo/"
	}
	for kind, path := range paths {
		mailTo(t, s, account.Mail{Kind: kind, To: string(kind) + "@x.example", Name: "Ann", Locale: "de", Data: map[string]string{"token": "T-" + string(kind), "what": "W", "email": "new@x.example"}})
		all, _, err := s.Notify.Messages.All("", 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, want := all[0], domain.BaseURL+path+"T-"+string(kind)
		if m.Kind != string(kind) || m.To != string(kind)+"@x.example" || m.ToName != "Ann" || !slices.Equal(m.Links, []string{want}) ||
			!strings.Contains(m.Text, want) || !strings.Contains(m.Text, "Ann") || !slices.Contains(m.Secrets, "T-"+string(kind)) {
			t.Errorf("%s: %+v, want a link to %s", kind, m, want)
		}
	}
	err := s.DB.Update(func(tx *kv.Tx) error {
		return s.Notify.Mail(tx, account.Mail{Kind: account.MailAdministrator, To: "a@x.example", Data: map[string]string{"token": "T"}})
	})
	if err == nil {
		t.Error("a token went into a message that has no page for it")
	}
}

// stored puts messages into the outbox of a company, a second apart, oldest first.
func stored(t *testing.T, s situation, all ...notify.Message) (ids []string) {
	t.Helper()
	for _, m := range all {
		s.Advance(time.Second)
		m.ID, m.CreatedAt = s.NewID().String(), s.Now()
		if err := s.DB.Update(func(tx *kv.Tx) error { return notify.PutAsIs(tx, m) }); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	return ids
}

func TestListingTheOutbox(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	own, foreign := s.owner.CompanyID, s.Company(t).CompanyID
	ids := stored(t, s,
		notify.Message{Company: own, Status: notify.Kept, To: "Ann@x.example", Document: "D1", Subject: "0"},
		notify.Message{Company: own, Status: notify.Queued, To: "ben@x.example", Document: "D1", Subject: "1"},
		notify.Message{Company: own, Status: notify.Sent, To: "ann@x.example", Document: "D2", Subject: "2"},
		notify.Message{Company: own, Status: notify.Failed, To: "anna@x.example", Document: "D2", Subject: "3"},
		notify.Message{Company: own, Status: notify.Cancelled, To: "cy@x.example", Document: "D1", Subject: "4"},
		notify.Message{Company: own, Status: notify.Kept, To: "cy@x.example", Document: "D3", Subject: "5"},
		notify.Message{Company: foreign, Status: notify.Kept, To: "ann@x.example", Document: "D1", Subject: "foreign"})
	if len(ids) != 7 {
		t.Fatal(ids)
	}
	all := 1000
	for _, c := range []struct {
		q     notify.OutboxQuery
		want  string
		total int
	}{
		{notify.OutboxQuery{Limit: all}, "543210", 6},
		{notify.OutboxQuery{Limit: all, Ascending: true}, "012345", 6},
		{notify.OutboxQuery{Limit: 2}, "54", 6},
		{notify.OutboxQuery{Limit: 2, Offset: 1}, "43", 6},
		{notify.OutboxQuery{Limit: 2, Offset: 5}, "0", 6},
		{notify.OutboxQuery{Limit: 2, Offset: 6}, "", 6},
		{notify.OutboxQuery{Limit: 2, Offset: 7}, "", 6},
		{notify.OutboxQuery{Limit: 2, Offset: -1}, "54", 6},
		{notify.OutboxQuery{Limit: all, Statuses: []string{notify.Kept}}, "50", 2},
		{notify.OutboxQuery{Limit: 1, Statuses: []string{notify.Kept}}, "5", 2},
		{notify.OutboxQuery{Limit: 1, Offset: 1, Statuses: []string{notify.Kept}}, "0", 2},
		{notify.OutboxQuery{Limit: all, Statuses: []string{notify.Kept, notify.Sent}}, "520", 3},
		{notify.OutboxQuery{Limit: all, Statuses: []string{notify.Sent, notify.Kept, notify.Kept}}, "520", 3},
		{notify.OutboxQuery{Limit: 1, Offset: 1, Statuses: []string{notify.Kept, notify.Sent}}, "2", 3},
		{notify.OutboxQuery{Limit: 2, Offset: 1, Ascending: true, Statuses: []string{notify.Kept, notify.Sent}}, "25", 3},
		{notify.OutboxQuery{Limit: 5, Offset: 9, Statuses: []string{notify.Kept, notify.Sent}}, "", 3},
		{notify.OutboxQuery{Limit: all, Statuses: []string{"active"}}, "543210", 6},
		{notify.OutboxQuery{Limit: all, Statuses: []string{"archived"}}, "", 0},
		{notify.OutboxQuery{Limit: all, Statuses: []string{"deleted", notify.Failed}}, "3", 1},
		{notify.OutboxQuery{Limit: all, To: "ann"}, "320", 3},
		{notify.OutboxQuery{Limit: all, To: "ANN@x"}, "20", 2},
		{notify.OutboxQuery{Limit: 1, Offset: 1, To: "ann"}, "2", 3},
		{notify.OutboxQuery{Limit: all, To: "ann", Ascending: true}, "023", 3},
		{notify.OutboxQuery{Limit: all, To: "nn"}, "", 0},
		{notify.OutboxQuery{Limit: all, To: "ann", Statuses: []string{notify.Kept}}, "0", 1},
		{notify.OutboxQuery{Limit: all, Document: "D1"}, "410", 3},
		{notify.OutboxQuery{Limit: all, Document: "D1", To: "ben"}, "1", 1},
		{notify.OutboxQuery{Limit: all, Document: "D1", Statuses: []string{notify.Queued, notify.Kept}}, "10", 2},
		{notify.OutboxQuery{Limit: all, Document: "D1", Statuses: []string{"archived"}}, "", 0},
		{notify.OutboxQuery{Limit: all, Document: "D"}, "", 0},
	} {
		page, err := s.Notify.Messages.List(s.owner, c.q)
		if err != nil {
			t.Fatalf("%+v: %v", c.q, err)
		}
		got := ""
		for _, m := range page.Items {
			got += m.Subject
		}
		if got != c.want || page.Total != c.total {
			t.Errorf("%+v: got %q of %d, want %q of %d", c.q, got, page.Total, c.want, c.total)
		}
	}
	if _, err := s.Notify.Messages.List(s.owner, notify.OutboxQuery{Limit: 1, Statuses: []string{"lost"}}); domain.Refusal(err) != "status not_one_of" {
		t.Error(err)
	}
	if page, total, err := s.Notify.Messages.All(foreign, 0, 10); err != nil || total != 1 || page[0].Subject != "foreign" {
		t.Errorf("%+v, %d, %v", page, total, err)
	}
	if page, total, err := s.Notify.Messages.All("", 1, 2); err != nil || total != 7 || len(page) != 2 || page[0].Subject != "5" {
		t.Errorf("%+v, %d, %v", page, total, err)
	}
}

func TestATestMessage(t *testing.T) {
	t.Parallel()
	to := &server{}
	s := newSituation(t, domain.Options{Sender: to})
	for _, c := range []struct{ address, want, refusal string }{
		{"", s.owner.Email, ""},
		{"  x@x.example ", "x@x.example", ""},
		{"nonsense", "", "email not_an_email"},
	} {
		before := to.count()
		reply, err := s.Notify.SendTest(t.Context(), s.owner, c.address)
		if domain.Refusal(err) != c.refusal || (reply == "250 taken") != (err == nil) {
			t.Fatalf("%q: %q, %v", c.address, reply, err)
		}
		if err != nil {
			if to.count() != before {
				t.Errorf("%q: it was sent", c.address)
			}
			continue
		}
		m := to.got[before]
		if m.To[0].Email != c.want || m.ID == "" || !m.Date.Equal(s.Now()) || !strings.Contains(m.Text, "Acme") {
			t.Errorf("%q: sent %+v", c.address, m)
		}
	}
	if all := s.Messages(t, s.owner.CompanyID); len(all) != 0 {
		t.Errorf("recorded: %+v", all)
	}
	to.answer(errors.New("535 no"))
	if _, err := s.Notify.SendTest(t.Context(), s.owner, ""); domain.Refusal(err) != "mail_not_sent" {
		t.Error(err)
	}
	s.Notify.SetTransport(notify.Transport{From: domain.From})
	if _, err := s.Notify.SendTest(t.Context(), s.owner, ""); domain.Refusal(err) != "mail_not_configured" {
		t.Error(err)
	}
}

func TestTestMessagesAreLimitedPerPerson(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{Sender: &server{}})
	for i := range 7 {
		_, err := s.Notify.SendTest(t.Context(), s.owner, "")
		if throttled := fault.KindOf(err) == fault.KindThrottled; throttled != (i == 6) || err != nil && !throttled {
			t.Errorf("message %d: %v", i+1, err)
		}
	}
	if _, err := s.Notify.SendTest(t.Context(), s.admin, ""); err != nil {
		t.Error(err)
	}
	s.Advance(time.Minute)
	if _, err := s.Notify.SendTest(t.Context(), s.owner, ""); err != nil {
		t.Error(err)
	}
}

func TestOldMessagesAreRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		days int
		want string
	}{{0, "old queued edge new"}, {30, "queued new"}} {
		s := newSituation(t, domain.Options{Outbox: func(o *notify.Options) { o.Days = c.days }})
		put := func(name, status string) {
			stored(t, s, notify.Message{Company: s.owner.CompanyID, Subject: name, Status: status})
		}
		put("old", notify.Sent)
		put("queued", notify.Queued)
		put("edge", notify.Kept)
		s.Advance(24*time.Hour - time.Second) // "new" comes a day later, to the second
		put("new", notify.Kept)
		s.Advance(29 * 24 * time.Hour)
		if err := s.Notify.ScheduleSweep(); err != nil {
			t.Fatal(err)
		}
		work(t, s)
		left := ""
		for _, m := range s.Messages(t, s.owner.CompanyID) {
			left += " " + m.Subject
		}
		if left = strings.TrimSpace(left); left != c.want || !slices.Equal(s.jobs(t, "outbox_sweep"), []string{kv.JobWaiting}) {
			t.Errorf("%d days: %q are left, want %q; jobs %q", c.days, left, c.want, s.jobs(t, "outbox_sweep"))
		}
	}
}

func TestTheOutboxIsSweptDaily(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{Outbox: func(o *notify.Options) { o.Days = 1 }})
	if err := s.Notify.ScheduleSweep(); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	stored(t, s, notify.Message{Company: s.owner.CompanyID, Status: notify.Sent})
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{24*time.Hour - 2*time.Second, 1}, {24*time.Hour + time.Second, 0}} {
		s.Advance(c.after)
		work(t, s)
		if got := len(s.Messages(t, s.owner.CompanyID)); got != c.left {
			t.Errorf("%d messages are left, want %d", got, c.left)
		}
	}
}

// TestManyOldMessagesAreRemovedInBatches fills more than one batch, and one exactly.
func TestManyOldMessagesAreRemovedInBatches(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{Outbox: func(o *notify.Options) { o.Days = 1 }})
	if err := s.DB.Update(func(tx *kv.Tx) error {
		for range notify.SweepBatch + 1 {
			m := notify.Message{ID: s.NewID().String(), Company: s.owner.CompanyID, Status: notify.Sent, CreatedAt: s.Now()}
			if err := notify.PutAsIs(tx, m); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.Advance(48 * time.Hour)
	if err := s.Notify.ScheduleSweep(); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	if _, total, err := s.Notify.Messages.All("", 0, 1); err != nil || total != 0 {
		t.Errorf("%d messages are left, %v", total, err)
	}
}

// TestMessagesOfOlderVersionsAreEncrypted stores them in the clear, as those did.
func TestMessagesOfOlderVersionsAreEncrypted(t *testing.T) {
	t.Parallel()
	s := newSituation(t, domain.Options{})
	text := "Go to https://h.example/s/TOKEN and https://h.example/reset/OTHER"
	links := []string{"https://h.example/s/TOKEN", "https://h.example/reset/OTHER", "https://h.example/app/documents/D"}
	ids := stored(t, s, notify.Message{Company: s.owner.CompanyID, Subject: "kept", Status: notify.Kept, Text: text, Links: links},
		notify.Message{Company: s.owner.CompanyID, Subject: "sent", Status: notify.Sent, Text: text, HTML: text, Links: links})
	if err := s.Notify.ScheduleSweep(); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	if m := s.message(t, ids[0]); m.Text != text || !slices.Equal(m.Links, links) || !slices.Equal(m.Secrets, []string{"TOKEN", "OTHER"}) || m.Subject != "kept" {
		t.Errorf("kept: %+v", m)
	}
	if m := s.message(t, ids[1]); strings.Contains(m.Text+m.HTML+strings.Join(m.Links, ""), "TOKEN") || strings.Contains(m.Text, "OTHER") || m.Links[2] != links[2] || m.Subject != "sent" {
		t.Errorf("sent: %+v", m)
	}
	for _, id := range ids {
		raw := must[notify.Message](t)(storedAs(s, id))
		if raw.Sealed == nil || raw.Text != "" || raw.HTML != "" || raw.Links != nil || raw.Secrets != nil || raw.Subject != "" {
			t.Errorf("stored in the clear: %+v", raw)
		}
	}
}

func storedAs(s situation, id string) (m notify.Message, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		m, err = notify.GetAsIs(tx, id)
		return err
	})
	return m, err
}

// TestAMessageMovedToAnotherRecordCannotBeRead copies the encrypted part of one
// message into another.
func TestAMessageMovedToAnotherRecordCannotBeRead(t *testing.T) {
	t.Parallel()
	s, _, m := post(t)
	raw := must[notify.Message](t)(storedAs(s, m.ID))
	if raw.Sealed == nil || raw.Text != "" || raw.Links != nil {
		t.Fatalf("stored in the clear: %+v", raw)
	}
	raw.ID = s.NewID().String()
	if err := s.DB.Update(func(tx *kv.Tx) error { return notify.PutAsIs(tx, raw) }); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Notify.Messages.Get(s.owner, raw.ID); err == nil {
		t.Errorf("read %+v", got)
	}
	if _, err := s.Notify.Messages.List(s.owner, notify.OutboxQuery{Limit: 10}); err == nil {
		t.Error("the list passes over it")
	}
}
