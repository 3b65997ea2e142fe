package app

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/bucket"
)

// Validate checks every value and their combinations, and reports all problems together.
func (c Config) Validate() error {
	p := &problems{}
	c.validateServer(p)
	c.validateParts(p)
	c.validateNetwork(p)
	c.validateMetrics(p)
	return errors.Join(p.errs...)
}

type problems struct{ errs []error }

func (p *problems) check(ok bool, key, why string) {
	if !ok {
		p.errs = append(p.errs, &settingError{key: key, why: why})
	}
}

func (p *problems) oneOf(value, key string, words ...string) {
	p.check(slices.Contains(words, value), key, "must be one of "+strings.Join(words, ", "))
}

func atLeast[T cmp.Ordered](p *problems, key string, value, least T) {
	p.check(value >= least, key, fmt.Sprintf("must be at least %v", least))
}

func (c Config) validateServer(p *problems) {
	s := c.Server
	const listens = `must be an address and port such as ":8080" or "127.0.0.1:8080", a socket such as "unix:/run/paraph/paraph.sock", or "systemd"`
	p.check(listenable(s.Listen), "server.listen", listens)
	p.check(s.PublicListen == "" || listenable(s.PublicListen), "server.public_listen", listens)
	_, modeErr := strconv.ParseUint(s.SocketMode, 8, 9)
	p.check(modeErr == nil, "server.socket_mode", `must be an octal mode such as "0660"`)
	p.check(s.BaseURL == "" || webAddress(s.BaseURL), "server.base_url", "must be a full address such as https://sign.example.org")
	p.check(!webAddress(s.BaseURL) || plainPath.MatchString(pathOf(s.BaseURL)), "server.base_url", "must have a path of letters, digits, dots, hyphens and underscores, such as /sign, or none")
	p.check(s.BaseURL != "" || !strings.HasPrefix(s.Listen, unixListen), "server.base_url", "is required when server.listen is a Unix socket")
	for _, proxy := range s.TrustedProxies {
		_, addrErr := netip.ParseAddr(proxy)
		_, prefixErr := netip.ParsePrefix(proxy)
		p.check(addrErr == nil || prefixErr == nil, "server.trusted_proxies", "must hold addresses such as 10.0.0.1 or ranges such as 10.0.0.0/8")
	}
	atLeast(p, "server.read_timeout", s.ReadTimeout, time.Second)
	atLeast(p, "server.idle_timeout", s.IdleTimeout, time.Second)
	atLeast(p, "server.shutdown_timeout", s.ShutdownTimeout, 0)
	p.oneOf(s.TLS.Mode, "server.tls.mode", "off", "files", "acme", "self-signed")
	if s.TLS.Mode == "files" {
		p.check(s.TLS.Certificate != "", "server.tls.certificate", "is required when server.tls.mode is files")
		p.check(s.TLS.Key != "", "server.tls.key", "is required when server.tls.mode is files")
	}
	if s.TLS.Mode == "acme" {
		p.check(len(s.TLS.Hosts) > 0, "server.tls.hosts", "is required when server.tls.mode is acme")
		p.check(webAddress(s.TLS.ACMEDirectory), "server.tls.acme_directory", "must be a full address")
	}
	atLeast(p, "server.limits.upload", s.Limits.Upload, 1)
	atLeast(p, "server.limits.body", s.Limits.Body, 1)
	atLeast(p, "server.limits.files", s.Limits.Files, 1)
	atLeast(p, "server.limits.pages", s.Limits.Pages, 1)
	atLeast(p, "server.limits.invitations", s.Limits.Invitations, 1)
	atLeast(p, "server.limits.fields", s.Limits.Fields, 1)
	atLeast(p, "server.limits.bulk_rows", s.Limits.BulkRows, 1)
	atLeast(p, "server.limits.connections", s.Limits.Connections, 1)
	atLeast(p, "server.limits.token_requests", s.Limits.TokenRequests, 0)
	atLeast(p, "server.limits.company_documents", s.Limits.CompanyDocuments, 0)
	atLeast(p, "server.limits.company_storage", s.Limits.CompanyStorage, 0)
	atLeast(p, "server.limits.company_contacts", s.Limits.CompanyContacts, 0)
	atLeast(p, "server.limits.company_members", s.Limits.CompanyMembers, 0)
}

