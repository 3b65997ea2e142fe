package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/apptest/plain"
)

// TestCreateWithoutScripts prepares and sends a document with forms alone.
func TestCreateWithoutScripts(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	w := colleague(t, c)
	w.Visit(s.URL + "/app/documents/new")
	w.Click("#add button")
	if got := w.Read("#errors"); !strings.Contains(got, "Choose at least one file") {
		t.Errorf("without a file it says %q", got)
	}
	w.Choose("#i-files", []plain.File{{Name: "Lease.pdf", Content: apptest.PDF(t, "Signature: ____________________", "{{date:2}}")}, {Name: "more.pdf", Content: apptest.PDF(t, "Annex.")},
		{Name: "bad.exe", Content: []byte("MZ")}}...)
	w.Click("#add button")
	w.See("#files li:nth-child(2)")
	if got := w.Read(".notice"); !strings.Contains(got, "bad.exe") {
		t.Errorf("of the file that was not taken it is said %q", got)
	}
	if got := fileNames(w); got != "Lease.pdf more.pdf" {
		t.Errorf("the files are %s", got)
	}
	w.Click(`#files li:nth-child(2) .menu summary`)
	w.Click(`#files li:nth-child(2) button[value=up]`)
	w.See(`#files li:first-child[data-name="more.pdf"]`)
	if got := w.Value("[name=title]"); got != "Lease" {
		t.Errorf("the title is %q", got)
	}
	w.Write(`[name="invitations.0.name"]`, "Maria Rossi")
	w.Write(`[name="invitations.0.email"]`, "maria@signer.example")
	w.Click(`[name=signing_order][value=sequential]`)
	w.Click("button[value=add]")
	w.See(`[name="invitations.1.name"]`)
	w.Write(`[name="invitations.1.name"]`, "Ben Buyer")
	w.Write(`[name="invitations.1.email"]`, "MARIA@signer.example")
	w.Click("button[value=me]")
	w.See("#errors")
	if got := w.Read("#i-invitations-1-email-error"); !strings.Contains(got, "already invited") {
		t.Errorf("of an address that is there twice it is said %q", got)
	}
	w.Click(`[name="invitations.1.shares_email"]`) // shown where it is wanted
	w.Write(`[name="invitations.1.email"]`, "ben@signer.example")
	w.Click(".person-row:nth-child(2) .rest summary")
	w.Click(`button[value="up.1"]`)
	w.See(`[name="invitations.0.name"][value="Ben Buyer"]`)
	w.Click(".person-row:nth-child(3) .rest summary")
	w.Click(`button[value="remove.2"]`)
	w.Gone(`[name="invitations.2.name"]`)
	w.Click(`.found summary`)
	w.Click(`button[value=detect]`)
	if got := w.Read(".notice"); !strings.Contains(got, "added: 2") {
		t.Errorf("of the fields in the file it is said %q", got)
	}
	w.Click(`.stepper button[value=review]`)

	w.Heading("Review and send")
	if got := w.Read("#problem-list"); !strings.Contains(got, "Maria Rossi has fields, but no signature field") {
		t.Errorf("the problems are %q", got)
	}
	w.Write("#i-subject", "Please sign our lease")
	w.Write("#i-message", "Thank you!")
	w.Click("button[value=send]")
	w.See("#errors")
	if got := w.Value("#i-subject"); got != "Please sign our lease" {
		t.Errorf("the subject is now %q", got)
	}
	want(t, w.HTML, "Thank you!", "Hello Ben Buyer") // the message to the first
	w.Click("#i-seen")
	w.Click("button[value=send]")
	w.Heading("The document has been sent")
	w.Click(`form[action$="/links"] button`)
	w.See(".linkbox")
	if got := w.Read("main"); !strings.Contains(got, "/s/") || strings.Count(got, "/s/") != 1 || !strings.Contains(got, "when it is their turn") {
		t.Errorf("the links are %q", got)
	}
	mails := s.Mails(t, "ben@signer.example")
	if len(mails) != 1 || mails[0].Subject != "Please sign our lease" {
		t.Errorf("Ben is sent %+v", mails)
	}
}

