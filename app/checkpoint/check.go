package checkpoint

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"paraph/app/tree"
	"paraph/kv"
)

// Check compares every checkpoint with the trees, which must have been compared
// with the journal before, and verifies its signature. It says between which events
// a history was changed.
func (s *Service) Check(tx *kv.Tx) (problems []error) {
	good := map[string]int64{} // the largest size up to which a history is as it was
	err := checkpoints.Each(tx, "company", nil, func(_ string, c Checkpoint) (bool, error) {
		if err := s.check(tx, c, good[c.Company]); err != nil {
			problems = append(problems, err)
			return true, nil
		}
		good[c.Company] = c.Size
		return true, nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	return problems
}

func (s *Service) check(tx *kv.Tx, c Checkpoint, good int64) error {
	keys, err := s.verifiers(tx, c.Company)
	if err != nil {
		return err
	}
	h, err := tree.Open(c.Signed, keys...)
	if err != nil {
		return fmt.Errorf("the checkpoint at event %d of company %s: %w", c.Size, c.Company, err)
	}
	if h.Company != c.Company || h.Size != c.Size || h.Root.String() != c.Root {
		return fmt.Errorf("%w: the checkpoint at event %d of company %s is not what was signed", kv.ErrCorrupt, c.Size, c.Company)
	}
	return s.compare(tx, h, good)
}

// ErrHistory says that the journal is not what a checkpoint attests.
var ErrHistory = errors.New("the history was changed")

// compare computes the head again from the tree.
func (s *Service) compare(tx *kv.Tx, h tree.Head, good int64) error {
	size, err := s.Trees.Size(tx, h.Company)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("the checkpoint at event %d of company %s, from %s", h.Size, h.Company, h.At.Format(time.RFC3339))
	if size < h.Size {
		return fmt.Errorf("%w: %s has more than the %d events of the journal", ErrHistory, said, size)
	}
	root, err := tlog.TreeHash(h.Size, s.Trees.Reader(tx, h.Company))
	if err != nil {
		return err
	}
	if root != h.Root {
		return fmt.Errorf("%w: %s does not fit the journal; the change is among the events %d to %d", ErrHistory, said, good+1, h.Size)
	}
	return nil
}

// CheckPublished compares a published checkpoint with the journal. One of the keys
// that this installation has, or had, must have signed it. If the published hashes
// are beside it, the first event that was changed is named.
func (s *Service) CheckPublished(tx *kv.Tx, p Published) error {
	h, err := tree.Read(p.Signed)
	if err != nil {
		return err
	}
	if err := s.compare(tx, h, 0); err != nil {
		if at, found := s.firstChange(tx, h, p.Folder); found {
			return fmt.Errorf("%w: event %d was changed", err, at+1)
		}
		return err
	}
	keys, err := s.verifiers(tx, h.Company)
	if err != nil {
		return err
	}
	if _, err := tree.Open(p.Signed, keys...); err != nil {
		return fmt.Errorf("the checkpoint at event %d of company %s: %w: no key that this installation has, or had, signed it", h.Size, h.Company, err)
	}
	return nil
}

// Published is a checkpoint that came from outside.
type Published struct {
	Signed string
	Folder tree.Folder // with the hashes, "" if they are not there
}

// firstChange finds the first event whose hash is not the published one.
func (s *Service) firstChange(tx *kv.Tx, h tree.Head, folder tree.Folder) (at int64, found bool) {
	if folder == "" {
		return 0, false
	}
	size, err := s.Trees.Size(tx, h.Company)
	if err != nil {
		return 0, false
	}
	theirs, ours := folder.Reader(h), s.Trees.Reader(tx, h.Company)
	const step = 256
	for from := int64(0); from < h.Size; from += step {
		indexes := leaves(from, min(from+step, h.Size))
		want, err := theirs.ReadHashes(indexes)
		if err != nil {
			return 0, false
		}
		got, err := ours.ReadHashes(indexes[:max(0, min(int64(len(indexes)), size-from))])
		if err != nil {
			return 0, false
		}
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				return from + int64(i), true
			}
		}
	}
	return 0, false
}

func leaves(from, to int64) (indexes []int64) {
	for n := from; n < to; n++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, n))
	}
	return indexes
}
