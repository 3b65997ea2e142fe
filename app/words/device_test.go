package words_test

import "testing"

func TestDevicesInWords(t *testing.T) {
	t.Parallel()
	english := load(t).English()
	for agent, want := range map[string]string{
		"": "",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                           "Firefox 132 on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15":                      "Safari 17 on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.1 Mobile/15E148 Safari/604.1":   "Chrome 130 on iPhone",
		"Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36": "Samsung Internet 25 on Android",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70":                    "Edge 131 on Linux",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36":                             "Chrome 130 on ChromeOS",
		"curl/8.5.0":         "curl 8",
		"Go-http-client/1.1": "Go-http-client 1.1",
		"Firefox/":           "Firefox",
	} {
		if got := english.Device(agent); got != want {
			t.Errorf("%q is %q, not %q", agent, got, want)
		}
	}
}

func TestMailboxesAreReadableInBothDirections(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, x := range []struct{ tag, name, address, want string }{
		{"en", "Ben", "b@x.example", "Ben <b@x.example>"}, {"he", "Ben", "b@x.example", "Ben (b@x.example)"},
		{"en", "", "b@x.example", "b@x.example"}, {"ar", "Ben", "", "Ben"},
	} {
		if got := c.Tagged(x.tag).Mailbox(x.name, x.address); got != x.want {
			t.Errorf("%s: got %q, want %q", x.tag, got, x.want)
		}
	}
}
