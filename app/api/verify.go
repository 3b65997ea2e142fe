package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/reportjson"
	"paraph/app/signing/report"
	"paraph/app/signing/verify"
	"paraph/app/words"
)

// verifyHandlers serves the verification of files.
type verifyHandlers struct {
	verifier  *verify.Verifier
	words     *words.Catalogue
	maxUpload int64 // of one file, bytes
}

func (h *verifyHandlers) routes(s *server) {
	op := operation{method: http.MethodPost, path: "/verify", rule: anyone().Uploading(h.maxUpload).Interruptible(), id: "verifySignatures", summary: "Verify the signatures of a PDF; a part named password before the file opens an encrypted one", tag: "Service", files: true}
	s.describe(op, typeOf[nothing](), typeOf[reportjson.View]())
	s.add(op, h.verify)
}

// errTaken ends the reading of a body once the file has been found.
var errTaken = errors.New("api: the file was taken")

// verify examines the first file of a multipart body, or the body itself when
// it is a PDF.
func (h *verifyHandlers) verify(r *request) error {
	// Members don't queue with anonymous callers. A token is optional.
	if who, err := r.server.authenticate(r.Ctx); err == nil {
		r.who = who
	}
	if err := r.open(); err != nil {
		return err
	}
	media, params, err := mime.ParseMediaType(r.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" && media != "application/pdf" {
		return fault.Unsupported("content_type_not_accepted.pdf")
	}
	var found *report.Report
	if media == "application/pdf" {
		found, err = h.verifier.Upload(r.UserContext(), r.body, verify.Input{By: r.caller()})
	} else {
		found, err = h.verifyFirst(r, params["boundary"])
	}
	if err != nil {
		return err
	}
	return r.send(answer{status: http.StatusOK, body: reportjson.Describe(found, h.words.English())})
}

// verifyFirst examines the first file. A password has to come before it, as the
// file is read while it arrives.
func (h *verifyHandlers) verifyFirst(r *request, boundary string) (found *report.Report, err error) {
	in := verify.Input{By: r.caller()}
	err = r.body.Parts(r.UserContext(), boundary, func(p *httpkit.Part) (err error) {
		if p.Field == partPassword && !p.IsFile {
			in.Password, err = readPassword(p)
			return err
		}
		if !p.IsFile {
			return fault.Invalid(p.Field, "unknown_part")
		}
		if found, err = h.verifier.Upload(r.UserContext(), p, in); err != nil {
			return err
		}
		return errTaken
	})
	switch {
	case err == nil:
		return nil, fault.Invalid("file", "required")
	case errors.Is(err, errTaken):
		return found, nil
	}
	return nil, err
}

// maxPassword is the maximum length of a file's password in bytes (ISO 32000-2 §7.6.4.3.3).
const maxPassword = 127

func readPassword(p io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(p, maxPassword+1))
	if err == nil && len(b) > maxPassword {
		err = fault.Invalid("password", "password_too_long", fault.Number("limit", maxPassword))
	}
	return string(b), err
}
