// Package names is a DNS server for tests.
package names

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// Broken begins the names for which the server fails.
const Broken = "broken."

// Server answers questions about texts.
type Server struct {
	Address string       // with the port
	Asked   atomic.Int32 // how many questions were asked
	texts   map[string][]string
}

// Serve starts a server with texts by name, until the test ends.
func Serve(t testing.TB, texts map[string][]string) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: conn.LocalAddr().String(), texts: texts}
	started, done := make(chan struct{}), make(chan error)
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		s.Asked.Add(1)
		if err := w.WriteMsg(s.answer(q)); err != nil {
			t.Error(err)
		}
	})
	server := &dns.Server{PacketConn: conn, Handler: handler, NotifyStartedFunc: func() { close(started) }}
	go func() { done <- server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return s
}

func (s *Server) answer(q *dns.Msg) *dns.Msg {
	m, name := new(dns.Msg).SetReply(q), q.Question[0].Name
	found := s.texts[strings.TrimSuffix(name, ".")]
	switch {
	case strings.HasPrefix(name, Broken):
		m.Rcode = dns.RcodeServerFailure
	case len(found) == 0:
		m.Rcode = dns.RcodeNameError
	}
	for _, text := range found {
		header := dns.RR_Header{Name: name, Rrtype: dns.TypeTXT, Class: dns.ClassINET}
		m.Answer = append(m.Answer, &dns.TXT{Hdr: header, Txt: pieces(text)})
	}
	return m
}

// longest is the size of one piece of a text in bytes.
const longest = 255

func pieces(text string) (all []string) {
	for len(text) > longest {
		all, text = append(all, text[:longest]), text[longest:]
	}
	return append(all, text)
}
