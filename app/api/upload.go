package api

import (
	"bufio"
	"bytes"
	"context"
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

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/signing/intake"
)

// base64File is a file inside a JSON body.
type base64File struct {
	Name        string `json:"name,omitempty"`
	Content     string `json:"content,omitempty" doc:"base64"`
	ContentType string `json:"content_type,omitempty"`
	Password    string `json:"password,omitempty" doc:"Opens an encrypted PDF; not stored"`
	Flatten     bool   `json:"flatten,omitempty" doc:"Sign a copy that looks like the PDF, with the PDF attached to it"`
}

// uploads receives the files in a body. They stay on disk for the duration of the request.
type uploads struct {
	intake   *intake.Intake
	who      account.Actor
	body     *httpkit.Body
	received []*signing.Upload          // all of them
	chosen   []*signing.Upload          // those to attach
	lifted   map[string]*signing.Upload // by the placeholder of their content; nil if it was not base64
}

// receive stores one file on disk.
func (u *uploads) receive(ctx context.Context, name, contentType string, content io.Reader) (*signing.Upload, error) {
	one, err := u.intake.Receive(ctx, u.who, name, contentType, content)
	if err == nil {
		u.received = append(u.received, one)
	}
	return one, err
}

// closeUploads discards received files that were not kept.
func (r *request) closeUploads() {
	for _, u := range r.uploads.received {
		if err := u.Close(); err != nil {
			r.server.Log.Warn("dropping an upload", "request_id", httpkit.RequestID(r.Ctx), "error", err)
		}
	}
}

// decodeMultipart reads a body part by part: files are streamed to disk, the
// part "data" is the JSON of the endpoint's input.
func (r *request) decodeMultipart(boundary string, schema *huma.Schema, in any) error {
	f := uploadForm{sum: sha256.New()}
	if err := r.body.Parts(r.UserContext(), boundary, func(p *httpkit.Part) error { return r.uploads.take(r.UserContext(), &f, p) }); err != nil {
		return err
	}
	for _, u := range r.uploads.chosen {
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

// take reads one part of a form.
func (u *uploads) take(ctx context.Context, f *uploadForm, p *httpkit.Part) error {
	fmt.Fprintf(f.sum, "%d:%s %d:%s\n", len(p.Field), p.Field, len(p.File), p.File)
	p.Reader = io.TeeReader(p.Reader, f.sum)
	if p.IsFile {
		one, err := u.receive(ctx, p.File, p.ContentType, p)
		if err == nil {
			u.chosen = append(u.chosen, one)
		}
		return err
	}
	b, err := p.Gather(ctx)
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
func (u *uploads) lift(ctx context.Context, content io.Reader) (instead string, err error) {
	if u.lifted == nil {
		u.lifted = map[string]*signing.Upload{}
	}
	one, err := u.receiveEncoded(ctx, content)
	if err != nil {
		return "", err
	}
	instead = rand.Text()
	u.lifted[instead] = one
	return instead, nil
}

// receiveEncoded stores one base64 file; it returns nil if the content isn't
// base64.
func (u *uploads) receiveEncoded(ctx context.Context, content io.Reader) (*signing.Upload, error) {
	if err := u.body.CountFile(); err != nil {
		return nil, err
	}
	in := bufio.NewReader(content)
	if err := skipDataURL(in); err != nil {
		return nil, err
	}
	decoded := &badReader{r: base64.NewDecoder(base64.StdEncoding, in)}
	one, err := u.receive(ctx, "", "", decoded)
	switch {
	case u.body.Err() != nil:
		return nil, u.body.Err()
	case decoded.err != nil:
		return nil, nil
	}
	return one, err
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

// claim adds the files of a JSON body to those to attach, with the contents extracted from
// it. Contents that weren't extracted came in a part of a form.
func (u *uploads) claim(ctx context.Context, f *fault.Fields, files []base64File) error {
	for i, x := range files {
		at := f.At("files", i)
		if x.Name == "" {
			at.Required("name")
		}
		if x.Content == "" {
			at.Required("content")
			continue
		}
		one, lifted := u.lifted[x.Content]
		if !lifted {
			var err error
			if one, err = u.receiveEncoded(ctx, strings.NewReader(x.Content)); err != nil {
				return err
			}
		}
		if one == nil {
			at.Add("content", "not_base64")
			continue
		}
		one.Name, one.ContentType, one.Password, one.Flatten = x.Name, x.ContentType, x.Password, x.Flatten
		u.chosen = append(u.chosen, one)
	}
	return nil
}

type uploadBody struct {
	Files        []base64File `json:"files,omitempty"`
	TextTags     bool         `json:"text_tags,omitempty" doc:"Make fields of the text tags in the files, such as {{signature;role=Buyer}}, and cover them"`
	Placeholders bool         `json:"placeholders,omitempty" doc:"With text_tags: names alone in DOCX and HTML files, such as {{rent}}, are variables to be filled in rather than text fields"`
}

func (h *fileHandlers) upload(r *request, in *uploadBody) (all[fileView], error) {
	id, err := r.document()
	if err != nil {
		return all[fileView]{}, err
	}
	var f fault.Fields
	if err := r.uploads.claim(r.UserContext(), &f, in.Files); err != nil {
		return all[fileView]{}, err
	}
	if err := f.Err(); err != nil {
		return all[fileView]{}, err
	}
	input := signing.AttachInput{Uploads: r.uploads.chosen, TextTags: in.TextTags, Placeholders: in.Placeholders}
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
