package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"paraph/app"
	"paraph/app/apptest"
)

// scrape requests the metrics as Prometheus does, and parses them with its parser.
func scrape(t *testing.T, s *apptest.Server, headers ...string) map[string]*dto.MetricFamily {
	t.Helper()
	res, body := ask(t, http.DefaultClient, http.MethodGet, "http://"+s.MetricsAddr().String()+"/metrics", headers...)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	return all
}

// value returns the value of a metric with some labels, and whether it exists.
func value(all map[string]*dto.MetricFamily, name string, labels ...string) (float64, bool) {
	for _, m := range all[name].GetMetric() {
		have := map[string]string{}
		for _, l := range m.GetLabel() {
			have[l.GetName()] = l.GetValue()
		}
		fits := true
		for i := 0; i+1 < len(labels); i += 2 {
			fits = fits && have[labels[i]] == labels[i+1]
		}
		if fits {
			return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount()), true
		}
	}
	return 0, false
}

func offered(c *app.Config) { c.Metrics.Listen = "127.0.0.1:0" }

func TestMetricsCountWhatHappens(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, offered)
	owner := s.Company(t)
	sent := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, http.StatusCreated)
	_, link, _ := strings.Cut(sent.Text(t, "invitations.0.sign_url"), "/s/")
	s.With(link).Post(t, "/documents/"+sent.Text(t, "id")+"/"+link[:26]+"/sign", nil).Want(t, http.StatusOK)
	for _, p := range []string{"/secret-1", "/secret-2"} {
		s.Anonymous().Get(t, p).Want(t, http.StatusNotFound)
	}
	s.Mails(t, owner.Email)                                           // all jobs have finished
	owner.Get(t, "/documents?search=contract").Want(t, http.StatusOK) // the index contains the document
	all := scrape(t, s)
	for _, x := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"paraph_signatures_total", nil, 1},
		{"paraph_events_total", []string{"event", "document.completed"}, 1},
		{"paraph_events_total", []string{"event", "document.voided"}, 0},
		{"paraph_http_requests_total", []string{"route", "POST /documents", "status", "201"}, 1},
		{"paraph_http_requests_total", []string{"route", "(none)", "status", "404"}, 2},
		{"paraph_http_request_duration_seconds", []string{"route", "POST /documents"}, 1},
		{"paraph_mails_total", []string{"result", "failed"}, 0},
		{"paraph_webhook_posts_total", []string{"result", "sent"}, 0},
		{"paraph_queue_waiting", []string{"queue", "libreoffice"}, 0},
		{"paraph_queue_slots", []string{"queue", "pdfium"}, 3},
		{"paraph_queue_slots", []string{"queue", "libreoffice"}, 2},
		{"paraph_last_backup_timestamp_seconds", nil, 0},
		{"paraph_build_info", []string{"version", app.Version()}, 1},
	} {
		if got, ok := value(all, x.name, x.labels...); !ok || got != x.want {
			t.Errorf("%s%v is %v (exists: %v), want %v", x.name, x.labels, got, ok, x.want)
		}
	}
	for _, name := range []string{"paraph_certificate_expiry_timestamp_seconds", "process_resident_memory_bytes", "go_goroutines", "paraph_search_documents"} {
		if got, ok := value(all, name); !ok || got <= 0 {
			t.Errorf("%s is %v", name, got)
		}
	}
	bounded(t, s, all)
	dashboardFits(t, s, all)
}

// bounded checks that labels contain no data of tenants, and that routes are
// patterns.
func bounded(t *testing.T, s *apptest.Server, all map[string]*dto.MetricFamily) {
	t.Helper()
	routes := map[string]bool{"(none)": true}
	for _, r := range s.Routes() {
		routes[r.Method+" "+r.Path] = true
	}
	parameter := regexp.MustCompile(`\{([a-z_]+)\}`)
	for name, family := range all {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				v := l.GetValue()
				if strings.Contains(v, "Company") || strings.Contains(v, "@") || strings.Contains(v, "secret") {
					t.Errorf("%s has label %s", name, l)
				}
				if l.GetName() == "route" && !routes[parameter.ReplaceAllString(v, ":$1")] {
					t.Errorf("%s has the unknown route %q", name, v)
				}
			}
		}
	}
}

// dashboardFits checks that every metric of the dashboard exists.
func dashboardFits(t *testing.T, s *apptest.Server, all map[string]*dto.MetricFamily) {
	t.Helper()
	_, body := ask(t, http.DefaultClient, http.MethodGet, s.URL+"/docs/grafana.json", "Accept", "text/html")
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`\b(paraph|go|process)_[a-z_]+`).FindAllString(target.Expr, -1) {
				name = strings.TrimSuffix(name, "_bucket")
				shown[name] = true
				if all[name] == nil {
					t.Errorf("%q shows the unknown metric %s", p.Title, name)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "paraph_") && !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func TestMetricsNeedTheirToken(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, offered, func(c *app.Config) { c.Metrics.Token = "of-prometheus" })
	at := "http://" + s.MetricsAddr().String() + "/metrics"
	for _, headers := range [][]string{nil, {"Authorization", "Bearer wrong"}, {"Authorization", "of-prometheus"}} {
		if res, body := ask(t, http.DefaultClient, http.MethodGet, at, headers...); res.StatusCode != http.StatusUnauthorized || strings.Contains(body, "paraph_") {
			t.Errorf("with %v: %d %.100s", headers, res.StatusCode, body)
		}
	}
	scrape(t, s, "Authorization", "Bearer of-prometheus")
	if res, _ := ask(t, http.DefaultClient, http.MethodGet, s.URL+"/metrics", "Authorization", "Bearer of-prometheus"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the main listener responds %d", res.StatusCode)
	}
}

func TestMetricsAreOffByDefaultAndNeverOpen(t *testing.T) {
	t.Parallel()
	if s := apptest.New(t); s.MetricsAddr() != nil {
		t.Errorf("metrics are served on %v", s.MetricsAddr())
	}
	for listen, want := range map[string]bool{":9090": false, "0.0.0.0:9090": false, "10.0.0.1:9090": false, "127.0.0.1:9090": true, "[::1]:9090": true, "localhost:9090": true, "unix:/run/m.sock": true, "unix:m.sock": false} {
		c := app.Default()
		c.Metrics.Listen = listen
		if err := c.Validate(); (err == nil) != want {
			t.Errorf("without a token on %s: %v", listen, err)
		}
	}
}
