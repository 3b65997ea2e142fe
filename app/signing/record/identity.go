package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
)

// IdentifiedFor is how long a proof of identity lasts.
const IdentifiedFor = time.Hour

// IsIdentified reports whether a person needs no further proof: the link is
// sufficient, or they gave the proof when their token was created.
func IsIdentified(who account.Actor, inv *Invitation) bool {
	return !who.IsSignatory() || inv.Authentication == ByLink || who.TokenID != "" && inv.proofCounts(who.Until)
}

// proofCounts reports whether a proof that lasts until the given time was made with
// the current access code.
func (i *Invitation) proofCounts(until time.Time) bool {
	return i.ProofSince == nil || !until.Add(-IdentifiedFor).Before(*i.ProofSince)
}

// LinkWorks reports whether an invitation's link opens anything: from sending
// until the document is deleted, unless the invitation was delegated or reached the
// wrong person. What it permits depends on the document's state.
func LinkWorks(d *Document, inv *Invitation) bool {
	return d.SentAt != nil && d.DeletedAt == nil && inv.Status != Delegated && inv.Status != Pending && !inv.Astray
}

// Proofs describes how invited people can prove who they are.
type Proofs struct {
	Key    CodeKey
	Mailed bool // codes can be sent by e-mail
}

// Holder identifies someone who was shown the current link of the invitation.
func (i *Invitation) Holder(who account.Actor) string {
	holder := who.UserID
	if who.Kind == account.ActorToken {
		holder += " " + who.TokenID
	}
	if i.IsFor(who) && who.AddressProven {
		holder += " proven" // once their address is, the link is known to have reached them
	}
	return holder + " " + strconv.Itoa(i.LinkGeneration)
}

// CodeKey keeps codes unreadable at rest. They are short: without the
// installation's key, anyone with a copy of the store could try them all.
type CodeKey []byte

// Hash returns the stored form of a code.
func (k CodeKey) Hash(invitation, code string) string {
	m := hmac.New(sha256.New, k)
	m.Write([]byte("access code\x00" + invitation + "\x00" + strings.TrimSpace(code)))
	return hex.EncodeToString(m.Sum(nil))
}

// Fits reports whether a code matches the stored hash, made with the key or, by older versions, without it.
func (k CodeKey) Fits(invitation, code, stored string) bool {
	m := hmac.New(sha256.New, []byte("access code\x00"+invitation))
	m.Write([]byte(strings.TrimSpace(code)))
	before := hex.EncodeToString(m.Sum(nil))
	now := k.Hash(invitation, code)
	matches := subtle.ConstantTimeCompare([]byte(now), []byte(stored))
	return matches|subtle.ConstantTimeCompare([]byte(before), []byte(stored)) == 1
}
