package app_test

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/pki"
)

// remote is a timestamp authority that is not part of the appliance, on its own
// port, with configurable behaviour.
type remote struct {
	*httptest.Server
	keys  *pki.Authority
	clock atomic.Pointer[app.Clock]
	mood  atomic.Pointer[string]
	asked atomic.Int64
	hung  atomic.Bool // one request got no response
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{}
	r.be("up")
	r.clock.Store(app.NewClock())
	var err error
	if r.keys, err = pki.Open("", pki.Options{Organization: "Remote Time", Now: func() time.Time { return r.clock.Load().Now() }}); err != nil {
		t.Fatal(err)
	}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Server.Close)
	return r
}

func (r *remote) be(mood string) { r.mood.Store(&mood) }

// ServeHTTP responds according to the current mood (RFC 3161 §3.4).
func (r *remote) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.asked.Add(1)
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the client went away
	}
	answer, err := r.keys.RespondTimestamp(body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	switch *r.mood.Load() {
	case "slow":
		// Once is enough to test a timeout; each costs its whole length, which
		// has to be long for a busy machine.
		if r.hung.CompareAndSwap(false, true) {
			<-q.Context().Done()
			return
		}
		panic(http.ErrAbortHandler)
	case "down":
		panic(http.ErrAbortHandler)
	case "busy":
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case "garbage":
		answer = []byte("<html>It works!</html>")
	case "another's":
		if answer, err = r.keys.RespondTimestamp(otherRequest); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
	}
	w.Header().Set("Content-Type", "application/timestamp-reply")
	if _, err := w.Write(answer); err != nil {
		return // the client went away
	}
}

// otherRequest requests a timestamp of different data: SHA-256 of zeros.
var otherRequest = append([]byte{0x30, 0x39, 2, 1, 1, 0x30, 0x31, 0x30, 0x0d, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0, 4, 0x20},
	append(make([]byte, 32), 1, 1, 0xff)...)

// withoutRevocation is the least level with the remote authority: its certificates name
// no source of revocation data, so none is in the store (ETSI EN 319 142-1 §6.3 wants
// it for timestamps too).
const withoutRevocation = "B-T"

// withRemote starts an appliance that uses a remote authority.
func withRemote(t *testing.T, r *remote) *apptest.Server {
	t.Helper()
	s := apptest.New(t, func(cfg *app.Config) {
		cfg.Signing.TimestampURL = r.URL
		cfg.Signing.TimestampTimeout = 10 * time.Second
		cfg.Network.Egress = []string{"127.0.0.1"}
	})
	r.clock.Store(s.Clock)
	return s
}

// TestRemoteTimestamps uses a working authority.
func TestRemoteTimestamps(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	s := withRemote(t, r)
	j := newJudges(t, s, r.keys.Roots()...)
	c := s.Company(t)
	upload := papers("", []paper{a4})
	files, certificate := download(t, c, deal{files: []apptest.File{{Name: "a.pdf", Content: upload}}, data: apptest.Map{"invitations": apptest.List{guest(0), guest(1)}}}.complete(t, c))
	timed(t, j, j.completed(t, files["a.pdf"], sealed{upload: upload, first: true, signatures: 3, level: withoutRevocation}), 4)
	timed(t, j, j.completed(t, certificate, sealed{signatures: 1, level: withoutRevocation}), 2)
}

// timed requires all timestamps of a file to be the remote authority's.
func timed(t *testing.T, j *judges, path string, want int) {
	t.Helper()
	n := 0
	for _, s := range j.report(t, path).Signatures {
		if s.Authority == "Remote Time Timestamps" {
			n++
		} else if s.Authority != "" {
			t.Errorf("the timestamp of %s is by %s", s.Field, s.Authority)
		}
	}
	if n != want {
		t.Errorf("%d timestamps by the remote authority, want %d", n, want)
	}
}

