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

// Input is a change of the mail server's settings.
type Input struct {
	Host     string
	Port     int // 0 for the default port
	Username string
	// Password nil keeps the stored password, which requires the same server and username.
	Password *string
	TLS      string // "" for starttls
	From     string // "" for the one in the configuration
}

// encryptions lists the ways to encrypt the connection.
var encryptions = []string{"starttls", "tls", "none"}

// defaultPorts holds the default port for each encryption.
var defaultPorts = map[string]int{"starttls": 587, "tls": 465, "none": 25}

const (
	maxHost = 253
	maxText = 254
)

var hostname = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$`)

// merged validates an input and returns the stored settings changed by it.
func (s *Service) merged(kept stored, in Input) (stored, error) {
	var f fault.Fields
	out := stored{
		Host:     strings.TrimSpace(in.Host),
		Port:     in.Port,
		Username: strings.TrimSpace(in.Username),
		TLS:      in.TLS,
		From:     strings.TrimSpace(in.From),
	}
	if out.TLS == "" {
		out.TLS = "starttls"
	}
	if !slices.Contains(encryptions, out.TLS) {
		f.OneOf("tls", encryptions...)
	}
	if out.Port == 0 {
		out.Port = defaultPorts[out.TLS]
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

// setPassword encrypts a new password, or keeps the old one. It never reuses the old
// password for another server: otherwise naming a server of one's own would reveal it.
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
	out.Sealed, err = s.box.Seal(recordKey, []byte(*password))
	return err
}

// sameLogin reports whether a password would be sent to the same server, for the same
// user and with the same encryption.
func (s stored) sameLogin(kept stored) bool {
	return strings.EqualFold(s.Host, kept.Host) && s.Port == kept.Port && s.Username == kept.Username && s.TLS == kept.TLS
}
