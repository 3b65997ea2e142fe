package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app/apptest"
)

// BenchmarkShares measures what a team notices while a member of another company repeats one
// costly request on many connections. Quiet and busy turns alternate.
func BenchmarkShares(b *testing.B) {
	h := &bench{B: b, turn: 4 * time.Second}
	for range b.N {
		h.head(fmt.Sprintf("A team of %d at work beside %d connections of another company's member", teamSize, senders))
		h.shares()
		fmt.Printf("\n%d targets missed\n", h.missed)
	}
}

// costly is a request that costs much more than it does to send.
type costly struct {
	name    string
	request func() io.Reader
}

func (h *bench) shares() {
	dir := filepath.Join(h.TempDir(), "shares")
	_, p := h.start(dir, "serve", "mail.host=127.0.0.1", "mail.port="+newPostOffice(h).port(), "mail.tls=none", // codes are mailed
		"webhooks.allow_private=true")
	c := p.login()
	other := &client{http: c.http, url: p.url, token: h.secondCompany(c)}
	content := smallPDF("Team", 100_000)
	team := func(l *lean, _, _ int) error {
		if err := h.cycle(l, c.token, content); err != nil {
			return err
		}
		return l.do(get("/documents", c.token))
	}
	h.work(p.url, time.Second, team) // warms up what starts on first use
	use := p.watch()
	h.listenTo(other, silentReceiver(h))
	for _, x := range append(h.costly(p, other), h.rewriting(other)...) {
		quiet := h.work(p.url, h.turn, team)
		seen := h.repeated(p.url, x.request)
		busy := h.work(p.url, h.turn, team)
		seen.stop()
		h.line(x.name, fmt.Sprintf("answered %s; team: quiet %s, busy %s", seen, figures(quiet), figures(busy)))
		h.most("  p99 of the team", "", float64(percentile(busy, 99))/float64(percentile(quiet, 99)), 4, " times that of the quiet turn")
	}
	h.most("most memory above idle", p.resident(), float64(use.grown())/1024, 300, " MB")
	p.stop()
}

// repeated sends one request again and again on many connections.
func (h *bench) repeated(url string, next func() io.Reader) *crowd {
	ctx, cancel := context.WithCancel(h.Context())
	c := &crowd{cancel: cancel}
	for range senders {
		c.done.Go(func() {
			for ctx.Err() == nil {
				c.status[attempt(ctx, &net.Dialer{Timeout: time.Second}, strings.TrimPrefix(url, "http://"), next())/100].Add(1)
			}
		})
	}
	return c
}

// silentReceiver accepts connections and never answers.
func silentReceiver(h *bench) string {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	h.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.Cleanup(func() { conn.Close() })
		}
	}()
	return "http://" + l.Addr().String()
}

// listenTo adds as many webhooks as a company can have, so that whatever its members do is
// also told to a receiver.
func (h *bench) listenTo(c *client, receiver string) {
	for i := range 20 {
		hook := map[string]any{"url": fmt.Sprint(receiver, "/", i), "events": []string{"*"}}
		h.check(c.do(http.MethodPost, "/webhooks", hook, nil))
	}
}

// rewriting returns the costliest requests that change files, make archives, or start long work.
func (h *bench) rewriting(c *client) []costly {
	draft := h.draftOf(c, 1)
	many := h.draftOf(c, 20)
	h.sign(c, many.document)
	template := c.leaseTemplate(h)
	rows := "Tenant.name,Tenant.email\n"
	for i := range 500 {
		rows += fmt.Sprintf("Person %d,p%d@x.example\n", i, i)
	}
	contacts := "name,email\n"
	for i := range 5_000 {
		contacts += fmt.Sprintf("Person %d,p%d@x.example\n", i, i)
	}
	file := "/documents/" + draft.document + "/files/" + draft.file
	var turned atomic.Int64
	say := func(name, method, path, contentType, body string) costly {
		return costly{name, func() io.Reader { return request(method, path, contentType, c.token, body) }}
	}
	return []costly{
		say("a part of a page blacked out", http.MethodPost, file+"/redact", "application/json",
			`{"regions":[{"page":1,"x":0.1,"y":0.1,"width":0.2,"height":0.2}]}`),
		{"a page turned", func() io.Reader {
			body := fmt.Sprintf(`{"pages":[{"page":1,"rotate":%d}]}`, turned.Add(1)%4*90)
			return request(http.MethodPut, file+"/pages", "application/json", c.token, body)
		}},
		say("a ZIP of 20 files", http.MethodPost, "/documents/"+many.document+"/download", "application/json", `{"format":"zip"}`),
		say("a thousand patterns", http.MethodPost, "/documents", "application/json", patterns(1000)),
		say("5,000 contacts", http.MethodPost, "/contacts/import", "text/csv", contacts),
		say("contacts as CSV", http.MethodGet, "/contacts/export", "", ""),
		say("500 documents at once", http.MethodPost, "/templates/"+template+"/bulk?send=true", "text/csv", rows),
	}
}

