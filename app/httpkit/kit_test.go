package httpkit_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/fault"
	"paraph/app/httpkit"
)

// served is a server with one route, POST /.
type served struct {
	addr string
	kit  *httpkit.Kit
}

func serve(t *testing.T, o httpkit.Options, rule httpkit.Rule, h func(*fiber.Ctx, *httpkit.Body) error) served {
	t.Helper()
	kit, err := httpkit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, StreamRequestBody: true, BodyLimit: 1, DisablePreParseMultipartForm: true,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			status := httpkit.Status(fault.KindOf(err))
			if status == 0 {
				status = http.StatusInternalServerError
			}
			return c.Status(status).SendString(err.Error())
		}})
	app.Use(func(c *fiber.Ctx) error {
		defer httpkit.Finish(c)
		kit.Secure(c)
		return c.Next()
	})
	kit.Add(app, http.MethodPost, "/", rule, func(c *fiber.Ctx) error {
		body, err := kit.Body(c, rule, httpkit.CallerOf(account.Call{}, kit.Address(c)))
		if err != nil {
			return err
		}
		return h(c, body)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Listener(httpkit.Listen(ln, cmp.Or(o.ReadTimeout, time.Minute))) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(time.Second); err != nil {
			t.Log(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return served{ln.Addr().String(), kit}
}

// readWhole responds with the number of bytes received.
func readWhole(c *fiber.Ctx, b *httpkit.Body) error {
	all, err := b.Whole(c.UserContext())
	if err != nil {
		return err
	}
	return c.SendString(fmt.Sprint(len(all)))
}

// say sends text on a separate connection.
func (s served) say(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience.Limit())); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// answer reads the next response from a connection.
func answer(t *testing.T, conn net.Conn) (status int, body string) {
	t.Helper()
	return next(t, bufio.NewReader(conn))
}

func next(t *testing.T, r *bufio.Reader) (status int, body string) {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func post(length int, more ...string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n", length, strings.Join(more, ""))
}

func everyone(body int64) httpkit.Rule { return httpkit.Rule{For: httpkit.Everyone, Body: body} }

func TestABodyThatSaysItIsTooLargeIsNotAwaited(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(100), readWhole)
	if status, _ := answer(t, s.say(t, post(101)+"x")); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", status)
	}
}

func TestABodyWithoutLengthIsCutAtItsLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(100), readWhole)
	conn := s.say(t, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n"+strings.Repeat("x", 0x80))
	if status, _ := answer(t, conn); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", status)
	}
}

func TestABodyOfExactlyTheLimitIsTaken(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(100), readWhole)
	if status, body := answer(t, s.say(t, post(100)+strings.Repeat("x", 100))); status != http.StatusOK || body != "100" {
		t.Errorf("got %d %s", status, body)
	}
}

func TestTheConnectionGoesOnBehindASmallBodyThatNobodyRead(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(1000), func(c *fiber.Ctx, _ *httpkit.Body) error { return c.SendString("unread") })
	request := post(8) + "POST / H"
	conn := s.say(t, request+request)
	r := bufio.NewReader(conn)
	for range 2 {
		if status, body := next(t, r); status != http.StatusOK || body != "unread" {
			t.Errorf("got %d %s", status, body)
		}
	}
}

func TestWhoeverStillSendsGetsTheRefusal(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(100), readWhole)
	const size = 4 << 20
	res, err := http.Post("http://"+s.addr, "text/plain", strings.NewReader(strings.Repeat("x", size)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", res.StatusCode)
	}
}

func TestABodyThatStandsStillIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{ReadTimeout: 2 * time.Second}, everyone(100), readWhole)
	if status, _ := answer(t, s.say(t, post(100)+"x")); status != http.StatusBadRequest {
		t.Errorf("got %d", status)
	}
}

func TestABodyThatDripsIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{ReadTimeout: 2 * time.Second}, everyone(100), readWhole)
	conn := s.say(t, post(100))
	stop := time.After(patience.Limit())
	answered := make(chan int, 1)
	go func() {
		status, _ := answer(t, conn)
		answered <- status
	}()
	for {
		select {
		case status := <-answered:
			if status != http.StatusBadRequest {
				t.Errorf("got %d", status)
			}
			return
		case <-stop:
			t.Fatal("a byte every tenth of a second is waited for")
		case <-time.After(100 * time.Millisecond):
			conn.Write([]byte("x")) //nolint:errcheck // the connection may be closed
		}
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{TrustedProxies: []string{"127.0.0.1"}}, everyone(100), readWhole)
	for scheme, want := range map[string]string{"http": "", "https": "max-age=31536000"} {
		res, err := http.ReadResponse(bufio.NewReader(s.say(t, post(0, "X-Forwarded-Proto: "+scheme+"\r\n"))), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: Strict-Transport-Security %q, want %q", scheme, got, want)
		}
		if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", scheme, res.Header)
		}
	}
}
