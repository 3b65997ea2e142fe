package search_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"paraph/search"
)

// fullEnv makes the test binary a process on a small disk; its value is the folder.
const fullEnv = "SEARCH_TEST_FULL"

// noMount is printed by that process if it may not mount a file system.
const noMount = "no mount: "

// TestDiskFull runs itself again in a separate namespace, where it mounts a file system of 3
// MiB.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv(fullEnv); dir != "" {
		if err := unix.Mount("tiny", dir, "tmpfs", 0, "size=3m"); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Fatal(noMount, err)
		} else if err != nil {
			t.Fatal(err)
		}
		onFullDisk(t, dir)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
	cmd.Env = append(os.Environ(), fullEnv+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || bytes.Contains(out, []byte(noMount)) {
		t.Skip("this machine grants no name space to mount a file system in, as most containers don't")
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestDiskFull")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// onFullDisk checks that on a full disk searches keep working, and that batches are accepted up
// to a limit and then refused; once there is space again, everything is written.
func onFullDisk(t *testing.T, dir string) {
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 2560<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := search.Open(search.Options{Dir: dir, Unwritten: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	place := uint64(0)
	deadline := time.Now().Add(3 * time.Minute)
	for ; err == nil; place++ {
		if time.Now().After(deadline) {
			t.Fatal("never full")
		}
		d := doc(fmt.Sprintf("%06d", place), "word")
		var body strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&body, "w%dx%d ", place, i)
		}
		d.Body = body.String()
		err = x.Apply(search.Batch{Put: []search.Document{d}, Place: place + 1})
	}
	place-- // the last one was refused
	if !errors.Is(err, search.ErrBehind) {
		t.Fatalf("got %v, want behind", err)
	}
	if x.Place() != place {
		t.Errorf("at %d, want %d", x.Place(), place)
	}
	if got := find(t, x, "word"); uint64(len(got)) != place {
		t.Errorf("%d documents at %d", len(got), place)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for s := (search.Stats{Unwritten: 1}); s.Unwritten > 0; {
		if time.Now().After(deadline) {
			t.Fatal("never written")
		}
		if s, err = x.Stats(); err != nil {
			t.Fatal(err)
		}
	}
	place++
	apply(t, x, search.Batch{Put: []search.Document{doc("last", "word")}, Place: place})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, dir)
	if x.Place() != place {
		t.Errorf("after opening again at %d, want %d", x.Place(), place)
	}
}
