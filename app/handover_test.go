package app_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

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
	if page := b.get("/admin/messages?status=held"); strings.Contains(page, form) {
		t.Errorf("the used link is still listed: %s", page)
	}
}

// handedOver finds the notice to owners that a link was shown to an operator.
var handedOver = regexp.MustCompile(`href="(/app/settings/outbox/\w+)"><bdi>A password link for`)

// TestOperatorProvesWhoTheyAreAndSeesNothingElse checks what else guards a link of a company.
func TestOperatorProvesWhoTheyAreAndSeesNothingElse(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	operator, owner := administrator(t, s), s.Company(t)
	owner.Post(t, "/members", apptest.Map{"email": "new@company.example", "role": "owner"}).Want(t, 201)
	forgot(t, s, owner.Email)
	at := heldFor(t, operator, owner.Email)
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
	forgot(t, s, operator.Email)
	refused(t, operator.Post(t, heldFor(t, operator, operator.Email), apptest.Map{"current_password": apptest.Password}), 403, "not_yours_to_hand_over")
}
