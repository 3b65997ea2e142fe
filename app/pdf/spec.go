package pdf

import (
	"io"
	"time"

	"paraph/app/pdf/object"
)

// A SignFunc returns the signature or timestamp token (DER) for a SHA-256
// digest.
type SignFunc func(digest []byte) (cms []byte, err error)

// A Seal describes how to fill a signature dictionary. The texts may be empty.
type Seal struct {
	// Size is the number of bytes reserved for the result of Sign. If it is too
	// small, the revision is made again with more, calling Sign twice.
	Size                                int
	Sign                                SignFunc
	Name, Reason, Location, ContactInfo string
	At                                  time.Time // the claimed time; zero omits it
}

// FieldType is the type of a field. All types that people type into are text
// fields in the form.
type FieldType string

// The types of fields.
const (
	FieldText       FieldType = "text"
	FieldName       FieldType = "name"
	FieldEmail      FieldType = "email"
	FieldCompany    FieldType = "company"
	FieldJobTitle   FieldType = "job_title"
	FieldDate       FieldType = "date"
	FieldDateSigned FieldType = "date_signed"
	FieldNumber     FieldType = "number"
	FieldCheckbox   FieldType = "checkbox"
	FieldRadio      FieldType = "radio"
	FieldSelect     FieldType = "select"
	FieldAttachment FieldType = "attachment"
	FieldImage      FieldType = "image" // a picture that its signatory uploads
	FieldSignature  FieldType = "signature"
	FieldInitials   FieldType = "initials"
	FieldStamp      FieldType = "stamp"
	FieldPhone      FieldType = "phone"

	FieldLabel         FieldType = "label"         // fixed text
	FieldStrikethrough FieldType = "strikethrough" // a line through the text underneath
)

// FieldTypes returns all types of fields.
func FieldTypes() []FieldType {
	return []FieldType{
		FieldSignature, FieldInitials, FieldName, FieldEmail, FieldCompany, FieldJobTitle, FieldDateSigned, FieldDate,
		FieldText, FieldNumber, FieldPhone, FieldCheckbox, FieldRadio, FieldSelect, FieldStamp, FieldAttachment,
		FieldImage, FieldLabel, FieldStrikethrough,
	}
}

// An Appearance provides the form XObject (ISO 32000-2 §8.10) that a widget
// shows, adjusted to the rotation of its page. Stream is called once per
// widget, after Embed. app/pdf/text implements it.
type Appearance interface {
	Stream() (*object.Stream, error)
}

// A FieldSpec describes a field on one page.
type FieldSpec struct {
	// Name is unique among fields and signatures. In the file it gets a prefix
	// that separates it from the upload's own fields.
	Name string
	// Type is one of the Field constants. Signature, initials, stamp, image and strikethrough
	// fields are drawn fields without a cryptographic signature of their own; those are
	// in PrepareSpec.Signatures.
	Type FieldType
	// Existing is the full name of a field of the upload to include in the lock
	// of Owner; no new field is made.
	Existing string
	// Page counts from 0, including appended pages. X, Y, Width and Height are
	// fractions of the page as displayed, origin top left.
	Page                int
	X, Y, Width, Height float64
	// Options are the choices of a select. Group names the radio group of a
	// button, whose value is its first option or else its Name.
	Options []string
	Group   string
	// Value is the text or the choice. A check box or radio button is on unless
	// it is "" or "false".
	Value string
	// Appearance draws Value. Without it, text in the Latin-1 range is drawn
	// in the plain font.
	Appearance Appearance
	Required   bool
	ReadOnly   bool
	Multiline  bool
	MaxLength  int        // of text, in characters; 0 means unlimited
	FontSize   float64    // points; 0 fits the height
	Align      string     // left (default), center or right
	Color      [3]float64 // red, green and blue of the text, each from 0 to 1
	Comb       bool       // MaxLength cells of one character each
	Label      string     // text for screen readers
	Owner      string     // Name of the signature whose signing locks the field
}

// A SignatureSpec describes a signature field.
type SignatureSpec struct {
	Name string
	// Page counts from 0, including appended pages; -1 makes it invisible.
	Page                int
	X, Y, Width, Height float64
	// Locks names the fields that signing locks, in addition to those that name
	// this signature as their Owner.
	Locks []string
	Label string
}

// An Attachment is a file to embed.
type Attachment struct {
	Name, Description, MIME string
	// Relationship is as in ISO 32000-2 §7.11.3: Source, Data, Supplement, …
	Relationship string
	Data         []byte
	Modified     time.Time
}

// A Source is a PDF to take pages from.
type Source struct {
	Reader io.ReaderAt
	Size   int64
}

// A PrepareSpec describes what Prepare makes. It must include everything that
// later revisions need.
type PrepareSpec struct {
	// MadeHere tells that the file was made by app/pdf/page, so that each of its objects
	// has one role. The later steps are then not rehearsed.
	MadeHere bool
	// Rehearsals remembers that the later steps were rehearsed for a file of the same Content, an
	// identifier of all its bytes. Without one of them, they always are.
	Rehearsals *Rehearsals
	Content    string
	// Embed adds resources shared by the appearances of Fields, such as fonts,
	// to the revision. It is called once, before any Stream method; it may be
	// nil.
	Embed      func(w object.Writer)
	Fields     []FieldSpec
	Signatures []SignatureSpec
	// PlainFont embeds a simple font in WinAnsiEncoding for the default
	// appearances of text fields; nil means Helvetica, which is not embedded.
	PlainFont func(w object.Writer) (object.Ref, error)
	// Covers lose their text and are painted over before fields are placed. A signed upload
	// accepts none.
	Covers []Cover
	// WithoutTags returns a text without the text tags in it. It is applied to bookmarks, descriptions
	// and what the file says about itself, if there are covers; it may be nil.
	WithoutTags func(text string) string
	// AppendPages is a PDF whose pages are appended to those of the upload.
	AppendPages *Source
	// Certify seals the revision with DocMDP level 2. It is ignored if the
	// upload is already signed, and may be nil.
	Certify *Seal
	// Timestamp names the invisible field of the document timestamp; "" means "timestamp".
	Timestamp       string
	Language, Title string // values of the upload take precedence
	Attachments     []Attachment
	// StripJavaScript removes scripts and actions that launch programs,
	// StripEmbeddedFiles removes files embedded in the upload. A signed upload
	// is left unchanged.
	StripJavaScript    bool
	StripEmbeddedFiles bool
}

// A FieldValue fills one field.
type FieldValue struct {
	// Name is the Name of the FieldSpec or the full name of a field of the
	// upload. For a radio group it is the group or one of its buttons.
	Name string
	// Text is the text, the choice, or the value of a button of a radio group.
	Text string
	// Checked applies to check boxes and to radio buttons addressed by their own
	// name.
	Checked bool
	// Appearance draws Text, or the picture of a drawn field. Without it, text
	// in the Latin-1 range is drawn in the plain font.
	Appearance Appearance
}

// A SignSpec describes what Sign writes.
type SignSpec struct {
	Field  string // Name of the SignatureSpec
	Values []FieldValue
	// Appearance is shown by the widget; nil leaves it blank.
	Appearance Appearance
	// Embed adds resources shared by the appearances, such as fonts, to the
	// revision. It is called once, before any Stream method; it may be nil.
	Embed func(w object.Writer)
	Seal  Seal
}
