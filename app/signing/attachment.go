package signing

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/url"
	"strings"

	"paraph/app/account"
	"paraph/app/convert"
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
func (s *Service) takeAttachments(f *account.Faults, own []*Field, values map[string]string) error {
	for _, x := range own {
		v := values[x.ID]
		if x.Type != "attachment" || v == "" {
			continue
		}
		attached, why, err := s.takeAttachment(v)
		if err != nil {
			return err
		}
		if why != "" {
			f.Add("fields."+x.label(), "The "+x.label()+" field must "+why+".")
			continue
		}
		x.Attached, values[x.ID] = attached, attached.handed()
	}
	return nil
}

func (s *Service) takeAttachment(v string) (a *Attached, why string, err error) {
	head, data, ok := strings.Cut(strings.TrimPrefix(v, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(v, "data:") {
		return nil, "be a file as data URL: data:application/pdf;name=plan.pdf;base64,…", nil
	}
	media, params, err := mime.ParseMediaType(head)
	if err != nil {
		return nil, "say its media type and name, such as data:application/pdf;name=plan.pdf;base64,…", nil
	}
	name, err := url.QueryUnescape(params["name"])
	if err != nil || name == "" {
		name = "attachment"
	}
	var faults account.Faults
	name = fileName(&faults, "name", name)
	if !faults.Empty() {
		return nil, "have a plain file name without slashes and control characters", nil
	}
	w, err := s.Blobs.Create()
	if err != nil {
		return nil, "", spaceError(err)
	}
	size, err := io.Copy(w, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if _, bad := errors.AsType[base64.CorruptInputError](err); bad || err == nil && size == 0 || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, "be base64 and not empty", w.Abort()
	}
	if err != nil {
		return nil, "", errors.Join(spaceError(err), w.Abort())
	}
	ref, err := w.Commit()
	if err != nil {
		return nil, "", spaceError(err)
	}
	return &Attached{Name: name, ContentType: media, Size: ref.Size, Blob: ref.Hash}, "", nil
}

// contentType is what an attachment is sent as: nothing that a browser would run.
func (a *Attached) contentType() string {
	if convert.Supported(strings.TrimPrefix(a.ContentType, "image/")) || a.ContentType == "application/pdf" {
		return a.ContentType
	}
	return "application/octet-stream"
}
