package record

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// The fate of each field of a record when it is copied. A new field has to be
// entered here: kept, or dropped along with the history of the original.
var (
	keptFromInvitation    = fields("Name Email Company JobTitle Role RoleName Group NamedByPrevious SharesEmail Position Authentication AccessCodeHint Locale Message")
	droppedFromInvitation = fields("Status CreatedAt UpdatedAt ID AccessCodeHash LinkGeneration NotifiedAt ViewedAt SignedAt ReadAt FilledInAt DeclinedAt " +
		"DeclinedReason DeclinedCode RemindedAt RemindersSent DelegatedTo Astray Agreed Evidence SignatureFields ProofSince LinkShown RecordedBy")

	keptFromDocument = fields("Company Title Subject Message SigningOrder Metadata Locale Approver ExpiresAt RemindEveryDays ReminderDays BaseURL " +
		"RedirectURL NoDecline NoDelegation DeclineReason OnDecline ReadToEnd NoMails SignatureTypes Template ExpiresDays")
	droppedFromDocument = fields("ID Status Owner ExternalID SubmittedBy Files Invitations Fields Certificate Attention AttentionText SealCauses SealJob DueJobs CreatedAt UpdatedAt " +
		"SubmittedAt ApprovedAt RejectedAt RejectedReason SendAt SendBy SendToken SentAt CompletedAt ExpiredAt VoidedAt VoidedReason VoidedCode VoidedName ArchivedAt DeletedAt Version Head MadeFrom")

	keptFromField    = fields("Type Name Label Page X Y Width Height Required ReadOnly Value Options Min Max Earliest Latest Pattern PatternMessage Format Help Placeholder Group GroupMin GroupMax Look SignatureTypes Covered Anchor Formula Condition")
	droppedFromField = fields("ID File Invitation Filled Kept AssistedBy AssistedBefore Alias GroupAlias Hidden Attached")

	keptFromFile    = fields("Name ContentType Upload Size SHA256 Pages Position ConvertedBy Findings Confirmed Placeholders Base BaseSize Flattened Arranged Merged PDFA Presigned")
	droppedFromFile = fields("ID Appended Revisions Certificates Unproven CreatedAt")
)

func fields(names string) []string { return strings.Fields(names) }

// fill sets every field of a record to a non-zero value, times to one in the future.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("something")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(.5)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// checkCopy compares a copy of a record with what should be kept of it.
func checkCopy[T any](t *testing.T, make func(*T) T, kept, dropped []string) {
	t.Helper()
	var from T
	fill(reflect.ValueOf(&from).Elem())
	made := make(&from)
	a, b := reflect.ValueOf(from), reflect.ValueOf(made)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		same := reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface())
		switch {
		case slices.Contains(kept, name) == slices.Contains(dropped, name):
			t.Errorf("%s.%s: decide whether copies keep it, and enter it above", a.Type().Name(), name)
		case slices.Contains(kept, name) != same:
			t.Errorf("%s.%s: %v became %v", a.Type().Name(), name, a.Field(i), b.Field(i))
		}
	}
}

func TestCopiesKeepOrDropEveryField(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	checkCopy(t, func(i *Invitation) Invitation { return i.Copy("new", now) }, keptFromInvitation, droppedFromInvitation)
	checkCopy(t, func(d *Document) Document { return *d.Copy("new", Person{}, now) }, keptFromDocument, droppedFromDocument)
	checkCopy(t, func(f *File) File { return f.Copy("new", now) }, keptFromFile, droppedFromFile)
	// A value that the signatory may not change was not filled in by them.
	checkCopy(t, func(x *Field) Field {
		x.Formula = "" // see below
		return x.Copy("new", "file", "person")
	}, keptFromField, droppedFromField)
	computed := Field{Filled: true, ReadOnly: true, Value: "computed", Formula: "a + b"}
	if made := computed.Copy("new", "file", "person"); made.Value != "" || made.Formula != computed.Formula {
		t.Errorf("of a computed field, a copy has %+v", made)
	}
	for _, filled := range []Field{{Filled: true, Value: "signatory"}, {AssistedBy: "1", Value: "assistant"}} {
		if got := filled.Copy("new", "file", "person"); got.Value != "" || got.AssistedBy != "" {
			t.Errorf("the copy has a value that somebody entered: %+v", got)
		}
	}
}

func TestCopiesGetAsMuchTimeAsTheOriginal(t *testing.T) {
	t.Parallel()
	at := func(day int) *time.Time { return new(time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)) }
	for _, tt := range []struct{ sent, expires, now, want *time.Time }{
		{at(1), nil, at(9), nil}, {at(1), at(12), at(9), at(12)}, {at(1), at(6), at(9), at(14)},
		{at(6), at(6), at(9), at(10)},
	} {
		d := Document{SentAt: tt.sent, ExpiresAt: tt.expires}
		if got := d.copiedDeadline(*tt.now); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("sent %v until %v, on %v: %v, want %v", tt.sent, tt.expires, tt.now, got, tt.want)
		}
	}
}
