package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
)

// shapes holds the icons, each drawn on a 20 by 20 grid in the text color.
var shapes = map[string]string{
	"after":     `<path class="flip" d="M4 10h12m-5-5 5 5-5 5"/>`,
	"alert":     `<path d="M10 3 18 17H2zM10 8v4M10 14.5v.5"/>`,
	"archive":   `<path d="M3 4h14v4H3zM4.5 8v8.5h11V8M8 11.500h4"/>`,
	"back":      `<path class="flip" d="M12 4 6 10l6 6"/>`,
	"before":    `<path class="flip" d="M16 10H4m5-5-5 5 5 5"/>`,
	"bell":      `<path d="M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8.5 17.5h3"/>`,
	"brush":     `<path d="M16.5 3.500c-4 1.500-7 4.500-8 7l2 2c2.500-1 5.500-4 6-9zM8.500 10.500c-3 0-3 3-5 5.500 3 1.500 7 .5 7-3.500"/>`,
	"building":  `<path d="M4 17.5v-15h8v15M12 8h4.5v9.5M2.5 17.5h15M6.5 6h3m-3 3.5h3m-3 3.5h3"/>`,
	"check":     `<path d="m4 10.5 4 4 8-9"/>`,
	"checks":    `<path d="m2 10.5 4 4 7-9M10 14l.5.5 7.5-9"/>`,
	"clock":     `<circle cx="10" cy="10" r="7"/><path d="M10 6v4l3 2"/>`,
	"code":      `<path d="m7 6-4.5 4L7 14M13 6l4.5 4-4.5 4M11.5 4l-3 12"/>`,
	"cross":     `<path d="m5 5 10 10M15 5 5 15"/>`,
	"download":  `<path d="M10 3v9m-4-3.5 4 4 4-4M4 16.5h12"/>`,
	"expired":   `<circle cx="10" cy="10" r="7"/><path d="M10 6v4l3 2M3 17 17 3"/>`,
	"eye":       `<path d="M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10z"/><circle cx="10" cy="10" r="2.2"/>`,
	"filter":    `<path d="M3 5h14M6 10h8M8.5 15h3"/>`,
	"file":      `<path d="M5 2.5h6l4 4v11H5zM11 2.5v4h4"/>`,
	"gear":      `<circle cx="10" cy="10" r="2.8"/><path d="M10 2.5v2.2m0 10.6v2.2M2.5 10h2.2m10.6 0h2.2M4.7 4.7l1.6 1.6m7.4 7.4 1.6 1.6m0-10.6-1.6 1.6m-7.4 7.4-1.6 1.6"/>`,
	"globe":     `<circle cx="10" cy="10" r="7"/><path d="M3 10h14M10 3c-5 4-5 10 0 14M10 3c5 4 5 10 0 14"/>`,
	"hourglass": `<path d="M5 3h10M5 17h10M6 3c0 4 4 5 4 7s-4 3-4 7M14 3c0 4-4 5-4 7s4 3 4 7"/>`,
	"info":      `<circle cx="10" cy="10" r="7"/><path d="M10 9v5M10 6v.5"/>`,
	"key":       `<circle cx="7" cy="13" r="3.5"/><path d="m9.500 10.500 7-7M13 7l2.500 2.500M15.500 4.500 17 6"/>`,
	"keyboard":  `<path d="M2.5 5.5h15v9h-15zM5.500 8.500h.1m3 0h.1m3 0h.1m2.700 0h.1M7 11.800h6"/>`,
	"leave":     `<path class="flip" d="M12 3H4v14h8M8.5 10H18m-3.5-3.5L18 10l-3.5 3.5"/>`,
	"lock":      `<path d="M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3"/>`,
	"mail":      `<path d="M2.500 4.500h15v11h-15zM2.500 5l7.500 6 7.500-6"/>`,
	"menu":      `<path d="M3 6h14M3 10h14M3 14h14"/>`,
	"moon":      `<path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z"/>`,
	"more":      `<circle cx="10" cy="4" r="1"/><circle cx="10" cy="10" r="1"/><circle cx="10" cy="16" r="1"/>`,
	"pencil":    `<path d="m4 16 1-4 8-8 3 3-8 8zM11 6l3 3"/>`,
	"phone":     `<path d="M6 2.5h8v15H6zM9 15h2"/>`,
	"plus":      `<path d="M10 4v12M4 10h12"/>`,
	"print":     `<path d="M6 7V2.5h8V7M6 14H3V7h14v7h-3M6 11.500h8v6H6z"/>`,
	"scissors":  `<circle cx="5.500" cy="5.500" r="2"/><circle cx="5.500" cy="14.500" r="2"/><path d="m7.200 6.700 9.300 8.300m-9.300-1.700L16.500 5"/>`,
	"screen":    `<path d="M2.5 4h15v9.5h-15zM7 17h6"/>`,
	"search":    `<circle cx="9" cy="9" r="5.5"/><path d="m13 13 4.5 4.5"/>`,
	"sent":      `<path class="flip" d="m2.5 9.5 15-6.5-5 14-3-5.5zM9.5 11.5l8-8.5"/>`,
	"shield":    `<path d="M10 2.5 16 5v5c0 4-3 6.5-6 7.5-3-1-6-3.5-6-7.5V5z"/>`,
	"shield-no": `<path d="M10 2.5 16 5v5c0 4-3 6.5-6 7.5-3-1-6-3.5-6-7.5V5zM8 8l4 4m0-4-4 4"/>`,
	"shield-ok": `<path d="M10 2.5 16 5v5c0 4-3 6.5-6 7.5-3-1-6-3.5-6-7.5V5zM7 10l2 2 4-4"/>`,
	"sign":      `<path d="M2.5 14c3-6 5-9 6-8s-3 8-1.5 8.5S11 10 12 10s0 3.5 1.5 3.5 2-1 4-1M2.5 17.5h15"/>`,
	"sun":       `<circle cx="10" cy="10" r="3.5"/><path d="M10 1.5v2m0 13v2M1.5 10h2m13 0h2M4 4l1.4 1.4m9.2 9.200L16 16m0-12-1.4 1.4m-9.2 9.200L4 16"/>`,
	"text":      `<path d="m2 16 4.500-11L11 16M3.500 12.500h6M12 16l3-7.500L18 16M13 13.500h4"/>`,
	"tray":      `<path d="M5.500 4h9l3 7v5.500h-15V11zM2.500 11h4.500l1 2.500h4l1-2.500h4.500"/>`,
	"upload":    `<path d="M10 13V4M6 7.5l4-4 4 4M4 16.5h12"/>`,
	"user":      `<circle cx="10" cy="7" r="3.5"/><path d="M3.5 17c1-4 12-4 13 0"/>`,
	"users":     `<circle cx="7.5" cy="7" r="3"/><path d="M2 17c.8-4.5 10.2-4.5 11 0M12.5 4.200a3 3 0 0 1 0 5.600M14.5 12.700c2 .6 3.2 2 3.5 4.3"/>`,
	"void":      `<circle cx="10" cy="10" r="7"/><path d="m5 15 10-10"/>`,
}

// Icons returns the names of all icons, in order.
func Icons() []string {
	all := maps.Clone(shapes)
	maps.Copy(all, editorShapes)
	return slices.Sorted(maps.Keys(all))
}

// icon returns an icon to stand beside a text; screen readers skip it.
func icon(name string) (template.HTML, error) {
	shape, ok := shapes[name]
	if !ok {
		shape, ok = editorShapes[name]
	}
	if !ok {
		return "", fmt.Errorf("web: unknown icon %q", name)
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">` + shape + `</svg>`), nil
}
