// Command paraph provides document signing and management in one binary: a JSON API, the
// store, the search index and the certificates.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/account"
)

//go:embed config.example.toml
var example []byte

//go:embed systemd
var units embed.FS

func main() {
	if len(os.Args) > 1 && os.Args[1] == app.WorkerCommand {
		exit(app.ServeWorker(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	exit(err)
}

// errNo ends a command that succeeded with a negative result.
var errNo = errors.New("no")

// calledWrongly is a usage error.
type calledWrongly struct{ error }

// exit ends with 0, with 1 after a failure or a negative result, and with 2 after a
// usage error.
func exit(err error) {
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, errNo):
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "paraph:", err)
	if _, ok := errors.AsType[calledWrongly](err); ok || strings.HasPrefix(err.Error(), "unknown ") {
		os.Exit(2)
	}
	os.Exit(1)
}

// exactly accepts between low and high arguments, or any number from low if high is
// negative.
func exactly(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if high == 0 && len(args) > 0 && c.HasSubCommands() {
			return calledWrongly{fmt.Errorf("there is no command %q; see %s --help", args[0], c.CommandPath())}
		}
		if len(args) < low || high >= 0 && len(args) > high {
			return calledWrongly{fmt.Errorf("usage: %s", c.UseLine())}
		}
		return nil
	}
}

// settings are the flags shared by all commands.
type settings struct {
	file string
	set  []string
}

func (s *settings) load() (app.Config, error) {
	overrides := map[string]string{}
	for _, kv := range s.set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return app.Config{}, calledWrongly{fmt.Errorf("--set takes key=value, such as --set server.listen=:9000, not %q", kv)}
		}
		overrides[key] = value
	}
	return app.Load(app.ConfigPath(s.file), overrides, os.Environ())
}

func root() *cobra.Command {
	s := &settings{}
	c := &cobra.Command{Use: "paraph", Short: "Document signing and management in one binary", SilenceUsage: true, SilenceErrors: true,
		Args: exactly(0, 0), RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.PersistentFlags().StringVar(&s.file, "config", "", "configuration file (default: ./config.toml, then /etc/paraph/config.toml)")
	c.PersistentFlags().StringArrayVar(&s.set, "set", nil, "override a setting, as key=value (repeatable)")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return calledWrongly{err} })
	c.AddCommand(serve(s), dev(s), demo(), verify(), check(s), doctor(s), backups(s), restore(s), reindex(s), user(s), token(s), companies(s), checkpoints(s), outbox(s), config(s), version())
	return c
}

func serve(s *settings) *cobra.Command {
	return &cobra.Command{Use: "serve", Short: "Run the server", Example: "  paraph serve --set server.listen=:9000", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			return app.Serve(c.Context(), cfg, c.OutOrStdout(), logger(cfg))
		}}
}

func dev(s *settings) *cobra.Command {
	return &cobra.Command{Use: "dev", Short: "Run a local test double: in memory, with sample data and test controls",
		Example: "  paraph dev --set server.listen=:8090", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			return app.ServeDev(c.Context(), cfg, c.OutOrStdout(), logger(cfg))
		}}
}

func demo() *cobra.Command {
	return &cobra.Command{Use: "demo OUT [FILE]", Short: "Send, sign and complete a file, and save the result in OUT",
		Example: "  paraph demo ./out contract.pdf", Args: exactly(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return app.Demo(c.Context(), args[0], append(args, "")[1], c.OutOrStdout())
		}}
}

