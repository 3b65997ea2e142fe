package api

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
)

// base64File is a file inside a JSON body.
type base64File struct {
	Name        string `json:"name,omitempty"`
	Content     string `json:"content,omitempty" doc:"base64"`
	ContentType string `json:"content_type,omitempty"`
	Password    string `json:"password,omitempty" doc:"Opens an encrypted PDF; not stored"`
	Flatten     bool   `json:"flatten,omitempty" doc:"Sign a copy that looks like the PDF, with the PDF attached to it"`
}

// receive stores one file on disk, for the duration of the request.
func (r *request) receive(name, contentType string, content io.Reader) (*signing.Upload, error) {
	u, err := r.server.Signing.Intake.Receive(r.UserContext(), r.who, name, contentType, content)
	if err == nil {
		r.received = append(r.received, u)
	}
	return u, err
}

// closeUploads discards received files that were not kept.
func (r *request) closeUploads() {
	for _, u := range r.received {
		if err := u.Close(); err != nil {
			r.server.Log.Warn("dropping an upload", "request_id", httpkit.RequestID(r.Ctx), "error", err)
		}
	}
}

// decodeMultipart reads a body part by part: files are streamed to disk, the
// part "data" is the JSON of the endpoint's input.
func (r *request) decodeMultipart(boundary string, schema *huma.Schema, in any) error {
	f := uploadForm{sum: sha256.New()}
	if err := r.body.Parts(r.UserContext(), boundary, func(p *httpkit.Part) error { return r.takePart(&f, p) }); err != nil {
		return err
	}
	for _, u := range r.uploads {
		u.Password, u.Flatten = f.password, f.flatten
	}
	r.fingerprint = f.sum.Sum(nil)
	if _, none := in.(*nothing); none {
		return nil
	}
	return r.decodeText(f.data, schema, in)
}

// uploadForm holds the values of a multipart body other than its files.
type uploadForm struct {
	sum      hash.Hash
	data     []byte
	password string
	flatten  bool
}

func (r *request) takePart(f *uploadForm, p *httpkit.Part) error {
	fmt.Fprintf(f.sum, "%d:%s %d:%s\n", len(p.Field), p.Field, len(p.File), p.File)
	p.Reader = io.TeeReader(p.Reader, f.sum)
	if p.IsFile {
		u, err := r.receive(p.File, p.ContentType, p)
		if err == nil {
			r.uploads = append(r.uploads, u)
		}
		return err
	}
	b, err := p.Gather(r.UserContext())
	switch p.Field {
	case "data":
		f.data = b
	case "password":
		f.password = string(b)
	case "flatten":
		f.flatten = slices.Contains([]string{"true", "1", "on"}, string(b))
	}
	return err
}

// lift extracts the content of a file from a JSON body, in base64 or as a data
// URL.
func (r *request) lift(content io.Reader) (instead string, err error) {
	if r.lifted == nil {
		r.lifted = map[string]*signing.Upload{}
	}
	u, err := r.receiveEncoded(content)
	if err != nil {
		return "", err
	}
	instead = rand.Text()
	r.lifted[instead] = u
	return instead, nil
}

// receiveEncoded stores one base64 file; it returns nil if the content isn't
// base64.
func (r *request) receiveEncoded(content io.Reader) (*signing.Upload, error) {
	if err := r.body.CountFile(); err != nil {
		return nil, err
	}
	in := bufio.NewReader(content)
	if err := skipDataURL(in); err != nil {
		return nil, err
	}
	decoded := &badReader{r: base64.NewDecoder(base64.StdEncoding, in)}
	u, err := r.receive("", "", decoded)
	switch {
	case r.body.Err() != nil:
		return nil, r.body.Err()
	case decoded.err != nil:
		return nil, nil
	}
	return u, err
}

// skipDataURL skips the prefix of a data URL, up to its base64.
func skipDataURL(in *bufio.Reader) error {
	const marker = ";base64,"
	head, err := in.Peek(256)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n := bytes.Index(head, []byte(marker)); n > 0 && bytes.HasPrefix(head, []byte("data:")) {
		_, err := in.Discard(n + len(marker))
		return err
	}
	return nil
}

// badReader records whether its input isn't base64, to tell that from a full disk.
type badReader struct {
	r   io.Reader
	err error
}

func (b *badReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// claim adds the files of a JSON body to the uploads, with the contents extracted from
// it. Contents that weren't extracted came in a part of a form.
func (r *request) claim(f *fault.Fields, files []base64File) error {
	for i, x := range files {
		at := f.At("files", i)
		if x.Name == "" {
			at.Required("name")
		}
		if x.Content == "" {
			at.Required("content")
			continue
		}
		u, lifted := r.lifted[x.Content]
		if !lifted {
			var err error
			if u, err = r.receiveEncoded(strings.NewReader(x.Content)); err != nil {
				return err
			}
		}
		if u == nil {
			at.Add("content", "not_base64")
			continue
		}
		u.Name, u.ContentType, u.Password, u.Flatten = x.Name, x.ContentType, x.Password, x.Flatten
		r.uploads = append(r.uploads, u)
	}
	return nil
}

type uploadBody struct {
	Files        []base64File `json:"files,omitempty"`
	TextTags     bool         `json:"text_tags,omitempty" doc:"Make fields of the text tags in the files, such as {{signature;role=Buyer}}, and cover them"`
	Placeholders bool         `json:"placeholders,omitempty" doc:"With text_tags: names alone in DOCX files, such as {{rent}}, are variables to be filled in rather than text fields"`
}

func (h *fileHandlers) upload(r *request, in *uploadBody) (all[fileView], error) {
	id, err := r.document()
	if err != nil {
		return all[fileView]{}, err
	}
	var f fault.Fields
	if err := r.claim(&f, in.Files); err != nil {
		return all[fileView]{}, err
	}
	if err := f.Err(); err != nil {
		return all[fileView]{}, err
	}
	input := signing.AttachInput{Uploads: r.uploads, TextTags: in.TextTags, Placeholders: in.Placeholders}
	d, added, err := h.drafts.Attach(r.UserContext(), r.who, id, input, r.seen...)
	if err != nil {
		return all[fileView]{}, err
	}
	r.version(d)
	return r.viewFiles(d, added), nil
}

func (r *request) viewFiles(d *signing.Document, of []signing.File) all[fileView] {
	out := all[fileView]{Data: []fileView{}}
	for i := range of {
		out.Data = append(out.Data, r.viewFile(d, &of[i]))
	}
	return out
}
