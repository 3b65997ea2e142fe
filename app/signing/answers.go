package signing

import (
	"context"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// SaveAnswers stores what a person has filled in so far. Values are not validated until
// the person signs.
func (s *Service) SaveAnswers(_ context.Context, who account.Actor, id, invitation string, in Answers) error {
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, _, err := signerAt(tx, who, id, invitation)
		if err != nil {
			return err
		}
		before, err := store.AnswersOf(tx, invitation)
		if err != nil {
			return err
		}
		kept := Answers{Values: map[string]string{}, Handed: before.Handed, SavedAt: &tx.Now,
			Signature: store.StorableMark(in.Signature), Initials: store.StorableMark(in.Initials)}
		for _, x := range d.UnsortedFieldsOf(invitation) {
			if v, ok := in.Values[x.ID]; ok && !x.ReadOnly && !x.Drawn() && len(v) <= 4*record.MaxValue {
				kept.Values[x.ID] = v
			}
		}
		return store.SavedAnswers.Put(tx, invitation, kept)
	})
}

// ClearAnswers deletes what a person has filled in.
func (s *Service) ClearAnswers(_ context.Context, who account.Actor, id, invitation string) error {
	return s.DB.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if _, _, err := signerAt(tx, who, id, invitation); err != nil {
			return err
		}
		return store.SavedAnswers.Delete(tx, invitation)
	})
}
