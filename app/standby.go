package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/dustin/go-humanize/english"

	"paraph/app/account"
	"paraph/app/backup"
	"paraph/app/control"
	"paraph/app/folder"
	"paraph/app/signing/lists"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/app/words"
	"paraph/kv"
)

// promotedName is the file in the data folder of a server that was a standby.
const promotedName = "promoted.json"

// promotedNote says what a promoted standby had.
type promotedNote struct {
	Source  string    `json:"source"`
	At      time.Time `json:"at"`       // when it was promoted
	Current time.Time `json:"current"`  // all that was answered before is here
	Place   uint64    `json:"place"`    // of the last entry in the journal
	Entry   time.Time `json:"entry_at"` // when that was written
}

// promoted returns the note of a promoted standby, if the data folder was one.
func promoted(dir string) (n promotedNote, was bool, err error) {
	b, err := os.ReadFile(filepath.Join(dir, promotedName))
	if errors.Is(err, fs.ErrNotExist) {
		return n, false, nil
	}
	if err != nil {
		return n, false, err
	}
	err = json.Unmarshal(b, &n)
	return n, err == nil, err
}

func (n promotedNote) String() string {
	last := "its journal is empty"
	if n.Place > 0 {
		last = fmt.Sprintf("the last entry of its journal is number %d, of %s", n.Place, n.Entry.Local().Format(time.DateTime))
	}
	return fmt.Sprintf("This server has everything that the other one answered until %s; %s. What the other one answered later is missing here, if there was anything.",
		n.Current.Local().Format(time.DateTime), last)
}

// errStandby refuses to use the data folder of a standby as that of a server.
func errStandby(dir string) error {
	state, is, err := backup.ReadStandby(dir)
	if err != nil || !is {
		return err
	}
	return fmt.Errorf("%s is a standby of %s; paraph promote makes it a server", dir, state.Source)
}

// StandbyOptions configure a standby.
type StandbyOptions struct {
	Source string // of the backups: a folder, a bucket, or unix: and the path of the control socket of a server
	Keys   backup.Keys
	Every  time.Duration
}

// unixSource begins the address of a server's control socket.
const unixSource = unixListen

func (o StandbyOptions) feed(cfg Config) (backup.Feed, error) {
	path, isSocket := strings.CutPrefix(o.Source, unixSource)
	if !isSocket {
		return buckets(cfg).NewFeed(o.Source, o.Keys)
	}
	server := control.NewClient(func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	})
	return backup.NewServerFeed(o.Source, backup.NewRemote(server), o.Every), nil
}

// FollowServer keeps the data folder a standby of another server until it is promoted, and then serves. A
// folder that was promoted is served at once.
func FollowServer(ctx context.Context, cfg Config, o StandbyOptions, w io.Writer, log *slog.Logger) error {
	_, was, err := promoted(cfg.Data.Dir)
	if err == nil && was {
		_, is, unread := backup.ReadStandby(cfg.Data.Dir)
		was, err = !is, unread
	}
	if err != nil {
		return err
	}
	if was {
		log.Info("this standby was promoted and is served now; paraph serve does the same")
		return Serve(ctx, cfg, w, log)
	}
	p, err := follow(ctx, cfg, o, log)
	if err != nil || p == nil {
		return err
	}
	return p.serve(ctx, cfg, w, log)
}

// standby is a running standby.
type standby struct {
	cfg     Config
	o       StandbyOptions
	dir     string
	log     *slog.Logger
	words   *words.Catalogue
	copy    *backup.Standby
	promote chan *promotion

	mu     sync.Mutex
	failed error // why the source could not be followed last, nil if it was
}

// follow follows until ctx ends, or until it is promoted: then the data folder is closed, and somebody waits to
// hear that it is served.
func follow(ctx context.Context, cfg Config, o StandbyOptions, log *slog.Logger) (p *promotion, err error) {
	dir := cfg.Data.Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the data folder: %w", err)
	}
	if err := folder.MayUse(dir); err != nil {
		return nil, err
	}
	unlock, err := folder.Lock(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	folder.Close(dir, log)
	from, err := o.feed(cfg)
	if err != nil {
		return nil, err
	}
	s := &standby{cfg: cfg, o: o, dir: dir, log: log, promote: make(chan *promotion)}
	if s.words, err = words.Load(); err != nil {
		return nil, err
	}
	s.copy, err = backup.OpenStandby(dir, from, backup.StandbyOptions{DataVersion: dataVersion(), Needed: neededFiles{}, Log: log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.copy.Close()) }()
	closeAll, err := s.listen()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	log.Info("standby", "of", o.Source, "data", dir)
	systemd{nil, log}.tell(daemon.SdNotifyReady)
	return s.run(ctx)
}

