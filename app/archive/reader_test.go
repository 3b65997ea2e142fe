package archive_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"paraph/app/archive"
)

// hostile streams an archive whose entries have the given names and no content, without an end.
func hostile(t *testing.T, name func(i int) string) io.Reader {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = r.Close() }) // it never fails
	go func() {
		out := tar.NewWriter(w)
		for i := 0; ; i++ {
			if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name(i), Mode: 0o600}); err != nil {
				return // the reader has had enough
			}
		}
	}()
	return r
}

// TestHostileArchivesAreBounded reads archives that never end, and would fill the memory with what is
// remembered of each entry.
func TestHostileArchivesAreBounded(t *testing.T) {
	t.Parallel()
	for want, name := range map[string]func(i int) string{
		"more than 262144 entries": func(i int) string { return fmt.Sprint("records/", i) },
		"its name is too long":     func(i int) string { return strings.Repeat("n", 1<<19) },
		"occurs twice":             func(i int) string { return fmt.Sprint("records/", min(i, 9)) },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			head := func(string, []byte) error { return nil }
			err := archive.Reader{Head: head}.Read(hostile(t, name))
			if !errors.Is(err, archive.ErrDamaged) || !strings.Contains(err.Error(), want) {
				t.Errorf("the archive is %.300v", err)
			}
		})
	}
}
