package signing

import (
	"slices"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// ownershipBatch is the number of documents that change owners in one transaction.
const ownershipBatch = 50

// OpenDocumentsOf returns the identifiers of the open documents that a member of the company owns.
func (s *Sending) OpenDocumentsOf(who account.Call, person string) ([]string, error) {
	if err := who.RequireMember(account.ScopeAdmin); err != nil {
		return nil, err
	}
	return s.openDocumentsOf(who.CompanyID, person)
}

// TransferOwnership transfers open documents of one member to another and returns their number: all of
// them, or only those with the given identifiers. The previous owner may be deactivated; the new
// owner must be able to work with the documents.
func (s *Sending) TransferOwnership(who account.Call, from, to string, only ...string) (int, error) {
	if err := who.RequireMember(account.ScopeAdmin); err != nil {
		return 0, err
	}
	newOwner, err := s.newOwner(who, from, to)
	if err != nil {
		return 0, err
	}
	ids, err := s.openDocumentsOf(who.CompanyID, from)
	if err != nil {
		return 0, err
	}
	if len(only) > 0 {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(only, id) })
	}
	for at := 0; at < len(ids); at += ownershipBatch {
		if err := s.transferOwnership(who, ids[at:min(at+ownershipBatch, len(ids))], from, newOwner); err != nil {
			return at, err
		}
	}
	return len(ids), nil
}

func (s *Sending) newOwner(who account.Call, from, to string) (newOwner record.Person, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		if _, err := account.LoadMember(tx, who.CompanyID, from); err != nil {
			return err
		}
		m, err := account.LoadMember(tx, who.CompanyID, to)
		switch {
		case fault.KindOf(err) == fault.KindNotFound:
			return fault.Invalid("to", "not_a_member")
		case err != nil:
			return err
		case from == to:
			return fault.Invalid("to", "same_member")
		case m.Status != account.MemberActive || !m.Role.Allows(account.ScopeWrite):
			return fault.Invalid("to", "member_cannot_work")
		}
		newOwner = record.Person{ID: m.UserID, Name: m.Name, Email: m.Email}
		return nil
	})
	return newOwner, err
}

func (s *Sending) openDocumentsOf(company, person string) (ids []string, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		for _, visibility := range slices.Concat(lists.Visibilities, templateVisibilities()) {
			err := store.Rows.Each(tx, "created_at", kv.K(company, visibility, store.AnyStatus), func(_ string, r record.Row) (bool, error) {
				if r.Owner.ID == person && record.Status(r.StatusID).Open() {
					ids = append(ids, r.ID)
				}
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

func (s *Sending) transferOwnership(who account.Call, ids []string, from string, newOwner record.Person) error {
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		for _, id := range ids {
			d, err := store.Load(tx, who, id)
			if fault.KindOf(err) == fault.KindNotFound {
				continue // removed in the meantime
			}
			if err != nil {
				return err
			}
			if d.Owner.ID != from || !d.Status.Open() {
				continue
			}
			event := record.NewEvent(record.EventDocumentHandedOver).With("from", d.Owner.Email).With("to", newOwner.Email)
			d.Owner = newOwner
			if err := s.store.Save(tx, who, d, event); err != nil {
				return err
			}
		}
		return nil
	})
}
