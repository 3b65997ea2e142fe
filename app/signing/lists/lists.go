package lists

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/blob"
	"paraph/app/pdf/pdfium"
	"paraph/app/turns"
	"paraph/kv"
	"paraph/search"
)

// Options are the dependencies of Lists.
type Options struct {
	DB     *kv.DB
	Jobs   *kv.Jobs
	Search *search.Index
	Blobs  *blob.Store
	PDFium *pdfium.Engine // reads the text of files
	NewID  func() ulid.ULID
	Log    *slog.Logger
}

// Lists lists, counts and finds documents.
type Lists struct {
	Options
	reading   reading
	rebuild   rebuild
	Searching *turns.Queue // for queries of the index
}

// New creates the lists. The index is not kept in step until Run is called.
func New(o Options) *Lists {
	cores := int64(runtime.GOMAXPROCS(0))
	return &Lists{Options: o,
		Searching: turns.New(turns.Options{Slots: 2 * cores, Group: 2*cores - 1, Patience: 10 * time.Second})}
}

// Load returns the load of the index queue.
func (s *Lists) Load() turns.Load { return s.Searching.Load() }

// Reset forgets which files were being read, after the store has been emptied.
func (s *Lists) Reset() { s.reading.reset() }
