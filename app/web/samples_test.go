package web_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// env holds the environment variables of the samples.
type env map[string]string

// A stage prepares what a sample needs, for a separate company.
type stage func(t *testing.T, c *apptest.Client) env

type (
	obj  = apptest.Map
	list = apptest.List
)

func alone(_ *testing.T, c *apptest.Client) env {
	return env{"TOKEN": c.Token, "EMAIL": c.Email, "PASSWORD": apptest.Password, "CODE": "000000"}
}

// draft creates a document with a file, a signatory, and a field.
func draft(t *testing.T, c *apptest.Client) env { return drafted(t, c, "link") }

func drafted(t *testing.T, c *apptest.Client, authentication string) env {
	field := obj{"type": "text", "name": "note", "required": false, "invitation_id": "0", "x": 0.1, "y": 0.1, "width": 0.2, "height": 0.05}
	email := "ben@example.org"
	if authentication != "link" {
		email = c.CompanyID + "@example.org"
	}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "fields": list{field},
		"invitations": list{obj{"name": "Ben Buyer", "email": email, "authentication": authentication}}}, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "A page.", "Another page.")})).Want(t, 201)
	e := alone(t, c)
	e["DOCUMENT"], e["FILE"], e["FIELD"], e["INVITATION"] = d.Text(t, "id"), d.Text(t, "files.0.id"), d.Text(t, "fields.0.id"), d.Text(t, "invitations.0.id")
	return e
}

// after returns a stage that continues another one with requests, each a path
// below the document and a body.
func after(before stage, steps ...any) stage {
	return func(t *testing.T, c *apptest.Client) env {
		e := before(t, c)
		for i := 0; i < len(steps); i += 2 {
			path := strings.ReplaceAll(steps[i].(string), "{invitation}", e["INVITATION"])
			r := c.Post(t, "/documents/"+e["DOCUMENT"]+path, steps[i+1])
			if r.Status >= 300 {
				t.Fatalf("%s: %d %s", r.What, r.Status, r.Body)
			}
			if link, ok := r.Look(t, "invitations.0.sign_url"); ok && link != nil {
				_, e["SIGNATORY"], _ = strings.Cut(link.(string), "/s/")
			}
		}
		return e
	}
}

// mailed adds values from a message to the person.
func mailed(before stage, to, ask string, login bool, name string, find *regexp.Regexp) stage {
	return func(t *testing.T, c *apptest.Client) env {
		e := before(t, c)
		who := c
		if e[to] == "" {
			e[to] = c.CompanyID + "@example.org"
		}
		if token := e["SIGNATORY"]; token != "" {
			who = c.With(token)
		}
		var body any
		if login {
			body = obj{"email": c.Email}
		}
		path := strings.NewReplacer("{document}", e["DOCUMENT"], "{invitation}", e["INVITATION"]).Replace(ask)
		if r := who.Post(t, path, body); r.Status != 202 {
			t.Fatalf("%s: %d %s", r.What, r.Status, r.Body)
		}
		for _, m := range c.Mails(t, e[to]) {
			for _, text := range append(m.Links, m.Text) {
				if found := find.FindStringSubmatch(text); found != nil {
					e[name] = found[1]
					return e
				}
			}
		}
		t.Fatalf("no message to %s has what is looked for", e[to])
		return nil
	}
}

// withFiles creates a document with two files.
func withFiles(t *testing.T, c *apptest.Client) env {
	e := draft(t, c)
	c.Post(t, "/documents/"+e["DOCUMENT"]+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "annex.pdf", Content: apptest.PDF(t)})).Want(t, 201)
	return e
}

func withMember(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["MEMBER"] = c.Member(t, account.RoleMember).UserID
	return e
}

func withToken(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["TOKEN_ID"] = c.Post(t, "/tokens", obj{"name": "x"}).Want(t, 201).Text(t, "id")
	return e
}

// ofCompany names the company, so that what fails for it fails for no sample beside it.
func ofCompany(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["COMPANY"] = c.CompanyID
	return e
}

