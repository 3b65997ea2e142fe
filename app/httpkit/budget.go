package httpkit

import (
	"time"

	"paraph/app/account"
	"paraph/app/turns"
)

// patience is how long a request waits for memory.
const patience = 2 * time.Second

// Divisors of the budget: the maximum shares of one company, of all unauthenticated
// callers together, and of one of these.
const (
	companyPart   = 2
	strangersPart = 4
	strangerPart  = 16
)

// NewBudget returns the queue for the memory held by requests in flight, of size bytes. Requests
// wait for memory in turn, and no caller gets more than their share.
func NewBudget(size int64) *turns.Queue {
	return turns.New(turns.Options{Slots: size, Group: size / companyPart, Strangers: size / strangersPart,
		Stranger: size / strangerPart, Patience: patience})
}

// CallerOf returns the caller's key in the budget. Callers without credentials and
// holders of a link count by address, because they aren't authenticated yet.
func CallerOf(who account.Call, address string) turns.Key {
	if who.CompanyID == "" || who.IsSignatory() {
		return turns.Stranger(address)
	}
	return who.Turn()
}
