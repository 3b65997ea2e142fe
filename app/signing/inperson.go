package signing

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// inPersonLasts is how long a member's device can be used for signing in person.
const inPersonLasts = time.Hour

// handedOver is a member's device on which one person signs. It is stored under the hash
// of a code that only that device has.
type handedOver struct {
	Company    string
	Document   string
	Invitation string
	Host       string // name and address of the member
	HostName   string
	HostDoubt  string `json:",omitempty"` // see account.Actor.Doubt
	Until      time.Time
	Confirmed  bool // the person has confirmed that they are the one invited
	Ended      bool // the member has the device back
}

var devices = kv.NewCollection("devices", kv.JSON[handedOver]())

func deviceKey(code string) string {
	sum := sha256.Sum256([]byte("in person\x00" + code))
	return hex.EncodeToString(sum[:])
}

// HandDevice lets a person sign on a device of the calling member, for an hour. The
// returned code opens the person's pages and nothing else.
func (s *Signing) HandDevice(who account.Call, id, invitation string) (code string, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return "", err
	}
	raw := make([]byte, 24)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	code = base64.RawURLEncoding.EncodeToString(raw)
	_, err = s.changes.onInvitation(who, id, invitation, func(
		tx *kv.Tx, d *record.Document, inv *record.Invitation,
	) ([]record.Event, error) {
		if err := d.Signable(inv, tx.Now); err != nil {
			return nil, err
		}
		if !d.MayHost(who.Actor, inv, tx.Now) {
			return nil, fault.Forbidden("session_required.in_person")
		}
		h := handedOver{Company: d.Company, Document: d.ID, Invitation: inv.ID, Host: who.Name + " <" + who.Email + ">", HostName: who.Name, HostDoubt: who.Doubt(), Until: tx.Now.Add(inPersonLasts)}
		return []record.Event{record.NewEvent(record.EventInvitationInPerson).To(inv.ID).With("email", inv.Email)}, devices.Put(tx, deviceKey(code), h)
	})
	return code, err
}

// InPerson describes the person who signs on a member's device.
type InPerson struct {
	Who       account.Actor
	Host      string // name of the member
	Confirmed bool
	Ended     bool
}

// OnDevice returns who is signing on the device with the given code.
func (s *Signing) OnDevice(code string) (p InPerson, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		h, err := handed(tx, code)
		if err != nil {
			return err
		}
		d, err := store.Documents.Get(tx, store.DocumentKey(h.Company, h.Document))
		if err != nil {
			return fault.Unauthenticated().Because(err)
		}
		inv := d.Invitation(h.Invitation)
		if inv == nil || !record.LinkWorks(&d, inv) {
			return fault.Unauthenticated()
		}
		p = InPerson{Host: h.HostName, Confirmed: h.Confirmed, Ended: h.Ended, Who: account.Actor{
			Kind: account.ActorSignatory, CompanyID: h.Company, Name: inv.Name, Email: inv.Email,
			Document: h.Document, Invitation: h.Invitation, Host: h.Host, HostDoubt: h.HostDoubt,
		}}
		return nil
	})
	return p, err
}

func handed(tx *kv.Tx, code string) (handedOver, error) {
	h, err := devices.Get(tx, deviceKey(code))
	if err != nil || !tx.NowIn(h.Company).Before(h.Until) {
		return h, fault.Unauthenticated().Because(err)
	}
	return h, nil
}

// ConfirmPerson records that the person at a device confirms being the one invited.
func (s *Signing) ConfirmPerson(code string) error {
	return s.changeDevice(code, func(h *handedOver) { h.Confirmed = true })
}

// EndInPerson invalidates the code of a device.
func (s *Signing) EndInPerson(code string) error {
	return s.changeDevice(code, func(h *handedOver) { h.Ended = true })
}

func (s *Signing) changeDevice(code string, change func(*handedOver)) error {
	var company string
	err := s.db.View(func(tx *kv.Tx) error {
		h, err := handed(tx, code)
		company = h.Company
		return err
	})
	if err != nil {
		return err
	}
	return s.db.For(company).Update(func(tx *kv.Tx) error {
		h, err := handed(tx, code)
		if err != nil {
			return err
		}
		change(&h)
		return devices.Put(tx, deviceKey(code), h)
	})
}
