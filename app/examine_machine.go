package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
)

// machineExam examines the disk and the clock.
type machineExam struct {
	disk       *disk
	dir        string // the data folder
	timestamps SigningConfig
	out        outgoing
}

func (x machineExam) room(context.Context) Finding {
	free, size := x.disk.room()
	if size == 0 {
		return Finding{"disk", skipped, "The data is not on a disk.", ""}
	}
	const remedy = "Remove what is not needed, such as old backups on the same disk, or give it more room."
	text := fmt.Sprintf("%s of %s are free.", humanize.Bytes(uint64(free)), humanize.Bytes(uint64(size)))
	switch scarce, urgent := x.disk.scarce(free, size); {
	case urgent:
		return Finding{"disk", problem, text + " Uploads and changes are refused (data.reserve).", remedy}
	case scarce:
		return Finding{"disk", warning, text, remedy}
	}
	return Finding{"disk", fine, text, ""}
}

// clockLeeway is how far clocks may differ.
const clockLeeway = 2 * time.Minute

// time compares the clock with the newest file of the store, which cannot be from the
// future, and with the timestamp authority, the only server with a reliable clock that is
// contacted anyway.
func (x machineExam) time(ctx context.Context) Finding {
	now := time.Now()
	if f := checkClock(x.dir, now); f.State != fine || x.timestamps.TimestampURL == "" {
		return f
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, x.timestamps.TimestampURL, nil)
	if err != nil {
		return Finding{"clock", problem, err.Error() + ".", "See signing.timestamp_url."}
	}
	res, err := x.out.client(x.timestamps.TimestampTimeout).Do(req)
	if err != nil {
		return Finding{"clock", fine, "The clock agrees with the files; the timestamp authority did not say its time.", ""}
	}
	if err := res.Body.Close(); err != nil {
		return Finding{"clock", problem, err.Error() + ".", "See signing.timestamp_url."}
	}
	theirs, err := http.ParseTime(res.Header.Get("Date"))
	if off := now.Sub(theirs).Abs(); err == nil && off > clockLeeway {
		return Finding{"clock", problem, fmt.Sprintf("The clock and the timestamp authority differ by %s.", off.Round(time.Second)), clockRemedy}
	}
	return Finding{"clock", fine, "The clock agrees with the files and the timestamp authority.", ""}
}

const clockRemedy = "Set the clock, and have it follow a time server (systemd-timesyncd, chrony): signatures carry its time."

// checkClock compares a time with the newest records.
func checkClock(dir string, now time.Time) Finding {
	newest, err := newestFile(filepath.Join(dir, "kv"))
	if err != nil {
		return Finding{"clock", problem, err.Error() + ".", "Run this command as the user that runs the server."}
	}
	if ahead := newest.Sub(now); ahead > clockLeeway {
		return Finding{"clock", problem, fmt.Sprintf("The clock was set back: the records were written %s in the future.", ahead.Round(time.Second)), clockRemedy}
	}
	return Finding{"clock", fine, "The clock agrees with the files; no other clock was asked.", ""}
}

// newestFile returns the latest modification time in a folder.
func newestFile(dir string) (newest time.Time, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return newest, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return newest, nil // in memory
	}
	return newest, err
}
