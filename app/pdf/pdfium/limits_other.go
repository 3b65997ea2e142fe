//go:build !linux

package pdfium

// limitProcess does nothing on this platform: PDFium's memory is limited by its
// runtime and its time by the parent.
func limitProcess(memoryMB, cpuSeconds int) error { return nil }
