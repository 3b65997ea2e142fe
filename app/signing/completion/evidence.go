package completion

import (
	"time"

	"paraph/app/tree"
)

// Evidence is the machine-readable evidence of a document: the content of the
// certificate in JSON, so that a program can check it without Paraph. Members omitted
// from the JSON are used only for the pages.
type Evidence struct {
	Document    Document    `json:"document"`
	Company     string      `json:"company"`
	Files       []File      `json:"files"`
	Signatories []Signatory `json:"signatories"`
	Events      []Event     `json:"events"`
	ChainHead   string      `json:"chain_head"`
	HashRule    string      `json:"hash_rule"`
	// Proof leads from the last event to a signed checkpoint of the journal.
	Proof *tree.Proof `json:"checkpoint_proof,omitempty"`
}

// Document is the document as a whole.
type Document struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	Status       string `json:"status"`
	SigningOrder string `json:"signing_order"`
	Owner        Person `json:"owner"`
	CreatedAt    Time   `json:"created_at"`
	SentAt       *Time  `json:"sent_at"`
	CompletedAt  *Time  `json:"completed_at"`
	Signed       int    `json:"-"` // people who have acted
	Total        int    `json:"-"` // people who have to act
}

// File is one file, with every piece that was appended to it.
type File struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	ContentType string     `json:"content_type"`
	Size        int64      `json:"size"`
	SHA256      string     `json:"sha256"`
	ConvertedBy *string    `json:"converted_by"`
	BaseSHA256  string     `json:"base_sha256"`
	BaseSize    int64      `json:"-"`
	Pages       int        `json:"pages"`
	Revisions   []Revision `json:"revisions"`
}

// Revision is one piece appended to a file.
type Revision struct {
	Kind        string  `json:"kind"`
	Signer      *Person `json:"signer,omitempty"`
	Size        int64   `json:"size"`   // bytes appended
	Total       int64   `json:"total"`  // bytes of the file up to here
	SHA256      string  `json:"sha256"` // of the file up to here
	At          Time    `json:"at"`
	RecordedFor *Person `json:"recorded_for,omitempty"` // in whose name the signer recorded it
}

// Change names fields that somebody filled in and somebody else changed later.
type Change struct {
	Fields []string `json:"fields"`
	By     Person   `json:"by"`
}

// Signatory is one invited person, and what they did.
type Signatory struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Email          string   `json:"email"`
	Role           string   `json:"role"`
	Group          string   `json:"group,omitempty"` // any one of which acts
	Status         string   `json:"status"`
	Authentication string   `json:"authentication"`
	NotifiedAt     *Time    `json:"notified_at"`
	ViewedAt       *Time    `json:"viewed_at"`
	SignedAt       *Time    `json:"signed_at"`
	ReadAt         *Time    `json:"read_at,omitempty"`
	FilledInAt     *Time    `json:"filled_in_at,omitempty"`
	FilledIn       []string `json:"filled_in,omitempty"` // fields that an assistant filled in
	Changed        []Change `json:"changed,omitempty"`   // which of them another one changed
	DeclinedAt     *Time    `json:"declined_at"`
	Method         string   `json:"method,omitempty"`
	Through        string   `json:"through,omitempty"`
	Host           string   `json:"host,omitempty"`
	HostDoubt      string   `json:"host_doubt,omitempty"`        // see Person
	RecordedBy     *Person  `json:"recorded_by,omitempty"`       // who acted, declined or replaced them in their name; ip and user_agent are theirs
	RecorderDoubt  string   `json:"recorded_by_doubt,omitempty"` // see Person
	IP             string   `json:"ip,omitempty"`
	UserAgent      string   `json:"user_agent,omitempty"`
	Consent        bool     `json:"consent"`
	ConsentText    string   `json:"consent_text,omitempty"`
	ConsentSHA256  string   `json:"consent_sha256,omitempty"`
	FormVersion    string   `json:"form_version,omitempty"` // of what they were shown, which was still so when they acted
	Reading        string   `json:"reading,omitempty"`      // of all pages: shown or confirmed
	Pages          int      `json:"pages,omitempty"`        // how many those are
	SignatureType  string   `json:"signature_type,omitempty"`
	Certificate    string   `json:"certificate_serial,omitempty"`
	Values         []Value  `json:"values,omitempty"`

	ActedAt        *Time    `json:"-"` // nil if the person has done nothing of what they were asked to do
	Mark           Mark     `json:"-"`
	DeclinedReason string   `json:"-"`
	DeclinedCode   string   `json:"-"` // of a reason that precedes their own words
	DelegatedTo    *Person  `json:"-"`
	NamedBy        *Person  `json:"named_by,omitempty"` // who named them as the next recipient
	Answers        []Answer `json:"-"`
	NotAsked       []string `json:"fields_not_asked,omitempty"` // because of their conditions
	Ways           []Way    `json:"-"`                          // derived from the events
}

