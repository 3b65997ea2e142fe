package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"paraph/app/account"
	"paraph/app/checkpoint"
	"paraph/app/notify"
	"paraph/app/seal"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/app/webhook"
	"paraph/kv"
)

// openCheckpointKeys opens the key that signs checkpoints.
func openCheckpointKeys(r keyRegister) (*tree.Keyring, error) {
	if r.data == "" {
		return tree.OpenKeyring("")
	}
	ring, err := tree.OpenKeyring(filepath.Join(r.folder(), checkpointKey))
	if err != nil {
		return nil, err
	}
	return ring, r.Keep(checkpointKey, ringMarks(ring)[0])
}

func (a *App) checkpoints(outbox *notify.Outbox) (*checkpoint.Service, error) {
	c := a.Config.Checkpoints
	o := checkpoint.Options{
		DB: a.db, Jobs: a.jobs, Trees: store.Journal().Trees(), Keys: a.checkpointKeys,
		Companies: a.Accounts.Operator.AllCompanies, Now: a.Clock.Now, Log: a.log, Every: c.Interval, Folder: c.Folder,
	}
	if c.Webhook != "" {
		key, err := checkpointSecret(a.key)
		if err != nil {
			return nil, err
		}
		client := outgoing{a.Config.Network}.webhooks(a.Config.Webhooks, a.metrics)
		o.Post = checkpointPost{c.Webhook, key, client, a.Clock.Now}.post
	}
	if len(c.Mail) > 0 {
		o.Mail = func(tx *kv.Tx, at time.Time, texts string) error {
			for _, to := range c.Mail {
				data := map[string]string{"date": at.Format(time.DateOnly), "verbatim": texts}
				err := outbox.Mail(tx, account.Mail{Kind: notify.MailCheckpoints, To: to, Name: to, Data: data})
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	return checkpoint.New(o), nil
}

// checkpointSecret returns the key that signs messages to checkpoints.webhook.
func checkpointSecret(key []byte) ([]byte, error) { return seal.Derive(key, "checkpoint webhook") }

// checkpointPost posts checkpoints to the operator's webhook.
type checkpointPost struct {
	url    string
	key    []byte // that signs the messages
	client *webhook.Client
	now    func() time.Time
}

func (p checkpointPost) post(ctx context.Context, id, body string) error {
	m := webhook.Message{URL: p.url, ID: id, At: p.now(), Body: []byte(body), Keys: [][]byte{p.key}}
	answer, err := p.client.Post(ctx, m)
	if err == nil && !answer.OK() {
		err = fmt.Errorf("the receiver of checkpoints answered with status %d", answer.Status)
	}
	return err
}

// readPublished reads files with published checkpoints. A folder stands for the
// newest checkpoint in it.
func readPublished(paths []string) (all []checkpoint.Published, err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, "checkpoint")
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found := tree.Find(string(b))
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no checkpoint", path)
		}
		folder, ok := tree.FolderOf(path)
		if !ok {
			folder = ""
		}
		for _, signed := range found {
			all = append(all, checkpoint.Published{Signed: signed, Folder: folder})
		}
	}
	return all, nil
}

// printCheckpointKeys prints the keys that verify checkpoints, and the secret of the
// webhook.
func printCheckpointKeys(ctx context.Context, a *App, _ NoInput, w io.Writer) error {
	companies, err := a.Accounts.Operator.AllCompanies(ctx)
	for _, c := range companies {
		key, e := a.checkpointKeys.Key(c.ID)
		fmt.Fprintf(w, "%s  %s\n", key, c.Name)
		err = errors.Join(err, e)
	}
	if err != nil || a.Config.Checkpoints.Webhook == "" {
		return err
	}
	secret, err := checkpointSecret(a.key)
	fmt.Fprintf(w, "\nThe secret of the webhook is %s\n", webhook.Secret(secret))
	return err
}

// rotateCheckpointKey replaces the key that signs checkpoints.
func rotateCheckpointKey(_ context.Context, a *App, _ NoInput, w io.Writer) error {
	err := a.checkpointKeys.Rotate(a.Clock.Now())
	if err == nil {
		err = a.register().Keep(checkpointKey, ringMarks(a.checkpointKeys)[0])
	}
	if err == nil {
		fmt.Fprintln(w, "Checkpoints are signed by a new key from now on. The old key has signed for it.")
	}
	return err
}
