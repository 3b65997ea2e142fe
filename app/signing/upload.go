package signing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/turns"
	"paraph/kv"
)

// Upload is a file being uploaded: its bytes are on disk, and nothing refers to
// them until the document does. Close drops what was not committed.
type Upload struct {
	Name        string
	ContentType string
	Password    string // opens an encrypted PDF; never kept
	Locked      bool   // refused because it is encrypted and Password does not open it
	Fixed       bool   // refused because it may not be changed, and Flatten would help
	Flatten     bool   // sign a copy of what a PDF shows, with the PDF attached
	by          turns.Key
	raw         *blob.Writer
	converted   *blob.Writer // the PDF made from it, if the upload can't be appended to
}

// Close drops everything that was not committed.
func (u *Upload) Close() error {
	return errors.Join(abort(u.raw), abort(u.converted))
}

func abort(w *blob.Writer) error {
	if w == nil {
		return nil
	}
	return w.Abort()
}

// Receive streams the bytes of one file to disk, never holding all of it in memory.
func (s *Service) Receive(ctx context.Context, who account.Actor, name, contentType string, r io.Reader) (*Upload, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return nil, spaceError(err)
	}
	u := &Upload{Name: name, ContentType: contentType, by: who.Turn(), raw: w}
	n, err := io.Copy(w, io.LimitReader(r, s.Limits.UploadBytes+1))
	if err == nil && n > s.Limits.UploadBytes {
		err = fault.TooLarge("file_too_large", fault.Text("limit", megabytes(s.Limits.UploadBytes)))
	}
	if err != nil {
		return nil, errors.Join(spaceError(err), u.Close())
	}
	return u, nil
}

// spaceError turns the blob store's "no space" into the error that people see.
func spaceError(err error) error {
	if errors.Is(err, blob.ErrNoSpace) || errors.Is(err, kv.ErrDiskFull) {
		return fault.NoSpace().Because(err)
	}
	return err
}

// megabytes formats a size in the units of the configuration.
func megabytes(n int64) string {
	switch {
	case n%1e6 == 0:
		return fmt.Sprintf("%d MB", n/1e6)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// commitUploads moves the bytes to their final names, before anything refers to them.
func commitUploads(uploads []*Upload) error {
	for _, u := range uploads {
		if _, err := u.raw.Commit(); err != nil {
			return spaceError(err)
		}
		if u.converted == nil {
			continue
		}
		if _, err := u.converted.Commit(); err != nil {
			return spaceError(err)
		}
	}
	return nil
}

// attach inspects and converts the uploads and adds them to the record. What a
// person can fix is reported as a fault; an unsupported type is an error at once.
func (s *Service) attach(ctx context.Context, f *fault.Fields, d *Document, uploads []*Upload) error {
	if len(d.Files)+len(uploads) > s.Limits.Files {
		f.TooMany("files", s.Limits.Files)
		return nil
	}
	for i, u := range uploads {
		at := f.At("files", i)
		name := fileName(at, "name", u.Name)
		if !f.Empty() {
			continue
		}
		file, err := s.intake(ctx, u)
		var bad *refusal
		switch {
		case errors.As(err, &bad):
			f.Add(fmt.Sprintf("files.%d", i), bad.code, bad.args...)
			continue
		case err != nil:
			return err
		}
		file.ID, file.Name, file.Position, file.CreatedAt = s.id(), name, len(d.Files)+1, s.Now()
		d.Files = append(d.Files, file)
	}
	return nil
}

// fileName checks a file's name: a name that file systems or mail programs do not
// accept is refused rather than quietly changed.
func fileName(f *fault.Fields, field, name string) string {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		f.Required(field)
	case !utf8.ValidString(name):
		f.Add(field, "not_utf8")
	case utf8.RuneCountInString(name) > record.MaxName:
		f.TooLong(field, record.MaxName)
	case strings.ContainsAny(name, `/\`), strings.ContainsFunc(name, unicode.IsControl), name == ".", name == "..":
		f.Add(field, "not_a_file_name")
	}
	return name
}

func fileAdded(f *File) Event {
	return record.NewEvent(record.EventFileAdded).With("file", f.ID).With("name", f.Name).With("sha256", f.SHA256)
}

// Attach adds uploads to a draft: all or none. The caller closes the uploads.
func (s *Service) Attach(ctx context.Context, who account.Actor, id string, uploads []*Upload, seen ...int64) (*Document, []File, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, nil, err
	}
	d, err := s.Store.Get(who, id, seen...)
	if err != nil {
		return nil, nil, err
	}
	if err := d.Editable(); err != nil {
		return nil, nil, err
	}
	if len(uploads) == 0 {
		return nil, nil, fault.Invalid("files", "required")
	}
	var faults fault.Fields
	before := len(d.Files)
	if err := s.attach(ctx, &faults, d, uploads); err != nil {
		return nil, nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	if err := commitUploads(uploads); err != nil {
		return nil, nil, err
	}
	added := d.Files[before:]
	d, err = s.draft(who, id, func(tx *kv.Tx, d *Document, f *fault.Fields) ([]Event, error) {
		if len(d.Files)+len(added) > s.Limits.Files {
			f.TooMany("files", s.Limits.Files)
			return nil, nil
		}
		var events []Event
		for i := range added {
			added[i].Position, added[i].CreatedAt = len(d.Files)+1, tx.Now
			d.Files = append(d.Files, added[i])
			events = append(events, fileAdded(&added[i]))
		}
		if err := s.drawLater(tx, d); err != nil {
			return nil, err
		}
		return events, s.Lists.ReadLater(tx, d, added)
	}, seen...)
	return d, added, err
}