func verify() *cobra.Command {
	var o app.VerifyOptions
	c := &cobra.Command{Use: "verify FILE...", Short: "Report on every signature in PDF files; exits with 1 if any is not valid",
		Example: "  paraph verify --root root.pem signed.pdf\n  paraph verify --checkpoint /mnt/elsewhere/01JZ0000000000000000000000/checkpoint contract.pdf certificate.pdf", Args: exactly(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			sound, err := app.VerifyFiles(c.OutOrStdout(), args, o)
			if err == nil && !sound {
				return errNo
			}
			return err
		}}
	c.Flags().BoolVar(&o.JSON, "json", false, "print the report as JSON")
	c.Flags().StringVar(&o.Root, "root", "", "file with root certificates to trust (PEM or DER)")
	c.Flags().StringVar(&o.Password, "password", "", "password of encrypted files")
	c.Flags().StringVar(&o.Checkpoint, "checkpoint", "", "published checkpoint, a file or its folder, that must cover the history of the files")
	c.Flags().StringVar(&o.Key, "key", "", "verifier key of the checkpoint (default: the one in the certificate of completion, or its successor)")
	return c
}

func check(s *settings) *cobra.Command {
	var o app.CheckOptions
	c := &cobra.Command{Use: "check", Short: "Check all data and list every problem; the server must be stopped",
		Example: "  paraph check --set data.dir=/var/lib/paraph\n  paraph check --renew\n  paraph check --checkpoint /mnt/elsewhere/01JZ0000000000000000000000/checkpoint", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			problems, err := app.CheckFolder(c.Context(), cfg, o, c.OutOrStdout())
			if err != nil {
				return err
			}
			for _, p := range problems {
				fmt.Fprintln(c.OutOrStdout(), p)
			}
			if len(problems) > 0 {
				return errNo
			}
			fmt.Fprintln(c.OutOrStdout(), "No problems found.")
			return nil
		}}
	c.Flags().StringArrayVar(&o.Checkpoints, "checkpoint", nil, "file with published checkpoints that the journal must fit (repeatable)")
	c.Flags().BoolVar(&o.Repair, "repair", false, "rebuild derived data: list items and the search index")
	c.Flags().BoolVar(&o.Renew, "renew", false, "add a timestamp to completed files whose last one depends on a certificate that expires within a year")
	return c
}

func doctor(s *settings) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Check that the installation is ready to run; exits with 1 if there is a problem",
		Long: `Check an installation, with or without a running server: signing,
certificates, disk, clock, mail, fonts, LibreOffice, backups, the public address.
Each line says what to do about it. Warnings are not problems.`,
		Example: "  paraph doctor\n  paraph doctor --json", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			healthy, err := app.Doctor(c.Context(), cfg, asJSON, c.OutOrStdout())
			if err == nil && !healthy {
				return errNo
			}
			return err
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

func reindex(s *settings) *cobra.Command {
	return &cobra.Command{Use: "reindex", Short: "Delete the search index; the next start rebuilds it", Example: "  paraph reindex", Args: exactly(0, 0),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			return app.Reindex(cfg.Data.Dir)
		}}
}

// onAccounts runs a command on the accounts in a data folder.
func onAccounts(s *settings, run func(c *cobra.Command, a *account.Services, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		cfg, err := s.load()
		if err != nil {
			return err
		}
		return app.WithAccounts(cfg, func(a *account.Services) error { return run(c, a, args) })
	}
}

func user(s *settings) *cobra.Command {
	c := &cobra.Command{Use: "user", Short: "Manage users; except for admin, the server must be stopped", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var in account.UserInput
	var role string
	add := &cobra.Command{Use: "add EMAIL", Short: "Add a user; generates a password unless one is given", Example: "  paraph user add ann@example.org --name 'Ann Example' --role admin", Args: exactly(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			in.Email, in.Role = args[0], account.Role(role)
			return app.AddUser(c.Context(), a, in, c.OutOrStdout())
		})}
	add.Flags().StringVar(&in.Name, "name", "", "name")
	add.Flags().StringVar(&in.Password, "password", "", "password (default: generated and printed)")
	add.Flags().StringVar(&in.CompanyID, "company", "", "company ID (default: the first company)")
	add.Flags().StringVar(&role, "role", "member", "owner, admin, approver, member or viewer")
	password := &cobra.Command{Use: "password EMAIL [PASSWORD]", Short: "Set a new password; generates one unless given", Example: "  paraph user password ann@example.org", Args: exactly(1, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.SetPassword(c.Context(), a, args[0], append(args, "")[1], c.OutOrStdout())
		})}
	list := &cobra.Command{Use: "list", Short: "List users", Example: "  paraph user list", Args: exactly(0, 0),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, _ []string) error {
			return app.ListUsers(c.Context(), a, c.OutOrStdout())
		})}
	setRole := &cobra.Command{Use: "role EMAIL ROLE", Short: "Change a user's role", Example: "  paraph user role ann@example.org admin", Args: exactly(2, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.SetRole(c.Context(), a, args[0], args[1])
		})}
	revoke := &cobra.Command{Use: "revoke EMAIL", Short: "Deactivate a user in all companies", Example: "  paraph user revoke ann@example.org", Args: exactly(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return a.Operator.SetActive(c.Context(), args[0], false)
		})}
	c.AddCommand(add, password, list, setRole, revoke, userAdmin(s))
	return c
}

