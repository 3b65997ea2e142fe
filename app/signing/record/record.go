// Package record defines the document record, with its files, invitations and
// fields, and the rules by which it changes. Rules are pure: they check the record,
// then either refuse or change it and do nothing else. Nothing here reads the store.
package record

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/detect"
)

// Status is the state of a document; the numbers are part of the API contract.
type Status int

// The states a document goes through.
const (
	Draft           Status = 1
	PendingApproval Status = 2
	Approved        Status = 3
	Rejected        Status = 4
	Sent            Status = 5
	Completed       Status = 6
	Expired         Status = 7
	Voided          Status = 8
)

var statusWords = [...]string{"", "draft", "pending_approval", "approved", "rejected", "sent", "completed", "expired", "voided"}

// String returns the state's name in the API, such as "pending_approval".
func (s Status) String() string {
	if s < Draft || s > Voided {
		return ""
	}
	return statusWords[s]
}

// StatusNames lists the names of all states, in the order of their numbers.
func StatusNames() []string { return statusWords[1:] }

// Statuses lists every state in the order of its number.
func Statuses() []Status {
	return []Status{Draft, PendingApproval, Approved, Rejected, Sent, Completed, Expired, Voided}
}

// Roles of a person invited to a document.
const (
	Signer    = "signer"
	Approver  = "approver"
	Assistant = "assistant" // fills in fields for recipients who sign later
	Reader    = "reader"    // confirms having read the document
	Viewer    = "viewer"    // receives a copy at the end
)

// Roles lists the roles in the order in which they are offered.
func Roles() []string { return []string{Signer, Approver, Assistant, Reader, Viewer} }

// States of an invitation.
const (
	Pending   = "pending"
	Notified  = "notified"
	Viewed    = "viewed"
	Signed    = "signed"
	FilledIn  = "filled_in" // by an assistant
	Read      = "read"      // by a reader, who confirmed it
	Declined  = "declined"
	Delegated = "delegated"
	NotNeeded = "not_needed" // somebody else of their group has acted
)

// Ways in which an invited person proves who they are.
const (
	ByLink       = "link"
	ByEmailCode  = "email_code"
	ByAccessCode = "access_code"
)

// Orders of signing.
const (
	Parallel   = "parallel"
	Sequential = "sequential"
)

// Person is a member of the company as they were when they acted.
type Person struct {
	ID    string
	Name  string
	Email string
}

// Recorder is a member who has recorded an act in somebody's name.
type Recorder struct {
	Person
	Doubt string `json:",omitempty"` // see account.Actor.Doubt
	Why   Reason `json:",omitzero"`  // of declining, as the member stated it
}

// Document is the unit of reading and writing: the document with its files,
// invitations and fields. Times are UTC with milliseconds.
type Document struct {
	ID              string
	Company         string
	Title           string
	Subject         string
	Message         string
	Status          Status
	SigningOrder    string
	ExternalID      string
	Metadata        map[string]string
	Locale          string
	Owner           Person
	Approver        *Person
	SubmittedBy     string
	ExpiresAt       *time.Time
	RemindEveryDays int
	ReminderDays    []int // days after the invitation, set by the company, used when RemindEveryDays is not set
	Files           []File
	Invitations     []Invitation
	Fields          []Field
	Certificate     *File // certificate of completion, once completed
	Attention       Attention
	AttentionText   string `json:",omitempty"` // in records from before attention was a code
	// SealCauses are the reasons why sealing has failed so far that the owner was notified of.
	SealCauses    []fault.Code `json:",omitempty"`
	SealJob       string       `json:",omitempty"` // the job that gave up, while attention is sealing_failed
	DueJobs       []string     `json:",omitempty"` // other jobs that gave up
	BaseURL       string       // base address of the links in e-mails
	RedirectURL   string       `json:",omitempty"` // where people are redirected after signing
	NoDecline     bool         `json:",omitempty"` // the people invited can't decline
	NoDelegation  bool         `json:",omitempty"` // they can't delegate it
	DeclineReason bool         `json:",omitempty"` // declining requires a reason
	OnDecline     string       `json:",omitempty"` // one of OnDeclines; "" leaves it to the company
	ReadToEnd     bool         `json:",omitempty"` // signing requires having read all pages; see Reading
	// NoMails leaves it to the owner to pass links on: recipients only get the codes they ask
	// for. They can't delegate then, since nobody would write to the new person.
	NoMails bool `json:",omitempty"`

	// SignatureTypes are the types that signatures and initials may have, nil for all.
	SignatureTypes []string `json:",omitempty"`

	// Template marks a template: its invitations are roles, which need not name
	// anyone, and it is never sent but used to create documents.
	Template    bool    `json:",omitempty"`
	ExpiresDays int     `json:",omitempty"` // of a template: days until the deadline of its documents
	MadeFrom    *Source `json:",omitempty"` // the template a document was made from

	CreatedAt      time.Time
	UpdatedAt      time.Time
	SubmittedAt    *time.Time
	ApprovedAt     *time.Time
	RejectedAt     *time.Time
	RejectedReason string
	// SendAt is when to send a draft or an approved document, on behalf of SendBy.
	SendAt       *time.Time `json:",omitempty"`
	SendBy       *Person    `json:",omitempty"`
	SendToken    string     `json:",omitempty"` // the token with which a program scheduled that
	SentAt       *time.Time
	CompletedAt  *time.Time
	ExpiredAt    *time.Time
	VoidedAt     *time.Time
	VoidedReason string     // in people's own words
	VoidedCode   ReasonCode `json:",omitempty"`
	VoidedName   string     `json:",omitempty"` // of the person whom VoidedCode concerns
	ArchivedAt   *time.Time
	DeletedAt    *time.Time

	Version int64  // counts changes; the ETag
	Head    string // hash of the document's newest journal entry, hexadecimal
}

