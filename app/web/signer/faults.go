package signer

import (
	"maps"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/web/page"
)

// faultOf is one message with a link to its field.
type faultOf struct{ Href, Text string }

// explainFaults sorts faults to the fields they are about. Programs know a field by
// its name, people by its label.
func (s *signPage) explainFaults(r *page.Request, err error) {
	at, labels := map[string]*fieldView{}, map[string]string{"signature.data": r.Say("sign.signature.name"), "initials.data": r.Say("sign.initials.name")}
	for _, f := range s.Fields {
		labels[f.key] = f.Label
		if at["fields."+f.key] == nil {
			at["fields."+f.key] = f
		}
		if f.group != "" && at["fields."+f.group] == nil {
			at["fields."+f.group] = f
		}
	}
	said := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		said[f.Name] = append(said[f.Name], r.Sentence(f, labels))
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		text := strings.Join(said[name], " ")
		switch f := at[name]; {
		case f != nil:
			f.Errors = append(f.Errors, text)
			s.Faults = append(s.Faults, faultOf{"#" + f.Input, text})
		case name == "consent":
			s.ConsentError = r.Say("sign.consent.missing")
			s.Faults = append(s.Faults, faultOf{"#consent", s.ConsentError})
		case strings.HasPrefix(name, "signature."):
			s.Signature.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Signature.Input, s.Signature.Error})
		case strings.HasPrefix(name, "initials."):
			s.Initials.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Initials.Input, s.Initials.Error})
		default:
			s.Faults = append(s.Faults, faultOf{"#main", text})
		}
	}
}

func markFault(r *page.Request, name, text string) string {
	kind, field, _ := strings.Cut(name, ".")
	if field == "data" && r.Form.Value(kind+".data") == "" && len(r.Form.Files[kind+".file"].Data) == 0 {
		return r.Say("sign." + kind + ".missing")
	}
	return text
}
