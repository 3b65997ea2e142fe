package page

// editorShapes holds the icons of the editor's tools.
var editorShapes = map[string]string{
	"align-bottom":  `<path d="M2.5 17h15M5 14.5V6h3v8.5zM12 14.5V9h3v5.5z"/>`,
	"align-center":  `<path d="M10 2.5v15M4.5 5.5h11v3h-11zM6.5 11.5h7v3h-7z"/>`,
	"align-left":    `<path d="M3 2.5v15M5.5 5.5h10v3h-10zM5.5 11.5h6v3h-6z"/>`,
	"align-middle":  `<path d="M2.5 10h15M5.5 4.5v11h3v-11zM11.5 6.5v7h3v-7z"/>`,
	"align-right":   `<path d="M17 2.5v15M14.5 5.5h-10v3h10zM14.5 11.5h-6v3h6z"/>`,
	"align-top":     `<path d="M2.5 3h15M5 5.5V14h3V5.5zM12 5.5V11h3V5.5z"/>`,
	"copy":          `<path d="M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7"/>`,
	"copy-pages":    `<path d="M3 3.5h8v10H3zM13 6.5h3.5v10H9v-1M7 6v5M4.5 8.5h5"/>`,
	"down":          `<path d="m5 8 5 5 5-5"/>`,
	"magnet":        `<path d="M4.5 3v7a5.5 5.5 0 0 0 11 0V3H12v7a2 2 0 0 1-4 0V3zM4.5 6.5H8m4 0h3.5"/>`,
	"minus":         `<path d="M4 10h12"/>`,
	"redo":          `<path class="flip" d="M16 4v5h-5M15.5 8.5A6 6 0 1 0 16 13"/>`,
	"same-height":   `<path d="M3 4h14M3 16h14M6 6.5v7m8-7v7M4.5 8 6 6.5 7.5 8m5 0L14 6.5 15.5 8m-11 4L6 13.5 7.5 12m5 0 1.5 1.5 1.5-1.5"/>`,
	"same-width":    `<path d="M4 3v14M16 3v14M6.5 6h7m-7 8h7M8 4.5 6.5 6 8 7.5m0 5L6.5 14 8 15.5m4-11L13.5 6 12 7.5m0 5 1.5 1.5-1.5 1.5"/>`,
	"spread-across": `<path d="M3 3v14M17 3v14M8 6h4v8H8z"/>`,
	"spread-down":   `<path d="M3 3h14M3 17h14M6 8h8v4H6z"/>`,
	"trash":         `<path d="M3.5 5.5h13M8 5.5v-2h4v2M5 5.5l1 11.5h8l1-11.5M8.5 8.5v5.5m3-5.5v5.5"/>`,
	"undo":          `<path class="flip" d="M4 4v5h5M4.5 8.5A6 6 0 1 1 4 13"/>`,
	"up":            `<path d="m5 12 5-5 5 5"/>`,
}
