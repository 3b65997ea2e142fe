package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"paraph/app"
)

// Check returns the command that checks all data.
func Check(s *Settings) *cobra.Command {
	var o app.CheckOptions
	var k keyFlags
	var from string
	c := &cobra.Command{Use: "check", Short: "Check all data and list every problem, also while the server runs",
		Example: "  paraph check --set data.dir=/var/lib/paraph\n  paraph check --repair --from /mnt/backups/\n  paraph check --renew\n  paraph check --checkpoint /mnt/elsewhere/01JZ0000000000000000000000/checkpoint", Args: Args(0, 0),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, _ []string) error {
			if from != "" && !o.Repair {
				return UsageError{errors.New("--from needs --repair")}
			}
			in, err := o.Order()
			if err != nil {
				return err
			}
			if from != "" {
				keys, err := k.keys()
				if err != nil {
					return err
				}
				if err := app.MendRecords(c.Context(), cfg, from, keys, c.OutOrStdout()); err != nil {
					return err
				}
				if err := app.MendFiles(c.Context(), cfg, from, keys, c.OutOrStdout()); err != nil {
					return err
				}
			}
			return app.Order(c.Context(), cfg, "check", in, c.OutOrStdout())
		})}
	c.Flags().StringArrayVar(&o.Checkpoints, "checkpoint", nil, "file with published checkpoints that the journal must fit (repeatable)")
	c.Flags().BoolVar(&o.Repair, "repair", false, "rebuild derived data: list items and the search index")
	c.Flags().StringVar(&from, "from", "", "with --repair: bring back files that are missing or damaged, and records that are, from this backup, a file or a folder for its newest")
	c.Flags().BoolVar(&o.Renew, "renew", false, "add a timestamp to completed files whose last one depends on a certificate that expires within a year")
	k.decrypting(c)
	return c
}