func (c Config) validateParts(p *problems) {
	p.check(c.Data.Dir != "", "data.dir", "must name a folder")
	p.check(c.Data.CheckEvery == 0 || c.Data.CheckEvery >= time.Hour, "data.check_every", "must be at least 1h, or 0s")
	if c.Data.Cold != "" {
		_, _, err := bucket.Parse(c.Data.Cold)
		p.check(err == nil, "data.cold", "must be an address such as s3://bucket/folder")
	}
	atLeast(p, "data.cold_after", c.Data.ColdAfter, 24*time.Hour)
	p.check(c.Data.CheckShare >= 1 && c.Data.CheckShare <= 100, "data.check_share", "must be between 1 and 100")
	atLeast(p, "auth.token_lifetime", c.Auth.TokenLifetime, time.Minute)
	atLeast(p, "auth.login_attempts", c.Auth.LoginAttempts, 1)
	atLeast(p, "auth.login_attempts_per_address", c.Auth.LoginAttemptsPerAddress, 1)
	atLeast(p, "auth.login_window", c.Auth.LoginWindow, time.Second)
	p.check(c.Auth.PasswordMemory >= 64*KB && c.Auth.PasswordMemory <= GB, "auth.password_memory", "must be between 64KB and 1GB")
	p.check(c.Auth.PasswordPasses >= 1 && c.Auth.PasswordPasses <= 100, "auth.password_passes", "must be between 1 and 100")

	p.check(c.Signing.Organization != "", "signing.organization", "must not be empty")
	p.check(len(c.Signing.Organization) <= 64, "signing.organization", "must not be longer than 64 bytes")
	p.check(c.Signing.TimestampURL == "" || webAddress(c.Signing.TimestampURL), "signing.timestamp_url", "must be a full address such as https://tsa.example.org/tsr")
	atLeast(p, "signing.timestamp_timeout", c.Signing.TimestampTimeout, time.Second)
	p.check(c.Signing.PKCS12Password == "" || c.Signing.PKCS12 != "", "signing.pkcs12", "is required when signing.pkcs12_password is set")
	atLeast(p, "convert.timeout", c.Convert.Timeout, time.Second)

	p.check(c.Mail.Port >= 1 && c.Mail.Port <= 65535, "mail.port", "must be between 1 and 65535")
	p.oneOf(c.Mail.TLS, "mail.tls", "starttls", "tls", "none")
	_, err := mail.ParseAddress(c.Mail.From)
	p.check(err == nil, "mail.from", "must be an e-mail address such as Paraph <sign@example.org>")
	p.check(c.Mail.Password == "" || c.Mail.Username != "", "mail.username", "is required when mail.password is set")
	atLeast(p, "mail.timeout", c.Mail.Timeout, time.Second)
	atLeast(p, "webhooks.timeout", c.Webhooks.Timeout, time.Second)
	atLeast(p, "webhooks.attempts", c.Webhooks.Attempts, 1)
	c.validateCheckpoints(p)
	atLeast(p, "retention.trash_days", c.Retention.TrashDays, 1)
	atLeast(p, "retention.outbox_days", c.Retention.OutboxDays, 1)
	atLeast(p, "retention.delivery_days", c.Retention.DeliveryDays, 1)
	atLeast(p, "retention.bulk_days", c.Retention.BulkDays, 1)
	p.oneOf(c.Log.Level, "log.level", "debug", "info", "warn", "error")
	p.oneOf(c.Log.Format, "log.format", "text", "json")
}

func (c Config) validateCheckpoints(p *problems) {
	k := c.Checkpoints
	p.check(k.Interval >= time.Minute && k.Interval <= 24*time.Hour, "checkpoints.interval", "must be between 1m and 24h")
	p.check(k.Folder == "" || filepath.IsAbs(k.Folder), "checkpoints.folder", "must be a full path such as /mnt/elsewhere/checkpoints")
	p.check(k.Webhook == "" || webAddress(k.Webhook), "checkpoints.webhook", "must be a full address such as https://witness.example.org/paraph")
	for _, to := range k.Mail {
		_, err := mail.ParseAddress(to)
		p.check(err == nil, "checkpoints.mail", "must hold e-mail addresses such as auditor@example.org")
	}
}

// validateMetrics refuses to expose metrics to the network without a token.
func (c Config) validateMetrics(p *problems) {
	m := c.Metrics
	p.check(m.Listen == "" || listenable(m.Listen) && !isSystemd(m.Listen), "metrics.listen", `must be an address and port such as "127.0.0.1:9090", or a socket such as "unix:/run/paraph/metrics.sock"`)
	p.check(m.Listen == "" || m.Token != "" || isLocal(m.Listen), "metrics.token", "is required when metrics.listen is not a loopback address or a Unix socket")
}

