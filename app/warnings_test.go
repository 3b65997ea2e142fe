package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/kv"
)

// warned is an appliance with people who should be warned and people who should not.
type warned struct {
	*apptest.Server
	operator, owner, member *apptest.Client
}

func toBeWarned(t *testing.T, change ...func(*app.Config)) warned {
	t.Helper()
	s := apptest.New(t, append(change, offered)...)
	owner := s.Company(t)
	operator := s.Company(t).Member(t, account.RoleMember)
	if err := s.Accounts.Companies.SetInstallation(operator.Email, true); err != nil {
		t.Fatal(err)
	}
	return warned{s, operator, owner, owner.Member(t, account.RoleMember)}
}

// watched examines the machine, and returns the warnings that each person sees.
func (w *warned) watched(t *testing.T) (operator, owner, member string) {
	t.Helper()
	if err := w.Machine.Watch(t.Context()); err != nil {
		t.Fatal(err)
	}
	var said [3]string
	for i, c := range []*apptest.Client{w.operator, w.owner, w.member} {
		c = w.Login(t, c.Email) // the clock may have ended the session
		page := string(w.Anonymous().Get(t, "/app/me", "Cookie", "paraph_session="+c.Token, "Accept", "text/html").Want(t, http.StatusOK).Body)
		for _, kind := range []string{"is valid until", "are free on", "is off by", "does not take messages", "issues no timestamps", "waiting to be sealed",
			"has received nothing since", "has been made for", "last check of all data", "of what it may store", "can&#39;t be used"} {
			if strings.Contains(page, kind) {
				said[i] += kind
			}
		}
		if strings.Contains(page, "notice danger") {
			said[i] += "!"
		}
	}
	return said[0], said[1], said[2]
}

// mailed counts the mails of a kind to the operator.
func (w *warned) mailed(t *testing.T, kind string) (n int) {
	t.Helper()
	for _, m := range w.Mails(t, w.operator.Email) {
		if m.Kind == kind {
			n++
		}
	}
	return n
}

// expect examines the machine twice, and compares the warnings on pages, in mails
// and in the metrics.
func (w *warned) expect(t *testing.T, what, kind, banner string, mails int, level float64) {
	t.Helper()
	w.expectOf(t, what, kind, banner, banner, mails, level)
}

// expectOf is expect for warnings that an owner of a company does not see as the operator does.
func (w *warned) expectOf(t *testing.T, what, kind, banner, ofOwner string, mails int, level float64) {
	t.Helper()
	for range 2 {
		operator, owner, member := w.watched(t)
		if operator != banner || owner != ofOwner || member != "" {
			t.Errorf("%s: the operator is warned %q, an owner %q, a member %q; want %q and %q", what, operator, owner, member, banner, ofOwner)
		}
		if got := w.mailed(t, "warning_"+kind); got != mails {
			t.Errorf("%s: %d mails, want %d", what, got, mails)
		}
		all := scrape(t, w.Server)
		for i, urgency := range []string{"warning", "urgent"} {
			got, exists := value(all, "paraph_warning", "kind", kind, "urgency", urgency)
			if !exists || (got == 1) != (level == float64(i+1)) {
				t.Errorf("%s: the figure of %s is %v (exists: %v), want level %v", what, urgency, got, exists, level)
			}
		}
	}
	if n := w.Mails(t, w.owner.Email); len(n) > 0 {
		t.Errorf("%s: an owner of a company got %d mails", what, len(n))
	}
}

func TestFullDiskIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := toBeWarned(t, func(c *app.Config) { c.Data.Reserve = 100 * app.MB })
	w.PretendDisk(500e9, 1000e9)
	w.expect(t, "with room", "disk", "", 0, 0)
	w.PretendDisk(300e6, 1000e9)
	w.expect(t, "filling", "disk", "are free on", 1, 1)
	w.PretendDisk(90e6, 1000e9)
	w.expect(t, "under the reserve", "disk", "are free on!", 2, 2)
	w.PretendDisk(500e9, 1000e9)
	w.expect(t, "mended", "disk", "", 2, 0)
	w.PretendDisk(300e6, 1000e9)
	w.expect(t, "wavering", "disk", "are free on", 2, 1)
	w.PretendDisk(500e9, 1000e9)
	w.expect(t, "mended again", "disk", "", 2, 0)
	w.Advance(t, "2h")
	w.PretendDisk(300e6, 1000e9)
	w.expect(t, "back after it was fine", "disk", "are free on", 3, 1)
}

func TestClockJumpIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := toBeWarned(t)
	w.Advance(t, "24h") // on purpose
	w.expect(t, "moved on purpose", "clock", "", 0, 0)
	for i, jump := range []struct {
		by   time.Duration
		said string
	}{{10 * time.Minute, "+10 min"}, {-70 * time.Minute, "−1 h 10 min"}, {49*time.Hour + 90*time.Second, "+2 d 1 h 2 min"}} {
		by := jump.by
		w.Clock.Advance(by)
		w.expect(t, by.String(), "clock", "is off by!", i+1, 2)
		mails := w.Mails(t, w.operator.Email)
		if !slices.ContainsFunc(mails, func(m apptest.Mail) bool { return strings.Contains(m.Text, jump.said) }) {
			t.Errorf("no mail says that the clock is off by %s", jump.said)
		}
		w.Clock.Advance(-by)
		w.expect(t, "set right", "clock", "", i+1, 0)
		w.Advance(t, "4h")
	}
}

func TestExpiringCertificateIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := toBeWarned(t, func(c *app.Config) { c.Retention.OutboxDays = 0 })
	root := w.Keys.Root()
	w.expect(t, "years before", "certificate", "", 0, 0)
	w.Advance(t, (root.NotAfter.Sub(w.Clock.Now()) - 40*24*time.Hour).String())
	w.expect(t, "in forty days", "certificate", "is valid until", 1, 1)
	w.Advance(t, (35 * 24 * time.Hour).String())
	w.expect(t, "in five days", "certificate", "is valid until!", 2, 2)
	w.Advance(t, (-100 * 24 * time.Hour).String())
	w.expect(t, "with time again", "certificate", "", 2, 0)
}

// TestEveryJobIsRetried finds jobs that one bad moment, such as a full disk, would end
// for good.
func TestEveryJobIsRetried(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	all := slices.Concat(s.Signing.Handlers(), s.Notify.Handlers(), s.Webhooks.Handlers(), s.Machine.Handlers(), s.Checkpoints.Handlers(), []kv.Handler{s.Contacts.Handler()})
	for _, h := range all {
		if len(h.Backoff) == 0 {
			t.Errorf("%s is tried only once", h.Kind)
		}
	}
	if len(all) < 15 {
		t.Errorf("only %d kinds of jobs were checked", len(all))
	}
}