// draftOf returns a draft with a number of files.
func (h *bench) draftOf(c *client, files int) link {
	var d struct{ ID string }
	h.check(c.do(http.MethodPost, "/documents", map[string]any{"title": "Draft"}, &d))
	var added struct{ Data []struct{ ID string } }
	for i := range files {
		body, contentType := form(fmt.Sprint(i, ".pdf"), smallPDF(fmt.Sprint(i), 1_000_000))
		answer := must(c.send(http.MethodPost, "/documents/"+d.ID+"/upload", contentType, bytes.NewReader(body)))
		h.check(json.Unmarshal(answer, &added))
	}
	return link{document: d.ID, file: added.Data[0].ID}
}

// sign has somebody sign a draft, which completes it.
func (h *bench) sign(c *client, draft string) {
	at := "/documents/" + draft
	var d struct{ Data []struct{ ID string } }
	signer := map[string]any{"name": "Sam Signer", "email": "sam@signer.example"}
	h.check(c.do(http.MethodPost, at+"/invite", map[string]any{"invitations": []any{signer}}, &d))
	h.check(c.do(http.MethodPost, at+"/send", map[string]any{}, nil))
	h.check(c.do(http.MethodPost, at+"/"+d.Data[0].ID+"/sign", map[string]any{"consent": true}, nil))
}

// patterns describes a document with many fields whose values must match a pattern.
func patterns(n int) string {
	field := `{"type":"text","name":"f%d","pattern":"(a|b)*c{1,20}[d-z]+","page":1,"x":0.1,"y":0.1,"width":0.1,"height":0.02}`
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(field, i))
	}
	return `{"title":"Patterns","fields":[` + strings.Join(all, ",") + `]}`
}

// costly returns the costliest requests that a member can send.
func (h *bench) costly(p *process, c *client) []costly {
	known := h.target(p)
	one := h.invite(c, map[string]any{"name": "Sam Signer", "email": "sam@signer.example"})
	objects := `{"title":[` + strings.Repeat("{},", 3_000_000) + `{}]}`
	const multipart, json = "multipart/form-data; boundary=b", "application/json"
	part := func(name, file, content string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + file + "\"\r\n\r\n" + content + "\r\n"
	}
	files := "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nMany\r\n"
	for i := range 20 {
		files += part("files", fmt.Sprintf("%d.pdf", i), string(smallPDF(fmt.Sprint(i), 1_000_000)))
	}
	files += "--b--\r\n"
	docx := "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nLong\r\n" +
		part("files", "long.docx", string(apptest.DOCX(h, strings.Split(strings.Repeat("Many words that fill a page;", 4000), ";")...))) + "--b--\r\n"
	var csv bytes.Buffer
	csv.WriteString("Tenant.name,Tenant.email\n")
	for i := range 10_000 {
		fmt.Fprintf(&csv, "Person %d,p%d@x.example\n", i, i)
	}
	template := c.leaseTemplate(h)
	say := func(name, method, path, contentType, body string) costly {
		return costly{name, func() io.Reader { return request(method, path, contentType, c.token, body) }}
	}
	var width atomic.Int64
	return []costly{
		say("10 MB of JSON objects", http.MethodPost, "/documents", json, objects),
		say("20 files of 1 MB", http.MethodPost, "/documents", multipart, files),
		say("a long DOCX", http.MethodPost, "/documents", multipart, docx),
		say("verifying 40 signatures", http.MethodPost, "/verify", "application/pdf", string(known.signed)),
		say("a search", http.MethodGet, "/documents?search=t*e+contract+team+a", "", ""),
		say("a list of a hundred", http.MethodGet, "/documents?per_page=100", "", ""),
		say("10,000 rows to send", http.MethodPost, "/templates/"+template+"/bulk?check=true", "text/csv", csv.String()),
		{"pictures of pages", func() io.Reader {
			return request(http.MethodGet, fmt.Sprintf("/documents/%s/files/%s/pages/1.png?width=%d", one.document, one.file, 16+width.Add(7)%3900), "", c.token, "")
		}},
		say("sign-ins", http.MethodPost, "/login", json, `{"email":"`+adminEmail+`","password":"wrong password"}`),
		say("a detection of fields", http.MethodPost, "/documents/"+one.document+"/fields/detect", json, "{}"),
	}
}
