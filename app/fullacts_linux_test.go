package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// fullAct is something that is tried when the disk is full.
type fullAct struct {
	name, method, path string
	body               any
	by                 *apptest.Client
	about              string // path of the record that it changes
}

// TestNoActIsHalfDoneOnAFullDisk tries every act by which something is recorded while the disk is full: it is refused
// as a whole, nothing is said of it anywhere, no key is made or lost, and it can be done once there is room.
func TestNoActIsHalfDoneOnAFullDisk(t *testing.T) {
	onSmallDisk(t, func(t *testing.T, dir string) {
		data := filepath.Join(dir, "data")
		s, err := apptest.StartIn(data, app.NewClock(), func(c *app.Config) { c.Data.Reserve = 1 << 20 })
		if err != nil {
			t.Fatal(err)
		}
		owner := s.Company(t)
		acts := fullActs(t, s, owner)
		keys := keysFolder{t, data}
		said := func(path string) string {
			var v any
			owner.Get(t, path).Want(t, http.StatusOK).Decode(t, &v)
			sorted, err := json.Marshal(v) // the members of events have no order
			if err != nil {
				t.Fatal(err)
			}
			return string(sorted)
		}
		state := func(a fullAct) string {
			if strings.HasPrefix(a.about, "/documents/") {
				return said(a.about) + said(a.about+"/events?per_page=1000")
			}
			return said(a.about)
		}
		s.Mails(t, "eve@signer.example") // of the one document that sends any
		before, names := map[string]string{}, keys.names()
		for _, a := range acts {
			before[a.name] = state(a)
		}
		mails := said("/outbox?per_page=1")
		f := newFiller(t, dir)
		f.take(0)
		for _, a := range acts {
			r := a.by.Do(t, a.method, a.path, a.body)
			full := r.Status == http.StatusInsufficientStorage && strings.Contains(string(r.Body), noRoom)
			if share := strings.Contains(string(r.Body), `"company_full"`); !full && !share { // of a disk without space
				t.Errorf("%s on a full disk: %d %s", a.name, r.Status, r.Body)
			}
		}
		for _, a := range acts {
			if now := state(a); now != before[a.name] {
				t.Errorf("%s on a full disk is recorded: %s; before: %s", a.name, now, before[a.name])
			}
		}
		f.free()
		if got := said("/outbox?per_page=1"); got != mails {
			t.Errorf("something was sent: %s", got)
		}
		if now := keys.names(); !slices.Equal(now, names) {
			t.Errorf("keys: %v, before: %v", now, names)
		}
		for _, a := range acts {
			if r := a.by.Do(t, a.method, a.path, a.body); r.Status >= 300 {
				t.Errorf("%s once there is room: %d %s", a.name, r.Status, r.Body)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if got := call(t, "check", "--set", "data.dir="+data); got.code != 0 {
			t.Errorf("check: exit %d: %s%s", got.code, got.out, got.err)
		}
		if left, err := os.ReadDir(filepath.Join(data, "keys")); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.Contains(e.Name(), "tmp") }) {
			t.Errorf("keys: %v, %v", left, err)
		}
	})
}

// fullActs prepares one record for each act, so that none depends on another.
func fullActs(t *testing.T, s *apptest.Server, owner *apptest.Client) (all []fullAct) {
	t.Helper()
	type m = apptest.Map
	create := func(more m) *apptest.Response {
		fields := m{"title": "Lease", "send_emails": false, "allow_delegation": true, "invitations": apptest.List{m{"name": "Bob", "email": "bob@signer.example"}, m{"name": "Eve", "email": "eve@signer.example"}}}
		maps.Copy(fields, more)
		return owner.Post(t, "/documents", apptest.Multipart(t, fields, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "The rent is 700.")})).Want(t, http.StatusCreated)
	}
	act := func(name, method string, d *apptest.Response, path string, body any, by *apptest.Client) {
		at := "/documents/" + d.Text(t, "id")
		path = strings.NewReplacer("{invitation}", d.Text(t, "invitations.0.id"), "{file}", d.Text(t, "files.0.id")).Replace(path)
		all = append(all, fullAct{name, method, at + path, body, by, at})
	}
	link := func(d *apptest.Response) *apptest.Client {
		_, token, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
		return s.With(token)
	}
	sign := m{"consent": true, "signature": m{"type": "typed", "text": "Bob"}}
	for name, x := range map[string]struct {
		path  string
		body  any
		mails bool // without them, nobody may delegate
	}{
		"signing":      {"/{invitation}/sign", sign, false},
		"declining":    {"/{invitation}/decline", m{"reason": "Too dear."}, false},
		"handing over": {"/{invitation}/delegate", m{"name": "Kim", "email": "kim@signer.example"}, true},
		"looking":      {"/{invitation}/view", nil, false},
	} {
		d := create(m{"send": true, "send_emails": x.mails})
		act(name, http.MethodPost, d, x.path, x.body, link(d))
	}
	sent := func(name, method, path string, body any) {
		act(name, method, create(m{"send": true}), path, body, owner)
	}
	sent("filling in for somebody", http.MethodPost, "/{invitation}/sign", m{"signature": m{"type": "typed", "text": "Bob"}})
	sent("voiding", http.MethodPost, "/void", m{"reason": "A mistake."})
	sent("replacing", http.MethodPost, "/invitations/{invitation}/replace", m{"name": "Kim", "email": "kim@signer.example"})
	act("sending", http.MethodPost, create(nil), "/send", nil, owner)
	act("blacking out", http.MethodPost, create(nil), "/files/{file}/redact", m{"regions": apptest.List{m{"page": 1, "x": .1, "y": .1, "width": .5, "height": .5}}}, owner)
	act("changing a draft", http.MethodPatch, create(nil), "", m{"title": "Sublease"}, owner)
	act("moving to the trash", http.MethodDelete, create(nil), "", nil, owner)
	all = append(all,
		fullAct{"a new name, and with it a new key", http.MethodPatch, "/company", m{"name": "Renamed Ltd."}, owner, "/company"},
		fullAct{"another consent", http.MethodPatch, "/company", m{"consent_text": "I agree to everything."}, owner, "/company"},
		fullAct{"a new member", http.MethodPost, "/members", m{"name": "New", "email": "new@company.example"}, owner, "/members"},
		fullAct{"a new token", http.MethodPost, "/tokens", m{"name": "CI"}, owner, "/tokens"},
		fullAct{"a webhook", http.MethodPost, "/webhooks", m{"url": "https://hooks.example/"}, owner, "/webhooks"},
	)
	return all
}