func withFault(t *testing.T, c *apptest.Client) env {
	e := ofCompany(t, c)
	e["FAULT"] = c.Post(t, "/test/faults", obj{"company": c.CompanyID, "status": 503}).Want(t, 201).Text(t, "id")
	return e
}

func withSnapshot(t *testing.T, c *apptest.Client) env {
	e := ofCompany(t, c)
	e["SNAPSHOT"] = c.Post(t, "/test/snapshots", obj{}).Want(t, 201).Text(t, "id")
	return e
}

func withTemplate(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["TEMPLATE"] = c.Post(t, "/templates", obj{"title": "Lease", "roles": list{obj{"role_name": "Tenant"}}}).Want(t, 201).Text(t, "id")
	return e
}

// withForm creates a template from which documents can be sent, withLink also a public link of it.
func withForm(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["TEMPLATE"] = c.Post(t, "/templates", apptest.Multipart(t, obj{"title": "Lease", "roles": list{obj{"role_name": "Tenant"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t)})).Want(t, 201).Text(t, "id")
	return e
}

func withLink(t *testing.T, c *apptest.Client) env {
	e := withForm(t, c)
	e["LINK"] = c.Post(t, "/templates/"+e["TEMPLATE"]+"/links", obj{"role": "Tenant"}).Want(t, 201).Text(t, "id")
	return e
}

// withRun creates a bulk run waiting for its second row.
func withRun(t *testing.T, c *apptest.Client) env {
	e := withTemplate(t, c)
	row := obj{"people": list{obj{"role": "Tenant", "name": "Ann", "email": "ann@example.org"}}}
	e["RUN"] = c.Post(t, "/templates/"+e["TEMPLATE"]+"/bulk", obj{"rows": list{row, row}, "per_minute": 1}).Want(t, 200).Text(t, "run.id")
	return e
}

func archivedTemplate(t *testing.T, c *apptest.Client) env {
	e := withTemplate(t, c)
	c.Post(t, "/templates/"+e["TEMPLATE"]+"/archive", nil).Want(t, 200)
	return e
}

func withContact(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["CONTACT"] = c.Post(t, "/contacts", obj{"name": "Ben Buyer", "email": "ben.buyer@example.org"}).Want(t, 201).Text(t, "id")
	return e
}

func withSavedField(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["SAVED_FIELD"] = c.Post(t, "/saved-fields", obj{"name": "Account", "field": obj{"type": "text", "width": 0.3, "height": 0.03}}).Want(t, 201).Text(t, "id")
	return e
}

// toRead sends a document to somebody who has to confirm having read it.
func toRead(t *testing.T, c *apptest.Client) env {
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Rules", "send": true, "invitations": list{
		obj{"name": "Ben Buyer", "email": "ben@example.org"}, obj{"name": "Rea Reader", "email": "rea@example.org", "role": "reader"}}},
		apptest.File{Name: "rules.pdf", Content: apptest.PDF(t)})).Want(t, 201)
	e := alone(t, c)
	e["DOCUMENT"], e["INVITATION"] = d.Text(t, "id"), d.Text(t, "invitations.1.id")
	return e
}

// toFillIn sends a document to an assistant of the person who signs it.
func toFillIn(t *testing.T, c *apptest.Client) env {
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Lease", "send": true, "signing_order": "sequential",
		"invitations": list{obj{"name": "Asa Assistant", "email": "asa@example.org", "role": "assistant", "position": 1},
			obj{"name": "Ben Buyer", "email": "ben@example.org", "position": 2}},
		"fields": list{obj{"type": "text", "name": "city", "file_id": "0", "invitation_id": "1", "page": 1,
			"x": .1, "y": .1, "width": .3, "height": .04}}},
		apptest.File{Name: "lease.pdf", Content: apptest.PDF(t)})).Want(t, 201)
	e := alone(t, c)
	e["DOCUMENT"], e["INVITATION"] = d.Text(t, "id"), d.Text(t, "invitations.0.id")
	return e
}

