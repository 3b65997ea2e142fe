package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// Machine holds the few settings that differ from machine to machine.
type Machine struct {
	Address string // where people reach the server, such as https://sign.example.org
	Data    string // the data folder
	Proxy   string // the address that a proxy connects from; "none" if people reach the server itself
	Mail    string // smtp://user@host:587 or smtps://user@host:465; "none" to send nothing
	From    string // the sender of every message
}

// nobody stands for a proxy or mail server that there is not.
const nobody = "none"

// Complete asks for what is not set yet. Without anybody to ask, only what has no default is missing.
func (m *Machine) Complete(ask func(question, usual string) (string, error)) error {
	for _, q := range []struct {
		answer   *string
		question string
		usual    func() string // answer
	}{
		{&m.Address, "Address at which people reach this server, such as https://sign.example.org", func() string { return "" }},
		{&m.Data, "Data folder", func() string { return "/var/lib/paraph" }},
		{&m.Proxy, "Address of the proxy in front of it (127.0.0.1 is this machine), or none", func() string { return "127.0.0.1" }},
		{&m.Mail, "Mail server, such as smtp://user@mail.example.org:587 or smtps://user@mail.example.org, or none", func() string { return nobody }},
		{&m.From, "Sender of every message", func() string { return "Paraph <paraph@" + hostOf(m.Address) + ">" }},
	} {
		if *q.answer != "" || q.answer == &m.From && m.Mail == nobody {
			continue
		}
		var err error
		if *q.answer, err = ask(q.question, q.usual()); err != nil {
			return err
		}
	}
	return nil
}

// Questions asks people at a terminal.
func Questions(in io.Reader, out io.Writer) func(question, usual string) (string, error) {
	lines := bufio.NewScanner(in)
	return func(question, usual string) (string, error) {
		for {
			fmt.Fprint(out, question)
			if usual != "" {
				fmt.Fprintf(out, " [%s]", usual)
			}
			fmt.Fprint(out, ": ")
			if !lines.Scan() {
				return "", errors.Join(errors.New("the questions were not answered; nothing was written"), lines.Err())
			}
			if answer := strings.TrimSpace(lines.Text()); answer != "" {
				return answer, nil
			}
			if usual != "" {
				return usual, nil
			}
		}
	}
}

// NobodyToAsk takes what is usual, and refuses to go on where nothing is.
func NobodyToAsk(question, usual string) (string, error) {
	if usual == "" {
		return "", fmt.Errorf("--address is missing: %s", strings.ToLower(question[:1])+question[1:])
	}
	return usual, nil
}

// TOML returns the configuration of the machine: the keys that it needs, and no other.
func (m Machine) TOML() (string, error) {
	address, err := url.Parse(m.Address)
	if err != nil || !webAddress(m.Address) {
		return "", fmt.Errorf("the address is a full one, such as https://sign.example.org, not %q", m.Address)
	}
	var b strings.Builder
	set := func(comment, key string, value any) {
		fmt.Fprintf(&b, "# %s\n%s = %#v\n", comment, key, value)
	}
	list := func(comment, key string, values ...string) {
		for i := range values {
			values[i] = strconv.Quote(values[i])
		}
		fmt.Fprintf(&b, "# %s\n%s = [%s]\n", comment, key, strings.Join(values, ", "))
	}
	b.WriteString("# What this machine needs. Every other setting has its default; paraph config prints them all.\n\n[server]\n")
	set("Where people reach this server.", "base_url", strings.TrimSuffix(m.Address, "/"))
	switch proxy, err := netip.ParseAddr(m.Proxy); {
	case m.Proxy == nobody && address.Scheme == "https":
		set("The port of the address.", "listen", ":"+portOr(address, "443"))
		b.WriteString("\n[server.tls]\n")
		set("The certificate is fetched from Let's Encrypt, which has to reach this port as 443.", "mode", "acme")
		list("The names that it is for.", "hosts", address.Hostname())
	case m.Proxy == nobody:
		set("The port of the address.", "listen", ":"+portOr(address, "80"))
	case err != nil:
		return "", fmt.Errorf("the proxy is an IP address, such as 127.0.0.1, or none, not %q", m.Proxy)
	case proxy.IsLoopback():
		set("Only the proxy on this machine connects.", "listen", "127.0.0.1:8080")
		list("Its word on who the client is counts.", "trusted_proxies", "127.0.0.1", "::1")
	default:
		set("The proxy is on another machine: let nobody else reach this port.", "listen", ":8080")
		list("Its word on who the client is counts.", "trusted_proxies", m.Proxy)
	}
	b.WriteString("\n[data]\n")
	if m.Data, err = filepath.Abs(m.Data); err != nil {
		return "", err
	}
	set("Everything is here.", "dir", m.Data)
	if m.Mail == nobody {
		return b.String(), nil
	}
	return m.mailTOML(&b, set)
}

func (m Machine) mailTOML(b *strings.Builder, set func(comment, key string, value any)) (string, error) {
	u, err := url.Parse(m.Mail)
	if err != nil || u.Host == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return "", fmt.Errorf("the mail server is smtp://USER@HOST:PORT, smtps://USER@HOST, or none, not %q", m.Mail)
	}
	if _, secret := u.User.Password(); secret {
		return "", errors.New("the password of the mail server belongs in PARAPH_MAIL__PASSWORD, not in its address, which others can see")
	}
	if _, err := mail.ParseAddress(m.From); err != nil {
		return "", fmt.Errorf("the sender is an address such as Paraph <sign@example.org>, not %q", m.From)
	}
	b.WriteString("\n[mail]\n")
	encryption, port := "starttls", "587"
	if u.Scheme == "smtps" {
		encryption, port = "tls", "465"
	}
	set("The server that sends messages.", "host", u.Hostname())
	n, err := strconv.Atoi(portOr(u, port))
	if err != nil {
		return "", fmt.Errorf("the port of the mail server is a number: %w", err)
	}
	set("Its port.", "port", n)
	set("Encrypted from the start (tls), or after greeting (starttls).", "tls", encryption)
	if name := u.User.Username(); name != "" {
		set("Its password is in PARAPH_MAIL__PASSWORD, set in /etc/paraph/environment for the service.", "username", name)
	}
	set("The sender of every message.", "from", m.From)
	return b.String(), nil
}

func portOr(u *url.URL, usual string) string {
	if p := u.Port(); p != "" {
		return p
	}
	return usual
}

// serviceUser is the user that the unit runs the server as. Its group may read the configuration.
const serviceUser = "paraph"

// WriteConfig writes a new configuration file, and its folder, that the service may read.
func WriteConfig(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; move it away, or name another file with --config", path)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if g, lookup := user.LookupGroup(serviceUser); lookup == nil && os.Geteuid() == 0 {
		id, parsed := strconv.Atoi(g.Gid)
		err = errors.Join(err, parsed, f.Chown(0, id))
	}
	return errors.Join(err, f.Close())
}
