package cli

import (
	"github.com/spf13/cobra"

	"paraph/app"
)

// Cold returns the command about cold storage.
func Cold(s *Settings) *cobra.Command {
	var o app.ColdOrder
	c := &cobra.Command{Use: "cold", Short: "Say what has moved to cold storage, also while the server runs",
		Long:    "Say how many files of documents that ended long ago have moved to data.cold, and their size.",
		Example: "  paraph cold\n  paraph cold --move\n  paraph cold --take-over", Args: Args(0, 0),
		RunE: ordered(s, "cold", func([]string) any { return o })}
	c.Flags().BoolVar(&o.Move, "move", false, "move what is due now; a running server does that every six hours")
	c.Flags().BoolVar(&o.TakeOver, "take-over", false, "make the storage this server's, which was restored or promoted in another one's stead")
	c.Flags().BoolVar(&o.BringBack, "bring-back", false, "fetch everything that has moved, and remove it there")
	return c
}
