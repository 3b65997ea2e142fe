package signing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
)

// asking sends a document to two people, the first of whom has to enter a code.
func (c company) asking(t *testing.T, how string) (doc, account.Call) {
	t.Helper()
	p := domain.Person{Email: "a@x.example", Authentication: how}
	if how == record.ByAccessCode {
		p.Code = "open sesame"
	}
	d := c.Sent(t, c.author, record.DocumentInput{}, p, domain.Person{Email: "b@x.example"})
	return d, c.Signatory(t, d, "a@x.example")
}

// code returns the newest code that was mailed.
func (c company) code(t *testing.T) string {
	t.Helper()
	all, _, err := c.Notify.Messages.All("", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		for _, s := range m.Secrets {
			if m.Kind == string(signing.MailCode) && len(s) == 6 {
				return s
			}
		}
	}
	t.Fatal("no code was mailed")
	return ""
}

func (c company) identify(t *testing.T, who account.Call, code string) (string, string) {
	t.Helper()
	token, err := c.Signing.Signing.Identify(who, who.Document, who.Invitation, code)
	return token, domain.Refusal(err)
}

// wrong returns a code other than the given one.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestUnidentifiedPeopleCannotAct(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for _, how := range []string{record.ByEmailCode, record.ByAccessCode} {
		d, who := c.asking(t, how)
		ctx, id, inv := t.Context(), d.ID, who.Invitation
		for what, x := range map[string]struct {
			err  func() error
			want string
		}{
			"sign": {func() error { _, err := c.Signing.Signing.Sign(ctx, who, id, inv, signing.SignInput{}); return err }, "code required"},
			"decline": {func() error {
				_, err := c.Signing.Signing.Decline(who, id, inv, signing.DeclineInput{})
				return err
			}, "identification_required"},
			"delegate": {func() error {
				_, err := c.Signing.Sending.Delegate(who, id, inv, person("z@x.example"), nil)
				return err
			}, "identification_required"},
			"view":     {func() error { _, err := c.Signing.Signing.MarkViewed(who, id, inv); return err }, "identification_required"},
			"not me":   {func() error { _, err := c.Signing.Signing.NotMe(who, id, inv, nil); return err }, "identification_required"},
			"pad":      {func() error { _, _, err := c.Signing.Signing.PadCode(who, id, inv, "signature"); return err }, "identification_required"},
			"identify": {func() error { _, err := c.Signing.Signing.Identify(who, id, inv, ""); return err }, "code required"},
		} {
			if got := domain.Refusal(x.err()); got != x.want {
				t.Errorf("%s with %s: got %q, want %q", what, how, got, x.want)
			}
		}
		if got := ok[[]record.Action](t)(c.Signing.Drafts.Actions(who, d)); slices.Contains(got, record.ActionSign) {
			t.Errorf("signing is offered with %s", how)
		}
		if now := ok[doc](t)(c.Signing.Drafts.Get(c.author, id)); now.Version != d.Version {
			t.Errorf("a refused action changed the document with %s", how)
		}
	}
}

func TestNewAccessCodeInvalidatesProofs(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d, who := c.asking(t, record.ByAccessCode)
	for range 4 {
		if _, why := c.identify(t, who, "wrong"); why != "code wrong_code" {
			t.Fatal(why)
		}
	}
	token, why := c.identify(t, who, " open sesame ")
	if why != "" {
		t.Fatal(why)
	}
	proven := account.Call{Actor: ok[account.Actor](t)(c.Accounts.Authentication.Authenticate(token))}
	if proven.Document != d.ID || proven.Invitation != who.Invitation || !proven.IsSignatory() {
		t.Errorf("%+v", proven)
	}
	if _, err := c.Signing.Signing.MarkViewed(proven, d.ID, who.Invitation); err != nil {
		t.Error(err)
	}
	c.Advance(time.Minute)
	ok[doc](t)(c.Signing.Sending.SetAccessCode(c.author, d.ID, who.Invitation, record.InvitationInput{AccessCode: new("another one")}))
	if _, err := c.Signing.Signing.Decline(proven, d.ID, who.Invitation, signing.DeclineInput{}); domain.Refusal(err) != "identification_required" {
		t.Errorf("a proof made with the previous code still works: %v", err)
	}
	if _, why := c.identify(t, who, "open sesame"); why != "code wrong_code" {
		t.Error(why)
	}
	token, _ = c.identify(t, who, "another one")
	proven = account.Call{Actor: ok[account.Actor](t)(c.Accounts.Authentication.Authenticate(token))}
	if _, err := c.Signing.Signing.Decline(proven, d.ID, who.Invitation, signing.DeclineInput{}); err != nil {
		t.Error(err)
	}
}

