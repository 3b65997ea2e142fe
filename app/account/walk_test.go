package account_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/limit"
)

// Every method of the services is one of these, so that a new one fails TestEveryWayIntoAnAccountIsKnown until
// somebody has thought about what it does to the credentials of a person.
var (
	// readers change no credential. Logging in and proving add sessions and proofs of those who have credentials.
	readers = `Authentication.Authenticate Authentication.BeginPasskeyAfterPassword Authentication.BeginPasskeyLogin
		Authentication.BeginPasskeyProof Authentication.BeginSignIn Authentication.CheckPending Authentication.CheckReset
		Authentication.CheckUndo Authentication.FinishPasskeyLogin Authentication.FinishPasskeyProof Authentication.FinishSignIn
		Authentication.LastSeen Authentication.ListPasskeys Authentication.ListSessions Authentication.ListSignIns Authentication.Login
		Authentication.Prove Authentication.ProveSession Authentication.Proven Authentication.RememberDevice Authentication.RenewSession
		Authentication.SignatoryToken Authentication.SwitchCompany
		Companies.Approvers Companies.CheckInvite Companies.Company Companies.CompanyByID Companies.ConsentVersions Companies.GetMember
		Companies.GetTenant Companies.ListMembers Companies.ListPeople Companies.ListTenants Companies.LogoOf Companies.MemberOf
		Companies.RenameCompany Companies.SetLogo Companies.Tenants
		Profile.CheckVerification Profile.GetToken Profile.ListTokens Profile.Me
		Upkeep.ExportRecords Upkeep.Flush Upkeep.Free Upkeep.KeepAnswer Upkeep.Replay Upkeep.Reserve Upkeep.Run Upkeep.Sweep`
	// operators are the methods behind commands on the data folder; TestTransfer and others try them.
	operators = `Operator.ActorFor Operator.AddCompany Operator.AddUser Operator.AllCompanies Operator.AllUsers Operator.Bootstrap
		Operator.CheckSetup Operator.Empty Operator.SetActive Operator.SetPassword Operator.SetupLink Operator.SetupOpen
		Companies.FoundCompany Companies.SetInstallation Upkeep.ImportRecord`
)

// linked are the methods that change credentials for whoever has a link of one kind.
var linked = map[string]func(s stolen, token string) error{
	"Profile.VerifyEmail": func(s stolen, token string) error {
		_, err := s.Profile.VerifyEmail(token)
		return err
	},
	"Authentication.ResetPassword": func(s stolen, token string) error {
		return s.Authentication.ResetPassword(s.t.Context(), token, account.Reset{Password: "another horse"})
	},
	"Authentication.Undo": func(s stolen, token string) error {
		_, err := s.Authentication.Undo(token)
		return err
	},
	"Companies.AcceptInvite": func(s stolen, token string) error {
		_, err := s.Companies.AcceptInvite(s.t.Context(), account.Call{}, token, "", "another horse")
		return err
	},
	"Operator.Setup": func(s stolen, token string) error {
		_, err := s.Operator.Setup(s.t.Context(), token, account.SetupInput{Email: "thief@example.org", Password: "another horse", Company: "T"})
		return err
	},
}

