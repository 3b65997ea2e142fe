// Package pdfium draws pages, reads text with positions and repairs files with
// PDFium, which runs as WebAssembly in worker processes.
//
// Whatever a file does to PDFium affects only the request it belongs to. A
// request that runs past its deadline returns ErrTimeout and its process is
// killed; one that crashes PDFium returns ErrCrashed. Every request gets an
// instance of PDFium that has not processed any other file. PDFium has no access
// to the host's file system (except its fonts, read-only), environment or
// network.
//
// A worker is another process of the same program, whose main calls Serve.
package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"time"

	"paraph/app/turns"
)

var (
	// ErrPassword indicates that the file is encrypted and does not open with
	// the given password or without one.
	ErrPassword = errors.New("pdfium: password needed or wrong")
	// ErrDamaged indicates that PDFium could not parse the file or the page.
	ErrDamaged = errors.New("pdfium: not a readable PDF")
	// ErrUnsupported indicates that PDFium does not support the encryption of the file.
	ErrUnsupported = errors.New("pdfium: unsupported security handler")
	// ErrTimeout indicates that the work took longer than allowed and was killed.
	ErrTimeout = errors.New("pdfium: took too long")
	// ErrTooLarge indicates that the picture, text, file or required memory
	// exceeds the limits.
	ErrTooLarge = errors.New("pdfium: too large")
	// ErrNotStarted indicates that no worker process could be started, because of the machine and
	// not of the file.
	ErrNotStarted = errors.New("pdfium: worker not started")
	// ErrCrashed indicates that the file made PDFium or its worker process fail.
	ErrCrashed = errors.New("pdfium: worker failed")
	// ErrNoPage indicates that the document has no page of that number.
	ErrNoPage = errors.New("pdfium: no such page")
	// ErrClosed indicates that the engine has been closed.
	ErrClosed = errors.New("pdfium: engine closed")
)

// Limits that apply to every request.
const (
	MaxPixels    = 40_000_000 // of one picture
	MaxFileBytes = 1<<31 - 1  // of one source, all pieces together
	MaxTextBytes = 16 << 20   // of the text and positions of one document
	MaxPages     = 50_000     // of one document, for Pages, Text and PlainText
)

