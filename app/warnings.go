package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/machine"
	"paraph/app/pki"
	"paraph/kv"
)

// dangers lists what the people who run the installation have to be warned of before it does
// harm.
type dangers struct {
	keys    *pki.Authority
	clock   *Clock
	tls     serverTLS
	disk    *disk
	pace    *pace
	records string // the folder of the records; empty if they are in memory
}

// find returns a warning for each of them.
func (d dangers) find(context.Context) (all []machine.Warning, err error) {
	certificates, err := d.expiring()
	if err != nil {
		return nil, err
	}
	all = append(all, certificates...)
	if w := d.filling(); w != nil {
		all = append(all, *w)
	}
	w, err := d.jumped()
	if w != nil {
		all = append(all, *w)
	}
	return all, err
}

// expiring returns a warning for every certificate that is about to expire.
func (d dangers) expiring() (all []machine.Warning, err error) {
	warn := func(key, what, company string, end time.Time, urgent bool) {
		all = append(all, machine.Warning{Key: "certificate/" + key, Kind: machine.WarningCertificate, Company: company, Urgent: urgent,
			Facts: map[string]string{"what": what, "expires_at": end.UTC().Format(time.RFC3339)}})
	}
	found, err := d.keys.Warnings(d.clock.Now())
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		warn(w.Certificate.SerialNumber.Text(16), w.Certificate.Subject.CommonName, w.Company, w.Certificate.NotAfter, w.Urgent)
	}
	address, end, err := d.tls.expiry()
	if left := end.Sub(d.clock.Now()); !end.IsZero() && left < tlsSoon {
		warn("tls", address, "", end, left < tlsSoon/3)
	}
	return all, err
}

// filling returns a warning if the disk is nearly full.
func (d dangers) filling() *machine.Warning {
	free, size := d.disk.room()
	scarce, urgent := d.disk.scarce(free, size)
	if size == 0 || !scarce {
		return nil
	}
	bytes := func(n int64) string { return humanize.Bytes(uint64(max(0, n))) }
	return &machine.Warning{Key: "disk", Kind: machine.WarningDisk, Urgent: urgent,
		Facts: map[string]string{"free": bytes(free), "size": bytes(size), "reserve": bytes(d.disk.reserve)}}
}

// jumped returns a warning if the clock was moved while the server ran, or stands
// before the time at which the records were written.
func (d dangers) jumped() (*machine.Warning, error) {
	by := d.pace.jump(d.clock)
	if by == 0 && d.records != "" {
		newest, err := newestFile(d.records)
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
	return &machine.Warning{Key: "clock", Kind: machine.WarningClock, Urgent: true, Facts: map[string]string{"by": offset(by)}}, nil
}

// offset writes a deviation of the clock in units that every language knows, such as
// "+1 h 20 min".
func offset(by time.Duration) string {
	sign := "+"
	if by < 0 {
		sign = "−"
	}
	if by = by.Abs().Round(time.Second); by >= time.Hour {
		by = by.Round(time.Minute)
	}
	var parts []string
	for _, u := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := by / u.length; n > 0 {
			parts = append(parts, fmt.Sprint(int64(n), " ", u.name))
			by -= n * u.length
		}
	}
	return sign + strings.Join(parts, " ")
}

// disk is the disk of the data folder.
type disk struct {
	db        *kv.DB
	reserve   int64                     // below which nothing is written any more
	pretended func() (free, size int64) // by tests
}

// room returns the bytes free and the size; zero if the data is not on a disk.
func (d *disk) room() (free, size int64) {
	if d.pretended != nil {
		return d.pretended()
	}
	return kv.Room(d.db)
}

// scarce reports whether there is too little room, and whether less than the reserve.
func (d *disk) scarce(free, size int64) (scarce, urgent bool) {
	return free < 4*d.reserve || free < size/20, free < d.reserve
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
