package signing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/pdf/pdfium"
	"paraph/app/signing/completion"
	"paraph/app/signing/record"
)

// DownloadInput selects what to download of a document.
type DownloadInput struct {
	Format  string // pdf, zip; "" is pdf for one file and zip for several
	Version string // completed, current, original; "" is completed
	Content string // document, certificate, evidence; "" is document
}

// DownloadDocument returns the completed document, or the part of it that was requested.
func (s *Completion) DownloadDocument(who account.Call, id string, in DownloadInput) (*Download, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	var f fault.Fields
	format := input.OneOf(&f, "format", record.Optional(in.Format), "pdf", "zip")
	version := input.OneOf(&f, "version", record.Optional(in.Version), "completed", "current", "original")
	content := input.OneOf(&f, "content", record.Optional(in.Content), "document", "certificate", "evidence")
	if err := f.Err(); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	if version == "original" && content != "certificate" && content != "evidence" {
		for i := range d.Files {
			if err := mayHaveUpload(who, &d.Files[i]); err != nil {
				return nil, err
			}
		}
	}
	if d.Status != record.Completed && (version == "" || version == "completed" || content == "certificate") {
		return nil, fault.Conflict("document_not_completed")
	}
	switch {
	case content == "certificate":
		return s.downloadSealed(d.Certificate, "Certificate of completion - "+d.FileTitle()+".pdf"), nil
	case content == "evidence":
		return s.downloadEvidence(d)
	case len(d.Files) == 0:
		return nil, fault.Conflict("document_without_files")
	case format == "zip" || format == "" && (len(d.Files) > 1 || len(s.downloadParts(&d.Files[0], version)) > 1):
		return s.zip(d, version), nil
	case len(d.Files) > 1:
		return nil, fault.Invalid("format", "several_files")
	}
	return s.downloadOf(&d.Files[0], version), nil
}

// mayHaveUpload refuses uploads that have what was taken out of a file to all who could not have left it in:
// recipients get the PDF instead (see [record.HideUploads]).
func mayHaveUpload(who account.Call, f *record.File) error {
	if !f.Secretive() {
		return nil
	}
	return who.RequireMember(account.ScopeWrite)
}

func pdfName(name string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + ".pdf"
}

// originalName tells an uploaded PDF from the signed one, which keeps the name.
func originalName(name string) string {
	ext := path.Ext(name)
	if !strings.EqualFold(ext, ".pdf") {
		return name
	}
	return strings.TrimSuffix(name, ext) + " (original)" + ext
}

// downloadOf returns the upload of a file or its current PDF.
func (s *Completion) downloadOf(f *record.File, version string) *Download {
	if version == "original" {
		if len(f.Merged) == 1 { // parts of it were blacked out
			return s.downloadParts(f, version)[0]
		}
		name := f.Name
		if f.ContentType == "application/pdf" {
			name = pdfName(name) // also of a DOCX whose upload recipients don't get
		}
		return s.downloadBlob(originalName(name), f.ContentType, f.Size, f.SHA256, f.Upload)
	}
	return s.downloadBlob(pdfName(f.Name), "application/pdf", f.Total(), f.Current(), f.Blobs()...)
}

// downloadParts returns the current PDF of a file, or the uploads that it was made of.
func (s *Completion) downloadParts(f *record.File, version string) []*Download {
	if version != "original" || f.Merged == nil {
		return []*Download{s.downloadOf(f, version)}
	}
	var out []*Download
	for _, p := range f.Merged {
		out = append(out, s.downloadBlob(originalName(p.Name), p.ContentType, p.Size, p.Upload, p.Upload))
	}
	return out
}

func (s *Completion) downloadSealed(c *record.File, name string) *Download {
	return s.downloadBlob(name, "application/pdf", c.Total(), c.Current(), c.Blobs()...)
}

func (s *Completion) downloadBlob(name, contentType string, size int64, hash string, blobs ...string) *Download {
	return &Download{Name: name, ContentType: contentType, Size: size, ETag: hash,
		Open: func() (io.ReadSeekCloser, error) { return s.blobs.Concat(blobs...) }}
}

// zip packs the files and, once completed, the certificate of completion and the
// evidence. The archive is written while it is sent.
func (s *Completion) zip(d *record.Document, version string) *Download {
	sum := sha256.New()
	for i := range d.Files {
		fmt.Fprintf(sum, "%s %s %s\n", version, d.Files[i].ID, d.Files[i].Current())
	}
	fmt.Fprint(sum, d.Head)
	return &Download{Name: d.FileTitle() + ".zip", ContentType: "application/zip", Size: -1,
		ETag: hex.EncodeToString(sum.Sum(nil)), Write: func(w io.Writer) error { return s.writeZIP(w, d, version) }}
}

func (s *Completion) writeZIP(w io.Writer, d *record.Document, version string) error {
	a := newArchive(w)
	if err := s.addDocument(a, d, version, ""); err != nil {
		return err
	}
	return a.zip.Close()
}

// certificateName is the name of the certificate of completion in archives.
const certificateName = "Certificate of completion.pdf"

