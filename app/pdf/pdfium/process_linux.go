package pdfium

import "syscall"

// childAttributes make a worker die with its parent, and keep the terminal's
// interrupt from it.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
