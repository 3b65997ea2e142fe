package api

import (
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
)

type filePatch struct {
	Name      *string `json:"name,omitempty"`
	Position  *int    `json:"position,omitempty" doc:"Starts at 1"`
	Confirmed *bool   `json:"confirmed,omitempty" doc:"Confirms the pages made by the built-in renderer"`
}

// fileHandlers serves the files of documents.
type fileHandlers struct {
	completion *signing.Completion
	drafts     *signing.Drafts

	maxBody  int64 // of JSON, bytes
	maxFiles int64 // of all files of one request, bytes
	maxCount int   // of files of one request
}

func (h *fileHandlers) routes(s *server) {
	const base = "/documents/{document}"
	handle(s, operation{method: http.MethodPost, path: base + "/upload", rule: may(account.ScopeWrite).With(h.maxBody).UploadingMany(h.maxCount, h.maxFiles).Interruptible(), id: "uploadFiles", summary: "Upload files", tag: "Files", status: http.StatusCreated, files: true, before: h.editable}, h.upload)
	handle(s, operation{method: http.MethodGet, path: base + "/files", rule: shared(account.ScopeRead), id: "listFiles", summary: "List the files of a document", tag: "Files", query: pageParameters, list: true}, h.listFiles)
	handle(s, operation{method: http.MethodGet, path: base + "/files/{file}", rule: shared(account.ScopeRead), id: "getFile", summary: "Get a file", tag: "Files"}, h.getFile)
	handle(s, operation{method: http.MethodPatch, path: base + "/files/{file}", rule: may(account.ScopeWrite), id: "updateFile", summary: "Rename, move or confirm a file", tag: "Files"}, h.updateFile)
	handle(s, operation{method: http.MethodPut, path: base + "/files/{file}/content", rule: may(account.ScopeWrite).With(h.maxBody).Uploading(h.maxFiles).Interruptible(), id: "replaceFile", summary: "Replace a file of a draft", tag: "Files", files: true, before: h.editable}, h.replaceFile)
	handle(s, operation{method: http.MethodPut, path: base + "/files/{file}/pages", rule: may(account.ScopeWrite).Interruptible(), id: "arrangePages", summary: "Reorder, turn or remove pages", tag: "Files"}, h.arrangePages)
	handle(s, operation{method: http.MethodPost, path: base + "/files/{file}/split", rule: may(account.ScopeWrite).Interruptible(), id: "splitFile", summary: "Split a file in two", tag: "Files", status: http.StatusCreated}, h.splitFile)
	handle(s, operation{method: http.MethodPost, path: base + "/files/{file}/merge", rule: may(account.ScopeWrite).Interruptible(), id: "mergeFiles", summary: "Merge files into one", tag: "Files"}, h.mergeFiles)
	handle(s, operation{method: http.MethodPost, path: base + "/files/{file}/redact", rule: may(account.ScopeWrite).Interruptible(), id: "redactFile", summary: "Black out parts of pages", tag: "Files"}, h.redactFile)
	handle(s, operation{method: http.MethodDelete, path: base + "/files/{file}", rule: may(account.ScopeWrite), id: "deleteFile", summary: "Remove a file from a draft", tag: "Files"}, h.deleteFile)
	stream(s, operation{method: http.MethodGet, path: base + "/files/{file}/content", rule: shared(account.ScopeRead), id: "downloadFile", summary: "Download a file", tag: "Files",
		query: []parameter{{name: "version", description: "current or original", kind: "string"}}}, h.fileContent)
	stream(s, operation{method: http.MethodGet, path: base + "/files/{file}/pages/{page}.png", rule: shared(account.ScopeRead), id: "getPageImage", summary: "Get an image of a page", tag: "Files",
		query: []parameter{{name: "width", description: "Width in pixels.", kind: "integer", minimum: 16, maximum: 4000}}}, h.pagePicture)
	download := operation{method: http.MethodPost, path: base + "/download", rule: shared(account.ScopeRead), id: "downloadDocument", summary: "Download the completed document", tag: "Documents"}
	stream(s, download, func(r *request, in *downloadBody) error { return h.download(r, *in) })
	download.method, download.id, download.summary, download.query = http.MethodGet, "getDocumentDownload", "Download the completed document, with GET", []parameter{
		{name: "format", description: "pdf or zip", kind: "string"},
		{name: "version", description: "completed, current or original", kind: "string"},
		{name: "content", description: "document, certificate or evidence", kind: "string"},
	}
	stream(s, download, func(r *request, _ *nothing) error {
		return h.download(r, downloadBody{r.query.text("format"), r.query.text("version"), r.query.text("content")})
	})
}

// editable refuses files for a document that is no draft before they are received.
func (h *fileHandlers) editable(r *request) error {
	id, err := r.document()
	if err != nil {
		return err
	}
	return h.drafts.Editable(r.call(), id)
}

func (h *fileHandlers) listFiles(r *request, _ *nothing) (envelope[fileView], error) {
	d, err := r.load()
	if err != nil {
		return envelope[fileView]{}, err
	}
	return slice(r, r.viewFiles(d, d.Files).Data)
}

func (r *request) showFile(d *record.Document, id string) (fileView, error) {
	f := d.File(id)
	if f == nil {
		return fileView{}, fault.NotFound("file")
	}
	r.version(d)
	return r.viewFile(d, f), nil
}

