package web_test

import (
	"fmt"
	stdhtml "html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

// rentTemplate creates a template with a file, one role and one variable.
func rentTemplate(t *testing.T, c *apptest.Client) string {
	t.Helper()
	body := apptest.Map{"title": "Lease for {{Tenant.name}}", "message": "The rent is {{rent}}.", "roles": apptest.List{apptest.Map{"role_name": "Tenant"}}}
	return c.Post(t, "/templates", apptest.Multipart(t, body, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, http.StatusCreated).Text(t, "id")
}

// tenants returns a table with seven faulty rows, on the lines 2 to 8, before the good ones.
func tenants(good int) string {
	var b strings.Builder
	b.WriteString("Tenant.Name;Mail;rent;remark\nTina 1;not an address;1;\nTina 2;;2;\n;tina3@tenant.example;3;\nTina 4;tina4@tenant.example;;\n;;5;\nTina 6;tina6@;6;\n\"Tina\n7\";tina 7@tenant.example;7;\n")
	for i := range good {
		fmt.Fprintf(&b, "Tim %d;tim%d@tenant.example;%d;\n", i, i, 1000+i)
	}
	return b.String()
}

var inputs = regexp.MustCompile(`<input type="(hidden|text|radio|checkbox)"[^>]* name="([^"]+)" value="([^"]*)"([^>]*)>`)

// entered returns what a browser would send with the form that posts to a path.
func entered(t *testing.T, html, action string) map[string]string {
	t.Helper()
	_, form, found := strings.Cut(html, `action="`+action+`"`)
	if !found {
		t.Fatalf("no form for %s in %.500s", action, html)
	}
	form, _, _ = strings.Cut(form, "</form>")
	out := map[string]string{}
	for _, m := range inputs.FindAllStringSubmatch(form, -1) {
		if kind := m[1]; kind == "hidden" || kind == "text" || strings.Contains(m[4], "checked") {
			out[m[2]] = stdhtml.UnescapeString(m[3])
		}
	}
	for _, m := range regexp.MustCompile(`(?s)<select[^>]* name="([^"]+)"(.*?)</select>`).FindAllStringSubmatch(form, -1) {
		if chosen := regexp.MustCompile(`<option value="([^"]*)" selected`).FindStringSubmatch(m[2]); chosen != nil {
			out[m[1]] = stdhtml.UnescapeString(chosen[1])
		}
	}
	delete(out, "csrf")
	return out
}

// sendForm submits what a form contains.
func (v *visitor) sendForm(path string, values map[string]string) (int, string) {
	v.t.Helper()
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, name, value)
	}
	return v.send(path, pairs...)
}

