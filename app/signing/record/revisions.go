package record

import (
	"bytes"
	"slices"
	"strings"

	"paraph/app/pki"
	"paraph/kv"
)

// Unproven returns the names of the certificates whose revocation data is missing from a file.
func (d *Document) Unproven() []string {
	out := slices.Clone(d.Certificate.Unproven)
	for i := range d.Files {
		out = append(out, d.Files[i].Unproven...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// FileTitle returns the title as part of a file name.
func (d *Document) FileTitle() string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, d.Title)
	if r := []rune(clean); len(r) > 120 {
		clean = string(r[:120])
	}
	return strings.Trim(clean, " .")
}

// AddCertificates adds the certificates included with a signature to those of the file.
func (f *File) AddCertificates(cms []byte) error {
	certificates, err := pki.EmbeddedCertificates(cms)
	if err != nil {
		return err
	}
	for _, c := range certificates {
		if !slices.ContainsFunc(f.Certificates, func(known []byte) bool { return bytes.Equal(known, c) }) {
			f.Certificates = append(f.Certificates, c)
		}
	}
	return nil
}

// TextSource returns the blobs that the text of a file is read from, and the key that it is stored under. Once
// the document was sent, what its fields cover is no longer part of the text.
func TextSource(d *Document, f *File) (key string, blobs []string) {
	covered := slices.ContainsFunc(d.Fields, func(x Field) bool { return x.File == f.ID && len(x.Covered) > 0 })
	if covered && len(f.Revisions) > 0 {
		return f.Revisions[0].SHA256, f.Blobs()
	}
	return f.Base, []string{f.Base}
}

// Blobs yields every blob that a document needs.
func (d *Document) Blobs(yield func(string) bool) {
	for i := range d.Files {
		if !blobsOf(&d.Files[i], yield) {
			return
		}
	}
	for i := range d.Fields {
		if a := d.Fields[i].Attached; a != nil && !yield(a.Blob) {
			return
		}
	}
	for i := range d.Invitations {
		if ev := d.Invitations[i].Evidence; ev != nil && ev.Picture != "" && !yield(ev.Picture) {
			return
		}
	}
	if d.Certificate != nil {
		blobsOf(d.Certificate, yield)
	}
}

// blobsOf yields every blob that a file needs, and reports whether more are wanted.
func blobsOf(f *File, yield func(string) bool) (more bool) {
	blobs := append(f.Blobs(), f.Upload)
	if f.Arranged != nil {
		blobs = append(blobs, f.Arranged.Whole.Base)
	}
	for _, p := range f.Merged {
		blobs = append(blobs, p.Upload)
	}
	for _, b := range blobs {
		if b != "" && !yield(b) {
			return false
		}
	}
	return true
}

// FileKeys returns an index key for every blob that a document needs.
func FileKeys(d Document) (keys []kv.Key) {
	for hash := range d.Blobs {
		keys = append(keys, kv.K(hash))
	}
	return keys
}

// Bytes returns the size of the document's files, excluding pictures of signatures.
func (d *Document) Bytes() int64 {
	s := d.Sizes()
	return s.Uploads + s.Revisions + s.Certificates
}

// Sizes are sizes of stored files by kind, in bytes.
type Sizes struct {
	Uploads      int64 // attachments included
	Revisions    int64 // what was added to uploads or made of them
	Certificates int64 // of completion
}

// Add adds other sizes.
func (s *Sizes) Add(more Sizes) {
	s.Uploads += more.Uploads
	s.Revisions += more.Revisions
	s.Certificates += more.Certificates
}

// Sizes returns the sizes of the files of a document.
func (d *Document) Sizes() (s Sizes) {
	for i := range d.Files {
		f := &d.Files[i]
		uploaded := f.Size
		for _, p := range f.Merged {
			uploaded += p.Size
		}
		s.Uploads += uploaded
		s.Revisions += f.bytes() - uploaded
	}
	for i := range d.Fields {
		if a := d.Fields[i].Attached; a != nil {
			s.Uploads += a.Size
		}
	}
	if d.Certificate != nil {
		s.Certificates = d.Certificate.bytes()
	}
	return s
}

func (f *File) bytes() int64 {
	n := f.Total()
	if f.Base != f.Upload {
		n += f.Size
	}
	if whole := f.WholeFile(); f.Arranged != nil && whole.Base != f.Upload {
		n += whole.BaseSize
	}
	for _, p := range f.Merged {
		n += p.Size
	}
	return n
}
