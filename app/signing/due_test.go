package signing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

const day = 24 * time.Hour

// TestRemindersFollowTheSchedule lets thirteen days pass and records on which of them
// each person is reminded.
func TestRemindersFollowTheSchedule(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name    string
		in      record.DocumentInput
		company []int
		by      map[int]string // who signs on which day
		want    string
	}{
		{"every three days", record.DocumentInput{RemindEveryDays: new(3)}, nil, nil, "a3 b3 a6 b6 a9 b9 a12 b12"},
		{"never", record.DocumentInput{}, nil, nil, ""},
		{"company default", record.DocumentInput{}, []int{2, 5}, nil, "a2 b2 a5 b5"},
		{"document overrides company default", record.DocumentInput{RemindEveryDays: new(6)}, []int{2, 5}, nil, "a6 b6 a12 b12"},
		{"not after signing", record.DocumentInput{RemindEveryDays: new(4)}, nil, map[int]string{5: "a"}, "a4 b4 b8 b12"},
		{"in order", record.DocumentInput{RemindEveryDays: new(4), SigningOrder: new(record.Sequential)}, nil, map[int]string{6: "a"}, "a4 b10"},
		{"until the deadline", record.DocumentInput{RemindEveryDays: new(4), ExpiresAt: new(domain.Start.Add(8 * day))}, nil, nil, "a4 b4"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{ReminderDays: &x.company}))
			d := c.Sent(t, c.author, x.in, sequence("a:1 b:2 viewer:v:1")...)
			before := map[string]int{}
			got := ""
			for n := 1; n <= 13; n++ {
				c.Advance(day)
				c.Work(t)
				if who := x.by[n]; who != "" {
					c.Sign(t, d, who+"@x.example")
				}
				d = ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID))
				for _, inv := range d.Invitations {
					if inv.RemindersSent != before[inv.ID] {
						got += fmt.Sprintf(" %s%d", inv.Email[:1], n)
						before[inv.ID] = inv.RemindersSent
						if !inv.RemindedAt.Equal(c.Now()) {
							t.Errorf("day %d: RemindedAt is %v", n, inv.RemindedAt)
						}
					}
				}
			}
			if want := x.want; want != "" && got != " "+want || want == "" && got != "" {
				t.Errorf("reminders sent:%s, want %s", got, want)
			}
		})
	}
}

func TestManualRemindersAreLimited(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, record.DocumentInput{}, sequence("a b")...)
	a := invited(d, "a@x.example").ID
	remind := func(inv string) string {
		_, err := c.Signing.Sending.Remind(c.author, d.ID, inv)
		return domain.Refusal(err)
	}
	count := func() (n int) {
		for _, inv := range ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID)).Invitations {
			n += inv.RemindersSent
		}
		return n
	}
	for _, x := range []struct {
		name, inv string
		wait      time.Duration
		want      string
		sent      int
	}{
		{"one person", a, 0, "", 1},
		{"same person immediately again", a, 0, "nobody_to_remind", 1},
		{"everyone else", "", 0, "", 2},
		{"everyone immediately again", "", 0, "nobody_to_remind", 2},
		{"unknown invitation", "none", 0, "not_found.invitation", 2},
		{"everyone an hour later", "", time.Hour, "", 4},
	} {
		c.Advance(x.wait)
		if got := remind(x.inv); got != x.want || count() != x.sent {
			t.Errorf("%s: got %q, %d sent; want %q, %d", x.name, got, count(), x.want, x.sent)
		}
	}
	c.Sign(t, d, "a@x.example")
	if got := remind(a); got != "already_signed" {
		t.Error(got)
	}
}

func TestDocumentExpiresAtItsDeadline(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, record.DocumentInput{ExpiresAt: new(c.Now().Add(day))}, sequence("a")...)
	status := func() doc {
		c.Work(t)
		return ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID))
	}
	c.Advance(day - time.Millisecond)
	if d := status(); d.Status != record.Sent || d.ExpiredAt != nil {
		t.Errorf("just before the deadline: %s", d.Status)
	}
	c.Advance(time.Millisecond)
	if d := status(); d.Status != record.Expired || !d.ExpiredAt.Equal(c.Now()) {
		t.Errorf("at the deadline: %s", d.Status)
	}
	for until, want := range map[time.Duration]string{0: "expires_at not_a_future_time", -day: "expires_at not_a_future_time"} {
		if _, err := c.Signing.Sending.Extend(c.author, d.ID, new(c.Now().Add(until))); domain.Refusal(err) != want {
			t.Errorf("%v: %v", until, err)
		}
	}
	if _, err := c.Signing.Sending.Extend(c.author, d.ID, nil); domain.Refusal(err) != "expires_at required" {
		t.Error(err)
	}
	until := c.Now().Add(day)
	if d := ok[doc](t)(c.Signing.Sending.Extend(c.author, d.ID, &until)); d.Status != record.Sent || !d.ExpiresAt.Equal(until) || d.ExpiredAt != nil {
		t.Errorf("extended: %+v", d)
	}
	c.Advance(day)
	if d := status(); d.Status != record.Expired {
		t.Errorf("at the next deadline: %s", d.Status)
	}
}

