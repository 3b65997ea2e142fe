// Package metrics counts the appliance's work and offers the figures to Prometheus.
//
// Every label has a fixed, small set of values: routes, statuses, kinds of jobs and
// events. No label names a company, a person or a document.
package metrics

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Results of deliveries.
const (
	sent   = "sent"
	failed = "failed"
)

// Metrics holds the figures of one appliance. Its methods are safe for concurrent use, and do
// nothing on nil.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	mails    *prometheus.CounterVec
	webhooks *prometheus.CounterVec
}

// buckets are the upper bounds of latencies, in seconds: from a cached page to a conversion
// that takes a minute.
var buckets = []float64{.005, .025, .1, .25, .5, 1, 2.5, 10, 60}

// New returns the metrics for a program version. more is collected whenever the figures are
// requested.
func New(version string, more prometheus.Collector) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("paraph_http_requests_total", "HTTP requests answered, by route and status.", "route", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "paraph_http_request_duration_seconds",
			Help: "Time until an HTTP request was answered, by route.", Buckets: buckets}, []string{"route"}),
		mails:    counter("paraph_mails_total", "Attempts at handing a mail to the SMTP server, by result.", "result"),
		webhooks: counter("paraph_webhook_posts_total", "Attempts at posting to the receiver of a webhook, by result.", "result"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "paraph_build_info", Help: "The version that runs; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()}})
	build.Set(1)
	for _, result := range []string{sent, failed} {
		m.mails.WithLabelValues(result)
		m.webhooks.WithLabelValues(result)
	}
	m.registry.MustRegister(m.requests, m.seconds, m.mails, m.webhooks, build, more,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Request records an answered request.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// Mail records an attempt to send a mail.
func (m *Metrics) Mail(err error) {
	if m != nil {
		m.mails.WithLabelValues(result(err == nil)).Inc()
	}
}

// Webhook records an attempt to post to a receiver with its status, 0 if there was no response.
func (m *Metrics) Webhook(status int) {
	if m != nil {
		m.webhooks.WithLabelValues(result(status >= 200 && status < 300)).Inc()
	}
}

func result(good bool) string {
	if good {
		return sent
	}
	return failed
}

// Handler serves /metrics to callers with the token; with "" to everybody.
func (m *Metrics) Handler(token string) http.Handler {
	mux := http.NewServeMux()
	metrics := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 2, Timeout: 30 * time.Second})
	mux.Handle("GET /metrics", guarded(token, metrics))
	return mux
}

// guarded refuses requests without the token.
func guarded(token string, h http.Handler) http.Handler {
	if token == "" {
		return h
	}
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "metrics.token is required", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
