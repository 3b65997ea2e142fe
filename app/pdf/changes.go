package pdf

import "slices"

// Kinds of changes.
const (
	ChangeFormFill    = "form_fill"     // the value of a field
	ChangeSignature   = "signature"     // a signature, or an empty field for one
	ChangeTimestamp   = "timestamp"     // a document timestamp
	ChangeDSS         = "dss"           // material to check signatures with
	ChangeAnnotation  = "annotation"    // other annotations than fields
	ChangeMetadata    = "metadata"      // what the file says of itself
	ChangeField       = "field"         // a field was added, removed or defined anew
	ChangeForm        = "form"          // the form as a whole
	ChangePage        = "page"          // the dictionary of a page
	ChangePageTree    = "page_tree"     // which pages there are
	ChangePageContent = "page_content"  // what pages show
	ChangeCatalog     = "catalog"       // the document as a whole
	ChangeStructure   = "structure"     // the structure tree (tags)
	ChangeHidden      = "hidden_object" // an object that was hidden in the signed bytes came up
	ChangeOverlay     = "overlay"       // something was laid over a page
	ChangeOther       = "other"
)

// A Change is one thing that a revision changed.
type Change struct {
	Kind   string // one of the Change constants
	Object int    // its number
	Page   int    // the page it touches, from 1, or 0
	Field  string // full name of the field it touches, or ""
	Key    string // the entry of the dictionary that was changed, or ""
	// Rule is the code of the rule that permits the change, or of the one that
	// it breaks.
	Rule      string
	Permitted bool
	Detail    string // the field, page or key in English
}

// Rules that permit a change, each with its clause.
const (
	RuleValidationData = "validation_data" // EN 319 142-1 §5.4: DSS, VRI, extensions
	RuleTimestamp      = "timestamp"       // EN 319 142-1 §5.4.3: an invisible document timestamp
	RuleMetadata       = "metadata"        // ISO 32000-2 §14.3: information and XMP, which no page shows
	RuleFill           = "fill"            // ISO 32000-2 §12.8.2.2, P 2: filling in forms
	RuleSigning        = "signing"         // ISO 32000-2 §12.8.2.2, P 2: signing
	RuleAnnotations    = "annotations"     // ISO 32000-2 §12.8.2.2, P 3: annotations
	RuleVouched        = "vouched"         // no certification, and a later signature covers what was added
)

// Rules that a change breaks.
const (
	RuleNone          = "no_rule"          // nothing permits such a change
	RuleNoChanges     = "no_changes"       // certified with P 1
	RuleNoAnnotations = "no_annotations"   // certified with P 2, or not certified
	RuleLocked        = "locked"           // FieldMDP locks the field (ISO 32000-2 §12.8.2.4)
	RuleSignedField   = "signed_field"     // a signed field is frozen, its appearance included
	RuleNumberInUse   = "number_in_use"    // it takes an object number that the earlier revision used
	RuleTwoRoles      = "two_roles"        // the object means something else in another place
	RuleRemoved       = "removed"          // something was taken away
	RuleContradiction = "contradiction"    // value and appearance say different things
	RuleAppearance    = "appearance_alone" // what is shown was changed without the value
	RuleVisible       = "visible"          // a visible field was added after certification
	RuleUnvouched     = "unvouched"        // a visible field was added and no later signature covers it
	RuleCovers        = "covers_page"      // it covers a large part of a page
	RuleHidden        = "hidden_object"    // an object that lay unused in the signed bytes was brought up
	RuleAmbiguous     = "ambiguous"        // readers may understand it differently
	RuleDamaged       = "damaged"          // it can't be read
)

// An Update is what one later revision changed, held against the signature it
// is listed under and those before it.
type Update struct {
	Revision int
	End      int64
	Changes  []Change
}

// Permitted says whether all changes of the revision are.
func (u Update) Permitted() bool {
	return !slices.ContainsFunc(u.Changes, func(c Change) bool { return !c.Permitted })
}

// A change is a Change before anybody judged it.
type change struct {
	kind     string
	number   int
	detail   string
	field    string // full name of the field it concerns, for locks
	harmless bool   // permitted at every level
	added    bool   // nothing there was changed
}

// rules are what the signatures up to a revision permit.
type rules struct {
	level int // 0 where no signature has one
	locks []Lock
}

func rulesOf(all []Signature, rev int) rules {
	var r rules
	for _, s := range all {
		if s.Revision > rev {
			continue
		}
		if s.Certifies > 0 && (r.level == 0 || s.Certifies < r.level) {
			r.level = s.Certifies
		}
		if s.Lock != nil {
			r.locks = append(r.locks, *s.Lock)
		}
	}
	return r
}

func (r rules) judge(c change) Change {
	return Change{Kind: c.kind, Object: c.number, Detail: c.detail, Permitted: c.harmless || r.permit(c)}
}

// permit is the table of ISO 32000-2 §12.8.2.2. Validation material and
// document timestamps are permitted at every level (EN 319 142-1 §5.5). Without
// a certification the standard forbids nothing; what changes pages is not
// permitted all the same.
func (r rules) permit(c change) bool {
	locked := c.field != "" && slices.ContainsFunc(r.locks, func(l Lock) bool { return l.Covers(c.field) })
	switch c.kind {
	case ChangeDSS, ChangeTimestamp:
		return true
	case ChangeMetadata:
		return r.level != 1
	case ChangeSignature, ChangeFormFill:
		return r.level != 1 && !locked
	case ChangeAnnotation:
		return r.level == 0 || r.level == 3
	case ChangeField:
		return r.level == 0 && c.added
	}
	return false
}
