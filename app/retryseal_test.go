package app_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest"
	"paraph/kv"
)

// TestSealingThatWasGivenUpIsRetriedByTheOperator lets the timestamp authority fail until the jobs of three documents
// give up. The operator then finds the documents and retries sealing from each place that offers it, first in vain.
func TestSealingThatWasGivenUpIsRetriedByTheOperator(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	s := withRemote(t, r)
	j := newJudges(t, s, r.keys.Roots()...)
	operator, c := administrator(t, s), s.Company(t)
	upload := papers("", []paper{a4})
	s.Anonymous().Post(t, "/test/clock", apptest.Map{"freeze": true}).Want(t, 200) // no attempt on its own
	d := deal{files: []apptest.File{{Name: "a.pdf", Content: upload}}, data: apptest.Map{"invitations": apptest.List{guest(0)}}}
	var sent []*apptest.Response
	for range 3 {
		sent = append(sent, d.send(t, c))
	}
	r.be("busy")
	var documents []string
	for _, doc := range sent {
		if doc = d.sign(t, c, doc); doc.Text(t, "attention") != "sealing" {
			t.Fatalf("after the signature the document is %s", doc.Body)
		}
		documents = append(documents, doc.Text(t, "id"))
	}
	asked := r.asked.Load()
	lastAttempt(t, s)
	s.Advance(t, "2h")
	if r.asked.Load() == asked {
		t.Error("the authority was not asked before sealing was given up")
	}
	for _, id := range documents {
		doc := c.Get(t, "/documents/"+id).Want(t, 200)
		if doc.Text(t, "attention") != "sealing_failed" || !strings.Contains(doc.Text(t, "attention_message"), "timestamp authority") {
			t.Fatalf("the document is not given up: %s", doc.Body)
		}
	}
	if r := operator.Get(t, "/installation").Want(t, 200); r.Int(t, "attention") != 3 || r.Int(t, "jobs.dead") != 3 {
		t.Errorf("the state of the installation is %s", r.Body)
	}

	b := browse(t, s)
	b.signIn(operator.Email, apptest.Password)
	byAPI := "/installation/companies/" + c.CompanyID + "/documents/" + documents[2] + "/retry"
	form := "/admin/companies/" + c.CompanyID + "/documents/" + documents[0] + "/retry"
	ailing := operator.Get(t, "/installation/attention").Want(t, 200)
	if got := ailing.Texts(t, "data", "document_id"); len(got) != 3 || !slices.Contains(got, documents[2]) {
		t.Errorf("the API lists %s", ailing.Body)
	}
	if page := b.get("/admin/attention"); !strings.Contains(page, form) || strings.Contains(page, "Deal") {
		t.Errorf("the page lists %s", page)
	}
	b.post(form)
	operator.Post(t, byAPI, nil).Want(t, 204)
	for _, id := range []string{documents[0], documents[2]} {
		if doc := c.Get(t, "/documents/"+id).Want(t, 200); doc.Text(t, "attention") != "sealing" || doc.Text(t, "status") != "sent" {
			t.Errorf("retried while the authority fails: %s", doc.Body)
		}
	}

	r.be("up")
	dead := retryForm.FindAllString(b.get("/admin/jobs?status=dead"), -1)
	if len(dead) != 1 {
		t.Fatalf("the page offers %v, want the job of the document that was not retried", dead)
	}
	b.post(dead[0])
	b.post(form)
	operator.Post(t, byAPI, nil).Want(t, 204)
	for i, id := range documents {
		doc := c.Get(t, "/documents/"+id).Want(t, 200)
		if doc.Text(t, "status") != "completed" || doc.At(t, "attention") != nil {
			t.Fatalf("retried once the authority answers: %s", doc.Body)
		}
		files, certificate := download(t, c, doc)
		for _, file := range [][]byte{files["a.pdf"], certificate} {
			path := j.file(t, file)
			j.verify(t, path, 0, withoutRevocation)
			timed(t, j, path, 2)
		}
		if i == 0 { // the other judges take seconds, and the files are alike
			j.completed(t, files["a.pdf"], sealed{upload: upload, first: true, signatures: 2, level: withoutRevocation})
		}
	}
	if page := b.get("/admin/attention"); strings.Contains(page, "/retry") {
		t.Errorf("the page still lists %s", page)
	}
	if r := operator.Get(t, "/installation").Want(t, 200); r.Int(t, "attention") != 0 || r.Int(t, "jobs.dead") != 0 {
		t.Errorf("the state of the installation is %s", r.Body)
	}
}

// retryForm finds the forms that retry a job.
var retryForm = regexp.MustCompile(`/admin/jobs/[\w.-]+/retry`)

// lastAttempt leaves the jobs that seal one attempt of the hundreds in which they would try for a month.
func lastAttempt(t *testing.T, s *apptest.Server) {
	t.Helper()
	attempts := 0
	for _, h := range s.Signing.Handlers() {
		if h.Kind == "seal" {
			attempts = len(h.Backoff)
		}
	}
	err := s.DB().Update(func(tx *kv.Tx) error {
		all, err := s.Jobs().List(tx, kv.JobWaiting, kv.Query{Limit: 100})
		if err != nil {
			return err
		}
		for _, job := range all.Items {
			if job.Kind != "seal" {
				continue
			}
			job.Attempts = attempts
			if err := s.Jobs().Add(tx, job); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
