package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/tree"
	"paraph/kv"
)

const (
	regularJob = "checkpoint"
	folderJob  = "checkpoint-folder"
	webhookJob = "checkpoint-webhook"
)

// attempts are the pauses after failures to publish, about two days in all.
var attempts = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// regularAttempts are the pauses after failures to make the regular checkpoints, shorter
// in all than the interval at which they are made by default.
var regularAttempts = []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}

// Handlers returns the jobs of this package.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{
		{Kind: regularJob, Timeout: time.Hour, Backoff: regularAttempts, Run: s.makeAll, OnFail: s.notMade},
		{Kind: folderJob, Timeout: 10 * time.Minute, Backoff: attempts, Run: s.toFolder, OnFail: s.notPublished},
		{Kind: webhookJob, Timeout: time.Minute, Backoff: attempts, Run: s.toWebhook, OnFail: s.notPublished},
	}
}

func (s *Service) notPublished(_ *kv.Tx, job kv.Job, err error) error {
	gaveUp := job.State == kv.JobDead
	s.Log.Error("publishing a checkpoint", "through", job.Kind, "company", job.Key, "given up", gaveUp, "error", err)
	return nil
}

// notMade plans the next run after one that was given up.
func (s *Service) notMade(tx *kv.Tx, job kv.Job, err error) error {
	s.Log.Error("making checkpoints", "given up", job.State == kv.JobDead, "error", err)
	if job.State != kv.JobDead {
		return nil
	}
	return s.makeAt(tx, tx.Now.Add(s.Every))
}

func (s *Service) makeAt(tx *kv.Tx, at time.Time) error {
	return s.Jobs.Add(tx, kv.Job{Kind: regularJob, Key: "all", Due: at})
}

const onlyRun = "all companies"

// Schedule plans the next regular checkpoints: an interval after the last complete run,
// at once if that time has passed.
func (s *Service) Schedule() error {
	return s.DB.Update(func(tx *kv.Tx) error {
		last, err := runs.Get(tx, onlyRun)
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		due := last.At.Add(s.Every)
		if due.Before(tx.Now) || last.At.After(tx.Now) { // the clock was set back
			due = tx.Now
		}
		return s.makeAt(tx, due)
	})
}

// makeAll makes a checkpoint for every company that has a journal. A damaged history
// fails its own company only; a further attempt leaves out the companies that got
// theirs in an earlier one.
func (s *Service) makeAll(ctx context.Context, job kv.Job) error {
	run, err := s.begin(job)
	if err != nil {
		return err
	}
	var since time.Time
	if job.Attempts > 1 {
		since = run.Began
	}
	companies, err := s.Companies(ctx)
	if err != nil {
		return err
	}
	var texts []string
	var failed []error
	for _, c := range companies {
		signed, err := s.makeOne(c, since)
		if err != nil {
			failed = append(failed, fmt.Errorf("company %s: %w", c.ID, err))
		}
		if signed != "" {
			texts = append(texts, signed)
		}
	}
	if err := errors.Join(append(failed, s.mail(texts), ctx.Err())...); err != nil {
		return err
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		return errors.Join(runs.Put(tx, onlyRun, lastRun{At: run.Began, Began: run.Began}), s.makeAt(tx, run.Began.Add(s.Every)))
	})
}

// begin stores when the first attempt of a run began, and returns that for all of them.
func (s *Service) begin(job kv.Job) (run lastRun, err error) {
	err = s.DB.Update(func(tx *kv.Tx) error {
		run, err = runs.Get(tx, onlyRun)
		if err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if job.Attempts > 1 && !run.Began.IsZero() {
			return nil
		}
		run.Began = tx.Now
		return runs.Put(tx, onlyRun, run)
	})
	return run, err
}

// makeOne returns a company's new checkpoint, "" if it has no journal yet or, unless since
// is zero, got a checkpoint since then.
func (s *Service) makeOne(c account.Company, since time.Time) (signed string, err error) {
	err = s.DB.For(c.ID).Update(func(tx *kv.Tx) error {
		if size, err := s.Trees.Size(tx, c.ID); err != nil || size == 0 {
			return err
		}
		last, ok, err := s.latest(tx, c.ID)
		if err != nil || ok && !since.IsZero() && !last.At.Before(since) {
			return err
		}
		made, err := s.Make(tx, c.ID)
		signed = made.Signed
		return err
	})
	return signed, err
}

func (s *Service) mail(texts []string) error {
	if s.Mail == nil || len(texts) == 0 {
		return nil
	}
	return s.DB.Update(func(tx *kv.Tx) error { return s.Mail(tx, tx.Now, strings.Join(texts, "\n")) })
}

// publishLater plans the publication of a company's newest checkpoint. Those made
// until it runs are published together.
func (s *Service) publishLater(tx *kv.Tx, company string) error {
	var err error
	if s.Folder != "" {
		err = s.Jobs.Add(tx, kv.Job{Kind: folderJob, Scope: company, Key: company})
	}
	if s.Post != nil {
		err = errors.Join(err, s.Jobs.Add(tx, kv.Job{Kind: webhookJob, Scope: company, Key: company}))
	}
	return err
}

func (s *Service) toFolder(_ context.Context, job kv.Job) error {
	if s.Folder == "" {
		return nil // no longer configured
	}
	return s.DB.View(func(tx *kv.Tx) error {
		c, ok, err := s.latest(tx, job.Key)
		if err != nil || !ok {
			return err
		}
		h, err := c.head()
		if err != nil {
			return err
		}
		key, err := s.signedBy(tx, c)
		if err != nil {
			return err
		}
		folder := tree.Folder(filepath.Join(s.Folder, c.Company))
		return folder.Publish(h, c.Signed, key, s.Keys.Handovers(), s.Trees.Reader(tx, c.Company))
	})
}

// message is the body of a request to the webhook.
type message struct {
	Type      string      `json:"type"`
	Timestamp string      `json:"timestamp"`
	Data      messageData `json:"data"`
}

type messageData struct {
	CompanyID  string   `json:"company_id"`
	Size       int64    `json:"size"`
	Root       string   `json:"root"`
	Checkpoint string   `json:"checkpoint"`
	Key        string   `json:"key"`
	Handovers  []string `json:"handovers"`
}

// MessageType is the type of the message to a webhook.
const MessageType = "checkpoint.created"

func (s *Service) toWebhook(ctx context.Context, job kv.Job) error {
	if s.Post == nil {
		return nil // no longer configured
	}
	var c Checkpoint
	var key string
	err := s.DB.View(func(tx *kv.Tx) (err error) {
		var ok bool
		if c, ok, err = s.latest(tx, job.Key); err == nil && ok {
			key, err = s.signedBy(tx, c)
		}
		return err
	})
	if err != nil || c.Signed == "" {
		return err
	}
	data := messageData{c.Company, c.Size, c.Root, c.Signed, key, append([]string{}, s.Keys.Handovers()...)}
	body, err := json.Marshal(message{MessageType, c.At.UTC().Format(time.RFC3339Nano), data})
	if err != nil {
		return err
	}
	return s.Post(ctx, fmt.Sprintf("checkpoint_%s_%d_%d", c.Company, c.Size, c.At.UnixMilli()), string(body))
}
