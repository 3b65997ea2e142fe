package app

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"paraph/app/account"
	"paraph/app/pki"
	"paraph/app/words"
)

// expiryText says in English when a certificate expires, and what to do about it.
func expiryText(english *words.Language, w pki.Warning) (text, remedy string) {
	key := "keys.expires"
	if w.Expired {
		key = "keys.expired"
	}
	return english.Say(key, "certificate", w.Name(), "day", w.Certificate.NotAfter.Format(time.DateOnly)),
		english.Say("keys.remedy." + string(w.Level))
}

// certificateImport installs the certificate of signing.pkcs12: an authority's becomes the
// issuer, any other signs for the first company.
type certificateImport struct {
	config   SigningConfig
	keys     *pki.Authority
	accounts *account.Services
}

func (i certificateImport) run(ctx context.Context) error {
	c := i.config
	if c.PKCS12 == "" {
		return nil
	}
	data, err := os.ReadFile(c.PKCS12)
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	parse := pki.ParsePKCS12
	if bytes.Contains(data, []byte("-----BEGIN ")) {
		parse = pki.ParsePEM
	}
	signer, err := parse(data, c.PKCS12Password.Reveal())
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	if signer.Certificate.IsCA {
		err = i.keys.ImportIssuer(signer)
	} else {
		err = i.forCompany(ctx, signer)
	}
	if err != nil {
		return fmt.Errorf("signing.pkcs12: %w", err)
	}
	return nil
}

func (i certificateImport) forCompany(ctx context.Context, signer *pki.Signer) error {
	all, err := i.accounts.Operator.AllCompanies(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	now, err := i.keys.Company(all[0].ID, all[0].Name)
	if err == nil && now.Certificate.Equal(signer.Certificate) {
		return nil
	}
	return i.keys.ImportCompany(all[0].ID, signer)
}