// toRehearse sends a document with a field for a place.
func toRehearse(t *testing.T, c *apptest.Client) env {
	e := draft(t, c)
	at := "/documents/" + e["DOCUMENT"]
	c.Patch(t, at+"/fields/"+e["FIELD"], obj{"name": "Place"}).Want(t, 200)
	c.Post(t, at+"/send", nil).Want(t, 200)
	return e
}

func archivedContact(t *testing.T, c *apptest.Client) env {
	e := withContact(t, c)
	c.Post(t, "/contacts/"+e["CONTACT"]+"/archive", nil).Want(t, 200)
	return e
}

// withWebhook creates a webhook with a failed delivery: nothing leaves this
// machine.
func withWebhook(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	e["WEBHOOK"] = c.Post(t, "/webhooks", obj{"url": "https://example.org/hooks/paraph"}).Want(t, 201).Text(t, "id")
	e["DELIVERY"] = c.Post(t, "/webhooks/"+e["WEBHOOK"]+"/test", nil).Want(t, 200).Text(t, "id")
	return e
}

// withApp enables two-factor login.
func withApp(t *testing.T, c *apptest.Client) env {
	e := alone(t, c)
	code, err := totp.GenerateCode(c.Post(t, "/me/two-factor", nil).Want(t, 200).Text(t, "secret"), c.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	c.Post(t, "/me/two-factor", obj{"code": code}).Want(t, 200)
	return e
}

// withMessage creates a message deferred by the mail server.
func withMessage(t *testing.T, c *apptest.Client) env {
	e := after(draft, "/send", nil)(t, c)
	c.Mails(t, "ben@example.org") // once it was tried
	e["MESSAGE"] = c.Get(t, "/outbox").Want(t, 200).Text(t, "data.0.id")
	return e
}

// operator is a member who may administer the installation.
func operator(t *testing.T, c *apptest.Client) env {
	if err := c.Accounts.Companies.SetInstallation(c.Email, true); err != nil {
		t.Fatal(err)
	}
	e := alone(t, c)
	e["COMPANY"], e["EMAIL"] = c.CompanyID, "ada@taken.example"
	return e
}

// operatorWithJob is an operator with a waiting job.
func operatorWithJob(t *testing.T, c *apptest.Client) env {
	e := operator(t, c)
	after(draft, "/send", obj{"remind_every_days": 3})(t, c)
	jobs := c.Get(t, "/installation/jobs?status=waiting&per_page=200").Want(t, 200)
	i := slices.Index(jobs.Texts(t, "data", "kind"), "remind") // it waits for days, unlike the jobs of the cases beside this one
	if i < 0 {
		t.Fatalf("no reminder is waiting: %s", jobs.Body)
	}
	e["JOB"] = jobs.Texts(t, "data", "id")[i]
	return e
}

func trashed(t *testing.T, c *apptest.Client) env {
	e := draft(t, c)
	c.Delete(t, "/documents/"+e["DOCUMENT"]).Want(t, 200)
	return e
}

func coded(t *testing.T, c *apptest.Client) env { return drafted(t, c, "email_code") }

func expired(t *testing.T, c *apptest.Client) env {
	now, err := time.Parse(time.RFC3339, c.Anonymous().Get(t, "/test/clock").Text(t, "now"))
	if err != nil {
		t.Fatal(err)
	}
	e := after(draft, "/send", obj{"expires_at": now.Add(time.Hour).Format(time.RFC3339)})(t, c)
	c.Advance(t, "2h")
	e["TOKEN"] = c.Login(t, c.Email).Token
	return e
}

// stages by the identifier of the operation; those missing here only need a
// logged-in user.
func stages() map[string]stage {
	sent := after(draft, "/send", nil)
	completed := after(sent, "/{invitation}/sign", nil)
	submitted := after(draft, "/submit", nil)
	codeSent := after(coded, "/send", nil)
	link := regexp.MustCompile(`(?:token=|/reset/|/confirm/)([^&\s]+)`)
	all := map[string]stage{
		"verifyEmail":         mailed(alone, "EMAIL", "/email/reverify", false, "LINK_TOKEN", link),
		"resetPassword":       mailed(alone, "EMAIL", "/password/forgot", true, "LINK_TOKEN", link),
		"requestCode":         codeSent,
		"identifyRecipient":   mailed(codeSent, "ADDRESS", "/documents/{document}/{invitation}/code", false, "CODE", regexp.MustCompile(`\b(\d{6})\b`)),
		"getDocumentDownload": completed, "downloadDocument": completed,
		"withdrawDocument": submitted, "approveDocument": submitted, "rejectDocument": submitted,
		"unscheduleDocument": after(draft, "/send", obj{"send_at": time.Now().Add(24 * time.Hour).Format(time.RFC3339)}),
		"mergeFiles":         withFiles,
		"reopenDocument":     after(submitted, "/approve", nil),
		"restoreDocument":    after(draft, "/archive", nil),
		"voidDocument":       sent, "remindRecipients": sent,
		"extendDocument": expired, "retrySealing": completed,
		"listCheckpoints": completed, "proveDocumentHistory": completed,
		"getMailServer": operator, "testMailServer": operator, "getSenderDomain": operator,
		"getMember": withMember, "updateMember": withMember, "removeMember": withMember,
		"revokeToken": withToken, "disableTwoFactor": withApp, "createRecoveryCodes": withApp, "purgeDocument": trashed,
		"createTestFault": ofCompany, "deleteTestFault": withFault,
		"createTestSnapshot": ofCompany, "restoreTestSnapshot": withSnapshot,
		"getSavedField": withSavedField, "updateSavedField": withSavedField, "deleteSavedField": withSavedField,
		"fillInFields": toFillIn, "confirmReading": toRead, "rehearseSigning": toRehearse,
		"getTemplate": withTemplate, "updateTemplate": withTemplate, "deleteTemplate": withTemplate,
		"archiveTemplate": withTemplate, "restoreTemplate": archivedTemplate,
		"duplicateTemplate": withTemplate, "createDocumentFromTemplate": withTemplate,
		"createBulkRun": withTemplate, "downloadBulkTable": withTemplate,
		"listPublicLinks": withLink, "createPublicLink": withForm,
		"getPublicLink": withLink, "updatePublicLink": withLink,
		"deletePublicLink": withLink,
		"getContact":       withContact, "updateContact": withContact, "deleteContact": withContact,
		"archiveContact": withContact, "restoreContact": archivedContact,
	}
	for _, id := range []string{"getBulkRun", "listBulkRows", "exportBulkResults", "exportFailedBulkRows", "cancelBulkRun", "retryBulkRun"} {
		all[id] = withRun
	}
	for _, id := range []string{"listMessages", "getMessage", "getMessageSource", "retryMessage", "cancelMessage", "revealMessage"} {
		all[id] = withMessage
	}
	for _, id := range []string{"getWebhook", "updateWebhook", "deleteWebhook", "rotateWebhookSecret", "testWebhook", "redeliverFailed",
		"listDeliveries", "getDelivery", "redeliver"} {
		all[id] = withWebhook
	}
	for _, id := range []string{"getInstallation", "listCompanies", "addCompany", "renameCompany", "listAccounts",
		"listJobs", "listFailedMessages", "listDocumentsNeedingAttention", "getLog", "startCheck"} {
		all[id] = operator
	}
	all["retryJob"] = operatorWithJob
	for _, id := range []string{"getMessageText", "setMessageText", "resetMessageText", "previewMessageText"} {
		all[id] = func(t *testing.T, c *apptest.Client) env {
			e := alone(t, c)
			e["KIND"], e["LANGUAGE"] = "invitation", "en"
			return e
		}
	}
	all["sendTestMessage"] = func(t *testing.T, c *apptest.Client) env {
		e := alone(t, c)
		e["EMAIL"] = "ada@taken.example"
		return e
	}
	all["setConsent"] = func(t *testing.T, c *apptest.Client) env {
		c.Patch(t, "/company", obj{"consent_text": "I agree to sign electronically."}).Want(t, 200)
		return sent(t, c)
	}
	for _, id := range []string{"signInvitation", "recordViewing", "declineInvitation", "delegateInvitation", "remindRecipient", "replaceRecipient"} {
		all[id] = sent
	}
	return all
}

// late are the samples run last: those that move the clock or reset the appliance, and one with a
// tight rate limit.
var late = []string{"extendDocument", "resetPassword", "setClock", "reset"}

// withKey are the samples whose input can only come from a passkey or a mail server, and those
// that need a failure or a server without configured mail.
var withKey = []string{"logInWithPasskey", "beginPasskeyProof", "proveIdentityWithPasskey", "registerPasskey", "renamePasskey", "deletePasskey", "reportBounce",
	"retryFailedMessage", "revealFailedMessage", "retryDocument",
	"setMailServer", "deleteMailServer"}

// others are the operations whose samples are also run in languages that need a
// separate process: they cover every kind of request and response.
var others = []string{"logIn", "listDocuments", "createDocument", "updateDocument", "uploadFiles", "replaceFields",
	"signInvitation", "identifyRecipient", "downloadDocument", "getPageImage",
	"verifyEmail", "resetPassword", "revokeToken", "verifySignatures", "updateCompany", "importContacts"}

var sampleCode = regexp.MustCompile(`(?s)<pre tabindex="0"><code>(.*?)</code></pre>`)

// sample returns the first program on the page of an operation.
func sample(t *testing.T, s *apptest.Server, id, language string) string {
	t.Helper()
	// Passkeys need a host name.
	res, page := fetch(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/docs/api/"+id+"?lang="+language)
	_, page, _ = strings.Cut(page, `class="samples"`)
	code := sampleCode.FindStringSubmatch(page)
	if res.StatusCode != http.StatusOK || code == nil {
		t.Fatalf("%s has no sample in %s (%d)", id, language, res.StatusCode)
	}
	return html.UnescapeString(code[1])
}

// described is an operation of the API's description.
type described struct{ id, method, path string }

// operations returns all operations, without alternative paths.
func operations(t *testing.T, s *apptest.Server) []described {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Deprecated  bool
		}
	}
	s.Anonymous().Get(t, "/docs/openapi.json").Want(t, 200).Decode(t, &doc)
	var out []described
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if !op.Deprecated {
				out = append(out, described{op.OperationID, method, path})
			}
		}
	}
	if len(out) < 60 {
		t.Fatalf("there are only %d operations", len(out))
	}
	slices.SortFunc(out, func(a, b described) int { return strings.Compare(a.id, b.id) })
	return out
}