// addDocument adds all parts of a document to a folder; "" means none. The certificate and the
// evidence have their names whatever the other files are called.
func (s *Completion) addDocument(a *archive, d *record.Document, version, folder string) error {
	complete := d.Certificate != nil && version != "original"
	if complete {
		a.reserve(folder+certificateName, folder+completion.EvidenceName)
	}
	at := changed(d)
	for i := range d.Files {
		for _, part := range s.downloadParts(&d.Files[i], version) {
			if err := a.add(a.free(folder+archiveName(part.Name)), at, part); err != nil {
				return err
			}
		}
	}
	if !complete {
		return nil
	}
	if err := a.add(folder+certificateName, at, s.downloadSealed(d.Certificate, certificateName)); err != nil {
		return err
	}
	for i := range d.Fields {
		if x := d.Fields[i].Attached; x != nil {
			attached := s.downloadBlob(x.Name, x.ServedAs(), x.Size, x.Blob, x.Blob)
			if err := a.add(a.free(folder+archiveName(x.Name)), at, attached); err != nil {
				return err
			}
		}
	}
	evidence, err := s.downloadEvidence(d)
	if err != nil {
		return err
	}
	return a.add(folder+completion.EvidenceName, at, evidence)
}

// changed returns when the parts of a document last changed, in UTC.
func changed(d *record.Document) time.Time {
	if d.CompletedAt != nil {
		return d.CompletedAt.UTC()
	}
	return d.UpdatedAt.UTC()
}

// downloadEvidence returns the machine-readable evidence.
func (s *Completion) downloadEvidence(d *record.Document) (*Download, error) {
	e, err := s.evidence(d)
	if err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return &Download{Name: completion.EvidenceName, ContentType: "application/json", Size: int64(len(b)), ETag: hex.EncodeToString(sum[:]),
		Open: func() (io.ReadSeekCloser, error) { return inMemory{strings.NewReader(string(b))}, nil }}, nil
}

type inMemory struct{ *strings.Reader }

func (inMemory) Close() error { return nil }

// DownloadFile returns one file of a document: its upload or its current PDF.
func (s *Completion) DownloadFile(who account.Call, id, file, version string) (*Download, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, err
	}
	var f fault.Fields
	version = input.OneOf(&f, "version", record.Optional(version), "current", "original")
	if err := f.Err(); err != nil {
		return nil, err
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, err
	}
	x := d.File(file)
	if x == nil {
		return nil, fault.NotFound("file")
	}
	if version == "original" {
		if err := mayHaveUpload(who, x); err != nil {
			return nil, err
		}
	}
	return s.downloadOf(x, version), nil
}

// Widths of page pictures, in pixels.
const (
	minWidth     = 16
	maxWidth     = 4000
	defaultWidth = 1240
)

// guestWidths are the widths available to the holder of a link. Every width is drawn and
// cached separately, and unlike a guest, a member can be asked to stop.
var guestWidths = []int{160, 320, 640, smallWidth, 1240, 2000, 3000, maxWidth}

// allowedWidth returns the width that is drawn for the one a caller requests.
func allowedWidth(who account.Call, width int) int {
	if !who.IsSignatory() {
		return width
	}
	i, _ := slices.BinarySearch(guestWidths, width)
	return guestWidths[i]
}

// PagePicture draws a page, counted from 1, of a file's current PDF as PNG. Width 0
// selects the default width.
func (s *Completion) PagePicture(
	ctx context.Context, who account.Call, id, file string, page, width int,
) ([]byte, string, error) {
	if err := who.Require(account.ScopeRead); err != nil {
		return nil, "", err
	}
	if width == 0 {
		width = defaultWidth
	}
	if width < minWidth || width > maxWidth {
		return nil, "", fault.Invalid("width", "not_between", fault.Number("low", minWidth), fault.Number("high", maxWidth))
	}
	d, err := s.see(who, id)
	if err != nil {
		return nil, "", err
	}
	f := d.File(file)
	if f == nil {
		return nil, "", fault.NotFound("file")
	}
	if page < 1 || page > len(f.Pages)+f.Appended {
		return nil, "", fault.NotFound("page")
	}
	paths, err := s.blobs.Paths(f.Blobs()...)
	if err != nil {
		return nil, "", err
	}
	width = allowedWidth(who, width)
	name := fmt.Sprintf("%s-%d-%d", d.PageHash(f, page), page, width)
	png, err := s.pictures.Get(ctx, name, func() ([]byte, error) {
		return s.pdfium.For(who.Turn()).RenderToEnd(ctx, pdfium.Source{Paths: paths}, page-1, width)
	})
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case fault.KindOf(err) == fault.KindUnavailable:
		return nil, "", err
	case err != nil:
		return nil, "", fault.Unavailable("page_not_drawn").Because(err)
	}
	return png, name, nil
}

// DownloadMany returns several documents as one ZIP with a folder each: sealed and
// complete once they are completed, otherwise in their current state.
func (s *Completion) DownloadMany(who account.Call, ids []string) (*Download, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	var all []*record.Document
	for _, id := range ids {
		d, err := s.store.Get(who, id)
		if err != nil {
			return nil, err
		}
		if d.Downloadable() == nil {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil, fault.Conflict("document_without_files.all")
	}
	return &Download{Name: "documents.zip", ContentType: "application/zip", Size: -1,
		Write: func(w io.Writer) error {
			a := newArchive(w)
			for _, d := range all {
				folder := a.free(archiveName(cmp.Or(d.FileTitle(), d.ID)))
				if err := s.addDocument(a, d, "current", folder+"/"); err != nil {
					return err
				}
			}
			return a.zip.Close()
		}}, nil
}

// Download is a file to be served; Open returns its content.
type Download struct {
	Name        string
	ContentType string
	Size        int64 // -1 if not known in advance
	ETag        string
	Open        func() (io.ReadSeekCloser, error) // nil when only Write can make it
	Write       func(w io.Writer) error           // for content generated while it is sent, such as a ZIP
}
