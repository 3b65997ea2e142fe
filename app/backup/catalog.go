package backup

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paraph/app/archive"
)

// Record is an installation's record of a backup.
type Record struct {
	Header
	History string `json:"history,omitempty"` // of the store, see [kv.History]; earlier versions left it out
	Upto    uint64 `json:"upto"`              // the state of the store
	Good    bool   `json:"good"`              // it has been read back and has its final name
	Keep    bool   `json:"keep"`              // see [Request]
	// Every is the pause after which a follower confirms or continues the backup; 0 if none does.
	Every       time.Duration `json:"every,omitempty"`
	Confirmed   time.Time     `json:"confirmed"` // when it was written, read back, or found to be up to date
	Where       string        `json:"where"`
	Size        int64         `json:"size"`
	Fingerprint string        `json:"fingerprint"`
	Encrypted   bool          `json:"encrypted"`
	Damaged     []string      `json:"damaged,omitempty"` // files that are damaged on disk and left out, and lost keys
}

// Lacks describes the files missing from a backup, or returns "".
func (r Record) Lacks() string {
	if len(r.Damaged) == 0 {
		return ""
	}
	if i := slices.IndexFunc(r.Damaged, func(name string) bool { return strings.HasPrefix(name, keysPrefix) }); i >= 0 {
		return fmt.Sprintf("the backup lacks keys that the records need: %s is missing, damaged or another one; restore it from an earlier backup", r.Damaged[i])
	}
	return fmt.Sprintf("the backup lacks files that are damaged on disk (%d, the first is %s); paraph check names their documents",
		len(r.Damaged), r.Damaged[0])
}

// catalog is the folder with the records of backups. If it is lost, the next backup has to be a
// full one.
type catalog struct{ dir string }

// catalogOf returns the catalog of a data folder.
func catalogOf(dir string) catalog { return catalog{filepath.Join(dir, "backups")} }

func (c catalog) make() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func (c catalog) recordPath(id string) string { return filepath.Join(c.dir, id+".json") }

func (c catalog) put(r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, "record-*.tmp")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), c.recordPath(r.ID))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("backup: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// get returns the record of a backup, or [ErrUnknownBackup].
func (c catalog) get(id string) (r Record, err error) {
	if id != filepath.Base(id) {
		return Record{}, ErrUnknownBackup
	}
	b, err := os.ReadFile(c.recordPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, ErrUnknownBackup
	}
	if err != nil {
		return Record{}, fmt.Errorf("backup: %w", err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return Record{}, fmt.Errorf("backup: %s: %w", c.recordPath(id), err)
	}
	return r, nil
}

// list returns all records, oldest first.
func (c catalog) list() (all []Record, err error) {
	paths, err := filepath.Glob(c.recordPath("*"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		r, err := c.get(strings.TrimSuffix(filepath.Base(path), ".json"))
		if errors.Is(err, ErrUnknownBackup) {
			continue // another backup has just removed it
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Record) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// class returns the kind of a record for the purpose of pruning.
func (r Record) class() string {
	if r.Keep {
		return "merged"
	}
	return r.Kind()
}

// retention returns how many records of each class to keep.
func retention() map[string]int {
	return map[string]int{"full": 8, "part": 8, "merged": remergeAfter + 8}
}

const staleAfter = 48 * time.Hour

// prune removes old records and the remains of interrupted backups. Another backup may end, and
// prune, at the same time.
func (c catalog) prune(now time.Time) error {
	all, err := c.list()
	if err != nil {
		return err
	}
	left := retention()
	for _, r := range slices.Backward(all) {
		if r.Good {
			left[r.class()]--
		}
		if r.Good && left[r.class()] >= 0 || !r.Good && now.Sub(r.Confirmed) < staleAfter {
			continue
		}
		if err := ignoreMissing(os.Remove(c.recordPath(r.ID))); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	return errors.Join(
		archive.RemoveStale(filepath.Join(c.dir, "*.tmp"), now, staleAfter),
		archive.RemoveStale(filepath.Join(c.dir, "*.files"), now, staleAfter), // of earlier versions
	)
}

// Last returns the newest good backup of a data folder.
func Last(dir string) (r Record, found bool, err error) {
	all, err := catalogOf(dir).list()
	for _, x := range all {
		if x.Good && !x.Confirmed.Before(r.Confirmed) {
			r, found = x, true
		}
	}
	return r, found, err
}

// Holding returns the newest good backup of a data folder that holds keys of the given names.
func Holding(dir string, keys []string) (r Record, found bool, err error) {
	all, err := catalogOf(dir).list()
	for _, x := range all {
		lacks := slices.ContainsFunc(keys, func(name string) bool { return slices.Contains(x.Damaged, keysPrefix+name) })
		if x.Good && !lacks && !x.Confirmed.Before(r.Confirmed) {
			r, found = x, true
		}
	}
	return r, found, err
}

// sortedLines looks up lines of a sorted list, in ascending order.
type sortedLines struct {
	scanner *bufio.Scanner
	line    string
	more    bool
}

func newSortedLines(r io.Reader) *sortedLines {
	l := &sortedLines{scanner: bufio.NewScanner(r)}
	l.next()
	return l
}

func (l *sortedLines) next() {
	l.more = l.scanner.Scan()
	l.line = l.scanner.Text()
}

func (l *sortedLines) has(line string) bool {
	for l.more && l.line < line {
		l.next()
	}
	return l.more && l.line == line
}

func (l *sortedLines) err() error {
	if l.scanner == nil {
		return nil
	}
	return l.scanner.Err()
}
