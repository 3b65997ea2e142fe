package signing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/detect"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// attach inspects and converts the uploads and adds them to the record. Problems that a
// person can fix are reported as faults; an unsupported type is an error. With names, every
// name in double braces is to become a field.
func (s *Drafts) attach(ctx context.Context, f *fault.Fields, d *record.Document, uploads []*intake.Upload, names bool) error {
	if len(d.Files)+len(uploads) > s.limits.Files {
		f.TooMany("files", s.limits.Files)
		return nil
	}
	for i, u := range uploads {
		u.Names = names
		file, err := s.accept(ctx, d.Company, f, i, u)
		if err != nil {
			return err
		}
		if f.Empty() {
			file.Position = len(d.Files) + 1
			d.Files = append(d.Files, file)
		}
	}
	return nil
}

// accept inspects and converts one upload, the i-th of a request, unless there are faults.
func (s *Drafts) accept(ctx context.Context, company string, f *fault.Fields, i int, u *intake.Upload) (record.File, error) {
	name := intake.FileName(f.At("files", i), "name", u.Name)
	if !f.Empty() {
		return record.File{}, nil
	}
	file, err := s.intake.Accept(ctx, u)
	if err := refused(f, i, err); err != nil || !f.Empty() {
		return record.File{}, err
	}
	file.ID, file.Name, file.CreatedAt = s.id(), name, s.now(company)
	return file, nil
}

// refused adds the reason why the i-th file was refused to the faults, and returns any
// other error.
func refused(f *fault.Fields, i int, err error) error {
	if bad, ok := errors.AsType[*intake.Refusal](err); ok {
		f.Add(fmt.Sprintf("files.%d", i), bad.Code, bad.Args...)
		return nil
	}
	return err
}

// roomFor refuses uploads of a company that is over its quota, before they are converted
// and stored.
func (s *Drafts) roomFor(who account.Call, documents int, uploads []*intake.Upload) error {
	var bytes int64
	for _, u := range uploads {
		bytes += u.Raw.Size()
	}
	return s.db.View(func(tx *kv.Tx) error { return s.quota.Room(tx, who.CompanyID, documents, bytes) })
}

func fileAdded(f *record.File) record.Event {
	return record.NewEvent(record.EventFileAdded).With("file", f.ID).With("name", f.Name).With("sha256", f.SHA256)
}

// editable returns a draft that the actor may change.
func (s *Drafts) editable(who account.Call, id string) (*record.Document, error) {
	if err := who.RequireMember(account.ScopeWrite); err != nil {
		return nil, err
	}
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	return d, d.Editable()
}

// Editable refuses a document that the actor may not change, or that is no draft.
func (s *Drafts) Editable(who account.Call, id string) error {
	_, err := s.editable(who, id)
	return err
}

// AttachInput holds the files to be added to a draft.
type AttachInput struct {
	Uploads  []*intake.Upload
	TextTags bool // make fields of the text tags in them
	// Placeholders keeps names alone in DOCX uploads as variables despite TextTags.
	Placeholders bool
}

// Attach adds uploads to a draft: all or none. The caller closes the uploads.
func (s *Drafts) Attach(
	ctx context.Context, who account.Call, id string, in AttachInput,
) (*record.Document, []record.File, error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, nil, err
	}
	if len(in.Uploads) == 0 {
		return nil, nil, fault.Invalid("files", "required")
	}
	if err := s.roomFor(who, 0, in.Uploads); err != nil {
		return nil, nil, err
	}
	var faults fault.Fields
	before := *with
	if err := s.attach(ctx, &faults, with, in.Uploads, in.TextTags && !in.Placeholders); err != nil {
		return nil, nil, err
	}
	if in.TextTags && faults.Empty() {
		if err := s.placeTags(ctx, who, &faults, with, len(before.Files), in.Uploads); err != nil {
			return nil, nil, err
		}
	}
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	if err := intake.CommitUploads(in.Uploads); err != nil {
		return nil, nil, err
	}
	more := addition{
		version: before.Version, files: with.Files[len(before.Files):],
		roles: with.Invitations[len(before.Invitations):], fields: with.Fields[len(before.Fields):],
	}
	d, err := s.draft(who, id, func(tx *kv.Tx, d *record.Document, f *fault.Fields) ([]record.Event, error) {
		events, err := more.addTo(tx, d, f, s.limits.Files)
		if err := cmp.Or(err, f.Err()); err != nil {
			return nil, err
		}
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		return events, s.lists.ReadLater(tx, d, more.files)
	})
	return d, more.files, err
}

