package page

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// QrCode returns a QR code (ISO/IEC 18004), dark on light regardless of the theme.
func QrCode(content, label string) (template.HTML, error) {
	code, err := qr.Encode(content, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("web: QR code: %w", err)
	}
	const quiet = 4 // width in modules of the quiet zone that the standard requires
	size := code.Bounds().Dx()
	var path strings.Builder
	for y := range size {
		for x := range size {
			if red, _, _, _ := code.At(x, y).RGBA(); red == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="qr" role="img" aria-label="%s" viewBox="0 0 %d %d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`,
		template.HTMLEscapeString(label), size+2*quiet, size+2*quiet, size+2*quiet, size+2*quiet, path.String())), nil
}
