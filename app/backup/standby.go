package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"paraph/app/archive"
	"paraph/app/blob"
	"paraph/kv"
)

// StandbyOptions configure a standby.
type StandbyOptions struct {
	DataVersion int   // the newest version that this program can read
	Needed      Files // which files the records need
	Log         *slog.Logger
}

// StandbyState says what a standby has. It is kept in its data folder.
type StandbyState struct {
	Source string `json:"source"` // where its backups come from
	// Tip is the newest backup that was applied; empty until the first one was.
	Tip  string    `json:"tip,omitempty"`
	Time time.Time `json:"time,omitzero"` // when that was made
	// Current is a time: all that was answered before it is here.
	Current time.Time `json:"current,omitzero"`
	Lacking []string  `json:"lacking,omitempty"` // files and keys that the records need and that no backup held
}

// Names in the data folder of a standby.
const (
	standbyName = "standby.json"
	incoming    = "incoming" // a backup being read
)

// ReadStandby returns the state of the standby whose data folder dir is, if it is one.
func ReadStandby(dir string) (s StandbyState, is bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, standbyName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	err = json.Unmarshal(b, &s)
	return s, err == nil, err
}

// Standby is a data folder that takes over what another server backs up, so that it can go on in its stead.
// It is used by one goroutine; State and Looked may be called by others.
type Standby struct {
	dir   string
	o     StandbyOptions
	feed  Feed
	db    *kv.DB
	blobs *blob.Store

	mu     sync.Mutex
	state  StandbyState
	looked time.Time // when the source was last asked successfully
}

// OpenStandby opens an empty data folder, or that of a standby. The caller holds its lock.
func OpenStandby(dir string, feed Feed, o StandbyOptions) (*Standby, error) {
	state, is, err := ReadStandby(dir)
	if err != nil {
		return nil, err
	}
	if !is {
		if err := RequireEmpty(dir); err != nil {
			return nil, fmt.Errorf("only an empty folder becomes a standby: %w", err)
		}
	}
	state.Source = feed.Source()
	s := &Standby{dir: dir, o: o, feed: feed, state: state}
	if err := s.save(); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(s.path(incoming)); err != nil {
		return nil, err
	}
	if s.blobs, err = blob.Open(s.path("files"), blob.Options{Log: o.Log}); err != nil {
		return nil, err
	}
	err = s.open()
	if errors.Is(err, kv.ErrInterrupted) { // in the middle of a full backup
		s.o.Log.Warn("a full backup was applied in part; the standby is filled anew")
		if err = errors.Join(s.change(func(state *StandbyState) { state.Tip = "" }), os.RemoveAll(s.path("kv"))); err == nil {
			err = s.open()
		}
	}
	return s, err
}

func (s *Standby) open() (err error) {
	s.db, err = kv.Open(kv.Options{Dir: s.path("kv"), Copy: true, Log: s.o.Log})
	return err
}

// Close closes the data folder.
func (s *Standby) Close() error { return s.db.Close() }

func (s *Standby) path(name string) string { return filepath.Join(s.dir, name) }

// State returns what the standby has.
func (s *Standby) State() StandbyState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Looked returns when the source was last asked successfully; zero if it was not since the start.
func (s *Standby) Looked() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looked
}

// change changes the state, and keeps it.
func (s *Standby) change(with func(*StandbyState)) error {
	s.mu.Lock()
	with(&s.state)
	s.mu.Unlock()
	return s.save()
}

func (s *Standby) save() error {
	b, err := json.Marshal(s.State())
	if err != nil {
		return err
	}
	return replaceFile(s.path(standbyName), b)
}

// position is how far a standby has come; the backup to apply next is chosen by it.
type position struct {
	kv.Span        // Upto is the state of the records, 0 for none
	tip     string // the backup applied last
}

func (s *Standby) position() (p position, err error) {
	if p.tip = s.State().Tip; p.tip == "" {
		return p, nil
	}
	h, err := s.db.History()
	return position{kv.Span{ID: h.ID, Upto: s.db.Moment()}, p.tip}, err
}

// Step applies what is new at the source. It returns how many backups that were.
func (s *Standby) Step(ctx context.Context) (applied int, err error) {
	for {
		at, err := s.position()
		if err != nil {
			return applied, err
		}
		found, err := s.feed.next(ctx, at)
		if err != nil {
			return applied, err
		}
		if found.stream == nil {
			s.mu.Lock()
			s.looked = time.Now()
			s.mu.Unlock()
			if found.current.IsZero() || found.current.Equal(s.State().Current) {
				return applied, nil
			}
			return applied, s.change(func(state *StandbyState) { state.Current = found.current })
		}
		r, err := s.apply(ctx, found)
		if err = errors.Join(err, found.stream.Close()); err != nil {
			return applied, err
		}
		if applied++; found.done != nil {
			if err := found.done(ctx, r); err != nil {
				return applied, err
			}
		}
	}
}