// addition holds the files, roles and fields that an upload adds to a draft.
type addition struct {
	version int64 // of the draft that fields and roles were made for
	files   []record.File
	roles   []record.Invitation
	fields  []record.Field
}

// addTo adds them to a draft that may have a limited number of files.
func (more *addition) addTo(tx *kv.Tx, d *record.Document, f *fault.Fields, limit int) ([]record.Event, error) {
	if len(d.Files)+len(more.files) > limit {
		f.TooMany("files", limit)
		return nil, nil
	}
	if len(more.fields) > 0 && d.Version != more.version {
		return nil, fault.Conflict("document_changed")
	}
	var events []record.Event
	for i := range more.files {
		more.files[i].Position, more.files[i].CreatedAt = len(d.Files)+1, tx.Now
		d.Files = append(d.Files, more.files[i])
		events = append(events, fileAdded(&more.files[i]))
	}
	for _, role := range more.roles {
		d.Invitations = append(d.Invitations, role)
		events = append(events, record.NewEvent(record.EventInvitationAdded).To(role.ID).With("email", role.Email))
		if err := store.Invited.Put(tx, role.ID, store.InvitedTo{Company: d.Company, Document: d.ID}); err != nil {
			return nil, err
		}
	}
	if len(more.fields) > 0 {
		d.Fields = append(d.Fields, more.fields...)
		events = append(events, record.NewEvent(record.EventDocumentFieldsAdded))
	}
	return events, nil
}

// ArrangePages replaces the pages of a file of a draft or template by a choice of those that it
// was uploaded with, in the given order. Fields move along with their pages; those on pages that are left out are
// removed. The upload is kept, so that a later choice can have all pages again.
func (s *Drafts) ArrangePages(
	ctx context.Context, who account.Call, id, file string, pages []record.PageChoice,
) (*record.Document, error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, err
	}
	old, err := arrangeable(with, file)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	if old.CheckPages(&f, pages); !f.Empty() {
		return nil, f.Err()
	}
	next, err := rearranged(ctx, s.intake, who, old, pages)
	if err != nil {
		return nil, err
	}
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		if d.Version != with.Version {
			return nil, fault.Conflict("document_changed")
		}
		record.ReplaceArranged(d, next)
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		return []record.Event{fileArranged(&next)}, s.lists.ReadLater(tx, d, []record.File{next})
	})
}

// SplitFile makes two files of a file of a draft or template: the pages from the given one on,
// counted from 1, become a file of their own, whose identifier is returned.
func (s *Drafts) SplitFile(
	ctx context.Context, who account.Call, id, file string, from int,
) (d *record.Document, made string, err error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, "", err
	}
	old, err := arrangeable(with, file)
	if err != nil {
		return nil, "", err
	}
	var f fault.Fields
	if from < 2 || from > len(old.Pages) {
		f.Between("page", 2, len(old.Pages))
	}
	if len(with.Files) >= s.limits.Files {
		f.TooMany("files", s.limits.Files)
	}
	if err := f.Err(); err != nil {
		return nil, "", err
	}
	pages := old.PageChoices()
	first, err := rearranged(ctx, s.intake, who, old, slices.Clip(pages[:from-1]))
	if err != nil {
		return nil, "", err
	}
	second, err := rearranged(ctx, s.intake, who, old, pages[from-1:])
	if err != nil {
		return nil, "", err
	}
	second.ID, second.Name = s.id(), partName(old.Name)
	d, err = s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		if d.Version != with.Version {
			return nil, fault.Conflict("document_changed")
		}
		second.CreatedAt = tx.Now
		record.Split(d, first, second)
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		events := []record.Event{fileArranged(&first), fileAdded(&second), fileArranged(&second)}
		return events, s.lists.ReadLater(tx, d, []record.File{first, second})
	})
	return d, second.ID, err
}

