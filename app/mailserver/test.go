package mailserver

import (
	"context"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/mail"
	"paraph/kv"
)

// Test is the result of an attempt to send a message.
type Test struct {
	Lines []mail.Line // of the conversation with the server
	Why   fault.Arg   // why the message was not sent, zero if it was
}

// Accepted reports whether the server accepted the message.
func (t Test) Accepted() bool { return t.Why.Name == "" }

// Problem describes why the message was not sent, "" if it was.
func (t Test) Problem(say fault.Sayer) string {
	if t.Accepted() {
		return ""
	}
	return t.Why.Sentence(say)
}

// Try sends the message returned by compose to an address, or to the caller for "", and
// returns the SMTP conversation. With an input, it tries those settings instead of the
// effective ones, without storing them.
func (s *Service) Try(
	ctx context.Context, who account.Call, in *Input, address string, compose func(to string) (mail.Message, error),
) (Test, error) {
	settings, err := s.testSettings(who, in)
	if err != nil {
		return Test{}, err
	}
	if address = strings.TrimSpace(address); address == "" {
		address = who.Email
	}
	var f fault.Fields
	input.CheckEmail(&f, "email", address)
	if err := f.Err(); err != nil {
		return Test{}, err
	}
	if settings.Host == "" || !s.Allows(settings.Host) {
		return Test{}, fault.Conflict("mail_not_configured")
	}
	if _, wait, ok := s.tests.Allow(who.UserID); !ok {
		return Test{}, fault.Throttled(s.tests.Limit(), wait)
	}
	m, err := compose(address)
	if err != nil {
		return Test{}, err
	}
	m.From = settings.Sender()
	lines, err := settings.SMTP().Talk(ctx, m)
	t := Test{Lines: lines}
	if err != nil {
		t.Why = mail.Why(err)
	}
	return t, nil
}

// testSettings returns the settings to test.
func (s *Service) testSettings(who account.Call, in *Input) (Settings, error) {
	if err := requireOperator(who); err != nil {
		return Settings{}, err
	}
	if in == nil {
		return s.Current(), nil
	}
	if err := s.mayChange(who); err != nil {
		return Settings{}, err
	}
	var tried stored
	err := s.DB.View(func(tx *kv.Tx) error {
		kept, err := read(tx)
		if err == nil {
			tried, err = s.merged(kept, *in)
		}
		return err
	})
	return s.settings(tried), err
}
