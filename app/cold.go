package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"filippo.io/age"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"paraph/app/bucket"
	"paraph/app/cold"
	"paraph/app/folder"
	"paraph/app/machine"
	"paraph/app/signing"
)

// openCold prepares the storage that files of documents which ended long ago move to.
func (a *App) openCold() error {
	o := cold.Options{
		DB: a.db, Blobs: a.blobs, After: a.Config.Data.ColdAfter, Ended: signing.EndedBefore, Needed: neededFiles{}.wants,
		Key: once(a.coldKey), Now: a.Clock.Now, Log: a.log,
	}
	if a.Config.Data.Cold == "" {
		o.Off = errors.New("data.cold is empty")
	} else {
		o.Place, o.Off = bucket.Access(buckets(a.Config)).Open(a.Config.Data.Cold)
	}
	var err error
	if o.Host, err = os.Hostname(); err != nil {
		return err
	}
	a.cold = cold.New(o)
	return nil
}

// once returns a function that asks for a key until it gets it, and keeps it.
func once(ask func() (*age.X25519Identity, error)) func() (*age.X25519Identity, error) {
	var mu sync.Mutex
	var key *age.X25519Identity
	return func() (_ *age.X25519Identity, err error) {
		mu.Lock()
		defer mu.Unlock()
		if key == nil {
			key, err = ask()
		}
		return key, err
	}
}

// coldKey returns the key that files are encrypted with before they move. It is made when there never was
// one: files that have moved can't be read with another.
func (a *App) coldKey() (*age.X25519Identity, error) {
	r := a.register()
	if r.data == "" {
		return age.GenerateX25519Identity()
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	path := filepath.Join(r.folder(), coldKey)
	key, err := readColdKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = age.GenerateX25519Identity(); err != nil {
			return nil, err
		}
		err = folder.WriteSecret(path, []byte(key.String()+"\n"))
	}
	if err != nil {
		return nil, err
	}
	return key, r.Keep(coldKey, coldMark(key))
}

func readColdKey(path string) (*age.X25519Identity, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return age.ParseX25519Identity(strings.TrimSpace(string(b)))
}

func coldMark(key *age.X25519Identity) []byte {
	sum := sha256.Sum256([]byte(key.Recipient().String()))
	return sum[:]
}

// ColdOrder is the input of the command about cold storage.
type ColdOrder struct {
	Move      bool `json:",omitempty"` // what is due, now
	TakeOver  bool `json:",omitempty"` // the storage, from the server that moved files there
	BringBack bool `json:",omitempty"` // everything that has moved
}

// coldStorage says what has moved to cold storage, after doing what it is told.
func coldStorage(ctx context.Context, a *App, o ColdOrder, w io.Writer) error {
	if o.TakeOver {
		if err := a.cold.TakeOver(ctx); err != nil {
			return err
		}
		fmt.Fprintf(w, "From now on this server moves files to %s.\n", a.cold.Address())
	}
	if o.Move {
		p := a.cold.Move(ctx)
		fmt.Fprintf(w, "%s moved, which freed %s; %s removed.\n", english.Plural(p.Moved, "file", ""), humanize.Bytes(uint64(p.Bytes)), english.Plural(p.Removed, "object", ""))
		if p.Err != nil {
			return p.Err
		}
	}
	if o.BringBack {
		n, err := a.cold.BringBack(ctx)
		fmt.Fprintf(w, "%s brought back.\n", english.Plural(n, "file", ""))
		if err != nil {
			return err
		}
		if a.Config.Data.Cold != "" {
			fmt.Fprintln(w, "They move again unless data.cold is emptied.")
		}
	}
	of, err := a.cold.Sizes()
	if err != nil {
		return err
	}
	switch off := a.cold.Off(); {
	case off == nil:
		_, err = fmt.Fprintf(w, "%s (%s) kept in %s.\n", english.Plural(of.Files, "file is", "files are"), humanize.Bytes(uint64(of.Bytes)), a.cold.Address())
	case of.Files > 0:
		return fmt.Errorf("%s (%s) moved to cold storage and can't be read: %w", english.Plural(of.Files, "file", ""), humanize.Bytes(uint64(of.Bytes)), off)
	default:
		_, err = fmt.Fprintf(w, "No files move to cold storage: %s.\n", off)
	}
	return err
}

// moving says what has moved to cold storage, and tries to reach it.
func (a *App) moving(ctx context.Context) Finding {
	const part = "cold storage"
	of, err := a.cold.Sizes()
	if err != nil {
		return Finding{part, problem, sentence(err), "Run paraph check."}
	}
	if a.Config.Data.Cold == "" && of.Files == 0 {
		return Finding{part, fine, "All files are kept in the data folder.", ""}
	}
	if err := a.cold.Try(ctx); err != nil {
		return Finding{part, problem, fmt.Sprintf("%s there, and no more can move: %s", english.Plural(of.Files, "file is", "files are"), sentence(err)),
			"Check data.cold, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL, and run paraph cold --move."}
	}
	return Finding{part, fine, fmt.Sprintf("%s (%s) kept in %s.", english.Plural(of.Files, "file is", "files are"), size(of.Bytes), a.cold.Address()), ""}
}

// coldLate is how long moving files may fail before it is reported.
const coldLate = 24 * time.Hour

// unmoved warns that files which are to move to cold storage do not.
func (d dangers) unmoved(context.Context) ([]machine.Warning, error) {
	p := d.app.cold.Last()
	if p.Err == nil || d.app.Clock.Now().Sub(p.Since) < coldLate {
		return nil, nil
	}
	return []machine.Warning{{Key: "cold", Kind: machine.WarningCold, Facts: map[string]string{"place": d.app.cold.Address(), "error": sentence(p.Err)}}}, nil
}
