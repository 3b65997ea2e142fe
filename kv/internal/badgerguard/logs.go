package badgerguard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// The log of a memory table, as Badger writes it: a header, then entries of two bytes, three
// varints (lengths of key and value, expiry), key, value and checksum. An entry with the key
// commitKey, followed by the number of the commit, ends each commit.
const (
	logHeader = 20
	commitKey = "!badger!txn"
)

// removeEmptyLogs removes the logs of a process that was killed between creating one and
// extending it to its size. They are empty, and Badger refuses to open them.
func removeEmptyLogs(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext != ".vlog" && ext != ".mem" {
			continue
		}
		if info, failed := e.Info(); failed != nil {
			err = errors.Join(err, failed)
		} else if info.Size() == 0 {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// mayOpenLogs checks the logs of memory tables that were not written out. Badger takes the
// first unreadable entry for the end of a log, as it is after a power cut, and drops whatever
// follows. At most one commit can be incomplete, since each is on disk before the next is
// begun: when more follow, the log is damaged and commits would be lost in silence.
func mayOpenLogs(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"+tableLogExt))
	if err != nil {
		return fmt.Errorf("kv: open: %w", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("kv: open: %w", err)
		}
		if lost := lostCommits(b); lost > 0 {
			return fmt.Errorf("%w: %s: commits that are unreadable: %d", ErrCorrupt, filepath.Base(file), lost)
		}
	}
	return nil
}

// lostCommits returns how many commits of a log Badger would drop, other than an incomplete
// last one.
func lostCommits(log []byte) int {
	last, rest := uint64(0), log
	if len(log) >= logHeader {
		rest = log[logHeader:]
	}
	for {
		key, size := logEntry(rest)
		if size == 0 {
			break
		}
		if number, ok := commitNumber(key); ok {
			last = number
		}
		rest = rest[size:]
	}
	first, end, n := uint64(math.MaxUint64), uint64(0), 0
	for at := bytes.Index(rest, []byte(commitKey)); at >= 0; at = bytes.Index(rest, []byte(commitKey)) {
		if number, ok := commitNumber(rest[at:min(len(rest), at+len(commitKey)+8)]); ok && number > last {
			first, end, n = min(first, number), max(end, number), n+1
		}
		rest = rest[at+len(commitKey):]
	}
	if n > 1 || n == 1 && last > 0 && first > last+1 {
		return int(end - max(last, first-1))
	}
	return 0
}

// logEntry returns the key of the first entry and the length of the entry; 0 if it is
// unreadable.
func logEntry(b []byte) (key []byte, size int) {
	at := 2
	var lengths [3]uint64
	for i := range lengths {
		if at >= len(b) {
			return nil, 0
		}
		v, n := binary.Uvarint(b[at:])
		if n <= 0 {
			return nil, 0
		}
		lengths[i], at = v, at+n
	}
	keyLength, valueLength := lengths[0], lengths[1]
	if keyLength == 0 || keyLength > 1<<16 || valueLength > math.MaxUint32 {
		return nil, 0
	}
	end := uint64(at) + keyLength + valueLength
	if end+crc32.Size > uint64(len(b)) {
		return nil, 0
	}
	sum := crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli))
	if sum != binary.BigEndian.Uint32(b[end:]) {
		return nil, 0
	}
	return b[at : uint64(at)+keyLength], int(end) + crc32.Size
}

// commitNumber reads the number of a commit from the key that ends it.
func commitNumber(key []byte) (uint64, bool) {
	rest, ok := bytes.CutPrefix(key, []byte(commitKey))
	if !ok || len(rest) != 8 {
		return 0, false
	}
	return math.MaxUint64 - binary.BigEndian.Uint64(rest), true
}
