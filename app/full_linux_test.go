package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/apptest/smalldisk"
)

const (
	// fillsEnv names the variable for how often the disk is filled by others; the default is once.
	fillsEnv = "PARAPH_TEST_FILLS"

	smallDisk = 320 << 20
)

// onSmallDisk reruns the test with a small disk, and calls fn with a folder on it.
func onSmallDisk(t *testing.T, fn func(t *testing.T, dir string)) {
	t.Helper()
	t.Parallel()
	smalldisk.Run(t, smallDisk, fn, apptest.ProgramEnv+"="+binary(t))
}

// filler is a file that uses up the free space of a disk.
type filler struct {
	*testing.T
	file *os.File
	size int64
}

func newFiller(t *testing.T, dir string) *filler {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	return &filler{T: t, file: f}
}

// take uses up the free space except for the given number of bytes.
func (f *filler) take(but int64) {
	f.Helper()
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.file.Fd()), &s); err != nil {
		f.Fatal(err)
	}
	for step := int64(s.Bavail)*s.Bsize - but; step >= s.Bsize; step /= 2 {
		for unix.Fallocate(int(f.file.Fd()), 0, f.size, step) == nil {
			if f.size += step; but > 0 {
				return
			}
		}
	}
}

// free releases the space.
func (f *filler) free() {
	f.Helper()
	f.size = 0
	if err := f.file.Truncate(0); err != nil {
		f.Fatal(err)
	}
}

// noRoom is the sentence of a refusal for lack of space.
const noRoom = "There is not enough disk space. Nothing was changed; try again when there is room."

// wantNoRoom checks that a request was refused for lack of space.
func wantNoRoom(t *testing.T, what string, err error) {
	t.Helper()
	if statusOf(err) != http.StatusInsufficientStorage || !strings.Contains(err.Error(), noRoom) {
		t.Errorf("%s on a full disk: %v", what, err)
	}
}

// TestUploadsThatFillTheDiskAreRefused uploads until the disk is full: nothing of the
// refused upload remains, reads continue, and once there is space everything works again.
func TestUploadsThatFillTheDiskAreRefused(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, dir string) {
		data := filepath.Join(dir, "data")
		p := serve(t, data)
		c := p.login()
		d := &trace{title: "Lease", email: "sam@signer.example"}
		if err := d.walk(c, signed, false); err != nil {
			t.Fatal(err)
		}
		f := newFiller(t, dir)
		f.take(96 << 20)
		draft := &trace{title: "Large", email: "sam@signer.example"}
		if err := draft.create(c); err != nil {
			t.Fatal(err)
		}
		upload := func(n int) error {
			body, contentType := form(fmt.Sprint(n, ".pdf"), smallPDF(fmt.Sprint(n), 6<<20))
			_, err := c.send(http.MethodPost, "/documents/"+draft.id+"/upload", contentType, bytes.NewReader(body))
			return err
		}
		kept, err := 0, error(nil)
		for ; err == nil && kept < 20; kept++ {
			err = upload(kept)
		}
		kept-- // the last one was refused
		wantNoRoom(t, "an upload", err)
		var now seen
		if err := c.do(http.MethodGet, "/documents/"+draft.id, nil, &now); err != nil || len(now.Files) != kept {
			t.Errorf("%d files, want %d: %v", len(now.Files), kept, err)
		}
		f.take(0)
		wantNoRoom(t, "a new document", (&trace{title: "More"}).create(c))
		var signedNow seen
		if err := c.do(http.MethodGet, "/documents/"+d.id, nil, &signedNow); err != nil {
			t.Errorf("reading on a full disk: %v", err)
		}
		if err := d.filesHold(c, &signedNow); err != nil {
			t.Errorf("downloading on a full disk: %v", err)
		}
		f.free()
		if err := upload(kept); err != nil {
			t.Errorf("once there is space: %v", err)
		}
		endsClean(t, p, data)
	})
}

// endsClean stops the appliance and checks its data.
func endsClean(t *testing.T, p *process, data string) {
	t.Helper()
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if got := call(t, "check", "--set", "data.dir="+data); got.code != 0 {
		t.Errorf("check: exit %d: %s%s", got.code, got.out, got.err)
	}
}