// TestWrongCodesAreLimited reaches the limits per ten minutes and per day.
func TestWrongCodesAreLimited(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	_, who := c.asking(t, record.ByAccessCode)
	for window := range 5 {
		for range 5 {
			if _, why := c.identify(t, who, "wrong"); why != "code wrong_code" {
				t.Fatalf("window %d: %s", window, why)
			}
		}
		if _, why := c.identify(t, who, "open sesame"); window < 4 && why != "too_many_attempts" && why != "throttled" {
			t.Errorf("window %d: correct code after five wrong ones: %q", window, why)
		}
		c.Advance(10*time.Minute - time.Millisecond)
		if _, why := c.identify(t, who, "open sesame"); why == "" {
			t.Errorf("window %d ended too early", window)
		}
		c.Advance(time.Millisecond)
	}
	if _, why := c.identify(t, who, "open sesame"); why != "tries_used_up" {
		t.Errorf("after 25 wrong codes: %q", why)
	}
	c.Advance(24*time.Hour - 50*time.Minute - time.Millisecond)
	if _, why := c.identify(t, who, "open sesame"); why != "tries_used_up" {
		t.Errorf("before the day is over: %q", why)
	}
	c.Advance(time.Millisecond)
	if _, why := c.identify(t, who, "open sesame"); why != "" {
		t.Errorf("the next day: %q", why)
	}
}

func TestMailedCodeExpires(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d, who := c.asking(t, record.ByEmailCode)
	request := func() string {
		return domain.Refusal(c.Signing.Signing.RequestCode(who, d.ID, who.Invitation))
	}
	if why := request(); why != "" {
		t.Fatal(why)
	}
	first := c.code(t)
	if _, why := c.identify(t, who, wrong(first)); why != "code wrong_code" {
		t.Error(why)
	}
	c.Advance(30*time.Second - time.Millisecond)
	if why := request(); why == "" {
		t.Error("a second code was sent too soon")
	}
	c.Advance(time.Millisecond)
	if why := request(); why != "" {
		t.Fatal(why)
	}
	second := c.code(t)
	if first != second {
		if _, why := c.identify(t, who, first); why != "code wrong_code" {
			t.Errorf("replaced code: %q", why)
		}
	}
	c.Advance(10*time.Minute - time.Millisecond)
	if _, why := c.identify(t, who, second); why != "" {
		t.Errorf("just before it expires: %q", why)
	}
	if _, why := c.identify(t, who, second); why != "code wrong_code" {
		t.Errorf("used twice: %q", why)
	}
	if why := request(); why != "" {
		t.Fatal(why)
	}
	third := c.code(t)
	c.Advance(10 * time.Minute)
	if _, why := c.identify(t, who, third); why != "code wrong_code" {
		t.Errorf("once it has expired: %q", why)
	}
	for range 2 {
		if why := request(); why != "" {
			t.Fatal(why)
		}
		c.Advance(30 * time.Second)
	}
	if why := request(); why != "codes_used_up" {
		t.Errorf("sixth code in a day: %q", why)
	}
	c.Advance(24 * time.Hour)
	if why := request(); why != "" {
		t.Errorf("the next day: %q", why)
	}
	code := c.code(t)
	for range 5 {
		c.identify(t, who, wrong(code))
	}
	if _, why := c.identify(t, who, code); why == "" {
		t.Error("the correct code works after five wrong ones")
	}
	b := c.Signatory(t, d, "b@x.example")
	if err := c.Signing.Signing.RequestCode(b, d.ID, b.Invitation); domain.Refusal(err) != "no_code_needed" {
		t.Error(err)
	}
}

