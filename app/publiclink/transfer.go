package publiclink

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"paraph/app/signing/store"
	"paraph/kv"
)

// ExportRecords exports the public links of a company. The addresses that the company has
// published go on to work where it is imported, so each has the hash of its secret part with it.
func (s *Service) ExportRecords(tx *kv.Tx, company string, put func(kv.Item) error) error {
	return links.Each(tx, "", kv.Key(company+"/"), func(key string, l Link) (bool, error) {
		l.Moved = append(slices.Clone(l.Moved), store.HashLink(s.codeOf(l.ID)))
		l.Token = "" // It stays behind: the person who owns the link answers for it where it is imported.
		it, err := links.Pack(key, l)
		if err != nil {
			return false, err
		}
		return true, put(it)
	})
}

// ImportRecord returns the function that stores an item of this package, nil if it belongs to
// another.
func (s *Service) ImportRecord(company string, it kv.Item) func(tx *kv.Tx) error {
	if it.In != links.Name() {
		return nil
	}
	return func(tx *kv.Tx) error {
		l, err := linkOf(company, it)
		if err != nil {
			return err
		}
		if s.BaseURL != "" {
			l.BaseURL = s.BaseURL
		}
		return links.Add(tx, it.ID, l)
	}
}

// CheckImport refuses a link that can't be stored: it is damaged, or a link here has its
// identifier, whose address would then lead to either.
func CheckImport(tx *kv.Tx, company string, it kv.Item) error {
	if it.In != links.Name() {
		return nil
	}
	l, err := linkOf(company, it)
	if err != nil {
		return err
	}
	return links.Each(tx, "id", kv.K(l.ID), func(string, Link) (bool, error) {
		return false, fmt.Errorf("%w: %s %q", kv.ErrExists, it.In, it.ID)
	})
}

func linkOf(company string, it kv.Item) (Link, error) {
	l, err := kv.Read[Link](it)
	if err != nil {
		return l, err
	}
	if l.Company != company || it.ID != l.key() {
		return l, fmt.Errorf("%w: public link %q belongs to another company", kv.ErrCorrupt, it.ID)
	}
	_, err = ulid.ParseStrict(l.ID)
	if err != nil || l.Uses < 0 || l.MaxUses < 0 || l.MaxUses > MaxUses || slices.ContainsFunc(l.Moved, notAHash) {
		return l, fmt.Errorf("%w: public link %q is not valid", kv.ErrCorrupt, it.ID)
	}
	return l, nil
}

func notAHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err != nil || len(b) != 32
}
