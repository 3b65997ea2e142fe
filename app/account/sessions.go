package account

import (
	"context"
	"errors"
	"time"

	"paraph/app/fault"
	"paraph/app/list"
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
func (s *Authentication) sessionEnd(now, proven time.Time) time.Time {
	end, last := now.Add(s.lifetime), proven.Add(max(renewWindow, s.lifetime))
	if last.Before(end) {
		return last
	}
	return end
}

// RenewSession returns a fresh token for the actor's session, with the full
// lifetime, and ends the presented token.
func (s *Authentication) RenewSession(who Call) (t Token, err error) {
	if err := session(who); err != nil {
		return Token{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		old, err := tokens.Get(tx, tokenKey(who.CompanyID, who.TokenID))
		if err != nil {
			return found(err, "session")
		}
		proven := old.provenAt()
		end := s.sessionEnd(tx.Now, proven)
		if old.ExpiresAt != nil && end.Before(*old.ExpiresAt) {
			return fault.Forbidden("proof_required")
		}
		if err := s.tokens.revoke(tx, old.key()); err != nil {
			return err
		}
		old.ProvenAt, old.ExpiresAt, old.IP, old.Name = &proven, new(end), who.IP, clip(who.UserAgent, 200)
		old.LastUsedAt = new(tx.Now)
		t, err = s.tokens.issue(tx, old)
		return err
	})
	return t, err
}

// EndOtherSessions ends every session of the caller, in all companies, except the calling one.
func (s *Authentication) EndOtherSessions(who Call) error {
	if err := session(who); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error { return s.tokens.revokeAll(tx, who.UserID, "", ActorUser, who.TokenID) })
}

// EndSession ends one session of the caller, in all companies. It is not an error if the session
// has already ended.
func (s *Authentication) EndSession(who Call, id string) error {
	if err := session(who); err != nil {
		return err
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		t, err := tokens.Get(tx, tokenKey(who.CompanyID, id))
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil
		case err != nil:
			return err
		case t.UserID != who.UserID || t.Kind != ActorUser:
			return fault.NotFound("session")
		}
		return s.tokens.endSession(tx, t)
	})
}

// LastSeen returns when each member of the company was last active, by user,
// according to the open sessions. Members without one are missing from the map.
func (s *Authentication) LastSeen(who Call) (map[string]time.Time, error) {
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

// ListSessions lists the caller's own logins to this company.
func (s *Authentication) ListSessions(who Call, q TokenQuery) (list.Page[Token], error) {
	if err := session(who); err != nil {
		return list.Page[Token]{}, err
	}
	return s.tokens.list(kv.K(who.CompanyID, string(ActorUser), who.UserID), q)
}

// SwitchCompany returns a token for another company of the person who logged in. The session's
// last proof of identity is carried over.
func (s *Authentication) SwitchCompany(who Call, companyID string) (t Token, err error) {
	if err := session(who); err != nil {
		return Token{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		m, err := members.Get(tx, memberKey(companyID, who.UserID))
		if err != nil {
			return found(err, "company")
		}
		if !m.active() {
			return fault.NotFound("company")
		}
		if err := s.tokens.trimSessions(tx, companyID, who.UserID); err != nil {
			return err
		}
		current, err := tokens.Get(tx, tokenKey(who.CompanyID, who.TokenID))
		if err != nil {
			return found(err, "session")
		}
		if current.Session == "" { // from before sessions were recorded
			current.Session = current.ID
			if err := tokens.Put(tx, current.key(), current); err != nil {
				return err
			}
		}
		t, err = s.tokens.issue(tx, tokenRecord{
			CompanyID: companyID, UserID: who.UserID, Kind: ActorUser, Name: clip(who.UserAgent, 200),
			Scopes: Scopes(), IP: who.IP, ExpiresAt: new(s.sessionEnd(tx.Now, who.ProvenAt)), ProvenAt: new(who.ProvenAt),
			Session: current.Session,
		})
		return err
	})
	return t, err
}

// Logout ends the session of the token that was presented, in all companies, or revokes the API
// token. A signatory's token has no record and expires on its own.
func (s *Authentication) Logout(who Call) error {
	if who.TokenID == "" || who.IsSignatory() {
		return nil
	}
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		t, err := tokens.Get(tx, tokenKey(who.CompanyID, who.TokenID))
		switch {
		case errors.Is(err, kv.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		return s.tokens.endSession(tx, t)
	})
}

// EndAllSessions ends all sessions in the company except the calling one, and
// returns how many. API tokens stay.
func (s *Authentication) EndAllSessions(ctx context.Context, who Call) (ended int, err error) {
	if err := errors.Join(session(who), staff(who, ScopeAdmin)); err != nil {
		return 0, err
	}
	for ctx.Err() == nil {
		n := 0
		err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
			keys, err := s.otherSessions(tx, who, sweepBatch)
			for _, key := range keys {
				err = errors.Join(err, s.tokens.revoke(tx, key))
			}
			n = len(keys)
			return err
		})
		ended += n
		if err != nil || n < sweepBatch {
			return ended, err
		}
	}
	return ended, ctx.Err()
}

func (s *Authentication) otherSessions(tx *kv.Tx, who Call, limit int) (keys []string, err error) {
	err = tokens.Each(tx, "company", kv.K(who.CompanyID, string(ActorUser)), func(key string, t tokenRecord) (bool, error) {
		if t.ID != who.TokenID {
			keys = append(keys, key)
		}
		return len(keys) < limit, nil
	})
	return keys, err
}