func TestProblemReportsAreLimited(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d, who := c.asking(t, record.ByAccessCode)
	report := func(text string) string {
		return domain.Refusal(c.Signing.Signing.ReportProblem(who, d.ID, who.Invitation, text))
	}
	for text, want := range map[string]string{"": "message required", "  ": "message required", strings.Repeat("x", 2001): "message too_long"} {
		if got := report(text); got != want {
			t.Errorf("%.10q: got %q, want %q", text, got, want)
		}
	}
	for i := range 5 {
		if got := report("The price"); got != "" {
			t.Fatalf("report %d: %s", i+1, got)
		}
		c.Advance(5*time.Minute - time.Millisecond)
		if got := report("The price"); got == "" {
			t.Errorf("report %d was accepted too soon", i+2)
		}
		c.Advance(time.Millisecond)
	}
	if got := report("The price"); got != "notes_used_up" {
		t.Errorf("sixth report in a day: %q", got)
	}
	events, _, err := c.Signing.Trail.Events(c.author, d.ID, trail.EventsQuery{Page: 1, PerPage: 1, Descending: true})
	if err != nil || events[0].Value.Type != "invitation.problem_reported" || events[0].Value.Data["reason"] != "The price" || events[0].Value.Invitation != who.Invitation {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestNewLinkRequestsAreLimited(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, record.DocumentInput{ExpiresAt: new(c.Now().Add(time.Hour))}, domain.Signers("a@x.example")...)
	who := c.Signatory(t, d, "a@x.example")
	ask := func() string {
		return domain.Refusal(c.Signing.Signing.AskForLink(who, d.ID, who.Invitation))
	}
	asked := func() (n int) {
		for _, e := range c.events(t, d) {
			if e == "invitation.link_requested" {
				n++
			}
		}
		return n
	}
	if got := ask(); got != "document_not_expired.ask" || asked() != 0 {
		t.Errorf("before it expires: %q", got)
	}
	c.Advance(time.Hour)
	for i, wait := range []time.Duration{0, time.Hour - time.Millisecond, time.Millisecond} {
		c.Advance(wait)
		if got, want := ask(), []int{1, 1, 2}[i]; got != "" || asked() != want {
			t.Errorf("request %d: %q; %d requests recorded, want %d", i+1, got, asked(), want)
		}
	}
}

func TestLinkIsSentOnlyToItsOwnAddress(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, inOrder(), sequence("a:1 b:2")...)
	token := c.Signing.Sending.LinkToken(invited(d, "a@x.example"))
	reminded := func() int {
		return invited(ok[doc](t)(c.Signing.Drafts.Get(c.author, d.ID)), "a@x.example").RemindersSent
	}
	for _, x := range []struct {
		name, token, address string
		wait                 time.Duration
		want                 int
	}{
		{"another address", token, "b@x.example", 0, 0},
		{"no invitation", strings.Repeat("0", 26), "a@x.example", 0, 0},
		{"too short", token[:25], "a@x.example", 0, 0},
		{"their address", strings.ToLower(token[:26]), " A@x.example ", 0, 1},
		{"immediately again", token, "a@x.example", 0, 1},
		{"later", token, "a@x.example", time.Hour, 2},
		{"not their turn yet", c.Signing.Sending.LinkToken(invited(d, "b@x.example")), "b@x.example", time.Hour, 2},
	} {
		c.Advance(x.wait)
		if err := c.Signing.Signing.SendLink(x.token, x.address, account.Call{From: account.From{IP: "192.0.2.1"}}); err != nil || reminded() != x.want {
			t.Errorf("%s: %v, reminded %d times, want %d", x.name, err, reminded(), x.want)
		}
	}
}
