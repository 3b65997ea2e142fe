package blob_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"paraph/app/blob"
)

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{4 << 10, 200 << 10, 10 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			s := open(b, b.TempDir(), blob.Options{Reserve: 1 << 20})
			content := make([]byte, size)
			b.SetBytes(int64(size))
			var n uint64
			for b.Loop() {
				n++
				binary.LittleEndian.PutUint64(content, n)
				if _, err := s.Put(b.Context(), bytes.NewReader(content)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenAndRead(b *testing.B) {
	for _, size := range []int{4 << 10, 200 << 10, 10 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			s := open(b, b.TempDir(), blob.Options{})
			ref := put(b, s, string(make([]byte, size)))
			b.SetBytes(int64(size))
			buffer := make([]byte, 64<<10)
			for b.Loop() {
				f, err := s.Open(ref.Hash)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, buffer); err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenStore(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		open(b, dir, blob.Options{})
	}
}
