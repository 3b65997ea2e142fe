package mailserver

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/mail"
)

// Input describes a mail server to use.
type Input struct {
	Host     string
	Port     int // 0 for the usual one
	Username string
	// Password is kept as it is if nil, provided that it goes to the same server under the same name.
	Password *string
	TLS      string // "" for starttls
	From     string // "" for the configuration's
}

// Ways to encrypt the connection.
var encryptions = []string{"starttls", "tls", "none"}

// usual are the ports of the ways to encrypt.
var usual = map[string]int{"starttls": 587, "tls": 465, "none": 25}

const (
	maxHost = 253
	maxText = 254
)

var hostname = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$`)

// merged returns the settings with the input, which is checked.
func (s *Service) merged(kept stored, in Input) (stored, error) {
	var f fault.Fields
	out := stored{Host: strings.TrimSpace(in.Host), Port: in.Port, Username: strings.TrimSpace(in.Username), TLS: in.TLS, From: strings.TrimSpace(in.From)}
	if out.TLS == "" {
		out.TLS = "starttls"
	}
	if !slices.Contains(encryptions, out.TLS) {
		f.OneOf("tls", encryptions...)
	}
	if out.Port == 0 {
		out.Port = usual[out.TLS]
	}
	if in.Port < 0 || in.Port > 65535 {
		f.Between("port", 1, 65535)
	}
	if out.From == "" {
		out.From = s.Configured.From
	}
	if _, err := mail.ParseAddress(out.From); err != nil || !oneLine(out.From) {
		f.Add("from", "not_an_email")
	}
	s.checkHost(&f, out.Host)
	checkText(&f, "username", out.Username)
	checkText(&f, "from", out.From)
	err := s.setPassword(&f, kept, &out, in.Password)
	if faults := f.Err(); faults != nil {
		return stored{}, faults
	}
	return out, err
}

func (s *Service) checkHost(f *fault.Fields, host string) {
	_, err := netip.ParseAddr(host)
	switch {
	case host == "":
		f.Required("host")
	case len(host) > maxHost:
		f.TooLong("host", maxHost)
	case err != nil && !hostname.MatchString(host):
		f.Add("host", "not_a_host")
	case !s.Allows(host):
		f.Add("host", "host_not_allowed", fault.Text("host", host))
	}
}

func checkText(f *fault.Fields, name, text string) {
	switch {
	case utf8.RuneCountInString(text) > maxText:
		f.TooLong(name, maxText)
	case !oneLine(text):
		f.Add(name, "not_one_line")
	}
}

func oneLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// setPassword seals a new password, or keeps the old one. That never goes elsewhere than where it was meant to go, so
// that nobody learns it by naming a server of their own.
func (s *Service) setPassword(f *fault.Fields, kept stored, out *stored, password *string) (err error) {
	switch {
	case password == nil && out.sameLogin(kept):
		out.Sealed = kept.Sealed
		return nil
	case password == nil && out.Username == "", password != nil && *password == "":
		return nil
	case password == nil:
		f.Required("password")
		return nil
	case out.Username == "":
		f.Required("username")
		return nil
	}
	if checkText(f, "password", *password); f.Has("password") {
		return nil
	}
	out.Sealed, err = s.box.Seal(only, []byte(*password))
	return err
}

// sameLogin reports whether a password would go to the same server, under the same name and as well protected.
func (s stored) sameLogin(kept stored) bool {
	return strings.EqualFold(s.Host, kept.Host) && s.Port == kept.Port && s.Username == kept.Username && s.TLS == kept.TLS
}