// Options describes how the engine runs its workers. Zero values mean the
// defaults.
type Options struct {
	Command     []string      // program and arguments of a process that calls Serve; required
	Workers     int           // maximum processes and concurrent requests; default 3, two of them for one company
	Patience    time.Duration // how long a request waits for a worker; default 30 s
	CacheDir    string        // keeps compiled code, created 0700; empty compiles at every start (seconds)
	FontDir     string        // fonts for files that embed none; default /usr/share/fonts if it exists
	MemoryMB    int           // memory of PDFium per request; default 512
	Timeout     time.Duration // per request, once it has a worker; default 20 s
	IdleTimeout time.Duration // after which an unused worker is ended; default 2 min
	RecycleJobs int           // requests after which a worker is replaced; default 200
	RecycleMB   int           // a worker is ended after a request that needed more; default 256
	Log         *slog.Logger  // crashes, timeouts; default none
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.Workers, 3)
	def(&o.MemoryMB, 512)
	def(&o.RecycleJobs, 200)
	def(&o.RecycleMB, 256)
	if o.Timeout <= 0 {
		o.Timeout = 20 * time.Second
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 2 * time.Minute
	}
	if o.FontDir == "" {
		o.FontDir = "/usr/share/fonts"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Source is a PDF on disk: one file, or pieces that form one file when
// concatenated, such as an upload and the revisions appended to it. Workers
// read the pieces in place.
type Source struct {
	Paths []string
}

// File is the Source of one whole file.
func File(path string) Source { return Source{Paths: []string{path}} }

// Size is the size of a page as displayed, in points (1/72 inch), after
// applying CropBox and Rotate (ISO 32000-2 §14.11.2) but not UserUnit.
type Size struct {
	Width, Height float64
}

// PageText is the text of one page in PDFium's reading order. It excludes form
// values.
type PageText struct {
	Text  string // lines end with \n
	Words []Word
}

// Word is a run of non-space characters and its bounding box, in fractions of
// the displayed page with the origin in the upper left corner. The box is as high
// as its font; what is drawn of the word lies between Top and Bottom, which are
// equal if nothing is. Glued is whether no space divides it from the word before it: it is drawn in another
// direction or place, or begins or ends with the braces of a text tag.
type Word struct {
	Text        string
	X, Y, W, H  float64
	Top, Bottom float64
	Glued       bool
}

// Engine is a pool of PDFium workers. Its methods are safe for concurrent use;
// calls beyond Options.Workers wait for their turn.
type Engine struct {
	pool *pool
	by   turns.Key
}

// Load returns how many workers are busy, and how many callers wait for one.
func (e *Engine) Load() turns.Load { return e.pool.queue.Load() }

// For returns the engine for the work of one caller, which is scheduled fairly
// among callers. Work done through the engine itself counts as the service's
// own.
func (e *Engine) For(k turns.Key) *Engine { return &Engine{e.pool, k} }

// Open prepares an engine; the first request starts the first process.
func Open(o Options) (*Engine, error) {
	o = o.withDefaults()
	if len(o.Command) == 0 {
		return nil, errors.New("pdfium: no worker command")
	}
	if o.MemoryMB > 4096 {
		return nil, fmt.Errorf("pdfium: MemoryMB %d is over 4096", o.MemoryMB)
	}
	if o.CacheDir != "" {
		if err := os.MkdirAll(o.CacheDir, 0o700); err != nil {
			return nil, fmt.Errorf("pdfium: cache folder: %w", err)
		}
		if err := os.Chmod(o.CacheDir, 0o700); err != nil { // it holds executable code
			return nil, fmt.Errorf("pdfium: cache folder: %w", err)
		}
	}
	return &Engine{pool: newPool(o)}, nil
}

// Close ends every worker, failing its current request with ErrClosed, and
// returns when all have exited.
func (e *Engine) Close() error {
	e.pool.close()
	return nil
}

// Warm starts a worker if none is idle, so that the next request need not wait
// for one, and fills the cache of compiled code.
func (e *Engine) Warm(ctx context.Context) error {
	_, err := e.pool.do(ctx, e.by, request{Op: opNone}, nil)
	return err
}

// Pages returns the sizes of all pages.
func (e *Engine) Pages(ctx context.Context, src Source) ([]Size, error) {
	data, err := e.pool.do(ctx, e.by, request{Op: opPages, Paths: src.Paths}, nil)
	if err != nil {
		return nil, err
	}
	sizes := make([]Size, len(data)/16)
	for i := range sizes {
		b := data[i*16:]
		sizes[i].Width = math.Float64frombits(binary.BigEndian.Uint64(b))
		sizes[i].Height = math.Float64frombits(binary.BigEndian.Uint64(b[8:]))
	}
	return sizes, nil
}

// Render draws a page, counted from 0, with its annotations and form fields on
// white, width pixels wide, and returns the picture as PNG.
func (e *Engine) Render(ctx context.Context, src Source, page, width int) ([]byte, error) {
	return e.render(ctx, request{Op: opRender, Paths: src.Paths, Page: page, Width: width})
}

// RenderToEnd is [Engine.Render], except that canceling ctx ends only the wait for a process:
// killing one and starting another costs more than drawing most pages.
func (e *Engine) RenderToEnd(ctx context.Context, src Source, page, width int) ([]byte, error) {
	return e.render(ctx, request{Op: opRender, Paths: src.Paths, Page: page, Width: width, toEnd: true})
}

func (e *Engine) render(ctx context.Context, req request) ([]byte, error) {
	if req.Page < 0 {
		return nil, ErrNoPage
	}
	if req.Width < 1 || req.Width > MaxPixels {
		return nil, fmt.Errorf("%w: %d pixels wide", ErrTooLarge, req.Width)
	}
	return e.pool.do(ctx, e.by, req, nil)
}

// Text returns the text of every page with the positions of its words.
func (e *Engine) Text(ctx context.Context, src Source) ([]PageText, error) {
	var pages []PageText
	_, err := e.pool.do(ctx, e.by, request{Op: opText, Paths: src.Paths}, func(frame []byte) error {
		page, err := decodePage(frame)
		pages = append(pages, page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return pages, nil
}

// PlainText returns the text of the document without positions. Pages are
// separated by a form feed. The text is cut to at most maxBytes bytes at a
// character boundary, and no more pages are read than needed.
func (e *Engine) PlainText(ctx context.Context, src Source, maxBytes int) (string, error) {
	data, err := e.pool.do(ctx, e.by,
		request{Op: opPlain, Paths: src.Paths, MaxBytes: min(maxBytes, MaxTextBytes)}, nil)
	return string(data), err
}

// Repair makes PDFium read the file and rewrite it to outPath, without
// encryption. The password may be empty. An existing file is replaced; after an
// error the file does not exist.
func (e *Engine) Repair(ctx context.Context, src Source, password, outPath string) error {
	return e.rewrite(ctx, opRepair, src, password, outPath)
}

// Flatten makes PDFium draw the form fields and annotations of the file into
// its pages and write only these pages to outPath. Otherwise it behaves like
// Repair.
func (e *Engine) Flatten(ctx context.Context, src Source, password, outPath string) error {
	return e.rewrite(ctx, opFlatten, src, password, outPath)
}

func (e *Engine) rewrite(ctx context.Context, op string, src Source, password, outPath string) error {
	_, err := e.pool.do(ctx, e.by, request{Op: op, Paths: src.Paths, Password: password, Out: outPath}, nil)
	if err == nil {
		return nil
	}
	if rm := os.Remove(outPath); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
