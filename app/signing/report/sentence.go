package report

import (
	"time"

	"paraph/app/pki"
	"paraph/app/words"
)

// Sentence describes what was changed and where.
func (c *ChangeVerdict) Sentence(l *words.Language) string {
	what := l.Say("verdict.change." + c.Kind)
	switch {
	case c.Field != "":
		return l.Say("verdict.at.field", "what", what, "field", c.Field)
	case c.Page > 0:
		return l.Say("verdict.at.page", "what", what, "page", c.Page)
	}
	return what
}

// Sentence describes a finding in the given language.
func Sentence(l *words.Language, f pki.Finding) string {
	args := map[string]any{}
	for name, value := range f.Args {
		args[name] = value
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			args[name] = l.Moment(at)
		}
	}
	if f.Code == "forbidden_change" {
		args["what"], args["rule"] = l.Say("verdict.change."+f.Args["kind"]), l.Say("verdict.rule."+f.Args["rule"])
	}
	return l.SayOf("verdict."+f.Code, args)
}
