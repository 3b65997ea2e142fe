package account

import (
	"context"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/kv"
)

// provenAt returns when the holder of a session last proved who they are.
func (t tokenRecord) provenAt() time.Time {
	if t.ProvenAt == nil {
		return t.CreatedAt // of a session from before proofs were recorded
	}
	return *t.ProvenAt
}

// sessionEnd returns when a session that begins or is renewed now ends: without another proof
// it can't be renewed forever.
func (s *Service) sessionEnd(now, proven time.Time) time.Time {
	end, last := now.Add(s.lifetime), proven.Add(max(renewWindow, s.lifetime))
	if last.Before(end) {
		return last
	}
	return end
}

// RenewSession returns a fresh token for the actor's session, with the full
// lifetime, and ends the presented token.
func (s *Service) RenewSession(_ context.Context, who Actor) (t Token, err error) {
	if err := session(who); err != nil {
		return Token{}, err
	}
	err = s.db.Update(func(tx *kv.Tx) error {
		old, err := tokens.Get(tx, tokenKey(who.CompanyID, who.TokenID))
		if err != nil {
			return found(err, "session")
		}
		proven := old.provenAt()
		end := s.sessionEnd(tx.Now, proven)
		if old.ExpiresAt != nil && end.Before(*old.ExpiresAt) {
			return fault.Forbidden("proof_required")
		}
		if err := s.revoke(tx, old.key()); err != nil {
			return err
		}
		old.ProvenAt, old.ExpiresAt, old.IP, old.Name = &proven, new(end), who.IP, clip(who.UserAgent, 200)
		old.LastUsedAt = new(tx.Now)
		t, err = s.issue(tx, old)
		return err
	})
	return t, err
}

// EndOtherSessions ends every session of the caller, in all companies, except the calling one.
func (s *Service) EndOtherSessions(_ context.Context, who Actor) error {
	if err := session(who); err != nil {
		return err
	}
	return s.db.Update(func(tx *kv.Tx) error { return s.revokeAll(tx, who.UserID, "", ActorUser, who.TokenID) })
}

// EndSession ends one session of the caller. It is not an error if the session
// has already ended.
func (s *Service) EndSession(_ context.Context, who Actor, id string) error {
	if err := session(who); err != nil {
		return err
	}
	return s.db.Update(func(tx *kv.Tx) error {
		t, err := tokens.Get(tx, tokenKey(who.CompanyID, id))
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil
		case err != nil:
			return err
		case t.UserID != who.UserID || t.Kind != ActorUser:
			return fault.NotFound("session")
		}
		return s.revoke(tx, t.key())
	})
}

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
