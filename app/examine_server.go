package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"paraph/app/mail/sender"
	"paraph/app/mailserver"
	"paraph/app/words"
)

// serverExam examines how the server is reached.
type serverExam struct {
	config ServerConfig
	tls    serverTLS
	clock  *Clock
	url    string
	out    outgoing
}

// tlsSoon is how long before its expiry the server's own certificate is reported.
const tlsSoon = 21 * 24 * time.Hour

func (x serverExam) encryption(context.Context) Finding {
	switch x.config.TLS.Mode {
	case "acme":
		return x.account()
	case "off":
		if strings.HasPrefix(x.config.BaseURL, "https://") {
			return Finding{"tls", fine, "A proxy encrypts connections.", ""}
		}
		return Finding{"tls", warning, "Nothing says that connections are encrypted.", "Set server.tls.mode, or put a proxy in front and set server.base_url to its https address."}
	}
	_, end, err := x.tls.expiry()
	switch {
	case err != nil:
		return Finding{"tls", problem, "The server's certificate cannot be used: " + err.Error() + ".", "See server.tls.certificate and server.tls.key."}
	case end.IsZero():
		return Finding{"tls", fine, "The certificate is made at the next start.", ""}
	}
	left := end.Sub(x.clock.Now())
	text := fmt.Sprintf("The server's certificate expires on %s.", end.Format(time.DateOnly))
	switch {
	case left < 0:
		return Finding{"tls", problem, text, "Replace it and restart the server."}
	case left < tlsSoon:
		return Finding{"tls", warning, text, "Replace it and restart the server."}
	}
	return Finding{"tls", fine, text, ""}
}

// account reports whether certificates can be renewed by the account that they were issued to.
func (x serverExam) account() Finding {
	c := newACMECache(x.tls.keys, x.tls.log)
	err := c.account()
	const restore = "Restore the file from a backup. "
	switch {
	case errors.Is(err, errAccountLost):
		return Finding{"tls", warning, "The certificate is renewed by itself, but to another account: " + c.path() + " is missing.",
			restore + "Or, if a CAA record of the domain names the account, have it name the next one."}
	case err != nil:
		return Finding{"tls", problem, "The certificate can't be renewed: the key of its account can't be read from " + c.path() + ": " + err.Error() + ".",
			restore + "Or remove it, and another account is registered."}
	}
	return Finding{"tls", fine, "The certificate is renewed by itself.", ""}
}

// address requests the public address as a browser would.
func (x serverExam) address(ctx context.Context) Finding {
	base := x.config.BaseURL
	if base == "" {
		return Finding{"address", warning, "server.base_url is not set: mails link to " + x.url + ".", "Set it to the address under which people reach this server."}
	}
	if !x.out.network.AllowsHost(hostOf(base)) {
		return Finding{"address", skipped, "network.egress does not allow to try " + base + " from here.", ""}
	}
	const remedy = "See server.base_url, the name's address, the proxy and the firewall. Some networks do not let a machine reach its own public address."
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, x.url+"/healthz", nil)
	if err != nil {
		return Finding{"address", problem, err.Error() + ".", remedy}
	}
	res, err := x.out.client(10 * time.Second).Do(req)
	if err != nil {
		return Finding{"address", problem, fmt.Sprintf("%s cannot be reached from here: %v.", base, err), remedy}
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-Request-Id") == "" {
		return Finding{"address", problem, fmt.Sprintf("Something else answers at %s, with status %d.", base, res.StatusCode), remedy}
	}
	return Finding{"address", fine, base + " leads here.", ""}
}

// mailExam examines whether messages can be sent.
type mailExam struct {
	server  *mailserver.Service
	english *words.Language
}

func (x mailExam) connection(ctx context.Context) Finding {
	m := x.server.Current()
	remedy := "Change it at /admin/mail."
	if x.server.IsConfigured() {
		remedy = "See the section mail of the configuration."
	}
	switch {
	case m.Host == "":
		return Finding{"mail", warning, "No mail server is configured: messages stay in the outbox, and links have to be handed over.", "Set mail.host. Or set a server at /admin/mail."}
	case x.server.Blocked():
		return Finding{"mail", problem, "network.egress does not allow connections to the mail server " + m.Host + ", so nothing is sent.", remedy}
	}
	if err := m.SMTP().Check(ctx); err != nil {
		return Finding{"mail", problem, fmt.Sprintf("The mail server %s does not let us in: %v.", m.Host, err), remedy}
	}
	return Finding{"mail", fine, "The mail server " + m.Host + " let us in. Nothing was sent.", ""}
}

// sender reports what DNS says about the domain that messages come from.
func (x mailExam) sender(ctx context.Context) Finding {
	report, english := x.server.ExamineSender(ctx), x.english
	if !report.Asked {
		f := Finding{"sender", skipped, english.Say("sender."+report.Why, "domain", report.Domain), ""}
		if key := "sender." + report.Why + ".remedy"; english.Has(key) {
			f.State, f.Remedy = warning, english.Say(key)
		}
		return f
	}
	f := Finding{Part: "sender", State: fine}
	var texts, remedies []string
	for _, found := range report.Findings {
		texts = append(texts, english.Say("sender."+found.Code, "name", found.Name, "cause", found.Cause, "domain", report.Domain))
		if key := "sender." + found.Code + ".remedy"; english.Has(key) {
			remedies = append(remedies, english.Say(key, "name", found.Name, "domain", report.Domain))
		}
		if found.State != sender.Fine { // at most a warning: mail is sent all the same
			f.State = warning
		}
	}
	f.Text, f.Remedy = strings.Join(texts, " "), strings.Join(remedies, " ")
	return f
}
