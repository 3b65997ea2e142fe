package client

import (
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode"
)

// proposed returns the file name of a download: without any folder that it may name, not hidden, and
// without what only some systems accept in a name.
func proposed(res *http.Response, otherwise string) string {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	name := path.Base(strings.ReplaceAll(params["filename"], "\\", "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune(`<>:"/|?*`, r) {
			return -1
		}
		return r
	}, name)
	if name = strings.Trim(name, ". -"); err != nil || name == "" {
		return path.Base(otherwise) + ".pdf"
	}
	return name
}