// TestATableWithBadRowsIsCorrectedAndSentWithoutScripts uploads a table with seven bad
// rows, chooses what one column is for, corrects two rows in place, leaves out the others,
// confirms, and follows the run to its end.
func TestATableWithBadRowsIsCorrectedAndSentWithoutScripts(t *testing.T) {
	t.Parallel()
	const good = 12
	s := apptest.New(t)
	owner := s.Company(t)
	template := rentTemplate(t, owner)
	v := browse(t, owner)
	if status, csv := v.get("/app/templates/" + template + "/bulk.csv"); status != http.StatusOK || csv != "\ufeffTenant.name,Tenant.email,rent\n" {
		t.Errorf("the empty table: %d %q", status, csv)
	}
	status, html := v.sendFile("/app/bulk/new", "file", "tenants.csv", []byte(tenants(good)), "template", template, "do", "check")
	if status != http.StatusUnprocessableEntity || !strings.Contains(html, "No column contains Tenant.email.") {
		t.Fatalf("a column is not recognised: %d %.3000s", status, html)
	}
	form := entered(t, html, "/app/bulk/new")
	if form["column.0"] != "Tenant.name" || form["column.2"] != "variable:rent" || form["column.3"] != "" {
		t.Errorf("recognised: %v", form)
	}
	form["column.1"], form["do"] = "Tenant.email", "check"
	status, html = v.sendForm("/app/bulk/new", form)
	if status != http.StatusOK || !strings.Contains(html, "The table has 19 rows. 7 rows have problems.") {
		t.Fatalf("checked: %d %.3000s", status, html)
	}
	form = entered(t, html, "/app/bulk/new")
	cells := 0
	for name, want := range map[string]string{"cell.2.1": "not an address", "cell.3.1": "", "cell.4.0": "", "cell.5.2": "", "cell.6.1": "", "cell.7.1": "tina6@", "cell.8.0": "Tina\n7", "cell.8.1": "tina 7@tenant.example"} {
		if got, shown := form[name]; !shown || got != want {
			t.Errorf("%s is %q, shown %v", name, got, shown)
		}
	}
	for name := range form {
		if strings.HasPrefix(name, "cell.") {
			cells++
		}
	}
	if cells != 8 || strings.Contains(html, "Tim 3") {
		t.Errorf("%d cells are to be corrected, or good rows are listed", cells)
	}
	if !strings.Contains(html, `aria-label="Mail, row 2"`) {
		t.Error("a faulty cell is not named by its row and column")
	}
	form["cell.2.1"], form["cell.5.2"], form["do"] = "tina1@tenant.example", "=4", "confirm"
	status, html = v.sendForm("/app/bulk/new", form)
	if status != http.StatusUnprocessableEntity || !strings.Contains(html, "Correct the 5 rows with problems, or choose to skip them.") {
		t.Fatalf("with bad rows left: %d %.3000s", status, html)
	}
	form = entered(t, html, "/app/bulk/new")
	if form["cell.2.1"] != "tina1@tenant.example" {
		t.Errorf("a correction was lost: %v", form)
	}
	form["skip"], form["per_minute"], form["do"] = "yes", "fast", "confirm"
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusUnprocessableEntity || !strings.Contains(html, "from 1 to 10,000") {
		t.Errorf("an impossible pace: %d", status)
	}
	form["per_minute"], form["send"], form["send_at"] = "", "later", ""
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusUnprocessableEntity || !strings.Contains(html, `aria-invalid="true"`) {
		t.Errorf("later, without a time: %d", status)
	}
	form["send_at"] = "2001-01-01T10:00"
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusUnprocessableEntity || !strings.Contains(html, `value="2001-01-01T10:00"`) {
		t.Errorf("in the past: %d", status)
	}
	form["send_at"] = time.Now().UTC().AddDate(0, 1, 0).Format("2006-01-02T15:04")
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusOK || !strings.Contains(html, "They will be sent at:") || !strings.Contains(html, "Schedule 14 documents?") {
		t.Errorf("later: %d", status)
	}
	form["send"], form["send_at"] = "now", ""
	status, html = v.sendForm("/app/bulk/new", form)
	if status != http.StatusOK || !strings.Contains(html, "Send 14 documents?") || !strings.Contains(html, "Exactly 14 e-mails") || !strings.Contains(html, "5 rows with problems will be skipped.") {
		t.Fatalf("to be confirmed: %d %.3000s", status, html)
	}
	if got := owner.Get(t, "/bulk").Want(t, 200).Int(t, "meta.total"); got != 0 {
		t.Errorf("%d runs were started without a confirmation", got)
	}
	form = entered(t, html, "/app/bulk/new")
	form["do"] = "start"
	first, html := v.sendForm("/app/bulk/new", form)
	if second, _ := v.sendForm("/app/bulk/new", form); first != http.StatusOK || second != http.StatusOK {
		t.Fatalf("started: %d, and again: %d %.3000s", first, second, html)
	}
	runs := owner.Get(t, "/bulk").Want(t, 200)
	if runs.Int(t, "meta.total") != 1 {
		t.Fatalf("a form that was sent twice started %d runs", runs.Int(t, "meta.total"))
	}
	at := "/app/bulk/" + runs.Text(t, "data.0.id")
	patience.Until(t, "the run", func() (string, bool) {
		_, html = v.get(at)
		return html, strings.Contains(html, "Incomplete")
	})
	for _, want := range []string{"14 of 19 documents created.", "Skipped: 5.", "tina1@tenant.example", `href="/app/documents/`, at + "/failed.csv"} {
		if !strings.Contains(html, want) {
			t.Errorf("the run does not show %q", want)
		}
	}
	if strings.Contains(html, "Failed: ") {
		t.Error("a run without failures counts them")
	}
	if strings.Contains(html, `http-equiv="refresh"`) {
		t.Error("a run that has finished goes on reloading")
	}
	if _, html = v.get(at + "?status=invalid"); !strings.Contains(html, "Row 7") || strings.Contains(html, "tim0@") {
		t.Errorf("left out: %.3000s", html)
	}
	_, csv := v.get(at + "/failed.csv")
	if lines := strings.Split(strings.TrimSpace(csv), "\n"); len(lines) != 7 || lines[0] != "Tenant.Name;Mail;rent;remark;error" || !strings.HasPrefix(lines[1], "Tina 2;;2;;") {
		t.Errorf("rows without a document: %q", csv)
	}
	if _, csv = v.get(at + "/results.csv"); strings.Count(csv, ";made;") != 14 || strings.Count(csv, ";invalid;") != 5 {
		t.Errorf("results: %q", csv)
	}
	if _, html = v.get("/app/bulk"); !strings.Contains(html, at) || !strings.Contains(html, "14 of 19") {
		t.Errorf("the list: %.3000s", html)
	}
	if m := s.Mails(t, "tina1@tenant.example"); len(m) != 1 || !strings.Contains(m[0].Text, "The rent is 1.") {
		t.Errorf("a row that was corrected: %d mails", len(m))
	}
	if m := s.Mails(t, "tina4@tenant.example"); len(m) != 1 || !strings.Contains(m[0].Text, "The rent is =4.") {
		t.Errorf("the other row that was corrected: %d mails", len(m))
	}
	if m := s.Mails(t, "tina3@tenant.example"); len(m) != 0 {
		t.Error("a row that was left out was sent")
	}
}

