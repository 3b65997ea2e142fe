package account

import (
	"context"
	"time"

	"paraph/kv"
)

// LastSeen returns when each member of the company was last active, by user,
// according to the open sessions. Members without one are missing from the map.
func (s *Service) LastSeen(_ context.Context, who Actor) (map[string]time.Time, error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return nil, err
	}
	seen := map[string]time.Time{}
	err := s.db.View(func(tx *kv.Tx) error {
		return tokens.Each(tx, "company", kv.K(who.CompanyID, string(ActorUser)), func(_ string, r tokenRecord) (bool, error) {
			at := r.CreatedAt
			if r.LastUsedAt != nil {
				at = *r.LastUsedAt
			}
			if used, ok := s.usage.at(r.key()); ok && used.After(at) {
				at = used.UTC()
			}
			if at.After(seen[r.UserID]) {
				seen[r.UserID] = at
			}
			return true, nil
		})
	})
	return seen, err
}
