package notify

import (
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/kv"
)

// Preview composes the invitation of a person without recording it: the message they would get
// if the document were sent now. Viewers get a message only once the document is completed. The
// link in the preview does not work.
func (s *Service) Preview(who account.Call, document, invitation string) (Message, error) {
	d, err := s.sending.Get(who, document)
	if err != nil {
		return Message{}, err
	}
	inv := d.Invitation(invitation)
	if inv == nil {
		return Message{}, fault.NotFound("invitation")
	}
	t, kind := &notice{document: d}, "invitation"
	if inv.Role == record.Viewer {
		kind = "completed"
	}
	var m Message
	err = s.DB.View(func(tx *kv.Tx) error {
		if t.company, err = account.LoadCompany(tx, d.Company); err != nil {
			return err
		}
		to, locale, facts := t.toSignatory(kind, inv, strings.TrimSuffix(d.BaseURL, "/")+"/s/…")
		m, err = s.Texts.compose(tx, to, locale, facts)
		return err
	})
	return m, err
}