// run applies what is new until the standby is promoted.
func (s *standby) run(ctx context.Context) (*promotion, error) {
	for {
		s.step(ctx)
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(s.o.Every):
		case p := <-s.promote:
			if err := s.become(ctx, p); err != nil {
				p.fail(err)
				continue
			}
			return p, nil
		}
	}
}

// step applies what is new at the source. It logs a failure, and its end, once.
func (s *standby) step(ctx context.Context) {
	before := s.copy.State()
	n, err := s.copy.Step(ctx)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	was := s.failed
	s.failed = err
	s.mu.Unlock()
	switch {
	case err != nil && (was == nil || was.Error() != err.Error()):
		s.log.Warn("the source can't be followed; it is tried again", "error", err)
	case err == nil && was != nil:
		s.log.Info("the source is followed again")
	}
	after := s.copy.State()
	if before.Tip == "" && after.Tip != "" {
		s.log.Info("the standby is filled", "current", after.Current)
	}
	if n > 0 && len(after.Lacking) > 0 {
		s.log.Error("the backups lack what the records need", "count", len(after.Lacking), "first", after.Lacking[0])
	}
}

// lastLook is how long a promotion waits for what may be new at the source.
const lastLook = 10 * time.Second

// become makes the data folder that of a server.
func (s *standby) become(ctx context.Context, p *promotion) error {
	ctx, cancel := context.WithTimeout(ctx, lastLook)
	defer cancel()
	n, err := s.copy.Step(ctx)
	switch {
	case err != nil:
		p.tell("%s could not be asked once more: %v.", s.o.Source, err)
	case n > 0:
		p.tell("Applied %s that had come meanwhile.", english.Plural(n, "backup", ""))
	}
	return p.of(ctx, s.copy, s.dir, s.log)
}

// promotion is the order to promote a standby.
type promotion struct {
	began time.Time
	out   io.Writer
	done  chan error // receives the end
}

// tell tells whoever promotes; a lost connection does not keep anybody from it.
func (p *promotion) tell(format string, args ...any) { _, _ = fmt.Fprintf(p.out, format+"\n", args...) }

func (p *promotion) fail(err error) { p.done <- err }

// of promotes a standby.
func (p *promotion) of(ctx context.Context, c *backup.Standby, dir string, log *slog.Logger) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	state := c.State()
	note := promotedNote{Source: state.Source, At: time.Now(), Current: state.Current}
	_, told, err := c.Promote(ctx, host, func(tx *kv.Tx) (uint64, error) {
		if note.Place, _, err = store.Events.Head(tx); err != nil {
			return 0, err
		}
		if note.Place > 0 {
			last, err := store.Events.Next(tx, note.Place-1, 1)
			if err != nil || len(last) == 0 {
				return 0, errors.Join(err, kv.ErrCorrupt)
			}
			note.Entry = last[0].At
		}
		b, err := json.Marshal(note)
		if err != nil {
			return 0, err
		}
		return note.Place, tree.WriteFile(filepath.Join(dir, promotedName), b, 0o600)
	})
	if err != nil {
		return err
	}
	p.tell("%s", note)
	log.Warn("promoted", "has_everything_until", note.Current, "journal_entry", note.Place, "of", note.Entry)
	if told != nil {
		p.tell("%s could not be told: %v. Keep the other server from coming back: it would not know that this one goes on in its stead.", state.Source, told)
		log.Warn("the source could not be told that this server goes on", "error", told)
	}
	if len(state.Lacking) > 0 {
		p.tell("The backups lacked %s that the records need; paraph check names the documents.", english.Plural(len(state.Lacking), "file", ""))
	}
	return nil
}

// serve runs the server that a standby has become.
func (p *promotion) serve(ctx context.Context, cfg Config, w io.Writer, log *slog.Logger) error {
	err := serve(ctx, cfg, w, log, func(a *App) {
		if n, err := a.outForSignature(ctx); err != nil {
			p.tell("The documents out for signature can't be counted: %v.", err)
		} else {
			p.tell("Out for signature: %s. Whose signature is missing can sign again.", english.Plural(n, "document", ""))
		}
		p.tell("Serves %s after %s.", a.URL(), time.Since(p.began).Round(time.Millisecond))
		p.done <- nil
	})
	if err != nil {
		select {
		case p.done <- fmt.Errorf("the standby was promoted, but does not start: %w", err):
		default:
		}
	}
	return err
}

