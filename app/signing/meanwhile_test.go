package signing_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

// TestSigningRetriesAfterAConcurrentChange lets a mail fail, which changes the document,
// between preparing a signature and storing it.
func TestSigningRetriesAfterAConcurrentChange(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	change := func() {}
	s := domain.New(t, domain.Options{Signing: func(o *signing.Options) {
		now := o.Now
		o.Now = func() time.Time {
			if armed.Swap(false) {
				change()
			}
			return now()
		}
	}})
	d := s.Sent(t, s.Company(t), record.DocumentInput{}, domain.Signers("sam@signer.example")...)
	who := s.Signatory(t, d, "sam@signer.example")
	version := d.Version
	change = func() {
		if err := s.Signing.Sending.MailFailed(account.System(d.Company), d.ID, who.Email); err != nil {
			t.Error(err)
		}
		version++
	}
	armed.Store(true)
	signed, err := s.Signing.Signing.Sign(t.Context(), who, d.ID, who.Invitation, signing.SignInput{
		Consent: new(true), Signature: &mark.Mark{Type: "typed", Text: who.Name}})
	if err != nil || signed.Status != record.Completed || version != d.Version+1 {
		t.Errorf("signing during a concurrent change: %v", err)
	}
}

// TestUnknownDocumentsLeaveNoLocks sends many documents that do not exist.
func TestUnknownDocumentsLeaveNoLocks(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for range 100 {
		if _, err := c.Signing.Sending.Send(t.Context(), c.author, ulid.Make().String(), signing.SendInput{}); fault.KindOf(err) != fault.KindNotFound {
			t.Fatal(err)
		}
	}
	if n := c.Signing.Locked(); n != 0 {
		t.Errorf("%d locks were left behind", n)
	}
}
