package reportjson

import (
	"cmp"
	"strings"
	"time"

	"paraph/app/pki"
	"paraph/app/signing/report"
	"paraph/app/words"
)

// Describe renders a report in the given language.
func Describe(r *report.Report, l *words.Language) View {
	out := View{
		Sound: r.Sound, SHA256: r.SHA256, Pages: r.Pages, Integrity: string(r.Integrity()), Identity: string(r.Identity()),
		LaterChanges: string(r.LaterChanges()), Findings: findings(l, r.Findings), Signatures: []Signature{},
	}
	if o := r.Origin; o != nil {
		out.SignedHere = &OriginView{Document: o.Document, CompletedAt: clock(o.CompletedAt), Whole: o.Whole}
	}
	for i := range r.Signatures {
		out.Signatures = append(out.Signatures, describeSignature(&r.Signatures[i], l))
	}
	return out
}

func describeSignature(v *report.SignatureVerdict, l *words.Language) Signature {
	out := Signature{
		Field: v.Field, Kind: v.Kind, Signer: v.Signer, Email: orNull(v.Email), Issuer: v.Issuer, Root: orNull(v.Root),
		Reason: orNull(v.Reason), ClaimedAt: maybe(v.ClaimedAt), TimestampAt: maybe(v.TimestampAt), Authority: orNull(v.Authority),
		Revision: v.Revision, CoversAll: v.CoversAll,
		Integrity: Integrity{string(v.Integrity), findings(l, v.IntegrityReasons)},
		Identity:  Identity{string(v.Identity), findings(l, v.IdentityReasons)},
		Intact:    v.Intact(), Trusted: v.Trusted, Revocation: string(v.Revocation), Algorithm: v.Algorithm, Level: orNull(v.Level),
		Changes: []Change{}, Problems: sentences(l, v.Problems), Notes: sentences(l, v.Notes),
		Findings: append(findings(l, v.Problems), findings(l, v.Notes)...),
	}
	out.LaterChanges = Later{string(v.Later), []Change{}, []Change{}}
	for i := range v.Changes {
		c := &v.Changes[i]
		said := describeChange(c, l)
		out.Changes = append(out.Changes, said)
		if c.Permitted {
			out.LaterChanges.Permitted = append(out.LaterChanges.Permitted, said)
		} else {
			out.LaterChanges.NotPermitted = append(out.LaterChanges.NotPermitted, said)
		}
	}
	return out
}

func describeChange(c *report.ChangeVerdict, l *words.Language) Change {
	return Change{
		Revision: c.Revision, What: what(c), Kind: c.Kind, Page: number(c.Page), Field: orNull(c.Field), Object: number(c.Object),
		Rule: c.Rule, Permitted: c.Permitted, Message: c.Sentence(l),
	}
}

// what returns the kind of a change and its place in English words.
func what(c *report.ChangeVerdict) string {
	kind := strings.ReplaceAll(c.Kind, "_", " ")
	if at := cmp.Or(c.Field, c.Key); at != "" {
		return kind + ": " + at
	}
	return kind
}

// findings adds the sentences to findings.
func findings(l *words.Language, all []pki.Finding) []Said {
	out := make([]Said, len(all))
	for i, f := range all {
		out[i] = Said{Code: f.Code, Args: f.Args, Message: report.Sentence(l, f)}
		if f.Args == nil {
			out[i].Args = map[string]string{}
		}
	}
	return out
}

func sentences(l *words.Language, all []pki.Finding) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = report.Sentence(l, f)
	}
	return out
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func maybe(at *time.Time) *string {
	if at == nil {
		return nil
	}
	s := clock(*at)
	return &s
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func number(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