func (h *fileHandlers) getFile(r *request, _ *nothing) (fileView, error) {
	id, err := r.id("file")
	if err != nil {
		return fileView{}, err
	}
	d, err := r.load()
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, id)
}

func (h *fileHandlers) updateFile(r *request, in *filePatch) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	d, err := h.drafts.UpdateFile(r.call(), document, id, signing.FileInput(*in))
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, id)
}

type replaceBody struct {
	Files []base64File `json:"files,omitempty" doc:"One file"`
}

func (h *fileHandlers) replaceFile(r *request, in *replaceBody) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	var f fault.Fields
	if err := r.uploads.claim(&f, in.Files); err != nil {
		return fileView{}, err
	}
	switch {
	case len(r.uploads.chosen) == 0:
		f.Required("files")
	case len(r.uploads.chosen) > 1:
		f.TooMany("files", 1)
	}
	if err := f.Err(); err != nil {
		return fileView{}, err
	}
	d, unfit, err := h.drafts.ReplaceFile(r.UserContext(), r.call(), document, id, r.uploads.chosen[0])
	if err != nil {
		return fileView{}, err
	}
	view, err := r.showFile(d, id)
	view.UnfitFields = unfit
	return view, err
}

type pagesBody struct {
	Pages []pageChoice `json:"pages" doc:"The pages that the file is to have, in their order"`
}

type pageChoice struct {
	Page   int `json:"page" doc:"Page of the upload, starts at 1"`
	Rotate int `json:"rotate,omitempty" enum:"0,90,180,270" doc:"Degrees clockwise that the page is turned by: 0, 90, 180 or 270"`
}

func (h *fileHandlers) arrangePages(r *request, in *pagesBody) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	pages := make([]record.PageChoice, len(in.Pages))
	for i, p := range in.Pages {
		pages[i] = record.PageChoice(p)
	}
	d, err := h.drafts.ArrangePages(r.UserContext(), r.call(), document, id, pages)
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, id)
}

type splitBody struct {
	Page int `json:"page" doc:"First page of the new file, as the file has them now; at least 2"`
}

func (h *fileHandlers) splitFile(r *request, in *splitBody) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	d, made, err := h.drafts.SplitFile(r.UserContext(), r.call(), document, id, in.Page)
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, made)
}

type mergeBody struct {
	Files []string `json:"files,omitempty" doc:"The files whose pages come after those of this one; without them all other files"`
}

func (h *fileHandlers) mergeFiles(r *request, in *mergeBody) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	d, err := h.drafts.MergeFiles(r.UserContext(), r.call(), document, id, in.Files)
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, id)
}

type redactBody struct {
	Regions []areaView `json:"regions" doc:"The parts of pages to black out, at most 1000"`
}

func (h *fileHandlers) redactFile(r *request, in *redactBody) (fileView, error) {
	document, id, err := r.within("file")
	if err != nil {
		return fileView{}, err
	}
	regions := make([]detect.Area, len(in.Regions))
	for i, x := range in.Regions {
		regions[i] = detect.Area(x)
	}
	d, err := h.drafts.RedactFile(r.UserContext(), r.call(), document, id, regions)
	if err != nil {
		return fileView{}, err
	}
	return r.showFile(d, id)
}

func (h *fileHandlers) deleteFile(r *request, _ *nothing) (nothing, error) {
	document, id, err := r.within("file")
	if err != nil {
		return nothing{}, err
	}
	_, err = h.drafts.RemoveFile(r.call(), document, id)
	return nothing{}, err
}

func (h *fileHandlers) fileContent(r *request, _ *nothing) error {
	document, id, err := r.within("file")
	if err != nil {
		return err
	}
	d, err := h.completion.DownloadFile(r.who, document, id, r.query.text("version"))
	if err != nil {
		return err
	}
	return (*httpkit.Download)(d).Send(r.Ctx)
}

func (h *fileHandlers) pagePicture(r *request, _ *nothing) error {
	document, id, err := r.within("file")
	if err != nil {
		return err
	}
	page, err := strconv.Atoi(r.Params("page"))
	if err != nil {
		return fault.NotFound("page")
	}
	width := r.query.number("width", 0, 16, 4000)
	if err := r.query.faults.Err(); err != nil {
		return err
	}
	png, tag, err := h.completion.PagePicture(r.UserContext(), r.who, document, id, page, width)
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderETag, `"`+tag+`"`)
	r.Set(fiber.HeaderCacheControl, "private, no-cache") // what is at the address changes
	if httpkit.MatchesETag(r.Get(fiber.HeaderIfNoneMatch), `"`+tag+`"`) {
		return r.SendStatus(http.StatusNotModified)
	}
	r.Set(fiber.HeaderContentType, "image/png")
	return r.Send(png)
}

type downloadBody struct {
	Format  string `json:"format,omitempty" enum:"pdf,zip"`
	Version string `json:"version,omitempty" enum:"completed,current,original"`
	Content string `json:"content,omitempty" enum:"document,certificate,evidence"`
}

func (h *fileHandlers) download(r *request, in downloadBody) error {
	id, err := r.document()
	if err != nil {
		return err
	}
	d, err := h.completion.DownloadDocument(r.who, id, signing.DownloadInput(in))
	if err != nil {
		return err
	}
	return (*httpkit.Download)(d).Send(r.Ctx)
}
