package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/blob"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/kv"
)

// unsealed is a document that one person has signed and that could not be sealed.
type unsealed struct {
	t      *testing.T
	server *apptest.Server
	owner  *apptest.Client
	remote *remote
	id     string
	link   string
}

// begun sends a document while the authority works, and returns it before anyone signs.
func begun(t *testing.T) unsealed {
	t.Helper()
	r := newRemote(t)
	s := withRemote(t, r)
	c := s.Company(t)
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: papers("", []paper{a4})}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}
	doc := d.send(t, c)
	return unsealed{t, s, c, r, doc.Text(t, "id"), doc.Text(t, "invitations.0.sign_url")}
}

func (u unsealed) document() *apptest.Response {
	u.t.Helper()
	return u.owner.Get(u.t, "/documents/"+u.id).Want(u.t, 200)
}

func (u unsealed) sign() *apptest.Response {
	u.t.Helper()
	return u.owner.Post(u.t, "/documents/"+u.id+"/"+u.document().Text(u.t, "invitations.0.id")+"/sign", apptest.Map{}).Want(u.t, 200)
}

// mails counts the messages of a kind to the owner.
func (u unsealed) mails(kind string) (n int, last apptest.Mail) {
	u.t.Helper()
	for _, m := range u.server.Mails(u.t, u.owner.Email) {
		if m.Kind == kind {
			n, last = n+1, m
		}
	}
	return n, last
}

