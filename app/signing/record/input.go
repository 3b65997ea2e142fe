package record

import (
	"slices"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/detect"
	"paraph/app/signing/mark"
)

// DocumentInput holds the settings of a document. A nil member keeps its value or
// default.
type DocumentInput struct {
	Title           *string
	Subject         *string
	Message         *string
	SigningOrder    *string
	ExternalID      *string
	Metadata        *map[string]string
	Locale          *string
	ExpiresAt       *time.Time // the zero time clears it
	RemindEveryDays *int
	ApproverID      *string
	RedirectURL     *string
	AllowDecline    *bool
	AllowDelegation *bool
	DeclineReason   *bool     // whether declining requires a reason
	OnDecline       *string   // one of OnDeclines; "" leaves it to the company
	ReadToEnd       *bool     // whether signing requires having read all pages
	SignatureTypes  *[]string // allowed for signatures and initials; none means all
	SendEmails      *bool     // whether recipients are written to
	ExpiresDays     *int      // of a template: days until the deadline of its documents; 0 means none
}

// FieldInput holds the settings of a field; see [Property] for what they are called. File and Invitation are identifiers
// or, in a one-shot request, positions from 0; Invitation may also be the
// person's e-mail address. An empty File means the first file.
type FieldInput struct {
	ID                 string
	File               *string
	Invitation         *string
	Type               *string
	Name               *string
	Label              *string
	Page               *int
	Pages              string // instead of Page, for a field on each of them; see [FieldInput.OnPages]
	X, Y               *float64
	Width              *float64
	Height             *float64
	Unit               string // of X, Y, Width and Height, one of Units; "" is fractions of the page
	Origin             string // corner that X and Y are measured from, one of Origins; "" is the top left one
	Required           *bool
	ReadOnly           *bool
	Value              *string
	Options            *[]string
	Min, Max           *float64
	Earliest, Latest   *string // of a date, "" clears it
	PatternMessage     *string
	Pattern            *string
	Format             *string
	Help, Placeholder  *string
	Group              *string
	GroupMin, GroupMax *int // 0 clears it
	FontSize           *float64
	Align              *string
	Weight, Color      *string
	VerticalAlign      *string
	Cells              *int
	Mask               *string
	SignatureTypes     *[]string // allowed for this signature or these initials; none means those of the document
	Covered            *[]detect.Area
	Formula            *string        // "" clears it
	Condition          *Condition     // without comparisons, it clears the field's
	Anchor             *detect.Anchor // page and position are derived from it before the input is applied
	Placed             *Field         // where the anchor puts the field, if that is known: it may have been moved since
}

// Limits of single values, in characters.
const (
	maxTitle   = 255
	MaxName    = 255
	MaxHint    = 200
	maxMessage = 10_000
	MaxReason  = 2_000
	MaxValue   = 10_000
	maxAddress = 2_000
)

func locale(f *fault.Fields, field string, v *string) string {
	if v == nil || *v == "" {
		return ""
	}
	tag, err := language.Parse(*v)
	if err != nil {
		f.Add(field, "not_a_language_tag")
		return ""
	}
	return tag.String()
}

func metadata(f *fault.Fields, v *map[string]string, limit int) map[string]string {
	if v == nil {
		return nil
	}
	size := 0
	for k, x := range *v {
		size += len(k) + len(x)
		if k == "" || utf8.RuneCountInString(k) > 100 {
			f.Add("metadata", "bad_keys")
			break
		}
		if !utf8.ValidString(k) || !utf8.ValidString(x) {
			f.Add("metadata", "not_utf8")
			break
		}
	}
	if size > limit {
		f.Add("metadata", "metadata_too_large", fault.Number("limit", limit))
	}
	return *v
}

// CheckDeadline refuses a time that is not in the future.
func CheckDeadline(f *fault.Fields, field string, v *time.Time, now time.Time) *time.Time {
	if v == nil {
		return nil
	}
	t := v.UTC().Truncate(time.Millisecond)
	if !t.After(now) {
		f.Add(field, "not_a_future_time")
	} else if t.Year() > 9999 {
		f.Add(field, "too_far_ahead")
	}
	return &t
}

