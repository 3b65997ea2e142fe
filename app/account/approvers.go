package account

import "paraph/kv"

// ListApprovers gives the active members of a company who may approve
// documents, inside a transaction of another room.
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
