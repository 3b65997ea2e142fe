package record

import (
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf"
)

// Finding describes something that the inspection of an upload found.
type Finding struct {
	Code     fault.Code        // its word is stable, such as "already_signed"
	Severity string            // info, warning
	Args     map[string]string `json:",omitempty"` // of its sentence
	Message  string            `json:",omitempty"` // in records from before findings were codes
}

// Sentence describes the finding for the document's owner.
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

// AddFinding adds a finding to the file. The pairs are the names and values of the
// sentence's arguments.
func (f *File) AddFinding(severity string, code fault.Code, pairs ...string) {
	x := Finding{Code: code, Severity: severity}
	for i := 0; i+1 < len(pairs); i += 2 {
		if x.Args == nil {
			x.Args = map[string]string{}
		}
		x.Args[pairs[i]] = pairs[i+1]
	}
	f.Findings = append(f.Findings, x)
}

// AddFindings adds the findings of an inspection; broken counts the file's
// signatures that are not intact.
func (f *File) AddFindings(in pdf.Inspection, broken int) {
	add := func(when bool, severity string, code fault.Code, pairs ...string) {
		if when {
			f.AddFinding(severity, code, pairs...)
		}
	}
	// Nothing is removed from a file that is already signed, and the sentence says so.
	signed := len(in.Signed) > 0
	variant := func(code fault.Code) fault.Code {
		if signed {
			return code + ".signed"
		}
		return code
	}
	add(signed, SeverityInfo, "already_signed", "count", strconv.Itoa(len(in.Signed)))
	add(broken > 0, SeverityWarning, "signature_broken", "count", strconv.Itoa(broken))
	add(in.XFA == "static", SeverityInfo, variant("xfa"))
	add(in.JavaScript, SeverityWarning, variant("javascript"))
	add(in.LaunchActions, SeverityWarning, variant("launch_action"))
	add(in.Uneven > 0, SeverityWarning, variant("paper_differs"), "count", strconv.Itoa(in.Uneven))
	add(in.Printing, SeverityInfo, variant("print_settings"))
	add(len(in.EmbeddedFiles) > 0, SeverityInfo, "embedded_files", "count", strconv.Itoa(len(in.EmbeddedFiles)))
	add(in.HasForm, SeverityInfo, "existing_form")
	add(len(in.FontsNotEmbedded) > 0, SeverityWarning, "fonts_not_embedded", "fonts", strings.Join(in.FontsNotEmbedded, ", "))
	add(in.PDFA != "", SeverityInfo, "pdfa", "level", in.PDFA)
}
