package app_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"paraph/app"
)

const example = "../config.example.toml"

func TestExampleIsTheDefault(t *testing.T) {
	t.Parallel()
	got, err := app.Load(example, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := app.Default()
	want.File = example
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestExampleNamesEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	section, previous, found := "", "", map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]") + "."
		} else if key, _, ok := strings.Cut(line, " = "); ok && !strings.HasPrefix(line, "#") {
			found[section+key] = true
			if !strings.HasPrefix(previous, "# ") {
				t.Errorf("%s%s has no comment", section, key)
			}
		}
		previous = line
	}
	for _, key := range keys(reflect.TypeFor[app.Config](), "") {
		if !found[key] {
			t.Errorf("%s is not in the example", key)
		}
		delete(found, key)
	}
	for key := range found {
		t.Errorf("%s is not a setting", key)
	}
}

func keys(t reflect.Type, prefix string) (all []string) {
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("koanf")
		switch {
		case name == "", name == "-":
		case t.Field(i).Type.Kind() == reflect.Struct:
			all = append(all, keys(t.Field(i).Type, prefix+name+".")...)
		default:
			all = append(all, prefix+name)
		}
	}
	return all
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLaterLayersWin(t *testing.T) {
	t.Parallel()
	path := write(t, "[server]\nlisten = \":1\"\nbase_url = \"https://file.example.org\"\nidle_timeout = \"7s\"\n[data]\nreserve = 42\n[log]\n")
	environ := []string{
		"PATH=/bin", "PARAPH_SERVER__LISTEN=:2", "PARAPH_SERVER__BASE_URL=https://env.example.org",
		"PARAPH_SERVER__TRUSTED_PROXIES=10.0.0.1, 10.1.0.0/16", "PARAPH_SERVER__LIMITS__UPLOAD=1GiB",
		"PARAPH_SERVER__TEST_CONTROLS=true", "PARAPH_MAIL__PORT=465", "PARAPH_PORT=tcp://10.0.0.1:80",
		"PARAPH_ADMIN_EMAIL=ann@example.org", "PARAPH_ADMIN_PASSWORD=a=b",
	}
	got, err := app.Load(path, map[string]string{"server.listen": ":3"}, environ)
	if err != nil {
		t.Fatal(err)
	}
	want := app.Default()
	want.File = path
	want.Server.Listen, want.Server.BaseURL, want.Server.IdleTimeout = ":3", "https://env.example.org", 7*time.Second
	want.Server.TrustedProxies, want.Server.Limits.Upload = []string{"10.0.0.1", "10.1.0.0/16"}, app.GiB
	want.Server.TestControls, want.Data.Reserve, want.Mail.Port = true, 42, 465
	want.Admin = app.AdminConfig{Email: "ann@example.org", Password: "a=b"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestEveryProblemNamesItsSetting(t *testing.T) {
	t.Parallel()
	path := write(t, `
[server]
listn = ":8080"
listen = "8080"
base_url = "sign.example.org"
trusted_proxies = ["proxy"]
read_timeout = 5
test_controls = "maybe"
[server.tls]
mode = "files"
[server.limits]
upload = "many"
files = 0
pages = "ten"
[auth]
login_attempts = 1.5
[signing]
pkcs12_password = "hunter2"
timestamp_url = "https://tsa.example.org"
[mail]
port = 0
from = "nobody"
host = 3
timeout = ["30s"]
[network]
egress = ["smtp.example.org", "none"]
[log]
level = "loud"
[colour]
sky = "blue"
[Retention]
trash_days = 1
[admin]
email = "ann@example.org"
`)
	_, err := app.Load(path, map[string]string{"data.dir": ""}, []string{"PARAPH_SERVER_LISTEN=:1", "PARAPH_DATA__DIRR=x"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, key := range []string{
		"server.listn: unknown setting", "server.listen:", "server.base_url:", "server.trusted_proxies:",
		"server.read_timeout:", "server.test_controls:", "server.tls.certificate:", "server.tls.key:", "server.limits.upload:",
		"server.limits.files:", "server.limits.pages:", "auth.login_attempts:", "signing.pkcs12:", "signing.timestamp_url:",
		"mail.port:", "mail.from:", "mail.host: must be a string", "mail.timeout: must be a duration", "network.egress:", "log.level:", "colour.sky:", "Retention.trash_days: unknown setting", "admin.email: unknown setting", "data.dir:", "data.dirr:",
		"did you mean PARAPH_SERVER__LISTEN?",
	} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%q is not reported", key)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("the error shows a secret")
	}
	if t.Failed() {
		t.Log(err)
	}
}

func TestUnreadableFilesStopTheStart(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"missing": filepath.Join(t.TempDir(), "none.toml"),
		"folder":  t.TempDir(),
		"no TOML": write(t, "listen: 8080\n"),
	} {
		if _, err := app.Load(path, nil, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error naming %s", name, err, path)
		}
	}
}

func TestConfigPathDefaultsToTheWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := app.ConfigPath("x.toml"); got != "x.toml" {
		t.Errorf("got %q for the file asked for", got)
	}
	if err := os.WriteFile("config.toml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := app.ConfigPath(""); got != "config.toml" {
		t.Errorf("got %q, want config.toml", got)
	}
}

func TestSecretsCannotPrintThemselves(t *testing.T) {
	t.Parallel()
	c := app.Default()
	c.Mail.Password, c.Admin.Password = "hunter2", "hunter2"
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("loaded", "config", c, "password", c.Mail.Password)
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for how, text := range map[string]string{
		"%v": fmt.Sprintf("%v", c), "%+v": fmt.Sprintf("%+v", c), "%#v": fmt.Sprintf("%#v", c), "%q": fmt.Sprintf("%q", c.Mail.Password),
		"%x": fmt.Sprintf("%x", c.Mail.Password), "log": log.String(), "JSON": string(encoded),
	} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%x", "hunter2")) {
			t.Errorf("%s shows the secret: %s", how, text)
		}
	}
	if got := c.Mail.Password.Reveal(); got != "hunter2" {
		t.Errorf("Reveal returned %q", got)
	}
}

func TestSizesAreParsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want app.Size
		back string
	}{
		{"0", 0, "0B"}, {"1", 1, "1B"}, {"500MB", 500_000_000, "500MB"}, {"64 KiB", 65536, "64KiB"}, {"2gib", 2 << 30, "2GiB"},
		{"1500 kb", 1_500_000, "1500KB"}, {"1TB", app.TB, "1TB"}, {"10B", 10, "10B"},
	} {
		var got app.Size
		if err := got.UnmarshalText([]byte(tt.text)); err != nil || got != tt.want || got.String() != tt.back {
			t.Errorf("%q: got %d, %q, %v", tt.text, got, got.String(), err)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "1.5GB", "1XB", "1MBB", "9223372036854775807KB", "1 2"} {
		var got app.Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestEgressLimitsHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		egress []string
		host   string
		want   bool
	}{
		{[]string{"any"}, "a.example.org", true},
		{[]string{"none"}, "a.example.org", false},
		{[]string{"a.example.org"}, "A.example.org", true},
		{[]string{"a.example.org"}, "b.a.example.org", false},
		{[]string{".example.org"}, "b.a.example.org", true},
		{[]string{".example.org"}, "example.org", false},
		{[]string{".example.org"}, "notexample.org", false},
		{nil, "a", false},
	} {
		if got := (app.NetworkConfig{Egress: tt.egress}).AllowsHost(tt.host); got != tt.want {
			t.Errorf("%v allows %s: got %v", tt.egress, tt.host, got)
		}
	}
}

// TestErrorsSayWhereAndWhatWasMeant expects every error to name the line, the variable or the flag, once.
func TestErrorsSayWhereAndWhatWasMeant(t *testing.T) {
	t.Parallel()
	path := write(t, "# comment\n[server]\nlistn = \":8080\"\nbase_url = \"sign.example.org/a b\"\n\n[server.limits]\nuplod = 3\nfiles = \"many\"\n[mial]\nhost = \"a\"\n[colour]\nsky = \"blue\"\n")
	_, err := app.Load(path, map[string]string{"log.level": "loud"}, []string{"PARAPH_MAIL__PORTT=1", "PARAPH_MAIL__PORT=0"})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"config: server.listn: unknown setting; did you mean server.listen? (line 3 of " + path + ")",
		`config: server.base_url: must be a full address such as https://sign.example.org (line 4 of ` + path + ")",
		"config: server.limits.uplod: unknown setting; did you mean server.limits.upload? (line 7 of " + path + ")",
		"config: server.limits.files: must be a whole number (line 8 of " + path + ")",
		"config: mial.host: unknown setting; did you mean mail.host? (line 10 of " + path + ")",
		"config: colour.sky: unknown setting (line 12 of " + path + ")",
		"config: mail.portt: unknown setting; did you mean mail.port? (PARAPH_MAIL__PORTT)",
		"config: mail.port: must be between 1 and 65535 (PARAPH_MAIL__PORT)",
		"config: log.level: must be one of debug, info, warn, error (--set)",
	}
	got := strings.Split(err.Error(), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	path = write(t, "[server]\nlisten = \":8080\n")
	if _, err := app.Load(path, nil, nil); err == nil || !strings.Contains(err.Error(), path+": line 2, column ") {
		t.Errorf("broken TOML: %v", err)
	}
}
