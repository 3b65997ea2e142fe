package account

import (
	"paraph/app/limit"
	"time"
)

// memory is what the services hold between calls but store nowhere.
type memory struct {
	live       *liveTokens
	usage      *usage
	waiting    *pendingSignIns
	later      *later
	ceremonies *ceremonies
	refusals   *refusals

	perAccount         *limit.Limiter // failed logins, per account and network or known device
	perAccountAnywhere *limit.Limiter // failed logins, per account from all networks
	perAddress         *limit.Limiter // failed logins, per network
	perMailbox         *limit.Limiter // reset messages requested, per e-mail address
	perMailboxDay      *limit.Limiter // messages requested, per kind and e-mail address, in a day
	perReverif         *limit.Limiter // verification messages, per user
	perDisclosure      *limit.Limiter // disclosed addresses of outsiders, per company
	perPasskey         *limit.Limiter // passkey ceremonies begun, per address
}

func newMemory(o Options) *memory {
	return &memory{
		live:               newLiveTokens(),
		usage:              newUsage(),
		waiting:            newPendingSignIns(),
		later:              newLater(),
		ceremonies:         newCeremonies(),
		refusals:           new(refusals),
		perAccount:         limit.New(o.AccountAttempts, o.AttemptWindow, o.Now),
		perAccountAnywhere: limit.New(everywhere*o.AccountAttempts, o.AttemptWindow, o.Now),
		perAddress:         limit.New(o.AddressAttempts, o.AttemptWindow, o.Now),
		perMailbox:         limit.New(5, time.Hour, o.Now),
		perMailboxDay:      limit.New(dailyMails, 24*time.Hour, o.Now),
		perReverif:         limit.New(6, time.Minute, o.Now),
		perDisclosure:      limit.New(disclosures, 24*time.Hour, o.Now),
		perPasskey:         limit.New(120, time.Minute, o.Now),
	}
}

// Reset clears everything held in memory: cached tokens and failed logins. The
// test double calls it when the store was emptied.
func (s *Services) Reset() {
	m := s.memory
	m.live.clear()
	m.usage.take()
	m.waiting.clear()
	m.later.take()
	m.ceremonies.clear()
	m.refusals.take()
	for _, l := range []*limit.Limiter{m.perAccount, m.perAccountAnywhere, m.perAddress, m.perMailbox, m.perMailboxDay,
		m.perReverif, m.perDisclosure, m.perPasskey} {
		l.Clear()
	}
}
