package app

import (
	"github.com/gofiber/fiber/v2"

	"paraph/kv"
)

// Collections lists what the check of the data folder reads.
func Collections() []kv.Checker { return collections() }

// Router returns the router with every route.
func (a *App) Router() *fiber.App { return a.http }

// PretendDisk has the appliance believe that its data is on a disk with some room.
func (a *App) PretendDisk(free, size int64) {
	a.disk.pretended = func() (int64, int64) { return free, size }
}

// JobKinds lists the kinds of jobs that have a handler.
func (a *App) JobKinds() (all []string) {
	for _, p := range a.pools() {
		for _, h := range p.handlers {
			all = append(all, h.Kind)
		}
	}
	return all
}
