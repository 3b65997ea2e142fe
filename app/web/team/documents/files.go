package documents

import (
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
	"paraph/app/web/public"
	"paraph/app/web/signer"
)

// fileDetail is a file of a document with its downloads.
type fileDetail struct {
	*record.File
	Contents []fileContent
	Checks   string // address that verifies its signatures, "" while it has none
	Checked  bool
}

// fileContent is one version of a file: the upload or the current PDF.
type fileContent struct {
	Text, Href, SHA256 string
}

func filesOf(r *page.Request, d *record.Document) []fileDetail {
	var out []fileDetail
	at := "/app/documents/" + d.ID + "/download/"
	now := "document.file.current"
	if d.Status == record.Completed {
		now = "document.file.final"
	}
	for i := range d.Files {
		f := &d.Files[i]
		v := fileDetail{File: f, Checked: r.Query("verify") == f.ID}
		upload := !f.Secretive() || r.Who.Call.Can(account.ScopeWrite)
		if upload {
			v.Contents = append(v.Contents, fileContent{r.Say("document.file.original"), at + "original-" + f.ID, f.SHA256})
		}
		if len(f.Revisions) > 0 || f.Base != f.Upload || !upload {
			v.Contents = append(v.Contents, fileContent{r.Say(now), at + "file-" + f.ID, f.Current()})
		}
		if len(f.Revisions) > 0 || f.Presigned {
			v.Checks = "/app/documents/" + d.ID + "?tab=files&verify=" + f.ID + "#report"
		}
		out = append(out, v)
	}
	return out
}

// sealedOf returns the downloads of the document as a whole.
func sealedOf(r *page.Request, d *record.Document) []fileContent {
	at := "/app/documents/" + d.ID + "/download/"
	var out []fileContent
	if d.Certificate != nil {
		out = append(out, fileContent{r.Say("document.file.certificate"), at + "certificate", d.Certificate.Current()})
	}
	out = append(out, fileContent{Text: r.Say("document.file.evidence"), Href: at + "evidence"})
	if len(d.Files) > 0 {
		out = append(out, fileContent{Text: r.Say("document.file.zip"), Href: at + "all"})
	}
	return out
}

// verifyFile verifies the signatures in a file's current state.
func (h *Handlers) verifyFile(r *page.Request, d *record.Document, id string) (*public.ReportView, error) {
	f := d.File(id)
	if f == nil {
		return nil, fault.NotFound("file")
	}
	got, err := h.Completion.VerifyFile(r.UserContext(), r.Who.Call, d.ID, id)
	if err != nil {
		return nil, err
	}
	report, err := public.Report(r, f.Name, got)
	return &report, err
}

// Download serves the sealed or current document, its certificate, its evidence,
// everything as a ZIP file, or one file.
func (h *Handlers) Download(r *page.Request) error {
	what, id := strings.Clone(r.Params("what")), r.Params("id")
	if name, file, ok := strings.Cut(what, "-"); ok {
		version, known := map[string]string{"original": "original", "file": "current"}[name]
		if !known {
			return fault.NotFound("file")
		}
		d, err := h.Completion.DownloadFile(r.Who.Call, id, file, version)
		if err != nil {
			return err
		}
		return r.Download(d)
	}
	in, ok := map[string]signing.DownloadInput{
		"current": {Version: "current"}, "document": {}, "certificate": {Content: "certificate"},
		"evidence": {Version: "current", Content: "evidence"}, "all": {Format: "zip", Version: "current"},
	}[what]
	if !ok {
		return fault.NotFound("file")
	}
	d, err := h.Completion.DownloadDocument(r.Who.Call, id, in)
	if err != nil {
		return err
	}
	return r.Download(d)
}

// PagePicture serves a picture of one page.
func (h *Handlers) PagePicture(r *page.Request) error {
	return signer.SendPicture(r, h.Completion, r.Who.Call, r.Params("id"))
}
