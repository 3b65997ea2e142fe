package search

import (
	"errors"
	"path/filepath"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Mapped calls fn with the absolute paths of the index files, which stay mapped until it
// returns.
func (x *Index) Mapped(fn func(files map[string]bool)) {
	_, err := x.try(func(c *core) (err error) {
		snapshot, err := c.snapshot()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, snapshot.Close()) }()
		files := map[string]bool{}
		for _, part := range snapshot.Segments() {
			if file, ok := part.Segment().(segment.PersistedSegment); ok {
				path, err := filepath.Abs(file.Path())
				if err != nil {
					return err
				}
				files[path] = true
			}
		}
		fn(files)
		return nil
	})
	if err != nil && !errors.Is(err, ErrClosed) {
		x.log.Warn("search: cannot list mapped files", "error", err)
	}
}
