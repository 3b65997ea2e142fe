package badgerguard

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockGrace is how long a lock may outlive its holder.
const lockGrace = 2 * time.Second

// mayUse refuses a folder that another process has open. A store closed in this process may seem
// in use for a few more milliseconds: a program being started at that moment has a copy of every
// open file until it runs. The holder's name is removed first, which distinguishes the two cases.
func mayUse(dir string) error {
	for until := time.Now().Add(lockGrace); ; time.Sleep(5 * time.Millisecond) {
		used, err := inUse(dir)
		if err != nil {
			return fmt.Errorf("kv: open: %w", err)
		}
		if !used {
			return nil
		}
		if exists(holderFile(dir)) || time.Now().After(until) {
			return lockedError(dir)
		}
	}
}

// holderFile is the file in which Badger names the process that has the folder open.
func holderFile(dir string) string { return filepath.Join(dir, "LOCK") }

// lockedError names the process that holds a folder.
func lockedError(dir string) error {
	holder := "unknown"
	if pid, err := os.ReadFile(holderFile(dir)); err == nil {
		holder = strings.TrimSpace(string(pid))
	}
	return fmt.Errorf("%w: %s, process %s", ErrLocked, dir, holder)
}
