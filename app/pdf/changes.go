package pdf

import "slices"

// Kinds of changes.
const (
	ChangeFormFill    = "form_fill"
	ChangeSignature   = "signature"
	ChangeTimestamp   = "timestamp"
	ChangeDSS         = "dss"
	ChangeAnnotation  = "annotation"
	ChangeMetadata    = "metadata"
	ChangeField       = "field" // a field was added, removed or defined anew
	ChangeForm        = "form"
	ChangePage        = "page"
	ChangePageTree    = "page_tree"
	ChangePageContent = "page_content"
	ChangeCatalog     = "catalog"
	ChangeOther       = "other"
)

// A Change is one object, or one part of it, that a revision changed.
type Change struct {
	Kind      string
	Object    int    // number
	Detail    string // the field, page or key, for people
	Permitted bool
}

// An Update is what one later revision changed, held against the signature it
// is listed under and all before it.
type Update struct {
	Revision int
	End      int64
	Changes  []Change
}

// Permitted says whether all changes of the revision are.
func (u Update) Permitted() bool {
	return !slices.ContainsFunc(u.Changes, func(c Change) bool { return !c.Permitted })
}
