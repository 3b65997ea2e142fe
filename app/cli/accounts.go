package cli

import (
	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/account"
)

// onAccounts runs a command on the accounts in a data folder.
func onAccounts(s *Settings, run func(c *cobra.Command, a *account.Services, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		cfg, err := s.Load()
		if err != nil {
			return err
		}
		return app.WithAccounts(cfg, func(a *account.Services) error { return run(c, a, args) })
	}
}

// Users returns the command that manages the users of a data folder.
func Users(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "user", Short: "Manage users; except for admin, the server must be stopped", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var in account.UserInput
	var role string
	add := &cobra.Command{Use: "add EMAIL", Short: "Add a user; generates a password unless one is given", Example: "  paraph user add ann@example.org --name 'Ann Example' --role admin", Args: Args(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			in.Email, in.Role = args[0], account.Role(role)
			return app.AddUser(c.Context(), a, in, c.OutOrStdout())
		})}
	add.Flags().StringVar(&in.Name, "name", "", "name")
	add.Flags().StringVar(&in.Password, "password", "", "password (default: generated and printed)")
	add.Flags().StringVar(&in.CompanyID, "company", "", "company ID (default: the first company)")
	add.Flags().StringVar(&role, "role", "member", "owner, admin, approver, member or viewer")
	password := &cobra.Command{Use: "password EMAIL [PASSWORD]", Short: "Set a new password; generates one unless given", Example: "  paraph user password ann@example.org", Args: Args(1, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.SetPassword(c.Context(), a, args[0], append(args, "")[1], c.OutOrStdout())
		})}
	list := &cobra.Command{Use: "list", Short: "List users", Example: "  paraph user list", Args: Args(0, 0),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, _ []string) error {
			return app.ListUsers(c.Context(), a, c.OutOrStdout())
		})}
	setRole := &cobra.Command{Use: "role EMAIL ROLE", Short: "Change a user's role", Example: "  paraph user role ann@example.org admin", Args: Args(2, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.SetRole(a, args[0], args[1])
		})}
	revoke := &cobra.Command{Use: "revoke EMAIL", Short: "Deactivate a user in all companies", Example: "  paraph user revoke ann@example.org", Args: Args(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return a.Operator.SetActive(args[0], false)
		})}
	c.AddCommand(add, password, list, setRole, revoke, userAdmin(s))
	return c
}

// Outbox returns the command that prints links and codes that could not be mailed.
func Outbox(s *Settings) *cobra.Command {
	return &cobra.Command{Use: "outbox [EMAIL]", Short: "Print links and codes that could not be mailed; the server must be stopped",
		Long:    "Print links and codes that could not be mailed: those for one address or, without one, those for people\nwho belong to no company or to several. The server must be stopped.",
		Example: "  paraph outbox\n  paraph outbox ann@example.org", Args: Args(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			return app.PrintOutbox(cfg, append(args, "")[0], c.OutOrStdout())
		}}
}

// Tokens returns the command that manages API tokens.
func Tokens(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "token", Short: "Manage API tokens; the server must be stopped", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var name, scopes string
	add := &cobra.Command{Use: "add EMAIL", Short: "Create an API token that acts on a user's behalf", Example: "  paraph token add ann@example.org --name ci --scopes read,write", Args: Args(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.AddToken(a, args[0], name, scopes, c.OutOrStdout())
		})}
	add.Flags().StringVar(&name, "name", "command line", "purpose of the token")
	add.Flags().StringVar(&scopes, "scopes", "", "read, write, sign, admin, separated by commas (default: everything the role allows)")
	list := &cobra.Command{Use: "list EMAIL", Short: "List the API tokens of a user's company", Example: "  paraph token list ann@example.org", Args: Args(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.ListTokens(a, args[0], c.OutOrStdout())
		})}
	revoke := &cobra.Command{Use: "revoke EMAIL TOKEN-ID", Short: "Revoke an API token", Example: "  paraph token revoke ann@example.org 01J…", Args: Args(2, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.RevokeToken(a, args[0], args[1])
		})}
	c.AddCommand(add, list, revoke)
	return c
}
