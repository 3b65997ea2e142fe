//go:build unix

package convert

import (
	"os/exec"
	"syscall"
)

// isolate makes the process the leader of a group and lets the context kill the
// whole group: soffice is a script that starts the actual program.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup kills the rest of the group. Usually there is none, so the error is
// ignored.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
