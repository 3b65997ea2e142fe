package app_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/machine"
)

// logged returns the lines of the log about a kind of warning, oldest first.
func (w *warned) logged(t *testing.T, kind string) (lines []string) {
	t.Helper()
	operator := w.Login(t, w.operator.Email)
	for _, line := range lineList(t, operator.Get(t, "/installation/log").Want(t, http.StatusOK)) {
		if strings.Contains(line, "kind="+kind) {
			lines = append(lines, line)
		}
	}
	slices.Reverse(lines)
	return lines
}

// TestMailThatIsDownIsWarnedOf has the mail server refuse connections, and come back.
func TestMailThatIsDownIsWarnedOf(t *testing.T) {
	t.Parallel()
	port := closedPort(t)
	w := toBeWarned(t, mayMail, func(c *app.Config) {
		c.Mail.Host, c.Mail.TLS, c.Mail.From, c.Server.TestControls = "127.0.0.1", "none", "sign@acme.example", true
		c.Mail.Port, _ = strconv.Atoi(port)
	})
	if err := w.Machine.Watch(t.Context()); err != nil { // one failure may be a moment
		t.Fatal(err)
	}
	w.expectOf(t, "down", "mail", "does not take messages!", "", 0, 2)
	newPostOfficeAt(t, "127.0.0.1:"+port)
	w.expectOf(t, "up again", "mail", "", "", 0, 0)
	if lines := w.logged(t, "mail"); len(lines) != 2 || !strings.Contains(lines[0], "level=ERROR msg=warning kind=mail urgency=urgent") ||
		!strings.Contains(lines[0], "remedy=") || !strings.Contains(lines[1], `level=INFO msg="warning ended"`) {
		t.Errorf("the log has %q", lines)
	}
}

// TestDeadTimestampAuthorityIsWarnedOf lets the authority die before anything is sent, and
// while a document waits to be sealed.
func TestDeadTimestampAuthorityIsWarnedOf(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	r.be("down")
	w := toBeWarned(t, func(c *app.Config) {
		c.Signing.TimestampURL, c.Signing.TimestampTimeout, c.Network.Egress, c.Retention.OutboxDays = r.URL, 10*time.Second, []string{"127.0.0.1"}, 0
	})
	r.clock.Store(w.Clock)
	host := strings.TrimPrefix(r.URL, "http://")
	ready := func(want int) *apptest.Response {
		t.Helper()
		w.ForgetAuthority()
		return w.Anonymous().Get(t, "/readyz").Want(t, want)
	}
	w.expectOf(t, "dead", "timestamps", "issues no timestamps!", "", 1, 2)
	if got := ready(http.StatusServiceUnavailable); got.Text(t, "code") != "timestamp_authority_down" || !strings.Contains(got.Text(t, "message"), host) {
		t.Errorf("not ready: %s", got.Body)
	}
	r.be("up")
	w.ForgetAuthority()
	w.expectOf(t, "alive", "timestamps", "", "", 1, 0)
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: papers("", []paper{a4})}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}
	w.Anonymous().Post(t, "/test/clock", apptest.Map{"freeze": true}).Want(t, http.StatusOK) // no attempt on its own
	sender := w.Company(t)
	sent := d.send(t, sender)
	r.be("busy")
	d.sign(t, sender, sent)
	w.ForgetAuthority()
	w.expectOf(t, "sealing just began to wait", "sealing", "issues no timestamps!", "", 0, 0)
	w.Clock.Advance(20 * time.Minute)
	w.ForgetAuthority()
	operator, _, _ := w.watched(t)
	if !strings.Contains(operator, "waiting to be sealed") || w.mailed(t, "warning_sealing") != 1 {
		t.Errorf("after twenty minutes the operator is warned %q", operator)
	}
}

// TestSilentWebhookIsWarnedOf has a receiver say that it is gone.
func TestSilentWebhookIsWarnedOf(t *testing.T) {
	t.Parallel()
	hook := receive(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusGone) })
	w := toBeWarned(t, toReceivers)
	made := w.owner.Post(t, "/webhooks", apptest.Map{"url": hook.URL, "events": apptest.List{"document.sent"}}).Want(t, http.StatusCreated)
	w.expectOf(t, "before", "webhooks", "", "", 0, 0)
	sendWith(t, w.owner, apptest.Map{})
	w.Mails(t, w.owner.Email) // all jobs have finished
	w.expectOf(t, "gone", "webhooks", "has received nothing since", "has received nothing since", 1, 1)
	w.Login(t, w.owner.Email).Delete(t, "/webhooks/"+made.Text(t, "id"))
	w.expectOf(t, "removed", "webhooks", "", "", 1, 0)
}

