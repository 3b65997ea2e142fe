package record

import (
	"testing"

	"paraph/app/words"
)

func TestReasonsAreToldInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason          Reason
		english, german string
	}{
		{Reason{}, "", ""},
		{Reason{Words: "Too dear"}, "Too dear", "Too dear"},
		{Reason{Code: ReasonDeclined, Name: "Ann"}, "Ann declined to sign.", "Ann hat die Unterschrift abgelehnt."},
		{Reason{Code: ReasonWrongPerson, Words: "Ask Ben"}, "The invitation reached the wrong person. Ask Ben",
			"Die Einladung hat die falsche Person erreicht. Ask Ben"},
	} {
		for language, want := range map[*words.Language]string{catalogue.English(): tt.english, catalogue.Match("de"): tt.german} {
			if got := tt.reason.Sentence(language.SayOf); got != want {
				t.Errorf("%s: got %q, want %q", language.Tag(), got, want)
			}
			if got := NewEvent(EventDocumentVoided).Because(tt.reason).Details(language.SayOf); len(got) != 1 || got["reason"] != want {
				t.Errorf("%s: an event says %q, want %q", language.Tag(), got, want)
			}
		}
		if got := NewEvent(EventDocumentVoided).Because(tt.reason).Why(); got != tt.reason {
			t.Errorf("an event keeps %+v of %+v", got, tt.reason)
		}
	}
}

func TestReasonsOfOlderRecordsAreKept(t *testing.T) {
	t.Parallel()
	old := NewEvent(EventInvitationDeclined).With("email", "a@x.example").With("reason", "The invitation reached the wrong person.")
	if got := old.Details(nil); len(got) != 2 || got["reason"] != "The invitation reached the wrong person." {
		t.Errorf("got %q", got)
	}
}
