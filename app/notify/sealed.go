package notify

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	json "github.com/goccy/go-json"
	"github.com/klauspost/compress/s2"

	"paraph/app/seal"
	"paraph/kv"
)

// sealing derives the key that encrypts messages.
const sealing = "outbox"

// content is the encrypted part of a message.
type content struct {
	Subject, Text, HTML string
	Links               []string
	Secrets             []string
}

func random(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := rand.Read(b)
	return b, err
}

// Messages reads and stores the messages of the outbox. They are encrypted on disk, because they contain
// links and codes.
type Messages struct {
	db  *kv.DB
	box *seal.Box

	mu    sync.Mutex
	added chan struct{}
}

func newMessages(db *kv.DB, key []byte) (*Messages, error) {
	box, err := seal.New(key, sealing, random)
	return &Messages{db: db, box: box, added: make(chan struct{})}, err
}

// Added returns a channel that is closed with the next message.
func (s *Messages) Added() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.added
}

func (s *Messages) isAdded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.added)
	s.added = make(chan struct{})
}

// packed precedes content that is compressed. Without it, the content is JSON.
const packed = 1

// pack compresses the content of a message: what is encrypted can't be compressed any more, and
// messages would take a quarter of all that is written for a document.
func pack(plain []byte) []byte {
	content := make([]byte, 1+s2.MaxEncodedLen(len(plain)))
	content[0] = packed
	return content[:1+len(s2.Encode(content[1:], plain))]
}

func unpack(content []byte) ([]byte, error) {
	if len(content) == 0 || content[0] != packed {
		return content, nil
	}
	return s2.Decode(nil, content[1:])
}

// store encrypts a message and adds it to the outbox.
func (s *Messages) store(tx *kv.Tx, m Message) error {
	c := content{m.Subject, m.Text, m.HTML, m.Links, m.Secrets}
	plain, err := json.MarshalWithOption(c, json.DisableHTMLEscape())
	if err != nil {
		return fmt.Errorf("notify: message %s: %w", m.ID, err)
	}
	if m.Sealed, err = s.box.Seal(m.ID, pack(plain)); err != nil {
		return err
	}
	m.Subject, m.Text, m.HTML, m.Links, m.Secrets = "", "", "", nil, nil
	return outbox.Put(tx, m.ID, m)
}

// read loads a message and decrypts it.
func (s *Messages) read(tx *kv.Tx, id string) (Message, error) {
	m, err := outbox.Get(tx, id)
	if err != nil {
		return Message{}, err
	}
	err = s.unseal(&m)
	return m, err
}

func (s *Messages) unsealAll(all []Message) error {
	for i := range all {
		if err := s.unseal(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

// unseal decrypts a message. One stored before encryption was introduced is left unchanged.
func (s *Messages) unseal(m *Message) error {
	if m.Sealed == nil {
		return nil
	}
	plain, err := s.box.Open(m.ID, m.Sealed)
	if err == nil {
		plain, err = unpack(plain)
	}
	if err != nil {
		return fmt.Errorf("notify: message %s: %w", m.ID, err)
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil {
		return fmt.Errorf("notify: message %s: %w", m.ID, err)
	}
	m.Subject, m.Text, m.HTML, m.Links, m.Secrets, m.Sealed = c.Subject, c.Text, c.HTML, c.Links, c.Secrets, nil
	return nil
}

// redacted replaces a link or code.
const redacted = "…"

// forget removes the links and codes from a message that has been sent.
func (m *Message) forget() {
	for _, secret := range m.Secrets {
		for _, text := range []*string{&m.Subject, &m.Text, &m.HTML} {
			*text = strings.ReplaceAll(*text, secret, redacted)
		}
		for i := range m.Links {
			m.Links[i] = strings.ReplaceAll(m.Links[i], secret, redacted)
		}
	}
	m.Secrets = nil
}

// secretsOf returns the links and codes among the facts of a message.
func secretsOf(facts map[string]string) (secrets []string) {
	_, link, _ := strings.Cut(facts["link"], "/s/")
	for _, secret := range []string{facts["token"], facts["code"], link} {
		if secret != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// oldSecrets returns the tokens in the links of a message from before they were stored
// separately.
func oldSecrets(links []string) (secrets []string) {
	for _, link := range links {
		for _, path := range []string{"/s/", "/confirm/", "/reset/", "/join/"} {
			if _, token, ok := strings.Cut(link, path); ok && token != "" {
				secrets = append(secrets, token)
			}
		}
	}
	return secrets
}

// MigrateSealed encrypts the messages that older versions have stored in the clear. key
// is the installation's. The records that it replaces stay on disk until the store is
// rewritten.
func MigrateSealed(db *kv.DB, key []byte) error {
	s, err := newMessages(db, key)
	if err != nil {
		return err
	}
	return s.sealOld(context.Background())
}

// sealOld encrypts messages stored before encryption was introduced.
func (s *Messages) sealOld(ctx context.Context) error {
	for more := true; more; {
		err := s.db.Update(func(tx *kv.Tx) error {
			var open []Message
			err := outbox.Each(tx, "created", kv.K(everybody), func(_ string, m Message) (bool, error) {
				if m.Sealed == nil {
					open = append(open, m)
				}
				return len(open) < sweepBatch, nil
			})
			for _, m := range open {
				if m.Secrets = oldSecrets(m.Links); m.Status == Sent {
					m.forget()
				}
				if err == nil {
					err = s.store(tx, m)
				}
			}
			more = len(open) == sweepBatch
			return err
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}
