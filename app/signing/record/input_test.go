package record_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
)

func TestSettingsOfADocument(t *testing.T) {
	t.Parallel()
	limits := record.Limits{MetadataBytes: 10}
	odd := time.Date(2026, 3, 2, 11, 0, 0, 123_456_789, time.FixedZone("", 3600))
	for _, tt := range []struct {
		in      record.DocumentInput
		want    record.Document // starting from kept
		refused string
	}{
		{record.DocumentInput{}, record.Document{}, ""},
		{record.DocumentInput{Title: new(" Lease ")}, record.Document{Title: "Lease"}, ""},
		{record.DocumentInput{Title: new(" ")}, record.Document{Title: record.Untitled}, ""},
		{record.DocumentInput{Title: new(strings.Repeat("é", 255))}, record.Document{Title: strings.Repeat("é", 255)}, ""},
		{record.DocumentInput{Title: new(strings.Repeat("é", 256))}, record.Document{Title: strings.Repeat("é", 256)}, "title too_long 255"},
		{record.DocumentInput{Subject: new("a\nb"), Message: new("a\nb")}, record.Document{Subject: "a\nb", Message: "a\nb"}, "subject control_characters"},
		{record.DocumentInput{SigningOrder: new(record.Sequential)}, record.Document{SigningOrder: record.Sequential}, ""},
		{record.DocumentInput{SigningOrder: new("random")}, record.Document{SigningOrder: "random"}, "signing_order not_one_of parallel, sequential"},
		{record.DocumentInput{Locale: new("DE-ch")}, record.Document{Locale: "de-CH"}, ""},
		{record.DocumentInput{Locale: new("")}, record.Document{}, ""},
		{record.DocumentInput{Locale: new("!")}, record.Document{}, "locale not_a_language_tag"},
		{record.DocumentInput{ExpiresAt: &odd}, record.Document{ExpiresAt: new(odd.UTC().Truncate(time.Millisecond))}, ""},
		{record.DocumentInput{ExpiresAt: &now}, record.Document{ExpiresAt: &now}, "expires_at not_a_future_time"},
		{record.DocumentInput{ExpiresAt: new(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))},
			record.Document{ExpiresAt: new(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}, "expires_at too_far_ahead"},
		{record.DocumentInput{RemindEveryDays: new(365), ExpiresDays: new(3650)}, record.Document{RemindEveryDays: 365, ExpiresDays: 3650}, ""},
		{record.DocumentInput{RemindEveryDays: new(0), ExpiresDays: new(0)}, record.Document{}, ""},
		{record.DocumentInput{RemindEveryDays: new(366), ExpiresDays: new(3651)},
			record.Document{RemindEveryDays: 366, ExpiresDays: 3651},
			"expires_days not_between 0 3650, remind_every_days not_between 0 365"},
		{record.DocumentInput{RemindEveryDays: new(-1), ExpiresDays: new(-1)},
			record.Document{RemindEveryDays: -1, ExpiresDays: -1},
			"expires_days not_between 0 3650, remind_every_days not_between 0 365"},
		{record.DocumentInput{RedirectURL: new("https://x.org/")}, record.Document{RedirectURL: "https://x.org/"}, ""},
		{record.DocumentInput{RedirectURL: new("")}, record.Document{}, ""},
		{record.DocumentInput{RedirectURL: new("javascript:1")}, record.Document{RedirectURL: "javascript:1"}, "redirect_url not_a_web_address.thanks"},
		{record.DocumentInput{AllowDecline: new(false), AllowDelegation: new(false), DeclineReason: new(true)},
			record.Document{NoDecline: true, NoDelegation: true, DeclineReason: true}, ""},
		{record.DocumentInput{AllowDecline: new(true), AllowDelegation: new(true), DeclineReason: new(false)}, record.Document{}, ""},
		{record.DocumentInput{ExternalID: new(" 7 ")}, record.Document{ExternalID: "7"}, ""},
		{record.DocumentInput{Metadata: new(map[string]string{"ab": "c", "d": "efghij"})}, record.Document{Metadata: map[string]string{"ab": "c", "d": "efghij"}}, ""},
		{record.DocumentInput{Metadata: new(map[string]string{"a": "bcdefghijk"})}, record.Document{Metadata: map[string]string{"a": "bcdefghijk"}},
			"metadata metadata_too_large 10"},
		{record.DocumentInput{Metadata: new(map[string]string{"": "a"})}, record.Document{Metadata: map[string]string{"": "a"}}, "metadata bad_keys"},
		{record.DocumentInput{Metadata: new(map[string]string{"a\xff": ""})}, record.Document{Metadata: map[string]string{"a\xff": ""}}, "metadata not_utf8"},
		{record.DocumentInput{Metadata: new(map[string]string{"a": "\xff"})}, record.Document{Metadata: map[string]string{"a": "\xff"}}, "metadata not_utf8"},
	} {
		var f fault.Fields
		var d record.Document
		tt.in.Apply(&f, &d, limits, now)
		if got := faults(&f); got != tt.refused || !reflect.DeepEqual(d, tt.want) {
			t.Errorf("got %q, want %q; the document is %+v, want %+v", got, tt.refused, d, tt.want)
		}
	}
}

