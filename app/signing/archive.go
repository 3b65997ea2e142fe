package signing

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"paraph/app/input"
	"paraph/app/signing/disk"
)

// archive writes a ZIP in which no two names are the same to any file system.
type archive struct {
	zip  *zip.Writer
	used map[string]bool // by nameKey
}

func newArchive(w io.Writer) *archive { return &archive{zip.NewWriter(w), map[string]bool{}} }

// nameKey is the same for names that some file system takes for one: those that differ by case, by
// the form of their Unicode characters, or by dots and spaces at the end.
func nameKey(name string) string {
	folded := norm.NFKC.String(strings.ToLower(strings.ToUpper(norm.NFKC.String(name))))
	return strings.TrimRight(folded, ". ")
}

// reserve keeps names for the files that the archive is trusted for.
func (a *archive) reserve(names ...string) {
	for _, name := range names {
		a.used[nameKey(name)] = true
	}
}

// free returns the name, with a number if it is taken, and takes it.
func (a *archive) free(name string) string {
	ext := path.Ext(name)
	for n, base := 2, name; a.used[nameKey(name)]; n++ {
		name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(base, ext), n, ext)
	}
	a.used[nameKey(name)] = true
	return name
}

// add stores one file without compression, as PDFs are compressed inside.
func (a *archive) add(name string, at time.Time, d *Download) error {
	out, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: at})
	if err != nil {
		return err
	}
	in, err := d.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return disk.Closing(err, in.Close)
}

// archiveName returns a name that lies in the folder it is put in, on every system: without
// separators, names of devices and streams, or what nobody sees.
func archiveName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, input.Visible(strings.ToValidUTF8(name, "_")))
	clean = strings.TrimRight(strings.TrimSpace(clean), ". ")
	return cmp.Or(clean, "_")
}
