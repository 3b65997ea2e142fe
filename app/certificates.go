package app

import (
	"time"

	"paraph/app/pki"
)

// expiryText says in English when a certificate expires, and what to do about it.
func (a *App) expiryText(w pki.Warning) (text, remedy string) {
	english := a.words.English()
	key := "keys.expires"
	if w.Expired {
		key = "keys.expired"
	}
	return english.Say(key, "certificate", w.Name(), "day", w.Certificate.NotAfter.Format(time.DateOnly)),
		english.Say("keys.remedy." + string(w.Level))
}