// TestSealingThatFirstFailsInTheJobIsReported ends the request with the last
// signature before it can record that sealing failed, as a crash does.
func TestSealingThatFirstFailsInTheJobIsReported(t *testing.T) {
	t.Parallel()
	u := begun(t)
	ctx, cancel := context.WithCancel(t.Context())
	doc, who := u.document(), account.System(company(t, u.owner))
	u.remote.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if d, err := u.server.Signing.Drafts.Get(who, u.id); err != nil || d.Progress().Signed == 1 {
			cancel()
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := u.server.Signing.Signing.Sign(ctx, who, u.id, doc.Text(t, "invitations.0.id"), signing.SignInput{}); err != nil {
		t.Fatal(err)
	}
	if doc = u.document(); doc.Text(t, "attention") != "sealing" || doc.Text(t, "attention_message") != "Everyone has signed; the document is being sealed." {
		t.Fatalf("the request ended: %s", doc.Body)
	}
	if n, _ := u.mails("sealing_delayed"); n != 0 {
		t.Errorf("%d mails before an attempt of the job", n)
	}
	u.server.Advance(t, "1m")
	if doc = u.document(); !strings.Contains(doc.Text(t, "attention_message"), "timestamp authority") {
		t.Errorf("the job failed: %s", doc.Body)
	}
	n, mail := u.mails("sealing_delayed")
	if n != 1 || !strings.Contains(mail.Text, "timestamp authority") {
		t.Errorf("%d mails, the last: %s", n, mail.Text)
	}
}

func company(t *testing.T, c *apptest.Client) string {
	t.Helper()
	return c.Get(t, "/company").Want(t, 200).Text(t, "id")
}

// TestSealingNamesItsCauseUntilItIsGivenUp lets the job of a document fail for one
// reason after another, gives it up, and retries it.
func TestSealingNamesItsCauseUntilItIsGivenUp(t *testing.T) {
	t.Parallel()
	u := begun(t)
	u.remote.be("busy")
	u.sign()
	payload, err := json.Marshal(map[string]string{"Company": company(t, u.owner), "Document": u.id})
	if err != nil {
		t.Fatal(err)
	}
	dead := u.deadJob()
	fail := func(state string, why error) {
		t.Helper()
		err := u.server.DB().Update(func(tx *kv.Tx) error {
			return onFail(t, u.server)(tx, kv.Job{ID: dead, Kind: "seal", Payload: payload, State: state}, why)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		err  error
		want string
	}{
		{kv.ErrDiskFull, "The disk is full."}, {blob.ErrNoSpace, "The disk is full."},
		{pki.ErrExpired, "has expired."}, {fmt.Errorf("%w: %w", pki.ErrTimestamp, context.DeadlineExceeded), "timestamp authority"},
		{blob.ErrCorrupt, "damaged or missing"}, {blob.ErrNotFound, "damaged or missing"}, {pdf.ErrDamaged, "damaged or missing"},
		{kv.ErrStopped, "memory runs out"}, {context.DeadlineExceeded, "too long"}, {errors.New("panic: index out of range"), "unexpected error"},
	} {
		fail(kv.JobWaiting, fmt.Errorf("sealing: %w", x.err))
		doc := u.document()
		if m := doc.Text(t, "attention_message"); doc.Text(t, "attention") != "sealing" || !strings.Contains(m, x.want) || !strings.Contains(m, "retried automatically") {
			t.Errorf("%v: %s", x.err, m)
		}
		if n, last := u.mails("sealing_delayed"); n == 0 || !strings.Contains(joined(u.server.Mails(t, u.owner.Email)), x.want) {
			t.Errorf("%v: %d mails, the last: %s", x.err, n, last.Text)
		}
	}
	if n, _ := u.mails("sealing_delayed"); n != 7 {
		t.Errorf("%d mails about 7 causes", n)
	}
	fail(kv.JobDead, kv.ErrDiskFull)
	u.givenUp()
	u.retried()
}

func joined(all []apptest.Mail) string {
	var b strings.Builder
	for _, m := range all {
		b.WriteString(m.Text)
	}
	return b.String()
}

// onFail returns the failure handler of the sealing job.
func onFail(t *testing.T, s *apptest.Server) func(*kv.Tx, kv.Job, error) error {
	t.Helper()
	for _, h := range s.Signing.Handlers() {
		if h.Kind == "seal" {
			return h.OnFail
		}
	}
	t.Fatal("no handler for sealing jobs")
	return nil
}

// deadJob replaces the document's job with one that was given up.
func (u unsealed) deadJob() (id string) {
	u.t.Helper()
	err := u.server.DB().Update(func(tx *kv.Tx) error {
		if err := u.server.Jobs().Cancel(tx, "seal", u.id); err != nil {
			return err
		}
		return u.server.Jobs().Add(tx, kv.Job{ID: "hopeless", Kind: "seal", Payload: []byte("no JSON")})
	})
	if err != nil {
		u.t.Fatal(err)
	}
	u.server.Advance(u.t, "1s")
	if n := u.dead(); n != 1 {
		u.t.Fatalf("%d jobs were given up", n)
	}
	return "hopeless"
}

func (u unsealed) dead() int {
	u.t.Helper()
	var stats kv.JobStats
	err := u.server.DB().View(func(tx *kv.Tx) (err error) {
		stats, err = u.server.Jobs().Stats(tx)
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return stats.Dead
}

// givenUp expects everyone concerned to see that sealing was given up.
func (u unsealed) givenUp() {
	t := u.t
	t.Helper()
	doc := u.document()
	if m := doc.Text(t, "attention_message"); doc.Text(t, "attention") != "sealing_failed" || doc.Text(t, "status") != "sent" ||
		!strings.Contains(m, "The disk is full.") || !strings.Contains(m, "after many attempts") {
		t.Errorf("given up: %s", doc.Body)
	}
	if n, last := u.mails("sealing_failed"); n != 1 || !strings.Contains(last.Text, "The disk is full.") {
		t.Errorf("%d mails, the last: %s", n, last.Text)
	}
	if !strings.Contains(string(doc.Body), `"seal"`) {
		t.Errorf("sealing is not offered: %s", doc.Body)
	}
	_, link, _ := strings.Cut(u.link, "/s/")
	if page := u.server.Anonymous().Get(t, "/s/"+link); !strings.Contains(string(page.Body), "The document could not be sealed yet") {
		t.Errorf("the signatory's page: %d %.2000s", page.Status, page.Body)
	}
	u.server.Advance(t, "800h")
	u.owner.Token = u.server.Login(t, u.owner.Email).Token
	if doc := u.document(); doc.Text(t, "attention") != "sealing_failed" {
		t.Errorf("the document no longer shows the failure: %s", doc.Body)
	}
}

// retried retries sealing, first with the authority still down, then with it up.
func (u unsealed) retried() {
	t, at := u.t, "/documents/"+u.id+"/seal"
	t.Helper()
	u.owner.Member(t, account.RoleMember).Post(t, at, nil).Want(t, 403)
	u.server.Company(t).Post(t, at, nil).Want(t, 404)
	doc := u.owner.Post(t, at, nil).Want(t, 200)
	if doc.Text(t, "attention") != "sealing" || !strings.Contains(doc.Text(t, "attention_message"), "timestamp authority") {
		t.Errorf("retried while the authority is down: %s", doc.Body)
	}
	if n := u.dead(); n != 0 {
		t.Errorf("%d jobs are still given up", n)
	}
	u.remote.be("up")
	doc = u.owner.Post(t, at, nil).Want(t, 200)
	if doc.Text(t, "status") != "completed" || doc.At(t, "attention") != nil {
		t.Errorf("retried: %s", doc.Body)
	}
	if again := u.owner.Post(t, at, nil).Want(t, 200); again.Int(t, "version") != doc.Int(t, "version") {
		t.Errorf("a repetition changed the document: %s", again.Body)
	}
	draft := u.owner.Post(t, "/documents", apptest.Map{"title": "A"}).Want(t, 201)
	u.owner.Post(t, "/documents/"+draft.Text(t, "id")+"/seal", nil).Want(t, 409)
}
