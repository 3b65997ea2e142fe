package httpkit_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"paraph/app/httpkit"
)

// part returns one part of a form; with a name it is a file.
func part(file, content string) string {
	if file != "" {
		file = `; filename="` + file + `"`
	}
	return "--b\r\nContent-Disposition: form-data; name=\"f\"" + file + "\r\n\r\n" + content + "\r\n"
}

func sendParts(t *testing.T, rule httpkit.Rule, body string) (int, string) {
	t.Helper()
	s := serve(t, httpkit.Options{}, rule, func(c *fiber.Ctx, b *httpkit.Body) error {
		var files, texts int
		err := b.Parts(c.UserContext(), "b", func(p *httpkit.Part) error {
			if p.IsFile {
				n, err := io.Copy(io.Discard, p)
				files += int(n)
				return err
			}
			all, err := b.Gather(c.UserContext(), p, rule.Body)
			texts += len(all)
			return err
		})
		if err != nil {
			return err
		}
		return c.SendString(fmt.Sprint(files, texts))
	})
	return answer(t, s.say(t, post(len(body))+body))
}

func TestPartsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	rule := everyone(100).UploadingMany(20, 1000)
	many := func(n int, p string) string { return strings.Repeat(p, n) + "--b--\r\n" }
	for what, c := range map[string]struct {
		rule   httpkit.Rule
		body   string
		status int
		got    string
	}{
		"files and texts":            {rule, part("a", strings.Repeat("x", 1000)) + part("", strings.Repeat("y", 100)) + "--b--\r\n", 200, "1000 100"},
		"one file too large":         {rule, part("a", strings.Repeat("x", 1001)) + "--b--\r\n", 413, ""},
		"many files too large":       {rule, many(11, part("a", strings.Repeat("x", 100))), 413, ""},
		"many texts too large":       {rule, many(11, part("", strings.Repeat("x", 10))), 413, ""},
		"a file where none is taken": {everyone(1000), part("a", "x") + "--b--\r\n", 413, ""},
		"too many parts":             {everyone(2 << 20), many(20_001, part("", "")), 413, ""},
		"a header without end":       {rule, "--b\r\nX: " + strings.Repeat("x", 200_000) + "\r\n\r\n--b--\r\n", 413, ""},
		"cut off":                    {rule, part("a", "x"), 400, ""},
		"cut off in a part":          {rule, strings.TrimSuffix(part("a", "x"), "\r\n"), 400, ""},
	} {
		status, got := sendParts(t, c.rule, c.body)
		if status != c.status || status == http.StatusOK && got != c.got {
			t.Errorf("%s: got %d %s, want %d %s", what, status, got, c.status, c.got)
		}
	}
}

func TestWhatIsLeftOfAPartCountsToo(t *testing.T) {
	t.Parallel()
	rule := everyone(100).UploadingMany(20, 1000)
	s := serve(t, httpkit.Options{}, rule, func(c *fiber.Ctx, b *httpkit.Body) error {
		return b.Parts(c.UserContext(), "b", func(*httpkit.Part) error { return nil })
	})
	body := part("a", strings.Repeat("x", 600)) + part("b", strings.Repeat("x", 600)) + "--b--\r\n"
	if status, _ := answer(t, s.say(t, post(len(body))+body)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", status)
	}
}

// TestFilesAreCountedBeforeTheyAreTaken sends more files than a route accepts.
func TestFilesAreCountedBeforeTheyAreTaken(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 3} {
		taken := 0
		s := serve(t, httpkit.Options{}, everyone(100).UploadingMany(count, 1000), func(c *fiber.Ctx, b *httpkit.Body) error {
			return b.Parts(c.UserContext(), "b", func(*httpkit.Part) error { taken++; return nil })
		})
		body := strings.Repeat(part("a", "x"), 50) + "--b--\r\n"
		if status, _ := answer(t, s.say(t, post(len(body))+body)); status != http.StatusUnprocessableEntity || taken != count {
			t.Errorf("got %d after %d files, want 422 after %d", status, taken, count)
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	rule := everyone(1 << 20).Uploading(1000)
	s := serve(t, httpkit.Options{}, rule, func(c *fiber.Ctx, b *httpkit.Body) error {
		values := url.Values{}
		err := b.Form(c.UserContext(), values, func(p *httpkit.Part) error {
			content, err := io.ReadAll(p)
			values.Add("file", values.Get("before")+p.File+string(content))
			return err
		})
		if err != nil {
			return err
		}
		return c.SendString(values.Encode())
	})
	text := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	const multi, pairs = "multipart/form-data; boundary=b", "application/x-www-form-urlencoded"
	for _, c := range []struct {
		kind, body string
		status     int
		got        string
	}{
		{pairs, "a=1&b=%C3%A4&a=2", 200, "a=1&a=2&b=%C3%A4"},
		{pairs, "a=%zz", 400, ""},
		{pairs, strings.Repeat("a&", 20_000), 413, ""},
		{multi, text("before", "x") + part("n", "y") + text("after", "z") + "--b--\r\n", 200, "after=z&before=x&file=xny"},
		{"multipart/form-data", "", 415, ""},
		{"application/json", "{}", 415, ""},
	} {
		status, got := answer(t, s.say(t, post(len(c.body), "Content-Type: "+c.kind+"\r\n")+c.body))
		if status != c.status || status == http.StatusOK && got != c.got {
			t.Errorf("%s %.40q: got %d %s, want %d %s", c.kind, c.body, status, got, c.status, c.got)
		}
	}
}
