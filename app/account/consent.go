package account

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"paraph/kv"
)

// ConsentVersion is a text that signatories agree to as of a certain time. It stays valid for
// those who agreed to it: the evidence of each signature includes the text.
type ConsentVersion struct {
	CompanyID string    `json:"company_id"`
	Text      string    `json:"text"` // "" for the installation's text
	By        string    `json:"by"`   // name of the member who changed it
	At        time.Time `json:"at"`
}

// Version returns the name of the text in certificates of completion: the
// beginning of its SHA-256.
func (v ConsentVersion) Version() string { return ConsentName(v.Text) }

// ConsentName returns the name of a text in a certificate of completion.
func ConsentName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:12]
}

var consents = kv.NewCollection("consents", kv.JSON[ConsentVersion](),
	kv.Index[ConsentVersion]{Name: "company", Keys: func(v ConsentVersion) []kv.Key {
		return []kv.Key{kv.K(v.CompanyID, kv.KeyTime(v.At))}
	}})

// keepConsent adds a version if a change affects the text. The first recorded
// change also stores the text before it.
func (s *Companies) keepConsent(tx *kv.Tx, who Call, before, after Company) error {
	if before.ConsentText == after.ConsentText {
		return nil
	}
	first := true
	err := consents.Each(tx, "company", kv.K(after.ID), func(string, ConsentVersion) (bool, error) {
		first = false
		return false, nil
	})
	if err != nil {
		return err
	}
	if first {
		v := ConsentVersion{CompanyID: after.ID, Text: before.ConsentText, At: before.CreatedAt}
		if err := consents.Put(tx, after.ID+"/"+s.newID().String(), v); err != nil {
			return err
		}
	}
	v := ConsentVersion{CompanyID: after.ID, Text: after.ConsentText, By: who.Name, At: tx.Now}
	return consents.Put(tx, after.ID+"/"+s.newID().String(), v)
}

// ConsentVersions lists the current and former consent texts of the company, newest first. It
// is empty if the text was never changed.
func (s *Companies) ConsentVersions(who Call) (all []ConsentVersion, err error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		page, err := consents.Page(tx, kv.Query{Index: "company", Prefix: kv.K(who.CompanyID), Descending: true, Limit: maxConsents})
		all = page.Items
		return err
	})
	return all, err
}

// maxConsents is how many versions are listed.
const maxConsents = 200
