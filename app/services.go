package app

import (
	"fmt"
	"time"

	"paraph/app/account"
	"paraph/app/api"
	"paraph/app/backup"
	"paraph/app/bulk"
	"paraph/app/confine"
	"paraph/app/contact"
	"paraph/app/convert"
	"paraph/app/machine"
	"paraph/app/notify"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/pictures"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/words"
)

// revocationTimeout is for one request for revocation data.
const revocationTimeout = 5 * time.Second

// pictureBytes is the maximum disk space for page images.
const pictureBytes = 512 << 20

// openServices creates the services of the domain, each fully constructed.
func (a *App) openServices(o Options) (err error) {
	if a.key, err = a.installationKey(); err != nil {
		return err
	}
	if a.words, err = words.Load(); err != nil {
		return err
	}
	a.fonts = text.New()
	ids, err := continuedIDs(a.db, a.Clock.Now)
	if err != nil {
		return err
	}
	outbox, err := notify.NewOutbox(notify.Options{
		DB: a.db, Jobs: a.jobs, Words: a.words, Captures: a.Config.Server.TestControls, Mishaps: a.mishaps, NewID: ids.New, Key: a.key, BaseURL: a.URL(),
		Days: a.Config.Retention.OutboxDays, Now: a.Clock.Now, Log: a.log,
	})
	if err != nil {
		return err
	}
	if a.Accounts, err = a.accounts(o, ids, outbox); err != nil {
		return err
	}
	if a.MailServer, err = a.mailServer(outbox); err != nil {
		return err
	}
	if a.Checkpoints, err = a.checkpoints(outbox); err != nil {
		return err
	}
	if a.Signing, err = a.signing(ids, outbox); err != nil {
		return err
	}
	a.Notify = notify.New(outbox, a.Signing)
	a.Webhooks = notify.NewWebhooks(notify.WebhookOptions{
		DB: a.db, Jobs: a.jobs, Store: a.Signing.Store, Trail: a.Signing.Trail,
		Client: outgoing{a.Config.Network}.webhooks(a.Config.Webhooks, a.metrics), Mishaps: a.mishaps, Key: a.key, NewID: ids.New,
		Attempts: a.Config.Webhooks.Attempts, Days: a.Config.Retention.DeliveryDays, Now: a.Clock.Now, NowIn: a.Clock.NowIn, Log: a.log,
		Body: api.WebhookBody(a.words.English()), TestBody: api.WebhookTestBody,
	})
	a.Contacts = contact.New(contact.Options{
		DB: a.db, Jobs: a.jobs, Store: a.Signing.Store, NewID: ids.New, Max: a.Config.Server.Limits.CompanyContacts,
		TrashDays: a.Config.Retention.TrashDays, Log: a.log,
	})
	a.Bulk, err = bulk.New(bulk.Options{
		DB: a.db, Jobs: a.jobs, Drafts: a.Signing.Drafts,
		Key: a.key, NewID: ids.New, Now: a.Clock.NowIn, Processors: a.shares,
		MaxRows: a.Config.Server.Limits.BulkRows, KeepDays: a.Config.Retention.BulkDays, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.PublicLinks = publiclink.New(publiclink.Options{
		DB: a.db, Accounts: a.Accounts, Drafts: a.Signing.Drafts, Signing: a.Signing.Signing,
		Sending: a.Signing.Sending, Mails: outbox.Mails, Key: a.key, NewID: ids.New, Now: a.Clock.Now, NowIn: a.Clock.NowIn,
		BaseURL: a.Config.Server.BaseURL,
	})
	a.Machine = machine.New(a.machine())
	return nil
}

func (a *App) accounts(o Options, ids *ids, outbox *notify.Outbox) (*account.Services, error) {
	auth := a.Config.Auth
	cost := account.Cost{Memory: uint32(auth.PasswordMemory / 1024), Passes: uint32(auth.PasswordPasses), Threads: 1}
	if o.Cheap {
		cost = account.Cost{Memory: 64, Passes: 1, Threads: 1}
	}
	return account.New(a.db, account.Options{
		TokenKey: a.key, Now: a.Clock.Now, NewID: ids.New, Log: a.log, Mailer: outbox.Mail, Forget: outbox.Forget, Cost: cost,
		TokenLifetime: auth.TokenLifetime, AccountAttempts: auth.LoginAttempts,
		Members: a.Config.Server.Limits.CompanyMembers, AddressAttempts: auth.LoginAttemptsPerAddress, AttemptWindow: auth.LoginWindow,
	})
}

func (a *App) signing(ids *ids, outbox *notify.Outbox) (*signing.Services, error) {
	out := outgoing{a.Config.Network}
	remote, err := out.timestamper(a.Config.Signing, a.Clock.Now)
	if err != nil {
		return nil, fmt.Errorf("signing.timestamp_url: %w", err)
	}
	if remote != nil {
		a.authority = &authority{Timestamper: remote, url: a.Config.Signing.TimestampURL, client: out.client(a.Config.Signing.TimestampTimeout)}
	}
	pages, err := pictures.Open(a.path("pictures"), pictureBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of page images: %w", err)
	}
	a.pictures = pages
	return signing.New(signing.Options{
		DB: a.db, Jobs: a.jobs, Search: a.index, Blobs: a.blobs, Accounts: a.Accounts, Keys: a.Keys,
		Checkpoints: a.Checkpoints,
		Words:       a.words, Fonts: a.fonts, PDFium: a.pdfium, Pictures: pages, Office: a.office(), Timestamper: a.timestamper,
		Revocations: pki.NewCollector(out.revocations(revocationTimeout), a.Clock.Now),
		Consent:     a.Config.Signing.Consent, Mailer: outbox.Mail, Mails: outbox.Mails, Forget: outbox.Forget, LinkKey: a.key, NewID: ids.New, Now: a.Clock.Now, NowIn: a.Clock.NowIn, Latest: a.Clock.Latest,
		Employment: contact.Employment,
		BaseURL:    a.Config.Server.BaseURL, TrashDays: a.Config.Retention.TrashDays, Log: a.log,
		Quota:   a.quota(),
		Members: &a.members, Limits: a.documentLimits(),
	}), nil
}

// quota returns what one company may store.
func (a *App) quota() store.Quota {
	limits := a.Config.Server.Limits
	return store.Quota{Documents: limits.CompanyDocuments, Bytes: int64(limits.CompanyStorage), Disk: a.disk.room}
}

// office returns LibreOffice, or nil for the built-in renderer, and logs what it can't be kept from.
func (a *App) office() *convert.Office {
	o := findOffice(a.Config.Convert)
	if o == nil {
		return nil
	}
	a.onClose(o.Close)
	if lack := unconfined(confine.Offered()); lack != "" {
		a.log.Warn("LibreOffice is not confined: references are removed from files, but this system can't keep it from "+lack, "remedy", confineRemedy)
	}
	return o
}

// confineRemedy tells how a system gets what confines LibreOffice.
const confineRemedy = "Use Linux 5.13 or later with Landlock and seccomp, which containers and systemd units may have to allow."

// unconfined tells what a converter can reach for all that a system offers, "" if nothing.
func unconfined(p confine.Protection) string {
	switch {
	case p.Whole():
		return ""
	case p.Files:
		return "the network"
	case p.Network:
		return "the files of this machine"
	}
	return "the files of this machine and the network"
}

// documentLimits returns the configured limits of one document.
func (a *App) documentLimits() record.Limits {
	limits := a.Config.Server.Limits
	return record.Limits{
		UploadBytes: int64(limits.Upload), Files: limits.Files, Pages: limits.Pages,
		Invitations: limits.Invitations, Fields: limits.Fields,
	}.WithDefaults()
}

// findOffice returns LibreOffice, or nil for the built-in renderer.
func findOffice(c ConvertConfig) *convert.Office {
	if c.Soffice == "none" {
		return nil
	}
	o, found := convert.FindOffice(c.Soffice)
	if !found {
		return nil
	}
	o.Timeout, o.Unconfined, o.Fonts = c.Timeout, c.Unconfined, text.WriteFiles
	return o
}

// dangers examines what administrators are warned of.
func (a *App) dangers() dangers { return dangers{a, newServerTLS(a.Config, a.dir, a.log)} }

// machine returns the information about the machine shown to administrators of the
// installation.
func (a *App) machine() machine.Options {
	o := machine.Options{
		DB: a.db, Jobs: a.jobs, Accounts: a.Accounts, Notify: a.Notify,
		Lists: a.Signing.Lists, Completion: a.Signing.Completion, Store: a.Signing.Store, Log: a.lines, Logger: a.log,
		Program: Version(), Data: dataVersion(), Started: a.Clock.Now(), Now: a.Clock.Now, Check: a.checkNow, Dangers: a.dangers().table(),
		Checked: func() (machine.Check, error) {
			c, err := lastCheck(a.dir)
			return machine.Check{At: c.At, Problems: c.Problems}, err
		},
	}
	o.Growth = a.growth
	if !a.inMem {
		o.CheckEvery = a.Config.Data.CheckEvery
		o.Backup = func() (machine.Backup, error) { return machineBackup(a.dir) }
	}
	return o
}

func machineBackup(dir string) (machine.Backup, error) {
	r, _, err := backup.Last(dir)
	return machine.Backup{At: r.Confirmed, Where: r.Where, Size: r.Size, Encrypted: r.Encrypted}, err
}
