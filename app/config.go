package app

import (
	"slices"
	"strings"
	"time"
)

// Config is every setting of the appliance. It is loaded once and passed down
// as a value; no other package reads settings from a file or the environment.
type Config struct {
	Server      ServerConfig      `koanf:"server"`
	Data        DataConfig        `koanf:"data"`
	Auth        AuthConfig        `koanf:"auth"`
	Signing     SigningConfig     `koanf:"signing"`
	Convert     ConvertConfig     `koanf:"convert"`
	Mail        MailConfig        `koanf:"mail"`
	Webhooks    WebhooksConfig    `koanf:"webhooks"`
	Checkpoints CheckpointsConfig `koanf:"checkpoints"`
	Retention   RetentionConfig   `koanf:"retention"`
	Network     NetworkConfig     `koanf:"network"`
	Log         LogConfig         `koanf:"log"`
	Metrics     MetricsConfig     `koanf:"metrics"`

	// Admin is the first administrator of an empty data folder. It comes from
	// PARAPH_ADMIN_EMAIL and PARAPH_ADMIN_PASSWORD only, so that it is never left in a file.
	Admin AdminConfig `koanf:"-"`

	// File is the configuration file that was read, or empty.
	File string `koanf:"-"`
}

// ServerConfig configures how clients reach the appliance.
type ServerConfig struct {
	Listen          string        `koanf:"listen"`
	PublicListen    string        `koanf:"public_listen"`
	SocketMode      string        `koanf:"socket_mode"`
	BaseURL         string        `koanf:"base_url"`
	TrustedProxies  []string      `koanf:"trusted_proxies"`
	ReadTimeout     time.Duration `koanf:"read_timeout"`
	IdleTimeout     time.Duration `koanf:"idle_timeout"`
	ShutdownTimeout time.Duration `koanf:"shutdown_timeout"`
	TestControls    bool          `koanf:"test_controls"`
	Memory          Size          `koanf:"memory"`
	TLS             TLSConfig     `koanf:"tls"`
	Limits          LimitsConfig  `koanf:"limits"`
}

// TLSConfig configures the source of the server's certificate.
type TLSConfig struct {
	Mode          string   `koanf:"mode"` // off, files, acme or self-signed
	Certificate   string   `koanf:"certificate"`
	Key           string   `koanf:"key"`
	Hosts         []string `koanf:"hosts"`
	ACMEEmail     string   `koanf:"acme_email"`
	ACMEDirectory string   `koanf:"acme_directory"`
}

// LimitsConfig limits the content of one request or document.
type LimitsConfig struct {
	Upload      Size `koanf:"upload"`
	Body        Size `koanf:"body"`
	Files       int  `koanf:"files"`
	Pages       int  `koanf:"pages"`
	Invitations int  `koanf:"invitations"`
	Fields      int  `koanf:"fields"`
	BulkRows    int  `koanf:"bulk_rows"`
	Connections int  `koanf:"connections"`
	Memory      Size `koanf:"memory"`

	TokenRequests    int  `koanf:"token_requests"` // a minute; 0: any number
	CompanyDocuments int  `koanf:"company_documents"`
	CompanyStorage   Size `koanf:"company_storage"`
	CompanyContacts  int  `koanf:"company_contacts"`
	CompanyMembers   int  `koanf:"company_members"`
}

// DataConfig configures the data folder.
type DataConfig struct {
	Dir        string        `koanf:"dir"`
	Sync       bool          `koanf:"sync"`
	Reserve    Size          `koanf:"reserve"`
	CheckEvery time.Duration `koanf:"check_every"`
	CheckShare int           `koanf:"check_share"`
	Cold       string        `koanf:"cold"`
	ColdAfter  time.Duration `koanf:"cold_after"`
}

// AuthConfig configures how people and programs authenticate.
type AuthConfig struct {
	TokenLifetime           time.Duration `koanf:"token_lifetime"`
	LoginAttempts           int           `koanf:"login_attempts"`
	LoginAttemptsPerAddress int           `koanf:"login_attempts_per_address"`
	LoginWindow             time.Duration `koanf:"login_window"`
	PasswordMemory          Size          `koanf:"password_memory"`
	PasswordPasses          int           `koanf:"password_passes"`
}

// SigningConfig configures signatures.
type SigningConfig struct {
	Organization     string        `koanf:"organization"`
	TimestampURL     string        `koanf:"timestamp_url"`
	TimestampTimeout time.Duration `koanf:"timestamp_timeout"`
	PKCS12           string        `koanf:"pkcs12"`
	PKCS12Password   Secret        `koanf:"pkcs12_password"`
	Consent          string        `koanf:"consent"`
}

// ConvertConfig configures the conversion of uploads to PDF.
type ConvertConfig struct {
	Soffice string        `koanf:"soffice"`
	Timeout time.Duration `koanf:"timeout"`

	// Unconfined is for tests whose LibreOffice is a script that leaves traces elsewhere.
	Unconfined bool `koanf:"-"`
}

