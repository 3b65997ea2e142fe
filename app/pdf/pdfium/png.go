package pdfium

import (
	"bytes"
	"image"
	"image/png"
)

// encodePNG encodes RGBx pixels.
func encodePNG(pixels []byte, width, height, stride int) ([]byte, error) {
	for k := 3; k < len(pixels); k += 4 {
		pixels[k] = 255
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	err := e.Encode(&b, &image.RGBA{Pix: pixels, Stride: stride, Rect: image.Rect(0, 0, width, height)})
	return b.Bytes(), err
}