func TestKeysOfMetadataAreBounded(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{100: "", 101: "metadata bad_keys"} {
		var f fault.Fields
		in := record.DocumentInput{Metadata: &map[string]string{strings.Repeat("é", n): ""}}
		in.Apply(&f, &record.Document{}, record.Limits{}.WithDefaults(), now)
		if got := faults(&f); got != want {
			t.Errorf("%d characters: got %q", n, got)
		}
	}
}

func TestOmittedSettingsAreKept(t *testing.T) {
	t.Parallel()
	want := record.Document{Title: "t", Subject: "s", Message: "m", SigningOrder: record.Sequential, Locale: "de", ExpiresAt: in(time.Hour), RemindEveryDays: 1,
		ExpiresDays: 2, RedirectURL: "https://x.org", NoDecline: true, NoDelegation: true, DeclineReason: true, ExternalID: "e", Metadata: map[string]string{"a": "b"}}
	d := want
	var f fault.Fields
	(&record.DocumentInput{}).Apply(&f, &d, record.Limits{}, now)
	if !reflect.DeepEqual(d, want) || !f.Empty() {
		t.Errorf("got %+v, %q", d, faults(&f))
	}
	if (&record.DocumentInput{ExpiresAt: &time.Time{}}).Apply(&f, &d, record.Limits{}, now); d.ExpiresAt != nil ||
		!f.Empty() {
		t.Errorf("the deadline was not cleared: %v", d.ExpiresAt)
	}
}

func TestOnlyLabelsChangeAfterTheDraft(t *testing.T) {
	t.Parallel()
	v := reflect.TypeFor[record.DocumentInput]()
	anytime := []string{"ExternalID", "Metadata"}
	for i := range v.NumField() {
		var in record.DocumentInput
		reflect.ValueOf(&in).Elem().Field(i).Set(reflect.New(v.Field(i).Type.Elem()))
		if got := in.ChangesContent(); got == slices.Contains(anytime, v.Field(i).Name) {
			t.Errorf("%s is content: %v", v.Field(i).Name, got)
		}
	}
	if (&record.DocumentInput{}).ChangesContent() {
		t.Error("an empty input changes content")
	}
}

