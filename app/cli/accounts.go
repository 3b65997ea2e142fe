package cli

import (
	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/account"
)

// ordered carries out a command on an open installation, with an input made from the arguments.
func ordered(s *Settings, name string, input func(args []string) any) func(*cobra.Command, []string) error {
	return configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
		return app.Order(c.Context(), cfg, name, input(args), c.OutOrStdout())
	})
}

func noInput([]string) any { return app.NoInput{} }

func personInput(args []string) any { return app.PersonOrder{Email: args[0]} }

// Users returns the command that manages the users of a data folder.
func Users(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "user", Short: "Manage users, also while the server runs", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var in account.UserInput
	var role string
	add := &cobra.Command{Use: "add EMAIL", Short: "Add a user; generates a password unless one is given", Example: "  paraph user add ann@example.org --name 'Ann Example' --role admin", Args: Args(1, 1),
		RunE: ordered(s, "user add", func(args []string) any {
			in.Email, in.Role = args[0], account.Role(role)
			return in
		})}
	add.Flags().StringVar(&in.Name, "name", "", "name")
	add.Flags().StringVar(&in.Password, "password", "", "password (default: generated and printed)")
	add.Flags().StringVar(&in.CompanyID, "company", "", "company ID (default: the first company)")
	add.Flags().StringVar(&role, "role", "member", "owner, admin, approver, member or viewer")
	password := &cobra.Command{Use: "password EMAIL [PASSWORD]", Short: "Set a new password; generates one unless given", Example: "  paraph user password ann@example.org", Args: Args(1, 2),
		RunE: ordered(s, "user password", func(args []string) any {
			return app.PasswordOrder{Email: args[0], Password: append(args, "")[1]}
		})}
	list := &cobra.Command{Use: "list", Short: "List users", Example: "  paraph user list", Args: Args(0, 0),
		RunE: ordered(s, "user list", noInput)}
	setRole := &cobra.Command{Use: "role EMAIL ROLE", Short: "Change a user's role", Example: "  paraph user role ann@example.org admin", Args: Args(2, 2),
		RunE: ordered(s, "user role", func(args []string) any { return app.RoleOrder{Email: args[0], Role: account.Role(args[1])} })}
	revoke := &cobra.Command{Use: "revoke EMAIL", Short: "Deactivate a user in all companies", Example: "  paraph user revoke ann@example.org", Args: Args(1, 1),
		RunE: ordered(s, "user revoke", personInput)}
	c.AddCommand(add, password, list, setRole, revoke, userAdmin(s))
	return c
}

// Outbox returns the command that prints links and codes that could not be mailed.
func Outbox(s *Settings) *cobra.Command {
	return &cobra.Command{Use: "outbox [EMAIL]", Short: "Print links and codes that could not be mailed",
		Long:    "Print links and codes that could not be mailed: those for one address or, without one, those for people\nwho belong to no company or to several. The server may run meanwhile.",
		Example: "  paraph outbox\n  paraph outbox ann@example.org", Args: Args(0, 1),
		RunE: ordered(s, "outbox", func(args []string) any { return app.OutboxOrder{Address: append(args, "")[0]} })}
}

// Tokens returns the command that manages API tokens.
func Tokens(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "token", Short: "Manage API tokens, also while the server runs", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var name, scopes string
	add := &cobra.Command{Use: "add EMAIL", Short: "Create an API token that acts on a user's behalf", Example: "  paraph token add ann@example.org --name ci --scopes read,write", Args: Args(1, 1),
		RunE: ordered(s, "token add", func(args []string) any { return app.TokenOrder{Email: args[0], Name: name, Scopes: scopes} })}
	add.Flags().StringVar(&name, "name", "command line", "purpose of the token")
	add.Flags().StringVar(&scopes, "scopes", "", "read, write, sign, admin, separated by commas (default: everything the role allows)")
	list := &cobra.Command{Use: "list EMAIL", Short: "List the API tokens of a user's company", Example: "  paraph token list ann@example.org", Args: Args(1, 1),
		RunE: ordered(s, "token list", personInput)}
	revoke := &cobra.Command{Use: "revoke EMAIL TOKEN-ID", Short: "Revoke an API token", Example: "  paraph token revoke ann@example.org 01J…", Args: Args(2, 2),
		RunE: ordered(s, "token revoke", func(args []string) any { return app.RevocationOrder{Email: args[0], Token: args[1]} })}
	c.AddCommand(add, list, revoke)
	return c
}
