package lists

import (
	"slices"
	"strings"

	"paraph/app/signing/store"
	"paraph/kv"
)

// union reads several parts of the lists as one.
type union struct {
	tx      *kv.Tx
	company string
	sort    Sort
	parts   []part
}

// part is one part of a union, with the number of its rows already passed.
type part struct {
	cell      cell
	at, total int
}

func (u *union) read(c cell, offset, limit int) (raw [][]byte, total int, err error) {
	_, raw, total, err = store.Rows.PageRaw(u.tx,
		kv.Query{Index: string(u.sort.order()), Prefix: kv.K(u.company, c.visibility, c.status),
			Descending: !u.sort.Ascending, Offset: offset, Limit: limit})
	return raw, total, err
}

func (u *union) rows(p part, offset, limit int) ([]sortedRow, error) {
	raw, _, err := u.read(p.cell, offset, limit)
	if err != nil {
		return nil, err
	}
	out := make([]sortedRow, 0, len(raw))
	for _, b := range raw {
		r, err := store.RowCodec.Decode(b)
		if err != nil {
			return nil, err
		}
		out = append(out, sortedRow{store.SortKey(r, u.sort.order()), r.ID, b[store.RowPrefix:]})
	}
	return out, nil
}

// skip moves forward by n rows of the union and returns how many are left to skip,
// fewer than there are parts. Of the k parts, the one whose row n/k ahead sorts first
// has its next n/k rows among the next n of the union, so they can be passed without
// being read: the cost grows with the logarithm of n.
func (u *union) skip(n int) (rest int, err error) {
	for step := n / len(u.parts); step > 0; step = n / len(u.parts) {
		first, best := -1, sortedRow{}
		for i, p := range u.parts {
			if p.total-p.at < step {
				continue
			}
			ahead, err := u.rows(p, p.at+step-1, 1)
			if err != nil {
				return 0, err
			}
			if len(ahead) == 1 && (first < 0 || ahead[0].compare(best, !u.sort.Ascending) < 0) {
				first, best = i, ahead[0]
			}
		}
		if first < 0 {
			return n, nil // unreachable, since counts and entries come from one snapshot
		}
		u.parts[first].at += step
		n -= step
	}
	return n, nil
}

// merge returns rows in order, omitting the first few.
func (u *union) merge(skip, limit int) ([][]byte, error) {
	var all []sortedRow
	for _, p := range u.parts {
		next, err := u.rows(p, p.at, skip+limit)
		if err != nil {
			return nil, err
		}
		all = append(all, next...)
	}
	slices.SortFunc(all, func(a, b sortedRow) int { return a.compare(b, !u.sort.Ascending) })
	all = all[min(skip, len(all)):min(skip+limit, len(all))]
	out := make([][]byte, 0, len(all))
	for _, r := range all {
		out = append(out, r.json)
	}
	return out, nil
}

type sortedRow struct {
	key, id string
	json    []byte
}

func (a sortedRow) compare(b sortedRow, descending bool) int {
	if descending {
		a, b = b, a
	}
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return strings.Compare(a.id, b.id)
}
