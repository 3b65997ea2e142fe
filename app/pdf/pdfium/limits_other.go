//go:build !linux

package pdfium

// limitProcess has no means here: the memory of PDFium is limited by its
// runtime, its time by the parent's clock.
func limitProcess(memoryMB, cpuSeconds int) error { return nil }