// TestPastedTablesKeepTheirColumns pastes tables that begin with an empty heading, repeat a
// heading, and have breaks in one.
func TestPastedTablesKeepTheirColumns(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, func(c *app.Config) { c.Server.Limits.BulkRows = 3 })
	owner := s.Company(t)
	template := rentTemplate(t, owner)
	v := browse(t, owner)
	table := "\tTenant.name\tTenant.name\t\"The\nrent\"\tMail\r\n1\tTim\tTom\t5\ttim@tenant.example\r\n"
	_, html := v.send("/app/bulk/new", "template", template, "pasted", table, "do", "check")
	form := entered(t, html, "/app/bulk/new")
	if form["column.1"] != "Tenant.name" || form["column.2"] != "" || form["heading.0"] != "" {
		t.Errorf("recognised: %v", form)
	}
	form["column.3"], form["column.4"], form["do"] = "variable:rent", "Tenant.email", "confirm"
	for name, value := range form {
		form[name] = strings.ReplaceAll(value, "\n", "\r\n") // as browsers do
	}
	status, html := v.sendForm("/app/bulk/new", form)
	if status != http.StatusOK || !strings.Contains(html, "Send 1 document?") || !strings.Contains(html, "Exactly 1 e-mail goes out") {
		t.Errorf("to be confirmed: %d %.3000s", status, html)
	}
	heading := "Tenant.name,Tenant.email,rent\r\n"
	for table, want := range map[string]string{
		"": "Choose a file", " \r\n": "Choose a file", heading: "The table has no rows below the column names.",
		heading + strings.Repeat("a,b,c\r\n", 4): "The table has more than 3 rows.",
	} {
		status, html = v.send("/app/bulk/new", "template", template, "pasted", table, "do", "check")
		if status != http.StatusUnprocessableEntity || !strings.Contains(html, `name="pasted"`) || !strings.Contains(html, want) {
			t.Errorf("%q: %d, which does not say %q", table, status, want)
		}
	}
}

