package api_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// over waits until a run has finished, and returns its documents in the order of their rows.
func over(t testing.TB, c *apptest.Client, run string) (documents []string) {
	t.Helper()
	reaches(t, c, run, func(r *apptest.Response) bool { return r.Text(t, "status") == "finished" })
	rows := c.Get(t, "/bulk/"+run+"/rows?per_page=1000&status=made").Want(t, 200)
	return rows.Texts(t, "data", "document_id")
}

func reaches(t testing.TB, c *apptest.Client, run string, ok func(r *apptest.Response) bool) {
	t.Helper()
	patience.Until(t, "the run", func() (string, bool) {
		r := c.Get(t, "/bulk/"+run).Want(t, 200)
		return string(r.Body), ok(r)
	})
}

// run starts a run of drafts that waits for its second row.
func run(t testing.TB, c *apptest.Client) string {
	t.Helper()
	tpl := c.Post(t, "/templates", obj{"title": "Note", "roles": list{obj{"role_name": "Reader"}}}).Want(t, 201).Text(t, "id")
	row := obj{"people": list{obj{"role": "Reader", "name": "Rita", "email": "rita@reader.example"}}}
	return c.Post(t, "/templates/"+tpl+"/bulk", obj{"rows": list{row, row}, "per_minute": 1}).Want(t, 200).Text(t, "run.id")
}

// TestTablesAreReadInTheLanguageOfTheirDocuments writes numbers and dates in a table as people do.
func TestTablesAreReadInTheLanguageOfTheirDocuments(t *testing.T) {
	t.Parallel()
	c := server(t).Company(t)
	for _, x := range []struct{ locale, number, date, kept string }{
		{"de", "1.234", "3.4.2026", "1234 2026-04-03"}, {"de", "1.234,50", "3. April 2026", "1234.50 2026-04-03"},
		{"en", "1.234", "3/4/2026", "1.234 2026-03-04"}, {"de", "1234", "2026-04-03", "1234 2026-04-03"},
	} {
		at := "/templates/" + lease(t, c, obj{"locale": x.locale, "subject": "", "message": "", "fields": list{
			obj{"invitation_id": "tenant", "type": "number", "name": "deposit", "x": .1, "y": .3, "width": .3, "height": .03},
			obj{"invitation_id": "tenant", "type": "date", "name": "start", "x": .1, "y": .4, "width": .3, "height": .03},
		}}).Text(t, "id") + "/bulk"
		run := c.Post(t, at, text("Tenant.name;Tenant.email;deposit;start\nTina;tina@tenant.example;"+x.number+";"+x.date+"\n")).Want(t, 200)
		d := c.Get(t, "/documents/"+over(t, c, run.Text(t, "run.id"))[0]).Want(t, 200)
		if got := d.Text(t, "fields.0.value") + " " + d.Text(t, "fields.1.value"); got != x.kept {
			t.Errorf("%s: %s and %s are %s, want %s", x.locale, x.number, x.date, got, x.kept)
		}
	}
}

// table returns the CSV of a lease for tenants, seven of which are faulty.
func table(good int) string {
	var b strings.Builder
	b.WriteString("Tenant.Name;Tenant e-mail;flat;RENT;deposit;external_id;remark\n")
	for i := range good {
		fmt.Fprintf(&b, "Tim %d;tim%d@tenant.example;%dB;\"1,200\";%d;flat-%d;\n", i, i, i, 1000+i, i)
	}
	b.WriteString(";a@tenant.example;1;1;1;;\nTina;;2;1;1;;\nTina;tina;3;1;1;;\nTina;tina@tenant.example;;1;1;;\n" +
		"Tina;tina@tenant.example;5;1;5001;;\nTina;lara@landlord.example;6;1;1;;\nTina;tina@tenant.example;7;1;many;;\n")
	return b.String()
}

func text(body string) apptest.Raw { return apptest.Raw{Type: "text/csv", Body: []byte(body)} }

func read(t testing.TB, body []byte, comma rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff")))
	r.Comma = comma
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return rows
}

