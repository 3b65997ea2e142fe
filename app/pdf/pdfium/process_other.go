//go:build !linux

package pdfium

import "syscall"

// childAttributes returns no attributes on this platform: a worker ends with its
// input.
func childAttributes() *syscall.SysProcAttr { return nil }
