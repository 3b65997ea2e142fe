package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// A signatory's link contains the invitation's identifier and a code that only this
// installation can make. Links are not stored, so the store can't leak them, and yet the
// company can be shown a link as long as it works.

// linkCode returns the part of a link that proves its authenticity.
func (s *links) linkCode(invitation string, generation int) string {
	m := hmac.New(sha256.New, s.linkKey)
	m.Write([]byte("signatory link\x00" + invitation + "\x00" + strconv.Itoa(generation)))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:24])
}

// token returns the token in an invitation's link.
func (s *links) token(inv *record.Invitation) string {
	return inv.ID + s.linkCode(inv.ID, inv.LinkGeneration)
}

// linkIDLength is the length of the identifier at the start of a link token.
const linkIDLength = 26

// IsLinkToken reports whether a bearer token looks like that of a signatory's link rather
// than a JWT. It does not check that the token is valid.
func IsLinkToken(bearer string) bool {
	return len(bearer) == linkIDLength+32 && !strings.Contains(bearer, ".")
}

// Signatory returns the actor a link token belongs to. Unknown, revoked and
// malformed tokens produce the same error.
func (s *Sending) Signatory(token string) (account.Actor, error) {
	if !IsLinkToken(token) {
		return account.Actor{}, fault.Unauthenticated()
	}
	id := token[:linkIDLength]
	var who account.Actor
	err := s.db.View(func(tx *kv.Tx) error {
		at, err := store.Invited.Get(tx, id)
		if err != nil {
			return fault.Unauthenticated().Because(err)
		}
		d, err := store.Documents.Get(tx, store.DocumentKey(at.Company, at.Document))
		if err != nil {
			return fault.Unauthenticated().Because(err)
		}
		inv := d.Invitation(id)
		if inv == nil || !record.LinkWorks(&d, inv) {
			return fault.Unauthenticated()
		}
		want, code := s.links.linkCode(id, inv.LinkGeneration), token[linkIDLength:]
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) != 1 && !at.Moved.Opens(inv, code) {
			return fault.Unauthenticated()
		}
		who = account.Actor{Kind: account.ActorSignatory, CompanyID: at.Company, Name: inv.Name, Email: inv.Email,
			Document: at.Document, Invitation: id}
		return nil
	})
	return who, err
}

// MaySeeLinks reports whether an actor may be shown the links of other people's
// invitations. A link's holder can act as the invited person, so only those who may send
// or sign for the company see any.
func MaySeeLinks(who account.Call) bool {
	return !who.IsSignatory() && (who.Can(account.ScopeWrite) || who.Can(account.ScopeSign))
}

// SignURL returns the link of an invitation under a base address if the actor may see it
// and it can still be used; otherwise "".
func (s *Sending) SignURL(who account.Call, d *record.Document, inv *record.Invitation, base string) string {
	if !MaySeeLinks(who) || !actionable(d, inv) {
		return ""
	}
	return s.links.url(inv, base)
}

// OwnURL is like SignURL for a member who is invited under their own address, whatever
// their role. It requires the member's own session: API tokens get no link from it.
func (s *Sending) OwnURL(who account.Call, d *record.Document, inv *record.Invitation, base string) string {
	if who.Kind != account.ActorUser || !who.Can(account.ScopeRead) || !inv.IsFor(who.Actor) || !actionable(d, inv) {
		return ""
	}
	return s.links.url(inv, base)
}

// actionable reports whether the holder of a link can still act with it.
func actionable(d *record.Document, inv *record.Invitation) bool {
	return d.Status == record.Sent && inv.Open() && record.LinkWorks(d, inv)
}

func (s *links) url(inv *record.Invitation, base string) string {
	return strings.TrimSuffix(base, "/") + "/s/" + s.token(inv)
}

func (s *links) proofs() record.Proofs { return record.Proofs{Key: s.linkKey, Mailed: s.mails()} }

