package api_test

import (
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
	"paraph/app/tree"
)

// inclusion reads a proof from a response and checks it by itself.
func inclusion(t *testing.T, r *apptest.Response) tree.Head {
	t.Helper()
	p := tree.Proof{Checkpoint: r.Text(t, "checkpoint"), Key: r.Text(t, "key"), Index: int64(r.Int(t, "index")), EventHash: r.Text(t, "event_hash")}
	for _, h := range r.At(t, "hashes").(list) {
		p.Hashes = append(p.Hashes, h.(string))
	}
	head, err := p.Check()
	if err != nil {
		t.Errorf("%v in %s", err, r.Body)
	}
	return head
}

// TestCheckpointsProveDocuments completes documents between others, and proves each of
// them without asking the server anything else.
func TestCheckpointsProveDocuments(t *testing.T) {
	t.Parallel()
	s := server(t)
	c, other := s.Company(t), s.Company(t)
	if r := c.Get(t, "/checkpoints").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("a company without documents has %s", r.Body)
	}
	open := sent(t, c, 1)
	at := "/documents/" + open.Text(t, "id")
	failed(t, c.Get(t, at+"/proof"), 409, "no_checkpoint_yet")
	done := completed(t, c)
	events := c.Get(t, at+"/events").Want(t, 200)
	c.Patch(t, at, obj{"external_id": "after the checkpoint"}).Want(t, 200)

	for path, want := range map[string]*apptest.Response{
		at: events, "/documents/" + done.Text(t, "id"): c.Get(t, "/documents/"+done.Text(t, "id")+"/events").Want(t, 200),
	} {
		r := c.Get(t, path+"/proof").Want(t, 200)
		head := inclusion(t, r)
		ids, hashes := want.Texts(t, "data", "id"), want.Texts(t, "data", "hash")
		last := len(ids) - 1
		if r.Text(t, "event_id") != ids[last] || r.Text(t, "event_hash") != hashes[last] || r.Text(t, "rule") == "" {
			t.Errorf("%s: %s proves another event than %s", path, r.Body, ids[last])
		}
		newest := c.Get(t, "/checkpoints?per_page=1").Want(t, 200)
		if newest.Text(t, "data.0.checkpoint") != r.Text(t, "checkpoint") || newest.Text(t, "data.0.root") != head.Root.String() ||
			int64(newest.Int(t, "data.0.events")) != head.Size || newest.Text(t, "data.0.key") != r.Text(t, "key") {
			t.Errorf("the newest checkpoint is %s", newest.Body)
		}
		if !strings.Contains(newest.Text(t, "data.0.checkpoint"), c.CompanyID) || newest.Int(t, "meta.total") != 2 {
			t.Errorf("the checkpoints are %s", newest.Body)
		}
	}

	c.Member(t, account.RoleViewer).Get(t, "/checkpoints").Want(t, 200)
	for _, path := range []string{"/checkpoints", at + "/proof"} {
		failed(t, s.With(link(t, open, 0)).Get(t, path), 403, "signatory_not_allowed")
	}
	failed(t, other.Get(t, at+"/proof"), 404)
	if r := other.Get(t, "/checkpoints").Want(t, 200); r.Int(t, "meta.total") != 0 {
		t.Errorf("another company sees %s", r.Body)
	}
}
