// Package transfer moves a company from one installation to another.
//
// The entries of an export (see package archive), in this order:
//
//	company.json        the [Header]
//	records/00000001 …  the records, one JSON object a line, in pieces
//	certificates.pem    the certificates its signatures lead to, and revocation lists
//	files/<SHA-256> …   uploads and revisions, sorted
//	manifest.txt        the SHA-256 of every entry above
//
// An import is staged: everything is received and checked before any of it becomes visible.
// After that it is completed, by the next start if necessary.
package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"paraph/app/account"
	"paraph/app/archive"
	"paraph/app/blob"
	"paraph/app/checkpoint"
	"paraph/app/contact"
	"paraph/app/notify"
	"paraph/app/pki"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/store"
	"paraph/kv"
)

const (
	headerEntry   = "company.json"
	recordsPrefix = "records/"
	keysEntry     = "certificates.pem"

	// format is the version of the layout above.
	format = 1
)

// ErrVersion reports that an export was made by another version of Paraph.
var ErrVersion = errors.New("the records have another version")

// Header describes an export.
type Header struct {
	Format      int       `json:"format"`
	Company     string    `json:"company"`
	Name        string    `json:"name"`
	Time        time.Time `json:"time"`
	DataVersion int       `json:"data_version"` // of the records
	Program     string    `json:"program"`
	Address     string    `json:"address"` // host that the installation is reached at; "" if not configured
	Secrets     bool      `json:"secrets"` // includes password hashes and secrets of authenticator apps
}

// FileName returns the name of an export in a folder.
func (h *Header) FileName(encrypted bool) string {
	name := fmt.Sprintf("paraph-company-%s-%s.tar.zst", h.Company, h.Time.UTC().Format("20060102T150405Z"))
	if encrypted {
		name += ".age"
	}
	return name
}

func (h *Header) parse(name string, content []byte) error {
	if name != headerEntry {
		return fmt.Errorf("%w: not an exported company", archive.ErrDamaged)
	}
	if err := json.Unmarshal(content, h); err != nil {
		return fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	if h.Format != format {
		return fmt.Errorf("the format is %d, but this program reads %d; use a newer version of Paraph", h.Format, format)
	}
	return nil
}

// Installation is an open data folder with its services.
type Installation struct {
	DB       *kv.DB
	Blobs    *blob.Store
	Accounts *account.Services
	Store    *store.Store
	Upkeep   *signing.Upkeep
	Contacts *contact.Service
	Webhooks *notify.Webhooks

	PublicLinks *publiclink.Service

	Keys *pki.Authority

	Checkpoints *checkpoint.Service

	Dir         string // of staged imports and temporary files
	BaseURL     string // "" if not configured
	Address     string // where links that are printed lead
	DataVersion int
	Program     string
	Now         func() time.Time
	Log         *slog.Logger
}

// address returns the host that people use to reach the installation, to which passkeys are
// bound.
func (i *Installation) address() string {
	u, err := url.Parse(i.BaseURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
