package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"paraph/app/tree"
	"paraph/kv"
)

// Covered returns how many events of a company its newest checkpoint covers.
func (s *Service) Covered(tx *kv.Tx, company string) (int64, error) {
	c, _, err := s.latest(tx, company)
	return c.Size, err
}

// Prove proves, by the company's newest checkpoint, that an entry is in the journal.
// The checkpoint must cover it.
func (s *Service) Prove(tx *kv.Tx, company string, position int64, entry [32]byte) (tree.Proof, error) {
	c, ok, err := s.latest(tx, company)
	if err != nil {
		return tree.Proof{}, err
	}
	if !ok {
		return tree.Proof{}, fmt.Errorf("checkpoint: company %s has none", company)
	}
	return s.prove(tx, c, position, entry)
}

func (s *Service) prove(tx *kv.Tx, c Checkpoint, position int64, entry [32]byte) (p tree.Proof, err error) {
	key, err := s.signedBy(tx, c)
	if err != nil {
		return p, err
	}
	h, err := tree.Read(c.Signed) // by key, as has just been verified
	if err != nil {
		return p, err
	}
	if p, err = tree.NewProof(h, c.Signed, key, position, entry, s.Trees.Reader(tx, c.Company)); err != nil {
		return p, err
	}
	return p, p.Leads(h)
}

// signedBy returns the key, in its text form, that signed a checkpoint.
func (s *Service) signedBy(tx *kv.Tx, c Checkpoint) (string, error) {
	known, err := s.publicKeys(tx, c.Company)
	if err != nil {
		return "", err
	}
	for _, public := range slices.Backward(known) {
		v, err := tree.VerifierOf(c.Company, public)
		if err != nil {
			return "", err
		}
		if _, err := tree.Open(c.Signed, v); err == nil {
			return note.NewEd25519VerifierKey(v.Name(), public)
		}
	}
	return "", fmt.Errorf("%w: the checkpoint at event %d of company %s is not signed by a key of this installation", kv.ErrCorrupt, c.Size, c.Company)
}

// publicKeys lists the keys that may have signed a company's checkpoints, the
// current one last.
func (s *Service) publicKeys(tx *kv.Tx, company string) ([][]byte, error) {
	former, err := formerKeys.Get(tx, company)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return nil, err
	}
	own := s.Keys.Public()
	former.Keys = slices.DeleteFunc(former.Keys, func(k []byte) bool { // of a company that has come back
		return slices.ContainsFunc(own, func(o []byte) bool { return bytes.Equal(k, o) })
	})
	return append(former.Keys, own...), nil
}

func (s *Service) verifiers(tx *kv.Tx, company string) (all []note.Verifier, err error) {
	known, err := s.publicKeys(tx, company)
	for _, public := range known {
		v, e := tree.VerifierOf(company, public)
		all, err = append(all, v), errors.Join(err, e)
	}
	return all, err
}

// ForSealing returns the proof that an entry is in the journal, for the certificate
// of completion. The newest checkpoint serves if it covers the entry, else one is
// made.
func (s *Service) ForSealing(company string, position int64, entry [32]byte) (p tree.Proof, err error) {
	covered := false
	err = s.DB.View(func(tx *kv.Tx) error {
		c, ok, err := s.latest(tx, company)
		if err != nil || !ok || c.Size <= position {
			return err
		}
		covered = true
		p, err = s.prove(tx, c, position, entry)
		return err
	})
	if err != nil || covered {
		return p, err
	}
	err = s.DB.For(company).Update(func(tx *kv.Tx) error {
		c, err := s.Make(tx, company)
		if err != nil {
			return err
		}
		p, err = s.prove(tx, c, position, entry)
		return err
	})
	return p, err
}
