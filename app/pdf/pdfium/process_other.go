//go:build !linux

package pdfium

import "syscall"

// childAttributes has nothing to add here: a worker ends when its input does.
func childAttributes() *syscall.SysProcAttr { return nil }
