// Package backup makes archives of a data folder while it is in use, keeps a folder of archives
// up to date, and restores them.
//
// The entries of an archive (see package archive), in this order:
//
//	backup.json           the [Header]
//	records/00000001 …    the records and the audit trail, in pieces
//	files/<SHA-256> …     uploads and revisions, sorted
//	keys/…                signing keys and certificates
//	settings/config.toml  the configuration file, if there is one
//	damaged.txt           files that are damaged on disk and left out, if there are any
//	files.txt             in a full backup: the files above, one hash a line, sorted
//	manifest.txt          the SHA-256 of every entry above, as sha256sum prints it
//
// An increment holds the records that changed since the backup it continues, and the files
// that they have needed since then. Keys and settings are always complete.
package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"paraph/app/archive"
)

// Names of entries.
const (
	headerEntry   = "backup.json"
	recordsPrefix = "records/"
	filesPrefix   = archive.Files
	keysPrefix    = "keys/"
	settingsEntry = "settings/config.toml"
	damagedEntry  = "damaged.txt"
	listEntry     = "files.txt"
)

// format is the version of the layout above. In the first one, increments have a files.txt too.
const (
	format      = 2
	firstFormat = 1
)

// Errors of this package; test with [errors.Is].
var (
	// ErrDamaged reports that an archive differs from what was written.
	ErrDamaged = archive.ErrDamaged
	// ErrUnknownBackup reports that the installation has no record of a backup, so that no
	// increment can continue it.
	ErrUnknownBackup = errors.New("this installation does not know the earlier backup; take a full one, without --since")
	// ErrUnchanged reports that nothing has changed since the earlier backup.
	ErrUnchanged = errors.New("nothing has changed")
	// ErrGap reports that a backup is missing between others.
	ErrGap = errors.New("a backup is missing")
	// ErrNoKey reports that none of the given keys decrypts an archive.
	ErrNoKey = archive.ErrNoKey
)

// Header describes a backup.
type Header struct {
	Format      int       `json:"format"`
	ID          string    `json:"id"`
	Parent      string    `json:"parent,omitempty"` // the backup that this one continues; empty for a full one
	Time        time.Time `json:"time"`
	DataVersion int       `json:"data_version"` // version of the records
	Program     string    `json:"program"`
	// Line and Epoch tell whose records they are, see [kv.History]; earlier versions left them out.
	Line  string `json:"line,omitempty"`
	Epoch uint64 `json:"epoch,omitempty"`
}

// Full reports whether the backup is complete by itself.
func (h Header) Full() bool { return h.Parent == "" }

// Kind returns "full" or "part", as in file names.
func (h Header) Kind() string {
	if h.Full() {
		return "full"
	}
	return "part"
}

const (
	stampLayout = "20060102T150405Z"
	extension   = ".tar.zst"
	ageSuffix   = ".age"
)

// read reads a whole archive and compares every entry with the manifest. visit, which may be
// nil, receives each entry except the header and the manifest.
func read(r io.Reader, visit func(h Header, name string, r io.Reader) error) (h Header, err error) {
	v := archive.Reader{Head: h.parse}
	if visit != nil {
		v.Visit = func(name string, r io.Reader) error { return visit(h, name, r) }
	}
	err = v.Read(r)
	return h, err
}

// readHeader reads only the beginning of an archive.
func readHeader(r io.Reader) (h Header, err error) {
	err = archive.Reader{Head: h.parse}.ReadHead(r)
	return h, err
}

func (h *Header) parse(name string, content []byte) error {
	if name != headerEntry {
		return fmt.Errorf("%w: not a backup of Paraph", ErrDamaged)
	}
	if err := json.Unmarshal(content, h); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Format < firstFormat || h.Format > format {
		return fmt.Errorf("the format is %d, but this program reads %d; use a newer version of Paraph", h.Format, format)
	}
	return nil
}

// FileName returns the name of an archive in a folder of backups. The name
// shows which backup it continues, so that a chain is found without decrypting
// anything.
func (h Header) FileName(encrypted bool) string {
	name := fmt.Sprintf("paraph-%s-full-%s", h.Time.UTC().Format(stampLayout), h.ID)
	if !h.Full() {
		name = fmt.Sprintf("paraph-%s-part-%s-after-%s", h.Time.UTC().Format(stampLayout), h.ID, h.Parent)
	}
	name += extension
	if encrypted {
		name += ageSuffix
	}
	return name
}

var nameForm = regexp.MustCompile(`^paraph-(\d{8}T\d{6}Z)-(?:full-([a-z0-9]+)|part-([a-z0-9]+)-after-([a-z0-9]+))\.tar\.zst(?:\.age)?$`)

// parseName parses the name of an archive.
func parseName(name string) (h Header, ok bool) {
	m := nameForm.FindStringSubmatch(name)
	if m == nil {
		return Header{}, false
	}
	at, err := time.Parse(stampLayout, m[1])
	return Header{ID: m[2] + m[3], Parent: m[4], Time: at}, err == nil
}
