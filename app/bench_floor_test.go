package app_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/oklog/ulid/v2"

	"paraph/app/blob"
	"paraph/kv"
)

// The floors store what a request stores and do nothing else, in the process of the benchmark.

// processor returns the processor time of this process so far.
func processor() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// rawCodec stores bytes as they are.
var rawCodec = kv.Codec[[]byte]{
	Encode: func(b []byte) ([]byte, error) { return b, nil },
	Decode: func(b []byte) ([]byte, error) { return b, nil },
}

// createFloor lets one and 64 writers commit entries of the number and size of those of a new
// document.
func (h *bench) createFloor() {
	dir := filepath.Join(h.TempDir(), "creates")
	h.createOne(dir)
	before := h.entriesOf(dir)
	id := h.createOne(dir)
	after := h.entriesOf(dir)
	var version uint64 // of the document, and so of everything in its commit
	for key, e := range after {
		if strings.HasPrefix(key, "ddocuments") && strings.HasSuffix(key, id) {
			version = e.version
		}
	}
	var own, common []entry // new entries, and those that every document writes over
	for key, e := range after {
		if _, old := before[key]; old && e.version == version {
			common = append(common, e)
		} else if e.version == version {
			own = append(own, e)
		}
	}
	db := must(kv.Open(kv.Options{Dir: filepath.Join(h.TempDir(), "floor")}))
	records, zeroes := kv.NewCollection("records", rawCodec), make([]byte, 64<<10)
	commit := func() error {
		id := ulid.Make().String()
		return db.Update(func(tx *kv.Tx) error {
			for i, e := range own {
				if err := records.Put(tx, fmt.Sprintf("%2d/%s/%*d", i, id, max(1, e.key-30), 0), zeroes[:e.value]); err != nil {
					return err
				}
			}
			for i, e := range common {
				if err := records.Put(tx, fmt.Sprintf("%*d", e.key, i), zeroes[:e.value]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var one, many, ratios []float64
	for range rounds {
		o, m := h.repeat(1, commit), h.repeat(64, commit)
		one, many, ratios = append(one, o), append(many, m), append(ratios, m/o)
	}
	h.check(db.Close())
	h.line(fmt.Sprintf("floor: its %d entries, of them %d anew", len(own)+len(common), len(own)), fmt.Sprintf("%7.0f/s", median(one)))
	h.line("the same with 64 writers", fmt.Sprintf("%7.0f/s   %.2f of one writer", median(many), median(ratios)))
}

// createOne starts a server, creates a document, and stops the server.
func (h *bench) createOne(dir string) (id string) {
	_, p := h.start(dir, "serve")
	l := must(dialLean(p.url))
	h.check(l.do(newDocument(p.login().token)))
	id = l.id(0)
	h.check(l.Close())
	p.stop()
	return id
}

// entry has the sizes of an entry of the store, in bytes, and the version of its commit.
type entry struct {
	key, value int
	version    uint64
}

// entriesOf returns the entries in a data folder by their keys.
func (h *bench) entriesOf(dir string) map[string]entry {
	db := must(badger.Open(badger.DefaultOptions(filepath.Join(dir, "kv")).WithLogger(nil)))
	all := map[string]entry{}
	h.check(db.View(func(tx *badger.Txn) error {
		i := tx.NewIterator(badger.IteratorOptions{})
		defer i.Close()
		for i.Rewind(); i.Valid(); i.Next() {
			item := i.Item()
			all[string(item.Key())] = entry{len(item.Key()), int(item.ValueSize()), item.Version()}
		}
		return nil
	}))
	h.check(db.Close())
	return all
}

// commitsPerCycle is how many commits the requests of a cycle wait for: create,
// upload, invite, send, sign, complete.
const commitsPerCycle = 6

// floor only writes what a cycle stores on disk.
type floor struct {
	db      *kv.DB
	blobs   *blob.Store
	files   [][]byte
	records *kv.Collection[[]byte]
	journal *kv.Log[[]byte]
	done    atomic.Int64  // cycles
	took    time.Duration // processor time
}

func (h *bench) newFloor(sizes []int64) *floor {
	dir := h.TempDir()
	f := &floor{db: must(kv.Open(kv.Options{Dir: filepath.Join(dir, "kv")})), blobs: must(blob.Open(filepath.Join(dir, "files"), blob.Options{Reserve: 1})),
		records: kv.NewCollection("records", rawCodec), journal: kv.NewLog("journal", rawCodec)}
	for _, n := range sizes {
		f.files = append(f.files, smallPDF("Floor", int(n)))
	}
	return f
}

func (f *floor) cycle() error {
	for _, content := range f.files {
		b := bytes.Clone(content)
		copy(b, ulid.Make().String())
		if _, err := f.blobs.Put(context.Background(), bytes.NewReader(b)); err != nil {
			return err
		}
	}
	record := bytes.Repeat([]byte("x"), 2000)
	id := ulid.Make().String()
	for range commitsPerCycle {
		err := f.db.Update(func(tx *kv.Tx) error {
			if _, err := f.journal.Append(tx, ulid.Make().String(), "", id, record[:300]); err != nil {
				return err
			}
			return f.records.Put(tx, id, record)
		})
		if err != nil {
			return err
		}
	}
	f.done.Add(1)
	return nil
}
