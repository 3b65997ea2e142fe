package pki

import (
	"crypto/x509"
	"sync"
)

// Limits of parsed. A certificate takes about 8 KB when parsed.
const (
	maxParsed      = 64 // in each generation
	maxParsedBytes = 4 << 10
)

// parsed caches the certificates parsed most recently, in two generations: those of authorities
// are in every signature, and those of a signatory are read several times while a document is
// signed. A lookup searches both generations; when the young one is full, it becomes the old
// one, which is dropped.
type parsed struct {
	mu         sync.Mutex
	young, old map[string]*x509.Certificate // by their encoding
}

var certificates parsed

// get returns a certificate that must not be changed. Several goroutines may parse the same one
// at once.
func (p *parsed) get(der []byte, parse func([]byte) (*x509.Certificate, error)) (*x509.Certificate, error) {
	if len(der) > maxParsedBytes {
		return parse(der)
	}
	if c := p.find(der); c != nil {
		return c, nil
	}
	key := string(der)
	c, err := parse([]byte(key)) // the certificate refers to its encoding
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(key, c)
	return c, nil
}

func (p *parsed) find(der []byte) *x509.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.young[string(der)]; c != nil {
		return c
	}
	c := p.old[string(der)]
	if c != nil {
		p.add(string(der), c)
	}
	return c
}

func (p *parsed) add(key string, c *x509.Certificate) {
	if p.young == nil || len(p.young) >= maxParsed {
		p.young, p.old = map[string]*x509.Certificate{}, p.young
	}
	p.young[key] = c
}
