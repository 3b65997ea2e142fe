package mailserver

import (
	"context"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// requireOperator returns an error unless the caller administers the installation. For
// others the settings don't exist.
func requireOperator(who account.Call) error {
	if who.RunsInstallation() {
		return nil
	}
	return fault.NotFound("page")
}

// mayChange also requires a recent proof of identity, because the operator of the mail
// server can read everybody's links.
func (s *Service) mayChange(who account.Call) error {
	switch err := requireOperator(who); {
	case err != nil:
		return err
	case s.IsConfigured():
		return fault.Conflict("mail_server_configured")
	case !s.Proven(who):
		return fault.Forbidden("proof_required")
	}
	return nil
}

// Save changes the mail server.
func (s *Service) Save(ctx context.Context, who account.Call, in Input) (State, error) {
	if err := s.mayChange(who); err != nil {
		return State{}, err
	}
	return s.change(ctx, func(tx *kv.Tx) (stored, error) {
		kept, err := read(tx)
		if err != nil {
			return stored{}, err
		}
		if kept, err = s.merged(kept, in); err != nil {
			return stored{}, err
		}
		kept.ChangedAt, kept.ChangedBy = tx.Now, who.Name
		return kept, servers.Put(tx, recordKey, kept)
	})
}

// TurnOff removes the mail server. From then on messages stay in the outbox.
func (s *Service) TurnOff(ctx context.Context, who account.Call) error {
	if err := s.mayChange(who); err != nil {
		return err
	}
	_, err := s.change(ctx, func(tx *kv.Tx) (stored, error) {
		if has, err := servers.Has(tx, recordKey); err != nil || !has {
			return stored{}, err
		}
		return stored{}, servers.Delete(tx, recordKey)
	})
	return err
}

// change stores settings and applies them, in the order of the transactions. Then it
// calls Changed.
func (s *Service) change(ctx context.Context, do func(tx *kv.Tx) (stored, error)) (State, error) {
	var kept stored
	err := s.DB.Update(func(tx *kv.Tx) (err error) {
		if kept, err = do(tx); err == nil {
			tx.OnCommit(func() { s.apply(kept) })
		}
		return err
	})
	if err == nil {
		err = s.Changed(ctx)
	}
	if err != nil {
		return State{}, err
	}
	return s.state(kept), nil
}
