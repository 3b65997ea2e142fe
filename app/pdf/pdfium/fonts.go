package pdfium

import (
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
)

// fontMount is where PDFium looks for fonts on Linux.
const fontMount = "usr/share/fonts"

// fontsOnly returns the file system that PDFium sees: the fonts below dir, at
// the path where it looks for them, read-only. Without fonts the file system is
// empty and PDFium draws with its built-in fonts. The caller must close the
// root, which is nil if there is no such directory.
func fontsOnly(dir string) (wazero.FSConfig, *os.Root) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return wazero.NewFSConfig(), nil
	}
	return wazero.NewFSConfig().WithFSMount(fontFS{root.FS()}, "/"), root
}

// fontFS exposes only fonts, below fontMount.
type fontFS struct {
	fonts fs.FS
}

// Open implements fs.FS.
func (f fontFS) Open(name string) (fs.File, error) {
	if name == fontMount {
		return f.fonts.Open(".")
	}
	if below, ok := strings.CutPrefix(name, fontMount+"/"); ok {
		return f.fonts.Open(below)
	}
	if name == "." {
		return emptyDir("."), nil
	}
	if strings.HasPrefix(fontMount, name+"/") {
		return emptyDir(name[strings.LastIndexByte(name, '/')+1:]), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// emptyDir is a parent directory of the fonts that lists as empty.
type emptyDir string

func (d emptyDir) Stat() (fs.FileInfo, error)         { return d, nil }
func (d emptyDir) Close() error                       { return nil }
func (d emptyDir) ReadDir(int) ([]fs.DirEntry, error) { return nil, nil }
func (d emptyDir) Name() string                       { return string(d) }
func (d emptyDir) Size() int64                        { return 0 }
func (d emptyDir) Mode() fs.FileMode                  { return fs.ModeDir | 0o555 }
func (d emptyDir) ModTime() time.Time                 { return time.Time{} }
func (d emptyDir) IsDir() bool                        { return true }
func (d emptyDir) Sys() any                           { return nil }
func (d emptyDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: string(d), Err: fs.ErrInvalid}
}
