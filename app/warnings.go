package app

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/machine"
)

// dangers finds what the people who run the installation have to be warned of before
// it does harm.
func (a *App) dangers(context.Context) (all []machine.Warning, err error) {
	certificates, err := a.expiring()
	if err != nil {
		return nil, err
	}
	all = append(all, certificates...)
	if w := a.filling(); w != nil {
		all = append(all, *w)
	}
	w, err := a.jumped()
	if w != nil {
		all = append(all, *w)
	}
	return all, err
}

// expiring returns a warning for every certificate that is about to expire.
func (a *App) expiring() (all []machine.Warning, err error) {
	warn := func(key, what, company string, end time.Time, urgent bool) {
		all = append(all, machine.Warning{Key: "certificate/" + key, Kind: machine.WarningCertificate, Company: company, Urgent: urgent,
			Facts: map[string]string{"what": what, "expires_at": end.UTC().Format(time.RFC3339)}})
	}
	found, err := a.Keys.Warnings(a.Clock.Now())
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		warn(w.Certificate.SerialNumber.Text(16), w.Certificate.Subject.CommonName, w.Company, w.Certificate.NotAfter, w.Urgent)
	}
	end, err := a.tlsExpiry()
	if left := end.Sub(a.Clock.Now()); !end.IsZero() && left < tlsSoon {
		warn("tls", "server.tls", "", end, left < tlsSoon/3)
	}
	return all, err
}

// tlsExpiry returns when the certificate of the server's own connections expires; the
// zero time if that is renewed by itself, or there is none.
func (a *App) tlsExpiry() (time.Time, error) {
	c := a.Config.Server.TLS
	path, key := c.Certificate, c.Key
	switch c.Mode {
	case "self-signed":
		path, key = a.path("keys/tls.pem"), a.path("keys/tls.pem")
	case "files":
	default:
		return time.Time{}, nil
	}
	pair, err := tls.LoadX509KeyPair(path, key)
	if errors.Is(err, fs.ErrNotExist) && c.Mode == "self-signed" {
		return time.Time{}, nil // made at the next start
	}
	if err != nil {
		return time.Time{}, err
	}
	return pair.Leaf.NotAfter, nil
}

// room returns the bytes free on the disk of the data folder and its size; zero if
// the data is not on a disk.
func (a *App) room() (free, size int64) {
	if a.disk != nil {
		return a.disk()
	}
	s := a.db.Stats()
	return s.Free, s.Size
}

// scarce reports whether there is too little room, and whether less than the reserve.
func (a *App) scarce(free, size int64) (scarce, urgent bool) {
	reserve := int64(a.Config.Data.Reserve)
	return free < 4*reserve || free < size/20, free < reserve
}

// filling returns a warning if the disk is nearly full.
func (a *App) filling() *machine.Warning {
	free, size := a.room()
	scarce, urgent := a.scarce(free, size)
	if size == 0 || !scarce {
		return nil
	}
	bytes := func(n int64) string { return humanize.Bytes(uint64(max(0, n))) }
	return &machine.Warning{Key: "disk", Kind: machine.WarningDisk, Urgent: urgent,
		Facts: map[string]string{"free": bytes(free), "size": bytes(size), "reserve": bytes(int64(a.Config.Data.Reserve))}}
}

// jumped returns a warning if the clock was moved while the server ran, or stands
// before the time at which the records were written.
func (a *App) jumped() (*machine.Warning, error) {
	by := a.pace.jump(a.Clock)
	if by == 0 && !a.inMem {
		newest, err := newestFile(filepath.Join(a.dir, "kv"))
		if err != nil {
			return nil, err
		}
		if ahead := time.Until(newest); ahead > clockLeeway {
			by = -ahead
		}
	}
	if by == 0 {
		return nil, nil
	}
	sign := ""
	if by > 0 {
		sign = "+"
	}
	return &machine.Warning{Key: "clock", Kind: machine.WarningClock, Urgent: true, Facts: map[string]string{"by": sign + by.Round(time.Second).String()}}, nil
}

// pace compares the clock with the time that really passes.
type pace struct {
	mu    sync.Mutex
	wall  time.Time // of the clock when begun
	begun time.Time // with the reading of the monotonic clock
	since time.Time // when a jump was first seen, likewise; zero for none
}

// jumpKept is how long a jump is reported if nobody sets the clock back: by then it
// was meant.
const jumpKept = 24 * time.Hour

// begin takes the clock to be right from now on.
func (p *pace) begin(c *Clock) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wall, p.begun, p.since = c.Now(), time.Now(), time.Time{}
}

// jump returns by how much the clock has moved against the time that passed, 0 for
// less than clocks may differ.
func (p *pace) jump(c *Clock) time.Duration {
	p.mu.Lock()
	if p.begun.IsZero() || c.IsFrozen() {
		p.mu.Unlock()
		return 0
	}
	by := c.Now().Sub(p.wall) - time.Since(p.begun)
	switch {
	case by.Abs() <= clockLeeway:
		p.since, by = time.Time{}, 0
	case p.since.IsZero():
		p.since = time.Now()
	case time.Since(p.since) >= jumpKept:
		p.mu.Unlock()
		p.begin(c)
		return 0
	}
	p.mu.Unlock()
	return by
}
