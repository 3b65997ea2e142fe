package pdfium

import (
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // carries the bytes of PDFium
)

// wasm is PDFium compiled to WebAssembly, as embedded by go-pdfium. That
// package does not export the variable and offers only its own pool, whose
// instances can't be stopped and need twenty calls per character of text. Only
// the bytes are used here. newModule reports an empty variable, which would be
// the result of renaming it upstream.
//
//go:linkname wasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var wasm []byte
