package app

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"paraph/app/input"
	"paraph/app/pki"
	"paraph/app/reportjson"
	"paraph/app/signing/report"
	"paraph/app/words"
)

// VerifyOptions configure what files are verified against.
type VerifyOptions struct {
	Root string // file of certificates to trust, PEM or DER; "" trusts none
	JSON bool
	// Password opens encrypted files. Without it, only those that open without a password
	// are examined.
	Password string

	Checkpoint string // file or folder of a published checkpoint to prove the history by
	Key        string // verifier key that has to have signed it; "": the certificate's or its successor
}

// VerifyFiles reports on every signature of PDF files, without a network or a
// data folder, and reports whether all are valid.
func VerifyFiles(w io.Writer, paths []string, o VerifyOptions) (bool, error) {
	roots, err := readRoots(o.Root)
	if err != nil {
		return false, err
	}
	h, err := o.historian()
	if err != nil {
		return false, err
	}
	if err := h.learnAll(paths, o.Password); err != nil {
		return false, err
	}
	sound := true
	for _, path := range paths {
		found, err := verifyFile(path, report.Options{Roots: roots, Now: time.Now(), Password: o.Password})
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		past, err := h.of(path, o.Password)
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		sound = sound && found.Sound && past.ok()
		if err := o.show(w, path, found, past); err != nil {
			return false, err
		}
	}
	return sound, nil
}

func verifyFile(path string, o report.Options) (*report.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	found, err := report.Verify(context.Background(), f, info.Size(), o)
	return found, errors.Join(err, f.Close())
}

func readRoots(path string) ([]*x509.Certificate, error) {
	if path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots, err := pki.ParseCertificates(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return roots, nil
}

// show writes a report for people, or as JSON.
func (o VerifyOptions) show(w io.Writer, path string, r *report.Report, past *history) error {
	catalogue, err := words.Load()
	if err != nil {
		return err
	}
	v := reportjson.Describe(r, catalogue.English())
	if o.JSON {
		b, err := json.MarshalIndent(struct {
			File string `json:"file"`
			reportjson.View
			Checkpoint *history `json:"checkpoint,omitempty"`
		}{path, v, past}, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", b)
		return err
	}
	p := printer{w: w, words: catalogue.English()}
	p.file(path, &v)
	if past != nil {
		p.line("  history: %s: %s", loud(past.Result, past.Result != proven), past.Message)
	}
	return p.err
}

// printer writes a report line by line, stopping at the first error. What a file says can't make up lines.
type printer struct {
	w     io.Writer
	words *words.Language
	err   error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, input.OneLine(fmt.Sprintf(format, args...)))
	}
}

func (p *printer) fact(name, format string, args ...any) {
	p.line("     %-11s "+format, append([]any{name}, args...)...)
}

func (p *printer) file(path string, v *reportjson.View) {
	p.line("")
	p.line("%s: %s", path, conclusion(v))
	for _, f := range v.Findings {
		p.line("  %s", f.Message)
	}
	for i := range v.Signatures {
		p.signature(i+1, &v.Signatures[i])
	}
}

func conclusion(v *reportjson.View) string {
	switch {
	case len(v.Signatures) == 0:
		return "no digital signature"
	case !v.Sound:
		return "NOT SOUND"
	}
	said := "sound, " + english.Plural(len(v.Signatures), "signature", "")
	if v.Identity == string(pki.UnknownRoot) {
		said += "; not all lead to a trusted root"
	}
	return said
}

func (p *printer) signature(n int, v *reportjson.Signature) {
	integrity, identity := p.words.Say("verdict.integrity."+v.Integrity.Result), p.words.Say("verdict.identity."+v.Identity.Result)
	later := p.words.Say("verdict.later." + v.LaterChanges.Result)
	level := ""
	if v.Level != nil {
		level = ", PAdES " + *v.Level
	}
	p.line("  %d. %s by %s: %s, %s%s", n, v.Kind, v.Signer, loud(integrity, v.Integrity.Result == "broken"), identity, level)
	if v.ClaimedAt != nil {
		p.fact("claimed", "%s", *v.ClaimedAt)
	}
	if v.TimestampAt != nil {
		p.fact("timestamped", "%s by %s", *v.TimestampAt, orNone(v.Authority))
	}
	p.fact("chain to", "%s", orNone(v.Root))
	p.fact("later", "%s", loud(later, v.LaterChanges.Result == "not_permitted"))
	for _, c := range v.Changes {
		word := p.words.Say("verdict.rule." + c.Rule)
		if !c.Permitted {
			word = "NOT PERMITTED: " + word
		}
		p.fact("", "revision %d: %s (%s)", c.Revision, c.Message, word)
	}
	for _, problem := range v.Problems {
		p.fact("problem", "%s", problem)
	}
	for _, note := range v.Notes {
		p.fact("note", "%s", note)
	}
}

// loud highlights an alarming word.
func loud(word string, alarming bool) string {
	if alarming {
		return strings.ToUpper(word)
	}
	return word
}

func orNone(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}