// MergeFiles makes one file of several of a draft or template: the pages of the others, or with nil of
// all others, follow those of the file, whose place it takes.
func (s *Drafts) MergeFiles(
	ctx context.Context, who account.Call, id, file string, others []string,
) (*record.Document, error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, err
	}
	files := append([]string{file}, others...)
	if others == nil {
		for i := range with.Files {
			if other := with.Files[i].ID; other != file {
				files = append(files, other)
			}
		}
	}
	parts, err := mergeable(with, files, s.limits.Pages)
	if err != nil {
		return nil, err
	}
	var bytes int64
	names := make([]string, len(parts))
	for i, p := range parts {
		bytes += p.BaseSize
		names[i] = p.Name
	}
	if err := s.db.View(func(tx *kv.Tx) error { return s.quota.Room(tx, with.Company, 0, bytes) }); err != nil {
		return nil, err
	}
	made, err := s.intake.Merge(ctx, who.Turn(), parts)
	if err != nil {
		return nil, err
	}
	next := record.Joined(parts, made, pdfName(parts[0].Name))
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		if d.Version != with.Version {
			return nil, fault.Conflict("document_changed")
		}
		record.Merge(d, files, next)
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		event := record.NewEvent(record.EventFileMerged).With("file", next.ID).With("name", next.Name).
			With("sha256", next.SHA256).With("files", strings.Join(files, ", ")).With("names", strings.Join(names, ", "))
		return []record.Event{event}, s.lists.ReadLater(tx, d, []record.File{next})
	})
}

// RedactFile blacks out parts of the pages of a file of a draft or template, so that nothing remains
// beneath. Only those who may change the document can still get the upload.
func (s *Drafts) RedactFile(
	ctx context.Context, who account.Call, id, file string, regions []detect.Area,
) (*record.Document, error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, err
	}
	old, err := arrangeable(with, file)
	if err != nil {
		return nil, err
	}
	var f fault.Fields
	if old.CheckRegions(&f, regions); !f.Empty() {
		return nil, f.Err()
	}
	if err := s.db.View(func(tx *kv.Tx) error { return s.quota.Room(tx, with.Company, 0, old.BaseSize) }); err != nil {
		return nil, err
	}
	made, err := s.intake.Redact(ctx, who.Turn(), old, regions)
	if err != nil {
		return nil, err
	}
	next := record.Joined([]*record.File{old}, made, pdfName(old.Name))
	return s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		if d.Version != with.Version {
			return nil, fault.Conflict("document_changed")
		}
		record.Merge(d, []string{file}, next)
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		var pages []record.PageChoice
		for _, r := range regions {
			if p := (record.PageChoice{Page: r.Page}); !slices.Contains(pages, p) {
				pages = append(pages, p)
			}
		}
		event := record.NewEvent(record.EventFileRedacted).With("file", next.ID).With("name", next.Name).
			With("sha256", next.SHA256).With("pages", record.DescribePages(pages))
		return []record.Event{event}, s.lists.ReadLater(tx, d, []record.File{next})
	})
}

// maxParts is the maximum number of uploads that are merged into one file.
const maxParts = 200

