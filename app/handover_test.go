package app_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// forgot requests a link for choosing another password, and waits until it is kept.
func forgot(t *testing.T, s *apptest.Server, email string) {
	t.Helper()
	s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": email}).Want(t, 202)
	flushed(t, s)
}

// heldFor returns the API's path of the message that an operator may hand over to an address, "" for none.
func heldFor(t *testing.T, operator *apptest.Client, email string) string {
	t.Helper()
	r := operator.Get(t, "/installation/messages?status=held").Want(t, 200)
	i := slices.Index(r.Texts(t, "data", "to"), email)
	if i < 0 {
		return ""
	}
	return "/installation/messages/" + r.Texts(t, "data", "id")[i] + "/reveal"
}

// TestOnlyOwnerWhoForgotThePasswordIsHelpedByTheOperator resets the password of a company's only owner without a
// mail server, using pages only.
func TestOnlyOwnerWhoForgotThePasswordIsHelpedByTheOperator(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withoutMail)
	operator, owner := administrator(t, s), s.Company(t)
	browse(t, s).post("/forgot", "email", owner.Email)
	flushed(t, s)
	b := browse(t, s)
	b.signIn(operator.Email, apptest.Password)
	page := b.get("/admin/messages?status=held")
	form := heldForm.FindString(page)
	if form == "" || !strings.Contains(page, owner.Email) || accountLink.MatchString(page) {
		t.Fatalf("the operator's page shows %s", page)
	}
	said := b.post(form)
	link := accountLink.FindString(said)
	if link == "" {
		t.Fatalf("the link isn't shown: %s", said)
	}
	browse(t, s).post(link, "password", "another good password 7")
	o := browse(t, s)
	o.signIn(owner.Email, "another good password 7")
	notice := handedOver.FindStringSubmatch(o.get("/app/settings/outbox"))
	if notice == nil {
		t.Fatal("the owner's outbox has no notice")
	}
	if page := o.get(notice[1]); !strings.Contains(page, operator.Email) {
		t.Errorf("the notice doesn't name the operator: %s", page)
	}
	if page := b.get("/admin/messages?status=held"); strings.Contains(page, owner.Email) {
		t.Errorf("the used link is still listed: %s", page)
	}
}

// handedOver finds the notice to owners that a link was shown to an operator.
var handedOver = regexp.MustCompile(`href="(/app/settings/outbox/\w+)"><bdi>A password link for`)

// TestOperatorHandsOverWhatNobodyInTheCompanyCould checks for which members, and which messages, an operator does what
// the company's administrators do elsewhere.
func TestOperatorHandsOverWhatNobodyInTheCompanyCould(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	operator := administrator(t, s)
	for name, x := range map[string]struct {
		others []account.Role
		role   account.Role // of the one who forgot
		leave  func(ctx context.Context, email string) error
		want   bool
	}{
		"an owner beside administrators":                {[]account.Role{account.RoleAdmin, account.RoleMember}, account.RoleOwner, nil, true},
		"an owner beside another":                       {[]account.Role{account.RoleOwner}, account.RoleOwner, nil, false},
		"an owner beside another whose account is shut": {[]account.Role{account.RoleOwner}, account.RoleOwner, shut(s), true},
		"a member":         {[]account.Role{account.RoleMember}, account.RoleMember, nil, false},
		"an administrator": {[]account.Role{account.RoleAdmin}, account.RoleAdmin, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			owner := s.Company(t)
			who := owner
			for _, role := range x.others {
				other := owner.Member(t, role)
				if role == x.role && role != account.RoleOwner {
					who = other
				}
				if x.leave != nil {
					if err := x.leave(t.Context(), other.Email); err != nil {
						t.Fatal(err)
					}
				}
			}
			forgot(t, s, who.Email)
			if got := heldFor(t, operator, who.Email) != ""; got != x.want {
				t.Errorf("listed to the operator: %v, want %v", got, x.want)
			}
			if !x.want {
				at := strings.Replace(kept(t, owner, who.Email, "reset"), "/outbox", "/installation/messages", 1)
				operator.Post(t, at+"/reveal", nil).Want(t, 404)
			}
		})
	}
}

// shut bars people from all companies.
func shut(s *apptest.Server) func(context.Context, string) error {
	return func(ctx context.Context, email string) error { return s.Accounts.Operator.SetActive(ctx, email, false) }
}

// TestOperatorProvesWhoTheyAreAndSeesNothingElse checks what else guards a link of a company.
func TestOperatorProvesWhoTheyAreAndSeesNothingElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	operator, owner := administrator(t, s), s.Company(t)
	owner.Post(t, "/members", apptest.Map{"email": "new@company.example", "role": "owner"}).Want(t, 201)
	forgot(t, s, owner.Email)
	at := heldFor(t, operator, owner.Email)
	if at == "" {
		t.Fatal("an owner who was invited and has not joined counts as one who can act")
	}
	invite := kept(t, owner, "new@company.example", "invite")
	operator.Post(t, "/installation/messages"+strings.TrimPrefix(invite, "/outbox")+"/reveal", nil).Want(t, 404)
	s.Company(t).Post(t, at, nil).Want(t, 404)
	owner.Post(t, at, nil).Want(t, 404)
	s.Advance(t, "6m")
	refused(t, operator.Post(t, at, nil), 403, "proof_required")
	operator.Post(t, at, apptest.Map{"current_password": apptest.Password}).Want(t, 200)
	told := owner.Get(t, kept(t, owner, owner.Email, "handed_over")).Want(t, 200)
	if !strings.Contains(told.Text(t, "text"), operator.Email) {
		t.Errorf("the owner is told %s", told.Body)
	}
	join := owner.Post(t, invite+"/reveal", apptest.Map{"current_password": apptest.Password}).Want(t, 200)
	browse(t, s).post(accountLink.FindString(join.Text(t, "links.0")), "name", "New Owner", "password", apptest.Password)
	refused(t, operator.Post(t, at, apptest.Map{"current_password": apptest.Password}), 403, "not_yours_to_hand_over")

	forgot(t, s, operator.Email)
	refused(t, operator.Post(t, heldFor(t, operator, operator.Email), apptest.Map{"current_password": apptest.Password}), 403, "not_yours_to_hand_over")
}
