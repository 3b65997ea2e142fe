package notify

import (
	"maps"
	"strings"

	"paraph/app/account"
	"paraph/kv"
)

// warning is how the kinds of messages with a warning begin.
const warning = "warning_"

// Warn writes to an administrator of the installation about something that somebody
// has to do something about.
func (s *Outbox) Warn(tx *kv.Tx, to account.User, kind string, facts map[string]string) error {
	all := map[string]string{"name": to.Name, "timezone": to.Timezone, "link": strings.TrimSuffix(s.BaseURL, "/") + "/admin"}
	maps.Copy(all, facts)
	return s.write(tx, Message{Kind: warning + kind, To: to.Email, ToName: to.Name}, to.Locale, all)
}

// Warning returns a warning for the team's pages: what is wrong, and what to do.
func (s *Texts) Warning(kind string, facts map[string]string) (text, remedy string, err error) {
	v, err := s.wording.word(warning+kind, s.wording.words.English().Tag(), maps.Clone(facts), nil)
	if err != nil {
		return "", "", err
	}
	return v.Lead, strings.Join(v.Body, " "), nil
}