// How a link or code reached someone, in the data of events.
const (
	throughWeb      = "web"      // a member was shown it on a page
	throughAPI      = "api"      // a program or session was given it
	throughOperator = "operator" // whoever runs the server was shown it

	// Somebody opened a public link, and stated the address or proved with a code that they read it.
	throughPublic, throughPublicCode = "public", "public_code"
)

// loadInvitation loads a document with one of its invitations.
func loadInvitation(tx *kv.Tx, who account.Call, id, invitation string) (*record.Document, *record.Invitation, error) {
	d, err := store.Load(tx, who, id)
	if err != nil {
		return nil, nil, err
	}
	inv := d.Invitation(invitation)
	if inv == nil {
		return nil, nil, fault.NotFound("invitation")
	}
	return d, inv, nil
}

// ShowLink returns the link of an invitation to a member who will pass it on, and records that.
func (s *Sending) ShowLink(who account.Call, id, invitation, base string) (link string, err error) {
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, inv, err := loadInvitation(tx, who, id, invitation)
		if err != nil {
			return err
		}
		if link = s.SignURL(who, d, inv, base); link == "" {
			link = s.OwnURL(who, d, inv, base)
		}
		if link == "" {
			return fault.Conflict("nothing_to_hand_over")
		}
		return s.store.SaveEvents(tx, who, d, linkShown(inv, throughWeb))
	})
	return link, err
}

// OpenOwnLink returns the path of the signing page of a member who is invited under their own
// address, and records once that they got their link in the web app.
func (s *Sending) OpenOwnLink(who account.Call, id, invitation string) (path string, err error) {
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, inv, err := loadInvitation(tx, who, id, invitation)
		if err != nil {
			return err
		}
		if path = s.OwnURL(who, d, inv, ""); path == "" {
			return fault.Conflict("nothing_to_hand_over")
		}
		if slices.Contains(inv.LinkShown, inv.Holder(who.Actor)) {
			return nil
		}
		inv.LinkShown = append(inv.LinkShown, inv.Holder(who.Actor))
		return s.store.SaveEvents(tx, who, d, linkShown(inv, throughWeb))
	})
	return path, err
}

func linkShown(inv *record.Invitation, through string) record.Event {
	return record.NewEvent(record.EventInvitationLinkShown).To(inv.ID).With("email", inv.Email).With("through", through)
}

// OpenPublicLink returns the path of the signing page of a person who opened a public link, and
// records that they got their own link there. checked means that they proved their address.
func (s *Sending) OpenPublicLink(who account.Call, checked bool) (path string, err error) {
	through := throughPublic
	if checked {
		through = throughPublicCode
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, inv, err := loadInvitation(tx, who, who.Document, who.Invitation)
		if err != nil {
			return err
		}
		path = s.links.url(inv, "")
		return s.store.SaveEvents(tx, who, d, linkShown(inv, through))
	})
	return path, err
}

// HandOutLinks records that the API shows a caller links of a document's invitations, once per caller
// and link.
func (s *Sending) HandOutLinks(who account.Call, d *record.Document, invitations ...string) error {
	known := func(d *record.Document) []string {
		return slices.DeleteFunc(slices.Clone(invitations), func(id string) bool {
			inv := d.Invitation(id)
			return inv == nil || slices.Contains(inv.LinkShown, inv.Holder(who.Actor))
		})
	}
	if len(known(d)) == 0 {
		return nil
	}
	return s.db.For(d.Company).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, d.ID)
		if err != nil {
			return err
		}
		var events []record.Event
		for _, id := range known(d) {
			inv := d.Invitation(id)
			inv.LinkShown = append(inv.LinkShown, inv.Holder(who.Actor))
			event := linkShown(inv, throughAPI)
			if who.Kind == account.ActorToken {
				event = event.With("token", who.TokenID)
			}
			events = append(events, event)
		}
		return s.store.SaveEvents(tx, who, d, events...)
	})
}

