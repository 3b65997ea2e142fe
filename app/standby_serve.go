package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"paraph/app/fault"
	"paraph/app/metrics"
)

// promoteOrder is the command that a standby carries out.
const promoteOrder = "promote"

// listen serves the state of the standby: at the address of the server, to commands, and to Prometheus. The
// returned function closes the listeners; whoever promotes stays connected.
func (s *standby) listen() (closeAll func() error, err error) {
	var all []net.Listener
	closeAll = func() error {
		var errs []error
		for _, ln := range all {
			errs = append(errs, ln.Close())
		}
		return errors.Join(errs...)
	}
	serve := func(ln net.Listener, h http.Handler) {
		all = append(all, ln)
		server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
		server.SetKeepAlivesEnabled(false) // the server has the next request
		go func() {
			if err := server.Serve(ln); !errors.Is(err, net.ErrClosed) {
				s.log.Error("the standby no longer tells its state", "at", ln.Addr().String(), "error", err)
			}
		}()
	}
	commands, err := listenControl(s.dir)
	if err != nil {
		return nil, err
	}
	serve(commands, s.commands())
	c := s.cfg.Server
	if isSystemd(c.Listen) {
		s.log.Info("the socket of systemd is left to the server; commands and metrics tell the state of the standby")
	} else {
		ln, err := sockets{mode: c.SocketMode}.listen(c.Listen)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("can't listen on %s: %w", c.Listen, err), closeAll())
		}
		secured, err := newServerTLS(s.cfg, s.dir, s.log).secure(ln)
		if err != nil {
			return nil, errors.Join(err, ln.Close(), closeAll())
		}
		serve(secured, s.pages())
		scheme := "http://"
		if secured != ln {
			scheme = "https://"
		}
		s.log.Info("listening", "address", ln.Addr().String(), "url", scheme+ln.Addr().String())
	}
	if s.cfg.Metrics.Listen != "" {
		ln, err := sockets{mode: c.SocketMode}.listen(s.cfg.Metrics.Listen)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("can't listen on %s: %w", s.cfg.Metrics.Listen, err), closeAll())
		}
		serve(ln, metrics.New(Version(), s).Handler(s.cfg.Metrics.Token.Reveal()))
	}
	return closeAll, nil
}

// commands answers the commands on this machine.
func (s *standby) commands() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "this is a standby of "+s.o.Source+"; paraph doctor tells its state, and paraph promote makes it a server", http.StatusConflict)
	})
	mux.HandleFunc("GET /doctor", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewEncoder(w).Encode(s.examine()); err != nil {
			s.log.Debug("answering the doctor", "error", err)
		}
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		var q wanted
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if q.Name != promoteOrder {
			http.Error(w, "this is a standby of "+s.o.Source+"; paraph promote makes it a server", http.StatusConflict)
			return
		}
		out := &saying{json.NewEncoder(w), http.NewResponseController(w)}
		p := &promotion{began: time.Now(), out: out, done: make(chan error, 1)}
		select {
		case s.promote <- p:
		case <-r.Context().Done():
			return
		}
		last := said{End: true}
		if err := <-p.done; err != nil {
			last.Error = err.Error()
		}
		if err := out.say(last); err != nil {
			s.log.Debug("answering a command", "command", q.Name, "error", err)
		}
	})
	return mux
}

// standbyHealth is what a standby says of itself to whoever watches it.
type standbyHealth struct {
	Status  string    `json:"status"`
	Current time.Time `json:"current,omitzero"` // it has everything that was answered before
	Behind  int       `json:"behind_seconds"`
}

// pages answers requests to the server: that it is a standby, and nothing else.
func (s *standby) pages() http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, r *http.Request, status int, with any) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(with); err != nil {
			s.log.Debug("answering", "path", r.URL.Path, "error", err)
		}
	}
	prefix := strings.TrimSuffix(pathOf(s.cfg.Server.BaseURL), "/")
	for path, status := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		h := func(w http.ResponseWriter, r *http.Request) {
			age, filled := s.behind()
			state := standbyHealth{Status: "standby", Current: s.copy.State().Current, Behind: int(age.Seconds())}
			if !filled {
				state = standbyHealth{Status: "filling"}
			}
			answer(w, r, status, state)
		}
		mux.HandleFunc("GET "+path, h)
		if prefix != "" {
			mux.HandleFunc("GET "+prefix+path, h)
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		l := s.words.Match(r.Header.Get("Accept-Language"))
		e := fault.Unavailable("standby")
		text := fault.Sentence(l.SayOf, e.Code, e.Args...)
		w.Header().Set("Retry-After", "60")
		if !strings.Contains(r.Header.Get("Accept"), "text/html") {
			answer(w, r, http.StatusServiceUnavailable, map[string]string{"message": text, "code": string(e.Code)})
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, err := fmt.Fprintf(w, "<!doctype html><html lang=%q dir=%q><meta name=viewport content=\"width=device-width\"><title>Paraph</title><p>%s</p></html>\n", l.Tag(), l.Dir(), html.EscapeString(text))
		if err != nil {
			s.log.Debug("answering", "path", r.URL.Path, "error", err)
		}
	})
	return mux
}

var (
	standbyCurrentDesc = desc("standby_current_timestamp_seconds", "On a standby: it has everything that was answered before; 0 if it is not filled.")
	standbyLackingDesc = desc("standby_lacking_files", "On a standby: files that the records need and that no backup held.")
)

// Describe implements [prometheus.Collector].
func (s *standby) Describe(to chan<- *prometheus.Desc) {
	to <- standbyCurrentDesc
	to <- standbyLackingDesc
}

// Collect implements [prometheus.Collector].
func (s *standby) Collect(to chan<- prometheus.Metric) {
	state := s.copy.State()
	to <- prometheus.MustNewConstMetric(standbyCurrentDesc, prometheus.GaugeValue, seconds(state.Current))
	to <- prometheus.MustNewConstMetric(standbyLackingDesc, prometheus.GaugeValue, float64(len(state.Lacking)))
}
