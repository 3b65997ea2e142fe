package pdfium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// ServeOptions describes how Serve treats the process it runs in.
type ServeOptions struct {
	// KeepLimits leaves the limits of the process (memory, CPU, open files,
	// umask) and its signals unchanged, for processes that do more than serving.
	KeepLimits bool
}

// Serve is the main loop of a worker process: it answers the requests that
// arrive on in, one at a time, until in ends. All its settings come from the
// parent; call it before the program reads any configuration.
func Serve(in io.Reader, out io.Writer, o ServeOptions) (err error) {
	r := bufio.NewReader(in)
	w := bufio.NewWriterSize(out, 64<<10)
	var set settings
	if err := readJSON(r, frameSettings, &set); err != nil {
		return fmt.Errorf("pdfium worker: settings: %w", err)
	}
	m, err := serveModule(set, o)
	if end := writeEnd(w, err, 0); end != nil || err != nil {
		return errors.Join(err, end)
	}
	defer func() { err = errors.Join(err, m.close()) }()
	for {
		var req request
		if err := readJSON(r, frameRequest, &req); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("pdfium worker: request: %w", err)
		}
		used, err := m.answer(w, req)
		if err := writeEnd(w, err, used); err != nil {
			return fmt.Errorf("pdfium worker: answer: %w", err)
		}
		if err := m.renew(); err != nil {
			return fmt.Errorf("pdfium worker: %w", err)
		}
	}
}

func serveModule(set settings, o ServeOptions) (*module, error) {
	if !o.KeepLimits {
		// The parent decides when a worker ends, even while shutting down itself.
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		debug.SetMemoryLimit(256 << 20) // makes the collector work harder but never fails
	}
	m, err := newModule(context.Background(), set)
	if err == nil {
		err = m.renew()
	}
	if err != nil {
		return nil, err
	}
	if o.KeepLimits {
		return m, nil
	}
	if err := limitProcess(set.MemoryMB, set.CPUSeconds); err != nil {
		return nil, errors.Join(fmt.Errorf("limit process: %w", err), m.close())
	}
	return m, nil
}

// answer performs one request with an instance of PDFium that knows no other
// file, writes the result, and returns the memory of the instance in MiB.
func (m *module) answer(w io.Writer, req request) (usedMB int, err error) {
	if req.Op == opNone {
		return 0, nil
	}
	src, err := openSource(req.Paths)
	if err != nil {
		return 0, err
	}
	defer src.close()
	i := m.next
	i.src, m.current = src, i
	err = i.perform(w, req)
	if i.err != nil { // the cause of any error returned by perform
		err = i.err
	}
	return int(i.mem.Size() >> 20), err
}

// renew makes the used instance forget its document, or replaces it if it failed in
// the middle of a call. It is called after the answer, so that no request waits for it.
func (m *module) renew() (err error) {
	used := m.current
	m.current = nil
	switch {
	case m.next != nil && used == nil:
		return nil
	case used != nil && used.stack() == m.image.stack && used.err == nil:
		return used.reset()
	case used != nil:
		err = used.close()
	}
	m.next = nil
	if err == nil {
		m.next, err = m.instance()
	}
	return err
}

func (i *instance) perform(w io.Writer, req request) error {
	d, err := i.open(req.Password)
	if err != nil {
		return err
	}
	switch req.Op {
	case opPages:
		b, err := d.sizes()
		if err != nil {
			return err
		}
		return writeFrame(w, frameData, b)
	case opRender:
		b, err := d.render(req.Page, req.Width)
		if err != nil {
			return err
		}
		return writeFrame(w, frameData, b)
	case opText:
		return d.text(func(p PageText) error { return writeFrame(w, framePage, encodePage(p)) })
	case opPlain:
		b, err := d.plain(req.MaxBytes)
		if err != nil {
			return err
		}
		return writeFrame(w, frameData, b)
	case opRepair:
		if _, err := d.pages(); err != nil {
			return err
		}
		return d.saveTo(req.Out)
	case opFlatten:
		flat, err := d.flatten()
		if err != nil {
			return err
		}
		return flat.saveTo(req.Out)
	}
	return fmt.Errorf("unknown operation %q", req.Op)
}

// saveTo writes the document to a file, which is removed again on failure.
func (d *document) saveTo(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(d.save(f), f.Sync(), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func readJSON(r io.Reader, want byte, v any) error {
	kind, b, err := readFrame(r)
	if err != nil {
		return err
	}
	if kind != want {
		return fmt.Errorf("frame %q out of place", kind)
	}
	return json.Unmarshal(b, v)
}

func writeEnd(w *bufio.Writer, err error, usedMB int) error {
	end := endingOf(err)
	end.MemoryMB = usedMB
	if err := writeJSON(w, frameEnd, end); err != nil {
		return err
	}
	return w.Flush()
}
