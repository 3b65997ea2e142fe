package verify

import (
	"maps"
	"paraph/app/pdf/reader"
	"regexp"
	"slices"
)

// The document security store (ISO 32000-2 §12.8.4.3, EN 319 142-1 §5.4.2) may
// change at every certification level. Newer data may replace the old, which
// some writers do for every signature; the loss is reported as reduced, and the
// old data is still judged from the earlier revision. No list may become empty.

var (
	storeLists = []name{"Certs", "CRLs", "OCSPs"}
	entryLists = []name{"Cert", "CRL", "OCSP"}
	vriKey     = regexp.MustCompile(`^[0-9A-Fa-f]{40,128}$`)
)

func (p *pair) store(was, is any) {
	if was == nil && is == nil {
		return
	}
	s := storeComparison{p: p}
	if r, ok := is.(ref); ok {
		s.number = r.Number
	}
	s.compare(was, is)
	if s.breaks != "" || !p.deepEqual(was, is) {
		rule := RuleValidationData
		if s.reduced {
			rule = RuleReduced
		}
		p.add(change{kind: ChangeDSS, number: s.number, key: s.key, by: rule, breaks: s.breaks})
	}
}

// A storeComparison records the first violation.
type storeComparison struct {
	p      *pair
	number int
	key    name
	breaks string
	// reduced reports that a list lost some of its elements, as happens when
	// newer data replaces older data.
	reduced bool
	// renewed reports that the newer store contains its own revocation data.
	renewed bool
}

func (s *storeComparison) fail(key name, rule string) {
	if s.breaks == "" {
		s.key, s.breaks = key, rule
	}
}

func (s *storeComparison) compare(was, is any) {
	a, b, ok := s.dicts("DSS", was, is)
	if !ok {
		return
	}
	s.entries(a, b, append([]name{"Type", "VRI"}, storeLists...))
	s.renewed = s.p.renewed(b)
	for _, k := range storeLists {
		s.list(k, a[k], b[k])
	}
	s.vri(a["VRI"], b["VRI"])
}

// dicts resolves both sides, which must be dictionaries; the older one may be
// missing. Removing the dictionary is a violation.
func (s *storeComparison) dicts(key name, was, is any) (a, b dict, ok bool) {
	p := s.p
	old, fresh := p.old.Resolve(was), p.new.Resolve(is)
	a, _ = old.(dict)
	b, ok = fresh.(dict)
	switch {
	case is == nil && a != nil:
		s.fail(key, RuleRemoved)
	case is == nil:
		return nil, nil, false
	case !ok:
		s.fail(key, RuleTwoRoles)
	case !p.moved(was, is):
		s.fail(key, RuleNumberInUse)
	}
	return a, b, ok
}

// entries checks that only the known entries of a store were changed or added.
func (s *storeComparison) entries(a, b dict, known []name) {
	for _, k := range s.p.keys(a, b) {
		if !slices.Contains(known, k) {
			s.fail(k, RuleNone)
		}
	}
	if t := b["Type"]; hasRef(t) || shape(t) != 0 {
		s.fail("Type", RuleNone)
	}
}

// list compares a list of streams, which may only grow.
func (s *storeComparison) list(key name, was, is any) {
	if is == nil && was == nil {
		return
	}
	p := s.p
	before := p.old.Array(was)
	after, ok := p.new.Resolve(is).(array)
	if is == nil && len(before) == 0 {
		return
	}
	switch {
	case is == nil && key == "Certs" && s.renewed:
		s.reduced = true
		return
	case is == nil:
		s.fail(key, RuleRemoved)
		return
	case !ok:
		s.fail(key, RuleTwoRoles)
		return
	case !p.moved(was, is):
		s.fail(key, RuleNumberInUse)
	}
	for _, v := range after {
		if _, isStream := p.new.Resolve(v).(*reader.Stream); !isStream || !isRef(v) {
			s.fail(key, RuleTwoRoles)
		}
	}
	if len(before) > 0 && len(after) == 0 {
		s.fail(key, RuleRemoved)
	}
	s.reduced = s.reduced || !p.contains(before, after)
}

// renewed reports whether a newer store contains its own revocation data.
func (p *revisions) renewed(is dict) bool {
	for _, k := range []name{"CRLs", "OCSPs"} {
		if slices.ContainsFunc(p.new.Array(is[k]), p.added) {
			return true
		}
	}
	return false
}

func isRef(v any) bool {
	_, ok := v.(ref)
	return ok
}

// contains reports whether every element of a list is in the newer one, under
// its number or as an equal object.
func (p *revisions) contains(before, after array) bool {
	numbers := map[any]bool{}
	for _, v := range after {
		if isRef(v) {
			numbers[v] = true
		}
	}
	for _, v := range before {
		if isRef(v) && numbers[v] {
			continue
		}
		if !slices.ContainsFunc(after, func(w any) bool { return p.equal(v, w) }) {
			return false
		}
	}
	return true
}

// vri compares the entries per signature: remaining ones must be unchanged, and
// removed ones may be replaced by others.
func (s *storeComparison) vri(was, is any) {
	a, b, ok := s.dicts("VRI", was, is)
	if !ok {
		return
	}
	s.replaced(a, b)
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if k == "Type" {
			continue
		}
		if a[k] == nil && !vriKey.MatchString(string(k)) {
			s.fail("VRI", RuleNone)
		}
		s.entry(a[k], b[k])
	}
}

// replaced records removed entries: each needs a replacement.
func (s *storeComparison) replaced(a, b dict) {
	gone, fresh := 0, 0
	for _, k := range s.p.keys(a, b) {
		switch {
		case k == "Type":
		case b[k] == nil:
			gone++
		case a[k] == nil:
			fresh++
		}
	}
	if gone > 0 && (fresh == 0 || !s.renewed) {
		s.fail("VRI", RuleRemoved)
	}
	s.reduced = s.reduced || gone > 0
}

func (s *storeComparison) entry(was, is any) {
	a, b, ok := s.dicts("VRI", was, is)
	if !ok {
		return
	}
	s.entries(a, b, append([]name{"Type", "TU", "TS"}, entryLists...))
	for _, k := range entryLists {
		s.list(k, a[k], b[k])
	}
	if v := b["TS"]; v != nil && !s.p.equal(a["TS"], v) && isRef(v) && !s.p.added(v) {
		s.fail("TS", RuleNumberInUse)
	}
}