// TestSamples runs the samples exactly as shown on the pages, each against a
// state in which it must succeed.
func TestSamples(t *testing.T) {
	s := apptest.New(t, mailServer(t))
	all, prepare := operations(t, s), stages()
	programs, commands := buildSamples(t, s, all), interpreters()
	run := func(t *testing.T, op described) {
		id, before := op.id, prepare[op.id]
		if before == nil && strings.HasPrefix(op.path, "/documents/{document}") {
			before = draft
		} else if before == nil {
			before = alone
		}
		var e env // reading leaves it unchanged
		for _, language := range []string{"curl", "go", "python", "javascript"} {
			command := commands[language]
			if command == nil && language != "go" || !slices.Contains(others, id) && (language == "python" || language == "javascript") {
				continue
			}
			code := sample(t, s, id, language)
			if language == "go" {
				command, code = []string{programs, id}, ""
			}
			if e == nil || op.method != "get" || id == "verifyEmail" {
				e = before(t, s.Company(t))
			}
			runSample(t, command, code, e)
		}
	}
	t.Run("all", func(t *testing.T) {
		for _, op := range all {
			if !slices.Contains(late, op.id) && !slices.Contains(withKey, op.id) {
				t.Run(op.id, func(t *testing.T) { t.Parallel(); run(t, op) })
			}
		}
	})
	for _, id := range late {
		i := slices.IndexFunc(all, func(op described) bool { return op.id == id })
		t.Run(id, func(t *testing.T) { run(t, all[i]) })
	}
}

