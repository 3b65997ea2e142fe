package mail_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"paraph/app/mail"
)

func encode(t testing.TB, m mail.Message) *netmail.Message {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	parsed, err := netmail.ReadMessage(&b)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func header(t testing.TB, m *netmail.Message, name string) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get(name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEncode(t *testing.T) {
	t.Parallel()
	m := message()
	m.Date = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m.Headers = map[string]string{"list-unsubscribe": "<https://example.com/u/1>", "X-Note": "Grüße"}
	pdf := bytes.Repeat([]byte("%PDF"), 50_000)
	m.Attachments = []mail.Attachment{
		{Name: "../../etc/Vertrag für Zoë\r\nX: y.pdf", Type: "application/pdf", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(pdf)), nil
		}},
		{Data: []byte("x"), Type: "nonsense\r\nX: y"},
	}
	got := encode(t, m)
	for name, want := range map[string]string{
		"Message-ID":       "<01HZX3@example.com>",
		"Subject":          m.Subject,
		"Date":             "Sat, 21 Nov 2026 12:00:00 +0000",
		"List-Unsubscribe": "<https://example.com/u/1>",
		"X-Note":           "Grüße",
		"X":                "",
		"User-Agent":       "",
	} {
		if got := header(t, got, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	to, err := got.Header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != m.To[0].Name || to[0].Address != m.To[0].Email {
		t.Errorf("To: %v, %v", to, err)
	}
	mixed := parts(t, got.Header.Get("Content-Type"), got.Body)
	if len(mixed) != 3 {
		t.Fatalf("%d parts, want 3", len(mixed))
	}
	alternative := parts(t, mixed[0].header("Content-Type"), bytes.NewReader(mixed[0].body))
	if len(alternative) != 2 || !strings.HasPrefix(alternative[0].header("Content-Type"), "text/plain") ||
		!strings.HasPrefix(alternative[1].header("Content-Type"), "text/html") {
		t.Fatalf("alternatives: %v", alternative)
	}
	if text := strings.ReplaceAll(string(alternative[0].body), "\r\n", "\n"); text != m.Text {
		t.Errorf("text %q, want %q", text, m.Text)
	}
	_, disposition, err := mime.ParseMediaType(mixed[1].header("Content-Disposition"))
	if err != nil || disposition["filename"] != "Vertrag für Zoë  X: y.pdf" {
		t.Errorf("file name %q, %v", disposition["filename"], err)
	}
	if strings.HasPrefix(mixed[2].header("Content-Type"), "nonsense") {
		t.Errorf("type %q", mixed[2].header("Content-Type"))
	}
}

type mimePart struct {
	headers map[string][]string
	body    []byte
}

func (p mimePart) header(name string) string { return strings.Join(p.headers[name], "") }

func parts(t testing.TB, contentType string, body io.Reader) (all []mimePart) {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	r := multipart.NewReader(body, params["boundary"])
	for {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mimePart{p.Header, b})
	}
}

// Nothing that somebody types adds a header, a recipient or a body.
func TestNothingCanBeInjected(t *testing.T) {
	t.Parallel()
	const evil = "x\r\nBcc: eve@example.com\r\n\r\nbody \u2028 \x00"
	for name, change := range map[string]func(*mail.Message){
		"subject":       func(m *mail.Message) { m.Subject = evil },
		"sender's name": func(m *mail.Message) { m.From.Name = evil },
		"name":          func(m *mail.Message) { m.To[0].Name = evil },
		"quoted name":   func(m *mail.Message) { m.To[0].Name = `" <eve@example.com>, "` },
		"reply name":    func(m *mail.Message) { m.ReplyTo.Name = evil },
		"sender":        func(m *mail.Message) { m.From.Email += evil },
		"recipient":     func(m *mail.Message) { m.To[0].Email += evil },
		"two in one":    func(m *mail.Message) { m.To[0].Email += ", eve@example.com" },
		"reply to":      func(m *mail.Message) { m.ReplyTo.Email = evil },
		"id":            func(m *mail.Message) { m.ID = evil },
		"id bracket":    func(m *mail.Message) { m.ID = "a> <b" },
		"header value":  func(m *mail.Message) { m.Headers = map[string]string{"X-A": evil} },
		"header name":   func(m *mail.Message) { m.Headers = map[string]string{evil: "x"} },
		"header colon":  func(m *mail.Message) { m.Headers = map[string]string{"Bcc:": "eve@example.com"} },
		"header bcc":    func(m *mail.Message) { m.Headers = map[string]string{"bCC": "eve@example.com"} },
		"header type":   func(m *mail.Message) { m.Headers = map[string]string{"content-type": "text/html"} },
		"no recipient":  func(m *mail.Message) { m.To = nil },
		"nothing in it": func(m *mail.Message) { m.Text, m.HTML = "", "" },
		"file name":     func(m *mail.Message) { m.Attachments = []mail.Attachment{{Name: evil, Type: evil}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := new(server).start(t)
			m := message()
			change(&m)
			err := s.client().Send(t.Context(), m)
			if err != nil {
				if !errors.Is(err, mail.ErrInvalid) || !errors.Is(err, mail.ErrRejected) {
					t.Errorf("got %v, want invalid", err)
				}
				if len(s.got(&s.lines)) > 0 {
					t.Error("the server was asked")
				}
				return
			}
			recipients := 0
			for _, line := range s.got(&s.lines) {
				if strings.HasPrefix(line, "RCPT") {
					recipients++
				}
			}
			if recipients != 1 {
				t.Errorf("%d recipients", recipients)
			}
			parsed, err := netmail.ReadMessage(strings.NewReader(s.got(&s.messages)[0]))
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Header.Get("Bcc") != "" {
				t.Error("Bcc was added")
			}
			if to, err := parsed.Header.AddressList("To"); err != nil || len(to) != 1 || to[0].Address != "zoe@example.org" {
				t.Errorf("to %v, %v", to, err)
			}
		})
	}
}

func TestValidEmail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	for email, want := range map[string]bool{
		"a@b.example": true, "jane.doe+tag@example.co.uk": true, "o'neil@example.com": true, "root@localhost": true,
		"müller@example.com": true, "用户@例子.公司": true, "a@xn--bcher-kva.example": true, "A_b-c@1.example": true,
		long + "@example.com": true, long + "a@example.com": false,
		"": false, "@": false, "a@": false, "@b.example": false, "a": false, "a@b": false, "a b@c.example": false,
		"a@b.example ": false, "a@b..example": false, ".a@b.example": false, "a.@b.example": false, "a..b@c.example": false,
		"a@-b.example": false, "a@b-.example": false, "a@b_c.example": false, "a@[127.0.0.1]": false, `"a b"@c.example`: false,
		"a@b.example\n": false, "a\x00@b.example": false, "a<b@c.example": false, "a@b@c.example": false, "a,b@c.example": false,
		"a@b.example.": false, "\xff@b.example": false, "a@" + strings.Repeat("b.", 130) + "example": false,
		"a@" + strings.Repeat("b", 64) + ".example": false,
	} {
		if got := mail.ValidEmail(email); got != want {
			t.Errorf("ValidEmail(%q) is %t", email, got)
		}
	}
}

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]mail.Address{
		"a@b.example":                        {Email: "a@b.example"},
		"Ann Lee <a@b.example>":              {Name: "Ann Lee", Email: "a@b.example"},
		`"Lee, Ann" <a@b.example>`:           {Name: "Lee, Ann", Email: "a@b.example"},
		"=?utf-8?q?Zo=C3=AB?= <z@b.example>": {Name: "Zoë", Email: "z@b.example"},
		"=?utf-8?q?A=0D=0AX?= <z@b.example>": {Name: "A  X", Email: "z@b.example"},
	} {
		got, err := mail.ParseAddress(in)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
			continue
		}
		if again, err := mail.ParseAddress(got.String()); err != nil || again != got {
			t.Errorf("%q writes %q, read back as %v, %v", in, got.String(), again, err)
		}
	}
	for _, in := range []string{"", "a", "a@b.example, c@d.example", "<>", strings.Repeat("x", 1000)} {
		if _, err := mail.ParseAddress(in); !errors.Is(err, mail.ErrInvalid) || len(err.Error()) > 400 {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("Ann <a@b.example>")
	f.Add("=?utf-8?q?Zo=C3=AB?= <z@b.example>")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := mail.ParseAddress(s)
		if err != nil {
			return
		}
		again, err := mail.ParseAddress(a.String())
		if err != nil || again.Email != a.Email {
			t.Errorf("%q gives %+v, writes %q, reads %+v, %v", s, a, a.String(), again, err)
		}
	})
}