func outbox(s *settings) *cobra.Command {
	return &cobra.Command{Use: "outbox [EMAIL]", Short: "Print links and codes that could not be mailed; the server must be stopped",
		Long:    "Print links and codes that could not be mailed: those for one address or, without one, those for people\nwho belong to no company or to several. The server must be stopped.",
		Example: "  paraph outbox\n  paraph outbox ann@example.org", Args: exactly(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.load()
			if err != nil {
				return err
			}
			return app.PrintOutbox(cfg, append(args, "")[0], c.OutOrStdout())
		}}
}

func token(s *settings) *cobra.Command {
	c := &cobra.Command{Use: "token", Short: "Manage API tokens; the server must be stopped", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var name, scopes string
	add := &cobra.Command{Use: "add EMAIL", Short: "Create an API token that acts on a user's behalf", Example: "  paraph token add ann@example.org --name ci --scopes read,write", Args: exactly(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.AddToken(c.Context(), a, args[0], name, scopes, c.OutOrStdout())
		})}
	add.Flags().StringVar(&name, "name", "command line", "purpose of the token")
	add.Flags().StringVar(&scopes, "scopes", "", "read, write, sign, admin, separated by commas (default: everything the role allows)")
	list := &cobra.Command{Use: "list EMAIL", Short: "List the API tokens of a user's company", Example: "  paraph token list ann@example.org", Args: exactly(1, 1),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.ListTokens(c.Context(), a, args[0], c.OutOrStdout())
		})}
	revoke := &cobra.Command{Use: "revoke EMAIL TOKEN-ID", Short: "Revoke an API token", Example: "  paraph token revoke ann@example.org 01J…", Args: exactly(2, 2),
		RunE: onAccounts(s, func(c *cobra.Command, a *account.Services, args []string) error {
			return app.RevokeToken(c.Context(), a, args[0], args[1])
		})}
	c.AddCommand(add, list, revoke)
	return c
}

func config(s *settings) *cobra.Command {
	var check bool
	var unit string
	c := &cobra.Command{Use: "config", Short: "Print an example configuration file with every setting and its default",
		Example: "  paraph config > config.toml\n  paraph config --check\n  paraph config --unit paraph.service > /etc/systemd/system/paraph.service", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if check {
				_, err := s.load()
				if err == nil {
					fmt.Fprintln(c.OutOrStdout(), "The configuration is valid.")
				}
				return err
			}
			text := example
			if unit != "" {
				var err error
				if text, err = units.ReadFile("systemd/" + unit); err != nil {
					return calledWrongly{fmt.Errorf("--unit takes paraph.service or paraph.socket, not %q", unit)}
				}
			}
			_, err := c.OutOrStdout().Write(text)
			return err
		}}
	c.Flags().BoolVar(&check, "check", false, "validate the current configuration instead")
	c.Flags().StringVar(&unit, "unit", "", "print a unit for systemd instead: paraph.service or paraph.socket")
	return c
}

func version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Example: "  paraph version", Args: exactly(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "paraph", app.Version())
			return err
		}}
}

// logger writes to standard error, in the configured format and level.
func logger(cfg app.Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Log.Level)); err != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}
