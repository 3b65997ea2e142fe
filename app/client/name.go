package client

import (
	"mime"
	"net/http"
	"path/filepath"
	"strings"
)

// proposed returns the file name of a download, without any folder that it may name.
func proposed(res *http.Response, otherwise string) string {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	name := filepath.Base(filepath.FromSlash(strings.ReplaceAll(params["filename"], "\\", "/")))
	if err != nil || params["filename"] == "" || name == "." || name == ".." || name == string(filepath.Separator) {
		return otherwise + ".pdf"
	}
	return name
}
