package pdfium_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paraph/app/apptest/patience"
	"paraph/app/pdf/pdfium"
)

// TestTogetherWithAKilledWorker checks that the death of a busy worker fails only its own
// request.
func TestTogetherWithAKilledWorker(t *testing.T) {
	t.Parallel()
	e := open(t, func(o *pdfium.Options) { o.Workers = 1 })
	src := write(t, lines("a"))
	if err := e.Warm(ctx(t)); err != nil {
		t.Fatal(err)
	}
	pid := e.PIDs()[0]
	done := make(chan error, 1)
	go func() {
		_, err := e.Render(ctx(t), write(t, runaway()), 0, 600)
		done <- err
	}()
	awaitBusy(t, pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := patience.Receive(t, "the end of the request", done); !errors.Is(err, pdfium.ErrCrashed) || !strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
	if _, err := e.Pages(ctx(t), src); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	// A worker that dies while idle fails none.
	idle := e.PIDs()[0]
	if err := syscall.Kill(idle, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the idle worker is gone", func() bool { return len(e.PIDs()) == 0 })
	if _, err := e.Pages(ctx(t), src); err != nil {
		t.Errorf("after an idle death: %v", err)
	}
}

// TestCallersDeadline checks that the context ends both work and waiting for a
// worker.
func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	e := open(t, func(o *pdfium.Options) { o.Workers = 1 })
	slow, src := write(t, runaway()), write(t, lines("a"))
	if err := e.Warm(ctx(t)); err != nil {
		t.Fatal(err)
	}
	working, stop := context.WithCancel(ctx(t))
	done := make(chan error, 1)
	go func() {
		_, err := e.Render(working, slow, 0, 600)
		done <- err
	}()
	awaitBusy(t, e.PIDs()[0])
	waiting, cancel := context.WithTimeout(ctx(t), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Pages(waiting, src); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting: %v", err)
	}
	stop()
	if err := patience.Receive(t, "the end of the request", done); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := e.Warm(ctx(t)); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx(t), time.Second)
	defer cancel()
	_, err := e.Render(short, slow, 0, 600)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, pdfium.ErrTimeout) {
		t.Errorf("own deadline: %v", err)
	}
	if _, err := e.Pages(ctx(t), src); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// awaitBusy waits until a process has used another 0.2 s of CPU time.
func awaitBusy(t *testing.T, pid int) {
	t.Helper()
	start := cpuTicks(t, pid)
	await(t, "the worker is busy", func() bool { return cpuTicks(t, pid) >= start+20 })
}

func cpuTicks(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return user + system
}

// TestWorkerIsConfined examines a worker from outside.
func TestWorkerIsConfined(t *testing.T) {
	t.Parallel()
	e := open(t, nil)
	if _, err := e.Pages(ctx(t), write(t, lines("a"))); err != nil {
		t.Fatal(err)
	}
	proc := filepath.Join("/proc", strconv.Itoa(e.PIDs()[0]))
	if env, err := os.ReadFile(filepath.Join(proc, "environ")); err != nil || len(env) != 0 {
		t.Errorf("environment %q, %v", env, err)
	}
	limits, err := os.ReadFile(filepath.Join(proc, "limits"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Max cpu time", "Max file size", "Max core file size", "Max open files", "Max address space"} {
		_, after, ok := strings.Cut(string(limits), want)
		if line, _, _ := strings.Cut(after, "\n"); !ok || strings.Contains(line, "unlimited") {
			t.Errorf("%s:%s", want, line)
		}
	}
	status, err := os.ReadFile(filepath.Join(proc, "status"))
	if err != nil || !strings.Contains(string(status), "Umask:\t0077") {
		t.Errorf("umask: %v", err)
	}
	if st, err := os.Stat(cacheDir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("cache folder: %v", err)
	}
}

// TestParentDeath kills a parent with idle and busy workers.
func TestParentDeath(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "pdf-parent", cacheDir, write(t, runaway()).Paths[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	lines := bufio.NewScanner(out)
	for len(pids) < 2 && lines.Scan() {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) < 2 {
		t.Fatal("the parent did not start two workers")
	}
	await(t, "the slow page is being drawn", func() bool {
		return slices.ContainsFunc(pids, func(pid int) bool { return cpuTicks(t, pid) > 50 })
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // reports that it was killed
	for _, pid := range pids {
		await(t, "the workers are gone", func() bool { return gone(pid) })
	}
}

// gone reports whether a process has ended, even if it has not been waited for.
func gone(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(b), ") Z ")
}
