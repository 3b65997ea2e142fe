package report

import (
	"cmp"
	"slices"

	"paraph/app/pdf/verify"
	"paraph/app/pki"
)

func begin(s *verify.Signature, kind string) SignatureVerdict {
	v := SignatureVerdict{Field: s.Field, Kind: kind, Reason: s.Reason, Revision: s.Revision, End: s.End, CoversAll: s.Whole}
	if !s.At.IsZero() {
		v.ClaimedAt = &s.At
	}
	return v
}

func (v *SignatureVerdict) take(r *pki.SignatureReport) {
	v.Integrity, v.Identity = r.Integrity(), r.Identity()
	v.IntegrityReasons = append(slices.Clone(r.Faults), r.Gaps...)
	v.IdentityReasons = r.IdentityProblems()
	v.Trusted = r.Trusted()
	v.Algorithm, v.Revocation = r.Algorithm, r.Revocation.Status
	v.Problems = append(v.Problems, r.Problems...)
	v.Notes = append(v.Notes, r.Weak...)
	if c := r.Certificate; c != nil {
		v.Signer, v.Issuer = c.Subject.CommonName, c.Issuer.CommonName
		if len(c.EmailAddresses) > 0 {
			v.Email = c.EmailAddresses[0]
		}
	}
	if n := len(r.Chain); n > 0 {
		v.Root = r.Chain[n-1].Subject.CommonName
	}
}

// structure records what the file's structure shows: attacks by name, and every
// later change with whether it was permitted.
func (v *SignatureVerdict) structure(s *verify.Signature) {
	for _, p := range s.Problems {
		said := pki.Finding{Code: p.Code}
		v.Problems = append(v.Problems, said)
		v.IntegrityReasons = append(v.IntegrityReasons, said)
		v.Integrity = pki.Broken
	}
	v.Later = NoChanges
	if s.Unjudged || len(s.ByteRange) != 4 {
		v.Later = NotJudged
	}
	for _, u := range s.Later {
		for _, c := range u.Changes {
			v.changed(u.Revision, c)
		}
	}
	v.Trusted = v.Trusted && v.Integrity == pki.Intact && v.Later != NotPermitted
}

// changed records one change. A single act may touch several objects; it is reported once.
func (v *SignatureVerdict) changed(revision int, c verify.Change) {
	said := ChangeVerdict{
		Revision: revision, Kind: c.Kind, Object: c.Object, Page: c.Page, Field: c.Field, Key: c.Key, Rule: c.Rule, Permitted: c.Permitted,
	}
	same := func(x ChangeVerdict) bool {
		x.Object = said.Object
		return x == said
	}
	if i := slices.IndexFunc(v.Changes, same); i >= 0 {
		if v.Changes[i].Object != said.Object {
			v.Changes[i].Object = 0
		}
		return
	}
	v.Changes = append(v.Changes, said)
	switch {
	case !c.Permitted:
		v.Later = NotPermitted
		said := pki.Finding{Code: "forbidden_change", Args: pki.Args{"kind": c.Kind, "at": said.place(), "rule": c.Rule}}
		v.Problems = append(v.Problems, said)
	case v.Later == NoChanges:
		v.Later = Permitted
	}
}

// place returns the field or entry that a change touches, "" for none.
func (c *ChangeVerdict) place() string { return cmp.Or(c.Field, c.Key) }
