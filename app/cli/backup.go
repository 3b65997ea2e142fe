package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/archive"
	"paraph/app/folder"
)

// keyFlags name the keys of encrypted backups.
type keyFlags struct {
	recipients, identities []string
	passphrase             string
}

func (k *keyFlags) decrypting(c *cobra.Command) {
	c.Flags().StringArrayVar(&k.identities, "identity", nil, "file with an identity of age that decrypts the backup (repeatable)")
	c.Flags().StringVar(&k.passphrase, "passphrase-file", "", "file whose first line is the passphrase")
}

func (k *keyFlags) keys() (archive.Keys, error) {
	keys, err := archive.ParseKeys(k.recipients, k.identities, k.passphrase)
	if err != nil {
		return keys, UsageError{Err: err}
	}
	return keys, nil
}

const backupLong = `Write a backup of records, audit trail, files, keys and configuration file to OUT:
a new file, or a folder, which gets a file named after the time, or a folder of
S3-compatible storage, s3://BUCKET/FOLDER, whose keys and address are read from
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL. The
server may run meanwhile. The backup is read back before it gets its name.

A backup holds the signing keys. Whoever reads one that is not encrypted can sign
as you: encrypt it with --recipient or --passphrase-file, or keep it where only
you can read it. What is set by environment variables is not in it.`

// Backups returns the command that makes and verifies backups.
func Backups(s *Settings) *cobra.Command {
	var k keyFlags
	var o app.BackupOptions
	var follow, takeOver bool
	var every time.Duration
	c := &cobra.Command{Use: "backup OUT", Short: "Back up all data, also while the server runs", Long: backupLong,
		Example: "  paraph backup /mnt/backups/\n  paraph backup /mnt/backups/ --since /mnt/backups/\n  paraph backup paraph.tar.zst.age --recipient age1…\n  paraph backup s3://backups/paraph --recipient age1…\n  paraph backup /mnt/follow --follow", Args: Args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			if o.Keys, err = k.keys(); err != nil {
				return err
			}
			if follow && (o.Since != "" || every <= 0) {
				return UsageError{errors.New("--follow finds out itself what to continue, and --every is longer than 0s")}
			}
			if takeOver && !follow {
				return UsageError{errors.New("--take-over needs --follow")}
			}
			if follow {
				return app.FollowBackups(c.Context(), cfg, args[0], app.FollowOptions{Keys: o.Keys, Every: every, TakeOver: takeOver}, c.OutOrStdout())
			}
			return app.Backup(c.Context(), cfg, args[0], o, c.OutOrStdout())
		}}
	c.Flags().StringVar(&o.Since, "since", "", "write only what changed after this backup (a file, or a folder for its newest)")
	c.Flags().BoolVar(&follow, "follow", false, "keep the folder OUT up to date until stopped, through restarts of the server")
	c.Flags().BoolVar(&takeOver, "take-over", false, "with --follow: go on in OUT although another server was restored or promoted in this one's stead")
	c.Flags().DurationVar(&every, "every", 30*time.Second, "pause between two backups with --follow")
	c.Flags().StringArrayVar(&k.recipients, "recipient", nil, "encrypt for this public key of age (repeatable)")
	c.Flags().StringVar(&k.passphrase, "passphrase-file", "", "encrypt with the passphrase in the first line of this file")
	c.AddCommand(verifyBackup(s))
	return c
}

func verifyBackup(s *Settings) *cobra.Command {
	var k keyFlags
	c := &cobra.Command{Use: "verify IN", Short: "Restore a backup aside, check it, and sign a document in the copy",
		Long: `Restore a backup into a temporary folder (TMPDIR says where), check it as paraph
check does, and complete a document in the copy. Nothing is sent, and the copy is
removed.`,
		Example: "  paraph backup verify /mnt/backups/", Args: Args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			keys, err := k.keys()
			if err != nil {
				return err
			}
			problems, err := app.VerifyBackup(c.Context(), cfg, args[0], keys, c.OutOrStdout())
			for _, p := range problems {
				fmt.Fprintln(c.OutOrStdout(), p)
			}
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				return ErrNo
			}
			fmt.Fprintln(c.OutOrStdout(), "\nThe backup is good.")
			return nil
		}}
	k.decrypting(c)
	return c
}

// Restore returns the command that restores a backup.
func Restore(s *Settings) *cobra.Command {
	var k keyFlags
	var files string
	c := &cobra.Command{Use: "restore IN", Short: "Put a backup into an empty data folder",
		Long: `Put a backup into the data folder, which must be empty or missing. IN is a file, or
a folder, of which the newest backup counts; the backups that it continues must lie
beside it. Every byte is checked first to last; when anything is wrong, the data
folder stays empty.`,
		Example: "  paraph restore /mnt/backups/ --set data.dir=/var/lib/paraph", Args: Args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			keys, err := k.keys()
			if err != nil {
				return err
			}
			err = app.Restore(c.Context(), cfg, args[0], files, keys, c.OutOrStdout())
			if errors.Is(err, folder.ErrLocked) {
				return fmt.Errorf("%w; name another folder with --set data.dir=FOLDER", err)
			}
			return err
		}}
	c.Flags().StringVar(&files, "files", "", "folder to copy files from that the backup does not hold, such as old/files for the copy kept before an upgrade")
	k.decrypting(c)
	return c
}
