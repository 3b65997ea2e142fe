// Package names is a DNS server for tests.
package names

import (
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// Broken begins the names for which the server fails.
const Broken = "broken."

// Server answers questions about texts and addresses.
type Server struct {
	Address string       // with the port
	Asked   atomic.Int32 // how many questions were asked
	texts   map[string][]string
	hosts   func(name string) []netip.Addr
}

// Serve starts a server with texts by name, until the test ends.
func Serve(t testing.TB, texts map[string][]string) *Server {
	t.Helper()
	return serve(t, &Server{texts: texts, hosts: func(string) []netip.Addr { return nil }})
}

// ServeHosts starts a server with the addresses of hosts, until the test ends. They are asked for anew for each
// question, and live for no time at all.
func ServeHosts(t testing.TB, hosts func(name string) []netip.Addr) *Server {
	t.Helper()
	return serve(t, &Server{hosts: hosts})
}

func serve(t testing.TB, s *Server) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = conn.LocalAddr().String()
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
	addresses := s.hosts(strings.TrimSuffix(name, "."))
	switch {
	case strings.HasPrefix(name, Broken):
		m.Rcode = dns.RcodeServerFailure
	case len(found) == 0 && len(addresses) == 0:
		m.Rcode = dns.RcodeNameError
	}
	for _, text := range found {
		header := dns.RR_Header{Name: name, Rrtype: dns.TypeTXT, Class: dns.ClassINET}
		m.Answer = append(m.Answer, &dns.TXT{Hdr: header, Txt: pieces(text)})
	}
	for _, a := range addresses {
		switch header := (dns.RR_Header{Name: name, Class: dns.ClassINET}); {
		case q.Question[0].Qtype == dns.TypeA && a.Is4():
			header.Rrtype = dns.TypeA
			m.Answer = append(m.Answer, &dns.A{Hdr: header, A: a.AsSlice()})
		case q.Question[0].Qtype == dns.TypeAAAA && a.Is6():
			header.Rrtype = dns.TypeAAAA
			m.Answer = append(m.Answer, &dns.AAAA{Hdr: header, AAAA: a.AsSlice()})
		}
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
