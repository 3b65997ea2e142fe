package mail_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/words"
)

func TestReasonsOfFailuresAreTranslated(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	unsent := mail.Message{From: mail.Address{Email: "a@acme.example"}, To: []mail.Address{{Email: "b@acme.example"}}, Subject: "S", Text: "T"}
	_, late := mail.SMTP{Host: "localhost", TLS: "none"}.Deliver(ctx, unsent)
	_, unset := mail.SMTP{Host: "localhost", TLS: "maybe"}.Deliver(t.Context(), unsent)
	for _, tt := range []struct {
		err             error
		english, german string
	}{
		{late, "timeout: context canceled", "Zeitüberschreitung: context canceled"},
		{unset, `settings: TLS is "maybe", want starttls, tls or none`, `settings: TLS is "maybe", want starttls, tls or none`},
		{fmt.Errorf("mail: encode: %w", errors.New("broken")), "broken", "broken"},
		{errors.New("mail: odd"), "odd", "odd"},
	} {
		why := mail.Why(tt.err)
		for language, want := range map[*words.Language]string{catalogue.English(): tt.english, catalogue.Match("de"): tt.german} {
			if got := why.Sentence(fault.Sayer(language.SayOf)); got != want {
				t.Errorf("%s: got %q, want %q", language.Tag(), got, want)
			}
		}
	}
}
