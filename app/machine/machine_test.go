package machine_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/machine"
	"paraph/app/mail"
	"paraph/kv"
)

// refusing is a mail server that takes nothing.
type refusing struct{ err error }

func (r *refusing) Deliver(context.Context, mail.Message) (string, error) { return "250 taken", r.err }

// operator may administer the installation.
var operator = account.Actor{Kind: account.ActorUser, UserID: "op", Installation: true}

func service(s *domain.Services) *machine.Service {
	return machine.New(machine.Options{DB: s.DB, Jobs: s.Jobs, Accounts: s.Accounts, Lists: s.Signing.Lists, Completion: s.Signing.Completion, Store: s.Signing.Store, Notify: s.Notify, Log: machine.NewRing()})
}

// TestFailedMailIsRetried has a mail fail and retries its job, then the message.
func TestFailedMailIsRetried(t *testing.T) {
	t.Parallel()
	server := &refusing{err: mail.ErrRejected}
	s := domain.New(t, domain.Options{Sender: server})
	m := service(s)
	if _, err := s.Accounts.Companies.FoundCompany(t.Context(), account.Call{Actor: operator}, account.CompanyInput{Name: "Acme", Email: "olga@acme.example"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Accounts.Authentication.ForgotPassword("olga@acme.example", account.From{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Accounts.Upkeep.Flush(); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	failed, err := m.ListMails(t.Context(), account.Call{Actor: operator}, false, 0, 10)
	if err != nil || failed.Total != 1 || failed.Items[0].To != "olga@acme.example" {
		t.Fatalf("got %+v, %v", failed, err)
	}
	dead, err := m.ListJobs(account.Call{Actor: operator}, kv.JobDead, 0, 10)
	if err != nil || dead.Total != 1 || dead.Items[0].Attempts != 1 || strings.Contains(dead.Items[0].ID, "/") {
		t.Fatalf("got %+v, %v", dead, err)
	}
	server.err = nil
	if err := m.RetryJob(t.Context(), account.Call{Actor: operator}, dead.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	work(t, s)
	if failed, err = m.ListMails(t.Context(), account.Call{Actor: operator}, false, 0, 10); err != nil || failed.Total != 0 {
		t.Errorf("after another try %+v, %v", failed, err)
	}
	if err := m.RetryJob(t.Context(), account.Call{Actor: operator}, dead.Items[0].ID); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("a job that is done: %v", err)
	}
}

// work does what is due.
func work(t *testing.T, s *domain.Services) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Jobs.Run(ctx, 1, s.Notify.Handlers()...) }()
	err := s.Jobs.Idle(t.Context())
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
}

// TestLogKeepsErrorsApart logs many ordinary lines after an error.
func TestLogKeepsErrorsApart(t *testing.T) {
	t.Parallel()
	ring := machine.NewRing()
	m := machine.New(machine.Options{Log: ring})
	log := slog.New(ring.Handler(slog.DiscardHandler)).With("part", "x")
	log.Error("request failed", "request_id", "01AAAA", "error", "no such mailbox: ann.smith@signer.example")
	for range 5000 {
		log.Info("request", "id", "01BBBB")
	}
	log.Debug("not kept", "id", "01AAAA")
	lines, err := m.ListLines(account.Call{Actor: operator}, " 01aaaa")
	if err != nil || len(lines) != 1 || !strings.Contains(lines[0], "part=x") || strings.Contains(lines[0], "ann.smith") || !strings.Contains(lines[0], "…@signer.example") {
		t.Errorf("got %q, %v", lines, err)
	}
	if all, err := m.ListLines(account.Call{Actor: operator}, ""); err != nil || len(all) != 500 || !strings.Contains(all[0], "01BBBB") {
		t.Errorf("%d lines, %v", len(all), err)
	}
	if _, err := m.ListLines(account.Call{Actor: account.Actor{Kind: account.ActorUser, Role: account.RoleOwner}}, ""); fault.KindOf(err) != fault.KindNotFound {
		t.Errorf("somebody else gets %v", err)
	}
}
