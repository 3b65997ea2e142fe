package pki

import (
	"bytes"
	"crypto"
	"errors"
	"io"
	"slices"
	"time"
)

// Content writes the signed bytes to w: in a PDF the bytes of the ByteRange.
type Content func(w io.Writer) error

// VerifyCMS verifies a signature from a PDF's Contents by any producer (ETSI.CAdES.detached,
// adbe.pkcs7.detached, adbe.pkcs7.sha1), DER or BER, with or without zero padding. There is a
// report for every input.
func VerifyCMS(der []byte, content Content, o VerifyOptions) CMSReport {
	var r CMSReport
	data, signer, ok := r.open(der)
	if !ok {
		return r
	}
	o = o.withDefaults(data)
	content = data.embeddedIn(content, &r.SignatureReport)
	r.verifyContent(data, signer, content)
	r.verifySignature(data, signer, o, content)
	r.SigningTime = r.claimedTime(signer)
	r.Timestamp = r.signatureTimestamp(signer, o)
	lists, responses := adobeRevocation(signer)
	r.ownLists, r.ownResponses = append(r.ownLists, lists...), responses
	o.CRLs, o.OCSPs = append(lists, o.CRLs...), append(responses, o.OCSPs...)
	r.judgeChain(o, r.Timestamp)
	if r.Certificate != nil {
		r.checkSignerUsage()
	}
	r.CAdES = r.Binding != "" && r.SigningTime.IsZero() && signer.signed != nil && data.content == nil
	r.Commitment = len(all(signer.attributes, oidCommitmentType)) > 0
	return r
}

// open parses the structure and returns its signer; a signature in a PDF has exactly one.
func (r *SignatureReport) open(der []byte) (*signedData, *signerInfo, bool) {
	r.Revocation.Status = RevocationUnknown
	data, err := parseSignedData(der)
	if err != nil {
		r.broken("unreadable", "detail", err)
		return nil, nil, false
	}
	r.Problems = append(r.Problems, data.notes...)
	r.Certificates, r.ownLists = data.certificates, slices.Clone(data.lists)
	if len(data.signers) == 0 {
		r.broken("no_signer")
		return nil, nil, false
	}
	if len(data.signers) > 1 {
		r.broken("several_signers", "count", len(data.signers)) // ISO 32000-2 §12.8.3.3.1
	}
	return data, &data.signers[0], true
}

func (o VerifyOptions) withDefaults(d *signedData) VerifyOptions {
	if o.At.IsZero() {
		o.At = time.Now()
	}
	if o.evidence == nil {
		o.evidence = newEvidence()
	}
	o.Extra = append(slices.Clone(d.certificates), o.Extra...)
	o.CRLs = append(slices.Clone(d.lists), o.CRLs...)
	return o
}

// errOtherContent reports that the content inside a signature differs from the content it
// should cover.
var errOtherContent = errors.New("the content inside the signature is something else")

// embeddedIn returns the input of the message digest. With adbe.pkcs7.sha1 the content is
// itself the SHA-1 of the bytes, and the digest is of those 20 bytes (ISO 32000-1 §12.8.3.3.1).
// Any other content has to equal the bytes.
func (d *signedData) embeddedIn(content Content, r *SignatureReport) Content {
	if d.content == nil {
		return content
	}
	sha1 := digestOf(crypto.SHA1)
	if sum, err := content.sum(sha1); err == nil && bytes.Equal(sum, d.content) {
		r.Weak = append(r.Weak, finding("weak_content", nil, "algorithm", sha1))
		return contentOf(d.content)
	}
	r.problem("enveloping")
	want, err := content.sum(digestOf(crypto.SHA256))
	if err == nil && !bytes.Equal(want, digestOf(crypto.SHA256).sum(d.content)) {
		err = errOtherContent
	}
	if err != nil {
		return func(io.Writer) error { return err }
	}
	return contentOf(d.content)
}

// contentOf wraps content in memory.
func contentOf(content []byte) Content {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

func (c Content) sum(d *digest) ([]byte, error) {
	h := d.new()
	if err := c(h); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}
