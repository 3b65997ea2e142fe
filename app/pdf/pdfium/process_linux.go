package pdfium

import "syscall"

// childAttributes makes a worker die with its parent and shields it from the
// terminal's interrupt.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
