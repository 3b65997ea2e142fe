package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"paraph/app"
	"paraph/app/folder"
)

// settings are the flags shared by all commands.
type settings struct {
	file string
	set  []string
}

// load reads the configuration for a command on the data folder, which it carries out as the user
// to whom the folder belongs.
func (s *settings) load() (app.Config, error) {
	cfg, err := s.loadFrom(os.Environ())
	if err != nil {
		return cfg, err
	}
	return cfg, folder.ActAsOwner(cfg.Data.Dir)
}

func (s *settings) loadFrom(environ []string) (app.Config, error) {
	overrides := map[string]string{}
	for _, kv := range s.set {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return app.Config{}, calledWrongly{fmt.Errorf("--set takes key=value, such as --set server.listen=:9000, not %q", kv)}
		}
		overrides[key] = value
	}
	return app.Load(app.ConfigPath(s.file), overrides, environ)
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
