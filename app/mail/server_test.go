package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/app/mail"
)

// hangUp ends a reply after which the server closes the connection without a word.
const hangUp = "(hangs up)"

// server is a small SMTP server whose replies a test chooses. An empty reply stands
// for the friendly one.
type server struct {
	greeting, helo, auth, from, rcpt, data, done, quit string

	startTLS, implicitTLS bool
	mechanisms            string // offered for AUTH
	asciiOnly             bool   // take no addresses beyond ASCII
	noQuit                bool   // hang up when told to quit

	mu       sync.Mutex
	lines    []string // commands
	messages []string
	logins   []string

	tls  *tls.Config
	pool *x509.CertPool
	port int
}

// start serves until the test ends.
func (s *server) start(t *testing.T) *server {
	t.Helper()
	s.tls, s.pool = certificate(t)
	serve(t, &s.port, func(conn net.Conn) {
		if s.implicitTLS {
			conn = tls.Server(conn, s.tls)
		}
		s.session(conn)
	})
	return s
}

// serve calls handle for each connection; both ends are closed with the test.
func serve(t *testing.T, port *int, handle func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	*port = l.Addr().(*net.TCPAddr).Port
	var wg sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			wg.Go(func() {
				defer func() { _ = conn.Close() }()
				handle(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
}

func (s *server) session(conn net.Conn) {
	r := bufio.NewReader(conn)
	say := func(reply, usual string) bool {
		if reply == "" {
			reply = usual
		}
		if rest, ends := strings.CutSuffix(reply, hangUp); ends {
			// An error means that the client has closed the connection itself.
			_, _ = io.WriteString(conn, rest)
			return false
		}
		_, err := io.WriteString(conn, reply+"\r\n")
		return err == nil && !strings.HasPrefix(reply, "421")
	}
	if !say(s.greeting, "220 test ESMTP") {
		return
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.note(&s.lines, line)
		ok := true
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "EHLO", "HELO":
			_, encrypted := conn.(*tls.Conn)
			ok = say(s.helo, s.extensions(encrypted))
		case "STARTTLS":
			ok = say("", "220 go ahead")
			conn = tls.Server(conn, s.tls)
			r = bufio.NewReader(conn)
		case "AUTH":
			s.login(line)
			ok = say(s.auth, "235 welcome")
		case "MAIL":
			ok = say(s.from, "250 ok")
		case "RCPT":
			ok = say(s.rcpt, "250 ok")
		case "DATA":
			if ok = say(s.data, "354 go ahead"); ok && s.data == "" {
				ok = s.receive(r) && say(s.done, "250 taken")
			}
		case "QUIT":
			if !s.noQuit {
				say(s.quit, "221 bye")
			}
			return
		default:
			ok = say("", "250 ok")
		}
		if !ok {
			return
		}
	}
}

func (s *server) extensions(encrypted bool) string {
	lines := []string{"test", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"}
	if s.asciiOnly {
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "SMTPUTF8" })
	}
	if s.startTLS && !encrypted {
		lines = append(lines, "STARTTLS")
	}
	if s.mechanisms != "" {
		lines = append(lines, "AUTH "+s.mechanisms)
	}
	for i, l := range lines {
		separator := "-"
		if i == len(lines)-1 {
			separator = " "
		}
		lines[i] = "250" + separator + l
	}
	return strings.Join(lines, "\r\n")
}

func (s *server) login(line string) {
	fields := strings.Fields(line)
	if len(fields) == 3 && fields[1] == "PLAIN" {
		if b, err := base64.StdEncoding.DecodeString(fields[2]); err == nil {
			s.note(&s.logins, strings.ReplaceAll(string(b), "\x00", "|"))
		}
	}
}

func (s *server) receive(r *bufio.Reader) bool {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			s.note(&s.messages, b.String())
			return true
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}

func (s *server) note(list *[]string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, text)
}

func (s *server) got(list *[]string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), *list...)
}

// client is how to reach the server without encryption.
func (s *server) client() mail.SMTP {
	return mail.SMTP{Host: "127.0.0.1", Port: s.port, TLS: "none", HELO: "client.test", Timeout: time.Minute, RootCAs: s.pool}
}

func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

func message() mail.Message {
	return mail.Message{
		ID:      "01HZX3",
		From:    mail.Address{Name: "Paraph", Email: "sign@example.com"},
		ReplyTo: mail.Address{Name: "Ann", Email: "ann@example.com"},
		To:      []mail.Address{{Name: "Zoë Müller, “QA”", Email: "zoe@example.org"}},
		Subject: "Bitte unterschreiben: Mietvertrag für Zoë",
		Text:    "Hallo Zoë,\n.\nbitte unterschreiben.\n",
		HTML:    "<p>Hallo Zoë</p>",
	}
}

func says(code int) string { return fmt.Sprintf("%d 5.1.1 because", code) }