// TestARunIsCancelledAndWatched cancels a slow run of drafts on its page; only those who
// may send see how.
func TestARunIsCancelledAndWatched(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	template := rentTemplate(t, owner)
	v := browse(t, owner)
	table := "Tenant.name\tTenant.email\trent\nTim\ttim@tenant.example\t1\nTina\ttina@tenant.example\t2\n"
	status, html := v.send("/app/bulk/new", "template", template, "pasted", table, "send", "draft", "per_minute", "1", "do", "confirm")
	if status != http.StatusOK || !strings.Contains(html, "Create 2 drafts?") || !strings.Contains(html, "No e-mail goes out.") {
		t.Fatalf("to be confirmed: %d %.3000s", status, html)
	}
	form := entered(t, html, "/app/bulk/new")
	owner.Patch(t, "/templates/"+template, apptest.Map{"title": "Changed"}).Want(t, 200)
	form["do"] = "start"
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusOK || !strings.Contains(html, "Create 2 drafts?") {
		t.Fatalf("the template has changed: %d %.3000s", status, html)
	}
	form = entered(t, html, "/app/bulk/new")
	form["do"] = "start"
	if status, html = v.sendForm("/app/bulk/new", form); status != http.StatusOK || !strings.Contains(html, `<noscript><meta http-equiv="refresh"`) {
		t.Fatalf("started: %d %.3000s", status, html)
	}
	id := owner.Get(t, "/bulk").Want(t, 200).Text(t, "data.0.id")
	viewer := browse(t, owner.Member(t, account.RoleViewer))
	if status, html = viewer.get("/app/bulk/" + id); status != http.StatusOK || strings.Contains(html, "/cancel") || strings.Contains(html, "failed.csv") {
		t.Errorf("a viewer: %d", status)
	}
	for _, path := range []string{"/app/bulk/" + id + "/failed.csv", "/app/bulk/new?template=" + template} {
		if status, _ = viewer.get(path); status != http.StatusForbidden {
			t.Errorf("a viewer at %s: %d", path, status)
		}
	}
	stranger := browse(t, s.Company(t))
	for _, act := range []string{"/cancel", "/retry"} {
		if status, _ = stranger.send("/app/bulk/" + id + act); status != http.StatusNotFound {
			t.Errorf("another company at %s: %d", act, status)
		}
	}
	patience.Until(t, "the first row", func() (string, bool) {
		r := owner.Get(t, "/bulk/"+id)
		return string(r.Body), r.Int(t, "made_count") == 1
	})
	w := team(t, owner, look{})
	w.visit(s.URL + "/app/bulk/" + id)
	w.see(`#run[data-running]`)
	get(w, chromedp.Evaluate[bool](`document.title = "not loaded again", true`))
	if status, html = v.send("/app/bulk/" + id + "/cancel"); status != http.StatusOK || !strings.Contains(html, "The remaining rows have been cancelled.") || !strings.Contains(html, "1 of 2 documents created.") {
		t.Errorf("cancelled: %d %.3000s", status, html)
	}
	w.see(`#run .chip.void`)
	if title := get(w, chromedp.Evaluate[string](`document.title`)); title != "not loaded again" || get(w, chromedp.Evaluate[bool](`!!document.querySelector('form[action$="/cancel"]')`)) {
		t.Errorf("a page that watches the run was loaded again (%q), or still offers to cancel it", title)
	}
	if status, html = v.send("/app/bulk/" + id + "/retry"); status != http.StatusConflict || !strings.Contains(html, "The bulk run was cancelled.") {
		t.Errorf("tried again: %d", status)
	}
}
