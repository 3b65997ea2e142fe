package app

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"paraph/app/pki"
	"paraph/app/signing/report"
)

// VerifyOptions say what files are held against.
type VerifyOptions struct {
	Root string // file of certificates to trust, PEM or DER; "" trusts none
	JSON bool
}

// VerifyFiles reports on every signature of PDF files, without a network or a
// data folder, and tells whether all are sound.
func VerifyFiles(w io.Writer, paths []string, o VerifyOptions) (bool, error) {
	roots, err := readRoots(o.Root)
	if err != nil {
		return false, err
	}
	sound := true
	for _, path := range paths {
		report, err := verifyFile(path, roots)
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		sound = sound && report.Sound
		if err := show(w, path, report, o.JSON); err != nil {
			return false, err
		}
	}
	return sound, nil
}

func verifyFile(path string, roots []*x509.Certificate) (*report.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	found, err := report.Verify(f, info.Size(), roots, time.Now())
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

func show(w io.Writer, path string, r *report.Report, asJSON bool) error {
	if asJSON {
		b, err := json.MarshalIndent(struct {
			File string `json:"file"`
			*report.Report
		}{path, r}, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", b)
		return err
	}
	fmt.Fprintf(w, "\n%s: %s\n", path, verdict(r))
	for i := range r.Signatures {
		showSignature(w, i+1, &r.Signatures[i])
	}
	return nil
}

func verdict(r *report.Report) string {
	switch {
	case len(r.Signatures) == 0:
		return "no digital signature"
	case r.Sound:
		return fmt.Sprintf("sound, %d signatures", len(r.Signatures))
	}
	return "NOT SOUND"
}

func showSignature(w io.Writer, n int, v *report.SignatureVerdict) {
	state := "intact"
	switch {
	case !v.Intact:
		state = "NOT INTACT"
	case v.Trusted:
		state = "intact, trusted"
	}
	fmt.Fprintf(w, "  %d. %s by %s: %s", n, v.Kind, v.Signer, state)
	if v.Level != "" {
		fmt.Fprintf(w, ", PAdES %s", v.Level)
	}
	fmt.Fprintln(w)
	if v.ClaimedAt != nil {
		fmt.Fprintf(w, "     claimed     %s\n", v.ClaimedAt.UTC().Format(time.RFC3339))
	}
	if v.TimestampAt != nil {
		fmt.Fprintf(w, "     timestamped %s by %s\n", v.TimestampAt.UTC().Format(time.RFC3339), v.Authority)
	}
	fmt.Fprintf(w, "     chain to    %s\n", v.Root)
	for _, c := range v.Changes {
		word := "permitted"
		if !c.Permitted {
			word = "NOT PERMITTED"
		}
		fmt.Fprintf(w, "     later       revision %d: %s (%s)\n", c.Revision, c.What, word)
	}
	for _, p := range v.Problems {
		fmt.Fprintf(w, "     problem     %s\n", p)
	}
}
