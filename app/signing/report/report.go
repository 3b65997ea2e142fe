// Package report says what the signatures of a PDF are worth, ours and others'.
package report

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"paraph/app/pdf"
	"paraph/app/pki"
)

// Report is what a PDF's signatures are worth, one after the other; as JSON it
// has the names of the API.
type Report struct {
	SHA256     string             `json:"sha256"` // of the whole file, in hexadecimal
	Pages      int                `json:"pages"`
	Signatures []SignatureVerdict `json:"signatures"`
	// Sound is true when there is a signature and every one is intact and
	// nothing forbidden was changed after it.
	Sound bool `json:"sound"`
}

// SignatureVerdict is what one signature or document timestamp is worth.
type SignatureVerdict struct {
	Field       string          `json:"field"`
	Kind        string          `json:"kind"` // signature, certification, timestamp
	Signer      string          `json:"signer"`
	Email       string          `json:"email,omitempty"`
	Issuer      string          `json:"issuer"`
	Reason      string          `json:"reason,omitempty"`
	ClaimedAt   *time.Time      `json:"claimed_at,omitempty"`
	TimestampAt *time.Time      `json:"timestamp_at,omitempty"`
	Authority   string          `json:"timestamp_authority,omitempty"` // of the timestamp
	Revision    int             `json:"revision"`
	CoversAll   bool            `json:"covers_whole_file"` // nothing follows it
	Intact      bool            `json:"intact"`
	Trusted     bool            `json:"trusted"`
	Root        string          `json:"root,omitempty"`
	Revocation  string          `json:"revocation"`
	Algorithm   string          `json:"algorithm"`
	Level       string          `json:"level,omitempty"` // B-B, B-T, B-LT, B-LTA; "" for a document timestamp and for what is not PAdES
	Changes     []ChangeVerdict `json:"changes"`
	Problems    []string        `json:"problems"`
	Notes       []string        `json:"notes"`
}

// ChangeVerdict is one change after a signature.
type ChangeVerdict struct {
	Revision  int    `json:"revision"`
	What      string `json:"what"`
	Permitted bool   `json:"permitted"`
}

// Verify reports on every signature of a PDF, ours and others'. Nothing of the
// file is kept. Errors are those of reading the file.
func Verify(r io.ReaderAt, size int64, roots []*x509.Certificate, now time.Time) (*Report, error) {
	f, err := pdf.Open(r, size)
	if err != nil {
		return nil, err
	}
	signatures, err := f.Signatures()
	if err != nil {
		return nil, err
	}
	dss, err := f.DSS()
	if err != nil {
		return nil, err
	}
	o := pki.VerifyOptions{Roots: roots, Extra: parseCertificates(dss.Certs), CRLs: dss.CRLs, OCSPs: dss.OCSPs, At: now}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil {
		return nil, err
	}
	out := &Report{SHA256: hex.EncodeToString(sum.Sum(nil)), Pages: len(f.Pages()), Sound: len(signatures) > 0, Signatures: make([]SignatureVerdict, len(signatures))}
	// From the last to the first: a document timestamp proves that what it
	// covers existed by then, and an earlier one is judged at that time.
	proven, later := now, false
	for i := len(signatures) - 1; i >= 0; i-- {
		o.At = proven
		v := judge(&signatures[i], o, dss, later)
		if v.Kind == "timestamp" && v.Intact && v.TimestampAt != nil {
			proven, later = *v.TimestampAt, true
		}
		out.Signatures[i] = v
		out.Sound = out.Sound && v.Sound()
	}
	return out, nil
}

func parseCertificates(all [][]byte) []*x509.Certificate {
	var out []*x509.Certificate
	for _, der := range all {
		if c, err := x509.ParseCertificate(der); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// Sound reports whether the signature is intact and nothing forbidden was changed
// after it.
func (v *SignatureVerdict) Sound() bool {
	for _, c := range v.Changes {
		if !c.Permitted {
			return false
		}
	}
	return v.Intact
}

func judge(s *pdf.Signature, o pki.VerifyOptions, dss pdf.DSS, later bool) SignatureVerdict {
	v := SignatureVerdict{Field: s.Field, Kind: "signature", Reason: s.Reason, Revision: s.Revision, CoversAll: s.Whole}
	if !s.At.IsZero() {
		v.ClaimedAt = &s.At
	}
	var facts *pki.SignatureReport
	if s.Timestamp {
		v.Kind = "timestamp"
		t := pki.VerifyTimestamp(s.CMS, s.Digest, o)
		facts = &t.SignatureReport
		v.Authority, v.Intact = t.Authority, t.OK
		if !t.Time.IsZero() {
			v.TimestampAt = &t.Time
		}
	} else {
		if s.Certifies > 0 {
			v.Kind = "certification"
		}
		c := pki.VerifyCMS(s.CMS, s.Digest, o)
		facts = &c.SignatureReport
		v.Intact = c.Intact()
		if !c.SigningTime.IsZero() && v.ClaimedAt == nil {
			v.ClaimedAt = &c.SigningTime
		}
		if t := c.Timestamp; t != nil && t.OK {
			v.TimestampAt, v.Authority = &t.Time, t.Authority
		}
		v.Level = level(&c, dss, later)
	}
	v.take(facts)
	v.structure(s)
	return v
}

// level is the PAdES level that a signature reaches (ETSI EN 319 142-1 §6). A
// later document timestamp proves the time as well as one of its own.
func level(c *pki.CMSReport, dss pdf.DSS, later bool) string {
	switch {
	case !c.CAdES || !c.Intact():
		return ""
	case !later && (c.Timestamp == nil || !c.Timestamp.OK):
		return "B-B"
	case len(dss.Certs) == 0 || c.Revocation.Status != pki.NotRevoked:
		return "B-T"
	case !later:
		return "B-LT"
	}
	return "B-LTA"
}

func (v *SignatureVerdict) take(r *pki.SignatureReport) {
	v.Trusted = r.Trusted()
	v.Algorithm, v.Revocation = r.Algorithm, string(r.Revocation.Status)
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

// structure takes what the file's structure says: attacks are named, and every
// later change with whether it was permitted.
func (v *SignatureVerdict) structure(s *pdf.Signature) {
	if !s.Sound() {
		v.Intact, v.Trusted = false, false
	}
	for _, p := range s.Problems {
		v.Problems = append(v.Problems, p.Text)
	}
	for _, u := range s.Later {
		for _, c := range u.Changes {
			// One act may touch several objects; people are told of it once.
			if said := (ChangeVerdict{Revision: u.Revision, What: what(c), Permitted: c.Permitted}); !slices.Contains(v.Changes, said) {
				v.Changes = append(v.Changes, said)
			}
			if !c.Permitted {
				v.Trusted = false
				v.Problems = append(v.Problems, "Changed afterwards though it was not permitted: "+what(c))
			}
		}
	}
}

// what names a change for people.
func what(c pdf.Change) string {
	kind := strings.ReplaceAll(c.Kind, "_", " ")
	if c.Detail == "" {
		return kind
	}
	return kind + ": " + c.Detail
}
