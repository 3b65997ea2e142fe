package signing

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/signing/disk"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"

	"paraph/app/pdf"
)

// handedIn is a file submitted as a field's value, inspected but not stored.
type handedIn struct {
	field       *Field
	name, media string
	data        string // base64
}

// readAttachments finds the files among a person's values, which are sent as data URLs
// (data:application/pdf;name=plan.pdf;base64,…), and replaces the values with the files'
// names.
func readAttachments(f *fault.Fields, own []*Field, values map[string]string) []handedIn {
	var all []handedIn
	for _, x := range own {
		v := values[x.ID]
		if x.Type != pdf.FieldAttachment || v == "" {
			continue
		}
		h, why := readAttachment(v)
		if why != nil {
			why.Report(f, x)
			continue
		}
		h.field, values[x.ID] = x, h.name
		all = append(all, h)
	}
	return all
}

func readAttachment(v string) (h handedIn, why *record.Flaw) {
	head, data, ok := strings.Cut(strings.TrimPrefix(v, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(v, "data:") {
		return h, record.NewFlaw("not_a_data_url")
	}
	media, params, err := mime.ParseMediaType(head)
	if err != nil {
		return h, record.NewFlaw("no_media_type")
	}
	name, err := url.QueryUnescape(params["name"])
	if err != nil || name == "" {
		name = "attachment"
	}
	var faults fault.Fields
	name = intake.FileName(&faults, "name", name)
	if !faults.Empty() {
		return h, record.NewFlaw("not_a_file_name.attachment")
	}
	h = handedIn{name: name, media: media, data: data}
	if size, err := io.Copy(io.Discard, h.content()); err != nil || size == 0 {
		return h, record.NewFlaw("not_base64.attachment")
	}
	return h, nil
}

// content returns the decoded file.
func (h handedIn) content() io.Reader {
	return base64.NewDecoder(base64.StdEncoding, strings.NewReader(h.data))
}

// storeFiles writes a person's attachments and signature picture to disk; they are
// committed once the act is recorded. It is only called for a person who has proven
// their identity and whose values are valid.
func (s *Signatures) storeFiles(a *act) error {
	for _, h := range a.handed {
		w, err := s.write(a, h.content())
		if err != nil {
			return err
		}
		h.field.Attached = &Attached{Name: h.name, ContentType: h.media, Size: w.Size(), Blob: w.Hash()}
		h.field.Value = h.field.Attached.Value()
		a.values[h.field.ID] = h.field.Value
	}
	if a.marks.signature.Picture == nil {
		return nil
	}
	w, err := s.write(a, bytes.NewReader(a.marks.signature.Picture))
	if err != nil {
		return err
	}
	a.inv.Evidence.Picture = w.Hash()
	return nil
}

// write writes a file of an act to disk.
func (s *Signatures) write(a *act, content io.Reader) (*blob.Writer, error) {
	w, err := s.blobs.Create()
	if err != nil {
		return nil, disk.SpaceError(err)
	}
	a.files = append(a.files, w)
	_, err = io.Copy(w, content)
	return w, disk.SpaceError(err)
}

// commitFiles commits the files of an act.
func (a *act) commitFiles() error {
	for _, w := range a.files {
		if _, err := w.Commit(); err != nil {
			return disk.SpaceError(err)
		}
	}
	return nil
}

// dropFiles removes the files of an act that was not recorded.
func (a *act) dropFiles() error {
	var errs []error
	for _, w := range a.files {
		errs = append(errs, w.Abort())
	}
	return errors.Join(errs...)
}
