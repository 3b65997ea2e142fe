package record

import (
	"strings"

	"paraph/app/convert"
)

// Attached is a file that a signatory submitted with a field.
type Attached struct {
	Name        string
	ContentType string
	Size        int64
	Blob        string // also its SHA-256
}

// Value returns the form in which an attachment's value is stored and drawn: its name and hash.
func (a *Attached) Value() string { return a.Name + AttachedHash + a.Blob }

const AttachedHash = " sha256:"

// ServedAs returns the media type an attachment is served as, never one that a
// browser would execute.
func (a *Attached) ServedAs() string {
	if convert.Supported(strings.TrimPrefix(a.ContentType, "image/")) || a.ContentType == "application/pdf" {
		return a.ContentType
	}
	return "application/octet-stream"
}
