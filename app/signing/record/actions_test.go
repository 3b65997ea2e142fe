package record_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
)

func words[T ~string](all []T) string {
	out := make([]string, 0, len(all))
	for _, a := range all {
		out = append(out, string(a))
	}
	return strings.Join(out, " ")
}

func TestInvitedPeopleAreOfferedWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	file := []record.File{{ID: "f"}}
	inv := record.Invitation{ID: "me", Role: record.Signer, Status: record.Notified, Authentication: record.ByEmailCode}
	for _, tt := range []struct {
		d     record.Document
		token string
		want  string
	}{
		{record.Document{Files: file}, "t", "sign decline delegate download"},
		{record.Document{}, "t", "sign decline delegate"},
		{record.Document{Files: file, NoDecline: true}, "t", "sign delegate download"},
		{record.Document{Files: file, NoDelegation: true}, "t", "sign decline download"},
		{record.Document{Files: file}, "", "download"},
		{record.Document{Files: file, ExpiresAt: in(-1)}, "t", "download"},
	} {
		tt.d.Status, tt.d.Invitations = record.Sent, []record.Invitation{inv}
		who := account.Actor{Kind: account.ActorSignatory, Invitation: "me", TokenID: tt.token, Until: *in(record.IdentifiedFor)}
		if got := words(tt.d.ActionsOf(who, now)); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.d, got, tt.want)
		}
		if who.Invitation = "other"; strings.Contains(words(tt.d.ActionsOf(who, now)), "sign") {
			t.Error("a person who is not invited may sign")
		}
	}
}