// fillRounds is how often others fill the disk.
func fillRounds() int {
	n, err := strconv.Atoi(os.Getenv(fillsEnv))
	if err != nil {
		return 1
	}
	return n
}

// TestDiskFilledByOthersLosesNothing fills the disk at random moments while documents
// are created, uploaded, sent, signed, sealed and indexed. Every request succeeds or
// fails as a whole, and once there is space work continues without a restart.
func TestDiskFilledByOthersLosesNothing(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, dir string) {
		k := &killing{T: t, dir: filepath.Join(dir, "data"), settings: []string{"log.requests=false"}}
		k.peace()
		p := serve(t, k.dir, k.settings...)
		c := p.login()
		f := newFiller(t, dir)
		w := &busyTeam{killing: k, client: c}
		for range 4 {
			w.work.Go(w.walk)
		}
		for range fillRounds() {
			w.await("work", &w.steps, 1+rand.Int64N(60))
			refusals := w.refusals.Load()
			p.until("refusals", func() (string, bool) {
				f.take(0)
				return "", t.Failed() || w.refusals.Load() > refusals+20
			})
			k.reads(c)
			f.free()
			w.await("work with space", &w.steps, 5)
		}
		w.over.Store(true)
		w.work.Wait()
		k.retrySealing(c)
		p.until("every signed document is sealed", func() (string, bool) {
			unsealed := k.unsealed(c)
			return strings.Join(unsealed, "; "), len(unsealed) == 0
		})
		k.compare(c, k.traces)
		if n, err := c.total("search=Paper"); err != nil || n == 0 {
			t.Errorf("search found %d: %v", n, err)
		}
		endsClean(t, p, k.dir)
	})
}

// busyTeam is several people working on documents.
type busyTeam struct {
	*killing
	client          *client
	work            sync.WaitGroup
	over            atomic.Bool
	steps, refusals atomic.Int64
}

// walk completes document after document. A step refused for lack of space must leave
// nothing behind, and is repeated.
func (w *busyTeam) walk() {
	for !w.over.Load() && !w.Failed() {
		d := w.trace()
		steps := []func(*client) error{d.create, d.upload, d.invite, d.send, d.sign}
		for d.reached < signed && d.reached != sealing && !w.over.Load() && !w.Failed() {
			err := steps[d.reached](w.client)
			switch {
			case err == nil:
				d.reached = d.reached.next()
				w.steps.Add(1)
			case statusOf(err) == http.StatusInsufficientStorage:
				w.refusals.Add(1)
			case d.reached == sent && errors.Is(err, errWrong):
				d.reached = sealing // signed; sealing has to wait for space
			default:
				w.Errorf("%s after step %d: %v", d.title, d.reached, err)
			}
		}
	}
}

// await waits until a count has grown.
func (w *busyTeam) await(what string, count *atomic.Int64, by int64) {
	w.Helper()
	before := count.Load()
	patience.Until(w, what, func() (string, bool) {
		return fmt.Sprintf("%d steps, %d refusals", w.steps.Load(), w.refusals.Load()), w.Failed() || count.Load() >= before+by
	})
}

// reads checks that lists and pages can be read.
func (k *killing) reads(c *client) {
	k.Helper()
	for _, path := range []string{"/documents?per_page=5", "/documents/" + k.traces[0].id, "/outbox"} {
		if err := c.do(http.MethodGet, path, nil, nil); err != nil {
			k.Errorf("GET %s on a full disk: %v", path, err)
		}
	}
}

// retrySealing requests the missing seals.
func (k *killing) retrySealing(c *client) {
	k.Helper()
	var user struct{ Companies []struct{ ID string } }
	if err := c.do(http.MethodPost, "/login", map[string]string{"email": adminEmail, "password": adminPassword}, &user); err != nil {
		k.Fatal(err)
	}
	for _, d := range k.traces {
		if d.reached != sealing {
			continue
		}
		path := "/installation/companies/" + user.Companies[0].ID + "/documents/" + d.id + "/retry"
		if err := c.do(http.MethodPost, path, nil, nil); err != nil && statusOf(err) != http.StatusConflict {
			k.Errorf("retrying to seal: %v", err)
		}
	}
}
