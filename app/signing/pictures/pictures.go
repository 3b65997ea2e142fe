// Package pictures caches pictures of pages on disk, so that a page is drawn once for
// everyone who views it.
package pictures

import (
	"container/list"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/singleflight"
)

// Cache keeps pictures of pages on disk, up to a limit, and removes the least recently
// used ones. Losing any of it only costs drawing a page again.
type Cache struct {
	dir     string
	limit   int64
	drawing singleflight.Group

	mu    sync.Mutex
	size  int64
	order *list.List // of picture, most recently used first
	known map[string]*list.Element
}

type picture struct {
	name string
	size int64
}

// Open opens a folder as a cache and indexes its content. limit is the maximum size in bytes.
func Open(dir string, limit int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	p := &Cache{dir: dir, limit: limit, order: list.New(), known: map[string]*list.Element{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if filepath.Ext(e.Name()) == ".png" && info.Mode().IsRegular() {
			p.remember(e.Name(), info.Size())
		}
	}
	return p, p.shrink()
}

// Stats returns the number of pictures and their total size in bytes.
func (p *Cache) Stats() (n int, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order.Len(), p.size
}

// Get returns the picture with a name, which must be valid in a file name, or
// calls draw to make it. Concurrent calls for the same name wait for one drawing; if
// that ends because its caller's context was canceled, another caller draws. A nil
// Cache draws every time.
func (p *Cache) Get(ctx context.Context, name string, draw func() ([]byte, error)) ([]byte, error) {
	if p == nil {
		return draw()
	}
	name += ".png"
	if b, ok := p.read(name); ok {
		return b, nil
	}
	for {
		made, err, _ := p.drawing.Do(name, func() (any, error) { return p.make(name, draw) })
		switch {
		case err == nil:
			return made.([]byte), nil
		case !errors.Is(err, context.Canceled), ctx.Err() != nil:
			return nil, err
		}
	}
}

// make draws and caches a picture, unless that has happened meanwhile.
func (p *Cache) make(name string, draw func() ([]byte, error)) ([]byte, error) {
	if b, ok := p.read(name); ok {
		return b, nil
	}
	b, err := draw()
	if err != nil {
		return nil, err
	}
	// A picture that can't be cached is still returned.
	if p.write(name, b) == nil {
		p.remember(name, int64(len(b)))
		_ = p.shrink() // what could not be removed now is removed next time
	}
	return b, nil
}

func (p *Cache) read(name string) ([]byte, bool) {
	p.mu.Lock()
	e, ok := p.known[name]
	if ok {
		p.order.MoveToFront(e)
	}
	p.mu.Unlock()
	if !ok {
		return nil, false
	}
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	return b, err == nil
}

func (p *Cache) write(name string, b []byte) (err error) {
	f, err := os.CreateTemp(p.dir, "new-")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(p.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (p *Cache) remember(name string, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, ok := p.known[name]; ok {
		p.size -= e.Value.(picture).size
		p.order.Remove(e)
	}
	p.known[name] = p.order.PushFront(picture{name, size})
	p.size += size
}

// shrink removes the least recently used pictures until the rest fits.
func (p *Cache) shrink() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for p.size > p.limit && p.order.Len() > 0 {
		last := p.order.Back()
		old := last.Value.(picture)
		if err := os.Remove(filepath.Join(p.dir, old.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		p.order.Remove(last)
		delete(p.known, old.name)
		p.size -= old.size
	}
	return errors.Join(errs...)
}