// Apply checks the input and writes it to the document.
func (in *DocumentInput) Apply(f *fault.Fields, d *Document, limits Limits, now time.Time) {
	if in.Title != nil {
		if d.Title = input.Line(f, "title", in.Title, maxTitle); d.Title == "" {
			d.Title = Untitled
		}
	}
	if in.Subject != nil {
		d.Subject = input.Line(f, "subject", in.Subject, maxTitle)
	}
	if in.Message != nil {
		d.Message = input.Lines(f, "message", in.Message, maxMessage)
	}
	if in.SigningOrder != nil {
		d.SigningOrder = input.OneOf(f, "signing_order", in.SigningOrder, Parallel, Sequential)
	}
	if in.Locale != nil {
		d.Locale = locale(f, "locale", in.Locale)
	}
	switch {
	case in.ExpiresAt == nil:
	case in.ExpiresAt.IsZero():
		d.ExpiresAt = nil
	default:
		d.ExpiresAt = CheckDeadline(f, "expires_at", in.ExpiresAt, now)
	}
	if in.RemindEveryDays != nil {
		if d.RemindEveryDays = *in.RemindEveryDays; d.RemindEveryDays < 0 || d.RemindEveryDays > 365 {
			f.Between("remind_every_days", 0, 365)
		}
	}
	if in.ExpiresDays != nil {
		if d.ExpiresDays = *in.ExpiresDays; d.ExpiresDays < 0 || d.ExpiresDays > maxExpiresDays {
			f.Between("expires_days", 0, maxExpiresDays)
		}
	}
	in.applyPermissions(f, d)
	in.applyAnytime(f, d, limits)
}

// What happens to a document when somebody declines.
const (
	OnDeclineNotify = "notify" // the owner is notified and decides
	OnDeclineVoid   = "void"   // the document is voided at once
)

// OnDeclines lists what may happen to a document when somebody declines.
func OnDeclines() []string { return []string{OnDeclineNotify, OnDeclineVoid} }

// applyPermissions writes what invited people may do besides signing, and where
// they are redirected afterwards.
func (in *DocumentInput) applyPermissions(f *fault.Fields, d *Document) {
	if in.RedirectURL != nil {
		d.RedirectURL = input.Line(f, "redirect_url", in.RedirectURL, maxAddress)
		if d.RedirectURL != "" && !input.IsWebAddress(d.RedirectURL) {
			f.Add("redirect_url", "not_a_web_address.thanks")
		}
	}
	if in.AllowDecline != nil {
		d.NoDecline = !*in.AllowDecline
	}
	if in.AllowDelegation != nil {
		d.NoDelegation = !*in.AllowDelegation
	}
	if in.DeclineReason != nil {
		d.DeclineReason = *in.DeclineReason
	}
	if in.OnDecline != nil {
		d.OnDecline = *in.OnDecline
		if d.OnDecline != "" && !slices.Contains(OnDeclines(), d.OnDecline) {
			f.OneOf("on_decline", OnDeclines()...)
		}
	}
	if in.ReadToEnd != nil {
		d.ReadToEnd = *in.ReadToEnd
	}
	if in.SendEmails != nil {
		d.NoMails = !*in.SendEmails
	}
	d.NoDelegation = d.NoDelegation || d.NoMails
	if in.SignatureTypes != nil {
		d.SignatureTypes = input.Subset(f, "signature_types", *in.SignatureTypes, mark.Types()...)
	}
}

// applyAnytime writes the settings that may change in any state.
func (in *DocumentInput) applyAnytime(f *fault.Fields, d *Document, limits Limits) {
	if in.ExternalID != nil {
		d.ExternalID = input.Line(f, "external_id", in.ExternalID, maxTitle)
	}
	if in.Metadata != nil {
		d.Metadata = metadata(f, in.Metadata, limits.MetadataBytes)
	}
}

// ChangesContent reports whether the input changes anything that is fixed once the document leaves the draft state.
func (in *DocumentInput) ChangesContent() bool {
	return in.Title != nil || in.Subject != nil || in.Message != nil || in.SigningOrder != nil || in.Locale != nil ||
		in.ExpiresAt != nil || in.RemindEveryDays != nil || in.ApproverID != nil ||
		in.ExpiresDays != nil || in.RedirectURL != nil || in.AllowDecline != nil || in.AllowDelegation != nil ||
		in.DeclineReason != nil || in.OnDecline != nil || in.ReadToEnd != nil || in.SendEmails != nil || in.SignatureTypes != nil
}

const Untitled = "Untitled document"
