package cli

import (
	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/account"
)

const exportLong = `Write one company to OUT: a new file, or a folder, which gets a file named after
the company. The server may run meanwhile. The file holds the company's settings,
people, documents with all their files, audit trail, contacts, and the certificates
its signatures lead to. It is read back before it gets its name. The company stays
where it is.

Encrypted with --recipient or --passphrase-file, the file also holds what people
sign in with: the hashes of their passwords and the secrets of their authenticator
apps. Without encryption it does not, and people choose new passwords on the other
installation.

These never leave an installation: its signing keys, sessions, API tokens, recovery
codes, access codes of documents, secrets of webhooks, links that were mailed to
members, the outbox, and uploads in progress.`

const importLong = `Bring in a company from a file that paraph company export wrote, all of it or
nothing. The server may run meanwhile. Both installations must have the same version.

Identifiers stay the same; a company that exists here is refused, and so is a person
whose e-mail address belongs to somebody else here. Every hash of the audit trail is
checked, and every file is byte for byte the same.

Links that signatories got go on working if the old address leads here; the pages
show links of this installation. Passkeys work if server.base_url has the same host
on both. Documents are signed and sealed with certificates of this installation from
now on. Access codes have to be set again, webhooks arrive paused with a new secret,
API tokens and recovery codes have to be made again, invitations to members sent
again.

An import that is killed leaves nothing, or is completed by the next start.`

// Companies returns the command that manages companies and moves them.
func Companies(s *Settings) *cobra.Command {
	c := &cobra.Command{Use: "company", Short: "Manage companies, and move one to another installation", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(companyAdd(s), companyList(s), companyRename(s), companyExport(s), companyImport(s))
	return c
}

// configured runs a command with the configuration.
func configured(s *Settings, run func(c *cobra.Command, cfg app.Config, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		cfg, err := s.Load()
		if err != nil {
			return err
		}
		return run(c, cfg, args)
	}
}

func companyAdd(s *Settings) *cobra.Command {
	var in account.CompanyInput
	c := &cobra.Command{Use: "add NAME EMAIL", Short: "Add a company with its first owner; prints how they sign in, once",
		Example: "  paraph company add 'Example Ltd.' ann@example.org --owner 'Ann Example'", Args: Args(2, 2),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
			in.Name, in.Email = args[0], args[1]
			return app.AddCompany(c.Context(), cfg, in, c.OutOrStdout())
		})}
	c.Flags().StringVar(&in.Owner, "owner", "", "name of the owner")
	c.Flags().StringVar(&in.Locale, "locale", "", "language of its messages (default: en)")
	c.Flags().StringVar(&in.Timezone, "timezone", "", "time zone, such as Europe/Berlin (default: UTC)")
	return c
}

func companyList(s *Settings) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List companies with their members, documents and storage", Example: "  paraph company list", Args: Args(0, 0),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, _ []string) error {
			return app.ListCompanies(c.Context(), cfg, c.OutOrStdout())
		})}
}

func companyRename(s *Settings) *cobra.Command {
	return &cobra.Command{Use: "rename ID NAME", Short: "Change the name of a company", Example: "  paraph company rename 01J… 'Example GmbH'", Args: Args(2, 2),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
			return app.RenameCompany(c.Context(), cfg, args[0], args[1])
		})}
}

func companyExport(s *Settings) *cobra.Command {
	var k keyFlags
	c := &cobra.Command{Use: "export ID OUT", Short: "Write a company to a file, also while the server runs", Long: exportLong,
		Example: "  paraph company export 01J… /mnt/exports/ --recipient age1…\n  paraph company export 01J… example.tar.zst.age --passphrase-file phrase.txt", Args: Args(2, 2),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
			keys, err := k.keys()
			if err != nil {
				return err
			}
			return app.ExportCompany(c.Context(), cfg, args[0], args[1], keys, c.OutOrStdout())
		})}
	c.Flags().StringArrayVar(&k.recipients, "recipient", nil, "public key of age to encrypt for (repeatable)")
	c.Flags().StringVar(&k.passphrase, "passphrase-file", "", "file whose first line is the passphrase to encrypt with")
	return c
}

func companyImport(s *Settings) *cobra.Command {
	var k keyFlags
	c := &cobra.Command{Use: "import IN", Short: "Bring in a company that was exported from another installation", Long: importLong,
		Example: "  paraph company import paraph-company-01J….tar.zst.age --identity key.txt", Args: Args(1, 1),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
			keys, err := k.keys()
			if err != nil {
				return err
			}
			return app.ImportCompany(c.Context(), cfg, args[0], keys, c.OutOrStdout())
		})}
	k.decrypting(c)
	return c
}

func userAdmin(s *Settings) *cobra.Command {
	var revoke bool
	c := &cobra.Command{Use: "admin EMAIL", Short: "Let a user administer the installation (/admin), also while the server runs",
		Example: "  paraph user admin ann@example.org\n  paraph user admin ann@example.org --revoke", Args: Args(1, 1),
		RunE: configured(s, func(c *cobra.Command, cfg app.Config, args []string) error {
			return app.GrantInstallation(c.Context(), cfg, args[0], !revoke)
		})}
	c.Flags().BoolVar(&revoke, "revoke", false, "take the right away")
	return c
}
