package pki

// EmbeddedCertificates returns the DER of every certificate inside a signature or timestamp
// token, including those of its signature timestamp, without duplicates. A reader needs them to
// verify it later (ETSI EN 319 142-1 §5.4.2.2).
func EmbeddedCertificates(cms []byte) ([][]byte, error) {
	d, err := parseSignedData(cms)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	seen := map[string]bool{}
	add := func(d *signedData) {
		for _, c := range d.certificates {
			if !seen[string(c.Raw)] {
				seen[string(c.Raw)] = true
				out = append(out, c.Raw)
			}
		}
	}
	add(d)
	for _, s := range d.signers {
		for _, token := range all(s.unattributed, oidSignatureTimestamp) {
			t, err := parseSignedData(token)
			if err != nil {
				return nil, err
			}
			add(t)
		}
	}
	return out, nil
}
