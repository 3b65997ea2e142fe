package api

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/account"
	"paraph/app/door"
	"paraph/app/signing"
)

// base64File is a file inside a JSON body.
type base64File struct {
	Name        string `json:"name,omitempty"`
	Content     string `json:"content,omitempty" doc:"base64"`
	ContentType string `json:"content_type,omitempty"`
	Password    string `json:"password,omitempty" doc:"Opens an encrypted PDF; not kept"`
	Flatten     bool   `json:"flatten,omitempty" doc:"Sign a copy of what the PDF's pages show, with the PDF attached inside"`
}

// closeUploads drops what was received and not kept.
func (r *request) closeUploads() {
	for _, u := range r.uploads {
		if err := u.Close(); err != nil {
			r.server.Log.Warn("dropping an upload", "request_id", door.RequestID(r.Ctx), "error", err)
		}
	}
}

// maxParts bounds the parts of a multipart body.
const maxParts = 10_000

// decodeMultipart takes a body part by part: files go to disk as they come, the
// part "data" is the JSON of the endpoint's input.
func (s *server) decodeMultipart(r *request, boundary string, schema *huma.Schema, in any) error {
	if boundary == "" {
		return account.Malformed("The multipart body has no boundary.")
	}
	m := multipart.NewReader(bufio.NewReaderSize(r.body(), 64<<10), boundary)
	sum := sha256.New()
	var data, password []byte
	var flatten bool
	for n := 0; ; n++ {
		part, err := m.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bodyCut(err)
		}
		if n == maxParts {
			return account.TooLarge("too_many_parts", fmt.Sprintf("The body has more than %d parts.", maxParts))
		}
		name, file, isFile := partNames(part)
		fmt.Fprintf(sum, "%d:%s %d:%s\n", len(name), name, len(file), file)
		switch {
		case isFile:
			err = r.receive(sum, file, part)
		case name == "data":
			data, err = s.readField(part, sum)
		case name == "password":
			password, err = s.readField(part, sum)
		case name == "flatten":
			var b []byte
			b, err = s.readField(part, sum)
			flatten = string(b) == "true" || string(b) == "1" || string(b) == "on"
		default:
			_, err = s.readField(part, sum)
		}
		if err != nil {
			return err
		}
	}
	for _, u := range r.uploads {
		u.Password, u.Flatten = string(password), flatten
	}
	r.fingerprint = sum.Sum(nil)
	if _, none := in.(*nothing); none {
		return nil
	}
	return r.decodeText(data, schema, in)
}

// partNames reads the names of a part as they were sent: a file's name is not
// cut to its last element, so that it can be refused.
func partNames(p *multipart.Part) (name, file string, isFile bool) {
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil {
		return "", "", false
	}
	file, isFile = params["filename"]
	return params["name"], file, isFile
}

// readField reads a part that is no file.
func (s *server) readField(p io.Reader, sum hash.Hash) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(io.TeeReader(p, sum), s.MaxBody+1))
	if err != nil {
		return nil, bodyCut(err)
	}
	if int64(len(b)) > s.MaxBody {
		return nil, account.TooLarge("body_too_large", fmt.Sprintf("A part of the body is larger than the limit of %d bytes.", s.MaxBody))
	}
	return b, nil
}

// receive takes one file part.
func (r *request) receive(sum hash.Hash, name string, p *multipart.Part) error {
	body := &cutReader{r: io.TeeReader(p, sum)}
	u, err := r.server.Signing.Receive(r.UserContext(), r.who, name, p.Header.Get("Content-Type"), body)
	if body.err != nil {
		return bodyCut(body.err)
	}
	if err != nil {
		return err
	}
	r.uploads = append(r.uploads, u)
	return nil
}

// cutReader remembers that reading failed, so that a broken connection is told
// apart from a full disk.
type cutReader struct {
	r   io.Reader
	err error
}

func (c *cutReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// receiveBase64 takes the files of a JSON body.
func (r *request) receiveBase64(f *account.Faults, files []base64File) error {
	for i, x := range files {
		at := f.At("files", i)
		if x.Name == "" {
			at.Required("name")
		}
		if x.Content == "" {
			at.Required("content")
			continue
		}
		content := x.Content
		if _, rest, ok := strings.Cut(content, ";base64,"); ok && strings.HasPrefix(content, "data:") {
			content = rest
		}
		body := &cutReader{r: base64.NewDecoder(base64.StdEncoding, strings.NewReader(content))}
		u, err := r.server.Signing.Receive(r.UserContext(), r.who, x.Name, x.ContentType, body)
		if body.err != nil {
			at.Must("content", "be base64")
			continue
		}
		if err != nil {
			return err
		}
		u.Password, u.Flatten = x.Password, x.Flatten
		r.uploads = append(r.uploads, u)
	}
	return nil
}

type uploadBody struct {
	Files []base64File `json:"files,omitempty"`
}

func (s *server) upload(r *request, in *uploadBody) (all[fileView], error) {
	id, err := r.document()
	if err != nil {
		return all[fileView]{}, err
	}
	var f account.Faults
	if err := r.receiveBase64(&f, in.Files); err != nil {
		return all[fileView]{}, err
	}
	if err := f.Err(); err != nil {
		return all[fileView]{}, err
	}
	d, added, err := s.Signing.Attach(r.UserContext(), r.who, id, r.uploads)
	if err != nil {
		return all[fileView]{}, err
	}
	r.version(d)
	return files(d, added), nil
}

func files(d *signing.Document, of []signing.File) all[fileView] {
	out := all[fileView]{Data: []fileView{}}
	for i := range of {
		out.Data = append(out.Data, viewFile(d, &of[i]))
	}
	return out
}
