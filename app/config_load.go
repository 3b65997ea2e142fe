package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	koanftoml "github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/pelletier/go-toml/v2"
)

// ConfigPath returns the file to load: the given one, else ./config.toml, else
// /etc/paraph/config.toml, else "" if there is none.
func ConfigPath(asked string) string {
	if asked != "" {
		return asked
	}
	for _, path := range []string{"config.toml", "/etc/paraph/config.toml"} {
		// Only a missing file is skipped: one that cannot be read must prevent the start.
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}

// Load assembles the configuration: defaults, then the file at path ("" for none), then the
// environment (PARAPH_SERVER__LISTEN=…), then overrides (keys such as "server.listen"). It
// reports all errors together, each with the key at fault.
func Load(path string, overrides map[string]string, environ []string) (Config, error) {
	k, err := layers(path, overrides, environ)
	if err != nil {
		return Config{}, err
	}
	c := Default()
	c.File = path
	known, err := allSettings(c)
	if err != nil {
		return Config{}, err
	}
	errs := append(misspelled(environ, known), unknown(k, known)...)
	errs = append(errs, named(unmarshal(k, &c))...)
	for _, line := range environ {
		switch name, value, _ := strings.Cut(line, "="); name {
		case "PARAPH_ADMIN_EMAIL":
			c.Admin.Email = value
		case "PARAPH_ADMIN_PASSWORD":
			c.Admin.Password = Secret(value)
		}
	}
	if err := placed(append(errs, c.Validate()), path, overrides, environ); err != nil {
		return Config{}, err
	}
	return c, nil
}

const envPrefix = "PARAPH_"

func layers(path string, overrides map[string]string, environ []string) (*koanf.Koanf, error) {
	k := koanf.New(".")
	if path != "" {
		if err := k.Load(file.Provider(path), koanftoml.Parser()); err != nil {
			if at, ok := errors.AsType[*toml.DecodeError](err); ok {
				line, column := at.Position()
				return nil, fmt.Errorf("config: %s: line %d, column %d: %s", path, line, column, strings.TrimPrefix(at.Error(), "toml: "))
			}
			return nil, fmt.Errorf("config: %s: %w", path, err)
		}
	}
	environment := env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if !strings.Contains(name, "__") {
				return "", nil // not a setting: a container platform may set PARAPH_PORT
			}
			key := strings.ToLower(strings.TrimPrefix(name, envPrefix))
			return strings.ReplaceAll(key, "__", "."), value
		},
	})
	if err := k.Load(environment, nil); err != nil {
		return nil, fmt.Errorf("config: environment: %w", err)
	}
	flags := make(map[string]any, len(overrides))
	for key, value := range overrides {
		flags[key] = value
	}
	if err := k.Load(confmap.Provider(flags, "."), nil); err != nil {
		return nil, fmt.Errorf("config: flags: %w", err)
	}
	return k, nil
}

// allSettings lists every setting.
func allSettings(c Config) (*koanf.Koanf, error) {
	all := map[string]any{}
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{TagName: "koanf", Result: &all})
	if err != nil {
		return nil, err
	}
	if err := d.Decode(c); err != nil {
		return nil, err
	}
	known := koanf.New(".")
	return known, known.Load(confmap.Provider(all, ""), nil)
}

// misspelled finds names such as PARAPH_SERVER_LISTEN, which would be ignored silently because
// of the missing second underscore.
func misspelled(environ []string, known *koanf.Koanf) (errs []error) {
	plain := func(s string) string { return strings.NewReplacer("_", "", ".", "").Replace(strings.ToLower(s)) }
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ours || strings.Contains(rest, "__") {
			continue
		}
		for _, key := range known.Keys() {
			if plain(key) == plain(rest) {
				right := envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
				errs = append(errs, fmt.Errorf("config: %s: unknown setting; did you mean %s?", name, right))
			}
		}
	}
	return errs
}

// unknown finds keys that aren't settings.
func unknown(k, known *koanf.Koanf) (errs []error) {
	for _, key := range k.Keys() {
		if !known.Exists(key) {
			why := "unknown setting"
			if right := meant(key, known.Keys()); right != "" {
				why += "; did you mean " + right + "?"
			}
			errs = append(errs, &settingError{key: key, why: why})
		}
	}
	return errs
}

func unmarshal(k *koanf.Koanf, c *Config) error {
	return k.UnmarshalWithConf("", c, koanf.UnmarshalConf{Tag: "koanf", DecoderConfig: &mapstructure.DecoderConfig{
		DecodeHook: toSetting, ZeroFields: true, TagName: "koanf", Result: c,
	}})
}

// named splits an unmarshalling error and names the setting of each part.
func named(err error) (errs []error) {
	if all, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		for _, err := range all.Unwrap() {
			errs = append(errs, named(err)...)
		}
		return errs
	}
	if at, ok := errors.AsType[*mapstructure.DecodeError](err); ok {
		err = &settingError{key: at.Name(), why: at.Unwrap().Error()}
	}
	return append(errs, err)
}

// toSetting converts a value to the type of its setting. A string may represent a number, a
// boolean or a list, since the environment and flags only have strings. Errors never contain
// the value: it may be a misplaced secret.
func toSetting(_, to reflect.Type, value any) (any, error) {
	s, isString := value.(string)
	switch to {
	case reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(s)
		return d, unless(err == nil, `must be a duration such as "30s", "5m" or "24h"`)
	case reflect.TypeFor[Size]():
		return toSize(value)
	case reflect.TypeFor[[]string]():
		return toList(value)
	}
	switch to.Kind() {
	case reflect.String:
		return value, unless(isString, "must be a string in quotes")
	case reflect.Bool:
		b, err := strconv.ParseBool(fmt.Sprint(value))
		return b, unless(err == nil, "must be true or false")
	case reflect.Int:
		n, err := strconv.Atoi(fmt.Sprint(value))
		return n, unless(err == nil, "must be a whole number")
	}
	return value, nil
}

func unless(ok bool, why string) error {
	if ok {
		return nil
	}
	return errors.New(why)
}

func toSize(value any) (size Size, err error) {
	if n, ok := value.(int64); ok && n >= 0 {
		return Size(n), nil
	}
	s, _ := value.(string)
	err = size.UnmarshalText([]byte(s))
	return size, err
}

func toList(value any) ([]string, error) {
	list := []string{}
	switch v := value.(type) {
	case string:
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	case []any:
		for _, element := range v {
			s, ok := element.(string)
			if !ok {
				return nil, errors.New("must be a list of strings")
			}
			list = append(list, s)
		}
	default:
		return nil, errors.New("must be a list of strings")
	}
	return list, nil
}
