package signing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/signing/disk"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// Unfinished is a file that is being uploaded in pieces. What has been received is on
// disk, survives a restart, and is kept for a day after the last piece. Only its sender
// has access.
type Unfinished struct {
	ID        string
	Company   string
	Document  string
	User      string
	Name      string
	Size      int64 // of the whole file
	Received  int64 // of it, so far
	Locked    bool  // complete but encrypted: the password is needed
	Fixed     bool  // complete but must not be changed: it has to be flattened
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Whole reports whether all of the file has been received.
func (u *Unfinished) Whole() bool { return u.Received == u.Size }

var unfinished = kv.NewCollection("unfinished", kv.JSON[Unfinished](),
	kv.Index[Unfinished]{Name: "document", Counted: true, Keys: func(u Unfinished) []kv.Key { return []kv.Key{kv.K(u.Company, u.Document)} }},
	kv.Index[Unfinished]{Name: "updated", Keys: func(u Unfinished) []kv.Key { return []kv.Key{kv.K(kv.KeyTime(u.UpdatedAt))} }})

const (
	// maxUnfinished is the maximum number of unfinished uploads per company, and maxOwn that of one
	// of its members, so that nobody takes all of them.
	maxUnfinished = 500
	maxOwn        = 100
	// unfinishedFor is how long an upload is kept after its last piece.
	unfinishedFor = 24 * time.Hour
)

// BeginUpload announces a file for a draft. For the same name and size from the same
// person, it returns the upload already begun, with what was received so far.
func (s *Drafts) BeginUpload(
	who account.Call, id, name string, size int64,
) (u Unfinished, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Unfinished{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		d, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		if err := d.Editable(); err != nil {
			return err
		}
		var f fault.Fields
		u = Unfinished{ID: s.id(), Company: who.CompanyID, Document: id, User: who.UserID, Name: intake.FileName(&f, "name", name), Size: size, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if size < 1 {
			f.Add("size", "file_empty", fault.Text("file", u.Name))
		}
		if err := f.Err(); err != nil {
			return err
		}
		if size > s.limits.UploadBytes {
			return fault.TooLarge("file_too_large", fault.Text("limit", disk.Megabytes(s.limits.UploadBytes)))
		}
		before, err := begunBy(tx, who, id)
		if err != nil {
			return err
		}
		for _, b := range before {
			if b.Name == u.Name && b.Size == size {
				u = b
				return nil
			}
		}
		if len(d.Files)+len(before) >= s.limits.Files {
			f.TooMany("files", s.limits.Files)
			return f.Err()
		}
		if err := s.uploadRoom(tx, who, size); err != nil {
			return err
		}
		return unfinished.Put(tx, u.ID, u)
	})
	return u, err
}

// uploadRoom refuses an upload if too many are in progress, or if with all of them it would take the
// company over its quota.
func (s *Drafts) uploadRoom(tx *kv.Tx, who account.Call, size int64) error {
	all, own := 0, 0
	err := unfinished.Each(tx, "document", kv.K(who.CompanyID), func(_ string, u Unfinished) (bool, error) {
		size += u.Size
		all++
		if u.User == who.UserID {
			own++
		}
		return true, nil
	})
	switch {
	case err != nil:
		return err
	case own >= maxOwn:
		return fault.Conflict("too_many_own_uploads", fault.Number("limit", maxOwn))
	case all >= maxUnfinished:
		return fault.Conflict("too_many_uploads")
	}
	return s.quota.Room(tx, who.CompanyID, 0, size)
}

func begunBy(tx *kv.Tx, who account.Call, document string) ([]Unfinished, error) {
	var out []Unfinished
	err := unfinished.Each(tx, "document", kv.K(who.CompanyID, document), func(_ string, u Unfinished) (bool, error) {
		if u.User == who.UserID {
			out = append(out, u)
		}
		return true, nil
	})
	return out, err
}

// UnfinishedUploads lists the caller's uploads to a document, oldest first.
func (s *Drafts) UnfinishedUploads(who account.Call, id string) (all []Unfinished, err error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		if _, err := store.Load(tx, who, id); err != nil {
			return err
		}
		all, err = begunBy(tx, who, id)
		return err
	})
	return all, err
}

// GetUpload returns an upload with the number of bytes received.
func (s *Drafts) GetUpload(who account.Call, id, upload string) (u Unfinished, err error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return Unfinished{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		u, err = loadUnfinished(tx, who, id, upload)
		return err
	})
	return u, err
}

func loadUnfinished(tx *kv.Tx, who account.Call, id, upload string) (Unfinished, error) {
	u, err := unfinished.Get(tx, upload)
	if err != nil {
		return Unfinished{}, store.MapNotFound(err, "upload")
	}
	if u.Company != who.CompanyID || u.Document != id || u.User != who.UserID {
		return Unfinished{}, fault.NotFound("upload")
	}
	return u, nil
}

// AppendUpload adds the piece of a file that begins at an offset. What was received before
// a connection broke is kept. A piece that does not begin where the last one ended is
// refused as a conflict; the returned upload holds the right offset.
func (s *Drafts) AppendUpload(
	who account.Call, id, upload string, offset int64, r io.Reader,
) (u Unfinished, err error) {
	if u, err = s.uploadAt(who, id, upload, offset); err != nil {
		return u, err
	}
	// Receive the piece into a separate file first, so that nobody waits for a slow connection.
	piece, err := s.blobs.Create()
	if err != nil {
		return u, disk.SpaceError(err)
	}
	defer func() { err = errors.Join(err, piece.Abort()) }()
	_, cut := io.Copy(piece, io.LimitReader(r, u.Size-offset))
	if piece.Size() == 0 && cut != nil {
		return u, disk.SpaceError(cut)
	}
	defer s.changes.lock(upload)()
	if u, err = s.uploadAt(who, id, upload, offset); err != nil {
		return u, err // another piece arrived first
	}
	u, err = s.addPiece(who, u, offset, io.NewSectionReader(piece, 0, piece.Size()))
	return u, errors.Join(err, disk.SpaceError(cut))
}