// changing holds the methods that change credentials, the caller's own or those of the person named. Here that is Ann.
var changing = map[string]func(s stolen, who account.Call) error{
	"Profile.Reverify": func(s stolen, who account.Call) error {
		_, err := s.Reverify(s.t.Context(), who, "thief@example.org")
		return err
	},
	"Profile.UpdateMe": func(s stolen, who account.Call) error {
		_, err := s.Profile.UpdateMe(s.t.Context(), who, account.MePatch{Password: new("another horse"), CurrentPassword: "a guess"})
		return err
	},
	"Profile.CreateToken": func(s stolen, who account.Call) error {
		_, err := s.Profile.CreateToken(who, account.TokenInput{Name: "thief's"})
		return err
	},
	"Profile.RevokeToken": func(s stolen, who account.Call) error { return s.Profile.RevokeToken(who, s.token.ID) },
	"Authentication.BeginPasskey": func(s stolen, who account.Call) error {
		_, err := s.Authentication.BeginPasskey(who, site)
		return err
	},
	"Authentication.FinishPasskey": func(s stolen, who account.Call) error {
		_, err := s.Authentication.FinishPasskey(who, s.begun.ID, "thief's", s.planted.create(s.begun.Options))
		return err
	},
	"Authentication.RenamePasskey": func(s stolen, who account.Call) error {
		_, err := s.Authentication.RenamePasskey(who, s.passkey.ID, "thief's")
		return err
	},
	"Authentication.RemovePasskey": func(s stolen, who account.Call) error {
		return s.Authentication.RemovePasskey(s.t.Context(), who, s.passkey.ID, "a guess", "000000")
	},
	"Authentication.BeginTwoFactor": func(s stolen, who account.Call) error {
		_, err := s.Authentication.BeginTwoFactor(who)
		return err
	},
	"Authentication.ConfirmTwoFactor": func(s stolen, who account.Call) error {
		_, err := s.Authentication.ConfirmTwoFactor(who, "000000")
		return err
	},
	"Authentication.DisableTwoFactor": func(s stolen, who account.Call) error {
		return s.Authentication.DisableTwoFactor(s.t.Context(), who, "a guess", "000000")
	},
	"Authentication.NewRecoveryCodes": func(s stolen, who account.Call) error {
		_, err := s.Authentication.NewRecoveryCodes(s.t.Context(), who, "a guess", "000000")
		return err
	},
	"Authentication.ForgotPassword": func(s stolen, _ account.Call) error {
		return s.ForgotPassword(s.t.Context(), "ann@example.org", here)
	},
	"Authentication.EndSession": func(s stolen, who account.Call) error {
		return s.Authentication.EndSession(who, s.who.TokenID)
	},
	"Authentication.EndOtherSessions": func(s stolen, who account.Call) error { return s.Authentication.EndOtherSessions(who) },
	"Authentication.EndAllSessions": func(s stolen, who account.Call) error {
		_, err := s.Authentication.EndAllSessions(s.t.Context(), who)
		return err
	},
	"Authentication.Logout": func(s stolen, who account.Call) error { return s.Authentication.Logout(who) },
	"Companies.UpdateMember": func(s stolen, who account.Call) error {
		_, err := s.Companies.UpdateMember(who, s.ann.ID, account.MemberPatch{Active: new(false)})
		return err
	},
	"Companies.RemoveMember": func(s stolen, who account.Call) error { return s.Companies.RemoveMember(who, s.ann.ID) },
	"Companies.UpdateCompany": func(s stolen, who account.Call) error {
		_, err := s.Companies.UpdateCompany(who, account.CompanyPatch{RequireTwoFactor: new(false)})
		return err
	},
	"Companies.InviteMember": func(s stolen, who account.Call) error {
		_, err := s.Companies.InviteMember(s.t.Context(), who, account.MemberInput{Email: "ann@example.org", Password: "another horse"})
		return err
	},
}

func TestEveryWayIntoAnAccountIsKnown(t *testing.T) {
	t.Parallel()
	known := append(strings.Fields(readers), strings.Fields(operators)...)
	known = slices.AppendSeq(slices.AppendSeq(known, maps.Keys(linked)), maps.Keys(changing))
	var found []string
	services := reflect.TypeFor[account.Services]()
	for i := range services.NumField() {
		f := services.Field(i)
		if !f.IsExported() {
			continue
		}
		for j := range f.Type.NumMethod() {
			found = append(found, f.Name+"."+f.Type.Method(j).Name)
		}
	}
	slices.Sort(known)
	slices.Sort(found)
	if !slices.Equal(known, found) {
		for _, name := range found {
			if !slices.Contains(known, name) {
				t.Errorf("%s: who may call it, and what does it do to the credentials of a person?", name)
			}
		}
		for _, name := range known {
			if !slices.Contains(found, name) || strings.Count(strings.Join(known, " ")+" ", name+" ") > 1 {
				t.Errorf("%s is listed twice, or is no method", name)
			}
		}
	}
}

