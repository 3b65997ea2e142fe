package signing_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"paraph/app/apptest/domain"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/kv"
)

// failing returns the handler for a kind of job, changed so that its only attempt fails.
func (c *company) failing(t *testing.T, kind string) kv.Handler {
	t.Helper()
	all := c.Signing.Handlers()
	i := slices.IndexFunc(all, func(h kv.Handler) bool { return h.Kind == kind })
	if i < 0 {
		t.Fatalf("no handler for %s", kind)
	}
	h := all[i]
	h.Backoff, h.Run = nil, func(context.Context, kv.Job) error { return errors.New("out of order") }
	return h
}

// dead returns the identifiers of the jobs that were given up.
func (c *company) dead(t *testing.T) (ids []string) {
	t.Helper()
	err := c.DB.View(func(tx *kv.Tx) error {
		page, err := c.Jobs.List(tx, kv.JobDead, kv.Query{Limit: 10})
		for _, job := range page.Items {
			ids = append(ids, job.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// TestOverdueWorkNeedsAttention makes each kind of scheduled job fail for good, and then retries it.
func TestOverdueWorkNeedsAttention(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		kind string
		in   record.DocumentInput
		wait time.Duration
	}{
		{"expire", record.DocumentInput{ExpiresAt: new(domain.Start.Add(2 * day))}, 3 * day},
		{"remind", record.DocumentInput{RemindEveryDays: new(2)}, 2 * day},
		{"purge", record.DocumentInput{}, 40 * day},
	} {
		t.Run(x.kind, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t, domain.Options{Signing: func(o *signing.Options) { o.TrashDays = 30 }})
			d := c.Sent(t, c.author, x.in, domain.Signers("a@x.example")...)
			if x.kind == "purge" {
				ok[doc](t)(c.Signing.Sending.Void(c.author, d.ID, new("x")))
				ok[doc](t)(c.Signing.Sending.Delete(c.author, d.ID))
			}
			c.Advance(x.wait)
			c.Work(t, c.failing(t, x.kind))
			d = ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID))
			dead := c.dead(t)
			if d.Attention.Kind != record.AttentionOverdue || !slices.Equal(d.DueJobs, dead) || len(dead) != 1 {
				t.Fatalf("attention is %+v with jobs %v, want jobs %v", d.Attention, d.DueJobs, dead)
			}
			if got := c.events(t, d); got[len(got)-1] != "document.overdue" {
				t.Errorf("recorded %q", got)
			}
			if err := c.DB.Update(func(tx *kv.Tx) error { return c.Jobs.Retry(tx, dead[0]) }); err != nil {
				t.Fatal(err)
			}
			c.Work(t)
			if left := c.dead(t); len(left) > 0 {
				t.Errorf("still dead after the retry: %v", left)
			}
			d, err := c.Signing.Drafts.Get(c.author, d.ID)
			if x.kind == "purge" {
				if domain.Refusal(err) == "" {
					t.Error("the document was not purged")
				}
			} else if err != nil || d.Attention.Kind != "" || len(d.DueJobs) > 0 {
				t.Errorf("after the retry: %+v %v %v", d, d.DueJobs, err)
			}
		})
	}
}
