package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// bulkRun is a bulk run in the API.
type bulkRun struct {
	ID, Status string
	Made       int `json:"made_count"`
	Failed     int `json:"failed_count"`
}

// leaseTemplate creates a template with a file and one role.
func (c *client) leaseTemplate(t testing.TB) string {
	t.Helper()
	body, contentType := multipartOf(t, map[string]any{"title": "Lease for {{Tenant.name}}", "roles": []map[string]string{{"role_name": "Tenant"}}}, smallPDF("Lease", 20_000))
	b, err := c.send(http.MethodPost, "/templates", contentType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(b, &made); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// startBulk sends a template to n people.
func (c *client) startBulk(t testing.TB, template string, n int) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("Tenant.name,Tenant.email,external_id\n")
	for i := range n {
		fmt.Fprintf(&table, "Tim %d,tim%d@tenant.example,flat-%d\n", i, i, i)
	}
	b, err := c.send(http.MethodPost, "/templates/"+template+"/bulk?send=true", "text/csv", strings.NewReader(table.String()))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Run bulkRun }
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Run.ID
}

// awaitBulk waits until a run satisfies ok.
func (p *process) awaitBulk(c *client, id string, ok func(bulkRun) bool) {
	p.until("the bulk run", func() (string, bool) {
		var r bulkRun
		if err := c.do(http.MethodGet, "/bulk/"+id, nil, &r); err != nil {
			return err.Error(), false
		}
		return fmt.Sprintf("%+v", r), ok(r)
	})
}

func TestKillsRepeatNothingOfABulkRun(t *testing.T) {
	t.Parallel()
	const rows, kills = 60, 3
	post, dir := newPostOffice(t), t.TempDir()
	settings := []string{"mail.host=127.0.0.1", "mail.port=" + post.port(), "mail.tls=none", "log.requests=false"}
	p := serve(t, dir, settings...)
	c := p.login()
	id := c.startBulk(t, c.leaseTemplate(t), rows)
	for k := range kills {
		p.awaitBulk(c, id, func(r bulkRun) bool { return r.Made > k*rows/(kills+1) })
		p.kill()
		p = serve(t, dir, settings...)
		c = p.login()
	}
	p.awaitBulk(c, id, func(r bulkRun) bool { return r.Status == "finished" })
	var list struct {
		Data []struct {
			ExternalID string `json:"external_id"`
			Status     string
		}
		Meta struct{ Total int }
	}
	if err := c.do(http.MethodGet, "/documents?per_page=1000", nil, &list); err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, d := range list.Data {
		if made[d.ExternalID]++; d.Status != "sent" {
			t.Errorf("%s is %s", d.ExternalID, d.Status)
		}
	}
	if list.Meta.Total != rows || len(made) != rows {
		t.Errorf("%d documents for %d of %d rows", list.Meta.Total, len(made), rows)
	}
	p.until("everyone is notified", func() (string, bool) {
		n := len(post.received())
		return fmt.Sprintf("%d of %d", n, rows), n == rows
	})
	for about, ids := range post.received() {
		if len(ids) > 1 {
			t.Errorf("%s: sent with different identifiers %v", about, ids)
		}
	}
	p.stop()
	if got := call(t, "check", "--set", "data.dir="+dir); got.code != 0 {
		t.Errorf("check: exit %d: %s%s", got.code, got.out, got.err)
	}
}

// TestKillsRepeatNothingOfScheduledDocuments kills the server before documents are due, and while
// they are being sent.
func TestKillsRepeatNothingOfScheduledDocuments(t *testing.T) {
	t.Parallel()
	const documents, kills = 30, 3
	post, dir := newPostOffice(t), t.TempDir()
	settings := []string{"mail.host=127.0.0.1", "mail.port=" + post.port(), "mail.tls=none", "log.requests=false"}
	p := serve(t, dir, settings...)
	c := p.login()
	for i := range documents {
		body, contentType := multipartOf(t, map[string]any{
			"title": fmt.Sprintf("Lease %d", i), "send_at": time.Now().Add(6 * time.Second).UTC().Format(time.RFC3339),
			"invitations": []map[string]string{{"name": "Tim", "email": fmt.Sprintf("tim%d@tenant.example", i)}},
		}, smallPDF("Lease", 2000))
		if _, err := c.send(http.MethodPost, "/documents", contentType, bytes.NewReader(body)); err != nil {
			t.Fatal(err)
		}
	}
	reach := func(what string, least int) {
		p.until(what, func() (string, bool) {
			n, err := c.total("status=sent")
			return fmt.Sprintf("%d of %d (%v)", n, documents, err), n >= least
		})
	}
	for k := range kills {
		p.kill()
		p = serve(t, dir, settings...)
		c = p.login()
		reach("some are sent", k*documents/kills+1)
	}
	reach("all are sent", documents)
	if n, err := c.total("status=scheduled,draft"); n != 0 || err != nil {
		t.Errorf("%d documents are left (%v)", n, err)
	}
	p.until("everyone is notified", func() (string, bool) {
		n := len(post.received())
		return fmt.Sprintf("%d of %d", n, documents), n == documents
	})
	for about, ids := range post.received() {
		if len(ids) > 1 {
			t.Errorf("%s: sent with different identifiers %v", about, ids)
		}
	}
	p.stop()
	if got := call(t, "check", "--set", "data.dir="+dir); got.code != 0 {
		t.Errorf("check: exit %d: %s%s", got.code, got.out, got.err)
	}
}
