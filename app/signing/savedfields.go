package signing

import (
	"errors"
	"fmt"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/pattern"
	"paraph/app/signing/record"
	"paraph/kv"
)

// SavedField is a field without a place and a recipient. Its size is a fraction of the page.
type SavedField struct {
	ID        string
	Company   string
	Name      string // what members call it
	Field     record.Field
	CreatedAt time.Time
	UpdatedAt time.Time
}

// SavedFieldInput holds the settings of a saved field. A nil member keeps its value.
type SavedFieldInput struct {
	Name  *string
	Field *record.FieldInput
}

// maxSavedFields is how many a company can have: all of them are offered in the editor.
const maxSavedFields = 500

var savedFields = kv.NewCollection("saved_fields", kv.JSON[SavedField](),
	kv.Index[SavedField]{Name: "name", Unique: true, Counted: true, Depth: 1, Keys: func(x SavedField) []kv.Key {
		return []kv.Key{kv.K(x.Company, input.Fold(x.Name))}
	}})

func (x *SavedField) key() string { return x.Company + "/" + x.ID }

// ListSavedFields returns all saved fields of a company, by name.
func (s *Drafts) ListSavedFields(who account.Call) (all []SavedField, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		return savedFields.Each(tx, "name", kv.K(who.CompanyID), func(_ string, x SavedField) (bool, error) {
			all = append(all, x)
			return true, nil
		})
	})
	return all, err
}

// GetSavedField returns a saved field.
func (s *Drafts) GetSavedField(who account.Call, id string) (x SavedField, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return x, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		x, err = loadSavedField(tx, who, id)
		return err
	})
	return x, err
}

func loadSavedField(tx *kv.Tx, who account.Call, id string) (SavedField, error) {
	x, err := savedFields.Get(tx, who.CompanyID+"/"+id)
	if errors.Is(err, kv.ErrNotFound) {
		return SavedField{}, fault.NotFound("saved_field").Because(err)
	}
	return x, err
}

// CreateSavedField saves a field.
func (s *Drafts) CreateSavedField(who account.Call, in SavedFieldInput) (SavedField, error) {
	return s.changeSavedField(who, func(tx *kv.Tx) (SavedField, error) {
		n, err := savedFields.Count(tx, "name", kv.K(who.CompanyID))
		if err == nil && n >= maxSavedFields {
			err = fault.Conflict("company_full")
		}
		return SavedField{ID: s.id(), Company: who.CompanyID, CreatedAt: tx.Now}, err
	}, in)
}

// UpdateSavedField changes a saved field. Documents that it was placed in stay as they are.
func (s *Drafts) UpdateSavedField(who account.Call, id string, in SavedFieldInput) (SavedField, error) {
	return s.changeSavedField(who, func(tx *kv.Tx) (SavedField, error) { return loadSavedField(tx, who, id) }, in)
}

func (s *Drafts) changeSavedField(
	who account.Call, load func(tx *kv.Tx) (SavedField, error), in SavedFieldInput,
) (x SavedField, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return x, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if x, err = load(tx); err != nil {
			return err
		}
		var f fault.Fields
		in.apply(&f, &x)
		if !f.Has("name") {
			known, _, err := savedFields.Lookup(tx, "name", kv.K(x.Company, input.Fold(x.Name)))
			switch {
			case err == nil && known != x.key():
				f.Taken("name")
			case err != nil && !errors.Is(err, kv.ErrNotFound):
				return err
			}
		}
		if err := f.Err(); err != nil {
			return err
		}
		x.UpdatedAt = tx.Now
		return errors.Join(savedFields.Put(tx, x.key(), x), who.Once.Done(tx, x.ID))
	})
	return x, err
}

// DeleteSavedField removes a saved field. Documents that it was placed in keep theirs.
func (s *Drafts) DeleteSavedField(who account.Call, id string) error {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		x, err := loadSavedField(tx, who, id)
		if err != nil {
			return err
		}
		return errors.Join(savedFields.Delete(tx, x.key()), who.Once.Done(tx))
	})
}

// apply checks the input and writes it to the field.
func (in SavedFieldInput) apply(f *fault.Fields, x *SavedField) {
	if in.Name != nil {
		x.Name = input.Line(f, "name", in.Name, record.MaxName)
	}
	if x.Name == "" && !f.Has("name") {
		f.Required("name")
	}
	if in.Field == nil {
		if x.Field.Type == "" {
			f.Required("field")
		}
		return
	}
	field, at := *in.Field, f.Under("field")
	for name, given := range map[string]bool{
		"condition": field.Condition != nil && len(field.Condition.When) > 0,
		"formula":   field.Formula != nil && *field.Formula != "",
		"anchor":    field.Anchor != nil,
		"covered":   field.Covered != nil && len(*field.Covered) > 0,
	} {
		if given {
			at.Add(name, "not_in_saved_field")
		}
	}
	field.Condition, field.Formula, field.Anchor, field.Covered = nil, nil, nil, nil
	// It is checked as if it were placed on a page.
	const anywhere = "anywhere"
	page := record.Placement{Files: []record.File{{ID: anywhere, Pages: []record.Size{{Width: 595, Height: 842}}}},
		Invitations: []record.Invitation{{ID: anywhere, Role: record.Signer}}}
	field.File, field.Invitation, field.Page = new(anywhere), new(anywhere), new(1)
	field.X, field.Y = new(0.0), new(0.0)
	if x.Field.Type != "" {
		x.Field.ID = x.ID // what the input leaves out is kept
	}
	field.Apply(at, &x.Field, page)
	x.Field.ID, x.Field.File, x.Field.Invitation, x.Field.Page = "", "", "", 0
}

// importSavedField stores a saved field of another installation.
func importSavedField(tx *kv.Tx, company string, it kv.Item) error {
	x, err := kv.Read[SavedField](it)
	switch {
	case err != nil:
		return err
	case x.Company != company || it.ID != x.key():
		return foreign(it)
	}
	if err := pattern.Check(x.Field.Pattern); err != nil {
		return fmt.Errorf("%w: saved field %s: %w", kv.ErrCorrupt, x.ID, err)
	}
	return savedFields.Add(tx, it.ID, x)
}

// exportSavedFields exports the saved fields of a company.
func exportSavedFields(tx *kv.Tx, l RecordExport) error {
	return savedFields.Each(tx, "", kv.Key(l.Company+"/"), func(id string, x SavedField) (bool, error) {
		it, err := savedFields.Pack(id, x)
		return true, errors.Join(err, l.Put(it))
	})
}
