package record

import (
	"strings"

	"paraph/app/convert"
	"paraph/app/pdf"
)

// HandsIn reports whether the field's value is a file: any, or a picture to draw.
func (f *Field) HandsIn() bool { return f.Type == pdf.FieldAttachment || f.Type == pdf.FieldImage }

// TakesFile reports whether the value of the field can be a file. A stamp is drawn by the service
// unless its signatory hands in a picture of their own.
func (f *Field) TakesFile() bool { return f.HandsIn() || f.Type == pdf.FieldStamp }

// Attached is a file that a signatory submitted with a field. A picture is kept as it was drawn.
type Attached struct {
	Name        string
	ContentType string
	Size        int64
	Blob        string // also its SHA-256
}

// Value returns the form in which the value is stored, and drawn of an attachment: name and hash.
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