func TestSettingsOfAnInvitation(t *testing.T) {
	t.Parallel()
	mailed := record.Proofs{Key: record.CodeKey("k"), Mailed: true}
	hash := mailed.Key.Hash("1", "1234")
	ann := record.Invitation{ID: "1", Name: "Ann", Email: "ann@x.org"}
	as := func(change func(*record.Invitation)) record.Invitation {
		inv := ann
		change(&inv)
		return inv
	}
	byMail := as(func(i *record.Invitation) { i.Authentication = record.ByEmailCode })
	byCode := as(func(i *record.Invitation) { i.Authentication = record.ByAccessCode })
	withCode := as(func(i *record.Invitation) { i.Authentication, i.AccessCodeHash = record.ByAccessCode, hash })
	for _, tt := range []struct {
		name    string
		in      record.InvitationInput
		p       record.Proofs
		from    record.Invitation
		want    record.Invitation
		refused string
	}{
		{"nothing", record.InvitationInput{}, mailed, ann, ann, ""},
		{"nobody is named", record.InvitationInput{}, mailed, record.Invitation{}, record.Invitation{}, "email required, name required"},
		{"a person", record.InvitationInput{Name: new(" Ann "), Email: new(" ann@x.org ")}, mailed, record.Invitation{ID: "1"}, ann, ""},
		{"a bad name", record.InvitationInput{Name: new("a\nb")}, mailed, ann, as(func(i *record.Invitation) { i.Name = "a\nb" }), "name control_characters"},
		{"a bad address", record.InvitationInput{Email: new("ann")}, mailed, ann, as(func(i *record.Invitation) { i.Email = "ann" }), "email not_an_email"},
		{"a role", record.InvitationInput{Role: new(record.Viewer), RoleName: new("Tenant"), Position: new(10_000)}, mailed, ann,
			as(func(i *record.Invitation) { i.Role, i.RoleName, i.Position = record.Viewer, "Tenant", 10_000 }), ""},
		{"no role", record.InvitationInput{Role: new("king"), Position: new(0)}, mailed, ann,
			as(func(i *record.Invitation) { i.Role = "king" }), "position not_between 1 10000, role not_one_of signer, approver, assistant, reader, viewer"},
		{"too late", record.InvitationInput{Position: new(10_001)}, mailed, ann, as(func(i *record.Invitation) { i.Position = 10_001 }), "position not_between 1 10000"},
		{"first", record.InvitationInput{Position: new(1)}, mailed, ann, as(func(i *record.Invitation) { i.Position = 1 }), ""},
		{"texts", record.InvitationInput{Locale: new("de"), Message: new("a\nb"), AccessCodeHint: new(" born ")}, mailed, ann,
			as(func(i *record.Invitation) { i.Locale, i.Message, i.AccessCodeHint = "de", "a\nb", "born" }), ""},
		{"a code by mail", record.InvitationInput{Authentication: new(record.ByEmailCode)}, mailed, ann, byMail, ""},
		{"no mail", record.InvitationInput{Authentication: new(record.ByEmailCode)}, record.Proofs{}, ann, byMail, "authentication no_mail_for_codes"},
		{"mail no longer configured", record.InvitationInput{Authentication: new(record.ByEmailCode)}, record.Proofs{}, byMail, byMail, ""},
		{"another proof", record.InvitationInput{Authentication: new("oath")}, mailed, ann,
			as(func(i *record.Invitation) { i.Authentication = "oath" }), "authentication not_one_of link, email_code, access_code"},
		{"no code", record.InvitationInput{Authentication: new(record.ByAccessCode)}, mailed, ann, byCode, "access_code required"},
		{"an empty code", record.InvitationInput{AccessCode: new("")}, mailed, byCode, byCode, "access_code required"},
		{"code unchanged", record.InvitationInput{Position: new(1)}, mailed, byCode, as(func(i *record.Invitation) { i.Authentication, i.Position = record.ByAccessCode, 1 }), ""},
		{"a code", record.InvitationInput{AccessCode: new("1234")}, mailed, ann, withCode, ""},
		{"a code for another proof", record.InvitationInput{Authentication: new(record.ByLink), AccessCode: new("1234")}, mailed, ann,
			as(func(i *record.Invitation) { i.Authentication, i.AccessCodeHash = record.ByLink, hash }), ""},
		{"a short code", record.InvitationInput{AccessCode: new("éé1")}, mailed, ann,
			as(func(i *record.Invitation) {
				i.Authentication, i.AccessCodeHash = record.ByAccessCode, mailed.Key.Hash("1", "éé1")
			}), "access_code wrong_length 4 100"},
	} {
		var f fault.Fields
		got := tt.from
		tt.in.Apply(&f, &got, tt.p)
		if refused := faults(&f); refused != tt.refused || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %q, want %q; got %+v, want %+v", tt.name, refused, tt.refused, got, tt.want)
		}
	}
}

func TestAccessCodesHaveABoundedLength(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{3: "access_code wrong_length 4 100", 4: "", 100: "", 101: "access_code wrong_length 4 100"} {
		var f fault.Fields
		(&record.InvitationInput{AccessCode: new(strings.Repeat("é", n))}).ApplyAuthentication(&f, &record.Invitation{}, record.Proofs{})
		if got := faults(&f); got != want {
			t.Errorf("%d characters: got %q", n, got)
		}
	}
}