// Source identifies the template a document was made from, in the version used.
type Source struct {
	Template string
	Version  int64
	Run      string `json:",omitempty"` // that made it together with many others
	Link     string `json:",omitempty"` // public link through which somebody asked for it
}

// Size is a page's size in points, as displayed, and the page's rotation in degrees clockwise.
type Size struct {
	Width, Height float64
	Rotate        int
}

// File is one file of a document: its upload, and the revisions appended to it.
type File struct {
	ID          string
	Name        string
	ContentType string // as uploaded
	Upload      string // blob of the upload, unchanged
	Size        int64  // of the upload
	SHA256      string // of the upload, hexadecimal
	Pages       []Size
	Position    int
	ConvertedBy string // "", image, libreoffice or builtin
	Findings    []Finding
	Confirmed   bool // the owner has checked what the built-in renderer made
	// Placeholders are those of a DOCX, which are filled in when a document is made of it
	// as part of a template.
	Placeholders Placeholders `json:",omitempty"`
	CreatedAt    time.Time

	Base      string // blob of the PDF that revisions are appended to; the upload itself if that is possible
	BaseSize  int64
	Flattened bool // Base is a flattened copy; the upload is attached to it
	// Arranged is the choice of the upload's pages that Base has, nil if it has all of them.
	Arranged  *Arrangement `json:",omitempty"`
	Merged    []Part       `json:",omitempty"` // the uploads that Upload was made of, by merging them or blacking out parts
	PDFA      string       // conformance the PDF claims (ISO 19005), such as 2B; it is preserved
	Appended  int          // signature pages appended to those of the upload when the document is sent
	Presigned bool         // the upload has signatures of its own, so it is never certified
	Revisions []Revision
	// Certificates are those embedded with the signatures made here, DER, without duplicates.
	Certificates [][]byte
	// Unproven names those whose revocation data could not be fetched.
	Unproven []string
}

// Revision is one piece appended to a file (ISO 32000-2 §7.5.6).
type Revision struct {
	Kind       string // prepare, signature, validation, timestamp
	Invitation string // the signatory's, for a signature
	Blob       string // empty if the piece is in the same blob as the one before it, or as the base
	Size       int64
	Total      int64  // size of the file up to and including this piece
	SHA256     string // of the file up to and including this piece, hexadecimal
	HashState  []byte // saved state of that hash, so that appending hashes only the new piece
	At         time.Time
}

// Blobs returns the blobs of the PDF in order.
func (f *File) Blobs() []string {
	out := make([]string, 0, 1+len(f.Revisions))
	out = append(out, f.Base)
	for _, r := range f.Revisions {
		if r.Blob != "" {
			out = append(out, r.Blob)
		}
	}
	return out
}

// Append adds a piece, and sets the total of its record.
func (f *File) Append(r Revision) {
	r.Total = f.Total() + r.Size
	f.Revisions = append(f.Revisions, r)
}

// Total returns the current size of the PDF.
func (f *File) Total() int64 {
	if n := len(f.Revisions); n > 0 {
		return f.Revisions[n-1].Total
	}
	return f.BaseSize
}

// Current returns the SHA-256 of the current PDF, hexadecimal.
func (f *File) Current() string {
	if n := len(f.Revisions); n > 0 {
		return f.Revisions[n-1].SHA256
	}
	return f.Base
}

