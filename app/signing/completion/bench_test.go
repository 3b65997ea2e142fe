package completion_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"paraph/app/pdf/text"
	"paraph/app/signing/completion"
	"paraph/app/words"
)

// BenchmarkCertificate writes certificates of documents with one signatory, in which
// only what differs between documents differs: identifiers, hashes and times.
func BenchmarkCertificate(b *testing.B) {
	catalogue, err := words.Load()
	if err != nil {
		b.Fatal(err)
	}
	fonts := text.New()
	b.ReportAllocs()
	var out bytes.Buffer
	for n := 0; b.Loop(); n++ {
		out.Reset()
		c := completion.Certificate{Evidence: signedByOne(n), Fonts: fonts, Words: catalogue.Match("en"), Zone: time.UTC,
			Created: time.Unix(1_800_000_000, 0).Add(time.Duration(n) * 70 * time.Millisecond)}
		if err := c.Write(&out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "bytes/pdf")
}

// signedByOne returns the evidence of the n-th document.
func signedByOne(n int) *completion.Evidence {
	count := 0
	sum := func() string {
		count++
		h := sha256.Sum256(fmt.Append(nil, n, count))
		return hex.EncodeToString(h[:])
	}
	id := func() string { return "01JD" + strings.ToUpper(sum()[:22]) }
	start := time.Unix(1_800_000_000, 0).UTC().Add(time.Duration(n) * 70 * time.Millisecond)
	at := func() completion.Time {
		count++
		return completion.Time(start.Add(time.Duration(count) * time.Millisecond))
	}
	ptr := func(t completion.Time) *completion.Time { return &t }
	sam := completion.Person{Name: "Sam Signer", Email: "sam@signer.example"}
	ann := completion.Person{Name: "Ann Admin", Email: "ann@company.example"}
	const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
	e := &completion.Evidence{
		Company: "Example", ChainHead: sum(), HashRule: completion.HashRule,
		Document: completion.Document{ID: id(), Title: "Lease of a windmill", Status: "completed", SigningOrder: "parallel",
			Owner: ann, CreatedAt: at(), SentAt: ptr(at()), CompletedAt: ptr(at()), Signed: 1, Total: 1},
		Files: []completion.File{{ID: id(), Name: "contract.pdf", ContentType: "application/pdf", Size: 200_000, SHA256: sum(), Pages: 1}},
		Signatories: []completion.Signatory{{ID: id(), Name: sam.Name, Email: sam.Email, Role: "signer", Status: "signed",
			Authentication: "link", NotifiedAt: ptr(at()), ViewedAt: ptr(at()), SignedAt: ptr(at()), ActedAt: ptr(at()),
			Method: "link", Through: "signatory", IP: "127.0.0.1", UserAgent: agent, Consent: true, SignatureType: "typed",
			Certificate: sum()[:32], Mark: completion.Mark{Typed: sam.Name, Face: text.Script1},
			Ways: []completion.Way{{Kind: "api", At: at(), Who: ann, Token: "Load"}}}},
	}
	f := &e.Files[0]
	f.BaseSHA256, f.BaseSize = f.SHA256, f.Size
	total := f.Size
	for i, kind := range []string{"prepare", "signature", "validation", "timestamp"} {
		r := completion.Revision{Kind: kind, Size: int64(20_000 + i + n%100), SHA256: sum(), At: at()}
		if kind == "signature" {
			r.Signer = &sam
		}
		total += r.Size
		r.Total = total
		f.Revisions = append(f.Revisions, r)
	}
	for i, kind := range []string{
		"document.created", "document.file_added", "document.sent", "invitation.notified", "invitation.link_shown", "invitation.signed", "document.completed",
	} {
		e.Events = append(e.Events, completion.Event{ID: id(), Seq: uint64(100*n + i), Type: kind, At: at(), ActorType: "user", ActorID: id(),
			ActorName: ann.Name, ActorEmail: ann.Email, IP: "127.0.0.1", UserAgent: agent, Hash: sum(), PreviousHash: sum(),
			Scope: id(), Chain: id(), JournalHash: sum(), Raw: `{"type":"` + kind + `","document":"` + id() + `","invitation":"` + id() + `"}`})
	}
	return e
}
