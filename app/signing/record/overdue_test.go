package record_test

import (
	"slices"
	"testing"
	"time"

	"paraph/app/signing/record"
)

func TestAJobIsGivenUpOnce(t *testing.T) {
	t.Parallel()
	var d record.Document
	if got := d.GivenUp("1", "expire"); len(got) != 1 || got[0].Type != record.EventDocumentOverdue || got[0].Data["job"] != "expire" {
		t.Errorf("recorded %+v", got)
	}
	if got := d.GivenUp("1", "expire"); got != nil {
		t.Errorf("recorded again: %+v", got)
	}
	d.GivenUp("2", "remind")
	if want := []string{"1", "2"}; !slices.Equal(d.DueJobs, want) || d.Attention.Kind != record.AttentionOverdue {
		t.Errorf("jobs %v with attention %+v, want %v", d.DueJobs, d.Attention, want)
	}
}

func TestOverdueWorkHidesNoOtherReason(t *testing.T) {
	t.Parallel()
	other := record.Attention{Kind: record.AttentionSealingFailed, Code: "sealing.disk_full"}
	d := record.Document{Attention: other}
	d.GivenUp("1", "expire")
	if d.Attention != other {
		t.Errorf("given up: attention is %+v", d.Attention)
	}
	if got := d.CaughtUp(time.Now()); len(got) != 1 || d.Attention != other {
		t.Errorf("caught up with %v: attention is %+v", got, d.Attention)
	}
}

// TestOverdueEndsWhenNothingIsLate moves the due times past now one after the other.
func TestOverdueEndsWhenNothingIsLate(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	before, later := now.Add(-time.Hour), now.Add(time.Nanosecond)
	d := record.Document{Status: record.Sent, Invitations: []record.Invitation{{ID: "inv", Authentication: record.ByAccessCode, Status: record.Pending}}}
	d.GivenUp("1", "remind")
	for what, due := range map[string][]*time.Time{
		"both late": {&before, &now}, "one late": {&before, &later}, "due now": {&now, nil},
	} {
		if got := d.CaughtUp(now, due...); got != nil || len(d.DueJobs) != 1 || d.Attention.Kind != record.AttentionOverdue {
			t.Errorf("%s: caught up with %v, attention %+v", what, got, d.Attention)
		}
	}
	if got := d.CaughtUp(now, nil, &later); !slices.Equal(got, []string{"1"}) || len(d.DueJobs) > 0 {
		t.Errorf("caught up with %v, left %v", got, d.DueJobs)
	}
	if d.Attention.Kind != record.AttentionAccessCode || d.Attention.Invitation != "inv" {
		t.Errorf("the missing code is no longer asked for: %+v", d.Attention)
	}
	if got := d.CaughtUp(now); got != nil {
		t.Errorf("caught up again with %v", got)
	}
}
