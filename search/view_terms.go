package search

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// anyOf returns the documents that have one of the exact terms. The result may
// be shared and must not be changed.
func (s *segmentView) anyOf(exact []string) (*roaring.Bitmap, error) {
	found := roaring.New()
	for _, term := range exact {
		one, err := s.remember(exactKey+term, func(to *roaring.Bitmap) error {
			dict, err := s.dictionary(exactField)
			if err != nil {
				return err
			}
			return addPostings(dict, term, to)
		})
		if err != nil || len(exact) == 1 {
			return one, err
		}
		found.Or(one)
	}
	return found, nil
}

// begins returns the documents with a word that begins with prefix. The result is shared and
// must not be changed.
func (s *segmentView) begins(ctx context.Context, prefix string) (*roaring.Bitmap, error) {
	for _, set := range s.exact {
		if set.IsEmpty() {
			return set, nil
		}
	}
	field := headField
	if len(headOf([]byte(prefix))) < len(prefix) {
		field = wholeField
	}
	return s.remember(prefix, func(to *roaring.Bitmap) error {
		dict, err := s.dictionary(field)
		if err != nil {
			return err
		}
		terms := 0
		return eachTerm(dict, prefix, func(term string) error {
			if terms++; terms%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			return addPostings(dict, term, to)
		})
	})
}

// remember returns the cached result for the key, or computes it.
func (s *segmentView) remember(key string, find func(to *roaring.Bitmap) error) (*roaring.Bitmap, error) {
	if found := s.views.recall(s.memory, key); found != nil {
		return found, nil
	}
	found := roaring.New()
	if err := find(found); err != nil {
		return nil, err
	}
	found.RunOptimize()
	s.views.keep(s.id, s.memory, key, found)
	return found, nil
}

func (s *segmentView) dictionary(field string) (segment.TermDictionary, error) {
	dict, err := s.seg.Segment().Dictionary(field)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return dict, nil
}

// eachTerm calls fn with the terms that begin with prefix, in order.
func eachTerm(dict segment.TermDictionary, prefix string, fn func(term string) error) error {
	start, end := []byte(prefix), afterPrefix(prefix)
	var terms segment.DictionaryIterator
	if d, ok := dict.(interface {
		AutomatonIteratorOmitCount(segment.Automaton, []byte, []byte) segment.DictionaryIterator
	}); ok {
		terms = d.AutomatonIteratorOmitCount(nil, start, end)
	} else {
		terms = dict.AutomatonIterator(nil, start, end)
	}
	for {
		entry, err := terms.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if entry == nil {
			return nil
		}
		if err := fn(entry.Term); err != nil {
			return err
		}
	}
}

// afterPrefix returns the first key after all keys with this prefix, nil if there is none.
func afterPrefix(prefix string) []byte {
	end := []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

// addPostings adds the documents with the term.
func addPostings(dict segment.TermDictionary, term string, to *roaring.Bitmap) error {
	postings, err := dict.PostingsList([]byte(term), nil, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if all, ok := postings.(interface{ OrInto(*roaring.Bitmap) }); ok {
		all.OrInto(to)
		return nil
	}
	each := postings.Iterator(false, false, false, nil)
	for {
		posting, err := each.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if posting == nil {
			return nil
		}
		to.Add(uint32(posting.Number()))
	}
}
