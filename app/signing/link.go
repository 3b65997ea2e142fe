package signing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/kv"
)

// A signatory's link carries the invitation's identifier and a code that only
// this installation can make. None of it is stored, so nothing can leak from the
// store, and yet the company can be shown the link as long as it works.

// linkCode returns the part of a link that proves it is ours.
func (s *Service) linkCode(invitation string, generation int) string {
	m := hmac.New(sha256.New, s.LinkKey)
	m.Write([]byte("signatory link\x00" + invitation + "\x00" + strconv.Itoa(generation)))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:24])
}

// LinkToken returns the token in an invitation's link.
func (s *Service) LinkToken(inv *Invitation) string {
	return inv.ID + s.linkCode(inv.ID, inv.LinkGeneration)
}

// linkIDLength is the length of the identifier at the start of a link token.
const linkIDLength = 26

// IsLinkToken reports whether a bearer looks like a signatory's link token rather
// than a JWT; it does not check that the token is valid.
func IsLinkToken(bearer string) bool {
	return len(bearer) == linkIDLength+32 && !strings.Contains(bearer, ".")
}

// Signatory returns the actor a link token belongs to. Unknown, revoked and
// malformed tokens produce the same error.
func (s *Service) Signatory(ctx context.Context, token string) (account.Actor, error) {
	if !IsLinkToken(token) {
		return account.Actor{}, fault.Unauthenticated()
	}
	id := token[:linkIDLength]
	var who account.Actor
	err := s.DB.View(func(tx *kv.Tx) error {
		at, err := invited.Get(tx, id)
		if err != nil {
			return fault.Unauthenticated().Because(err)
		}
		d, err := documents.Get(tx, documentKey(at.Company, at.Document))
		if err != nil {
			return fault.Unauthenticated().Because(err)
		}
		inv := d.invitation(id)
		if inv == nil || !linkWorks(&d, inv) {
			return fault.Unauthenticated()
		}
		want, code := s.linkCode(id, inv.LinkGeneration), token[linkIDLength:]
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) != 1 && !at.Moved.opens(inv, code) {
			return fault.Unauthenticated()
		}
		who = account.Actor{Kind: account.ActorSignatory, CompanyID: at.Company, Name: inv.Name, Email: inv.Email,
			Document: at.Document, Invitation: id}
		return nil
	})
	return who, err
}

// linkWorks reports whether an invitation's link opens anything: from sending
// until the document is deleted, or the invitation was passed on or reached the
// wrong person. What can be done with it depends on the document's state.
func linkWorks(d *Document, inv *Invitation) bool {
	return d.SentAt != nil && d.DeletedAt == nil && inv.Status != Delegated && inv.Status != Pending && !inv.Astray
}

// MaySeeLinks reports whether an actor may be shown the links of other people's
// invitations. A link lets its holder act as its owner, so only those who may
// send or sign for the company see any.
func MaySeeLinks(who account.Actor) bool {
	return !who.IsSignatory() && (who.Can(account.ScopeWrite) || who.Can(account.ScopeSign))
}

// SignURL returns the link of an invitation under a base address, for those who
// may see it and while it can still be used; otherwise "".
func (s *Service) SignURL(who account.Actor, d *Document, inv *Invitation, base string) string {
	if !MaySeeLinks(who) || !actionable(d, inv) {
		return ""
	}
	return s.url(inv, base)
}

// OwnURL is like SignURL for a member whose own address is invited, whatever
// their role. It requires the member's own session: API tokens get no link from
// it.
func (s *Service) OwnURL(who account.Actor, d *Document, inv *Invitation, base string) string {
	if who.Kind != account.ActorUser || !who.Can(account.ScopeRead) || !inv.isFor(who) || !actionable(d, inv) {
		return ""
	}
	return s.url(inv, base)
}

// actionable reports whether the holder of a link can still act with it.
func actionable(d *Document, inv *Invitation) bool {
	return d.Status == Sent && inv.open() && linkWorks(d, inv)
}

func (s *Service) url(inv *Invitation, base string) string {
	return strings.TrimSuffix(base, "/") + "/s/" + s.LinkToken(inv)
}

// proofs are the ways in which invited people can prove who they are.
type proofs struct {
	key    codeKey
	mailed bool // codes reach people by e-mail
}

func (s *Service) proofs() proofs { return proofs{key: s.LinkKey, mailed: s.Mails()} }

// How a link or code reached somebody, in the data of events.
const (
	throughWeb = "web" // a member was shown it on a page
	throughAPI = "api" // a program or session was given it
)

