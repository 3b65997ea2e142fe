package mail_test

import (
	"errors"
	"strings"
	"testing"

	"paraph/app/mail"
)

const report = "From: MAILER-DAEMON@mx.example\r\nTo: paraph@company.example\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\n" +
	"Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\r\n\r\n" +
	"--b1\r\nContent-Type: text/plain\r\n\r\nSorry.\r\n" +
	"--b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n" +
	"Final-Recipient: rfc822; ben@signer.example\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such\r\n user here\r\n\r\n" +
	"Final-Recipient: rfc822; ann@signer.example\r\nAction: delayed\r\nStatus: 4.4.1\r\n\r\n" +
	"--b1\r\nContent-Type: text/rfc822-headers\r\n\r\nFrom: paraph@company.example\r\nMessage-ID: <01M81DK3H4XH47166RQR9AHBVA@company.example>\r\n\r\n--b1--\r\n"

func TestBounceNamesTheMessageAndThoseItDidNotReach(t *testing.T) {
	t.Parallel()
	got, err := mail.ParseBounce(strings.NewReader(report))
	want := mail.BouncedRecipient{Address: "ben@signer.example", Status: "5.1.1", Reply: "550 5.1.1 no such user here"}
	if err != nil || got.ID != "01M81DK3H4XH47166RQR9AHBVA@company.example" || len(got.Recipients) != 1 || got.Recipients[0] != want {
		t.Errorf("the report says %+v, %v", got, err)
	}
}

func TestOtherMessagesAreNoBounces(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":               "",
		"an answer":             "From: ben@signer.example\r\nSubject: Re: Lease\r\n\r\nNo.\r\n",
		"a report of a delay":   strings.Replace(report, "Action: failed", "Action: delayed", 1),
		"a report without mail": strings.Replace(report, "Message-ID", "X-ID", 1),
		"a report cut short":    report[:len(report)/2],
		"a read receipt":        strings.Replace(report, "message/delivery-status\r\n\r\nR", "message/disposition-notification\r\n\r\nR", 1),
	} {
		if got, err := mail.ParseBounce(strings.NewReader(text)); !errors.Is(err, mail.ErrNoBounce) {
			t.Errorf("%s is read as %+v, %v", name, got, err)
		}
	}
}

func FuzzBounce(f *testing.F) {
	f.Add(report)
	f.Add(strings.ReplaceAll(report, "\r\n", "\n"))
	f.Fuzz(func(t *testing.T, text string) {
		b, err := mail.ParseBounce(strings.NewReader(text))
		if err == nil && (b.ID == "" || len(b.Recipients) == 0) {
			t.Errorf("a bounce of nothing: %+v", b)
		}
		for _, r := range b.Recipients {
			if strings.ContainsAny(r.Reply+r.Status, "\r\n\x00") {
				t.Errorf("a reply of several lines: %q", r)
			}
		}
	})
}