// Invitation asks one person to sign, to approve, to fill in fields for others, to read, or to
// receive a copy.
type Invitation struct {
	ID              string
	Name            string
	Email           string
	Role            string
	Company         string `json:",omitempty"` // where the person works, and as what: fills in their fields
	JobTitle        string `json:",omitempty"`
	RoleName        string `json:",omitempty"` // such as "Tenant", in a template and in documents made from it
	Group           string `json:",omitempty"` // any one of those who name the same group acts for all
	NamedByPrevious bool   `json:",omitempty"` // the recipient before names the person, see Names
	SharesEmail     bool   `json:",omitempty"` // another recipient with the same address is another person
	Position        int
	Status          string
	Authentication  string
	AccessCodeHash  string     // hexadecimal SHA-256 of salt and code
	AccessCodeHint  string     `json:",omitempty"` // shown next to the prompt for the code
	ProofSince      *time.Time `json:",omitempty"` // earlier proofs no longer count, because the code was changed
	Locale          string
	Message         string
	LinkGeneration  int // a higher number invalidates earlier links
	NotifiedAt      *time.Time
	ViewedAt        *time.Time
	SignedAt        *time.Time
	ReadAt          *time.Time `json:",omitempty"` // when a reader confirmed having read the document
	FilledInAt      *time.Time `json:",omitempty"` // when an assistant had filled in fields for others
	DeclinedAt      *time.Time
	DeclinedReason  string     // in their own words
	DeclinedCode    ReasonCode `json:",omitempty"`
	RemindedAt      *time.Time
	RemindersSent   int
	CreatedAt       time.Time
	UpdatedAt       time.Time
	DelegatedTo     string     // invitation that took over
	Astray          bool       `json:",omitempty"` // it reached the wrong person
	Agreed          *Agreement `json:",omitempty"` // consent to signing electronically, before they sign
	Evidence        *Evidence
	SignatureFields []string // names in the PDF, one per file that this person signs
	LinkShown       []string `json:",omitempty"` // who was shown the link through the API, see signing.Sending.HandOutLinks
	// RecordedBy is the member who acted, declined or passed the invitation on in the person's name,
	// themself or with a token; nil if the person did.
	RecordedBy *Recorder `json:",omitempty"`
}

// Copy returns a new invitation with the settings of this one, to replace it or for
// another document. The history of the original is dropped, and so is its access
// code: the person who knows the code need not be the one invited now, so the
// sender sets a new one.
func (i *Invitation) Copy(id string, now time.Time) Invitation {
	next := *i
	next.ID, next.Status, next.CreatedAt, next.UpdatedAt = id, Pending, now, now
	next.AccessCodeHash, next.LinkGeneration = "", 0
	next.NotifiedAt, next.ViewedAt, next.SignedAt, next.ReadAt, next.FilledInAt = nil, nil, nil, nil, nil
	next.DeclinedAt, next.DeclinedReason = nil, ""
	next.DeclinedCode = ""
	next.RemindedAt, next.RemindersSent, next.DelegatedTo, next.Astray = nil, 0, "", false
	next.Agreed, next.Evidence, next.SignatureFields, next.ProofSince, next.LinkShown, next.RecordedBy = nil, nil, nil, nil, nil, nil
	return next
}

// Replaced reports whether a member put somebody else in the person's place, who passed nothing on.
func (i *Invitation) Replaced() bool { return i.Status == Delegated && i.RecordedBy != nil }

// passedOn returns the error for an invitation in whose place there is another one.
func passedOn(i *Invitation) error {
	if i.Replaced() {
		return fault.Conflict("invitation_delegated.replaced")
	}
	return fault.Conflict("invitation_delegated")
}

// DisplayName returns the person's name, or that of the role nobody has taken yet.
func (i *Invitation) DisplayName() string { return cmp.Or(i.Name, i.RoleName, i.Email) }

// lacksCode reports whether the sender has yet to set the access code that the
// person will be asked for. The invitation has no link until then.
func (i *Invitation) lacksCode() bool {
	return i.Authentication == ByAccessCode && i.AccessCodeHash == ""
}

// Copy returns a field for a copied document, without the value its signatory, or an assistant,
// entered.
func (x Field) Copy(id, file, invitation string) Field {
	if (x.Filled || x.AssistedBy != "") && (!x.ReadOnly || x.Formula != "" || x.Type == pdf.FieldDateSigned) {
		x.Value = ""
	}
	x.ID, x.File, x.Invitation, x.Filled, x.Kept, x.Hidden, x.Attached = id, file, invitation, false, false, false, nil
	x.AssistedBy, x.AssistedBefore, x.Alias, x.GroupAlias = "", nil, "", ""
	x.Options, x.Covered = slices.Clone(x.Options), slices.Clone(x.Covered)
	x.SignatureTypes = slices.Clone(x.SignatureTypes)
	return x
}

// Copy returns a file for a copied document, with the upload and no revisions.
func (f File) Copy(id string, now time.Time) File {
	f.ID, f.Appended, f.Revisions, f.Certificates, f.Unproven, f.CreatedAt = id, 0, nil, nil, nil, now
	return f
}

