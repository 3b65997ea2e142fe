package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// A signatory may draw on a phone and sign on a computer. The phone gets a code that opens
// only a drawing pad, with no document and no answers.

// padLifetime is how long a code is valid.
const padLifetime = 10 * time.Minute

// Pad is the drawing pad that a code opens.
type Pad struct {
	Kind    string // signature or initials
	Name    string // of the signatory
	Company string
	Locale  string
	Until   time.Time
}

var padKinds = []string{"signature", "initials"}

// padSize is the size of a code's payload: invitation, expiry in Unix seconds, kind.
const padSize = 16 + 8 + 1

func (s *Signing) padMAC(payload []byte, generation int) []byte {
	m := hmac.New(sha256.New, s.linkKey)
	m.Write([]byte("pad\x00" + strconv.Itoa(generation) + "\x00"))
	m.Write(payload)
	return m.Sum(nil)[:16]
}

// PadCode makes the code that lets a signatory draw on another device.
func (s *Signing) PadCode(
	who account.Call, id, invitation, kind string,
) (code string, until time.Time, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, inv, err := signerAt(tx, who, id, invitation)
		if err != nil {
			return err
		}
		uid, err := ulid.ParseStrict(inv.ID)
		if err != nil {
			return err
		}
		at := kindIndex(kind)
		if at < 0 {
			return fault.Invalid("kind", "not_signature_or_initials")
		}
		until = tx.NowIn(who.CompanyID).Add(padLifetime)
		payload := append(binary.BigEndian.AppendUint64(uid.Bytes(), uint64(until.Unix())), byte(at))
		code = base64.RawURLEncoding.EncodeToString(append(payload, s.padMAC(payload, inv.LinkGeneration)...))
		return nil
	})
	return code, until, err
}

func kindIndex(kind string) int {
	for i, k := range padKinds {
		if k == kind {
			return i
		}
	}
	return -1
}

// signerAt returns the document and invitation of a signatory who may sign now and is identified.
func signerAt(tx *kv.Tx, who account.Call, id, invitation string) (*record.Document, *record.Invitation, error) {
	if !who.IsSignatoryOf(id, invitation) {
		return nil, nil, fault.NotFound("invitation")
	}
	d, err := store.Load(tx, who, id)
	if err != nil {
		return nil, nil, err
	}
	inv := d.Invitation(invitation)
	if !record.IsIdentified(who.Actor, inv) {
		return nil, nil, notIdentified()
	}
	return d, inv, d.Signable(inv, tx.NowIn(d.Company))
}

// errNoPad returns the one error for every kind of invalid code.
func errNoPad() error { return fault.NotFound("pad") }

// padOf returns the document, the invitation and the pad that a code belongs to.
func (s *Signing) padOf(tx *kv.Tx, code string) (*record.Document, *record.Invitation, Pad, error) {
	raw, err := base64.RawURLEncoding.DecodeString(code)
	if err != nil || len(raw) != padSize+16 || int(raw[padSize-1]) >= len(padKinds) {
		return nil, nil, Pad{}, errNoPad()
	}
	payload, until := raw[:padSize], time.Unix(int64(binary.BigEndian.Uint64(raw[16:24])), 0)
	id := ulid.ULID(raw[:16]).String()
	at, err := store.Invited.Get(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil, Pad{}, errNoPad()
	}
	if err != nil {
		return nil, nil, Pad{}, err
	}
	d, err := store.Load(tx, account.System(at.Company), at.Document)
	if err != nil {
		return nil, nil, Pad{}, err
	}
	inv := d.Invitation(id)
	valid := inv != nil && record.LinkWorks(d, inv) && hmac.Equal(raw[padSize:], s.padMAC(payload, inv.LinkGeneration))
	if !valid || !tx.NowIn(d.Company).Before(until) || d.Signable(inv, tx.NowIn(d.Company)) != nil {
		return nil, nil, Pad{}, errNoPad()
	}
	company, err := account.LoadCompany(tx, d.Company)
	if err != nil {
		return nil, nil, Pad{}, err
	}
	pad := Pad{Kind: padKinds[raw[padSize-1]], Name: inv.Name, Company: company.Name, Locale: inv.Locale, Until: until}
	return d, inv, pad, nil
}

// OpenPad returns the pad that a code opens. For any invalid code it returns the same
// not-found error.
func (s *Signing) OpenPad(code string) (p Pad, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		_, _, p, err = s.padOf(tx, code)
		return err
	})
	return p, err
}

// SubmitPad stores what was drawn on a pad, to be accepted on the person's own page. It signs nothing.
func (s *Signing) SubmitPad(code, strokes string) error {
	var company string
	err := s.db.View(func(tx *kv.Tx) error {
		d, _, _, err := s.padOf(tx, code)
		if err == nil {
			company = d.Company
		}
		return err
	})
	if err != nil {
		return err // before parsing any of the strokes
	}
	var f fault.Fields
	if drawn := s.readMark(&f, "signature", &mark.Mark{Type: MarkDrawn, Data: strokes}, "", ""); drawn.Picture != nil {
		f.Add("signature.data", "not_strokes")
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.db.For(company).Update(func(tx *kv.Tx) error {
		_, inv, p, err := s.padOf(tx, code)
		if err != nil {
			return err
		}
		kept, err := store.AnswersOf(tx, inv.ID)
		if err != nil {
			return err
		}
		if kept.Handed == nil {
			kept.Handed = map[string]record.ReceivedMark{}
		}
		kept.Handed[p.Kind] = record.ReceivedMark{Mark: mark.Mark{Type: MarkDrawn, Data: strokes}, At: tx.Now}
		return store.SavedAnswers.Put(tx, inv.ID, kept)
	})
}

// PadDrawing returns what a person has drawn since the code was made, or nil.
func (s *Signing) PadDrawing(
	who account.Call, id, invitation, code string,
) (mark *mark.Mark, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		if _, _, err := signerAt(tx, who, id, invitation); err != nil {
			return err
		}
		_, inv, p, err := s.padOf(tx, code)
		if err != nil {
			return err
		}
		if inv.ID != invitation {
			return errNoPad()
		}
		kept, err := store.AnswersOf(tx, invitation)
		if h, ok := kept.Handed[p.Kind]; ok && !h.At.Before(p.Until.Add(-padLifetime)) {
			mark = &h.Mark
		}
		return err
	})
	return mark, err
}