// isLocal reports whether only this machine can reach a listener.
func isLocal(listen string) bool {
	if strings.HasPrefix(listen, unixListen) {
		return true
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// validateNetwork refuses settings that name a host which network.egress does not allow:
// failing at the start is better than failing at the first signature that needs it.
func (c Config) validateNetwork(p *problems) {
	n := c.Network
	p.check(len(n.Egress) > 0, "network.egress", `must be "any", "none", or a list of hosts`)
	for _, host := range n.Egress {
		if host == "any" || host == "none" {
			p.check(len(n.Egress) == 1, "network.egress", fmt.Sprintf("must hold nothing else when it holds %q", host))
			continue
		}
		p.check(host != "" && !strings.ContainsAny(host, "/: "), "network.egress", "must hold hosts such as smtp.example.org, without scheme or port")
	}
	reach := func(key, host string) {
		p.check(host == "" || n.AllowsHost(host), key, "names a host that network.egress does not allow")
	}
	reach("mail.host", c.Mail.Host)
	c.validateDNS(p)
	reach("signing.timestamp_url", hostOf(c.Signing.TimestampURL))
	reach("checkpoints.webhook", hostOf(c.Checkpoints.Webhook))
	if c.Server.TLS.Mode == "acme" {
		reach("server.tls.acme_directory", hostOf(c.Server.TLS.ACMEDirectory))
	}
}

// validateDNS refuses a DNS server that may not be asked. The system's resolver may be
// asked unless nothing may leave, since its addresses are not known here.
func (c Config) validateDNS(p *problems) {
	switch server := c.Network.DNS; server {
	case dnsNone:
	case dnsSystem:
		p.check(!slices.Contains(c.Network.Egress, "none"), "network.dns", `must be "none" when network.egress is "none"`)
	default:
		addr, err := netip.ParseAddrPort(server)
		p.check(err == nil, "network.dns", `must be "none", "system", or an address and port such as "192.0.2.1:53"`)
		p.check(err != nil || c.Network.AllowsHost(addr.Addr().String()), "network.dns", "names a host that network.egress does not allow")
	}
	p.check(c.Mail.DKIMSelector == "" || selector.MatchString(c.Mail.DKIMSelector), "mail.dkim_selector", "must be a selector such as mail2026")
}

// selector matches the name of a DKIM key, which may have several parts (RFC 6376 §3.1).
var selector = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// listenable reports whether the server can listen on s: host:port, unix:path, or
// systemd[:name].
func listenable(s string) bool {
	if path, ok := strings.CutPrefix(s, unixListen); ok {
		return filepath.IsAbs(path)
	}
	_, port, err := net.SplitHostPort(s)
	_, portErr := strconv.ParseUint(port, 10, 16)
	return isSystemd(s) || err == nil && portErr == nil
}

// plainPath matches paths that need no escaping anywhere.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)*/?$`)

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// webAddress reports whether s is http(s)://host[:port][/path] and nothing more.
func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// Size is a number of bytes, written "500MB" or "64KiB".
type Size int64

// Units of a Size: KB and so on are powers of 1000, KiB and so on of 1024.
const (
	KB  Size = 1000
	MB  Size = 1000 * KB
	GB  Size = 1000 * MB
	TB  Size = 1000 * GB
	KiB Size = 1024
	MiB Size = 1024 * KiB
	GiB Size = 1024 * MiB
	TiB Size = 1024 * GiB
)

// sizeUnits is in the order in which String tries them.
var sizeUnits = []struct {
	name string
	size Size
}{
	{"TB", TB}, {"TiB", TiB}, {"GB", GB}, {"GiB", GiB}, {"MB", MB}, {"MiB", MiB}, {"KB", KB}, {"KiB", KiB}, {"B", 1},
}

// String formats the size in the largest unit that divides it.
func (s Size) String() string {
	for _, unit := range sizeUnits {
		if s != 0 && s%unit.size == 0 {
			return strconv.FormatInt(int64(s/unit.size), 10) + unit.name
		}
	}
	return "0B"
}

// UnmarshalText parses a whole number with one of the units, in any case; a bare number is
// bytes.
func (s *Size) UnmarshalText(text []byte) error {
	number := strings.TrimRight(string(text), "BKMGTIbkmgti \t")
	unit := strings.TrimSpace(string(text)[len(number):])
	factor := Size(1)
	known := unit == ""
	for _, u := range sizeUnits {
		if strings.EqualFold(unit, u.name) {
			factor, known = u.size, true
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !known || n < 0 || n > math.MaxInt64/int64(factor) {
		return errors.New(`must be a size such as "500MB" or "64KiB"`)
	}
	*s = Size(n) * factor
	return nil
}

// Secret is a text that never prints itself, neither in logs nor in errors or JSON.
type Secret string

const hidden = "[hidden]"

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the text; an empty secret is shown as empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// LogValue hides the text from log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