func TestBulkNamesEveryBadRowAndSendsTheGoodOnes(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	at := "/templates/" + lease(t, c).Text(t, "id") + "/bulk"
	file := table(20)
	refused := failed(t, c.Post(t, at+"?send=true", text(file)), 422, "rows.22.Tenant.Name", "rows.23.Tenant e-mail", "rows.24.Tenant e-mail",
		"rows.25.flat", "rows.26.deposit", "rows.27.Tenant e-mail", "rows.28.deposit")
	if all := refused.At(t, "errors").(obj); len(all) != 7 {
		t.Errorf("faults of %d cells: %v", len(all), all)
	}
	checked := c.Post(t, at+"?send=true&check=true", text(file)).Want(t, 200)
	if checked.At(t, "run") != nil || checked.Int(t, "rows") != 27 || checked.Int(t, "valid") != 20 || len(checked.At(t, "invalid").(list)) != 7 {
		t.Errorf("checked: %s", checked.Body)
	}
	if got := c.Get(t, "/bulk").Want(t, 200); got.Int(t, "meta.total") != 0 {
		t.Errorf("something was started: %s", got.Body)
	}
	started := c.Post(t, at+"?send=true&skip_invalid=true", text(file), "Idempotency-Key", "once").Want(t, 200)
	again := c.Post(t, at+"?send=true&skip_invalid=true", text(file), "Idempotency-Key", "once").Want(t, 200)
	id := started.Text(t, "run.id")
	if again.Text(t, "run.id") != id || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the same request started a second run")
	}
	documents := over(t, c, id)
	if len(documents) != 20 || len(slices.Compact(slices.Sorted(slices.Values(documents)))) != 20 {
		t.Fatalf("made %d", len(documents))
	}
	d := c.Get(t, "/documents/"+documents[3]).Want(t, 200)
	for path, want := range map[string]any{"title": "Lease for Tim 3", "status": "sent", "fields.2.value": "3B", "fields.3.value": "1003",
		"external_id": "flat-3", "invitations.0.email": "tim3@tenant.example", "message": "Rent: 1,200. Owner Person, " + c.Get(t, "/company").Text(t, "name")} {
		if got := d.At(t, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if trail := c.Get(t, "/documents/"+documents[3]+"/events").Want(t, 200); !strings.Contains(string(trail.Body), `"run":"`+id+`"`) {
		t.Errorf("the audit trail does not name the run: %s", trail.Body)
	}
	if got := c.Get(t, "/documents?status=sent").Want(t, 200); got.Int(t, "meta.total") != 20 {
		t.Errorf("%d documents are sent", got.Int(t, "meta.total"))
	}
	for i := range 20 {
		if got := len(s.Mails(t, fmt.Sprintf("tim%d@tenant.example", i))); got != 1 {
			t.Errorf("tim%d was sent %d messages", i, got)
		}
	}
	c.Post(t, "/documents/"+documents[3]+"/"+d.Text(t, "invitations.0.id")+"/sign", obj{}).Want(t, 200)
	results := read(t, c.Get(t, "/bulk/"+id+"/results.csv").Want(t, 200).Body, ';')
	if len(results) != 28 || !slices.Equal(results[4][:6], []string{"5", "made", documents[3], "Lease for Tim 3", "flat-3", "sent"}) ||
		!slices.Equal(results[4][8:], []string{"3B", "1003"}) || results[22][1] != "invalid" {
		t.Errorf("results: %q", results)
	}
	left := read(t, c.Get(t, "/bulk/"+id+"/failed.csv").Want(t, 200).Body, ';')
	if len(left) != 8 || left[0][7] != "error" || left[0][1] != "Tenant e-mail" || left[4][0] != "Tina" || left[4][7] != "The flat field is required." {
		t.Errorf("left over: %q", left)
	}
}

func TestBulkRowsMayBeJSON(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	at := "/templates/" + lease(t, c).Text(t, "id") + "/bulk"
	row := func(n int, email string) obj {
		return obj{"people": list{obj{"role": "Tenant", "name": fmt.Sprint("Tim ", n), "email": email}}, "variables": obj{"flat": "=1+1", "rent": "1"}}
	}
	body := obj{"rows": list{row(0, "tim@tenant.example"), row(1, "tim"), row(2, "tim@tenant.example")}}
	failed(t, c.Post(t, at, body), 422, "rows.1.people.0.email")
	r := c.Post(t, at, merged(body, obj{"skip_invalid": true})).Want(t, 200)
	id := r.Text(t, "run.id")
	if r.Int(t, "invalid.0.row") != 1 || r.Int(t, "messages") != 0 {
		t.Errorf("report: %s", r.Body)
	}
	documents := over(t, c, id)
	if len(documents) != 2 || c.Get(t, "/documents/"+documents[1]).Text(t, "status") != "draft" {
		t.Errorf("made %v", documents)
	}
	if results := read(t, c.Get(t, "/bulk/"+id+"/results.csv").Want(t, 200).Body, ','); results[1][8] != "'=1+1" {
		t.Errorf("a spreadsheet would run %q", results[1])
	}
	left := read(t, c.Get(t, "/bulk/"+id+"/failed.csv").Want(t, 200).Body, ',')
	if head := read(t, c.Get(t, at+".csv").Want(t, 200).Body, ','); !slices.Equal(left[0], append(head[0], "error")) || left[1][1] != "tim" {
		t.Errorf("left over %q under %q", left, head)
	}
	for name, tt := range map[string]struct {
		body  any
		field string
	}{
		"nothing":        {obj{}, "rows"},
		"no column":      {text("Tenant.name,flat,rent\nTim,1,1\n"), "columns"},
		"unknown target": {obj{"csv": "a\n1\n", "columns": obj{"a": "Tenant.shoe"}}, "columns.a"},
		"pace":           {obj{"rows": list{row(0, "t@tenant.example")}, "per_minute": -1}, "per_minute"},
	} {
		t.Run(name, func(t *testing.T) { failed(t, c.Post(t, at, tt.body), 422, tt.field) })
	}
	failed(t, c.Post(t, at, apptest.Raw{Type: "text/plain", Body: []byte("x")}), 415)
	mapped := obj{"csv": "Who\tMail\tF\tR\nTim\ttim@tenant.example\t1\t2\n", "check": true,
		"columns": obj{"Who": "Tenant.name", "Mail": "Tenant.email", "F": "variable:flat", "R": "variable:rent"}}
	if got := c.Post(t, at, mapped).Want(t, 200); got.Int(t, "valid") != 1 {
		t.Errorf("mapped columns: %s", got.Body)
	}
}

func TestBulkKeepsItsPaceAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id := run(t, c)
	made := func(n int) func(r *apptest.Response) bool {
		return func(r *apptest.Response) bool { return r.Int(t, "made_count") == n }
	}
	reaches(t, c, id, made(1))
	s.Advance(t, "59s")
	if r := c.Get(t, "/bulk/"+id); r.Int(t, "waiting_count") != 1 {
		t.Errorf("too fast: %s", r.Body)
	}
	s.Advance(t, "1s")
	over(t, c, id)
	id = run(t, c)
	reaches(t, c, id, made(1))
	if r := c.Post(t, "/bulk/"+id+"/cancel", nil).Want(t, 200); r.Text(t, "status") != "cancelled" || r.Int(t, "waiting_count") != 1 {
		t.Errorf("cancelled: %s", r.Body)
	}
	failed(t, c.Post(t, "/bulk/"+id+"/retry", nil), 409, "run_cancelled")
	s.Advance(t, "10m")
	if r := c.Get(t, "/bulk/"+id); r.Int(t, "made_count") != 1 {
		t.Errorf("went on: %s", r.Body)
	}
	if left := read(t, c.Get(t, "/bulk/"+id+"/failed.csv").Body, ','); len(left) != 2 {
		t.Errorf("left over: %q", left)
	}
	s.Advance(t, "2184h") // ninety days and more
	c = s.Login(t, c.Email)
	patience.Until(t, "the run is forgotten", func() (string, bool) {
		r := c.Get(t, "/bulk/"+id)
		return string(r.Body), r.Status == 404
	})
}

