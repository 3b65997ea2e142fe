package account

import (
	"cmp"
	"slices"

	"paraph/app/input"
	"paraph/app/list"
	"paraph/kv"
)

// ListMembers lists the members of a company. Statuses are active (which includes invited),
// invited, deactivated (also called archived) and deleted, which is always empty because a
// removed member leaves no record.
func (s *Companies) ListMembers(who Call, q MemberQuery) (list.Page[Member], error) {
	if err := staff(who, ScopeRead); err != nil {
		return list.Page[Member]{}, err
	}
	if slices.Contains(q.Statuses, "active") {
		q.Statuses = append(slices.Clone(q.Statuses), "invited")
	}
	wanted, err := wantedStatuses(q, map[string]string{
		"active": "active", "invited": "invited", "deactivated": "deactivated", "archived": "deactivated", "deleted": "deleted",
	}, "active", "invited")
	if err != nil {
		return list.Page[Member]{}, err
	}
	search := input.Fold(q.Search)
	var all []Member
	err = s.db.View(func(tx *kv.Tx) error {
		return members.Each(tx, "company", kv.K(who.CompanyID), func(_ string, m memberRecord) (bool, error) {
			if !wanted(string(m.status())) {
				return true, nil
			}
			u, err := users.Get(tx, m.UserID)
			if shown := m.view(u); err == nil && contains(shown.Name+" "+shown.Email, search) {
				all = append(all, shown)
			}
			return true, err
		})
	})
	if err != nil {
		return list.Page[Member]{}, err
	}
	return memberOrders.Page(all, q, MembersByCreation, func(m Member) string { return m.ID })
}

// MemberSort is an order of members.
type MemberSort string

// The orders of members.
const (
	MembersByCreation MemberSort = "created_at" // the default
	MembersByName     MemberSort = "name"
	MembersByEmail    MemberSort = "email"
	MembersByRole     MemberSort = "role" // from most to least
	MembersByStatus   MemberSort = "status"
)

// MemberQuery selects members.
type MemberQuery = list.Query[MemberSort]

var memberOrders = list.Orders[MemberSort, Member]{
	MembersByCreation: func(a, b Member) int { return a.CreatedAt.Compare(b.CreatedAt) },
	MembersByName:     func(a, b Member) int { return cmp.Compare(input.Fold(a.Name), input.Fold(b.Name)) },
	MembersByEmail:    func(a, b Member) int { return cmp.Compare(input.FoldEmail(a.Email), input.FoldEmail(b.Email)) },
	MembersByRole:     func(a, b Member) int { return cmp.Compare(rank(a.Role), rank(b.Role)) },
	MembersByStatus:   func(a, b Member) int { return cmp.Compare(a.Status, b.Status) },
}

func rank(r Role) int { return slices.Index(Roles(), r) }

// GetMember returns one member of the company.
func (s *Companies) GetMember(who Call, id string) (Member, error) {
	if err := staff(who, ScopeRead); err != nil {
		return Member{}, err
	}
	return s.MemberOf(who.CompanyID, id)
}

// MemberOf returns a member of a company to another package, which checks permissions.
func (s *Companies) MemberOf(companyID, userID string) (m Member, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		m, err = LoadMember(tx, companyID, userID)
		return err
	})
	return m, err
}

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
func (s *Companies) Approvers(who Call) (all []Member, err error) {
	if err := staff(who, ScopeRead); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		all, err = ListApprovers(tx, who.CompanyID)
		return err
	})
	return all, err
}
