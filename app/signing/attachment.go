package signing

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing/disk"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
)

// handedIn is a file submitted as a field's value, inspected but not stored.
type handedIn struct {
	field       *record.Field
	name, media string
	data        string // base64
	picture     []byte // of an image or stamp field, replaces data
}

// readFiles finds the files among a person's values, which are sent as data URLs
// (data:application/pdf;name=plan.pdf;base64,…), and replaces the values with the files'
// names. Pictures are prepared for being drawn.
func (s *Signing) readFiles(
	ctx context.Context, f *fault.Fields, who account.Call, own []*record.Field, values map[string]string,
) ([]handedIn, error) {
	var all []handedIn
	for _, x := range own {
		v := values[x.ID]
		if !x.TakesFile() || x.ReadOnly || v == "" || x.Type == pdf.FieldStamp && !strings.HasPrefix(v, "data:") {
			continue
		}
		h, why := readFile(x, v)
		if why == nil && x.Type != pdf.FieldAttachment {
			var err error
			if why, err = s.readPicture(ctx, who, &h); err != nil {
				return nil, err
			}
		}
		values[x.ID] = h.name
		if why != nil {
			why.Report(f, x)
			continue
		}
		all = append(all, h)
	}
	return all, nil
}

// readFile reads a file in a value. A picture may also be sent as base64 alone.
func readFile(x *record.Field, v string) (h handedIn, why *record.Flaw) {
	h = handedIn{field: x, name: string(x.Type), data: v}
	if x.Type == pdf.FieldImage && !strings.HasPrefix(v, "data:") {
		return h, h.checkData()
	}
	head, data, ok := strings.Cut(strings.TrimPrefix(v, "data:"), ";base64,")
	if !ok || !strings.HasPrefix(v, "data:") {
		return h, record.NewFlaw("not_a_data_url")
	}
	media, params, err := mime.ParseMediaType(head)
	if err != nil {
		return h, record.NewFlaw("no_media_type")
	}
	h.media, h.data = media, data
	if name, err := url.QueryUnescape(params["name"]); err == nil && name != "" {
		var faults fault.Fields
		h.name = intake.FileName(&faults, "name", name)
		if !faults.Empty() {
			return h, record.NewFlaw("not_a_file_name.attachment")
		}
	}
	return h, h.checkData()
}

func (h *handedIn) checkData() *record.Flaw {
	if size, err := io.Copy(io.Discard, h.content()); err != nil || size == 0 {
		return record.NewFlaw("not_base64.attachment")
	}
	return nil
}

// readPicture replaces a picture with the one to draw.
func (s *Signing) readPicture(ctx context.Context, who account.Call, h *handedIn) (*record.Flaw, error) {
	uploaded, err := io.ReadAll(h.content())
	if err != nil {
		return nil, err
	}
	var kind string
	h.picture, kind, err = s.intake.Photo(ctx, who.Turn(), h.name, bytes.NewReader(uploaded), int64(len(uploaded)))
	if r, ok := errors.AsType[*intake.Refusal](err); ok {
		return record.NewFlaw(r.Code, r.Args...), nil
	}
	h.name, h.media = strings.TrimSuffix(h.name, path.Ext(h.name))+extensions[kind], "image/"+kind
	return nil, err
}

// extensions are those of the names of prepared pictures, by kind.
var extensions = map[string]string{"jpeg": ".jpg", "png": ".png"}

// content returns the file.
func (h *handedIn) content() io.Reader {
	if h.picture != nil {
		return bytes.NewReader(h.picture)
	}
	return base64.NewDecoder(base64.StdEncoding, strings.NewReader(h.data))
}

// pictureFor returns the picture for an image or stamp field, nil if there is none.
func (a *act) pictureFor(x *record.Field) []byte {
	i := slices.IndexFunc(a.handed, func(h handedIn) bool { return h.field == x })
	if i < 0 {
		return nil
	}
	return a.handed[i].picture
}

// storeFiles writes a person's files and signature picture to disk; they are
// committed once the act is recorded. It is only called for a person who has proven
// their identity and whose values are valid.
func (s *Signing) storeFiles(a *act) error {
	for _, h := range a.handed {
		w, err := s.write(a, h.content())
		if err != nil {
			return err
		}
		h.field.Attached = &record.Attached{Name: h.name, ContentType: h.media, Size: w.Size(), Blob: w.Hash()}
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
func (s *Signing) write(a *act, content io.Reader) (*blob.Writer, error) {
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
