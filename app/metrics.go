package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"paraph/app/mail"
	"paraph/app/metrics"
	"paraph/app/notify"
	"paraph/app/signing/record"
)

// openMetrics opens the listener for metrics, if one is configured.
func (a *App) openMetrics(Options) error {
	c := a.Config.Metrics
	if c.Listen == "" {
		return nil
	}
	ln, err := a.open(c.Listen, sockets{mode: a.Config.Server.SocketMode})
	if err != nil {
		return err
	}
	f := &figures{app: a, seen: map[record.EventType]uint64{}}
	a.metrics = metrics.New(Version(), f)
	a.measured = &metricsServer{ln, f, a.metrics.Handler(c.Token.Reveal())}
	return nil
}

// MetricsAddr returns the address of the metrics, nil if they are not served.
func (a *App) MetricsAddr() net.Addr {
	if a.measured == nil {
		return nil
	}
	return a.measured.ln.Addr()
}

// metricsServer serves the metrics on a listener of its own.
type metricsServer struct {
	ln      net.Listener
	figures *figures
	handler http.Handler
}

// serve serves until ctx ends.
func (m *metricsServer) serve(ctx context.Context) error {
	if err := m.figures.begin(); err != nil {
		return err
	}
	s := &http.Server{Handler: m.handler, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() {
		// Ends running requests and closes the listener.
		_ = s.Close()
	})
	defer stop()
	if err := s.Serve(m.ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the metrics: %w", err)
	}
	return nil
}

// countedSender counts the mails that pass through it.
type countedSender struct {
	notify.Sender
	metrics *metrics.Metrics
}

// Deliver implements [notify.Sender].
func (c countedSender) Deliver(ctx context.Context, m mail.Message) (reply string, err error) {
	reply, err = c.Sender.Deliver(ctx, m)
	c.metrics.Mail(err)
	return reply, err
}

// counted wraps a sender with a counter; nil stays nil.
func counted(s notify.Sender, m *metrics.Metrics) notify.Sender {
	if s == nil {
		return nil
	}
	return countedSender{s, m}
}
