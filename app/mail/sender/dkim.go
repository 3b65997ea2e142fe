package sender

import (
	"context"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"net"
)

// examineDKIM reads the key that signatures of the mail server are checked with (RFC 6376).
func examineDKIM(ctx context.Context, r *net.Resolver, domain, selector string) Finding {
	if selector == "" {
		return Finding{Kind: "dkim", State: Unknown, Code: "dkim_no_selector"}
	}
	name := selector + "._domainkey." + domain
	records, err := lookUp(ctx, r, name, func(string) bool { return true })
	if err != nil {
		return unknown("dkim", name, err)
	}
	f := Finding{Kind: "dkim", Name: name, Record: records}
	f.State, f.Code = judgeDKIM(records)
	return f
}

func judgeDKIM(records []string) (State, string) {
	switch {
	case len(records) == 0:
		return Problem, "dkim_missing"
	case len(records) > 1:
		return Problem, "dkim_several"
	}
	key := tags(records[0])
	if version, ok := key["v"]; ok && version != "DKIM1" {
		return Problem, "dkim_broken"
	}
	text, ok := key["p"]
	if ok && text == "" {
		return Problem, "dkim_revoked"
	}
	der, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		return Problem, "dkim_broken"
	}
	return judgeKey(key["k"], der)
}

// Sizes of RSA keys in bits: receivers refuse less than the first, and the second is recommended (RFC 8301 §3.2).
const (
	leastKey  = 1024
	strongKey = 2048
)

func judgeKey(kind string, der []byte) (State, string) {
	if kind == "ed25519" && len(der) == ed25519.PublicKeySize {
		return Fine, "dkim_fine"
	}
	key, ok := parseRSA(der)
	switch {
	case kind != "" && kind != "rsa", !ok, key.N.BitLen() < leastKey:
		return Problem, "dkim_broken"
	case key.N.BitLen() < strongKey:
		return Warning, "dkim_weak"
	}
	return Fine, "dkim_fine"
}

// parseRSA reads a key in either of the forms that are found in DNS.
func parseRSA(der []byte) (*rsa.PublicKey, bool) {
	if key, err := x509.ParsePKCS1PublicKey(der); err == nil {
		return key, true
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, false
	}
	key, ok := parsed.(*rsa.PublicKey)
	return key, ok
}
