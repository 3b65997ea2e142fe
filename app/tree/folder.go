package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Folder is a published history, one company's: the files
//
//	checkpoint         the newest checkpoint
//	checkpoints/<size> every checkpoint
//	keys               the verifier key, and the handovers of earlier ones
//	tile/8/…           the hashes of the tree (https://c2sp.org/tlog-tiles)
//
// With the hashes, anybody can prove an event, and that one checkpoint continues
// another, without asking the installation.
type Folder string

const (
	newestName   = "checkpoint"
	historyName  = "checkpoints"
	keysName     = "keys"
	tileHeight   = 8
	handoversSep = "\n\n\n"
)

// FolderOf returns the published history that a checkpoint file belongs to, and
// whether its hashes are there.
func FolderOf(checkpoint string) (Folder, bool) {
	dir := filepath.Dir(checkpoint)
	if filepath.Base(dir) == historyName {
		dir = filepath.Dir(dir)
	}
	info, err := os.Stat(filepath.Join(dir, "tile"))
	return Folder(dir), err == nil && info.IsDir()
}

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Newest returns the newest checkpoint, "" if there is none.
func (f Folder) Newest() (string, error) {
	b, err := os.ReadFile(f.path(newestName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

// Keys returns the verifier key and the handovers, empty if they are not there.
func (f Folder) Keys() (key string, handovers []string, err error) {
	b, err := os.ReadFile(f.path(keysName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	parts := strings.Split(strings.TrimRight(string(b), "\n"), handoversSep)
	for _, h := range parts[1:] {
		handovers = append(handovers, h+"\n")
	}
	return parts[0], handovers, nil
}

// Publish adds a checkpoint. What was published before must be of the same
// history, so nothing is overwritten once the history was changed or set back.
func (f Folder) Publish(h Head, signed, key string, handovers []string, r tlog.HashReader) error {
	before, err := f.before(h, r)
	if err != nil {
		return err
	}
	if err := f.put(keysName, strings.Join(append([]string{key}, trimmed(handovers)...), handoversSep)+"\n"); err != nil {
		return err
	}
	for _, t := range tlog.NewTiles(tileHeight, before, h.Size) {
		data, err := tlog.ReadTileData(t, r)
		if err != nil {
			return err
		}
		if err := f.put(t.Path(), string(data)); err != nil {
			return err
		}
	}
	if err := f.put(fmt.Sprintf("%s/%d", historyName, h.Size), signed); err != nil {
		return err
	}
	return f.put(newestName, signed)
}

func trimmed(all []string) (out []string) {
	for _, s := range all {
		out = append(out, strings.TrimRight(s, "\n"))
	}
	return out
}

// before returns the size that was published last, after checking that the head
// continues it.
func (f Folder) before(h Head, r tlog.HashReader) (int64, error) {
	signed, err := f.Newest()
	if err != nil || signed == "" {
		return 0, err
	}
	last, err := Read(signed)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.path(newestName), err)
	}
	if last.Size > h.Size {
		return 0, fmt.Errorf("%s has %d events and this journal only %d: the journal was set back", f.path(newestName), last.Size, h.Size)
	}
	return last.Size, Consistent(last, h, r)
}

func (f Folder) put(name, content string) error {
	path := f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return WriteFile(path, []byte(content), 0o644)
}

// Reader returns the hashes of the tree of a head. They are verified: a hash that
// does not belong to the head is an error.
func (f Folder) Reader(h Head) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: h.Size, Hash: h.Root}, tiles{f})
}

// tiles reads the published hashes.
type tiles struct{ folder Folder }

// Height implements [tlog.TileReader].
func (tiles) Height() int { return tileHeight }

// SaveTiles implements [tlog.TileReader].
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// ReadTiles implements [tlog.TileReader].
func (t tiles) ReadTiles(all []tlog.Tile) ([][]byte, error) {
	var out [][]byte
	for _, tile := range all {
		b, err := t.read(tile)
		if err != nil {
			return nil, fmt.Errorf("the published hashes: %w", err)
		}
		out = append(out, b)
	}
	return out, nil
}

// read reads a tile, or the beginning of a fuller one in its place.
func (t tiles) read(tile tlog.Tile) ([]byte, error) {
	want := tile.W * tlog.HashSize
	var missing error
	for w := tile.W; w <= 1<<tileHeight; w++ {
		fuller := tile
		fuller.W = w
		b, err := os.ReadFile(t.folder.path(fuller.Path()))
		if errors.Is(err, fs.ErrNotExist) {
			missing = err
			continue
		}
		if err != nil || len(b) < want {
			return nil, errors.Join(err, fmt.Errorf("%s is too short", fuller.Path()))
		}
		return b[:want], nil
	}
	return nil, missing
}
