package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

// guard turns a panic, or a fault caused by a truncated memory-mapped file, into errDamaged:
// Bleve trusts its files.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
	}()
	return fn()
}

// damagedFiles returns the segment files with a wrong checksum. Bleve writes one at their end
// but never checks it.
func damagedFiles(dir string) (map[string]bool, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err != nil {
		return nil, err
	}
	damaged := make(map[string]bool)
	for _, path := range paths {
		ok, err := checksumHolds(path)
		if err != nil {
			return nil, err
		}
		if !ok {
			damaged[path] = true
		}
	}
	return damaged, nil
}

// checksumHolds compares the last four bytes, a CRC-32 (IEEE, big endian), with
// the rest.
func checksumHolds(path string) (ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() < 4 {
		return false, nil
	}
	r := bufio.NewReaderSize(f, 256<<10)
	h := crc32.NewIEEE()
	if _, err := io.CopyN(h, r, info.Size()-4); err != nil {
		return false, err
	}
	var want uint32
	if err := binary.Read(r, binary.BigEndian, &want); err != nil {
		return false, err
	}
	return h.Sum32() == want, nil
}
