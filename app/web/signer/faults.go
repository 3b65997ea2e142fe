package signer

import (
	"maps"
	"slices"
	"strings"

	"paraph/app/fault"
	"paraph/app/web/page"
)

// faultOf is an error message with a link to its field.
type faultOf struct{ Href, Text string }

// explainFaults attaches the faults in err to the inputs they concern. Its messages
// refer to fields by their labels rather than by their names in the API.
func (s *signPage) explainFaults(r *page.Request, err error) {
	at := map[string]*fieldView{}
	labels := map[string]string{
		"signature.data": r.Say("sign.signature.name"),
		"initials.data":  r.Say("sign.initials.name"),
		"next.name":      r.Say("delegate.name"),
		"next.email":     r.Say("delegate.email"),
	}
	for _, f := range s.Fields {
		labels[f.key] = f.Label
		if at["fields."+f.key] == nil {
			at["fields."+f.key] = f
		}
		if f.group != "" && at["fields."+f.groupKey] == nil {
			at["fields."+f.groupKey] = f
		}
	}
	if outdated(err) {
		s.Faults = append(s.Faults, faultOf{"#main", r.Say("fault.form_outdated")})
	}
	texts := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		texts[f.Name] = append(texts[f.Name], r.Sentence(f, labels))
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := strings.Join(texts[name], " ")
		switch f := at[name]; {
		case f != nil:
			f.Errors = append(f.Errors, text)
			s.Faults = append(s.Faults, faultOf{"#" + f.Input, text})
		case name == "consent":
			s.ConsentError = r.Say("js.consent")
			s.Faults = append(s.Faults, faultOf{"#consent", s.ConsentError})
		case name == "pages" && s.Reading != nil:
			s.Reading.Error = text
			s.Faults = append(s.Faults, faultOf{"#read-all", text})
		case strings.HasPrefix(name, "signature."):
			s.Signature.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Signature.Input, s.Signature.Error})
		case strings.HasPrefix(name, "initials."):
			s.Initials.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Initials.Input, s.Initials.Error})
		case strings.HasPrefix(name, "next."):
			if s.namedFaults == nil {
				s.namedFaults = map[string][]string{}
			}
			s.namedFaults[name] = texts[name]
			s.Faults = append(s.Faults, faultOf{"#i-" + name, text})
		default:
			s.Faults = append(s.Faults, faultOf{"#main", text})
		}
	}
}

// markFault returns the message about a signature or initials: a missing one has a
// text of its own.
func markFault(r *page.Request, name, text string) string {
	kind, field, _ := strings.Cut(name, ".")
	if field == "data" && r.Form.Value(kind+".data") == "" && len(r.Form.Files[kind+".file"].Data) == 0 {
		return r.Say("sign." + kind + ".missing")
	}
	return text
}
