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

// Handlers returns the jobs of this package.
func (s *Service) Handlers() []kv.Handler {
	return []kv.Handler{
		{Kind: regularJob, Timeout: time.Hour, Run: s.makeAll},
		{Kind: folderJob, Timeout: 10 * time.Minute, Backoff: attempts, Run: s.toFolder, OnFail: s.failed},
		{Kind: webhookJob, Timeout: time.Minute, Backoff: attempts, Run: s.toWebhook, OnFail: s.failed},
	}
}

func (s *Service) failed(_ *kv.Tx, job kv.Job, err error) error {
	s.Log.Error("publishing a checkpoint", "through", job.Kind, "company", job.Key, "given up", job.State == kv.JobDead, "error", err)
	return nil
}

const onlyRun = "all companies"

// Schedule plans the next regular checkpoints: an interval after the last, at once
// if that is over.
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
		return s.Jobs.Add(tx, kv.Job{Kind: regularJob, Key: "all", Due: due})
	})
}

// makeAll makes a checkpoint for every company that has a journal, after planning
// the next run. A company whose history is damaged does not keep the others from
// theirs.
func (s *Service) makeAll(ctx context.Context, _ kv.Job) error {
	err := s.DB.Update(func(tx *kv.Tx) error {
		return errors.Join(runs.Put(tx, onlyRun, lastRun{tx.Now}),
			s.Jobs.Add(tx, kv.Job{Kind: regularJob, Key: "all", Due: tx.Now.Add(s.Every)}))
	})
	if err != nil {
		return err
	}
	companies, err := s.Companies(ctx)
	if err != nil {
		return err
	}
	var texts []string
	var failed []error
	for _, c := range companies {
		signed, err := s.makeOne(c)
		if err != nil {
			s.Log.Error("making a checkpoint", "company", c.ID, "error", err)
			failed = append(failed, fmt.Errorf("company %s: %w", c.ID, err))
		}
		if signed != "" {
			texts = append(texts, signed)
		}
	}
	return errors.Join(append(failed, s.mail(texts), ctx.Err())...)
}

// makeOne returns a company's new checkpoint, "" if it has no journal yet.
func (s *Service) makeOne(c account.Company) (signed string, err error) {
	err = s.DB.For(c.ID).Update(func(tx *kv.Tx) error {
		if size, err := s.Trees.Size(tx, c.ID); err != nil || size == 0 {
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

// message is what a webhook receives.
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
