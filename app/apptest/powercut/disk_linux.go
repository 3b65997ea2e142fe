// Package powercut provides a folder that forgets, when the power is cut, what no program asked
// to be made durable. Killing a process does not do that: the kernel keeps what was written.
package powercut

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Loss is the fate of data that was written but not synced when the power is cut. It depends on
// the file system.
type Loss int

// The ways to lose unsynced data.
const (
	All   Loss = iota // all of it: contents, sizes, names, renames and removals
	Data              // contents are lost, but names and sizes are kept
	Torn              // names up to some moment are kept, and any blocks of the contents
	kinds             // number of them
)

// Losses returns all ways to lose data.
func Losses() (all []Loss) {
	for l := range kinds {
		all = append(all, l)
	}
	return all
}

// Disk is a mounted folder.
type Disk struct {
	Dir string // where it is mounted

	live, synced string // folders: what programs see, and what would survive
	server       *fuse.Server
	root         *entry

	mu   sync.RWMutex // held for reading by operations, for writing by the cut
	off  bool
	meta sync.Mutex // guards the names of all entries, and the log
	log  []change   // not yet durable, oldest first
	made int        // entries so far
}

// entry is a file or folder, whatever its names are.
type entry struct {
	id      int
	folder  bool
	now     map[string]*entry // of a folder
	durable map[string]*entry // what is left of now when the power is cut

	mu      sync.Mutex
	written []span // not yet durable
}

// span is part of a file.
type span struct{ from, to int64 }

// change is one change of names, atomic as the journal of a file system makes it.
type change []naming

// naming adds a name for an entry to a folder, or removes the name if the entry is nil.
type naming struct {
	in   *entry
	name string
	of   *entry
}

func (c change) apply() {
	for _, n := range c {
		if n.of == nil {
			delete(n.in.durable, n.name)
		} else {
			n.in.durable[n.name] = n.of
		}
	}
}

// Mount mounts a disk with the contents of a folder, all of them durable. The test is skipped
// where the machine doesn't let it mount one. The returned disk is unmounted when the test ends.
func Mount(t *testing.T, contents string) *Disk {
	t.Helper()
	base, err := os.MkdirTemp("", "power")
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{Dir: filepath.Join(base, "d"), live: filepath.Join(base, "live"), synced: filepath.Join(base, "synced")}
	for _, dir := range []string{d.Dir, d.live, d.synced} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if contents != "" {
		copyTree(t, contents, d.live)
	}
	d.root = d.scan(t, "")
	//lint:ignore SA1019 what replaces it isn't told the name of the entry
	data := &fs.LoopbackRoot{Path: d.live, NewNode: d.newNode}
	root := &node{LoopbackNode: fs.LoopbackNode{RootData: data}, disk: d, entry: d.root}
	data.RootNode = root
	d.server, err = fs.Mount(d.Dir, root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "power", Options: []string{"default_permissions"}},
	})
	t.Cleanup(func() { d.remove(t, base) })
	if err != nil {
		t.Skip("this machine doesn't let tests mount a file system of their own (it takes /dev/fuse and the right to mount): ", err)
	}
	return d
}

func (d *Disk) remove(t *testing.T, base string) {
	if d.server != nil {
		if err := d.server.Unmount(); err != nil {
			t.Error(err)
			return
		}
	}
	if err := os.RemoveAll(base); err != nil {
		t.Error(err)
	}
}

// copyTree copies the contents of a folder, with the holes of its files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", "--sparse=always", from+"/.", to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
}

// scan makes the entry of a path, and of everything in it.
func (d *Disk) scan(t *testing.T, path string) *entry {
	t.Helper()
	info, err := os.Lstat(filepath.Join(d.live, path))
	if err != nil {
		t.Fatal(err)
	}
	e := d.newEntry(info.IsDir())
	if !e.folder {
		from, to := filepath.Join(d.live, path), d.kept(e)
		if out, err := exec.CommandContext(t.Context(), "cp", "--sparse=always", from, to).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v: %s", err, out)
		}
		return e
	}
	names, err := os.ReadDir(filepath.Join(d.live, path))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !n.IsDir() && !n.Type().IsRegular() {
			continue
		}
		e.now[n.Name()] = d.scan(t, filepath.Join(path, n.Name()))
		e.durable[n.Name()] = e.now[n.Name()]
	}
	return e
}

func (d *Disk) newEntry(folder bool) *entry {
	d.made++
	return &entry{id: d.made, folder: folder, now: map[string]*entry{}, durable: map[string]*entry{}}
}

// Cut cuts the power: from now on every operation fails.
func (d *Disk) Cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}

// Rest returns a folder with what is left after the cut.
func (d *Disk) Rest(t *testing.T, loss Loss, random *rand.Rand) string {
	t.Helper()
	d.Cut()
	d.meta.Lock()
	defer d.meta.Unlock()
	survives := map[Loss]int{Data: len(d.log), Torn: random.IntN(len(d.log) + 1)}[loss]
	for _, c := range d.log[:survives] {
		c.apply()
	}
	paths := map[*entry]string{}
	d.root.paths(d.live, paths)
	out := t.TempDir()
	r := rest{T: t, disk: d, loss: loss, random: random, paths: paths}
	r.folder(d.root, out)
	return out
}

// paths collects where the entries are now.
func (e *entry) paths(at string, into map[*entry]string) {
	into[e] = at
	for name, of := range e.now {
		of.paths(filepath.Join(at, name), into)
	}
}

// rest writes what is left.
type rest struct {
	*testing.T
	disk   *Disk
	loss   Loss
	random *rand.Rand
	paths  map[*entry]string
}

func (r rest) folder(e *entry, to string) {
	for name, of := range e.durable {
		path := filepath.Join(to, name)
		if !of.folder {
			r.file(of, path)
			continue
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			r.Fatal(err)
		}
		r.folder(of, path)
	}
}

func (r rest) file(e *entry, to string) {
	synced := r.disk.kept(e)
	if _, err := os.Stat(synced); err != nil {
		synced = os.DevNull // never synced
	}
	out, err := exec.CommandContext(r.Context(), "cp", "--sparse=always", synced, to).CombinedOutput()
	if err != nil {
		r.Fatalf("cp: %v: %s", err, out)
	}
	now, known := r.paths[e]
	if r.loss == All || !known || len(e.written) == 0 {
		return
	}
	if err := r.blocks(e, now, to); err != nil {
		r.Fatal(err)
	}
}

// block is the number of bytes that a disk writes atomically.
const block = 4096

// blocks sets the size of a file to its current one and, if contents are torn, keeps some of the
// blocks written since the last sync.
func (r rest) blocks(e *entry, now, to string) error {
	info, err := os.Stat(now)
	if err != nil {
		return err
	}
	if err := os.Truncate(to, info.Size()); err != nil || r.loss != Torn {
		return err
	}
	from, err := os.Open(now)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, s := range e.written {
		for at := s.from; at < min(s.to, info.Size()); at = (at/block + 1) * block {
			if r.random.IntN(2) == 0 {
				if err := copySpan(from, f, span{at, min(s.to, info.Size(), (at/block+1)*block)}); err != nil {
					return err
				}
			}
		}
	}
	return f.Close()
}