// published is a timestamp authority like public ones: its certificate names
// the locations of its revocation list and of its issuer's certificate.
type published struct {
	*httptest.Server
	dir   string
	root  *x509.Certificate
	lists atomic.Bool // it publishes its list
	asked atomic.Int64
}

func newPublished(t *testing.T) *published {
	t.Helper()
	p := &published{dir: t.TempDir()}
	p.lists.Store(true)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Server.Close)
	rootKey, key := newKey(t), newKey(t)
	p.root = issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Public Root"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, nil, rootKey, rootKey)
	value, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		t.Fatal(err)
	}
	leaf := issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Public Time"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtraExtensions:       []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: value}}, // timeStamping alone
		CRLDistributionPoints: []string{p.URL + "/list"}, IssuingCertificateURL: []string{p.URL + "/root"},
	}, p.root, key, rootKey)
	list, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(48 * time.Hour),
	}, p.root, rootKey)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"list": list, "root": p.root.Raw, "leaf.pem": pki.EncodePEM(leaf), "serial": []byte("01\n"),
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"tsa.cnf": []byte("[one]\nserial = serial\ncrypto_device = builtin\nsigner_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_alg = sha256\n"),
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func issue(t *testing.T, template, issuer *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, cmp.Or(issuer, template), key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ServeHTTP publishes what the certificate names, and makes tokens with
// openssl.
func (p *published) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var answer []byte
	body, err := io.ReadAll(q.Body)
	switch {
	case err != nil:
		return // the client went away
	case q.URL.Path == "/list" && !p.lists.Load():
		http.NotFound(w, q)
		return
	case q.URL.Path == "/list", q.URL.Path == "/root":
		p.asked.Add(1)
		answer, err = os.ReadFile(filepath.Join(p.dir, q.URL.Path))
	default:
		answer, err = p.token(body)
	}
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if _, err := w.Write(answer); err != nil {
		return // the client went away
	}
}

func (p *published) token(query []byte) ([]byte, error) {
	ask := exec.Command("openssl", "ts", "-reply", "-config", "tsa.cnf", "-section", "one", "-queryfile", "/dev/stdin", "-signer", "leaf.pem", "-inkey", "key.pem")
	ask.Dir, ask.Stdin = p.dir, bytes.NewReader(query)
	return ask.Output()
}

