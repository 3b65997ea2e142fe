package verify

import (
	"paraph/app/pdf/document"
	"slices"
)

// Kinds of changes.
const (
	ChangeFormFill    = "form_fill"     // the value of a field
	ChangeSignature   = "signature"     // a signature, or an empty field for one
	ChangeTimestamp   = "timestamp"     // a document timestamp
	ChangeDSS         = "dss"           // validation data for signatures
	ChangeAnnotation  = "annotation"    // an annotation that is not a field
	ChangeMetadata    = "metadata"      // the metadata of the file
	ChangeField       = "field"         // a field was added, removed or redefined
	ChangeForm        = "form"          // the form as a whole
	ChangePage        = "page"          // the dictionary of a page
	ChangePageTree    = "page_tree"     // the set and order of pages
	ChangePageContent = "page_content"  // what pages show
	ChangeCatalog     = "catalog"       // the document as a whole
	ChangeStructure   = "structure"     // the structure tree (tags)
	ChangeHidden      = "hidden_object" // an object hidden in the signed bytes became reachable
	ChangeOverlay     = "overlay"       // something was placed over a page
	ChangeOther       = "other"
)

// A Change is one thing that a revision changed.
type Change struct {
	Kind   string // one of the Change constants
	Object int    // object number
	Page   int    // the affected page, from 1, or 0
	Field  string // full name of the affected field, or ""
	Key    string // the changed dictionary entry, or ""
	// Rule is the code of the rule that permits the change or that it violates.
	Rule      string
	Permitted bool
}

// Rules that permit a change, each with its clause.
const (
	RuleValidationData = "validation_data"         // EN 319 142-1 §5.4: DSS, VRI, extensions
	RuleReduced        = "validation_data_reduced" // the same, with some of the older data missing
	RuleTimestamp      = "timestamp"               // EN 319 142-1 §5.4.3: an invisible document timestamp
	RuleMetadata       = "metadata"                // ISO 32000-2 §14.3: information and XMP, shown on no page
	RuleFill           = "fill"                    // ISO 32000-2 §12.8.2.2, P 2: filling in forms
	RuleSigning        = "signing"                 // ISO 32000-2 §12.8.2.2, P 2: signing
	RuleAnnotations    = "annotations"             // ISO 32000-2 §12.8.2.2, P 3: annotations
	RuleVouched        = "vouched"                 // no certification, and a later signature covers the addition
)

// Rules that a change violates.
const (
	RuleNone          = "no_rule"          // nothing permits such a change
	RuleNoChanges     = "no_changes"       // certified with P 1
	RuleNoAnnotations = "no_annotations"   // certified with P 2, or not certified
	RuleLocked        = "locked"           // FieldMDP locks the field (ISO 32000-2 §12.8.2.4)
	RuleSignedField   = "signed_field"     // a signed field is frozen, including its appearance
	RuleNumberInUse   = "number_in_use"    // reuses an object number of the earlier revision
	RuleTwoRoles      = "two_roles"        // the object has another meaning elsewhere
	RuleRemoved       = "removed"          // something was removed
	RuleContradiction = "contradiction"    // value and appearance disagree
	RuleAppearance    = "appearance_alone" // the appearance was changed without the value
	RuleVisible       = "visible"          // a visible field was added after certification
	RuleUnvouched     = "unvouched"        // a visible field was added and no later signature covers it
	RuleCovers        = "covers_page"      // it covers something of a page, or a large part of one
	RuleHidden        = "hidden_object"    // an object unused in the signed bytes became reachable
	RuleAmbiguous     = "ambiguous"        // readers may interpret it differently
	RuleDamaged       = "damaged"          // unreadable
)

// An Update describes the changes of one later revision, judged against the
// signature it is listed under and the signatures before that.
type Update struct {
	Revision int
	End      int64
	Changes  []Change
}

// Permitted reports whether all changes of the revision are permitted.
func (u Update) Permitted() bool {
	return !slices.ContainsFunc(u.Changes, func(c Change) bool { return !c.Permitted })
}

// A change is a Change that has not been judged yet.
type change struct {
	kind   string
	number int
	page   int
	field  string // full name of the affected field, for locks
	key    name
	by     string // the rule that may permit it
	breaks string // the rule it violates in any case, or ""
	shapes bool   // its letters may have any shapes, so somebody has to vouch for what they saw
}

// rules describes what the signatures up to a revision permit.
type rules struct {
	level int // DocMDP level; 0 if no signature sets one
	locks []document.Lock
	// lastCovered is the last revision that ends with a signature over everything
	// before it.
	lastCovered int
}

func rulesOf(all []Signature, rev int) rules {
	r := rules{lastCovered: -1}
	for _, s := range all {
		if !s.Timestamp && len(s.Problems) == 0 {
			r.lastCovered = max(r.lastCovered, s.Revision)
		}
		if s.Revision > rev {
			continue
		}
		if s.level > 0 && (r.level == 0 || s.level < r.level) {
			r.level = s.level
		}
		r.locks = append(r.locks, s.locks...)
	}
	return r
}

func (r rules) judge(c change, rev int) Change {
	out := Change{Kind: c.kind, Object: c.number, Page: c.page, Field: c.field, Key: string(c.key)}
	out.Rule, out.Permitted = r.permit(c, rev)
	return out
}

// permit returns the rule that permits a change, or the rule it violates.
func (r rules) permit(c change, rev int) (rule string, ok bool) {
	switch {
	case c.breaks != "":
		return c.breaks, false
	case c.by == RuleValidationData, c.by == RuleReduced, c.by == RuleTimestamp, c.by == RuleMetadata:
		return c.by, true
	case r.level == 1:
		return RuleNoChanges, false
	case c.by == RuleAnnotations && r.level != 3:
		return RuleNoAnnotations, false
	case c.by == RuleVouched && r.level != 0:
		return RuleVisible, false
	case c.by == RuleVouched && r.lastCovered < rev:
		return RuleUnvouched, false
	case c.field != "" && slices.ContainsFunc(r.locks, func(l document.Lock) bool { return l.Covers(c.field) }):
		return RuleLocked, false
	case c.shapes && r.lastCovered < rev:
		return RuleContradiction, false
	case c.by == RuleFill && c.field == "" && len(r.locks) > 0: // no lock can name such a field
		return RuleLocked, false
	}
	return c.by, true
}
