package mailserver

import (
	"context"
	"strings"

	"paraph/app/account"
	"paraph/app/mail/sender"
)

// SenderReport describes the DNS records of the sender's domain.
type SenderReport struct {
	Domain   string
	Asked    bool   // whether DNS was asked
	Why      string // code of the reason why it wasn't, "" if it was
	Findings []sender.Finding
}

// Sender looks up the sender's domain, for administrators of the installation.
func (s *Service) Sender(ctx context.Context, who account.Call) (SenderReport, error) {
	if err := requireOperator(who); err != nil {
		return SenderReport{}, err
	}
	return s.ExamineSender(ctx), nil
}

// ExamineSender looks up the sender's domain.
func (s *Service) ExamineSender(ctx context.Context) SenderReport {
	now := s.Current()
	r := SenderReport{Domain: domainOf(now.Sender().Email)}
	switch {
	case now.Host == "":
		r.Why = "no_server"
	case !strings.Contains(r.Domain, "."):
		r.Why = "local_domain"
	case s.DNS == nil:
		r.Why = "not_asked"
	default:
		r.Asked, r.Findings = true, sender.Examine(ctx, s.DNS, r.Domain, s.DKIMSelector)
	}
	return r
}

func domainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}
