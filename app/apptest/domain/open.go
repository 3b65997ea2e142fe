package domain

import (
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/checkpoint"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/app/words"
	"paraph/kv"
)

func (s *Services) open(t testing.TB, o Options) (err error) {
	if s.DB, err = kv.Open(kv.Options{InMemory: true, Now: s.Now}); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := s.DB.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Jobs = kv.NewJobs(s.DB)
	all, err := catalogue()
	if err != nil {
		return err
	}
	out := notify.Options{DB: s.DB, Jobs: s.Jobs, Words: all, Transport: notify.Transport{Sender: o.Sender, From: From},
		NewID: s.NewID, Key: s.Key, BaseURL: BaseURL, Now: s.Now, Captures: true}
	change(&out, o.Outbox)
	outbox, err := notify.NewOutbox(out)
	if err != nil {
		return err
	}
	people := account.Options{TokenKey: s.Key, Now: s.Now, NewID: s.NewID, Mailer: outbox.Mail, Forget: outbox.Forget,
		Cost: account.Cost{Memory: 8, Passes: 1, Threads: 1}}
	change(&people, o.Account)
	if s.Accounts, err = account.New(s.DB, people); err != nil {
		return err
	}
	if err := s.openSigning(t, all, outbox, o.Signing); err != nil {
		return err
	}
	s.Notify = notify.New(outbox, s.Signing)
	return nil
}

func (s *Services) openSigning(t testing.TB, all *words.Catalogue, outbox *notify.Outbox,
	set func(*signing.Options)) error {
	files, err := blob.Open(t.TempDir(), blob.Options{Now: s.Now})
	if err != nil {
		return err
	}
	keys, err := pki.Open("", pki.Options{Now: s.Now})
	if err != nil {
		return err
	}
	ring, err := tree.OpenKeyring("")
	if err != nil {
		return err
	}
	s.Checkpoints = checkpoint.New(checkpoint.Options{
		DB: s.DB, Jobs: s.Jobs, Trees: store.Journal().Trees(), Keys: ring,
		Companies: s.Accounts.Operator.AllCompanies, Now: s.Now, Every: 24 * time.Hour})
	o := signing.Options{DB: s.DB, Jobs: s.Jobs, Blobs: files, Accounts: s.Accounts, Keys: keys,
		Checkpoints: s.Checkpoints, Words: all, Fonts: fonts(),
		Mailer: outbox.Mail, Mails: outbox.Mails, Forget: outbox.Forget, LinkKey: s.Key, NewID: s.NewID, Now: s.Now,
		BaseURL: BaseURL}
	change(&o, set)
	s.Signing = signing.New(o)
	return nil
}
