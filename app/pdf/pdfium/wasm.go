package pdfium

import (
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // carries the bytes of PDFium
)

// wasm is PDFium compiled to WebAssembly, as embedded by go-pdfium. That
// package keeps its variable to itself and offers only a pool of its own, whose
// instances can't be stopped and cost twenty calls per character of text; the
// bytes alone are wanted here. newModule reports an empty variable, which is
// what a renamed one would give.
//
//go:linkname wasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var wasm []byte
