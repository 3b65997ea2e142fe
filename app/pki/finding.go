package pki

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Args are the named arguments of a finding.
type Args map[string]string

// Finding is a fault or peculiarity of a signature: a stable code and its arguments. The
// sentences are in the catalogue.
type Finding struct {
	Code string `json:"code"`
	Args Args   `json:"args,omitempty"`
}

// finding makes one from shared arguments, which may be nil, and pairs of a name and a value.
func finding(code string, shared Args, pairs ...any) Finding {
	f := Finding{Code: code}
	if len(shared)+len(pairs) > 0 {
		f.Args = Args{}
		maps.Copy(f.Args, shared)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Args[fmt.Sprint(pairs[i])] = fmt.Sprint(pairs[i+1])
	}
	return f
}

// String formats a finding for errors and logs, for example "not yet valid (date
// 2026-03-01T12:00:00Z, name Example)".
func (f Finding) String() string {
	said := make([]string, 0, len(f.Args))
	for _, name := range slices.Sorted(maps.Keys(f.Args)) {
		said = append(said, name+" "+f.Args[name])
	}
	code := strings.ReplaceAll(f.Code, "_", " ")
	if len(said) == 0 {
		return code
	}
	return code + " (" + strings.Join(said, ", ") + ")"
}

// sentence joins findings for an error.
func sentence(all []Finding) string {
	said := make([]string, len(all))
	for i, f := range all {
		said[i] = f.String()
	}
	return strings.Join(said, "; ")
}
