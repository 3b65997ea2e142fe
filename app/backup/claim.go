package backup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"paraph/kv"
)

// Claim says whose backups a place holds. The newest epoch of an installation holds it: a server in
// whose stead another one was restored or promoted finds out here that it is no longer the one.
type Claim struct {
	kv.History
	Host   string    `json:"host"`
	Since  time.Time `json:"since"`  // when this epoch took the place
	Writer string    `json:"writer"` // the process that follows into the place
	// Place is the place in the journal up to which a promoted server has everything.
	Place uint64 `json:"place,omitempty"`
	// Current is a time: all that was answered before it is in the place.
	Current time.Time `json:"current,omitzero"`
}

// claimName is the file that holds a claim.
const claimName = "server.json"

// SupersededError reports that a place holds the backups of another server of the same installation.
type SupersededError struct {
	By    Claim
	Where string
}

// Error says which server it is, and what to do.
func (e *SupersededError) Error() string {
	return fmt.Sprintf("%s holds the backups of %s, which was restored or promoted in this server's stead (%s); "+
		"stop this server, or if it is the one that goes on, run paraph backup %s --follow --take-over",
		e.Where, e.By.Host, e.By.Since.Local().Format(time.DateTime), e.Where)
}

// supersedes reports whether the holder of a place goes before a server.
func (c Claim) supersedes(own kv.History) bool {
	return c.Line == own.Line && (c.Epoch > own.Epoch || c.Epoch == own.Epoch && c.ID != own.ID)
}

// claimOf returns the claim on a place; the zero value if there is none.
func claimOf(ctx context.Context, in location) (c Claim, err error) {
	b, err := in.note(ctx, claimName)
	if err != nil || b == nil {
		return c, err
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("%s: %w", in.where(claimName), err)
	}
	return c, nil
}

func (c Claim) write(ctx context.Context, in location) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return in.setNote(ctx, claimName, b)
}

// mayWrite refuses a place that another server of the same installation holds.
func mayWrite(ctx context.Context, from Origin, in location) error {
	found, err := claimOf(ctx, in)
	if err != nil || found.ID == "" {
		return err
	}
	own, err := from.History(ctx)
	if err != nil {
		return err
	}
	if found.supersedes(own) {
		return errors.Join(&SupersededError{found, in.where("")}, from.Superseded(ctx, found))
	}
	return nil
}

// claimant holds a place for the process that follows into it.
type claimant struct {
	from   Origin
	in     location
	writer string
	begun  bool
	seize  bool // also from a later epoch
	held   Claim
}

func newClaimant(from Origin, in location, seize bool) *claimant {
	return &claimant{from: from, in: in, writer: rand.Text(), seize: seize}
}

// hold returns an error if the place belongs to another server, or if another process follows into it by
// now. The process that began last goes on, so that one that was killed keeps no other from it.
func (c *claimant) hold(ctx context.Context) error {
	own, err := c.from.History(ctx)
	if err != nil {
		return err
	}
	found, err := claimOf(ctx, c.in)
	if err != nil {
		return err
	}
	if found.ID != "" && found.Line != own.Line {
		return fmt.Errorf("%s holds the backups of another installation, on %s; name a separate folder", c.in.where(""), found.Host)
	}
	if found.supersedes(own) && c.seize {
		if own, err = c.from.TakeOver(ctx, found.Epoch); err != nil {
			return err
		}
	}
	c.seize = false
	if found.supersedes(own) {
		return errors.Join(&SupersededError{found, c.in.where("")}, c.from.Superseded(ctx, found))
	}
	if c.begun && found.Writer != c.writer {
		return &takenError{c.in.where(""), found.Host}
	}
	if c.begun && found.ID == own.ID {
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	c.begun, c.held = true, Claim{History: own, Host: host, Since: found.Since, Place: found.Place, Writer: c.writer, Current: found.Current}
	if found.ID != own.ID {
		c.held.Since, c.held.Place, c.held.Current = time.Now(), 0, time.Time{}
	}
	return c.held.write(ctx, c.in)
}

// current notes until when the place holds everything.
func (c *claimant) current(ctx context.Context, at time.Time) error {
	c.held.Current = at
	return c.held.write(ctx, c.in)
}

// takenError reports that another process follows into the same place.
type takenError struct{ where, host string }

func (e *takenError) Error() string {
	return fmt.Sprintf("another process, on %s, follows into %s by now", e.host, e.where)
}

// final reports whether following has to end, because what keeps it from going on does not pass.
func final(err error) bool {
	if _, ok := errors.AsType[*SupersededError](err); ok {
		return true
	}
	_, ok := errors.AsType[*takenError](err)
	return ok
}

// supersededName is the file in the folder of records that says who superseded the installation.
const supersededName = "superseded"

// Superseded returns the server that was restored or promoted in the stead of the one whose data folder
// this is.
func Superseded(dir string) (by Claim, is bool, err error) {
	b, err := os.ReadFile(filepath.Join(catalogOf(dir).dir, supersededName))
	if errors.Is(err, fs.ErrNotExist) {
		return by, false, nil
	}
	if err != nil {
		return by, false, err
	}
	err = json.Unmarshal(b, &by)
	return by, err == nil, err
}

// History implements [Origin].
func (s *Source) History(context.Context) (kv.History, error) { return s.DB.History() }

// Superseded implements [Origin].
func (s *Source) Superseded(_ context.Context, by Claim) error {
	b, err := json.Marshal(by)
	if err != nil {
		return err
	}
	return errors.Join(s.catalog().make(), replaceFile(filepath.Join(s.catalog().dir, supersededName), b))
}

// TakeOver implements [Origin].
func (s *Source) TakeOver(_ context.Context, after uint64) (kv.History, error) {
	h, err := s.DB.Descend(after)
	if err != nil {
		return h, err
	}
	return h, ignoreMissing(os.Remove(filepath.Join(s.catalog().dir, supersededName)))
}
