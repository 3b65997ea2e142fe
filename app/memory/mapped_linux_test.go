package memory

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMappingsAreRead(t *testing.T) {
	t.Parallel()
	all := parseMappings(bufio.NewScanner(strings.NewReader(`00400000-0048a000 r-xp 00000000 fd:03 960637       /srv/my data/paraph
Size:                552 kB
Rss:                 460 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
0048a000-0049a000 rw-p 0008a000 fd:03 960637       /srv/my data/paraph
Rss:                  64 kB
Anonymous:            64 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Rss:                4096 kB
7f0000000000-7f0000200000 rw-s 00000000 fd:03 12 /data/kv/000001.sst
Rss:                 128 kB
Anonymous:             0 kB
`)))
	want := []mapping{
		{0x400000, 0x48a000, "/srv/my data/paraph", false, false, 460 << 10, 0},
		{0x48a000, 0x49a000, "/srv/my data/paraph", false, true, 64 << 10, 64 << 10},
		{0xc000000000, 0xc000400000, "", false, true, 4096 << 10, 0},
		{0x7f0000000000, 0x7f0000200000, "/data/kv/000001.sst", true, true, 128 << 10, 0},
	}
	if len(all) != len(want) {
		t.Fatalf("read %d mappings, want %d: %+v", len(all), len(want), all)
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("read %+v, want %+v", all[i], want[i])
		}
	}
}

func TestDroppedPagesKeepTheirContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mapped")
	content := []byte(strings.Repeat("0123456789abcdef", 1<<16))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	mapped := mapFile(t, path)
	copy(mapped, "changed")
	copy(content, "changed")
	sum := 0
	for i := 0; i < len(mapped); i += 4096 {
		sum += int(mapped[i])
	}
	if sum == 0 || residentOf(t, path) == 0 {
		t.Fatal("nothing is resident")
	}
	drop(map[string]bool{path: true})
	if n := residentOf(t, path); n != 0 {
		t.Errorf("%d bytes are still resident", n)
	}
	if string(mapped) != string(content) {
		t.Error("the content has changed")
	}
}

func mapFile(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

func residentOf(t *testing.T, path string) (n int64) {
	t.Helper()
	for _, m := range mappings("/proc/self/smaps") {
		if m.path == path {
			n += m.resident
		}
	}
	return n
}