// TestUsedUpQuotaIsWarnedOf lets a company use all it may store.
func TestUsedUpQuotaIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := toBeWarned(t, func(c *app.Config) { c.Server.Limits.CompanyDocuments = 10 })
	add := func(n int) {
		for range n {
			w.owner.Post(t, "/documents", apptest.Map{"title": "One"}).Want(t, http.StatusCreated)
		}
	}
	add(8)
	w.expect(t, "at 80 %", "quota", "", 0, 0)
	add(1)
	w.expect(t, "at 90 %", "quota", "of what it may store", 1, 1)
	add(1)
	w.expect(t, "full", "quota", "of what it may store!", 2, 2)
	other := w.Company(t)
	if page := string(w.Anonymous().Get(t, "/app/me", "Cookie", "paraph_session="+other.Token, "Accept", "text/html").Want(t, http.StatusOK).Body); strings.Contains(page, "of what it may store") {
		t.Error("the owner of another company is warned too")
	}
}

// TestDamageIsWarnedOf damages a file, and checks all data.
func TestDamageIsWarnedOf(t *testing.T) {
	t.Parallel()
	w := toBeWarned(t)
	w.owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "One"}, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.")})).Want(t, http.StatusCreated)
	files, err := filepath.Glob(filepath.Join(w.DataFolder(), "files", "*", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	check := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(files[0], content, 0o600); err != nil {
			t.Fatal(err)
		}
		operator := w.Login(t, w.operator.Email)
		operator.Post(t, "/installation/check", nil)
		w.Mails(t, w.operator.Email) // all jobs have finished
	}
	check(bytes.ToUpper(whole))
	w.expectOf(t, "damaged", "damage", "last check of all data!", "", 1, 2)
	check(whole)
	w.expectOf(t, "whole", "damage", "", "", 1, 0)
}

// TestOldBackupIsWarnedOf lets a week pass without a backup.
func TestOldBackupIsWarnedOf(t *testing.T) {
	t.Parallel()
	s, err := apptest.StartIn(t.TempDir(), app.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	operator := administrator(t, s)
	kinds := func() (all []string) {
		t.Helper()
		if err := s.Machine.Watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Machine.Holding() {
			if w.Kind == machine.WarningBackup {
				all = append(all, w.Urgency())
			}
		}
		return all
	}
	s.Advance(t, "192h")
	if got := kinds(); got != nil {
		t.Errorf("with nothing to lose: %v", got)
	}
	s.Login(t, operator.Email).Post(t, "/documents", apptest.Map{"title": "One"}).Want(t, http.StatusCreated)
	if got := kinds(); !slices.Equal(got, []string{"warning"}) {
		t.Errorf("after eight days: %v", got)
	}
	s.Advance(t, "192h")
	if got := kinds(); !slices.Equal(got, []string{"urgent"}) {
		t.Errorf("after sixteen days: %v", got)
	}
}

// TestUnusableTLSFilesAreWarnedOf replaces the certificate by something else.
func TestUnusableTLSFilesAreWarnedOf(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tls.pem")
	writePair(t, path, time.Now().AddDate(1, 0, 0))
	w := toBeWarned(t, func(c *app.Config) {
		c.Server.TLS.Mode, c.Server.TLS.Certificate, c.Server.TLS.Key = "files", path, path
	})
	if err := os.WriteFile(path, []byte("renewed"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.expectOf(t, "not a certificate", "tls", "can&#39;t be used!", "", 1, 2)
	writePair(t, path, time.Now().AddDate(2, 0, 0))
	w.expectOf(t, "renewed", "tls", "", "", 1, 0)
}

func TestSearchIsBehindOnceAChangeIsMissingForLong(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		moments [][3]uint64 // minutes, place, changes missing
		want    time.Duration
	}{
		"up to date":            {[][3]uint64{{0, 10, 0}, {9, 20, 0}}, 0},
		"busy, but follows":     {[][3]uint64{{0, 10, 5}, {5, 15, 5}, {9, 20, 5}}, 0},
		"stands still":          {[][3]uint64{{0, 10, 5}, {5, 10, 8}, {9, 10, 9}}, 9 * time.Minute},
		"too slow":              {[][3]uint64{{0, 10, 50}, {5, 20, 60}, {9, 30, 70}}, 9 * time.Minute},
		"stands after progress": {[][3]uint64{{0, 10, 5}, {5, 15, 5}, {9, 15, 5}}, 4 * time.Minute},
		"recovered":             {[][3]uint64{{0, 10, 5}, {8, 10, 5}, {9, 15, 0}, {10, 15, 1}}, 0},
	} {
		if got := app.SearchBehind(x.moments...); got != x.want {
			t.Errorf("%s: behind for %v, want %v", name, got, x.want)
		}
	}
}

// lineList returns a list of texts.
func lineList(t *testing.T, r *apptest.Response) []string {
	t.Helper()
	var list struct {
		Data []string `json:"data"`
	}
	r.Decode(t, &list)
	return list.Data
}
