package app

import (
	"errors"

	"paraph/app/account"
	"paraph/app/bulk"
	"paraph/app/notify"
	"paraph/app/signing/store"
	"paraph/kv"
)

// migrations returns the migrations that bring older records up to date. key returns
// the installation's key.
func migrations(key func() ([]byte, error)) []kv.Migration {
	return []kv.Migration{
		{To: 1, Run: store.Migrate},
		{To: 2, Run: func(db *kv.DB) error { return kv.NewJobs(db).Rebuild() }},
		{To: 3, Run: store.MigrateIssued},
		{To: 4, Run: migrateInstallation},
		{To: 5, Run: migrateAdministration},
		{To: 6, Run: func(db *kv.DB) error { return sealRecords(db, key) }},
		{To: 7, Run: store.Journal().Plant},
		{To: 8, Run: account.MoveAnswers},
		{To: 9, Run: indexFiles},
		{To: 10, Run: store.MigrateScheduled},
		{To: 11, Run: nothing}, // messages are stored compressed, which older programs can't read
		{To: 12, Run: migrateLinks},
		{To: 13, Run: nothing}, // tokens can have limits, which older programs don't heed
	}
}

// nothing is the migration of records that are read as they are, but that older programs could
// not read, or would misread, once this one has written them.
func nothing(*kv.DB) error { return nil }

// sealRecords encrypts what older versions have stored in the clear, and removes it
// from the disk.
func sealRecords(db *kv.DB, key func() ([]byte, error)) error {
	k, err := key()
	if err != nil {
		return err
	}
	if err := errors.Join(notify.MigrateSealed(db, k), account.MigrateAnswers(db, k)); err != nil {
		return err
	}
	return db.Rewrite()
}

// migrateInstallation adds the records needed for administering the installation.
func migrateInstallation(db *kv.DB) error {
	return errors.Join(account.GrantFirst(db), store.MigrateUsage(db))
}

// migrateAdministration adds the indexes for the pages of the installation's administrators.
func migrateAdministration(db *kv.DB) error {
	return errors.Join(account.MigrateIndexes(db), notify.MigrateEverywhere(db))
}

// migrateLinks lets no older link prove an address, as nobody recorded who saw it, and indexes
// messages anew, since those with a link into an account are the installation's.
func migrateLinks(db *kv.DB) error {
	return errors.Join(account.MigrateLinks(db), notify.MigrateEverywhere(db))
}

// indexFiles adds the indexes of what documents and bulk runs need of the stored files.
func indexFiles(db *kv.DB) error {
	return errors.Join(store.Documents.Rebuild(db), bulk.IndexFiles(db))
}

// dataVersion returns the version of the records that this program writes.
func dataVersion() int {
	all := migrations(nil)
	return all[len(all)-1].To
}