// outForSignature returns how many documents wait for signatures.
func (a *App) outForSignature(ctx context.Context) (n int, err error) {
	all, err := a.Accounts.Operator.AllCompanies(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		counts, err := a.Signing.Lists.Counts(ctx, account.System(c.ID), lists.Query{})
		if err != nil {
			return 0, err
		}
		n += counts.ByStatus["sent"]
	}
	return n, nil
}

// Promote makes the standby in the data folder a server: through the process that follows, which then serves,
// or if there is none by itself.
func Promote(ctx context.Context, cfg Config, w io.Writer) (err error) {
	dir := cfg.Data.Dir
	state, is, err := backup.ReadStandby(dir)
	if err != nil {
		return fmt.Errorf("cannot read the data folder: %w", err)
	}
	if !is {
		return fmt.Errorf("%s is no standby", dir)
	}
	unlock, err := folder.Lock(dir)
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, dir, err); err != nil {
			return err
		}
		return orderServer(ctx, dir, promoteOrder, []byte("null"), w)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	o := StandbyOptions{Source: state.Source}
	from, err := o.feed(cfg)
	if err != nil {
		return err
	}
	c, err := backup.OpenStandby(dir, from, backup.StandbyOptions{DataVersion: dataVersion(), Needed: neededFiles{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	p := &promotion{began: time.Now(), out: w}
	if err := errors.Join(p.of(ctx, c, dir, slog.New(slog.DiscardHandler)), c.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "No process follows; start the server: paraph serve, or the unit of the standby.")
	return err
}

// behind returns how old what the standby has may be, and whether it is filled.
func (s *standby) behind() (age time.Duration, filled bool) {
	state := s.copy.State()
	return max(0, time.Since(state.Current)), state.Tip != ""
}

// standbyLate is how far behind a standby may be.
const standbyLate = 5 * time.Minute

// examine returns the state of the standby.
func (s *standby) examine() []Finding {
	state := s.copy.State()
	age, filled := s.behind()
	f := Finding{"standby", fine, fmt.Sprintf("A standby of %s. It has everything that was answered until %s, %s ago.", state.Source, state.Current.Local().Format(time.DateTime), cmp.Or(length(age), "0 s")), ""}
	s.mu.Lock()
	failed := s.failed
	s.mu.Unlock()
	switch {
	case !filled:
		f.State, f.Text = problem, "A standby of "+state.Source+" that is not filled yet."
	case age > max(standbyLate, 3*s.o.Every):
		f.State, f.Remedy = problem, "See whether the other server runs, and its paraph backup --follow. If it is lost, run paraph promote."
	}
	all := []Finding{f, checkModes(s.dir)}
	if failed != nil {
		all = append(all, Finding{"source", problem, sentence(failed), "The log says since when."})
	}
	if len(state.Lacking) > 0 {
		all = append(all, Finding{"files", problem, fmt.Sprintf("The backups lack %s that the records need; the first is %s.", english.Plural(len(state.Lacking), "file", ""), state.Lacking[0]),
			"Run paraph check --repair on the other server."})
	}
	return all
}

// leftNamed is how many documents are named that only a superseded server has in their present state.
const leftNamed = 50

// leftBehind names the documents of which the server that goes on in this one's stead lacks events.
func (a *App) leftBehind() Finding {
	if a.inMem {
		return Finding{}
	}
	by, is, err := backup.Superseded(a.dir)
	if !is && err == nil || is && by.Place == 0 {
		return Finding{}
	}
	events, documents := 0, map[string]string{}
	if err == nil {
		err = a.db.View(func(tx *kv.Tx) error {
			for after := by.Place; ; {
				more, err := store.Events.Next(tx, after, 500)
				if err != nil || len(more) == 0 {
					return err
				}
				for _, e := range more {
					if after = e.Seq; e.Chain != "" {
						events++
						documents[e.Chain] = e.Scope
					}
				}
			}
		})
	}
	if err != nil {
		return Finding{"only here", problem, sentence(err), "Run paraph check."}
	}
	if events == 0 {
		return Finding{"only here", fine, "All events of documents here are on " + by.Host + " as well.", ""}
	}
	names := slices.Sorted(maps.Keys(documents))
	for i, id := range names {
		names[i] = id + " of company " + documents[id]
	}
	rest := ""
	if more := len(names) - leftNamed; more > 0 {
		names, rest = names[:leftNamed], fmt.Sprintf(", and %d more", more)
	}
	return Finding{"only here", problem, fmt.Sprintf("Only here: %s after entry %d of the journal, of %s: %s%s.", english.Plural(events, "event", ""), by.Place,
		english.Plural(len(documents), "document", ""), strings.Join(names, ", "), rest), "Download what was completed, and have the rest signed again on " + by.Host + "."}
}
