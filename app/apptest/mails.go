package apptest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Mail is a captured message.
type Mail struct {
	Kind, To, Subject, Text, HTML string
	Links                         []string
}

// Mails returns the messages to an address, newest first, once everything that is due
// is done.
func (s *Server) Mails(t testing.TB, to string) []Mail {
	t.Helper()
	var list struct {
		Data []Mail `json:"data"`
	}
	s.Anonymous().Get(t, "/test/outbox?per_page=1000&to="+url.QueryEscape(to)).Want(t, http.StatusOK).Decode(t, &list)
	return list.Data
}

// Link returns the token that follows a string such as "/s/" or "token=" in a link of
// the latest message to an address.
func (s *Server) Link(t testing.TB, to, before string) string {
	t.Helper()
	for _, m := range s.Mails(t, to) {
		for _, l := range m.Links {
			if _, token, ok := strings.Cut(l, before); ok {
				return token
			}
		}
	}
	t.Fatalf("no message to %s has a link with %q", to, before)
	return ""
}