func TestBulkUsesTheTemplateAsItWas(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id := run(t, c)
	reaches(t, c, id, func(r *apptest.Response) bool { return r.Int(t, "made_count") == 1 })
	tpl := c.Get(t, "/bulk/"+id).Text(t, "template_id")
	c.Patch(t, "/templates/"+tpl, obj{"title": "Changed"}).Want(t, 200)
	s.Advance(t, "1m")
	if documents := over(t, c, id); c.Get(t, "/documents/"+documents[1]).Text(t, "title") != "Note" {
		t.Error("the second document is made from another version")
	}
	id = run(t, c)
	reaches(t, c, id, func(r *apptest.Response) bool { return r.Int(t, "made_count") == 1 })
	tpl = c.Get(t, "/bulk/"+id).Text(t, "template_id")
	c.Delete(t, "/templates/"+tpl).Want(t, 200)
	s.Advance(t, "1m")
	over(t, c, id)
	if rows := c.Get(t, "/bulk/"+id+"/rows?status=failed"); rows.Text(t, "data.0.errors.row.0") != "The template was not found." {
		t.Errorf("failed: %s", rows.Body)
	}
	c.Post(t, "/templates/"+tpl+"/restore", nil).Want(t, 200)
	c.Post(t, "/bulk/"+id+"/retry", nil).Want(t, 200)
	if documents := over(t, c, id); len(documents) != 2 {
		t.Errorf("made %v after a retry", documents)
	}
}

