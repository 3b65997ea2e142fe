package account

import (
	"net/netip"
	"time"
)

// User is a person who can log in, without any secrets.
type User struct {
	ID              string
	Name            string
	Email           string
	EmailVerifiedAt *time.Time
	Locale          string // BCP 47
	Timezone        string // IANA
	TwoFactor       bool   // the password alone is not enough

	AuthenticatorApp bool // has an app that shows codes
	Passkeys         int  // their number
	RecoveryCodes    int  // how many are left

	Installation  bool       // may administer the installation
	DeactivatedAt *time.Time // by the operator: this person can log in nowhere
	CreatedAt     time.Time
	UpdatedAt     time.Time

	Companies []UserCompany // where the person is an active member, longest first
}

// UserCompany is a company as one of its members sees it.
type UserCompany struct {
	ID    string
	Name  string
	Role  Role
	Token string // the bearer token for this company; only after login

	// Limited means that the company requires two-factor login, which the person
	// has not set up yet; until then nothing else can be done there.
	Limited bool
}

// Zone returns the company's time zone.
func (c Company) Zone() *time.Location {
	if zone, err := time.LoadLocation(c.Timezone); err == nil {
		return zone
	}
	return time.UTC
}

// Company is a tenant: no other company can see its records.
type Company struct {
	ID                string      `json:"id"`
	Name              string      `json:"name"`
	Locale            string      `json:"locale"`
	Timezone          string      `json:"timezone"`
	LogoURL           string      `json:"logo_url,omitempty"`    // "" for none
	BrandColor        string      `json:"brand_color,omitempty"` // "#rrggbb", "" for none
	RequireApproval   bool        `json:"require_approval,omitempty"`
	RequireTwoFactor  bool        `json:"require_two_factor,omitempty"`  // of every member
	DefaultExpiryDays int         `json:"default_expiry_days,omitempty"` // 0 for never
	ReminderDays      []int       `json:"reminder_days,omitempty"`       // days after sending, ascending
	ConsentText       string      `json:"consent_text,omitempty"`        // "" for the installation's text
	ConsentMode       ConsentMode `json:"consent_mode,omitempty"`        // "" is inline
	Phone             string      `json:"phone,omitempty"`               // for questions from signatories
	PrivacyURL        string      `json:"privacy_url,omitempty"`         // of the company's privacy notice
	RetentionDays     int         `json:"retention_days,omitempty"`      // 0 for unlimited
	OnDecline         OnDecline   `json:"on_decline"`
	SignatureTypes    []string    `json:"signature_types,omitempty"` // that new documents allow; nil for all
	ReadToEnd         bool        `json:"read_to_end,omitempty"`     // whether signing new documents requires having read all pages

	// ClosedDocumentsReadable lets signatories read documents that were voided,
	// declined or not signed in time.
	ClosedDocumentsReadable bool `json:"closed_documents_readable,omitempty"`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// OnDecline decides what happens to a document when a signatory declines.
type OnDecline string

// The choices of a company.
const (
	OnDeclineNotify OnDecline = "notify" // the owner is notified and decides
	OnDeclineVoid   OnDecline = "void"   // the document is voided immediately
)

// ConsentMode is how signatories agree to signing electronically.
type ConsentMode string

// The choices of a company.
const (
	ConsentInline ConsentMode = "inline" // on the page of the document, before they finish
	ConsentGate   ConsentMode = "gate"   // before any part of the document is sent to them
	ConsentOff    ConsentMode = "off"    // no consent is requested
)

// MemberStatus is the state of a membership.
type MemberStatus string

// The states of a membership.
const (
	MemberInvited     MemberStatus = "invited"     // has not accepted yet
	MemberActive      MemberStatus = "active"      // may do what the role allows
	MemberDeactivated MemberStatus = "deactivated" // may do nothing until activated again
)

// Member is a person in a company. Its ID is that of the user or, until they have joined, of the invitation: a person
// is in a company only once.
type Member struct {
	ID            string
	UserID        string // the same as ID
	CompanyID     string
	Name          string
	Email         string
	Role          Role
	Status        MemberStatus
	TwoFactor     bool
	InvitedAt     *time.Time
	JoinedAt      *time.Time
	DeactivatedAt *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Token is a credential of a member: of a program ([ActorToken]) or of a session ([ActorUser]).
type Token struct {
	ID         string
	CompanyID  string
	UserID     string
	UserName   string
	Kind       ActorKind
	Name       string // of a session: the browser or program it came from
	Scopes     []Scope
	Networks   []netip.Prefix // see [Actor]
	Templates  []string
	Secret     string // the token itself; only when it was just made
	IP         string // where a session began
	LastUsedAt *time.Time
	ExpiresAt  *time.Time // nil: until revoked
	CreatedAt  time.Time
}

// whenever makes an optional time comparable: nil sorts first.
func whenever(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
