package record

import (
	"encoding/json"
	"testing"

	"paraph/app/words"
)

func TestAttentionConcernsTheWholeAddress(t *testing.T) {
	t.Parallel()
	d := &Document{Invitations: []Invitation{{ID: "1", Email: "n@x.org"}, {ID: "2", Name: "Ann", Email: "ann@x.org"}}}
	d.SetAttention(d.Undelivered("ann@x.org"))
	if a := d.Attention; a.Concerns(&d.Invitations[0]) || !a.Concerns(&d.Invitations[1]) || a.FailedFor("n@x.org") || !a.FailedFor("ann@x.org") {
		t.Errorf("%+v concerns the wrong person", a)
	}
}

func TestAttentionOfOlderRecords(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := catalogue.English().SayOf
	var d Document
	if err := json.Unmarshal([]byte(`{"Attention":"declined","AttentionText":"Ann declined to sign."}`), &d); err != nil {
		t.Fatal(err)
	}
	if d.Attention.Kind != AttentionDeclined || d.AttentionSentence(say) != "Ann declined to sign." {
		t.Errorf("got %+v, %q", d.Attention, d.AttentionSentence(say))
	}
	d.Invitations = []Invitation{{ID: "1", Name: "Ben"}}
	d.SetAttention(Attention{Kind: AttentionDeclined, Code: "declined", Invitation: "1"})
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var again Document
	if err := json.Unmarshal(b, &again); err != nil || again.Attention != d.Attention {
		t.Errorf("got %+v, %v", again.Attention, err)
	}
	if got, want := again.AttentionSentence(say), "Ben declined to sign. Replace the recipient, or void the document."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if none := (&Document{}); none.AttentionSentence(say) != "" {
		t.Error("there is a sentence although nothing needs attention")
	}
}
