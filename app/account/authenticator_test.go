package account_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// authenticator is a security key in software: it holds one ES256 key and answers challenges in the
// format of the browser's PublicKeyCredential.toJSON.
type authenticator struct {
	t      *testing.T
	key    *ecdsa.PrivateKey
	id     []byte
	handle []byte // of the user it was made for

	origin  string // the site's origin, as the browser sees it
	rp      string
	count   uint32
	counts  bool // the signature count increases
	verify  bool // checks a finger or a PIN
	synced  bool
	tamper  func(data []byte) // changes the data before it is signed
	forging bool              // signs with another key
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	return &authenticator{t: t, key: must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)),
		id: []byte("credential of " + t.Name()), origin: "https://sign.example.org:8443", rp: "sign.example.org", counts: true, verify: true}
}

// Flags of authenticator data (WebAuthn §6.1).
const (
	userPresent    = 0x01
	userVerified   = 0x04
	backupEligible = 0x08
	backedUp       = 0x10
	attested       = 0x40
)

func (a *authenticator) data(flags byte) []byte {
	hash := sha256.Sum256([]byte(a.rp))
	flags |= userPresent
	if a.verify {
		flags |= userVerified
	}
	if a.synced {
		flags |= backupEligible | backedUp
	}
	if a.counts && flags&attested == 0 {
		a.count++
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.count)
}

// options are the options sent to a browser.
type options struct {
	PublicKey struct {
		Challenge string
		RPID      string `json:"rpId"`
		RP        struct{ ID, Name string }
		User      struct{ ID, Name, DisplayName string }

		UserVerification       string
		AllowCredentials       []struct{ ID string }
		ExcludeCredentials     []struct{ ID string }
		AuthenticatorSelection struct{ ResidentKey, UserVerification string }
	}
}

func (a *authenticator) read(raw json.RawMessage) (o options) {
	a.t.Helper()
	if err := json.Unmarshal(raw, &o); err != nil {
		a.t.Fatalf("options %s: %v", raw, err)
	}
	return o
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *authenticator) clientData(kind, challenge string) []byte {
	return []byte(`{"type":"` + kind + `","challenge":"` + challenge + `","origin":"` + a.origin + `","crossOrigin":false}`)
}

// create answers the options of a registration, with attestation "none".
func (a *authenticator) create(raw json.RawMessage) []byte {
	a.t.Helper()
	o := a.read(raw)
	a.handle = must[[]byte](a.t)(base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID))
	data := append(a.data(attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	point := must[[]byte](a.t)(a.key.PublicKey.Bytes())
	// COSE: kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), x, y.
	data = append(data, 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32)
	data = append(append(data, point[1:33]...), 0x22, 0x58, 32)
	data = append(data, point[33:]...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), byte(len(data)>>8), byte(len(data)))
	return a.credential(map[string]any{
		"clientDataJSON":    b64(a.clientData("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": b64(append(object, data...)),
		"transports":        []string{"internal"},
	})
}

// get answers the options of a login.
func (a *authenticator) get(raw json.RawMessage) []byte {
	a.t.Helper()
	data := a.data(0)
	if a.tamper != nil {
		a.tamper(data)
	}
	client := a.clientData("webauthn.get", a.read(raw).PublicKey.Challenge)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(data[:len(data):len(data)], sum[:]...))
	key := a.key
	if a.forging {
		key = must[*ecdsa.PrivateKey](a.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	}
	return a.credential(map[string]any{
		"clientDataJSON":    b64(client),
		"authenticatorData": b64(data),
		"signature":         b64(must[[]byte](a.t)(ecdsa.SignASN1(rand.Reader, key, digest[:]))),
		"userHandle":        b64(a.handle),
	})
}

func (a *authenticator) credential(response map[string]any) []byte {
	a.t.Helper()
	return must[[]byte](a.t)(json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "authenticatorAttachment": "platform",
		"clientExtensionResults": map[string]any{}, "response": response,
	}))
}