func TestMembersAreOfferedWhatTheyMayDoWithAnInvitation(t *testing.T) {
	t.Parallel()
	member := account.Actor{Kind: account.ActorUser, Email: "Ann@x.org", Role: account.RoleMember, Scopes: account.Scopes()}
	viewer := member
	viewer.Role = account.RoleViewer
	stranger := member
	stranger.Email = "ben@x.org"
	nameless := member
	nameless.Email = ""
	signatory := account.Actor{Kind: account.ActorSignatory, Email: "ann@x.org"}
	base := record.Invitation{ID: "1", Email: "ann@x.org", Role: record.Signer, Status: record.Notified}
	byCode := base
	byCode.Authentication = record.ByAccessCode
	signed, astray, pending := base, base, base
	signed.Status, astray.Astray, pending.Status = record.Signed, true, record.Pending
	for _, tt := range []struct {
		name string
		who  account.Actor
		inv  record.Invitation
		want string
		host bool
	}{
		{"their own", member, base, "sign remind replace", true},
		{"read only", viewer, base, "sign", false},
		{"someone else's", stranger, base, "remind replace", true},
		{"nobody's address", nameless, base, "remind replace", true},
		{"with a code", stranger, byCode, "remind replace access_code", true},
		{"signed", member, signed, "", false},
		{"misdirected", member, astray, "remind replace", false},
		{"before its turn", member, pending, "replace", false},
		{"from outside", signatory, base, "", false},
		{"a token", account.Actor{Kind: account.ActorToken, Email: "ann@x.org", Role: account.RoleMember, Scopes: []account.Scope{account.ScopeWrite}}, base, "remind replace", false},
	} {
		d := record.Document{Status: record.Sent, SentAt: &now, Invitations: []record.Invitation{tt.inv}}
		if got := words(d.InvitationActions(tt.who, &d.Invitations[0], now)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if got := d.MayHost(tt.who, &d.Invitations[0], now); got != tt.host {
			t.Errorf("%s: may host: %v", tt.name, got)
		}
		d.SentAt = nil
		if d.MayHost(tt.who, &d.Invitations[0], now) || strings.Contains(words(d.InvitationActions(tt.who, &d.Invitations[0], now)), "sign") {
			t.Errorf("%s: without a link, they may sign", tt.name)
		}
	}
}

func TestRefusalsForTheWholeDocument(t *testing.T) {
	t.Parallel()
	who := account.Actor{Email: "ann@x.org"}
	type people = []record.Invitation
	for _, tt := range []struct {
		name                 string
		status               record.Status
		people               people
		sign, replace, lacks string
	}{
		{"nobody", record.Sent, nil, "not_found", "invitation_missing", "no_access_code_asked"},
		{"not sent", record.Draft, nil, "not_found", "document_not_sent", "no_access_code_asked"},
		{"somebody else", record.Sent, people{{Email: "ben@x.org", Status: record.Notified}}, "not_found", "", "no_access_code_asked"},
		{"no link yet", record.Sent, people{{Email: "ann@x.org", Status: record.Pending}}, "not_found", "", "no_access_code_asked"},
		{"signed", record.Sent, people{{Email: "ann@x.org", Status: record.Signed}}, "already_signed", "already_signed", "no_access_code_asked"},
		{"signed once", record.Sent, people{{Email: "ann@x.org", Status: record.Notified}, {Email: "ann@x.org", Status: record.Signed}}, "", "", "no_access_code_asked"},
		{"delegated", record.Sent, people{{Email: "ann@x.org", Status: record.Delegated}}, "not_found", "invitation_delegated", "no_access_code_asked"},
		{"without a code", record.Sent, people{{Authentication: record.ByAccessCode, Status: record.Pending}, {Authentication: record.ByAccessCode, AccessCodeHash: "h"}}, "not_found", "", ""},
		{"with a code", record.Sent, people{{Authentication: record.ByAccessCode, AccessCodeHash: "h"}}, "not_found", "", "no_access_code_asked"},
		{"signed without a code", record.Sent, people{{Authentication: record.ByAccessCode, Status: record.Signed}}, "not_found", "already_signed", "no_access_code_asked"},
		{"ended without a code", record.Voided, people{{Authentication: record.ByAccessCode}}, "not_found", "document_voided.over", "document_voided.over"},
	} {
		d := record.Document{Status: tt.status, SentAt: &now, Invitations: tt.people}
		sign, replace, lacks := d.MayDo(who, record.ActionSign, now), d.AnyReplaceable(now), d.AwaitsCode(now)
		got := []string{fault.KindOf(sign).String(), code(replace), code(lacks)}
		if sign == nil || fault.KindOf(sign) != fault.KindNotFound {
			got[0] = code(sign)
		}
		if want := []string{tt.sign, tt.replace, tt.lacks}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
}

func TestOnlyAFileCanBeDownloaded(t *testing.T) {
	t.Parallel()
	if got := code((&record.Document{}).Downloadable()); got != "document_without_files" {
		t.Errorf("got %q", got)
	}
	if err := (&record.Document{Files: make([]record.File, 1)}).Downloadable(); err != nil {
		t.Error(err)
	}
}

func TestReadersDownloadAndSign(t *testing.T) {
	t.Parallel()
	for _, a := range []record.Action{record.ActionDownload, record.ActionSign, record.ActionDecline,
		record.ActionEdit} {
		want := account.ScopeWrite
		if a == record.ActionDownload || a == record.ActionSign {
			want = account.ScopeRead
		}
		if got := a.Scope(); got != want {
			t.Errorf("%s needs %s", a, got)
		}
	}
}

func TestLinksWorkFromSendingOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d    record.Document
		inv  record.Invitation
		want bool
	}{
		{record.Document{SentAt: &now}, record.Invitation{Status: record.Notified}, true},
		{record.Document{SentAt: &now}, record.Invitation{Status: record.Signed}, true},
		{record.Document{}, record.Invitation{Status: record.Notified}, false},
		{record.Document{SentAt: &now, DeletedAt: &now}, record.Invitation{Status: record.Notified}, false},
		{record.Document{SentAt: &now}, record.Invitation{Status: record.Delegated}, false},
		{record.Document{SentAt: &now}, record.Invitation{Status: record.Pending}, false},
		{record.Document{SentAt: &now}, record.Invitation{Status: record.Notified, Astray: true}, false},
	} {
		if got := record.LinkWorks(&tt.d, &tt.inv); got != tt.want {
			t.Errorf("%+v, %+v: got %v", tt.d, tt.inv, got)
		}
	}
}

func TestProofsLastUntilTheCodeChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who  account.Actor
		inv  record.Invitation
		want bool
	}{
		{account.Actor{Kind: account.ActorUser}, record.Invitation{Authentication: record.ByEmailCode}, true},
		{account.Actor{Kind: account.ActorSignatory}, record.Invitation{Authentication: record.ByLink}, true},
		{account.Actor{Kind: account.ActorSignatory}, record.Invitation{Authentication: record.ByEmailCode}, false},
		{account.Actor{Kind: account.ActorSignatory, TokenID: "t"}, record.Invitation{Authentication: record.ByEmailCode}, true},
		{account.Actor{Kind: account.ActorSignatory, TokenID: "t", Until: *in(record.IdentifiedFor)}, record.Invitation{Authentication: record.ByAccessCode, ProofSince: &now}, true},
		{account.Actor{Kind: account.ActorSignatory, TokenID: "t", Until: *in(record.IdentifiedFor - 1)}, record.Invitation{Authentication: record.ByAccessCode, ProofSince: &now}, false},
	} {
		if got := record.IsIdentified(tt.who, &tt.inv); got != tt.want {
			t.Errorf("%+v for %+v: got %v", tt.who, tt.inv, got)
		}
	}
}

func TestAccessCodesFitTheirInvitation(t *testing.T) {
	t.Parallel()
	key := record.CodeKey("key")
	stored := key.Hash("1", " 1234 ")
	// Made before codes were hashed with the key of the installation.
	const older = "6178fea869ef0295e237c9f775cc7754f950249beafd4f1e709a3bdad33602da"
	for _, tt := range []struct {
		key               record.CodeKey
		invitation, given string
		stored            string
		want              bool
	}{
		{key, "1", "1234", stored, true}, {key, "1", "\t1234", stored, true}, {key, "1", "1235", stored, false}, {key, "2", "1234", stored, false},
		{record.CodeKey("another"), "1", "1234", stored, false}, {key, "1", "", "", false}, {key, "1", " 1234", older, true}, {key, "1", "1235", older, false}, {key, "2", "1234", older, false},
	} {
		if got := tt.key.Fits(tt.invitation, tt.given, tt.stored); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

func TestLinksAreShownToEachHolder(t *testing.T) {
	t.Parallel()
	inv := record.Invitation{LinkGeneration: 2}
	for want, who := range map[string]account.Actor{"u 2": {Kind: account.ActorUser, UserID: "u", TokenID: "session"},
		"u t 2": {Kind: account.ActorToken, UserID: "u", TokenID: "t"}} {
		if got := inv.Holder(who); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEventsNameWhoActed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who  account.Call
		want string
	}{
		{account.Actor{Kind: account.ActorUser, UserID: "u", Name: "Ann", Email: "a@x.org"}.Call(account.From{IP: "::1", UserAgent: "b"}), "user u Ann a@x.org ::1 b"},
		{account.Call{Actor: account.Actor{Kind: account.ActorToken, UserID: "u"}}, "user u    "},
		{account.Call{Actor: account.Actor{Kind: account.ActorSignatory, UserID: "u", Invitation: "i"}}, "signatory i    "},
		{account.System("c"), "system  System   "},
	} {
		e := record.NewEvent(record.EventDocumentSent).By(tt.who)
		if got := strings.Join([]string{e.ActorKind, e.ActorID, e.ActorName, e.ActorEmail, e.IP, e.UserAgent}, " "); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	first := record.NewEvent(record.EventDocumentSent).With("a", "1")
	second := first.With("b", "2")
	if got := fmt.Sprint(first.Data, second.Data); got != "map[a:1] map[a:1 b:2]" {
		t.Errorf("got %s", got)
	}
}
