package app

import (
	"context"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"paraph/kv"
)

// tell reports a state to systemd, if systemd started this process.
func (a *App) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		a.log.Warn("cannot report the server's state to systemd", "state", state, "error", err)
	}
}

// watch notifies the watchdog of systemd that the process works, until ctx ends. A server that
// cannot read its records within the interval is restarted.
func (a *App) watch(ctx context.Context) error {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return err
	}
	t := time.NewTicker(interval / 2)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if err := a.db.View(func(*kv.Tx) error { return nil }); err != nil {
			a.log.Error("cannot read the records", "error", err)
			continue
		}
		a.tell(daemon.SdNotifyWatchdog)
	}
}