// Kinds of ways: a member was shown it on a page, or a caller of the API received it. "web" and "api" are the others.
const (
	WayMailed  = "mailed"  // a mail server accepted it
	WayBounced = "bounced" // a mail server returned it
)

// Way is one way in which a person was given their link or code.
type Way struct {
	Kind   string
	Code   bool // the code rather than the link
	At     Time
	Email  string
	Server string
	Reply  string
	Who    Person // the member
	Token  string // of the API, if it was not a session
}

// Who supplied a value.
const (
	SuppliedByPerson    = "signatory" // they entered it
	SuppliedByAssistant = "assistant" // entered it for them, and they left it as it was
	SuppliedBySender    = "sender"    // it was there before, and they left it or could not change it
	SuppliedByRecorder  = "recorded"  // a member entered it in their name
	SuppliedByProgram   = "computed"  // it follows from other values, or from the time of signing
)

// Value is the value of one field of a person. Fields may share the name that the sender chose;
// each has its own identifier.
type Value struct {
	Field    string  `json:"field"` // its identifier
	Name     string  `json:"name"`
	Label    string  `json:"label"` // as shown to the person
	File     string  `json:"file"`
	Page     int     `json:"page"`
	Value    string  `json:"value"`
	Supplied string  `json:"supplied"`
	By       *Person `json:"supplied_by,omitempty"` // nil if it was computed
}

// Answer is the value a person entered in one field.
type Answer struct {
	Field  string
	Value  string
	Box    bool // a checkbox rather than text
	Ticked bool
}

// Event is one entry of the document's audit trail.
type Event struct {
	ID           string            `json:"id"`
	Seq          uint64            `json:"seq"`
	Type         string            `json:"type"`
	At           Time              `json:"at"`
	ActorType    string            `json:"actor_type"`
	ActorID      string            `json:"actor_id,omitempty"`
	ActorName    string            `json:"actor_name"`
	ActorEmail   string            `json:"actor_email,omitempty"`
	ActorDoubt   string            `json:"actor_doubt,omitempty"` // see Person
	IP           string            `json:"ip,omitempty"`
	UserAgent    string            `json:"user_agent,omitempty"`
	Data         map[string]string `json:"data,omitempty"`
	Hash         string            `json:"hash"`
	PreviousHash string            `json:"previous_hash"`
	// These are hashed as well, see HashRule.
	Scope       string `json:"scope"`
	Chain       string `json:"chain"`
	JournalHash string `json:"journal_previous_hash"`
	Raw         string `json:"raw"`
}

// Person is a name with an e-mail address; in JSON, "Ann Lee <ann@example.org>".
type Person struct {
	Name, Email string
	// Doubt is why a member's account does not prove that they receive the mail sent to its address:
	// made_by_company or unproven. Members beside the person hold it in JSON.
	Doubt string
}

// MarshalText writes the person as in the header of a message.
func (p Person) MarshalText() ([]byte, error) { return []byte(p.Name + " <" + p.Email + ">"), nil }

// Time is written as in the API: RFC 3339, UTC, milliseconds.
type Time time.Time

// Maybe returns t as a Time, nil if t is nil.
func Maybe(t *time.Time) *Time { return (*Time)(t) }

// MarshalText writes the time.
func (t Time) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z07:00"), nil
}

// HashRule describes how kv.HashEntry computes hashes, in terms of the members above.
const HashRule = "hash of an event is the SHA-256 of these parts, each preceded by its length in bytes as an 8-byte big-endian number: " +
	"the text \"kv log entry 1\"; seq as an 8-byte big-endian number; id; scope; chain; at in milliseconds since 1970-01-01T00:00:00Z as an 8-byte big-endian number; " +
	"the 32 bytes of journal_previous_hash; the 32 bytes of previous_hash; raw, which holds the event as it was stored. " +
	"previous_hash is the hash of the document's event before it, and 32 zero bytes for the first; the hash of the last event is chain_head. " +
	"sha256 of a revision covers the file from its first byte to the revision's end, which is total bytes."
