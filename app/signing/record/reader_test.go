package record_test

import (
	"slices"
	"testing"

	"paraph/app/account"
	"paraph/app/signing/record"
)

// reading returns a document in which somebody reads before somebody else signs.
func reading(reader, signer string) *record.Document {
	d := &record.Document{Status: record.Sent, SentAt: &now, SigningOrder: record.Sequential}
	d.Invitations = []record.Invitation{
		{ID: "reader", Name: "Rea", Email: "rea@x.org", Role: record.Reader, Status: reader, Authentication: record.ByLink, Position: 1},
		{ID: "signer", Name: "Sig", Email: "sig@x.org", Role: record.Signer, Status: signer, Position: 2},
		{ID: "copy", Name: "Vic", Role: record.Viewer, Status: record.Pending, Position: 1},
	}
	return d
}

func TestADocumentWaitsForItsReaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reader, signer   string
		waits            []string
		acted, signed    int
		toRead, toSign   string // code of the refusal
		readers, signers record.Stage
	}{
		{record.Notified, record.Pending, []string{"Rea"}, 0, 0, "", "not_your_turn", record.StageSign, record.StageWaiting},
		{record.Viewed, record.Pending, []string{"Rea"}, 0, 0, "", "not_your_turn", record.StageSign, record.StageWaiting},
		{record.Read, record.Notified, []string{"Sig"}, 1, 0, "already_read", "", record.StageSigned, record.StageSign},
		{record.Read, record.Signed, nil, 2, 1, "already_read", "already_signed", record.StageSigned, record.StageSigned},
		{record.Declined, record.Pending, nil, 0, 0, "invitation_declined", "document_declined", record.StageDeclined, record.StageStopped},
	} {
		d := reading(tt.reader, tt.signer)
		reader, signer := &d.Invitations[0], &d.Invitations[1]
		progress := d.Progress()
		signed, of := record.CountSignatures(d)
		counted := progress.Signed == tt.acted && progress.Total == 2 && signed == tt.signed && of == 1
		if got := d.WaitingFor(); !slices.Equal(got, tt.waits) || !counted {
			t.Errorf("%s, %s: waits for %v, %d of %d have acted and %d of %d signed", tt.reader, tt.signer, got, progress.Signed, progress.Total, signed, of)
		}
		toRead, toSign := code(d.Signable(reader, now)), code(d.Signable(signer, now))
		if toRead != tt.toRead || toSign != tt.toSign {
			t.Errorf("%s, %s: refused %q and %q", tt.reader, tt.signer, toRead, toSign)
		}
		readers, signers := d.Stage(reader, true, now), d.Stage(signer, true, now)
		if readers != tt.readers || signers != tt.signers {
			t.Errorf("%s, %s: the links open %q and %q", tt.reader, tt.signer, readers, signers)
		}
	}
}

func TestEveryRoleIsAskedForItsOwnAct(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		role       string
		acts       bool
		signs      bool
		sign, read string
	}{
		{record.Signer, true, true, "", "only_readers_confirm"},
		{record.Approver, true, true, "", "only_readers_confirm"},
		{record.Reader, true, false, "reader_does_not_sign", ""},
		{record.Assistant, true, false, "assistant_does_not_sign", "only_readers_confirm"},
		{record.Viewer, false, false, "", "only_readers_confirm"},
	} {
		inv := record.Invitation{Role: tt.role}
		sign, read := code(inv.Asks(record.ActionSign)), code(inv.Asks(record.ActionRead))
		if inv.Acts() != tt.acts || inv.Signs() != tt.signs || sign != tt.sign || read != tt.read {
			t.Errorf("%s: acts %v, signs %v, refused %q and %q", tt.role, inv.Acts(), inv.Signs(), sign, read)
		}
	}
}

func TestReadersAreOfferedReading(t *testing.T) {
	t.Parallel()
	d := reading(record.Notified, record.Pending)
	who := account.Actor{Kind: account.ActorSignatory, Invitation: "reader"}
	if got := words(d.ActionsOf(who, now)); got != "read decline delegate" {
		t.Errorf("the reader is offered %q", got)
	}
	member := account.Actor{Kind: account.ActorUser, Email: "rea@x.org", Role: account.RoleMember, Scopes: account.Scopes()}
	if got := words(d.InvitationActions(member, &d.Invitations[0], now)); got != "read remind replace" {
		t.Errorf("a member who reads is offered %q", got)
	}
	if toRead, toSign := code(d.MayDo(member, record.ActionRead, now)), d.MayDo(member, record.ActionSign, now); toRead != "" || toSign == nil {
		t.Errorf("a member who reads is refused reading with %q, signing with %v", toRead, toSign)
	}
	d.Invitations[0].Status = record.Read
	if got := code(d.Replaceable(&d.Invitations[0], now)); got != "already_read" {
		t.Errorf("replacing somebody who has read is refused with %q", got)
	}
}
