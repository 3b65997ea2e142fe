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

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// ConfigPath gives the file to load: the one asked for, else ./config.toml, else
// /etc/paraph/config.toml, else "" if there is none.
func ConfigPath(asked string) string {
	if asked != "" {
		return asked
	}
	for _, path := range []string{"config.toml", "/etc/paraph/config.toml"} {
		// Only a file that does not exist is passed over: one that cannot be
		// read must stop the start.
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}

// Load puts the configuration together: defaults, then the file at path ("" for
// none), then the environment (PARAPH_SERVER__LISTEN=…), then overrides (keys
// such as "server.listen"). Everything that is wrong is told at once, each with
// the key at fault.
func Load(path string, overrides map[string]string, environ []string) (Config, error) {
	c, known := Default(), map[string]reflect.Value{}
	collect(reflect.ValueOf(&c).Elem(), "", known)
	k, err := layers(path, overrides, environ)
	if err != nil {
		return Config{}, err
	}
	errs := misspelled(environ, known)
	for _, key := range k.Keys() {
		target, ok := known[key]
		if section, isSection := k.Get(key).(map[string]any); isSection && len(section) == 0 && isPrefix(key, known) {
			continue // a heading with nothing below it
		}
		if !ok {
			errs = append(errs, fmt.Errorf("config: %s: there is no such setting", key))
		} else if err := set(target, k.Get(key)); err != nil {
			errs = append(errs, fmt.Errorf("config: %s: %w", key, err))
		}
	}
	for _, line := range environ {
		switch name, value, _ := strings.Cut(line, "="); name {
		case "PARAPH_ADMIN_EMAIL":
			c.Admin.Email = value
		case "PARAPH_ADMIN_PASSWORD":
			c.Admin.Password = Secret(value)
		}
	}
	if err := errors.Join(append(errs, c.Validate())...); err != nil {
		return Config{}, err
	}
	return c, nil
}

const envPrefix = "PARAPH_"

func layers(path string, overrides map[string]string, environ []string) (*koanf.Koanf, error) {
	k := koanf.New(".")
	if path != "" {
		if err := k.Load(file.Provider(path), toml.Parser()); err != nil {
			return nil, fmt.Errorf("config: %s: %w", path, err)
		}
	}
	environment := env.Provider(".", env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			if !strings.Contains(name, "__") {
				return "", nil // not ours: a container platform may set PARAPH_PORT
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

// misspelled finds names such as PARAPH_SERVER_LISTEN, which would be passed
// over in silence for want of the second underscore.
func misspelled(environ []string, known map[string]reflect.Value) (errs []error) {
	plain := func(s string) string { return strings.NewReplacer("_", "", ".", "").Replace(strings.ToLower(s)) }
	for _, line := range environ {
		name, _, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ours || strings.Contains(rest, "__") {
			continue
		}
		for key := range known {
			if plain(key) == plain(rest) {
				right := envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
				errs = append(errs, fmt.Errorf("config: %s: there is no such setting; did you mean %s?", name, right))
			}
		}
	}
	return errs
}

func isPrefix(section string, known map[string]reflect.Value) bool {
	for key := range known {
		if strings.HasPrefix(key, section+".") {
			return true
		}
	}
	return false
}

// collect finds every setting below v: dotted key → the place to set it.
func collect(v reflect.Value, prefix string, into map[string]reflect.Value) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("koanf")
		switch {
		case name == "":
		case v.Field(i).Kind() == reflect.Struct:
			collect(v.Field(i), prefix+name+".", into)
		default:
			into[prefix+name] = v.Field(i)
		}
	}
}

// set converts what a file, the environment or a flag gave. Only the latter two
// may give a number or a switch as text. No value appears in an error: it may be
// a secret in the wrong place.
func set(target reflect.Value, value any) error {
	text, isText := value.(string)
	switch place := target.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New(`must be a duration such as "30s", "5m" or "24h"`)
		}
		*place = d
		return nil
	case *Size:
		if n, ok := value.(int64); ok && n >= 0 {
			*place = Size(n)
			return nil
		}
		return place.UnmarshalText([]byte(text))
	case *[]string:
		return setList(place, value)
	}
	switch target.Kind() {
	case reflect.String:
		if !isText {
			return errors.New("must be a string in quotes")
		}
		target.SetString(text)
	case reflect.Bool:
		b, ok := value.(bool)
		if isText {
			parsed, err := strconv.ParseBool(text)
			b, ok = parsed, err == nil
		}
		if !ok {
			return errors.New("must be true or false")
		}
		target.SetBool(b)
	case reflect.Int:
		n, ok := value.(int64)
		if isText {
			parsed, err := strconv.ParseInt(text, 10, 64)
			n, ok = parsed, err == nil
		}
		if !ok || target.OverflowInt(n) {
			return errors.New("must be a whole number")
		}
		target.SetInt(n)
	}
	return nil
}

func setList(place *[]string, value any) error {
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
			text, ok := element.(string)
			if !ok {
				return errors.New("must be a list of strings")
			}
			list = append(list, text)
		}
	default:
		return errors.New("must be a list of strings")
	}
	*place = list
	return nil
}