// uploadAt returns an upload if it continues at the given offset.
func (s *Drafts) uploadAt(
	who account.Call, id, upload string, offset int64,
) (Unfinished, error) {
	u, err := s.GetUpload(who, id, upload)
	if err == nil && offset != u.Received {
		err = fault.Conflict("wrong_offset", fault.Number("offset", u.Received))
	}
	return u, err
}

// addPiece appends a piece that is on disk. It finishes even if the sender has
// disconnected.
func (s *Drafts) addPiece(who account.Call, u Unfinished, offset int64, piece io.Reader) (Unfinished, error) {
	size, cut := s.blobs.Append(context.Background(), u.ID, offset, piece)
	if errors.Is(cut, blob.ErrNotFound) {
		// The received data is gone, so the upload starts over.
		size = 0
		cut = fault.Conflict("wrong_offset", fault.Number("offset", 0))
	} else if size == 0 && cut != nil {
		return u, disk.SpaceError(cut)
	}
	id := u.ID
	err := s.db.For(who.CompanyID).Update(func(tx *kv.Tx) (err error) {
		if u, err = loadUnfinished(tx, who, u.Document, id); err != nil {
			return err
		}
		u.Received, u.UpdatedAt = size, tx.Now
		return unfinished.Put(tx, id, u)
	})
	if fault.KindOf(err) == fault.KindNotFound { // canceled in the meantime
		err = errors.Join(s.blobs.Discard(id), err)
	}
	if err != nil {
		return Unfinished{}, err
	}
	return u, disk.SpaceError(cut)
}

// FinishUpload adds a complete upload to the draft as a file. A refused upload is dropped,
// unless it needs a password or has to be flattened: then the caller can try again.
func (s *Drafts) FinishUpload(
	ctx context.Context, who account.Call, id, upload, password string,
) (*record.Document, *record.File, error) {
	return s.finishUpload(ctx, who, id, upload, &intake.Upload{Password: password})
}

// FinishUploadFlattened is like FinishUpload, but signs a flattened copy with the upload
// attached.
func (s *Drafts) FinishUploadFlattened(
	ctx context.Context, who account.Call, id, upload, password string,
) (*record.Document, *record.File, error) {
	return s.finishUpload(ctx, who, id, upload, &intake.Upload{Password: password, Flatten: true})
}

func (s *Drafts) finishUpload(
	ctx context.Context, who account.Call, id, upload string, up *intake.Upload,
) (d *record.Document, file *record.File, err error) {
	defer s.changes.lock(upload)()
	u, err := s.GetUpload(who, id, upload)
	if err != nil {
		return nil, nil, err
	}
	if !u.Whole() {
		return nil, nil, fault.Conflict("upload_incomplete", fault.Number("received", u.Received), fault.Number("size", u.Size))
	}
	raw, err := s.blobs.Resume(u.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("signing: upload %s: %w", u.ID, err)
	}
	up.Name, up.Raw, up.By = u.Name, raw, who.Turn()
	defer func() { err = errors.Join(err, up.Close()) }()
	d, added, err := s.Attach(ctx, who, id, AttachInput{Uploads: []*intake.Upload{up}})
	switch kind := fault.KindOf(err); {
	case err == nil:
		return d, &added[0], s.forgetUpload(who.CompanyID, u.ID)
	case up.Locked || up.Fixed:
		return nil, nil, errors.Join(s.markRefused(who, id, upload, up), err)
	case kind == fault.KindInvalid, kind == fault.KindUnsupported, kind == fault.KindTooLarge:
		return nil, nil, errors.Join(s.forgetUpload(who.CompanyID, u.ID), err)
	}
	return nil, nil, err
}

// markRefused records what an upload needs to be accepted.
func (s *Drafts) markRefused(who account.Call, id, upload string, up *intake.Upload) error {
	return s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		u, err := loadUnfinished(tx, who, id, upload)
		if err != nil {
			return err
		}
		u.Locked, u.Fixed = up.Locked, up.Fixed
		return unfinished.Put(tx, u.ID, u)
	})
}

// CancelUpload drops an upload and its data.
func (s *Drafts) CancelUpload(who account.Call, id, upload string) error {
	u, err := s.GetUpload(who, id, upload)
	if err != nil {
		return err
	}
	return s.forgetUpload(who.CompanyID, u.ID)
}

// forgetUpload deletes the record first, so that a piece in transit finds no upload to be added to.
func (s *Drafts) forgetUpload(company, upload string) error {
	err := s.db.For(company).Update(func(tx *kv.Tx) error {
		err := unfinished.Delete(tx, upload)
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		return err
	})
	return errors.Join(err, s.blobs.Discard(upload))
}

// sweepUploads drops the uploads that have not received a piece for a day.
func (s *Drafts) sweepUploads() error {
	var old []Unfinished
	before := s.now("").Add(-unfinishedFor)
	err := s.db.View(func(tx *kv.Tx) error {
		return unfinished.Each(tx, "updated", nil, func(_ string, u Unfinished) (bool, error) {
			if !u.UpdatedAt.Before(before) {
				return false, nil
			}
			old = append(old, u)
			return true, nil
		})
	})
	for _, u := range old {
		err = errors.Join(err, s.forgetUpload(u.Company, u.ID))
	}
	return err
}
