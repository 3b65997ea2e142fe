package signing

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"paraph/app/convert"
	"paraph/app/fault"

	"paraph/app/pdf"
)

// Attached is a file that a signatory handed in with a field.
type Attached struct {
	Name        string
	ContentType string
	Size        int64
	Blob        string // also its SHA-256
}

// handed is how an attachment's value is kept and drawn: its name and hash.
func (a *Attached) handed() string { return a.Name + attachedHash + a.Blob }

const attachedHash = " sha256:"

// takeAttachments stores the files among a person's values, which come as data
// URLs (data:application/pdf;name=plan.pdf;base64,…), and puts their name and
// hash in the place of the value.
func (s *Service) takeAttachments(f *fault.Fields, own []*Field, values map[string]string) error {
	for _, x := range own {
		v := values[x.ID]
		if x.Type != pdf.FieldAttachment || v == "" {
			continue
		}
		attached, why, err := s.takeAttachment(v)
		if err != nil {
			return err
		}
		if why != nil {
			why.report(f, x)
			continue
		}
		x.Attached, values[x.ID] = attached, attached.handed()
	}
	return nil
}

func (s *Service) takeAttachment(v string) (a *Attached, why *flaw, err error) {
	head, data, ok := strings.Cut(strings.TrimPrefix(v, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(v, "data:") {
		return nil, flawed("not_a_data_url"), nil
	}
	media, params, err := mime.ParseMediaType(head)
	if err != nil {
		return nil, flawed("no_media_type"), nil
	}
	name, err := url.QueryUnescape(params["name"])
	if err != nil || name == "" {
		name = "attachment"
	}
	var faults fault.Fields
	name = fileName(&faults, "name", name)
	if !faults.Empty() {
		return nil, flawed("not_a_file_name.attachment"), nil
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return nil, nil, spaceError(err)
	}
	size, err := io.Copy(w, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if _, bad := errors.AsType[base64.CorruptInputError](err); bad || err == nil && size == 0 || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, flawed("not_base64.attachment"), w.Abort()
	}
	if err != nil {
		return nil, nil, errors.Join(spaceError(err), w.Abort())
	}
	ref, err := w.Commit()
	if err != nil {
		return nil, nil, spaceError(err)
	}
	return &Attached{Name: name, ContentType: media, Size: ref.Size, Blob: ref.Hash}, nil, nil
}

// contentType is what an attachment is sent as: nothing that a browser would run.
func (a *Attached) contentType() string {
	if convert.Supported(strings.TrimPrefix(a.ContentType, "image/")) || a.ContentType == "application/pdf" {
		return a.ContentType
	}
	return "application/octet-stream"
}
