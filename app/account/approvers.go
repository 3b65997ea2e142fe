package account

import (
	"context"

	"paraph/kv"
)

// ListApprovers returns the active members of a company who may approve
// documents, inside a transaction of another package.
func ListApprovers(tx *kv.Tx, companyID string) ([]Member, error) {
	var out []Member
	err := members.Each(tx, "company", kv.K(companyID), func(_ string, m memberRecord) (bool, error) {
		if !m.active() || !m.Role.Approves() {
			return true, nil
		}
		u, err := users.Get(tx, m.UserID)
		if err != nil {
			return false, err
		}
		out = append(out, m.view(u))
		return true, nil
	})
	return out, err
}

// Approvers lists the members of the company who can be asked to approve a document.
func (s *Service) Approvers(_ context.Context, who Actor) (all []Member, err error) {
	if err := staff(who, ScopeRead); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		all, err = ListApprovers(tx, who.CompanyID)
		return err
	})
	return all, err
}