// apply applies a backup: first everything is read, checked, and laid aside, then put in place. A step that
// was interrupted can be repeated.
func (s *Standby) apply(ctx context.Context, found fed) (r Record, err error) {
	if err := errors.Join(os.RemoveAll(s.path(incoming)), os.Mkdir(s.path(incoming), 0o700)); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.path(incoming))) }()
	records, err := os.OpenFile(s.path(incoming+"/records"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	in := &intake{s, ctx, records, kv.History{}, nil}
	if s.State().Tip != "" {
		if in.own, err = s.db.History(); err != nil {
			return r, err
		}
	}
	if r.Header, err = read(found.stream, in.entry); err != nil {
		return r, err
	}
	r.Damaged = in.damaged
	if r.DataVersion > s.o.DataVersion {
		return r, fmt.Errorf("a newer version of Paraph (%s) made the backup; bring this machine to that version first", r.Program)
	}
	return r, s.put(in, r)
}

// put puts a backup in place that was read.
func (s *Standby) put(in *intake, r Record) error {
	if _, err := in.records.Seek(0, io.SeekStart); err != nil {
		return err
	}
	span, err := kv.ReadSpan(in.records)
	if err != nil {
		return err
	}
	if _, err := in.records.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if span.Since == 0 { // until it is whole, there is nothing to go on with
		if err := s.change(func(state *StandbyState) { state.Tip, state.Current = "", time.Time{} }); err != nil {
			return err
		}
	}
	if err := s.db.Restore(in.records); err != nil {
		return err
	}
	for _, name := range []string{"keys", "restored"} { // both are complete in every backup
		if err := replaceFiles(s.path(name), s.path(incoming+"/"+name)); err != nil {
			return err
		}
	}
	lacking, err := s.lacking(span.Since, in.damaged)
	if err != nil {
		return err
	}
	return s.change(func(state *StandbyState) { state.Tip, state.Time, state.Lacking = r.ID, r.Time, lacking })
}

// lacking returns what the records need and is not here, of what they have needed since.
func (s *Standby) lacking(since uint64, damaged []string) (lacking []string, err error) {
	for _, name := range damaged {
		if strings.HasPrefix(name, keysPrefix) {
			lacking = append(lacking, name)
		}
	}
	before := s.State().Lacking
	err = s.db.View(func(tx *kv.Tx) error {
		add := func(hash string) error {
			has, err := s.blobs.Has(hash)
			if err == nil && !has && !slices.Contains(lacking, hash) {
				lacking = append(lacking, hash)
			}
			return err
		}
		for _, hash := range before {
			if strings.HasPrefix(hash, keysPrefix) {
				continue
			}
			if needed, err := s.o.Needed.Needs(tx, hash); err != nil || !needed {
				if err != nil {
					return err
				}
				continue
			}
			if err := add(hash); err != nil {
				return err
			}
		}
		return s.o.Needed.Each(tx, since, add)
	})
	return lacking, err
}

// intake receives the entries of a backup.
type intake struct {
	*Standby
	ctx     context.Context
	records *os.File
	own     kv.History // of what the standby has; zero if it has nothing
	damaged []string
}

// mayTake refuses the backups of another installation, and those from before what the standby has:
// whoever can write to the source could otherwise replace everything, or bring back what was withdrawn.
func (in *intake) mayTake(h Header) error {
	switch {
	case in.own.Line == "" || h.Line == "":
		return nil
	case h.Line != in.own.Line:
		return fmt.Errorf("%s is a backup of another installation; name a separate folder for each, or begin a new standby", h.ID)
	case h.Epoch < in.own.Epoch:
		return fmt.Errorf("%s is of a server in whose stead another one was restored or promoted, which this standby follows", h.ID)
	}
	return nil
}

func (in *intake) entry(h Header, name string, r io.Reader) error {
	if err := errors.Join(in.ctx.Err(), in.mayTake(h)); err != nil {
		return err
	}
	if strings.HasPrefix(name, recordsPrefix) {
		_, err := io.Copy(in.records, r)
		return err
	}
	if hash, ok := strings.CutPrefix(name, filesPrefix); ok && fileName.MatchString(hash) {
		ref, err := in.blobs.Put(in.ctx, r)
		if err == nil && ref.Hash != hash {
			err = fmt.Errorf("%w: it holds another file as %s", ErrDamaged, hash)
		}
		return err
	}
	rest, ok := strings.CutPrefix(name, keysPrefix)
	switch {
	case ok && filepath.IsLocal(filepath.FromSlash(rest)):
		return writeFile(in.path(filepath.Join(incoming, "keys", filepath.FromSlash(rest))), r)
	case name == settingsEntry:
		return writeFile(in.path(filepath.Join(incoming, "restored", "config.toml")), r)
	case name == damagedEntry:
		b, err := io.ReadAll(r)
		in.damaged = strings.Fields(string(b))
		return err
	case name == listEntry: // the records say what they need
		return nil
	}
	return errors.New("unknown to this version of Paraph")
}

// replaceFiles makes a folder of small files the same as another one, file by file: each is there whole at
// any moment.
func replaceFiles(dir, with string) error {
	kept := map[string]bool{}
	err := filepath.WalkDir(with, func(path string, e fs.DirEntry, err error) error {
		if path == with && errors.Is(err, fs.ErrNotExist) {
			return nil // there are none
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(with, path)
		if err != nil {
			return err
		}
		kept[name] = true
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return errors.Join(os.Rename(path, to), archive.SyncDir(filepath.Dir(to)))
	})
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if path == dir && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && !kept[name] {
			err = os.Remove(path)
		}
		return err
	})
}

// Promote makes the standby a data folder of its own, in a new epoch. prepare is called before, for the records
// as they are, and returns the place in the journal that they have come to. Promote tells the source, so that the server in whose stead it goes on finds out; told says why that failed, nil if
// it did not.
func (s *Standby) Promote(ctx context.Context, host string, prepare func(*kv.Tx) (place uint64, err error)) (claim Claim, told, err error) {
	if s.State().Tip == "" {
		return claim, nil, errors.New("the standby has not been filled yet")
	}
	err = s.db.View(func(tx *kv.Tx) error {
		claim.Place, err = prepare(tx)
		return err
	})
	if err != nil {
		return claim, nil, err
	}
	h, err := s.db.Descend(0)
	if err != nil {
		return claim, nil, err
	}
	claim.History, claim.Host, claim.Since = h, host, time.Now()
	told = s.feed.tell(ctx, claim)
	return claim, told, errors.Join(os.Remove(s.path(standbyName)), archive.SyncDir(s.dir))
}