// TestRevocationDataOfOthers checks that a file's validation data proves the
// remote authority's timestamps if that publishes a list, and that a missing
// list is reported.
func TestRevocationDataOfOthers(t *testing.T) {
	t.Parallel()
	for _, lists := range []bool{true, false} {
		p := newPublished(t)
		p.lists.Store(lists)
		s := apptest.New(t, func(cfg *app.Config) {
			cfg.Signing.TimestampURL = p.URL
			cfg.Signing.TimestampTimeout = 10 * time.Second
			cfg.Network.Egress = []string{"127.0.0.1"}
		})
		j := newJudges(t, s, p.root)
		c := s.Company(t)
		upload := papers("", []paper{a4})
		doc := deal{files: []apptest.File{{Name: "a.pdf", Content: upload}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}.complete(t, c)
		files, certificate := download(t, c, doc)
		level := "B-LTA"
		if !lists {
			level = "B-T"
		}
		j.completed(t, files["a.pdf"], sealed{upload: upload, first: true, signatures: 2, level: level})
		j.completed(t, certificate, sealed{signatures: 1, level: level})
		if asked := p.asked.Load(); asked > 2 {
			t.Errorf("asked %d times for a list and a certificate", asked)
		}
		said := c.Get(t, "/documents/"+doc.Text(t, "id")+"/events").Want(t, 200)
		if strings.Contains(string(said.Body), `"revocation_unknown":"Public Time"`) == lists {
			t.Errorf("lists %v: responded %s", lists, said.Body)
		}
	}
}

// TestTimestampsThatFail makes the authority fail at the last signature: the signature
// is kept, the document reports the delay, and completes by itself later.
func TestTimestampsThatFail(t *testing.T) {
	t.Parallel()
	for _, mood := range []string{"down", "slow", "busy", "garbage", "another's"} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			r := newRemote(t)
			s := withRemote(t, r)
			j := newJudges(t, s, r.keys.Roots()...)
			c := s.Company(t)
			upload := papers("", []paper{a4})
			people := apptest.List{guest(0), guest(1)}
			d := deal{files: []apptest.File{{Name: "a.pdf", Content: upload}, {Name: "b.pdf", Content: upload}}, data: apptest.Map{"invitations": people,
				"fields": everywhere(2, apptest.Map{"type": "signature", "invitation_id": "0", "x": .1, "y": .1, "width": .3, "height": .1},
					apptest.Map{"type": "signature", "invitation_id": "1", "x": .1, "y": .3, "width": .3, "height": .1})}}
			doc := d.send(t, c)
			at := "/documents/" + doc.Text(t, "id")
			c.Post(t, at+"/"+doc.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, 200)

			r.be(mood)
			doc = c.Post(t, at+"/"+doc.Text(t, "invitations.1.id")+"/sign", apptest.Map{}).Want(t, 200)
			waits(t, doc)
			s.Advance(t, "48h")
			waits(t, c.Get(t, at).Want(t, 200))
			told(t, s, c.Email)

			r.be("up")
			s.Advance(t, "2h")
			doc = c.Get(t, at).Want(t, 200)
			if doc.Text(t, "status") != "completed" || doc.At(t, "attention") != nil || doc.At(t, "attention_message") != nil {
				t.Fatalf("it did not complete by itself: %s", doc.Body)
			}
			files, certificate := download(t, c, doc)
			for _, b := range files {
				timed(t, j, j.completed(t, b, sealed{upload: upload, first: true, signatures: 3, level: withoutRevocation}), 3)
			}
			timed(t, j, j.completed(t, certificate, sealed{signatures: 1, level: withoutRevocation}), 2)
		})
	}
}

// waits expects a document that everyone has signed but that is not sealed.
func waits(t *testing.T, doc *apptest.Response) {
	t.Helper()
	if doc.Text(t, "status") != "sent" || doc.Text(t, "attention") != "sealing" || doc.Int(t, "progress.signed") != 2 ||
		!strings.Contains(doc.Text(t, "attention_message"), "timestamp authority") {
		t.Fatalf("the document is not waiting for its seal: %s", doc.Body)
	}
}

// told expects one mail to the owner about the delay.
func told(t *testing.T, s *apptest.Server, owner string) {
	t.Helper()
	n := 0
	for _, m := range s.Mails(t, owner) {
		if m.Kind == "sealing_delayed" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the owner has %d mails about the delay, want 1", n)
	}
}

// TestSendingWithoutTimestamps makes the authority fail before anyone signs.
func TestSendingWithoutTimestamps(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	s := withRemote(t, r)
	c := s.Company(t)
	r.be("down")
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: papers("", []paper{a4})}}, data: apptest.Map{"send": false, "invitations": apptest.List{guest(0)}}}
	at := "/documents/" + d.send(t, c).Text(t, "id")
	answer := c.Post(t, at+"/send", apptest.Map{}).Want(t, http.StatusServiceUnavailable)
	if !strings.Contains(answer.Text(t, "message"), "timestamp authority") {
		t.Errorf("responded %s", answer.Body)
	}
	if doc := c.Get(t, at).Want(t, 200); doc.Text(t, "status") != "draft" {
		t.Errorf("the document is %s", doc.Body)
	}
	if asked := r.asked.Load(); asked == 0 {
		t.Error("the authority was not asked")
	}
	r.be("up")
	if doc := d.sign(t, c, c.Post(t, at+"/send", apptest.Map{}).Want(t, 200)); doc.Text(t, "status") != "completed" {
		t.Errorf("the document is %s", doc.Body)
	}
}
