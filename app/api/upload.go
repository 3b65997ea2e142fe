package api

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/signing"
	"paraph/app/signing/intake"
	"paraph/app/signing/record"
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
	who      account.Call
	body     *httpkit.Body
	received []*intake.Upload          // all of them
	chosen   []*intake.Upload          // those to attach
	lifted   map[string]*intake.Upload // by the placeholder of their content; nil if it was not base64
}

// receive stores one file on disk.
func (u *uploads) receive(name, contentType string, content io.Reader) (*intake.Upload, error) {
	one, err := u.intake.Receive(u.who, name, contentType, content)
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

// form holds the parts of a multipart body other than its files.
type form struct {
	sum   hash.Hash // of the whole body, or nil
	texts map[string]string
	names []string // in the order of the parts
	fault.Fields
}

// Names of parts that belong to the form itself. Others are members of the JSON in data.
const (
	partData     = "data"
	partPassword = "password"
	partFlatten  = "flatten"
)

// decodeMultipart reads a body part by part: files are streamed to disk, the part "data" is
// the JSON of the endpoint's input, and other parts are single members of that JSON.
func (r *request) decodeMultipart(boundary string, schema *huma.Schema, in any) error {
	f := form{sum: summing(r), texts: map[string]string{}}
	take := func(p *httpkit.Part) error { return r.uploads.take(r.UserContext(), &f, p) }
	if err := r.body.Parts(r.UserContext(), boundary, take); err != nil {
		return err
	}
	flatten := f.truth(partFlatten)
	for _, u := range r.uploads.chosen {
		u.Password, u.Flatten = f.texts[partPassword], flatten
	}
	members, err := f.members(schema)
	if err != nil {
		return err
	}
	for _, text := range [][]byte{[]byte(f.texts[partData]), members} {
		before := r.members
		if err := r.decodeText(text, schema, in); fault.KindOf(err) == fault.KindInvalid {
			f.Keep(fault.FieldsOf(err)...)
		} else if err != nil {
			return err
		}
		f.union(before, r.members)
	}
	return f.Err()
}

// union adds the members of data to those of the other parts. Both may only hold
// the same member if it is null in data.
func (f *form) union(data, parts map[string]bool) {
	for name, null := range data {
		if _, both := parts[name]; !both {
			parts[name] = null
		} else if !null {
			f.Add(name, "sent_twice")
		}
	}
}

// take reads one part of a form.
func (u *uploads) take(ctx context.Context, f *form, p *httpkit.Part) error {
	if f.sum != nil {
		fmt.Fprintf(f.sum, "%d:%s %d:%s\n", len(p.Field), p.Field, len(p.File), p.File)
		p.Reader = io.TeeReader(p.Reader, f.sum)
	}
	if p.IsFile {
		one, err := u.receive(p.File, p.ContentType, p)
		if err == nil {
			u.chosen = append(u.chosen, one)
		}
		return err
	}
	b, err := p.Gather(ctx)
	if _, twice := f.texts[p.Field]; twice {
		f.Add(p.Field, "sent_twice")
		return err
	}
	f.texts[p.Field], f.names = string(b), append(f.names, p.Field)
	return err
}

// members returns the parts that are members of the endpoint's input as its JSON.
func (f *form) members(schema *huma.Schema) ([]byte, error) {
	out := []byte{'{'}
	for _, name := range f.names {
		switch name {
		case partData, partPassword, partFlatten:
			continue
		}
		member := schema.Properties[name]
		if member == nil {
			f.Add(name, "unknown_part")
			continue
		}
		value, err := valueOf(member, f.texts[name])
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), name...), `":`...)
		out = append(out, value...)
	}
	return append(out, '}'), nil
}

// valueOf returns the JSON of a part. Text that the member can't hold becomes a string, which
// its check refuses.
func valueOf(member *huma.Schema, text string) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, fault.Malformed("body_not_utf8")
	}
	switch member.Type {
	case huma.TypeString:
	case huma.TypeBoolean:
		if yes, ok := truth(text); ok {
			return fmt.Append(nil, yes), nil
		}
	default:
		if stdjson.Valid([]byte(text)) {
			return []byte(text), nil
		}
	}
	return stdjson.Marshal(text)
}

// truth reads a part that is true or false.
func (f *form) truth(name string) bool {
	yes, ok := truth(f.texts[name])
	if _, sent := f.texts[name]; sent && !ok {
		f.Add(name, "wrong_type.boolean")
	}
	return yes
}

// truth reads true or false as clients and the check boxes of forms send it.
func truth(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "true", "1", "on", "yes":
		return true, true
	case "false", "0", "off", "no":
		return false, true
	}
	return false, false
}

// lift extracts the content of a file from a JSON body, in base64 or as a data
// URL.
func (u *uploads) lift(content io.Reader) (instead string, err error) {
	if u.lifted == nil {
		u.lifted = map[string]*intake.Upload{}
	}
	one, err := u.receiveEncoded(content)
	if err != nil {
		return "", err
	}
	instead = rand.Text()
	u.lifted[instead] = one
	return instead, nil
}

// receiveEncoded stores one base64 file; it returns nil if the content isn't
// base64.
func (u *uploads) receiveEncoded(content io.Reader) (*intake.Upload, error) {
	if err := u.body.CountFile(); err != nil {
		return nil, err
	}
	in := bufio.NewReader(content)
	if err := skipDataURL(in); err != nil {
		return nil, err
	}
	decoded := &badReader{r: base64.NewDecoder(base64.StdEncoding, in)}
	one, err := u.receive("", "", decoded)
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
func (u *uploads) claim(f *fault.Fields, files []base64File) error {
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
			if one, err = u.receiveEncoded(strings.NewReader(x.Content)); err != nil {
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
	if err := r.uploads.claim(&f, in.Files); err != nil {
		return all[fileView]{}, err
	}
	if err := f.Err(); err != nil {
		return all[fileView]{}, err
	}
	input := signing.AttachInput{Uploads: r.uploads.chosen, TextTags: in.TextTags, Placeholders: in.Placeholders}
	d, added, err := h.drafts.Attach(r.UserContext(), r.call(), id, input)
	if err != nil {
		return all[fileView]{}, err
	}
	r.version(d)
	return r.viewFiles(d, added), nil
}

func (r *request) viewFiles(d *record.Document, of []record.File) all[fileView] {
	out := all[fileView]{Data: []fileView{}}
	for i := range of {
		out.Data = append(out.Data, r.viewFile(d, &of[i]))
	}
	return out
}