// MailConfig configures the SMTP server. Without a host the outbox keeps every
// message.
type MailConfig struct {
	Host     string        `koanf:"host"`
	Port     int           `koanf:"port"`
	Username string        `koanf:"username"`
	Password Secret        `koanf:"password"`
	TLS      string        `koanf:"tls"` // starttls, tls or none
	From     string        `koanf:"from"`
	HELO     string        `koanf:"helo"`
	Timeout  time.Duration `koanf:"timeout"`

	DKIMSelector string `koanf:"dkim_selector"`
}

// WebhooksConfig configures deliveries to programs.
type WebhooksConfig struct {
	AllowPrivate bool          `koanf:"allow_private"`
	Timeout      time.Duration `koanf:"timeout"`
	Attempts     int           `koanf:"attempts"`
}

// CheckpointsConfig configures how often the history is attested, and where that is
// published.
type CheckpointsConfig struct {
	Interval time.Duration `koanf:"interval"`
	Folder   string        `koanf:"folder"`
	Webhook  string        `koanf:"webhook"`
	Mail     []string      `koanf:"mail"`
}

// RetentionConfig configures how many days records are kept after they are no longer needed.
type RetentionConfig struct {
	TrashDays    int `koanf:"trash_days"`
	OutboxDays   int `koanf:"outbox_days"`
	DeliveryDays int `koanf:"delivery_days"`
	BulkDays     int `koanf:"bulk_days"`
}

// NetworkConfig configures the hosts that the appliance may connect to.
type NetworkConfig struct {
	Egress []string `koanf:"egress"` // "any", "none", or hosts
	DNS    string   `koanf:"dns"`    // dnsNone, dnsSystem, or an address and port
}

// Values of network.dns that name no server.
const (
	dnsNone   = "none"
	dnsSystem = "system"
)

// LogConfig configures the log, which goes to standard error.
type LogConfig struct {
	Level    string `koanf:"level"`  // debug, info, warn or error
	Format   string `koanf:"format"` // text or json
	Requests bool   `koanf:"requests"`
}

// MetricsConfig configures where Prometheus finds metrics of the appliance.
type MetricsConfig struct {
	Listen string `koanf:"listen"` // empty: nowhere
	Token  Secret `koanf:"token"`
}

// AdminConfig names the first administrator; empty values are generated.
type AdminConfig struct {
	Email    string
	Password Secret
}

// Default returns the default configuration.
func Default() Config {
	return Config{
		Server: ServerConfig{
			Listen: ":8080", SocketMode: "0660", TrustedProxies: []string{},
			ReadTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, ShutdownTimeout: 30 * time.Second,
			TLS: TLSConfig{Mode: "off", Hosts: []string{}, ACMEDirectory: "https://acme-v02.api.letsencrypt.org/directory"},
			Limits: LimitsConfig{
				Upload: 500 * MB, Body: 10 * MB, Files: 100, Pages: 10_000,
				Invitations: 1000, Fields: 5000, BulkRows: 10_000, Connections: 16_384,
				CompanyDocuments: 1_000_000, CompanyContacts: 100_000, CompanyMembers: 10_000,
			},
		},
		Data: DataConfig{Dir: "./data", Sync: true, Reserve: 256 * MB, CheckEvery: 7 * 24 * time.Hour, CheckShare: 20, ColdAfter: 365 * 24 * time.Hour},
		Auth: AuthConfig{
			TokenLifetime: 7 * 24 * time.Hour, LoginAttempts: 10, LoginAttemptsPerAddress: 100,
			LoginWindow: 5 * time.Minute, PasswordMemory: 19 * MiB, PasswordPasses: 2,
		},
		Signing: SigningConfig{Organization: "Paraph", TimestampTimeout: 10 * time.Second},
		Convert: ConvertConfig{Timeout: 60 * time.Second},
		Mail:    MailConfig{Port: 587, TLS: "starttls", From: "Paraph <paraph@localhost>", Timeout: 30 * time.Second},

		Webhooks: WebhooksConfig{Timeout: 10 * time.Second, Attempts: 12},

		Checkpoints: CheckpointsConfig{Interval: 24 * time.Hour, Mail: []string{}},

		Retention: RetentionConfig{TrashDays: 30, OutboxDays: 30, DeliveryDays: 30, BulkDays: 90},
		Network:   NetworkConfig{Egress: []string{"any"}, DNS: dnsNone},
		Log:       LogConfig{Level: "info", Format: "text", Requests: true},
	}
}

// AllowsHost reports whether the appliance may connect to host (a name or an
// address without port). A host that begins with a dot allows its subdomains.
func (n NetworkConfig) AllowsHost(host string) bool {
	return slices.ContainsFunc(n.Egress, func(allowed string) bool {
		return allowed == "any" || matches(allowed, host)
	})
}

// names reports whether the configuration allows a host by its name.
func (n NetworkConfig) names(host string) bool {
	return slices.ContainsFunc(n.Egress, func(allowed string) bool { return matches(allowed, host) })
}

// matches reports whether an entry of network.egress is a host or, with a dot before it, its domain.
func matches(allowed, host string) bool {
	switch {
	case allowed == "any", allowed == "none":
		return false
	case strings.HasPrefix(allowed, "."):
		return len(host) > len(allowed) && strings.EqualFold(host[len(host)-len(allowed):], allowed)
	}
	return strings.EqualFold(host, allowed)
}
