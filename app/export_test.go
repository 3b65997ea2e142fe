package app

import (
	"errors"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/machine"
	"paraph/kv"
)

// Collections lists what the check of the data folder reads.
func Collections() []kv.Checker { return collections() }

// DataVersion returns the version of the records.
func DataVersion() int { return dataVersion() }

// ForgetKeys removes what records remember of the keys, as if an earlier version had written them.
func ForgetKeys(db *kv.DB) error {
	known, err := keyRegister{db, "/"}.entries()
	for name := range known {
		err = errors.Join(err, keyRegister{db, "/"}.Drop(name))
	}
	return err
}

// Router returns the router with every route.
func (a *App) Router() *fiber.App { return a.http }

// PretendDisk has the appliance believe that its data is on a disk with some room.
func (a *App) PretendDisk(free, size int64) {
	a.disk.elsewhere = func() (int64, int64) { return free, size }
}

// ForgetAuthority has the appliance ask the timestamp authority anew.
func (a *App) ForgetAuthority() {
	a.authority.mu.Lock()
	defer a.authority.mu.Unlock()
	a.authority.at = time.Time{}
}

// DataFolder returns the folder of the data.
func (a *App) DataFolder() string { return a.dir }

// SearchBehind tells how long an index has been behind at the last of several moments, each with the
// minutes since the first, the place in the journal, and the changes that are missing.
func SearchBehind(moments ...[3]uint64) (behind time.Duration) {
	var w searchWatch
	begun := time.Unix(0, 0)
	for _, m := range moments {
		behind = w.behind(m[1], m[2], begun.Add(time.Duration(m[0])*time.Minute))
	}
	return behind
}

// Dangers returns the table of what administrators are warned of.
func Dangers() []machine.Danger { return dangers{}.table() }

// JobKinds lists the kinds of jobs that have a handler.
func (a *App) JobKinds() (all []string) {
	for _, p := range a.pools() {
		for _, h := range p.handlers {
			all = append(all, h.Kind)
		}
	}
	return all
}

// RevocationClient returns the client for the addresses that certificates name.
func RevocationClient(n NetworkConfig) *http.Client { return outgoing{n}.revocations(time.Second) }

// Paced returns how long a pacer rests during work that asks it again and again.
func Paced(share int, work, step time.Duration) (rested time.Duration) {
	var now time.Time
	p := &pacer{share: share, now: func() time.Time { return now }, sleep: func(d time.Duration) { now, rested = now.Add(d), rested+d }}
	for worked := time.Duration(0); worked < work; worked += step {
		now = now.Add(step)
		p.rest()
	}
	return rested
}