// Copy returns a draft with the content and settings of a document, without its
// history. Files, people and fields are added by the caller.
func (d *Document) Copy(id string, owner Person, now time.Time) *Document {
	next := *d
	next.ID, next.Owner, next.Status, next.CreatedAt, next.UpdatedAt = id, owner, Draft, now, now
	next.ExpiresAt = d.copiedDeadline(now)
	next.Metadata = maps.Clone(d.Metadata)
	next.SignatureTypes = slices.Clone(d.SignatureTypes)
	next.Files, next.Invitations, next.Fields, next.Certificate = nil, nil, nil, nil
	next.Attention, next.AttentionText, next.ExternalID, next.SubmittedBy = Attention{}, "", "", ""
	next.MadeFrom = nil
	next.SealCauses, next.SealJob, next.DueJobs = nil, "", nil
	next.SubmittedAt, next.ApprovedAt, next.RejectedAt, next.RejectedReason = nil, nil, nil, ""
	unschedule(&next)
	next.SentAt, next.CompletedAt, next.ExpiredAt, next.VoidedAt = nil, nil, nil, nil
	next.setWhyVoided(Reason{})
	next.ArchivedAt, next.DeletedAt, next.Version, next.Head = nil, nil, 0, ""
	return &next
}

// copiedDeadline returns the deadline for a copy: the same if it lies in the future,
// otherwise one that allows as much time as the original did.
func (d *Document) copiedDeadline(now time.Time) *time.Time {
	if d.ExpiresAt == nil || d.ExpiresAt.After(now) {
		return d.ExpiresAt
	}
	began := d.CreatedAt
	if d.SentAt != nil {
		began = *d.SentAt
	}
	until := now.Add(max(d.ExpiresAt.Sub(began), 24*time.Hour))
	return &until
}

// Evidence documents how a person signed, filled in fields for others, or confirmed having read
// the document.
type Evidence struct {
	At            time.Time
	IP            string
	UserAgent     string
	Method        string // link, email_code, access_code, in_person, api
	Through       string // "signatory", or the member or token that made the API call
	Host          string `json:",omitempty"` // the member on whose device they signed in person
	HostDoubt     string `json:",omitempty"` // see account.Actor.Doubt
	Consent       bool
	ConsentText   string
	SignatureType string // typed, drawn, image
	Form          string `json:",omitempty"` // version of what they were shown, "" if their form did not say it
	Serial        string // of the certificate issued for the act, hexadecimal
	Picture       string // blob of the signature's picture as PNG, if there is one
	Typed         string
	Face          string `json:",omitempty"` // of Typed: script1 to script6
	Ink           string `json:",omitempty"` // of Typed and Strokes: blue, black; "" is blue
	Reading       string `json:",omitempty"` // ReadingShown or ReadingConfirmed, "" if not known
	Strokes       []byte `json:",omitempty"` // of a drawn signature, for the certificate of completion; see mark.Pack
}

// Field is the place on a page for one person's value.
type Field struct {
	ID                 string
	File               string
	Invitation         string
	Type               pdf.FieldType
	Name               string
	Label              string
	Page               int // 1-based
	X, Y               float64
	Width              float64
	Height             float64 // fractions of the page as displayed, origin top left
	Required           bool
	ReadOnly           bool
	Value              string
	Options            []string
	Min, Max           *float64
	Earliest, Latest   string `json:",omitempty"` // of a date: a date, or relative to the day of signing; see resolveDay
	Pattern            string
	PatternMessage     string `json:",omitempty"` // the owner's sentence about a value that doesn't match
	Format             string
	Help               string `json:",omitempty"` // shown with the field while it is filled in, never drawn
	Placeholder        string `json:",omitempty"` // shown in it while it is empty, never drawn
	Group              string
	GroupMin, GroupMax int `json:",omitempty"` // how many checkboxes of the group are ticked; 0 is no limit
	Look
	// SignatureTypes are the types that a signature or initials may have, nil for those of the document.
	SignatureTypes []string `json:",omitempty"`

	Filled     bool   // Value was entered by the signatory
	Kept       bool   `json:",omitempty"` // Value was there before, and the signatory left it as it was
	AssistedBy string `json:",omitempty"` // invitation of the assistant who entered Value before them
	// AssistedBefore are the invitations of assistants whose values the one in AssistedBy changed.
	AssistedBefore []string `json:",omitempty"`
	Alias          string   `json:"-"`          // replaces Key, where another recipient's field has the same
	GroupAlias     string   `json:"-"`          // replaces Group in faults, likewise
	Hidden         bool     `json:",omitempty"` // not asked for when the signatory signed
	Attached       *Attached
	Covered        []detect.Area  `json:",omitempty"` // parts of the upload's pages to paint over
	Anchor         *detect.Anchor `json:",omitempty"` // what determined its place, until it is moved
	Formula        string         `json:",omitempty"` // computes the value; the field is read-only then
	Condition      *Condition     `json:",omitempty"`
}
