package api

import (
	"errors"
	"mime"
	"net/http"

	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/signing/report"
)

type reportView struct {
	Sound      bool          `json:"sound" doc:"Whether there is a signature, all are intact, and nothing forbidden was changed"`
	SHA256     string        `json:"sha256" doc:"SHA-256 of the file, in hexadecimal"`
	Pages      int           `json:"pages"`
	Signatures []verdictView `json:"signatures"`
}

type verdictView struct {
	Field       string       `json:"field"`
	Kind        string       `json:"kind" enum:"signature,certification,timestamp"`
	Signer      string       `json:"signer"`
	Email       *string      `json:"email"`
	Issuer      string       `json:"issuer"`
	Root        *string      `json:"root"`
	Reason      *string      `json:"reason"`
	ClaimedAt   *string      `json:"claimed_at" format:"date-time"`
	TimestampAt *string      `json:"timestamp_at" format:"date-time"`
	Authority   *string      `json:"timestamp_authority"`
	Revision    int          `json:"revision"`
	CoversAll   bool         `json:"covers_whole_file"`
	Intact      bool         `json:"intact"`
	Trusted     bool         `json:"trusted" doc:"Whether it is intact and chains to the root of this installation"`
	Revocation  string       `json:"revocation"`
	Algorithm   string       `json:"algorithm"`
	Level       *string      `json:"level" enum:"B-B,B-T,B-LT,B-LTA"`
	Changes     []changeView `json:"changes"`
	Problems    []string     `json:"problems"`
	Notes       []string     `json:"notes"`
}

type changeView struct {
	Revision  int    `json:"revision"`
	What      string `json:"what"`
	Permitted bool   `json:"permitted"`
}

func viewReport(r *report.Report) reportView {
	out := reportView{Sound: r.Sound, SHA256: r.SHA256, Pages: r.Pages, Signatures: []verdictView{}}
	for i := range r.Signatures {
		out.Signatures = append(out.Signatures, viewVerdict(&r.Signatures[i]))
	}
	return out
}

func viewVerdict(v *report.SignatureVerdict) verdictView {
	out := verdictView{Field: v.Field, Kind: v.Kind, Signer: v.Signer, Email: orNull(v.Email), Issuer: v.Issuer, Root: orNull(v.Root),
		Reason: orNull(v.Reason), ClaimedAt: maybe(v.ClaimedAt), TimestampAt: maybe(v.TimestampAt), Authority: orNull(v.Authority),
		Revision: v.Revision, CoversAll: v.CoversAll, Intact: v.Intact, Trusted: v.Trusted, Revocation: v.Revocation,
		Algorithm: v.Algorithm, Level: orNull(v.Level), Changes: []changeView{}, Problems: append([]string{}, v.Problems...), Notes: append([]string{}, v.Notes...)}
	for _, c := range v.Changes {
		out.Changes = append(out.Changes, changeView(c))
	}
	return out
}

func (s *server) verifyRoutes() {
	op := operation{method: http.MethodPost, path: "/verify", rule: anyone().Uploading(s.MaxUpload), summary: "Verify the signatures of a PDF", tag: "Service", files: true}
	s.doc.add(op, typeOf[nothing](), typeOf[reportView]())
	s.add(op, s.verify)
}

// errTaken ends the reading of a body of which everything was taken.
var errTaken = errors.New("api: the file was taken")

// verify examines the first file of a multipart body, or the body itself when
// it is a PDF.
func (s *server) verify(r *request) error {
	if err := r.open(); err != nil {
		return err
	}
	media, params, err := mime.ParseMediaType(r.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" && media != "application/pdf" {
		return notAccepted("Send the PDF as multipart/form-data or application/pdf.")
	}
	var found *report.Report
	if media == "application/pdf" {
		found, err = s.Signing.VerifyUpload(r.UserContext(), r.body)
	} else {
		found, err = r.verifyFirst(params["boundary"])
	}
	if err != nil {
		return err
	}
	return r.send(answer{status: http.StatusOK, body: viewReport(found)})
}

func (r *request) verifyFirst(boundary string) (found *report.Report, err error) {
	err = r.body.Parts(r.UserContext(), boundary, func(p *httpkit.Part) (err error) {
		if !p.IsFile {
			return nil
		}
		if found, err = r.server.Signing.VerifyUpload(r.UserContext(), p); err != nil {
			return err
		}
		return errTaken
	})
	switch {
	case err == nil:
		return nil, account.Invalid("file", "The file field is required.")
	case errors.Is(err, errTaken):
		return found, nil
	}
	return nil, err
}