func TestTemplateRolesNeedAName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   record.InvitationInput
		want string
	}{
		{record.InvitationInput{RoleName: new("Tenant")}, ""}, {record.InvitationInput{Name: new("Ann"), Email: new("ann@x.org")}, "role_name required"},
		{record.InvitationInput{RoleName: new(" ")}, "role_name required"}, {record.InvitationInput{RoleName: new("Tenant"), Email: new("x")}, "email not_an_email"},
		{record.InvitationInput{RoleName: new(strings.Repeat("x", 256))}, "role_name too_long 255"},
	} {
		var f fault.Fields
		tt.in.ApplyTo(&f, &record.Invitation{}, record.Proofs{}, true)
		if got := faults(&f); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestInputOfOnlyTheCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   record.InvitationInput
		want bool
	}{
		{record.InvitationInput{ID: "1", AccessCode: new("1234"), AccessCodeHint: new("h")}, true}, {record.InvitationInput{ID: "1", AccessCodeHint: new("h")}, false},
		{record.InvitationInput{AccessCode: new("1234"), Name: new("Ann")}, false},
	} {
		if got := tt.in.OnlyCode(); got != tt.want {
			t.Errorf("%+v: got %v", tt.in, got)
		}
	}
}

func TestOnlyTheSenderChangesAuthentication(t *testing.T) {
	t.Parallel()
	sender := account.Actor{Kind: account.ActorUser, Role: account.RoleMember, Scopes: account.Scopes()}
	reader := account.Actor{Kind: account.ActorUser, Role: account.RoleViewer, Scopes: account.Scopes()}
	invited := account.Actor{Kind: account.ActorSignatory}
	change := record.InvitationInput{Authentication: new(record.ByLink), AccessCode: new("1234"), AccessCodeHint: new("h")}
	same := record.InvitationInput{Authentication: new(record.ByEmailCode), AccessCode: new("")}
	byCode := record.InvitationInput{Authentication: new(record.ByAccessCode)}
	for _, tt := range []struct {
		name    string
		who     account.Actor
		from    string
		in      record.InvitationInput
		want    record.InvitationInput
		refused string
	}{
		{"the sender keeps the code", sender, record.ByAccessCode, record.InvitationInput{}, byCode, ""},
		{"the sender keeps the mail", sender, record.ByEmailCode, record.InvitationInput{}, record.InvitationInput{}, ""},
		{"the sender changes it", sender, record.ByAccessCode, change, change, ""},
		{"with a link", invited, record.ByLink, change, change, ""},
		{"with a code", invited, record.ByEmailCode, change, record.InvitationInput{}, "access_code check_of_sender, authentication check_of_sender"},
		{"unchanged", invited, record.ByEmailCode, same, record.InvitationInput{}, ""},
		{"by a reader", reader, record.ByAccessCode, record.InvitationInput{}, record.InvitationInput{}, ""},
	} {
		var f fault.Fields
		tt.in.KeepAuthentication(&f, tt.who, &record.Invitation{Authentication: tt.from})
		if got := faults(&f); got != tt.refused || !reflect.DeepEqual(tt.in, tt.want) {
			t.Errorf("%s: got %q, %+v, want %q, %+v", tt.name, got, tt.in, tt.refused, tt.want)
		}
	}
}

func TestLimitsHaveDefaults(t *testing.T) {
	t.Parallel()
	own := record.Limits{UploadBytes: 1, Files: 2, Pages: 3, Invitations: 4, Fields: 5, MetadataBytes: 6}
	if got := own.WithDefaults(); got != own {
		t.Errorf("got %+v", got)
	}
	want := record.Limits{
		UploadBytes: 500 << 20, Files: 100, Pages: 5000, Invitations: 1000, Fields: 5000, MetadataBytes: 16 << 10,
	}
	if got := (record.Limits{}).WithDefaults(); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestLargeDraftsAreRefused(t *testing.T) {
	t.Parallel()
	large := []record.Field{{Value: strings.Repeat("x", 1<<20)}}
	many := append(large, make([]record.Field, 199)...)
	for _, tt := range []struct {
		d    record.Document
		want string
	}{
		{record.Document{Status: record.Draft, Fields: large}, ""}, {record.Document{Status: record.Draft, Fields: many}, "document_too_large"},
		{record.Document{Status: record.Approved, Fields: many}, "document_too_large"}, {record.Document{Status: record.Sent, Fields: many}, ""},
		{record.Document{Status: record.Draft, Fields: large, Invitations: make([]record.Invitation, 100), Files: make([]record.File, 99)}, "document_too_large"},
		{record.Document{Status: record.Draft, Fields: make([]record.Field, 300)}, ""},
	} {
		if got := code(tt.d.Bounded()); got != tt.want {
			t.Errorf("%d fields in state %s: got %q", len(tt.d.Fields), tt.d.Status, got)
		}
	}
}
