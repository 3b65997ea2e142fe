package notify

import (
	"time"

	"paraph/kv"
)

// silentAfter is how long a receiver may refuse everything before that is reported.
const silentAfter = 24 * time.Hour

// Silent lists the webhooks of all companies whose receivers get nothing: those paused because
// the receiver is gone, and those that have failed for a day. The caller checks access.
func (s *Webhooks) Silent() (all []Webhook, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		return webhooks.Each(tx, "", nil, func(_ string, w Webhook) (bool, error) {
			if w.Gone || w.Enabled && w.FailingSince != nil && s.NowIn(w.Company).Sub(*w.FailingSince) >= silentAfter {
				all = append(all, w)
			}
			return true, nil
		})
	})
	return all, err
}
