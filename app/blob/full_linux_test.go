package blob_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"paraph/app/blob"
)

// fullEnv makes the test binary play a process on a full disk; its value is the
// folder.
const fullEnv = "BLOB_TEST_FULL"

// noMount is printed by that process where it may not mount a file system.
const noMount = "no mount: "

// The test runs itself again in a name space of its own, where it mounts a file
// system of 1 MiB.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv(fullEnv); dir != "" {
		if err := unix.Mount("tiny", dir, "tmpfs", 0, "size=1m,nr_inodes=1000"); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Fatal(noMount, err)
		} else if err != nil {
			t.Fatal(err)
		}
		onFullDisk(t, dir)
		return
	}
	t.Parallel()
	runAgain(t, "TestDiskFull", &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	})
}

// The same where the system limits the size of files.
func TestFileTooLarge(t *testing.T) {
	if dir := os.Getenv(fullEnv); dir != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		onFullDisk(t, dir)
		return
	}
	t.Parallel()
	runAgain(t, "TestFileTooLarge", nil)
}

func runAgain(t *testing.T, name string, attr *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), fullEnv+"="+t.TempDir())
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || bytes.Contains(out, []byte(noMount)) {
		t.Skip("this machine grants no name space to mount a file system in, as most containers don't")
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+name)) {
		t.Errorf("%v\n%s", err, out)
	}
}

// onFullDisk has room for less than 2 MiB in the folder.
func onFullDisk(t *testing.T, dir string) {
	s := open(t, dir, blob.Options{})
	ref := put(t, s, strings.Repeat("fits ", 40_000))
	before := files(t, dir)
	large := func() io.Reader { return io.LimitReader(zeros{}, 2<<20) }
	for range 3 {
		if _, err := s.Put(t.Context(), large()); !errors.Is(err, blob.ErrNoSpace) {
			t.Fatalf("put: %v", err)
		}
		w, err := s.Create()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, large()); !errors.Is(err, blob.ErrNoSpace) {
			t.Errorf("write: %v", err)
		}
		if _, err := w.Write([]byte("x")); !errors.Is(err, blob.ErrNoSpace) {
			t.Errorf("write after that: %v", err)
		}
		if _, err := w.Commit(); !errors.Is(err, blob.ErrNoSpace) {
			t.Errorf("commit: %v", err)
		}
		if got := files(t, dir); len(got) != len(before) {
			t.Fatalf("left %v, had %v", got, before)
		}
		if err := s.Verify(ref.Hash); err != nil {
			t.Error(err)
		}
		put(t, s, "a little still fits")
		if err := s.Remove(hashOf("a little still fits")); err != nil {
			t.Error(err)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