func TestCompanySetsTheDefaultDeadline(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{DefaultExpiryDays: new(10)}))
	if d := c.Sent(t, c.author, record.DocumentInput{}, sequence("a")...); d.ExpiresAt == nil || !d.ExpiresAt.Equal(c.Now().AddDate(0, 0, 10)) {
		t.Errorf("%v", d.ExpiresAt)
	}
	own := c.Now().Add(day)
	if d := c.Sent(t, c.author, record.DocumentInput{ExpiresAt: &own}, sequence("a")...); !d.ExpiresAt.Equal(own) {
		t.Errorf("%v", d.ExpiresAt)
	}
	d := c.Draft(t, c.author, record.DocumentInput{ExpiresAt: &own}, sequence("a")...)
	c.Advance(day)
	if _, err := c.Signing.Sending.Send(t.Context(), c.author, d.ID, signing.SendInput{}); domain.Refusal(err) != "expires_at not_a_future_time" {
		t.Error(err)
	}
}

func TestTrashIsEmptied(t *testing.T) {
	t.Parallel()
	for days, purged := range map[int]bool{0: false, 30: true} {
		c := newCompany(t, domain.Options{Signing: func(o *signing.Options) { o.TrashDays = days }})
		d, back := c.in(t, deleted), c.in(t, deleted)
		ok[doc](t)(c.Signing.Sending.Restore(c.author, back.ID))
		exists := func(d doc) bool {
			c.Work(t)
			_, err := c.Signing.Drafts.Get(c.author, d.ID)
			if err != nil && fault.KindOf(err) != fault.KindNotFound {
				t.Error(err)
			}
			return err == nil
		}
		if at := c.Signing.Sending.PurgesAt(d); (at != nil) != purged || at != nil && !at.Equal(d.DeletedAt.AddDate(0, 0, days)) {
			t.Errorf("%d days: PurgesAt returned %v", days, at)
		}
		c.Advance(30*day - time.Millisecond)
		if !exists(d) {
			t.Error("the document was purged too early")
		}
		c.Advance(time.Millisecond)
		if exists(d) == purged || !exists(back) {
			t.Errorf("%d days: deleted document exists: %v, restored one: %v", days, exists(d), exists(back))
		}
	}
}

func TestRetentionTrashesClosedDocuments(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	made := map[string]doc{}
	for _, state := range states() {
		made[state] = c.in(t, state)
	}
	put := ok[doc](t)(c.Signing.Sending.Archive(c.author, c.in(t, "voided").ID))
	ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{RetentionDays: new(100)}))
	trashed := func() (out []string) {
		if err := c.Signing.Upkeep.ScheduleRetention(); err != nil {
			t.Fatal(err)
		}
		c.Work(t)
		for state, d := range made {
			if now := ok[doc](t)(c.Signing.Drafts.Get(c.owner, d.ID)); state != deleted && now.DeletedAt != nil {
				out = append(out, state)
			}
		}
		slices.Sort(out)
		return out
	}
	c.Advance(99*day - time.Hour)
	if got := trashed(); len(got) > 0 {
		t.Errorf("trashed too early: %q", got)
	}
	c.Advance(day + time.Hour)
	if n := ok[int](t)(c.Signing.Upkeep.PreviewRetention(ctx, c.owner, 100)); n != 4 {
		t.Errorf("preview counts %d documents, want 4", n)
	}
	for days, want := range map[int]int{101: 0, 0: 0, -1: 0} {
		if n := ok[int](t)(c.Signing.Upkeep.PreviewRetention(ctx, c.owner, days)); n != want {
			t.Errorf("%d days: preview counts %d documents", days, n)
		}
	}
	if _, err := c.Signing.Upkeep.PreviewRetention(ctx, c.author, 100); domain.Refusal(err) != "role_not_allowed" {
		t.Error(err)
	}
	if got, want := trashed(), []string{"completed", "expired", "voided"}; !slices.Equal(got, want) {
		t.Errorf("in the trash: %q, want %q", got, want)
	}
	if now := ok[doc](t)(c.Signing.Drafts.Get(c.owner, put.ID)); now.DeletedAt == nil {
		t.Error("the archived document was kept")
	}
}
