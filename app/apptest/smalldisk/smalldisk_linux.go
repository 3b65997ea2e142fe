// Package smalldisk runs tests on a disk that they can fill.
package smalldisk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	// folderEnv makes the test binary the process with the disk; its value is the folder.
	folderEnv = "TEST_SMALL_DISK"
	// noMount is printed by that process if it may not mount a file system.
	noMount = "no mount: "
)

// Run runs the calling test again in a process and a namespace of its own, where fn gets
// a folder on a file system of that many bytes. env is added to the environment of that
// process. The test is skipped where the machine grants no namespace.
func Run(t *testing.T, size int, fn func(t *testing.T, dir string), env ...string) {
	t.Helper()
	if dir := os.Getenv(folderEnv); dir != "" {
		mount(t, dir, size)
		fn(t, dir)
		return
	}
	runAgain(t, append(env, folderEnv+"="+t.TempDir()))
}

func mount(t *testing.T, dir string, size int) {
	t.Helper()
	err := unix.Mount("tiny", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Fatal(noMount, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func runAgain(t *testing.T, env []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || bytes.Contains(out, []byte(noMount)) {
		t.Skip("this machine grants no namespace to mount a file system in, as most containers don't")
	}
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
}