// mergeable returns files that may be merged, the first of which the others follow.
func mergeable(d *record.Document, ids []string, limit int) (out []*record.File, err error) {
	var f fault.Fields
	if len(ids) < 2 {
		f.Required("files")
	}
	pages, parts := 0, 0
	for i, id := range ids {
		if i > 0 && (d.File(id) == nil || slices.Contains(ids[:i], id)) {
			f.Selected("files." + strconv.Itoa(i-1))
			continue
		}
		x, err := arrangeable(d, id)
		if err != nil {
			return nil, err
		}
		out, pages, parts = append(out, x), pages+len(x.Pages), parts+max(1, len(x.Merged))
	}
	if pages > limit {
		f.Add("files", "too_many_pages", fault.Text("file", out[0].Name), fault.Number("pages", pages), fault.Number("limit", limit))
	}
	if parts > maxParts {
		f.TooMany("files", maxParts)
	}
	return out, f.Err()
}

// arrangeable returns a file whose pages may be changed.
func arrangeable(d *record.Document, file string) (*record.File, error) {
	f := d.File(file)
	switch {
	case f == nil:
		return nil, fault.NotFound("file")
	case f.Presigned:
		return nil, fault.Conflict("pages_signed")
	case len(f.Placeholders) > 0:
		return nil, fault.Conflict("pages_placeholders")
	}
	return f, nil
}

// rearranged returns a file with a choice of its pages.
func rearranged(
	ctx context.Context, in *intake.Intake, who account.Call, f *record.File, pages []record.PageChoice,
) (record.File, error) {
	if f.IsWhole(pages) {
		return f.Rearranged(pages, record.Whole{}), nil
	}
	made, err := in.Arrange(ctx, who.Turn(), f, pages)
	if err != nil {
		return record.File{}, err
	}
	return f.Rearranged(pages, made), nil
}

func fileArranged(f *record.File) record.Event {
	return record.NewEvent(record.EventFileArranged).With("file", f.ID).With("name", f.Name).
		With("pages", record.DescribePages(f.PageChoices()))
}

// partName returns the name of the second part of a file, such as "lease (2).pdf".
func partName(name string) string {
	const most = record.MaxName - len(" (2)")
	ext := path.Ext(name)
	base := []rune(strings.TrimSuffix(name, ext))
	return string(base[:min(len(base), max(1, most-len([]rune(ext))))]) + " (2)" + ext
}

// ReplaceFile replaces a file of a draft or template by an upload. Its fields keep their
// places; those anchored to a phrase go where the new file has it. unfit holds the
// identifiers of fields whose page or phrase the new file doesn't have: they keep their
// old place, and the draft can't be sent before fields without a page have another one.
// The caller closes the upload.
func (s *Drafts) ReplaceFile(
	ctx context.Context, who account.Call, id, file string, u *intake.Upload,
) (d *record.Document, unfit []string, err error) {
	with, err := s.editable(who, id)
	if err != nil {
		return nil, nil, err
	}
	old := with.File(file)
	if old == nil {
		return nil, nil, fault.NotFound("file")
	}
	if err := s.roomFor(who, 0, []*intake.Upload{u}); err != nil {
		return nil, nil, err
	}
	var f fault.Fields
	accepted, err := s.accept(ctx, who.CompanyID, &f, 0, u)
	if err := cmp.Or(err, f.Err()); err != nil {
		return nil, nil, err
	}
	accepted.ID, accepted.Position = old.ID, old.Position
	*old = accepted
	if unfit, err = s.refit(ctx, who, with, old, u); err != nil {
		return nil, nil, err
	}
	if err := intake.CommitUploads([]*intake.Upload{u}); err != nil {
		return nil, nil, err
	}
	d, err = s.draft(who, id, func(tx *kv.Tx, d *record.Document, _ *fault.Fields) ([]record.Event, error) {
		if d.Version != with.Version {
			return nil, fault.Conflict("document_changed")
		}
		d.Files, d.Fields = with.Files, with.Fields
		event := record.NewEvent(record.EventFileReplaced).With("file", file).With("name", accepted.Name).With("sha256", accepted.SHA256)
		if err := s.schedule.drawLater(tx, d); err != nil {
			return nil, err
		}
		return []record.Event{event}, s.lists.ReadLater(tx, d, []record.File{accepted})
	})
	return d, unfit, err
}
