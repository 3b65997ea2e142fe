package transfer

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"paraph/app/account"
	"paraph/app/archive"
	"paraph/app/signing"
	"paraph/kv"
)

// Export starts an export, neither compressed nor encrypted. With secrets, it includes sign-in
// credentials.
func (i *Installation) Export(ctx context.Context, company string, secrets bool) (io.ReadCloser, error) {
	c, err := i.Accounts.Companies.CompanyByID(company)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(i.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	h := Header{Format: format, Company: c.ID, Name: c.Name, Time: i.Now().UTC(), DataVersion: i.DataVersion, Program: i.Program,
		Address: i.address(), Secrets: secrets}
	r, w := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.CloseWithError(i.write(ctx, h, w))
	}()
	return &stream{r, ended}, nil
}

// stream waits for its writer when it is closed.
type stream struct {
	*io.PipeReader
	ended <-chan struct{}
}

func (s *stream) Close() error {
	err := s.PipeReader.Close()
	<-s.ended
	return err
}

// write writes the archive. Records come first: a file is stored before the record
// that names it, and none is removed meanwhile.
func (i *Installation) write(ctx context.Context, h Header, to io.Writer) (err error) {
	defer i.Blobs.Hold()()
	w, err := archive.NewWriter(to, h.Time, i.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := w.Add(headerEntry, int64(len(b)), bytes.NewReader(b)); err != nil {
		return err
	}
	files, err := i.records(ctx, h, w)
	if err != nil {
		return err
	}
	public, err := i.Keys.Public(h.Company, h.Name)
	if err != nil {
		return err
	}
	if err := w.Add(keysEntry, int64(len(public)), bytes.NewReader(public)); err != nil {
		return err
	}
	for _, hash := range files.sorted() {
		if err := errors.Join(ctx.Err(), i.file(w, hash)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// hashes are file names, stored as bytes: there may be millions.
type hashes map[[32]byte]struct{}

func (h hashes) add(name string) error {
	b, err := hex.DecodeString(name)
	if err != nil || len(b) != 32 {
		return fmt.Errorf("%w: %q is not a file name", kv.ErrCorrupt, name)
	}
	h[[32]byte(b)] = struct{}{}
	return nil
}

func (h hashes) sorted() []string {
	out := make([]string, 0, len(h))
	for sum := range h {
		out = append(out, hex.EncodeToString(sum[:]))
	}
	slices.Sort(out)
	return out
}

// records writes the records as of one moment, and returns the files they name.
func (i *Installation) records(ctx context.Context, h Header, w *archive.Writer) (hashes, error) {
	files, lines := hashes{}, archive.NewPieces(w, recordsPrefix)
	put := func(it kv.Item) error {
		b, err := json.Marshal(it)
		if err != nil {
			return err
		}
		_, err = lines.Write(append(b, '\n'))
		return errors.Join(err, ctx.Err())
	}
	err := i.DB.View(func(tx *kv.Tx) error {
		people, err := i.Accounts.Upkeep.ExportRecords(tx, account.RecordExport{Company: h.Company, Secrets: h.Secrets, Put: put})
		if err != nil {
			return err
		}
		if err := i.Checkpoints.ExportRecords(tx, h.Company, put); err != nil {
			return err
		}
		documents := signing.RecordExport{Company: h.Company, People: people, Put: put, File: files.add}
		if err := i.Upkeep.ExportRecords(tx, documents); err != nil {
			return err
		}
		return errors.Join(i.Contacts.ExportRecords(tx, h.Company, put), i.Webhooks.ExportRecords(tx, h.Company, put),
			i.PublicLinks.ExportRecords(tx, h.Company, put))
	})
	return files, errors.Join(err, lines.Flush())
}

func (i *Installation) file(w *archive.Writer, hash string) error {
	f, err := i.Blobs.Open(hash)
	if err != nil {
		return fmt.Errorf("cannot read the file %s; see paraph check: %w", hash, err)
	}
	return errors.Join(w.Add(archive.Files+hash, f.Size(), f), f.Close())
}
