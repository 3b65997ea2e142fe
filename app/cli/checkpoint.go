package cli

import (
	"github.com/spf13/cobra"
)

// Checkpoints returns the command that manages the key of checkpoints.
func Checkpoints(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "checkpoint", Short: "Manage the key that signs checkpoints, also while the server runs", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(&cobra.Command{
		Use: "key", Short: "Print the key that verifies each company's checkpoints, and the secret of the webhook",
		Example: "  paraph checkpoint key", Args: Args(0, 0),
		RunE: ordered(s, "checkpoint key", noInput)}, &cobra.Command{
		Use: "rotate", Short: "Replace the key that signs checkpoints; the old key signs for the new one",
		Example: "  paraph checkpoint rotate", Args: Args(0, 0),
		RunE: ordered(s, "checkpoint rotate", noInput)})
	return c
}