// mailServer starts a mail server that accepts mail for taken.example and defers
// everything else: only the recipient can read a sent message.
func mailServer(t *testing.T) func(*app.Config) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go takeMail(conn)
		}
	}()
	return func(c *app.Config) {
		c.Mail.Host, c.Mail.Port, c.Mail.TLS = "127.0.0.1", ln.Addr().(*net.TCPAddr).Port, "none"
		c.Network.Egress = []string{"127.0.0.1"}
	}
}

func takeMail(conn net.Conn) {
	defer conn.Close()
	fmt.Fprint(conn, "220 ready\r\n")
	in, body := bufio.NewScanner(conn), false
	for in.Scan() {
		line, answer := in.Text(), "250 OK"
		switch command, _, _ := strings.Cut(strings.ToUpper(line), " "); {
		case body && line != ".":
			continue
		case body:
			body = false
		case command == "DATA":
			body, answer = true, "354 go on"
		case command == "QUIT":
			answer = "221 bye"
		case command == "RCPT" && !strings.Contains(line, "@taken.example"):
			answer = "451 later"
		}
		if _, err := fmt.Fprint(conn, answer+"\r\n"); err != nil {
			return
		}
	}
}

// interpreters returns the commands that run programs from their standard input,
// by language, of those that are installed.
func interpreters() map[string][]string {
	all := map[string][]string{"curl": {"sh", "-e"}}
	if exec.Command("python3", "-c", "import requests").Run() == nil {
		all["python"] = []string{"python3", "-"}
	}
	if out, err := exec.Command("node", "--version").Output(); err == nil && !strings.HasPrefix(string(out), "v1") {
		all["javascript"] = []string{"node", "--no-warnings", "--input-type=module", "-"}
	}
	return all
}

