package record

import (
	"strings"

	"paraph/app/convert"
)

// Attached is a file that a signatory handed in with a field.
type Attached struct {
	Name        string
	ContentType string
	Size        int64
	Blob        string // also its SHA-256
}

// Value returns the form in which an attachment's value is stored and drawn: its name and hash.
func (a *Attached) Value() string { return a.Name + AttachedHash + a.Blob }

const AttachedHash = " sha256:"

// ServedAs returns the type an attachment is served as, which is never one
// that a browser would run.
func (a *Attached) ServedAs() string {
	if convert.Supported(strings.TrimPrefix(a.ContentType, "image/")) || a.ContentType == "application/pdf" {
		return a.ContentType
	}
	return "application/octet-stream"
}
