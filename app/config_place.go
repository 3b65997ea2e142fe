package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// settingError says what is wrong with one setting, and where it is set.
type settingError struct {
	key, why string
	place    string // such as line 3 of config.toml; empty if it is not set
}

func (e *settingError) Error() string {
	text := "config: " + e.key + ": " + e.why
	if e.place != "" {
		text += " (" + e.place + ")"
	}
	return text
}

// placed joins the errors of a configuration, the first for each setting, and says where each setting is set.
func placed(errs []error, path string, overrides map[string]string, environ []string) error {
	lines := keyLines(path)
	var out []error
	seen := map[string]bool{}
	for _, err := range flatten(errs) {
		e, ok := errors.AsType[*settingError](err)
		if !ok {
			out = append(out, err)
			continue
		}
		if seen[e.key] {
			continue // what follows from the first
		}
		seen[e.key] = true
		variable := envPrefix + strings.ToUpper(strings.ReplaceAll(e.key, ".", "__"))
		inEnviron := slices.ContainsFunc(environ, func(line string) bool { return strings.HasPrefix(line, variable+"=") })
		switch _, flag := overrides[e.key]; {
		case flag:
			e.place = "--set"
		case inEnviron:
			e.place = variable
		case lines[e.key] > 0:
			e.place = fmt.Sprintf("line %d of %s", lines[e.key], path)
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

// flatten takes joined errors apart.
func flatten(errs []error) (all []error) {
	for _, err := range errs {
		if err == nil {
			continue
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, flatten(joined.Unwrap())...)
			continue
		}
		all = append(all, err)
	}
	return all
}

// keyLines returns the line at which each key of a file is set. A file that can't be read has none, which is
// reported elsewhere.
func keyLines(path string) map[string]int {
	lines := map[string]int{}
	b, err := os.ReadFile(path)
	if path == "" || err != nil {
		return lines
	}
	section, n := "", 0
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			if name, _, ok = strings.Cut(name, "]"); ok {
				section = plainKey(name) + "."
			}
			continue
		}
		key, _, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if key = section + plainKey(key); lines[key] == 0 {
			lines[key] = n
		}
	}
	return lines
}

// plainKey removes what TOML allows around the parts of a key.
func plainKey(key string) string {
	parts := strings.Split(key, ".")
	for i := range parts {
		parts[i] = strings.Trim(parts[i], " \t\"'")
	}
	return strings.Join(parts, ".")
}

// meant returns the setting that somebody probably meant by a key that is none, or empty.
func meant(key string, known []string) (best string) {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(s))
	}
	least := max(2, len(key)/5) + 1
	for _, k := range known {
		if d := distance(plain(key), plain(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the characters to add, remove or replace to make one text another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
