package pdf

import (
	"io"
	"time"

	"paraph/app/pdf/object"
)

// A SignFunc makes the signature or timestamp token (DER) over a SHA-256.
type SignFunc func(digest []byte) (cms []byte, err error)

// A Seal says how a signature dictionary is filled. The texts may be empty.
type Seal struct {
	// Size is how many bytes are kept for what Sign gives. Where it turns out
	// too small the revision is made again with more; Sign is then called twice.
	Size                                int
	Sign                                SignFunc
	Name, Reason, Location, ContactInfo string
	At                                  time.Time // the time claimed; zero leaves it out
}

// FieldType is the type of a field. Those that people type into are text fields of
// the form.
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
	FieldSignature  FieldType = "signature"
	FieldInitials   FieldType = "initials"
	FieldStamp      FieldType = "stamp"
)

// FieldTypes lists all types of fields.
func FieldTypes() []FieldType {
	return []FieldType{
		FieldSignature, FieldInitials, FieldName, FieldEmail, FieldCompany, FieldJobTitle, FieldDateSigned, FieldDate,
		FieldText, FieldNumber, FieldCheckbox, FieldRadio, FieldSelect, FieldStamp, FieldAttachment,
	}
}

// An Appearance gives the form XObject (ISO 32000-2 §8.10) that a widget shows,
// ready for the turn of its page. It is asked for it once per widget, after
// Embed. app/pdf/text makes them.
type Appearance interface {
	Stream() (*object.Stream, error)
}

// A FieldSpec asks for one field on one page.
type FieldSpec struct {
	// Name is unique among fields and signatures. In the file it gets a
	// prefix that keeps it apart from the upload's own fields.
	Name string
	// Type is one of the Field constants. Signature, initials and stamp are
	// drawn fields here, without a cryptographic signature of their own: those
	// are in PrepareSpec.Signatures.
	Type FieldType
	// Existing is the full name of a field of the upload that takes part, for
	// the lock of Owner; nothing is made for it but that.
	Existing string
	// Page counts from 0, appended pages included. X, Y, Width and Height are
	// fractions of the page as displayed, origin top left.
	Page                int
	X, Y, Width, Height float64
	// Options are the choices of a select. Group names the radio group of a
	// button, whose first option, or else its Name, is its value.
	Options []string
	Group   string
	// Value is the text, the choice, or for a check box and radio button
	// anything but "" and "false" when it is on.
	Value string
	// Appearance draws Value. Without it, text of the Latin-1 range is drawn
	// in the plain font.
	Appearance Appearance
	Required   bool
	ReadOnly   bool
	Multiline  bool
	MaxLength  int     // of text, in characters; 0 is unlimited
	FontSize   float64 // points; 0 lets it fit the height
	Align      string  // left (default), center or right
	Label      string  // what a screen reader says
	Owner      string  // Name of the signature whose signing locks the field
}

// A SignatureSpec asks for one signature field.
type SignatureSpec struct {
	Name string
	// Page counts from 0, appended pages included; -1 makes it invisible.
	Page                int
	X, Y, Width, Height float64
	// Locks names the fields that signing locks, besides those that name this
	// signature as their Owner.
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

// A PrepareSpec says what Prepare makes. Whatever later revisions need has to
// be asked for here.
type PrepareSpec struct {
	// Embed adds what the appearances of Fields share, such as fonts, to the
	// revision. It is called once, before any of them is asked for; nil is nothing.
	Embed      func(w object.Writer)
	Fields     []FieldSpec
	Signatures []SignatureSpec
	// PlainFont embeds a simple font in WinAnsiEncoding for the default
	// appearances of text fields; nil is Helvetica, which is not embedded.
	PlainFont func(w object.Writer) (object.Ref, error)
	// AppendPages is a PDF whose pages are put behind those of the upload.
	AppendPages *Source
	// Certify seals the revision with DocMDP level 2. It is left out when the
	// upload is already signed, and may be nil.
	Certify *Seal
	// Timestamp names the invisible field of the document timestamp; "" is "timestamp".
	Timestamp       string
	Language, Title string // kept as the upload has them where it has them
	Attachments     []Attachment
	// StripJavaScript removes scripts and actions that launch programs,
	// StripEmbeddedFiles what the upload embeds. An upload that is signed is
	// left as it is.
	StripJavaScript    bool
	StripEmbeddedFiles bool
}

// A FieldValue fills one field.
type FieldValue struct {
	// Name is that of the FieldSpec, or the full name of a field of the
	// upload. Of a radio group it is the group or one of its buttons.
	Name string
	// Text is the text or choice, or the value of a button of a radio group.
	Text string
	// Checked is for check boxes and for radio buttons by their own name.
	Checked bool
	// Appearance draws Text, or the picture of a drawn field. Without it, text
	// of the Latin-1 range is drawn in the plain font.
	Appearance Appearance
}

// A SignSpec says what Sign writes.
type SignSpec struct {
	Field  string // Name of the SignatureSpec
	Values []FieldValue
	// Appearance is what the widget shows; nil leaves it blank.
	Appearance Appearance
	// Embed adds what the appearances share, such as fonts, to the revision.
	// It is called once, before any of them is asked for; nil is nothing.
	Embed func(w object.Writer)
	Seal  Seal
}
