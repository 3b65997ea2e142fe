package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"paraph/app"
)

// Follow returns the command that keeps this machine a standby of another one.
func Follow(s *Settings) *cobra.Command {
	var k keyFlags
	var o app.StandbyOptions
	c := &cobra.Command{Use: "follow SOURCE", Short: "Keep this machine a standby of another one, until it is promoted; then serve",
		Long: `Keep the data folder, which must be empty at first, a standby of the server on
another machine: apply its backups as they come, check them, and tell how far
behind they are. After paraph promote, the same process serves in its stead.

SOURCE is the folder or the bucket into which that server's paraph backup --follow
writes, or unix:PATH, its control socket, such as forwarded by
ssh -NL /run/paraph/other:/var/lib/paraph/control sign.example.org.`,
		Example: "  paraph follow /mnt/follow\n  paraph follow s3://backups/paraph --identity key.txt\n  paraph follow unix:/run/paraph/other", Args: Args(1, 1),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) (err error) {
			if o.Every <= 0 {
				return UsageError{errors.New("--every is longer than 0s")}
			}
			o.Source = args[0]
			if o.Keys, err = k.keys(); err != nil {
				return err
			}
			return app.FollowServer(c.Context(), cfg, o, c.OutOrStdout(), Logger(cfg))
		})}
	c.Flags().DurationVar(&o.Every, "every", 10*time.Second, "pause between two looks at SOURCE")
	k.decrypting(c)
	return c
}

// Promote returns the command that makes a standby the server.
func Promote(s *Settings) *cobra.Command {
	return &cobra.Command{Use: "promote", Short: "Make the standby on this machine the server",
		Long: `Make the standby in the data folder the server. The process that follows takes one
more look at its source, and serves. The command says up to which moment and which
entry of the journal everything is here.`,
		Example: "  paraph promote", Args: Args(0, 0),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, _ []string) error {
			return app.Promote(c.Context(), cfg, c.OutOrStdout())
		})}
}
