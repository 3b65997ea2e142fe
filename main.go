// Command paraph provides document signing and management in one binary: a JSON API, the
// store, the search index and the certificates.
package main

import (
	"context"
	_ "embed" // the example of a configuration
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/cli"
	"paraph/app/confine"
)

//go:embed config.example.toml
var example []byte

func main() {
	if len(os.Args) > 1 && os.Args[1] == app.WorkerCommand {
		exit(app.ServeWorker(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == confine.Command {
		exit(confine.Become(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root().ExecuteContext(ctx)
	stop()
	exit(err)
}

// exit ends with 0, with 1 after a failure or a negative result, and with 2 after a
// usage error.
func exit(err error) {
	switch {
	case err == nil:
		os.Exit(0)
	case errors.Is(err, cli.ErrNo):
		os.Exit(1)
	}
	fmt.Fprintln(cli.Plain(os.Stderr), "paraph:", err)
	if _, ok := errors.AsType[cli.UsageError](err); ok || strings.HasPrefix(err.Error(), "unknown ") {
		os.Exit(2)
	}
	os.Exit(1)
}

func root() *cobra.Command {
	s := &cli.Settings{}
	c := &cobra.Command{Use: "paraph", Short: "Document signing and management in one binary", Version: app.Version(), SilenceUsage: true, SilenceErrors: true,
		Args: cli.Args(0, 0), RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.SetOut(cli.Plain(os.Stdout))
	c.SetErr(cli.Plain(os.Stderr))
	c.SetVersionTemplate("paraph {{.Version}}\n")
	c.PersistentFlags().StringVar(&s.File, "config", "", "configuration file (default: ./config.toml, then /etc/paraph/config.toml)")
	c.PersistentFlags().StringArrayVar(&s.Set, "set", nil, "override a setting, as key=value (repeatable)")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError{Err: err} })
	c.AddCommand(serve(s), dev(s), demo(), verify(), cli.Check(s), doctor(s), cli.Backups(s), cli.Restore(s), cli.Follow(s), cli.Promote(s), reindex(s), cli.Users(s), cli.Tokens(s), cli.Companies(s), cli.Checkpoints(s), cli.Cold(s), cli.Outbox(s), cli.Config(s, example), alerts(), version())
	c.AddCommand(cli.Client()...)
	return c
}

func serve(s *cli.Settings) *cobra.Command {
	return &cobra.Command{Use: "serve", Short: "Run the server", Example: "  paraph serve --set server.listen=:9000", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			return app.Serve(c.Context(), cfg, c.OutOrStdout(), cli.Logger(cfg))
		}}
}

func dev(s *cli.Settings) *cobra.Command {
	var o app.DevOptions
	c := &cobra.Command{Use: "dev", Short: "Run a local test double: in memory, with sample data and test controls",
		Long: `Run a local test double: in memory, with sample data and test controls. It listens on
127.0.0.1:8080, or where --set server.listen or PARAPH_SERVER__LISTEN says; its
passwords are known to everybody.`,
		Example: "  paraph dev --set server.listen=127.0.0.1:8090\n  paraph dev --set server.listen=127.0.0.1:0 --ready-file ready.json", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.LoadFrom(app.DevEnviron(os.Environ()))
			if err != nil {
				return err
			}
			return app.ServeDev(c.Context(), cfg, o, c.OutOrStdout(), cli.Logger(cfg))
		}}
	c.Flags().BoolVar(&o.JSON, "json", false, "say where it runs, and who can sign in, in one line of JSON")
	c.Flags().BoolVar(&o.Quiet, "quiet", false, "print nothing but the log")
	c.Flags().StringVar(&o.ReadyFile, "ready-file", "", "file to write that JSON to once requests are answered; removed at the end")
	return c
}

func demo() *cobra.Command {
	return &cobra.Command{Use: "demo OUT [FILE]", Short: "Send, sign and complete a file, and save the result in OUT",
		Example: "  paraph demo ./out contract.pdf", Args: cli.Args(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return app.Demo(c.Context(), args[0], append(args, "")[1], c.OutOrStdout())
		}}
}

func verify() *cobra.Command {
	var o app.VerifyOptions
	c := &cobra.Command{Use: "verify FILE...", Short: "Report on every signature in PDF files; exits with 1 if any is not valid",
		Example: "  paraph verify --root root.pem signed.pdf\n  paraph verify --checkpoint /mnt/elsewhere/01JZ0000000000000000000000/checkpoint contract.pdf certificate.pdf", Args: cli.Args(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			sound, err := app.VerifyFiles(c.OutOrStdout(), args, o)
			if err == nil && !sound {
				return cli.ErrNo
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

func doctor(s *cli.Settings) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Check that the installation is ready to run; exits with 1 if there is a problem",
		Long: `Check an installation, with or without a running server: signing,
certificates, disk, clock, mail, fonts, LibreOffice, backups, the public address.
Each line says what to do about it. Warnings are not problems.`,
		Example: "  paraph doctor\n  paraph doctor --json", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			healthy, err := app.Doctor(c.Context(), cfg, asJSON, c.OutOrStdout())
			if err == nil && !healthy {
				return cli.ErrNo
			}
			return err
		}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

func alerts() *cobra.Command {
	return &cobra.Command{Use: "alerts", Short: "Print the rules with which Prometheus alerts to every warning", Example: "  paraph alerts > /etc/prometheus/paraph.yml", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return app.Alerts(c.OutOrStdout()) }}
}

func reindex(s *cli.Settings) *cobra.Command {
	return &cobra.Command{Use: "reindex", Short: "Empty the search index, which is rebuilt from the records, also while the server runs", Example: "  paraph reindex", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.Load()
			if err != nil {
				return err
			}
			return app.Order(c.Context(), cfg, "reindex", app.NoInput{}, c.OutOrStdout())
		}}
}

func version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Example: "  paraph version", Args: cli.Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "paraph", app.Version())
			return err
		}}
}
