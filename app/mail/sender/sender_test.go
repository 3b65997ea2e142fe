package sender_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"math/big"
	"net"
	"strings"
	"testing"

	"paraph/app/apptest/names"
	"paraph/app/mail/sender"
)

// resolver returns one that asks a server with texts by name.
func resolver(t *testing.T, texts map[string][]string) (*net.Resolver, *names.Server) {
	t.Helper()
	s := names.Serve(t, texts)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.Address)
	}}, s
}

// rsaRecord returns the record of a new key.
func rsaRecord(t *testing.T, bits int) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
}

// codes returns what is found about a domain, by kind.
func codes(all []sender.Finding) map[string]string {
	found := map[string]string{}
	for _, f := range all {
		found[f.Kind] = string(f.State) + " " + f.Code
	}
	return found
}

func TestRecordsAreJudged(t *testing.T) {
	t.Parallel()
	strong, weak := rsaRecord(t, 2048), rsaRecord(t, 1024)
	bare := func(bits int) string { // the other form of a key
		key := &rsa.PublicKey{N: new(big.Int).SetBit(new(big.Int), bits-1, 1), E: 65537}
		return "v=DKIM1; p=" + base64.StdEncoding.EncodeToString(x509.MarshalPKCS1PublicKey(key))
	}
	for _, x := range []struct {
		kind, want string
		records    []string
	}{
		{"spf", "problem spf_missing", nil},
		{"spf", "problem spf_missing", []string{"hello", "v=spf10 -all"}},
		{"spf", "ok spf_fine", []string{"site-verification=1", "v=spf1 include:_spf.example.net -all"}},
		{"spf", "ok spf_fine", []string{"V=SPF1 mx ~ALL"}},
		{"spf", "ok spf_fine", []string{"v=spf1 redirect=_spf.example.net"}},
		{"spf", "problem spf_several", []string{"v=spf1 mx -all", "v=spf1 a -all"}},
		{"spf", "problem spf_open", []string{"v=spf1 mx +all"}},
		{"spf", "problem spf_open", []string{"v=spf1 all"}},
		{"spf", "warning spf_undecided", []string{"v=spf1 mx ?all"}},
		{"spf", "warning spf_undecided", []string{"v=spf1 mx"}},
		{"dkim", "problem dkim_missing", nil},
		{"dkim", "ok dkim_fine", []string{strong}},
		{"dkim", "warning dkim_weak", []string{weak}},
		{"dkim", "ok dkim_fine", []string{"k=ed25519; p=" + base64.StdEncoding.EncodeToString(make([]byte, 32))}},
		{"dkim", "problem dkim_broken", []string{"k=ed25519; p=AAAA"}},
		{"dkim", "problem dkim_revoked", []string{"v=DKIM1; p="}},
		{"dkim", "problem dkim_broken", []string{"v=DKIM1; p=not base64!"}},
		{"dkim", "problem dkim_broken", []string{"v=DKIM1"}},
		{"dkim", "problem dkim_broken", []string{strings.Replace(strong, "DKIM1", "DKIM2", 1)}},
		{"dkim", "problem dkim_broken", []string{strings.Replace(strong, "k=rsa", "k=dsa", 1)}},
		{"dkim", "ok dkim_fine", []string{strong[:60] + " " + strong[60:]}},
		{"dkim", "problem dkim_broken", []string{bare(1023)}},
		{"dkim", "ok dkim_fine", []string{bare(2048)}},
		{"dkim", "problem dkim_several", []string{strong, weak}},
		{"dmarc", "problem dmarc_missing", nil},
		{"dmarc", "ok dmarc_fine", []string{"v=DMARC1; p=reject; rua=mailto:a@example.org"}},
		{"dmarc", "ok dmarc_fine", []string{"v=DMARC1;p=quarantine"}},
		{"dmarc", "ok dmarc_fine", []string{"v = DMARC1 ; p = Reject"}},
		{"dmarc", "warning dmarc_none", []string{"v=DMARC1; p=none"}},
		{"dmarc", "ok dmarc_fine", []string{"v=DMARC1; p=reject; sp=none"}},
		{"dmarc", "problem dmarc_broken", []string{"v=DMARC1; p=maybe"}},
		{"dmarc", "problem dmarc_several", []string{"v=DMARC1; p=none", "v=DMARC1; p=reject"}},
	} {
		name := map[string]string{"spf": "acme.example", "dkim": "s1._domainkey.acme.example", "dmarc": "_dmarc.acme.example"}[x.kind]
		r, _ := resolver(t, map[string][]string{name: x.records})
		if got := codes(sender.Examine(t.Context(), r, "Acme.Example.", "s1"))[x.kind]; got != x.want {
			t.Errorf("%s %q: %s, want %s", x.kind, x.records, got, x.want)
		}
	}
}

// TestPolicyOfAParentCounts finds the policy for a subdomain in the nearest parent.
func TestPolicyOfAParentCounts(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		"v=DMARC1; p=reject": "ok dmarc_fine", "v=DMARC1; p=reject; sp=none": "warning dmarc_none", "v=DMARC1; p=none; sp=quarantine": "ok dmarc_fine",
	} {
		r, _ := resolver(t, map[string][]string{"_dmarc.acme.example": {record}})
		all := sender.Examine(t.Context(), r, "sign.mail.acme.example", "")
		if got := codes(all)["dmarc"]; got != want || all[2].Name != "_dmarc.acme.example" {
			t.Errorf("%s: %s at %s, want %s", record, got, all[2].Name, want)
		}
	}
	r, server := resolver(t, nil)
	sender.Examine(t.Context(), r, strings.Repeat("a.", 60)+"example", "")
	if n := server.Asked.Load(); n != 1+1+7 {
		t.Errorf("%d questions about a deep domain; one for SPF, eight for DMARC", n)
	}
}

// TestFailuresAreNotTakenForAbsence tells a name that does not exist from a server that fails.
func TestFailuresAreNotTakenForAbsence(t *testing.T) {
	t.Parallel()
	r, _ := resolver(t, nil)
	all := sender.Examine(t.Context(), r, "broken.acme.example", "broken.s1")
	for kind, want := range map[string]string{"spf": "unknown lookup_failed", "dkim": "unknown lookup_failed", "dmarc": "problem dmarc_missing"} {
		if got := codes(all)[kind]; got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	if all[0].Cause == "" {
		t.Error("the resolver's words are lost")
	}
	if got := codes(sender.Examine(t.Context(), r, "acme.example", ""))["dkim"]; got != "unknown dkim_no_selector" {
		t.Errorf("without a selector: %s", got)
	}
}
