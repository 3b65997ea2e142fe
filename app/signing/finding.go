package signing

import "paraph/app/fault"

// Finding describes something that the inspection of an upload found.
type Finding struct {
	Code     fault.Code        // its word is stable, such as "already_signed"
	Severity string            // info, warning
	Args     map[string]string `json:",omitempty"` // what its sentence names
	Message  string            `json:",omitempty"` // in records from before findings were codes
}

// Sentence describes the finding to the document's owner.
func (x Finding) Sentence(say fault.Sayer) string {
	if x.Message != "" {
		return x.Message
	}
	args := make(map[string]any, len(x.Args))
	for name, v := range x.Args {
		args[name] = v
	}
	return say("finding."+string(x.Code), args)
}

// found adds a finding to the file. The pairs are names and values of what its
// sentence names.
func (f *File) found(severity string, code fault.Code, pairs ...string) {
	x := Finding{Code: code, Severity: severity}
	for i := 0; i+1 < len(pairs); i += 2 {
		if x.Args == nil {
			x.Args = map[string]string{}
		}
		x.Args[pairs[i]] = pairs[i+1]
	}
	f.Findings = append(f.Findings, x)
}
