package convert

import (
	"os/exec"
	"strconv"
)

// isolate lets the context end the process with its children.
func isolate(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
}

// killGroup has nothing to do: taskkill ends the children, too.
func killGroup(*exec.Cmd) {}