// RecordShownLink records, within a transaction, that a member, or the operator of the server, was shown the
// message with the link or code of an invitation.
func (s *Sending) RecordShownLink(tx *kv.Tx, who account.Call, id, invitation string, code bool) error {
	d, err := store.Load(tx, who, id)
	if err != nil {
		return err
	}
	inv := d.Invitation(invitation)
	if inv == nil {
		return fault.NotFound("invitation")
	}
	through := throughWeb
	switch who.Kind {
	case account.ActorToken:
		through = throughAPI
	case account.ActorSystem:
		through = throughOperator
	}
	event := linkShown(inv, through)
	if code {
		event.Type = record.EventInvitationCodeShown
	}
	if who.Kind == account.ActorToken {
		event = event.With("token", who.TokenID)
	}
	return s.store.SaveEvents(tx, who, d, event)
}

// Mailed describes a message about an invitation that a mail server accepted or returned.
type Mailed struct {
	Company, Document, Invitation string
	Kind                          string // invitation, reminder, or signing_code
	Address                       string
	Server                        string // that accepted it
	Reply                         string // of that server, or of the one that returned the message
}

// MailAccepted records that a mail server accepted the link or code of an invitation.
func (s *Sending) MailAccepted(m Mailed) error {
	return s.noteMail(account.System(m.Company), m, record.NewEvent(record.EventInvitationMailed).With("server", m.Server))
}

// MailReturned records that a member reports a message about an invitation as returned. It is their
// statement: nobody else has seen the report.
func (s *Sending) MailReturned(who account.Call, m Mailed) error {
	return s.noteMail(who, m, record.NewEvent(record.EventInvitationBounced))
}

func (s *Sending) noteMail(who account.Call, m Mailed, event record.Event) error {
	err := s.db.For(m.Company).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, m.Document)
		if err != nil || d.Status != record.Sent || d.Invitation(m.Invitation) == nil {
			return err
		}
		return s.store.SaveEvents(tx, who, d, event.To(m.Invitation).With("email", m.Address).With("kind", m.Kind).With("reply", m.Reply))
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // purged in the meantime
	}
	return err
}

// MailFailed records that a message about a document could not be delivered, so that its
// owner sees it. by is who says so: the system, or the member who reported it.
func (s *Sending) MailFailed(by account.Call, id, address string) error {
	return s.changes.onTimeBy(by, id, func(_ *kv.Tx, d *record.Document) ([]record.Event, error) {
		if d.Owner.Email == address || d.Status != record.Sent || d.Attention.Kind != "" {
			return nil, nil
		}
		failed := d.Undelivered(address)
		if inv := d.Invitation(failed.Invitation); inv != nil && inv.Status == record.NotNeeded {
			return nil, nil // somebody else of their group has acted
		}
		d.SetAttention(failed)
		return []record.Event{record.NewEvent(record.EventDocumentMailFailed).With("email", address)}, nil
	})
}

// MailDelivered clears the failure recorded by [Invitations.MailFailed] once a later attempt
// succeeds.
func (s *Sending) MailDelivered(company, id, address string) error {
	return s.changes.onTime(company, id, func(_ *kv.Tx, d *record.Document) ([]record.Event, error) {
		if !d.Attention.FailedFor(address) {
			return nil, nil
		}
		d.SetAttention(record.Attention{})
		d.RequestMissingCode()
		return []record.Event{record.NewEvent(record.EventDocumentMailDelivered).With("email", address)}, nil
	})
}

// links makes the links of signatories.
type links struct {
	linkKey []byte // from which links are derived
	baseURL string // base address of links in e-mails; if empty, that of the request
	mails   func() bool
}

// LinkToken returns the token in an invitation's link.
func (s *Sending) LinkToken(inv *record.Invitation) string { return s.links.token(inv) }

// PurgesAt returns when a document in the trash is purged; nil means never.
func (s *Sending) PurgesAt(d *record.Document) *time.Time { return s.schedule.purgesAt(d) }
