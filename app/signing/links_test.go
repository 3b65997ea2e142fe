package signing_test

import (
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest/domain"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

func TestLinkWorksFromSendingUntilDeletion(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	for state, works := range map[string]bool{"draft": false, "pending_approval": false, "approved": false, "rejected": false,
		"sent": true, "completed": true, "expired": true, "voided": false, archived: false, deleted: false} {
		d := c.in(t, state)
		who, err := c.Signing.Sending.Signatory(c.Signing.Sending.LinkToken(&d.Invitations[0]))
		if (err == nil) != works || err != nil && domain.Refusal(err) != "unauthenticated" {
			t.Errorf("%s: %v", state, err)
		}
		if err == nil && (who.Kind != account.ActorSignatory || who.Document != d.ID || who.Invitation != d.Invitations[0].ID || who.CompanyID != d.Company || who.Email != "a@x.example" || who.Name == "") {
			t.Errorf("%s: %+v", state, who)
		}
	}
	sent := c.Sent(t, c.author, inOrder(), sequence("a:1 b:2")...)
	token := c.Signing.Sending.LinkToken(invited(sent, "a@x.example"))
	other := c.Signing.Sending.LinkToken(invited(sent, "b@x.example"))
	for name, bad := range map[string]string{
		"empty": "", "short": token[:len(token)-1], "long": token + "A", "with a dot": token[:len(token)-1] + ".",
		"changed":        token[:len(token)-1] + map[bool]string{true: "A", false: "B"}[token[len(token)-1] != 'A'],
		"another's code": token[:26] + other[26:], "unknown": strings.Repeat("0", 26) + token[26:], "not their turn yet": other,
	} {
		if _, err := c.Signing.Sending.Signatory(bad); domain.Refusal(err) != "unauthenticated" {
			t.Errorf("%s: %v", name, err)
		}
	}
	voided := ok[doc](t)(c.Signing.Sending.Void(c.author, sent.ID, new("Over")))
	if _, err := c.Signing.Sending.Signatory(token); err != nil {
		t.Errorf("the link of a voided document is refused: %v", err)
	}
	ok[doc](t)(c.Signing.Sending.Delete(c.author, voided.ID))
	if _, err := c.Signing.Sending.Signatory(token); err == nil {
		t.Error("the link of a deleted document works")
	}
}

func TestOnlyEditorsSeeTheLinksOfOthers(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := c.Sent(t, c.author, inOrder(), append(sequence("a:1 b:2 viewer:v:1"), domain.Person{Email: c.viewer.Email, Position: 1})...)
	scoped := func(s ...account.Scope) account.Call {
		who := c.admin
		who.Kind, who.Scopes = account.ActorToken, s
		return who
	}
	a := invited(d, "a@x.example")
	link := domain.BaseURL + "/s/" + c.Signing.Sending.LinkToken(a)
	for _, x := range []struct {
		name string
		who  account.Call
		sees bool
	}{
		{"owner", c.owner, true}, {"member", c.colleague, true}, {"viewer", c.viewer, false},
		{"token with write scope", scoped(account.ScopeWrite), true}, {"token with sign scope", scoped(account.ScopeSign), true},
		{"token with read scope", scoped(account.ScopeRead), false}, {"token with admin scope", scoped(account.ScopeAdmin), false},
		{"signatory", c.Signatory(t, d, "a@x.example"), false},
	} {
		if got := signing.MaySeeLinks(x.who); got != x.sees {
			t.Errorf("%s may see links: %v", x.name, got)
		}
		if got := c.Signing.Sending.SignURL(x.who, d, a, domain.BaseURL+"/"); (got == link) != x.sees || (got == "") == x.sees {
			t.Errorf("%s sees %q", x.name, got)
		}
	}
	for email, shown := range map[string]bool{"a@x.example": true, "b@x.example": false, "v@x.example": false} {
		if got := c.Signing.Sending.SignURL(c.author, d, invited(d, email), domain.BaseURL); (got != "") != shown {
			t.Errorf("link of %s: %q", email, got)
		}
	}
	own := invited(d, c.viewer.Email)
	program := c.viewer
	program.Kind = account.ActorToken
	for name, x := range map[string]struct {
		who  account.Call
		inv  *record.Invitation
		want bool
	}{"their own": {c.viewer, own, true}, "a colleague's": {c.colleague, own, false}, "a program's": {program, own, false}, "another's": {c.viewer, a, false}} {
		if got := c.Signing.Sending.OwnURL(x.who, d, x.inv, domain.BaseURL); (got != "") != x.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	d = c.Sign(t, d, "a@x.example")
	if got := c.Signing.Sending.SignURL(c.author, d, invited(d, "a@x.example"), domain.BaseURL); got != "" {
		t.Errorf("after signing: %q", got)
	}
}

// TestLinkShowsTheStage checks what a link shows in every state of its document.
func TestLinkShowsTheStage(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	code := domain.Person{Email: "code@x.example", Authentication: record.ByAccessCode, Code: "open sesame", Position: 1}
	act := func(f func(d doc, id string) (doc, error)) func(d doc) {
		return func(d doc) { ok[doc](t)(f(d, invited(d, "a@x.example").ID)) }
	}
	decline := act(func(d doc, id string) (doc, error) {
		return c.Signing.Signing.Decline(c.author, d.ID, id, signing.DeclineInput{})
	})
	void := func(d doc) { ok[doc](t)(c.Signing.Sending.Void(c.author, d.ID, new("Secret reason"))) }
	none := func(doc) {}
	late := func(doc) { c.Advance(time.Hour) }
	expired := func(doc) { c.Advance(time.Hour); c.Work(t) }
	for _, x := range []struct {
		name, who string
		before    func(d doc)
		readable  bool // the company keeps closed documents readable
		stage     record.Stage
		content   bool // the files are shown
		closed    bool
	}{
		{"their turn", "a", none, false, record.StageSign, true, false},
		{"not identified", "code", none, false, record.StageIdentify, false, false},
		{"only reading", "v", none, false, record.StageReading, true, false},
		{"signed", "a", func(d doc) { c.Sign(t, d, "a@x.example") }, false, record.StageSigned, true, false},
		{"declined", "a", decline, false, record.StageDeclined, false, true},
		{"declined, readable", "a", decline, true, record.StageDeclined, true, false},
		{"another declined", "b", decline, false, record.StageStopped, false, true},
		{"voided", "a", void, false, record.StageVoided, false, true},
		{"voided, readable", "a", void, true, record.StageVoided, true, false},
		{"voided, not identified", "code", void, false, record.StageVoided, false, true},
		{"voided, readable, not identified", "code", void, true, record.StageVoided, false, false},
		{"late", "a", late, false, record.StageExpired, false, true},
		{"expired", "a", expired, false, record.StageExpired, false, true},
		{"expired, readable", "a", expired, true, record.StageExpired, true, false},
		{"signed, then another declined", "b", func(d doc) { c.Sign(t, d, "b@x.example"); decline(d) }, false, record.StageStopped, false, true},
	} {
		ok[account.Company](t)(c.Accounts.Companies.UpdateCompany(c.owner, account.CompanyPatch{ClosedDocumentsReadable: &x.readable}))
		people := append(sequence("a:1 b:1"), domain.Person{Email: "v@x.example", Role: record.Viewer}, code)
		d := c.Sent(t, c.author, record.DocumentInput{ExpiresAt: new(c.Now().Add(time.Hour)), Message: new("Please")}, people...)
		x.before(d)
		who := account.Actor{Kind: account.ActorSignatory, CompanyID: d.Company, Document: d.ID, Invitation: invited(d, x.who+"@x.example").ID}
		v, err := c.Signing.Signing.Open(account.Call{Actor: who})
		if x.who == "v" { // a viewer's link works once the document is completed
			if domain.Refusal(err) != "not_found.document" {
				t.Errorf("%s: %v", x.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if v.Stage != x.stage || (len(v.Document.Files) > 0) != x.content || v.Closed != x.closed {
			t.Errorf("%s: %s, %d files, closed %v; want %s, %v, %v", x.name, v.Stage, len(v.Document.Files), v.Closed, x.stage, x.content, x.closed)
		}
		if !x.content && (v.Document.Message != "" || len(v.Document.Invitations) > 1 || v.Document.Title != "Contract") {
			t.Errorf("%s: shows %+v", x.name, v.Document)
		}
		if secret := v.Document.VoidedReason != ""; x.stage == record.StageVoided && secret != (x.who == "a") {
			t.Errorf("%s: reason shown: %v", x.name, secret)
		}
	}
	d := c.Sign(t, c.Sent(t, c.author, record.DocumentInput{}, sequence("a viewer:v")...), "a@x.example")
	for _, who := range []string{"a", "v"} {
		if v, err := c.Signing.Signing.Open(c.Signatory(t, d, who+"@x.example")); err != nil || v.Stage != record.StageCompleted || len(v.Document.Files) != 1 || v.Closed {
			t.Errorf("completed, for %s: %+v, %v", who, v, err)
		}
	}
	if _, err := c.Signing.Signing.Open(c.author); domain.Refusal(err) != "not_found.invitation" {
		t.Error(err)
	}
}

// TestSignatoriesReachOnlyTheirOwnInvitation tries every operation of invited people
// on the wrong document or invitation.
func TestSignatoriesReachOnlyTheirOwnInvitation(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	d, e := c.Sent(t, c.author, record.DocumentInput{}, sequence("a b")...), c.in(t, "sent")
	who := c.Signatory(t, d, "a@x.example")
	for name, at := range map[string][2]string{"another invitation": {d.ID, invited(d, "b@x.example").ID}, "another document": {e.ID, e.Invitations[0].ID},
		"another document's": {e.ID, who.Invitation}, "unknown": {d.ID, "none"}} {
		id, inv := at[0], at[1]
		for what, do := range map[string]func() error{
			"sign": func() error { _, err := c.Signing.Signing.Sign(ctx, who, id, inv, signing.SignInput{}); return err },
			"decline": func() error {
				_, err := c.Signing.Signing.Decline(who, id, inv, signing.DeclineInput{})
				return err
			},
			"delegate": func() error {
				_, err := c.Signing.Sending.Delegate(who, id, inv, person("z@x.example"), nil)
				return err
			},
			"view":     func() error { _, err := c.Signing.Signing.MarkViewed(who, id, inv); return err },
			"not me":   func() error { _, err := c.Signing.Signing.NotMe(who, id, inv, nil); return err },
			"agree":    func() error { _, err := c.Signing.Signing.Agree(who, id, inv, ""); return err },
			"withdraw": func() error { _, err := c.Signing.Signing.WithdrawConsent(who, id, inv); return err },
			"ask":      func() error { return c.Signing.Signing.AskForLink(who, id, inv) },
			"report":   func() error { return c.Signing.Signing.ReportProblem(who, id, inv, "X") },
			"code":     func() error { return c.Signing.Signing.RequestCode(who, id, inv) },
			"identify": func() error { _, err := c.Signing.Signing.Identify(who, id, inv, "X"); return err },
			"pad":      func() error { _, _, err := c.Signing.Signing.PadCode(who, id, inv, "signature"); return err },
			"save":     func() error { return c.Signing.Signing.SaveAnswers(who, id, inv, record.Answers{}) },
			"clear":    func() error { return c.Signing.Signing.ClearAnswers(who, id, inv) },
		} {
			if got := domain.Refusal(do()); got != "not_found.invitation" && got != "not_found.document" {
				t.Errorf("%s at %s: got %q", what, name, got)
			}
		}
	}
	for _, x := range []doc{d, e} {
		if now := ok[doc](t)(c.Signing.Drafts.Get(c.author, x.ID)); now.Version != x.Version {
			t.Error("a refused operation changed a document")
		}
	}
}
