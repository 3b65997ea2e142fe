package pki

import (
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"math/big"
	"strings"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// tstInfo is the content of a timestamp token (RFC 3161 §2.4.2).
type tstInfo struct {
	policy   string
	digest   *digest // nil if unknown
	hashOID  asn1.ObjectIdentifier
	imprint  []byte
	serial   *big.Int
	time     time.Time
	accuracy time.Duration
	nonce    *big.Int
}

func parseTSTInfo(der []byte) (tstInfo, error) {
	t := tstInfo{serial: new(big.Int)}
	input := cryptobyte.String(der)
	var body, policy, imprint, octets, at cryptobyte.String
	var version int
	failed := fmt.Errorf("%w: it is not a timestamp", errMalformed)
	if !input.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1Integer(&version) ||
		!body.ReadASN1(&policy, cbasn1.OBJECT_IDENTIFIER) || !body.ReadASN1(&imprint, cbasn1.SEQUENCE) {
		return t, failed
	}
	t.policy = dotted(policy)
	a, ok := readAlgorithm(&imprint)
	if !ok || !imprint.ReadASN1(&octets, cbasn1.OCTET_STRING) || !body.ReadASN1Integer(t.serial) ||
		!body.ReadASN1(&at, cbasn1.GeneralizedTime) {
		return t, failed
	}
	t.hashOID, t.digest, t.imprint = a.oid, digestByOID(a.oid), octets
	if t.time, ok = parseGeneralizedTime(string(at)); !ok {
		return t, fmt.Errorf("%w: time of the timestamp", errMalformed)
	}
	if !t.parseOptions(body) {
		return t, failed
	}
	return t, nil
}

// parseOptions reads accuracy, ordering and nonce; the authority's name and extensions, which
// follow, are not needed.
func (t *tstInfo) parseOptions(body cryptobyte.String) bool {
	var accuracy cryptobyte.String
	var present, ordering bool
	if !body.ReadOptionalASN1(&accuracy, &present, cbasn1.SEQUENCE) {
		return false
	}
	var seconds, millis, micros int64
	if accuracy.PeekASN1Tag(cbasn1.INTEGER) && !accuracy.ReadASN1Integer(&seconds) {
		return false
	}
	if tag := cbasn1.Tag(0).ContextSpecific(); accuracy.PeekASN1Tag(tag) && !accuracy.ReadASN1Int64WithTag(&millis, tag) {
		return false
	}
	if tag := cbasn1.Tag(1).ContextSpecific(); accuracy.PeekASN1Tag(tag) && !accuracy.ReadASN1Int64WithTag(&micros, tag) {
		return false
	}
	const century = 100 * 365 * 24 * 3600
	if min(seconds, millis, micros) < 0 || max(seconds, millis, micros) > century {
		return false
	}
	t.accuracy = time.Duration(seconds)*time.Second + time.Duration(millis)*time.Millisecond + time.Duration(micros)*time.Microsecond
	if !readOptionalBoolean(&body, &ordering) {
		return false
	}
	if body.PeekASN1Tag(cbasn1.INTEGER) {
		t.nonce = new(big.Int)
		return body.ReadASN1Integer(t.nonce)
	}
	return true
}

// parseGeneralizedTime reads YYYYMMDDhhmmss[.f]Z; timestamps add the fraction to the usual DER
// form.
func parseGeneralizedTime(s string) (time.Time, bool) {
	if len(s) < 15 || len(s) > 30 || !strings.HasSuffix(s, "Z") {
		return time.Time{}, false
	}
	at, err := time.Parse("20060102150405Z", s[:14]+"Z")
	if err != nil {
		return time.Time{}, false
	}
	fraction := s[14 : len(s)-1]
	if fraction == "" {
		return at, true
	}
	digits := strings.TrimLeft(fraction[1:], "0123456789")
	if fraction[0] != '.' || len(fraction) == 1 || digits != "" {
		return time.Time{}, false
	}
	var nanos int
	for i := range 9 {
		nanos *= 10
		if i+1 < len(fraction) {
			nanos += int(fraction[i+1] - '0')
		}
	}
	return at.Add(time.Duration(nanos)), true
}

// dotted formats the contents of an object identifier of any size in dotted notation.
func dotted(der []byte) string {
	var oid x509.OID
	if err := oid.UnmarshalBinary(der); err != nil {
		return ""
	}
	return oid.String()
}

// VerifyTimestamp verifies an RFC 3161 token over the given content: the signature value of a
// signature timestamp, or the ByteRange of a document timestamp. Its chain is judged at the
// time it states. There is a report for every input.
func VerifyTimestamp(der []byte, content Content, o VerifyOptions) TimestampReport {
	return verifyToken(der, content.sum, o)
}

// verifyToken is VerifyTimestamp for a caller that may have only the digest.
func verifyToken(der []byte, sum func(*digest) ([]byte, error), o VerifyOptions) TimestampReport {
	var r TimestampReport
	data, signer, ok := r.open(der)
	if !ok {
		return r
	}
	o = o.withDefaults(data)
	if !data.contentType.Equal(oidTSTInfo) || data.content == nil || signer.signed == nil {
		r.broken("timestamp_not_one")
		return r
	}
	info, err := parseTSTInfo(data.content)
	if err != nil {
		r.broken("timestamp_unreadable", "detail", err)
		return r
	}
	r.Time, r.Accuracy, r.Policy, r.Serial, r.Nonce = info.time, info.accuracy, info.policy, info.serial, info.nonce
	r.verifyContent(data, signer, contentOf(data.content))
	imprintOK := r.checkImprint(info, sum)
	r.DigestOK = r.DigestOK && imprintOK
	r.verifySignature(data, signer, o, contentOf(data.content))
	if r.Certificate == nil {
		return r
	}
	r.Authority = describe(r.Certificate)
	r.checkPurpose()
	latest := o.At
	o.At = info.time
	r.judgeChain(o, nil)
	if r.ChainOK && latest.After(r.Certificate.NotAfter) {
		r.problem("timestamp_expired", "date", moment(r.Certificate.NotAfter))
	}
	if r.Binding == "" {
		r.problem("timestamp_unbound") // required by RFC 3161 §2.4.2
	}
	r.OK = r.Intact() && r.CertificateBound && r.PurposeOK && r.ChainOK && r.Revocation.Status != Revoked
	return r
}

func (r *TimestampReport) checkImprint(info tstInfo, sumOf func(*digest) ([]byte, error)) bool {
	if info.digest == nil {
		r.unjudged("timestamp_digest_unsupported", "algorithm", info.hashOID)
		return false
	}
	r.Digest = info.digest.String()
	if info.digest.weak {
		r.Weak = append(r.Weak, finding("weak_timestamp", nil, "algorithm", info.digest))
	}
	sum, err := sumOf(info.digest)
	if err != nil {
		r.broken("timestamp_content_unreadable", "detail", err)
		return false
	}
	if string(sum) != string(info.imprint) {
		r.broken("timestamp_other")
		return false
	}
	return true
}

func (r *TimestampReport) checkPurpose() {
	c := r.Certificate
	critical := false
	for _, e := range c.Extensions {
		critical = critical || e.Id.Equal(oidExtendedKeyUsage) && e.Critical
	}
	alone := len(c.ExtKeyUsage) == 1 && len(c.UnknownExtKeyUsage) == 0 && c.ExtKeyUsage[0] == x509.ExtKeyUsageTimeStamping
	if r.PurposeOK = alone && critical; !r.PurposeOK {
		r.problem("timestamp_purpose")
		r.chainProblems = append(r.chainProblems, finding("timestamp_purpose", nil))
	}
}
