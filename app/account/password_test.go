package account_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/fault"
	"paraph/kv"
)

func TestCommonPasswordsAreRefusedWhereverOneIsChosen(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	h.add(c, "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	must[account.Member](t)(h.Companies.InviteMember(t.Context(), ann, account.MemberInput{Email: "new@example.org"}))
	must[any](t)(nil, h.ForgotPassword(t.Context(), "ann@example.org", account.From{}))
	reset, join := h.mail(account.MailReset, "ann@example.org").Data["token"], h.mail(account.MailInvite, "new@example.org").Data["token"]
	for _, bad := range []string{"password", "PASSWORD", "12345678", "iloveyou", "Password1", "football2024!", "aaaaaaaaaaaa", "1qaz2wsx", "        "} {
		_, err := h.Profile.UpdateMe(t.Context(), ann, account.MePatch{Password: &bad, CurrentPassword: password})
		wantCode(t, err, "password", "too_common")
		wantCode(t, h.Authentication.ResetPassword(t.Context(), reset, account.Reset{Password: bad}), "password", "too_common")
		_, err = h.Companies.AcceptInvite(t.Context(), account.Call{}, join, "", bad)
		wantCode(t, err, "password", "too_common")
		_, err = h.Companies.InviteMember(t.Context(), ann, account.MemberInput{Email: "third@example.org", Password: bad})
		wantCode(t, err, "password", "too_common")
	}
	for _, good := range []string{"correct horse", "Tr0ub4dor&3", "パスワードは長いほうがよい", "passwords are boring"} {
		must[any](t)(nil, h.Operator.SetPassword(t.Context(), "ann@example.org", good, false))
	}
}

func TestSetupRefusesACommonPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	b, _, err := h.Operator.Bootstrap(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Operator.Setup(t.Context(), b.Setup, account.SetupInput{Company: "A", Name: "Ann", Email: "ann@example.org", Password: "password1"})
	wantCode(t, err, "password", "too_common")
}

func wantCode(t testing.TB, err error, field string, code fault.Code) {
	t.Helper()
	for _, f := range fault.FieldsOf(err) {
		if f.Name == field && f.Code == code {
			return
		}
	}
	t.Errorf("got %v, want %s: %s", err, field, code)
}

// TestStrangersGuessingDoNotKeepMembersWaiting makes many strangers guess at once, each at the default cost of a
// password.
func TestStrangersGuessingDoNotKeepMembersWaiting(t *testing.T) {
	t.Parallel()
	h := open(t, func(o *account.Options) {
		o.Cost, o.PasswordWorkers, o.AddressAttempts = account.Cost{Memory: 8 << 10, Passes: 2, Threads: 1}, 2, 1<<20
	})
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	who := h.as("ann@example.org")
	ctx, stop := context.WithCancel(t.Context())
	var strangers sync.WaitGroup
	var mu sync.Mutex
	kinds := map[fault.Kind]int{}
	busy := make(chan struct{})
	guessing := sync.OnceFunc(func() { close(busy) })
	for i := range 200 {
		strangers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, err := h.Authentication.Login(ctx, fmt.Sprintf("%d-%d@example.org", i, n), "a guess", "", account.From{IP: addressOf(i)})
				mu.Lock()
				kinds[fault.KindOf(err)]++
				mu.Unlock()
				guessing()
			}
		})
	}
	patience.Receive(t, "the answer to a guess", busy)
	_, err := h.Authentication.Prove(t.Context(), who, account.Proof{Password: password}) // refused if the queue is too long for it
	stop()
	strangers.Wait()
	if err != nil {
		t.Errorf("a member meanwhile: %v", err)
	}
	if kinds[fault.KindUnavailable] == 0 || kinds[fault.KindUnauthenticated] == 0 {
		t.Errorf("strangers got %v", kinds)
	}
}

// TestAnswersDoNotTellWhoseAddressIsKnown blocks writes to the store: requests still answered have not
// waited for work that is only done for known addresses.
func TestAnswersDoNotTellWhoseAddressIsKnown(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	h.add(h.company("B"), "ben@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	writing, stop := make(chan struct{}), make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		must[any](t)(nil, h.db.Update(func(*kv.Tx) error {
			close(writing)
			<-stop
			return nil
		}))
	})
	<-writing
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, email := range []string{"ann@example.org", "nobody@example.org"} {
			if err := h.Services.Authentication.ForgotPassword(email, here); err != nil {
				t.Error(err)
			}
			_, err := h.Authentication.Login(t.Context(), email, "a guess", "", here)
			wantKind(t, err, fault.KindUnauthenticated, "")
		}
		for _, email := range []string{"ben@example.org", "free@example.org"} {
			if _, err := h.Services.Profile.Reverify(ann, email); err != nil {
				t.Errorf("%s: %v", email, err)
			}
		}
	}()
	patience.Receive(t, "the answers while the store is busy", answered)
	close(stop)
	writer.Wait()
	<-answered
	must[any](t)(nil, h.Upkeep.Flush())
	h.mail(account.MailReset, "ann@example.org")
	h.mail(account.MailVerifyEmail, "free@example.org")
	if got := h.mailCount(); got != 2 {
		t.Errorf("%d messages, want 2", got)
	}
}