// ShowLink returns the link of an invitation to a member who hands it over, and records that.
func (s *Service) ShowLink(_ context.Context, who account.Actor, id, invitation, base string) (link string, err error) {
	err = s.DB.Update(func(tx *kv.Tx) error {
		d, err := load(tx, who, id)
		if err != nil {
			return err
		}
		inv := d.invitation(invitation)
		if inv == nil {
			return fault.NotFound("invitation")
		}
		if link = s.SignURL(who, d, inv, base); link == "" {
			link = s.OwnURL(who, d, inv, base)
		}
		if link == "" {
			return conflict("nothing_to_hand_over")
		}
		return s.note(tx, who, d, linkShown(inv, throughWeb))
	})
	return link, err
}

func linkShown(inv *Invitation, through string) saving {
	return happened(EventInvitationLinkShown).to(inv.ID).with("email", inv.Email).with("through", through)
}

// HandOut records that the API shows links of a document's invitations to a caller, once for each caller and link.
func (s *Service) HandOut(_ context.Context, who account.Actor, d *Document, invitations ...string) error {
	known := func(d *Document) []string {
		return slices.DeleteFunc(slices.Clone(invitations), func(id string) bool {
			inv := d.invitation(id)
			return inv == nil || slices.Contains(inv.LinkShown, inv.holder(who))
		})
	}
	if len(known(d)) == 0 {
		return nil
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		d, err := load(tx, who, d.ID)
		if err != nil {
			return err
		}
		var events []saving
		for _, id := range known(d) {
			inv := d.invitation(id)
			inv.LinkShown = append(inv.LinkShown, inv.holder(who))
			event := linkShown(inv, throughAPI)
			if who.Kind == account.ActorToken {
				event = event.with("token", who.TokenID)
			}
			events = append(events, event)
		}
		return s.note(tx, who, d, events...)
	})
}

// holder identifies somebody who was shown the current link of the invitation.
func (i *Invitation) holder(who account.Actor) string {
	holder := who.UserID
	if who.Kind == account.ActorToken {
		holder += " " + who.TokenID
	}
	return holder + " " + strconv.Itoa(i.LinkGeneration)
}

// Shown records in a transaction that a member was shown the message with the link or code of an invitation.
func (s *Service) Shown(tx *kv.Tx, who account.Actor, id, invitation string, code bool) error {
	d, err := load(tx, who, id)
	if err != nil {
		return err
	}
	inv := d.invitation(invitation)
	if inv == nil {
		return fault.NotFound("invitation")
	}
	if code {
		return s.note(tx, who, d, happened(EventInvitationCodeShown).to(inv.ID).with("email", inv.Email).with("through", throughWeb))
	}
	return s.note(tx, who, d, linkShown(inv, throughWeb))
}

// Mailed describes a message about an invitation that a mail server accepted or returned.
type Mailed struct {
	Company, Document, Invitation string
	Kind                          string // invitation, reminder, or signing_code
	Address                       string
	Server                        string // that accepted it
	Reply                         string // in its own words, or those of the server that returned it
}

// MailAccepted records that a mail server accepted the link or code of an invitation.
func (s *Service) MailAccepted(_ context.Context, m Mailed) error {
	return s.noteMail(m, happened(EventInvitationMailed).with("server", m.Server))
}

// MailReturned records that such a message came back as undeliverable.
func (s *Service) MailReturned(_ context.Context, m Mailed) error {
	return s.noteMail(m, happened(EventInvitationBounced))
}

func (s *Service) noteMail(m Mailed, event saving) error {
	who := account.System(m.Company)
	err := s.DB.Update(func(tx *kv.Tx) error {
		d, err := load(tx, who, m.Document)
		if err != nil || d.Status != Sent || d.invitation(m.Invitation) == nil {
			return err
		}
		return s.note(tx, who, d, event.to(m.Invitation).with("email", m.Address).with("kind", m.Kind).with("reply", m.Reply))
	})
	if fault.KindOf(err) == fault.KindNotFound {
		return nil // purged in the meantime
	}
	return err
}

// codeKey keeps codes unreadable at rest. They are short: without the
// installation's key, anyone with a copy of the store could try them all.
type codeKey []byte

// hash returns the stored form of a code.
func (k codeKey) hash(invitation, code string) string {
	m := hmac.New(sha256.New, k)
	m.Write([]byte("access code\x00" + invitation + "\x00" + strings.TrimSpace(code)))
	return hex.EncodeToString(m.Sum(nil))
}

// fits reports whether a code matches the stored hash, made with the key or, by earlier versions, without it.
func (k codeKey) fits(invitation, code, stored string) bool {
	m := hmac.New(sha256.New, []byte("access code\x00"+invitation))
	m.Write([]byte(strings.TrimSpace(code)))
	before := hex.EncodeToString(m.Sum(nil))
	now := k.hash(invitation, code)
	return subtle.ConstantTimeCompare([]byte(now), []byte(stored))|subtle.ConstantTimeCompare([]byte(before), []byte(stored)) == 1
}
