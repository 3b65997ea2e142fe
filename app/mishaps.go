package app

import (
	"context"
	"fmt"

	"paraph/app/mishap"
	"paraph/app/pki"
)

// full returns what tells the store of a test double for which companies the disk is full, or nil.
func (a *App) full() func(company string) bool {
	if a.mishaps == nil {
		return nil
	}
	return func(company string) bool {
		return a.mishaps.Take(mishap.Subject{Target: mishap.Disk, Company: company}) != nil
	}
}

// timestamper returns the authority whose timestamps a company's files get: the configured one, or
// the built-in one by the clock of the company.
func (a *App) timestamper(company string, sealing bool) (t pki.Timestamper) {
	if t = a.Keys.TimestamperFor(company); a.authority != nil {
		t = a.authority
	}
	if a.mishaps == nil {
		return t
	}
	return failingTimestamper{t, a.mishaps, company, sealing}
}

// failingTimestamper is the authority of a test double. It fails as tests ask for, which says
// nothing about the real one that may stand behind it.
type failingTimestamper struct {
	pki.Timestamper
	mishaps *mishap.Register
	company string
	sealing bool
}

// Timestamp implements [pki.Timestamper].
func (t failingTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	x := t.mishaps.Take(mishap.Subject{Target: mishap.Timestamps, Company: t.company})
	if x == nil && t.sealing {
		x = t.mishaps.Take(mishap.Subject{Target: mishap.Sealing, Company: t.company})
	}
	if x == nil {
		return t.Timestamper.Timestamp(ctx, digest)
	}
	return nil, fmt.Errorf("%w: %w", pki.ErrTimestamp, x.Connect(ctx))
}