// walked is Ann's account, with what others could have of it.
func walked(t *testing.T) (s stolen, callers map[string]account.Call) {
	t.Helper()
	s = steal(t)
	fresh := must[account.Call](t)(s.Authentication.Prove(t.Context(), s.who, account.Proof{Password: password, Code: code(t, s.secret, s.now())}))
	s.planted = newAuthenticator(t)
	s.planted.id = []byte("planted")
	s.token = must[account.Token](t)(s.Profile.CreateToken(fresh, account.TokenInput{Name: "CI"}))
	s.begun = must[account.Ceremony](t)(s.Authentication.BeginPasskey(fresh, site))
	s.advance(time.Hour)
	s.add(s.company, "colleague@example.org", account.RoleMember)
	s.add(s.house.company("B"), "stranger@example.net", account.RoleOwner)
	return s, map[string]account.Call{
		"an old session of hers":       s.who,
		"a program of hers":            s.actor(s.token.Secret),
		"a colleague":                  s.as("colleague@example.org"),
		"the owner of another company": s.as("stranger@example.net"),
		"nobody":                       {},
		"a signatory who has her name": {Actor: account.Actor{Kind: account.ActorSignatory, CompanyID: s.company.ID, Name: s.ann.Name, Email: s.ann.Email}},
	}
}

// credentials describes what Ann gets in with.
func (s stolen) credentials() string {
	s.t.Helper()
	me := must[account.User](s.t)(s.Profile.Me(s.who))
	keys := must[[]account.Passkey](s.t)(s.Authentication.ListPasskeys(s.who))
	out := fmt.Sprint(me.Email, " ", me.AuthenticatorApp)
	for _, k := range keys {
		out += " " + k.ID
	}
	return out + " " + must[account.Token](s.t)(s.Profile.GetToken(s.who, s.token.ID)).Name
}

// TestNobodyElseChangesCredentials walks the ways in which the credentials of a person change, and who could
// try each: but for ending sessions and tokens of her own, none of them changes any.
func TestNobodyElseChangesCredentials(t *testing.T) {
	t.Parallel()
	s, callers := walked(t)
	before := s.credentials()
	ends := []string{"Profile.RevokeToken", "Authentication.EndSession", "Authentication.EndOtherSessions", "Authentication.EndAllSessions",
		"Authentication.Logout", "Companies.RemoveMember", "Companies.UpdateMember"}
	for name, who := range callers {
		for _, way := range slices.Sorted(maps.Keys(changing)) {
			if who.UserID == s.ann.ID && slices.Contains(ends, way) {
				continue // it only ends access
			}
			err := changing[way](s, who)
			if got := s.credentials(); got != before {
				t.Fatalf("%s by %s (%v): %s, before %s", way, name, err, got, before)
			}
		}
		_, err := s.Authentication.Login(s.t.Context(), s.ann.Email, password, "", here)
		wantFields(t, err, "code") // her password is still the first of two factors
	}
}

// TestALinkIsForOneThing tries every link that was mailed to Ann for all the others.
func TestALinkIsForOneThing(t *testing.T) {
	t.Parallel()
	s, _ := walked(t)
	fresh := must[account.Call](t)(s.Authentication.Prove(t.Context(), s.who, account.Proof{Password: password, Code: code(t, s.secret, s.now())}))
	must[limit.Rate](t)(s.Reverify(t.Context(), fresh, "new@example.org"))
	must[any](t)(nil, s.ForgotPassword(t.Context(), "ann@example.org", here))
	must[account.Member](t)(s.Companies.InviteMember(t.Context(), s.as("stranger@example.net"), account.MemberInput{Email: "ann@example.org"}))
	links := map[string]string{
		"Profile.VerifyEmail":          s.mail(account.MailVerifyEmail, "new@example.org").Data["token"],
		"Authentication.ResetPassword": s.mail(account.MailReset, "ann@example.org").Data["token"],
		"Companies.AcceptInvite":       s.mail(account.MailInvite, "ann@example.org").Data["token"],
		"Authentication.Undo":          s.mail(account.MailPasskeyAdded, "ann@example.org").Data["token"],
	}
	before := s.credentials()
	for of, token := range links {
		if token == "" {
			t.Fatalf("there is no link for %s", of)
		}
		for way, try := range linked {
			if way == of {
				continue
			}
			if err := try(s, token); err == nil {
				t.Errorf("%s works with the link for %s", way, of)
			}
			if got := s.credentials(); got != before {
				t.Fatalf("%s with the link for %s: %s, before %s", way, of, got, before)
			}
		}
	}
}
