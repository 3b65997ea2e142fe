package intake

import (
	"errors"
	"io"
	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/signing/disk"
	"paraph/app/signing/record"
	"paraph/app/turns"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Upload is a file being uploaded: its bytes are on disk, and nothing refers to them
// until the document does. Close removes whatever was not committed.
type Upload struct {
	Name        string
	ContentType string
	Password    string    // opens an encrypted PDF; never kept
	Locked      bool      // refused because it is encrypted and Password does not open it
	Fixed       bool      // refused because it must not be changed; Flatten would help
	Flatten     bool      // sign a flattened copy, with the PDF attached
	Names       bool      // names in double braces become fields
	By          turns.Key // the sender, in whose turn it is converted
	Series      *Series   // with whose files it is converted if it is a DOCX; nil: alone
	Raw         *blob.Writer
	Converted   *blob.Writer // the PDF made from it; nil if the upload can be appended to
	rewritten   bool         // Converted is what our own reader makes of it
}

// Close removes everything that was not committed.
func (u *Upload) Close() error {
	return errors.Join(abort(u.Raw), abort(u.Converted))
}

func abort(w *blob.Writer) error {
	if w == nil {
		return nil
	}
	return w.Abort()
}

// Receive streams the bytes of one file to disk, never holding all of it in memory.
func (s *Intake) Receive(who account.Call, name, contentType string, r io.Reader) (*Upload, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return nil, disk.SpaceError(err)
	}
	u := &Upload{Name: name, ContentType: contentType, By: who.Turn(), Raw: w}
	n, err := io.Copy(w, io.LimitReader(r, s.Limits.UploadBytes+1))
	if err == nil && n > s.Limits.UploadBytes {
		err = fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.Limits.UploadBytes)))
	}
	if err != nil {
		return nil, errors.Join(disk.SpaceError(err), u.Close())
	}
	return u, nil
}

// CommitUploads moves the bytes to their final names before anything refers to them.
func CommitUploads(uploads []*Upload) error {
	for _, u := range uploads {
		if _, err := u.Raw.Commit(); err != nil {
			return disk.SpaceError(err)
		}
		if u.Converted == nil {
			continue
		}
		if _, err := u.Converted.Commit(); err != nil {
			return disk.SpaceError(err)
		}
	}
	return nil
}

// FileName checks a file's name. A name that file systems or mail programs don't
// accept is refused instead of being changed silently; characters that nobody sees are removed.
func FileName(f *fault.Fields, field, name string) string {
	name = strings.TrimSpace(input.Visible(name))
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