// gone waits until an element has disappeared.
func (w *window) gone(what chromedp.CSS) {
	w.t.Helper()
	ctx, stop := w.bounded()
	defer stop()
	if err := chromedp.Do(ctx, chromedp.WaitNotPresent(what)); err != nil {
		w.t.Fatalf("%s stays: %v; %s", what, err, w.sight())
	}
}

// TestApproval uses a company that requires approval of every document.
func TestApproval(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	owner.Patch(t, "/company", apptest.Map{"require_approval": true}).Want(t, 200)
	member, approver := owner.Member(t, account.RoleMember), owner.Member(t, account.RoleApprover)
	id := member.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease", "invitations": apptest.List{maria()}}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, 201).Text(t, "id")
	at := s.URL + "/app/documents/" + id + "/review"
	w := colleague(t, member)
	w.Visit(at)
	w.Gone("button[value=send],button[value=approve]")
	w.Pick("#i-approver-id", approver.UserID)
	w.Click("button[value=submit]")
	w.Gone("#review")
	w.Visit(at)
	w.See("button[value=withdraw]")
	w.Gone("button[value=approve],#i-subject")

	a := colleague(t, approver)
	a.Visit(at)
	a.Click("#review details summary:not(.person-row summary)")
	a.Click("button[value=reject]")
	if got := a.Read("#i-reason-error"); !strings.Contains(got, "required") {
		t.Errorf("without a reason it says %q", got)
	}
	a.Write("#i-reason", "The rent is wrong.")
	a.Click("button[value=reject]")
	a.Gone("#review")
	w.Visit(at)
	if got := w.Read("main"); !strings.Contains(got, "The rent is wrong.") {
		t.Errorf("the reason is not shown: %s", got)
	}
	w.Click("button[value=reopen]")
	w.Click("button[value=submit]")
	w.Gone("#review")
	a.Visit(at)
	a.Click("button[value=approve]")
	a.Click("button[value=send]")
	a.Heading("The document has been sent")
	if got := member.Get(t, "/documents/"+id).Text(t, "status"); got != "sent" {
		t.Errorf("the document is %s", got)
	}
}

// TestReviewBlocks reviews a document that can't be sent.
func TestReviewBlocks(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	id := c.Post(t, "/documents", apptest.Map{"title": "Empty"}).Want(t, 201).Text(t, "id")
	w := colleague(t, c)
	w.Visit(s.URL + "/app/documents/" + id + "/review")
	if got := w.Read("#problem-list .danger"); !strings.Contains(got, "at least one file") || !strings.Contains(got, "at least one signer") {
		t.Errorf("the problems are %q", got)
	}
	w.Write("#i-expires-at", "2001-01-01")
	w.Click("button[value=save]")
	if got := w.Read("#i-expires-at-error"); !strings.Contains(got, "future") {
		t.Errorf("of a day in the past it is said %q", got)
	}
	w.Write("#i-expires-at", "")
	w.Click("button[value=send]")
	if got := w.Read("#errors"); !strings.Contains(got, "at least one file") {
		t.Errorf("sending says %q", got)
	}
	stranger := s.Company(t)
	for path, token := range map[string]string{"/files": stranger.Token, "/people": stranger.Token, "/review": stranger.Token, "/links": stranger.Token} {
		if res, _ := fetch(t, s.URL+"/app/documents/"+id+path, "Cookie", "paraph_session="+token); res.StatusCode != http.StatusNotFound {
			t.Errorf("a stranger gets %d from %s", res.StatusCode, path)
		}
	}
	viewer := c.Member(t, account.RoleViewer)
	for _, path := range []string{"/files", "/people", "/review"} {
		if res, _ := fetch(t, s.URL+"/app/documents/"+id+path, "Cookie", "paraph_session="+viewer.Token); res.StatusCode != http.StatusForbidden {
			t.Errorf("a viewer gets %d from %s", res.StatusCode, path)
		}
	}
}

