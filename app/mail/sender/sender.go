// Package sender looks up in DNS who may send mail in the name of a domain: receivers
// refuse or hide mail for which they don't find SPF, DKIM and DMARC.
package sender

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// State says how good a finding is.
type State string

// States of findings.
const (
	Fine    State = "ok"
	Warning State = "warning" // works, but should be better
	Problem State = "problem" // mail may be refused or treated as spam
	Unknown State = "unknown" // could not be looked up
)

// Finding is the result of looking up one of the three in DNS.
type Finding struct {
	Kind   string // spf, dkim or dmarc
	Name   string // that was looked up; "" if none was
	State  State
	Code   string   // of the sentence about it, such as spf_missing
	Cause  string   // of a failed lookup, in the resolver's words
	Record []string // the texts found under the name, without unrelated ones
}

// Timeout bounds the lookups about one domain.
const Timeout = 10 * time.Second

// Examine looks up a domain. The selector names the key with which the mail server signs;
// without one DKIM can't be looked up.
func Examine(ctx context.Context, r *net.Resolver, domain, selector string) []Finding {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	domain = strings.TrimSuffix(strings.ToLower(domain), ".")
	parts := []func() Finding{
		func() Finding { return examineSPF(ctx, r, domain) },
		func() Finding { return examineDKIM(ctx, r, domain, selector) },
		func() Finding { return examineDMARC(ctx, r, domain) },
	}
	all := make([]Finding, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() { all[i] = part() })
	}
	wait.Wait()
	return all
}

// lookUp returns the texts under a name that keep accepts; none if the name does not exist.
func lookUp(ctx context.Context, r *net.Resolver, name string, keep func(string) bool) ([]string, error) {
	all, err := r.LookupTXT(ctx, name+".") // with a dot, so that no local domain is appended
	var failed *net.DNSError
	if errors.As(err, &failed) && failed.IsNotFound {
		return nil, nil
	}
	return slices.DeleteFunc(all, func(s string) bool { return !keep(s) }), err
}

// unknown is the finding after a failed lookup.
func unknown(kind, name string, err error) Finding {
	return Finding{Kind: kind, Name: name, State: Unknown, Code: "lookup_failed", Cause: err.Error()}
}

// examineSPF reads the list of servers that may send for the domain (RFC 7208).
func examineSPF(ctx context.Context, r *net.Resolver, domain string) Finding {
	records, err := lookUp(ctx, r, domain, func(s string) bool {
		version, _, _ := strings.Cut(strings.ToLower(s), " ")
		return version == "v=spf1"
	})
	if err != nil {
		return unknown("spf", domain, err)
	}
	f := Finding{Kind: "spf", Name: domain, Record: records}
	f.State, f.Code = judgeSPF(records)
	return f
}

func judgeSPF(records []string) (State, string) {
	switch {
	case len(records) == 0:
		return Problem, "spf_missing"
	case len(records) > 1:
		return Problem, "spf_several"
	}
	for _, term := range strings.Fields(strings.ToLower(records[0]))[1:] {
		switch {
		case term == "all" || term == "+all":
			return Problem, "spf_open"
		case term == "?all":
			return Warning, "spf_undecided"
		case term == "-all" || term == "~all" || strings.HasPrefix(term, "redirect="):
			return Fine, "spf_fine"
		}
	}
	return Warning, "spf_undecided" // RFC 7208 §4.7: neutral
}

// maxParents is how many parents of a domain are asked for a policy, the nearest to
// the root, so that a deep domain costs no more.
const maxParents = 7

// examineDMARC finds the policy of the domain, or of the nearest parent with one (RFC 7489).
func examineDMARC(ctx context.Context, r *net.Resolver, domain string) Finding {
	isPolicy := func(s string) bool {
		return strings.HasPrefix(strings.ReplaceAll(s, " ", ""), "v=DMARC1")
	}
	labels := strings.Split(domain, ".")
	for i := 0; i == 0 || i < len(labels); i++ {
		if parents := len(labels) - i; i > 0 && parents > maxParents {
			continue
		}
		name := "_dmarc." + strings.Join(labels[i:], ".")
		records, err := lookUp(ctx, r, name, isPolicy)
		if err != nil {
			return unknown("dmarc", name, err)
		}
		if len(records) > 0 {
			f := Finding{Kind: "dmarc", Name: name, Record: records}
			f.State, f.Code = judgeDMARC(records, i > 0)
			return f
		}
	}
	return Finding{Kind: "dmarc", Name: "_dmarc." + domain, State: Problem, Code: "dmarc_missing"}
}

// judgeDMARC judges the policy of a domain, or of a parent, which may have another one for its subdomains.
func judgeDMARC(records []string, ofParent bool) (State, string) {
	if len(records) > 1 {
		return Problem, "dmarc_several"
	}
	policy := tags(records[0])
	wanted := policy["p"]
	if sub, ok := policy["sp"]; ok && ofParent {
		wanted = sub
	}
	switch strings.ToLower(wanted) {
	case "reject", "quarantine":
		return Fine, "dmarc_fine"
	case "none":
		return Warning, "dmarc_none"
	}
	return Problem, "dmarc_broken"
}

// tags reads a list such as "v=DKIM1; p=..." (RFC 6376 §3.2).
func tags(record string) map[string]string {
	all := map[string]string{}
	for tag := range strings.SplitSeq(record, ";") {
		if name, value, ok := strings.Cut(tag, "="); ok {
			all[strings.TrimSpace(name)] = strings.Join(strings.Fields(value), "")
		}
	}
	return all
}
