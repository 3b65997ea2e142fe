package signing

import (
	"paraph/app/signing/store"
	"paraph/kv"
)

// Invitations looks after recipients once a document is sent: reminders, replacements, access
// codes, and whether their mail arrived.
type Invitations struct {
	db       *kv.DB
	store    *store.Store
	schedule *Schedule
	changes  *changes
	links    *Links
	id       func() string
}