// curlrc makes curl fail if the response is an error.
const curlrc = "fail-with-body\nsilent\nshow-error\n"

func runSample(t *testing.T, command []string, code string, e env) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{"contract.pdf": apptest.PDF(t), "contacts.csv": []byte("name,email\nBen Buyer,ben@example.org\n"), ".curlrc": []byte(curlrc)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(code)
	cmd.Env = append(os.Environ(), "CURL_HOME="+dir)
	for k, v := range e {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s\nof\n%s", command, err, out, code)
	}
	return string(out)
}

// buildSamples makes one program of all samples in Go, which takes the name of the
// sample to run: compiling and linking each would take minutes. Only the name of
// main is changed in their text.
func buildSamples(t *testing.T, s *apptest.Server, all []described) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var cases strings.Builder
	for i, op := range all {
		name := fmt.Sprintf("sample%03d", i)
		write(name+".go", strings.Replace(sample(t, s, op.id, "go"), "func main() {", "func "+name+"() {", 1)+"\n")
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s()\n", op.id, name)
	}
	write("go.mod", "module samples\n\ngo 1.24\n")
	write("main.go", "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"+cases.String()+"\tdefault:\n\t\tos.Exit(3)\n\t}\n}\n")
	tool := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOWORK=off", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	tool("go", "build", "-o", "samples", ".")
	if diff := tool("gofmt", "-d", "."); diff != "" {
		t.Errorf("gofmt would write some samples in Go otherwise: %.1500s", diff)
	}
	return filepath.Join(dir, "samples")
}

// TestFirstDocument follows the steps to the first signed document.
func TestFirstDocument(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	_, page := fetch(t, s.URL+"/docs/api")
	_, page, _ = strings.Cut(page, `id="first"`)
	page, _, _ = strings.Cut(page, `</section>`)
	var script strings.Builder
	for _, m := range sampleCode.FindAllStringSubmatch(page, -1) {
		script.WriteString(html.UnescapeString(m[1]) + "\n")
	}
	code := strings.NewReplacer("you@example.org", c.Email, "your password", apptest.Password).Replace(script.String())
	var report struct {
		Sound      bool
		Signatures []any
	}
	out := runSample(t, []string{"sh", "-e"}, code, nil)
	if err := json.Unmarshal([]byte(out), &report); err != nil || !report.Sound || len(report.Signatures) < 2 {
		t.Errorf("the result is not signed: %v\n%s\nafter\n%s", err, out, code)
	}
}
