package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"paraph/kv"
)

// systemd is the service manager that may have started this process.
type systemd struct {
	db  *kv.DB
	log *slog.Logger
}

// tell reports a state to systemd, if systemd started this process.
func (s systemd) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("cannot report the server's state to systemd", "state", state, "error", err)
	}
}

// watch notifies the watchdog of systemd that the process works, until ctx ends. A server that
// cannot read its records within the interval is restarted.
func (s systemd) watch(ctx context.Context) error {
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
		if err := s.db.View(func(*kv.Tx) error { return nil }); err != nil {
			s.log.Error("cannot read the records", "error", err)
			continue
		}
		s.tell(daemon.SdNotifyWatchdog)
	}
}