func TestSecretCannotPrintItself(t *testing.T) {
	t.Parallel()
	const text = "hunter2"
	secret := mail.NewSecret(text)
	type private struct{ secret mail.Secret }
	var out strings.Builder
	s := mail.SMTP{Host: "h", Password: secret}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&out, verb, secret)
		fmt.Fprintf(&out, verb, &secret)
		fmt.Fprintf(&out, verb, s)
		fmt.Fprintf(&out, verb, private{secret})
		fmt.Fprintf(&out, verb, []mail.Secret{secret})
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "secret", secret, "smtp", s)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "secret", secret, "smtp", s)
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(b)
	if strings.Contains(out.String(), text) || strings.Contains(out.String(), fmt.Sprintf("%x", text)) {
		t.Error("a secret was printed")
	}
	if !strings.Contains(out.String(), "[secret]") {
		t.Error("nothing shows that there is a secret")
	}
	if secret.Reveal() != text || secret.IsZero() || !(mail.Secret{}).IsZero() || (mail.Secret{}).Reveal() != "" {
		t.Error("a secret is lost")
	}
	var read mail.Secret
	if err := read.UnmarshalText([]byte(text)); err != nil || read.Reveal() != text {
		t.Error("a secret cannot be read")
	}
}

func BenchmarkEncode(b *testing.B) {
	m := message()
	for b.Loop() {
		if err := m.Encode(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
