package apidoc

import "strings"

// Sentences has the texts of errors in one language.
type Sentences interface {
	Keys(prefix string) []string // in order, without the prefix
	Names(key string) []string   // what a text has in braces
	SayOf(key string, args map[string]any) string
}

// errorCode is a code of errors, with the sentences that it can come with.
type errorCode struct {
	Code      string
	Sentences []string
}

// errorCodes returns all codes in the catalogue, which has a sentence for each. What a sentence
// names in a particular case stands as the name of that argument: ‹limit›.
func errorCodes(english Sentences) []errorCode {
	var out []errorCode
	for _, key := range english.Keys("fault.") {
		if strings.HasPrefix(key, "verdict.") {
			continue // what a report says, not an error
		}
		args := map[string]any{}
		for _, name := range english.Names("fault." + key) {
			args[name] = "‹" + name + "›"
		}
		// One code has several sentences where they differ by what is concerned: not_found.file.
		code, _, _ := strings.Cut(key, ".")
		if len(out) == 0 || out[len(out)-1].Code != code {
			out = append(out, errorCode{Code: code})
		}
		last := &out[len(out)-1]
		last.Sentences = append(last.Sentences, english.SayOf("fault."+key, args))
	}
	return out
}
