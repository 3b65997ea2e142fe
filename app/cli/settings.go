// Package cli holds the commands that have several parts, and what all commands share: the flags
// that name the configuration, and how they end.
package cli

import (
	"embed"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/folder"
)

//go:embed systemd
var units embed.FS

// Settings are the flags shared by all commands.
type Settings struct {
	File string
	Set  []string
}

// ErrNo ends a command that succeeded with a negative result.
var ErrNo = app.ErrNo

// UsageError is a usage error.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the call.
func (e UsageError) Unwrap() error { return e.Err }

// Args accepts between low and high arguments, or any number from low if high is
// negative.
func Args(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if high == 0 && len(args) > 0 && c.HasSubCommands() {
			return UsageError{fmt.Errorf("there is no command %q; see %s --help", args[0], c.CommandPath())}
		}
		if len(args) < low || high >= 0 && len(args) > high {
			return UsageError{fmt.Errorf("usage: %s", c.UseLine())}
		}
		return nil
	}
}

// Load reads the configuration for a command on the data folder, which it carries out as the user
// to whom the folder belongs.
func (s *Settings) Load() (app.Config, error) {
	cfg, err := s.LoadFrom(os.Environ())
	if err != nil {
		return cfg, err
	}
	return cfg, folder.ActAsOwner(cfg.Data.Dir)
}

// LoadFrom reads the configuration with other environment variables than those of the process.
func (s *Settings) LoadFrom(environ []string) (app.Config, error) {
	overrides := map[string]string{}
	for _, kv := range s.Set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return app.Config{}, UsageError{fmt.Errorf("--set takes key=value, such as --set server.listen=:9000, not %q", kv)}
		}
		overrides[key] = value
	}
	return app.Load(app.ConfigPath(s.File), overrides, environ)
}

// Config returns the command that prints and checks the configuration. example is the file with every
// setting.
func Config(s *Settings, example []byte) *cobra.Command {
	var check, begin bool
	var unit string
	var m app.Machine
	c := &cobra.Command{Use: "config", Short: "Print an example configuration file with every setting and its default",
		Example: "  paraph config > config.toml\n  paraph config --check\n  paraph config --init --address https://sign.example.org --mail smtp://sign@mail.example.org\n  paraph config --unit paraph.service > /etc/systemd/system/paraph.service", Args: Args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if check {
				_, err := s.Load()
				if err == nil {
					fmt.Fprintln(c.OutOrStdout(), "The configuration is valid.")
				}
				return err
			}
			if begin {
				return initialize(c, s.File, m)
			}
			text := example
			if unit != "" {
				var err error
				if text, err = units.ReadFile("systemd/" + unit); err != nil {
					return UsageError{fmt.Errorf("--unit takes %s, not %q", strings.Join(unitNames(), ", "), unit)}
				}
			}
			_, err := c.OutOrStdout().Write(text)
			return err
		}}
	c.Flags().BoolVar(&check, "check", false, "validate the current configuration instead")
	c.Flags().StringVar(&unit, "unit", "", "print a unit for systemd instead: "+strings.Join(unitNames(), ", "))
	c.Flags().BoolVar(&begin, "init", false, "write a configuration with the few keys that this machine needs instead; asks on a terminal for what these flags don't say:")
	c.Flags().StringVar(&m.Address, "address", "", "with --init: where people reach the server, such as https://sign.example.org")
	c.Flags().StringVar(&m.Data, "data", "", "with --init: data folder (default: /var/lib/paraph)")
	c.Flags().StringVar(&m.Proxy, "proxy", "", "with --init: address of the proxy in front, or none (default: 127.0.0.1)")
	c.Flags().StringVar(&m.Mail, "mail", "", "with --init: mail server, such as smtp://user@mail.example.org:587 or smtps://user@mail.example.org, or none (default: none)")
	c.Flags().StringVar(&m.From, "from", "", "with --init: sender of every message")
	return c
}

// unitNames lists the units for systemd.
func unitNames() (names []string) {
	all, err := units.ReadDir("systemd")
	if err != nil {
		return nil
	}
	for _, unit := range all {
		names = append(names, unit.Name())
	}
	return names
}

// atTerminal reports whether people can answer questions.
func atTerminal(f *os.File) bool {
	info, err := f.Stat()
	nothing, missing := os.Stat(os.DevNull)
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && (missing != nil || !os.SameFile(info, nothing))
}

// initialPath is where the service looks for its configuration.
const initialPath = "/etc/paraph/config.toml"

// initialize writes the configuration of a machine.
func initialize(c *cobra.Command, path string, m app.Machine) error {
	if path == "" {
		path = initialPath
	}
	ask := app.NobodyToAsk
	if atTerminal(os.Stdin) {
		ask = app.Questions(c.InOrStdin(), c.OutOrStdout())
	}
	if err := m.Complete(ask); err != nil {
		return UsageError{err}
	}
	text, err := m.TOML()
	if err != nil {
		return UsageError{err}
	}
	if err := app.WriteConfig(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "Wrote %s.\n", path)
	return err
}

// Logger writes to standard error, in the configured format and level.
func Logger(cfg app.Config) *slog.Logger {
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
