//go:build unix

package convert

import (
	"os/exec"
	"syscall"
)

// isolate makes the process the leader of a group and lets the context kill
// the whole group: soffice is a script that starts the program proper.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup ends what is left of the group. That there is nothing left is the
// usual case, so the error says nothing.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