// TestMailPreview shows the rendered message and checks that nothing in it runs.
func TestMailPreview(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Map{"title": "<script>alert(1)</script>", "invitations": apptest.List{maria()}}).Want(t, 201)
	res, html := fetch(t, s.URL+"/app/documents/"+d.Text(t, "id")+"/people/"+d.Text(t, "invitations.0.id")+"/mail", "Cookie", "paraph_session="+c.Token)
	if res.StatusCode != 200 || !strings.Contains(res.Header.Get("Content-Security-Policy"), "sandbox") || strings.Contains(html, "<script>") || !strings.Contains(html, "&lt;script&gt;") {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, html)
	}
	if len(s.Mails(t, "maria@signer.example")) != 0 {
		t.Error("looking at a message sends it")
	}
}

func TestCreateInEveryLook(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	form := apptest.Map{"title": "A lease of a flat", "signing_order": "sequential", "invitations": apptest.List{maria(), apptest.Map{"name": "Ben", "email": "ben@signer.example", "authentication": "email_code"}}}
	d := c.Post(t, "/documents", apptest.Multipart(t, form, apptest.File{Name: "a.docx", Content: apptest.DOCX(t, "A lease.")}, apptest.File{Name: "b.pdf", Content: apptest.PDF(t, "One.", "Two.")})).Want(t, 201)
	at := s.URL + "/app/documents/" + d.Text(t, "id")
	f := newFormClient(t, c)
	if status, answer := f.form("/app/documents/"+d.Text(t, "id")+"/uploads", "name", "unfinished.pdf", "size", "1000"); status != 201 {
		t.Fatal(answer)
	}
	pages := map[string]func(w *window){}
	for name, address := range map[string]string{"new": s.URL + "/app/documents/new", "files": at + "/files", "pages": at + "/files/" + d.Text(t, "files.1.id") + "/pages", "redact": at + "/files/" + d.Text(t, "files.1.id") + "/redact", "people": at + "/files?add=1#people", "review": at + "/review", "links": at + "/links"} {
		pages[name] = func(w *window) {
			w.enter(c)
			w.visit(address)
			w.run(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("main details").forEach(d => d.open = true)`))
		}
	}
	inEveryLook(t, pages)
}

// TestReplaceAFile replaces the file of a draft on its page, with the script and without.
func TestReplaceAFile(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 2, maria())
	d.put(t, place("text", "City", 2, .3))
	at := "/app/documents/" + d.id + "/files"
	w := team(t, c, look{width: 1280, height: 1000})
	w.visit(s.URL + at)
	w.js(`for (let d = document.querySelector("#files [data-file] input[type=file]").closest("details"); d; d = d.parentElement.closest("details")) d.open = true`)
	w.run(chromedp.SetUploadFiles(`#files [data-file] input[type=file]`, onDisk(t, apptest.File{Name: "short.pdf", Content: apptest.PDF(t, "One page.")})))
	w.click(`#files [data-file] button[value="replace"]`)
	w.until(`document.querySelector("#files h4").textContent === "short.pdf"`)
	if got := w.read("#files"); !strings.Contains(got, "is on a page that does not exist") {
		t.Errorf("the page does not name the field without a page: %s", got)
	}
	w.edit(d)
	w.see(".box")
	f := newFormClient(t, c)
	file := c.Get(t, "/documents/"+d.id).Want(t, 200).Text(t, "files.0.id")
	post := func(name string, content []byte) (int, string) {
		body := "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n" + f.token +
			"\r\n--b\r\nContent-Disposition: form-data; name=\"content-" + file + "\"; filename=\"" + name + "\"\r\n\r\n" + string(content) + "\r\n--b--\r\n"
		return f.post(at+"/"+file+"/content", strings.NewReader(body), "Content-Type", "multipart/form-data; boundary=b", "X-Requested-With", "")
	}
	if status, html := post("broken.pdf", []byte("%PDF-1.7 broken")); status != 422 || !strings.Contains(html, "broken.pdf") {
		t.Errorf("a broken file: %d %.200s", status, html)
	}
	if status, _ := post("long.pdf", apptest.PDF(t, "One.", "Two.")); status != 303 {
		t.Errorf("a good file: %d", status)
	}
	if _, html := fetch(t, s.URL+at, "Cookie", f.cookie); !strings.Contains(html, "long.pdf") || strings.Contains(html, "is on a page that") {
		t.Errorf("the page does not show the new file alone: %.400s", html)
	}
}

// TestPagesOfAFileByHand changes the pages of a file with the buttons of their page.
func TestPagesOfAFileByHand(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 3, maria())
	file := c.Get(t, "/documents/"+d.id).Want(t, 200).Text(t, "files.0.id")
	choices := func() string {
		arranged, _ := c.Get(t, "/documents/"+d.id+"/files/"+file).Want(t, 200).At(t, "arranged").(apptest.Map)
		var out []string
		pages, _ := arranged["pages"].(apptest.List)
		for _, p := range pages {
			page := p.(apptest.Map)
			turn, _ := page["rotate"].(float64)
			out = append(out, fmt.Sprintf("%v:%v", page["page"], turn))
		}
		return strings.Join(out, " ")
	}
	w := team(t, c, look{width: 1280, height: 1000})
	w.visit(s.URL + "/app/documents/" + d.id + "/files")
	w.click(`#files .menu summary`)
	w.click(`#files a[href$="/pages"]`)
	for _, step := range []struct{ button, want string }{
		{`#page-1 [value=later]`, "2:0 1:0 3:0"},
		{`#page-2 [value=right]`, "2:0 1:90 3:0"},
		{`#page-1 [value=left]`, "2:270 1:90 3:0"},
		{`#page-3 [value=earlier]`, "2:270 3:0 1:90"},
		{`#page-1 [value=remove]`, "3:0 1:90"},
		{`[value=restore]`, ""},
	} {
		w.see(chromedp.CSS(step.button))
		before := w.value("[name=csrf]") + get(w, chromedp.Evaluate[string](`document.querySelector(".sheets img").src`))
		w.click(chromedp.CSS(step.button))
		w.until(fmt.Sprintf(`document.querySelector("[name=csrf]")?.value + document.querySelector(".sheets img")?.src !== %q`, before))
		if got := choices(); got != step.want {
			t.Errorf("after %s the file has the pages %q, want %q", step.button, got, step.want)
		}
	}
	order := func(s string) {
		w.see("[name=order]")
		w.js(fmt.Sprintf(`document.querySelector("[name=order]").value = %q`, s))
		w.click("[value=order]")
	}
	order("3-2, 9")
	w.until(`document.querySelector("main").textContent.includes("Enter pages from 1 to 3")`)
	order("3-2")
	w.until(`document.querySelectorAll(".sheets li").length === 2`)
	if got := choices(); got != "3:0 2:0" {
		t.Errorf("the file has the pages %s", got)
	}
}

// TestSplitAFileByHand splits a file at the cut marks between its pages, and by form alone.
func TestSplitAFileByHand(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := newDraft(t, c, 3, maria())
	w := team(t, c, look{width: 1280, height: 1000})
	w.visit(s.URL + "/app/documents/" + d.id + "/files/" + d.file + "/pages")
	w.judge(allRules, "on a computer")
	w.run(chromedp.EmulateViewport(390, 844))
	w.judge(rulesOfLook, "on a phone")
	if got := w.read("#page-2 [value=split]"); !strings.Contains(got, "Split after page 2") {
		t.Errorf("the cut mark says %q", got)
	}
	w.click("#page-1 [value=split]")
	w.until(`document.querySelectorAll("#files [data-file]").length === 2`)
	if got := w.read("main"); !strings.Contains(got, "now in lease (2).pdf") {
		t.Errorf("the files are shown as %s", got)
	}
	now := c.Get(t, "/documents/"+d.id).Want(t, 200)
	if got := []any{now.At(t, "files.0.pages"), now.At(t, "files.1.pages")}; got[0] != 1.0 || got[1] != 2.0 {
		t.Errorf("the parts have %v pages", got)
	}

	d = newDraft(t, c, 3)
	f, at := newFormClient(t, c), "/app/documents/"+d.id+"/files/"+d.file+"/pages"
	for _, page := range []string{"", "0", "3", "-1", "two", "99999999999999999999"} {
		if status, html := f.form(at, "do", "split", "page", page); status != 422 || !strings.Contains(html, "Enter a page from 1 to 2") {
			t.Errorf("splitting after page %q: %d", page, status)
		}
	}
	if status, _ := f.form(at, "do", "split", "page", "2"); status != 303 {
		t.Errorf("splitting without a script: %d", status)
	}
	if got := c.Get(t, "/documents/"+d.id).Want(t, 200).Texts(t, "files", "name"); len(got) != 2 {
		t.Errorf("the files are %v", got)
	}
	stranger := newFormClient(t, s.Company(t))
	if status, _ := stranger.form(at, "do", "split", "page", "1"); status != 404 {
		t.Errorf("another company splits the file: %d", status)
	}
}

// TestMergeFilesByHand merges the files of a draft on their page, and by form alone.
func TestMergeFilesByHand(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	three := func(t *testing.T) (string, []string) {
		t.Helper()
		d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Lease"}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A.")},
			apptest.File{Name: "b.pdf", Content: apptest.PDF(t, "B.")}, apptest.File{Name: "c.pdf", Content: apptest.PDF(t, "C.")})).Want(t, 201)
		return d.Text(t, "id"), d.Texts(t, "files", "id")
	}
	names := func(t *testing.T, id string) string {
		t.Helper()
		return strings.Join(c.Get(t, "/documents/"+id).Want(t, 200).Texts(t, "files", "name"), " ")
	}
	id, files := three(t)
	w := team(t, c, look{width: 1280, height: 1000})
	w.visit(s.URL + "/app/documents/" + id + "/files")
	w.click("#merge summary")
	w.see("#merge button")
	w.judge(allRules, "on a computer")
	w.run(chromedp.EmulateViewport(390, 844))
	w.judge(rulesOfLook, "on a phone")
	w.click(chromedp.CSS("#merge-" + files[1]))
	w.click("#merge button")
	w.until(`document.querySelectorAll("#files [data-file]").length === 2`)
	if got := w.read("main"); !strings.Contains(got, "merged into a.pdf") {
		t.Errorf("the files are shown as %s", got)
	}
	if got := names(t, id); got != "a.pdf b.pdf" {
		t.Errorf("the files are %s", got)
	}

	id, files = three(t)
	f, at := newFormClient(t, c), "/app/documents/"+id+"/files/merge"
	for _, chosen := range []string{"", files[0], "nothing"} {
		if status, html := f.form(at, "merge", chosen); status != 422 || !strings.Contains(html, "Choose at least two files") {
			t.Errorf("merging %q: %d", chosen, status)
		}
	}
	body := url.Values{"csrf": {f.token}, "merge": {files[2], files[1]}}
	if status, _ := f.post(at, strings.NewReader(body.Encode()), "Content-Type", "application/x-www-form-urlencoded"); status != 303 {
		t.Errorf("merging without a script: %d", status)
	}
	if got := names(t, id); got != "a.pdf b.pdf" {
		t.Errorf("the files are %s", got)
	}
	stranger := newFormClient(t, s.Company(t))
	if status, _ := stranger.form(at, "merge", files[0]); status != 404 {
		t.Errorf("another company merges files: %d", status)
	}
}