func TestBulkRights(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id := run(t, c)
	tpl := c.Get(t, "/bulk/"+id).Text(t, "template_id")
	viewer := c.Member(t, account.RoleViewer)
	viewer.Get(t, "/bulk/"+id+"/rows").Want(t, 200)
	failed(t, viewer.Post(t, "/templates/"+tpl+"/bulk", obj{}), 403)
	failed(t, viewer.Post(t, "/bulk/"+id+"/cancel", nil), 403)
	failed(t, viewer.Get(t, "/bulk/"+id+"/failed.csv"), 403)
	for range 4 {
		run(t, c)
	}
	row := obj{"people": list{obj{"role": "Reader", "name": "Rita", "email": "rita@reader.example"}}}
	failed(t, c.Post(t, "/templates/"+tpl+"/bulk", obj{"rows": list{row}}), 409, "too_many_runs")
	sender := c.Member(t, account.RoleMember)
	c.Post(t, "/bulk/"+id+"/cancel", nil).Want(t, 200)
	theirs := sender.Post(t, "/templates/"+tpl+"/bulk", obj{"rows": list{row, row}, "per_minute": 1}).Want(t, 200).Text(t, "run.id")
	reaches(t, c, theirs, func(r *apptest.Response) bool { return r.Int(t, "made_count") == 1 })
	c.Delete(t, "/members/"+sender.UserID).Want(t, 204)
	s.Advance(t, "1m")
	over(t, c, theirs)
	if rows := c.Get(t, "/bulk/"+theirs+"/rows?status=failed"); rows.Text(t, "data.0.codes.row.0") != "sender_left" {
		t.Errorf("somebody who left goes on sending: %s", rows.Body)
	}
}

// TestBulkRunsAreSentLater schedules the documents of runs, from JSON and from a table.
func TestBulkRunsAreSentLater(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	tpl := lease(t, c, obj{"expires_days": 1}).Text(t, "id")
	at := strings.Replace(scheduledIn(t, c, draft(t, c, 1), "72h"), "Z", ".000Z", 1)
	csv := "Tenant.name,Tenant.email,variable:flat,variable:rent\nTim,tim@tenant.example,1,1\nTom,tom@tenant.example,2,1\n"
	row := obj{"people": list{obj{"role": "Tenant", "name": "Tim", "email": "tim@tenant.example"}}, "variables": obj{"flat": "2B", "rent": "1"}}
	failed(t, c.Post(t, "/templates/"+tpl+"/bulk", obj{"rows": list{row}, "send": true, "send_at": "2020-01-01T00:00:00Z"}), 422, "send_at")
	failed(t, c.Post(t, "/templates/"+tpl+"/bulk?send=true&send_at=soon", text(csv)), 422, "send_at")
	var documents []string
	for _, r := range []*apptest.Response{
		c.Post(t, "/templates/"+tpl+"/bulk", obj{"rows": list{row}, "send_at": at}).Want(t, 200),
		c.Post(t, "/templates/"+tpl+"/bulk?send=true&send_at="+url.QueryEscape(at), text(csv)).Want(t, 200),
	} {
		if r.Text(t, "run.send_at") != at || r.At(t, "run.send") != true {
			t.Errorf("the run is %s", r.Body)
		}
		documents = append(documents, over(t, c, r.Text(t, "run.id"))...)
	}
	if len(documents) != 3 {
		t.Fatalf("%d documents", len(documents))
	}
	for _, id := range documents {
		if d := c.Get(t, "/documents/"+id).Want(t, 200); d.Text(t, "status") != "draft" || d.Text(t, "send_at") != at {
			t.Errorf("before its time the document is %s, to be sent at %v", d.Text(t, "status"), d.At(t, "send_at"))
		}
	}
	s.Advance(t, "72h")
	for _, id := range documents {
		patience.Until(t, "the document is sent", func() (string, bool) {
			d := c.Get(t, "/documents/"+id).Want(t, 200)
			return string(d.Body), d.Text(t, "status") == "sent"
		})
	}
}
