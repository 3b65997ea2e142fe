package account_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

func TestBootstrapOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			b, ok, err := h.Operator.Bootstrap(t.Context(), "", "")
			if err != nil {
				t.Error(err)
			}
			if ok {
				made.Add(1)
				if b.Password == "" || b.Setup == "" || b.User.Email != "admin@localhost" {
					t.Errorf("got %+v", b)
				}
			}
		})
	}
	wg.Wait()
	if got := made.Load(); got != 1 {
		t.Errorf("made %d administrators", got)
	}
	if all, err := h.Operator.AllUsers(t.Context()); err != nil || len(all) != 1 || all[0].Companies[0].Role != account.RoleOwner {
		t.Errorf("got %+v, %v", all, err)
	}
	if all, err := h.Operator.AllCompanies(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestBootstrapWithWhatIsGiven(t *testing.T) {
	t.Parallel()
	h := open(t)
	_, _, err := h.Operator.Bootstrap(t.Context(), "nonsense", "x")
	wantFields(t, err, "email")
	b, made, err := h.Operator.Bootstrap(t.Context(), "ann@intranet", "short")
	if err != nil || !made || b.Password != "" || b.Setup != "" {
		t.Errorf("got %+v, %v, %v", b, made, err)
	}
	if who := h.actor(h.login("ann@intranet", "short")); !who.IsOwner() {
		t.Errorf("got %+v", who)
	}
}

func TestLoggingInClosesSetup(t *testing.T) {
	t.Parallel()
	h := open(t)
	b, _, err := h.Operator.Bootstrap(t.Context(), "ann@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Operator.CheckSetup(b.Setup); err != nil {
		t.Error(err)
	}
	h.login("ann@example.org", b.Password)
	wantFields(t, h.Operator.CheckSetup(b.Setup), "token")
	_, err = h.Operator.Setup(t.Context(), b.Setup, account.SetupInput{Company: "A", Name: "Ann", Email: "ann@example.org", Password: password})
	wantFields(t, err, "token")
}

func TestSetupClosesThePrintedPassword(t *testing.T) {
	t.Parallel()
	h := open(t)
	b, _, err := h.Operator.Bootstrap(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Operator.Setup(t.Context(), b.Setup, account.SetupInput{Locale: "!", Timezone: "x"})
	wantFields(t, err, "company", "name", "email", "password", "locale", "timezone")
	in := account.SetupInput{Company: "Acme", Name: "Ann", Email: "ann@example.org", Password: password, Locale: "de", Timezone: "Europe/Berlin"}
	u, err := h.Operator.Setup(t.Context(), b.Setup, in)
	if err != nil || u.Name != "Ann" || u.Locale != "de" || u.Companies[0].Name != "Acme" {
		t.Fatalf("got %+v, %v", u, err)
	}
	if c, err := h.Companies.CompanyByID(b.Company.ID); err != nil || c.Timezone != "Europe/Berlin" || c.Locale != "de" {
		t.Errorf("got %+v, %v", c, err)
	}
	_, err = h.Operator.Setup(t.Context(), b.Setup, in)
	wantFields(t, err, "token")
	for _, email := range []string{"admin@localhost", "ann@example.org"} {
		_, err = h.Authentication.Login(t.Context(), email, b.Password, "", account.From{})
		wantKind(t, err, fault.KindUnauthenticated, "")
	}
	h.login("ann@example.org", password)
	if _, made, err := h.Operator.Bootstrap(t.Context(), "", ""); made || err != nil {
		t.Errorf("made another: %v", err)
	}
}

// TestSetupFindsFewAccounts tries addresses with the link to set up a company.
func TestSetupFindsFewAccounts(t *testing.T) {
	t.Parallel()
	h := open(t)
	b, _, err := h.Operator.Bootstrap(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := h.company("B")
	setUp := func(email string) error {
		_, err := h.Operator.Setup(t.Context(), b.Setup, account.SetupInput{Company: "Acme", Name: "Ann", Email: email, Password: password})
		return err
	}
	for i := range 10 {
		email := fmt.Sprintf("bob%d@example.org", i)
		h.add(elsewhere, email, account.RoleMember)
		wantFields(t, setUp(email), "email")
	}
	wantKind(t, setUp("bob1@example.org"), fault.KindThrottled, "throttled")
	wantKind(t, setUp("ann@example.org"), fault.KindThrottled, "throttled")
	h.advance(24 * time.Hour)
	if err := setUp("ann@example.org"); err != nil {
		t.Error(err)
	}
}

func TestActorFor(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.company("A"), h.company("B")
	h.add(a, "ann@example.org", account.RoleOwner)
	h.add(b, "ann@example.org", account.RoleMember)
	for company, want := range map[string]account.Role{"": account.RoleOwner, a.ID: account.RoleOwner, b.ID: account.RoleMember} {
		if who, err := h.Operator.ActorFor("ANN@example.org", company); err != nil || who.Role != want {
			t.Errorf("%q: got %+v, %v", company, who, err)
		}
	}
	who := account.Call{Actor: must[account.Actor](t)(h.Operator.ActorFor("ann@example.org", b.ID))}
	made := must[account.Token](t)(h.Profile.CreateToken(who, account.TokenInput{Name: "by command"}))
	h.actor(made.Secret)
	_, err := h.Operator.ActorFor("ann@example.org", "nowhere")
	wantKind(t, err, fault.KindNotFound, "")
	_, err = h.Operator.ActorFor("bob@example.org", "")
	wantKind(t, err, fault.KindNotFound, "")
}

func TestAddUserFaults(t *testing.T) {
	t.Parallel()
	h := open(t)
	c := h.company("A")
	_, err := h.Operator.AddUser(t.Context(), account.UserInput{Name: "\n", Role: "king", Locale: "!", Timezone: "x"})
	wantFields(t, err, "name", "email", "password", "role", "locale", "timezone")
	_, err = h.Operator.AddUser(t.Context(), account.UserInput{Email: "a@example.org", Password: password, CompanyID: "nowhere"})
	wantKind(t, err, fault.KindNotFound, "")
	h.add(c, "a@example.org", account.RoleMember)
	_, err = h.Operator.AddUser(t.Context(), account.UserInput{Email: "A@example.org", Password: password, CompanyID: c.ID})
	wantFields(t, err, "email")
	_, err = h.Operator.AddCompany("", "!", "x")
	wantFields(t, err, "name", "locale", "timezone")
	wantKind(t, h.Operator.SetPassword(t.Context(), "nobody@example.org", password, false), fault.KindNotFound, "")
	wantFields(t, h.Operator.SetPassword(t.Context(), "a@example.org", "short", false), "password")
}

func TestOtherRoomsRead(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.company("A")
	ann := h.add(a, "ann@example.org", account.RoleApprover)
	h.add(a, "vic@example.org", account.RoleViewer)
	err := h.db.View(func(tx *kv.Tx) error {
		m, err := account.LoadMember(tx, a.ID, ann.ID)
		if err != nil || m.Role != account.RoleApprover || m.UserID != ann.ID {
			t.Errorf("got %+v, %v", m, err)
		}
		_, err = account.LoadMember(tx, "nowhere", ann.ID)
		wantKind(t, err, fault.KindNotFound, "")
		people, err := account.CountMembers(tx, a.ID)
		if err != nil || people != 2 {
			t.Errorf("got %d, %v", people, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsContextAndWritesDownUse(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.add(h.company("A"), "ann@example.org", account.RoleOwner)
	ann := h.as("ann@example.org")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Upkeep.Run(ctx); err != nil {
		t.Error(err)
	}
	h.Reset()
	got, err := h.Profile.GetToken(ann, ann.TokenID)
	if err != nil || got.LastUsedAt == nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestInventedPasswordsCanBeTyped(t *testing.T) {
	t.Parallel()
	h := open(t)
	b, _, err := h.Operator.Bootstrap(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Password) != 23 || strings.ToLower(b.Password) != b.Password || strings.Count(b.Password, "-") != 3 {
		t.Errorf("got a password of %d characters", len(b.Password))
	}
}
