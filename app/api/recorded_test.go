package api_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"paraph/app/account"
	"paraph/app/apptest"
)

// evidenceOf returns the first person of a completed document's evidence.
func evidenceOf(t *testing.T, c *apptest.Client, at string) obj {
	t.Helper()
	var out struct{ Signatories []obj }
	files := unzipped(t, c.Post(t, at+"/download", obj{"format": "zip"}).Want(t, 200).Body)
	if err := json.Unmarshal([]byte(files["evidence.json"]), &out); err != nil {
		t.Fatal(err)
	}
	return out.Signatories[0]
}

// TestActsAreRecordedAsWhoseTheyAre acts in a person's name and as that person, and reads what
// the API and the evidence say about it.
func TestActsAreRecordedAsWhoseTheyAre(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, x := range []struct {
		name   string
		member bool
		act    string
		body   obj
		event  string
		null   []string // entries of a person's own acts that stay empty
	}{
		{"a member opens", true, "/view", nil, "", []string{"viewed_at"}},
		{"a member signs", true, "/sign", obj{"consent": true}, "invitation.signed", []string{"viewed_at"}},
		{"the person signs", false, "/sign", obj{"consent": true}, "invitation.signed", []string{"viewed_at"}},
		{"a member declines", true, "/decline", obj{"reason": "Invented."}, "invitation.declined", []string{"viewed_at", "declined_at", "declined_reason"}},
		{"the person declines", false, "/decline", obj{"reason": "Mine."}, "invitation.declined", nil},
		{"a member delegates", true, "/delegate", obj{"name": "Eve", "email": "eve@signer.example"}, "invitation.replaced", []string{"viewed_at"}},
		{"the person delegates", false, "/delegate", obj{"name": "Eve", "email": "eve@signer.example"}, "invitation.delegated", nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			d := sent(t, c, 1)
			at, who := "/documents/"+d.Text(t, "id"), c
			if !x.member {
				who = c.Server.With(link(t, d, 0))
			}
			who.Post(t, at+"/"+d.Text(t, "invitations.0.id")+x.act, x.body).Want(t, 200)
			d = c.Get(t, at).Want(t, 200)
			for _, name := range x.null {
				if got := d.At(t, "invitations.0."+name); got != nil {
					t.Errorf("%s is %v", name, got)
				}
			}
			kinds := c.Get(t, at+"/events?per_page=1000").Want(t, 200).Texts(t, "data", "type")
			if x.event == "" {
				if d.At(t, "invitations.0.recorded_by") != nil || slices.Contains(kinds, "invitation.viewed") {
					t.Errorf("noted: %v, %s", kinds, d.Body)
				}
				return
			}
			if by := d.At(t, "invitations.0.recorded_by"); (by != nil) != x.member || !slices.Contains(kinds, x.event) {
				t.Errorf("recorded by %v, events %v", by, kinds)
			}
			if x.act != "/sign" {
				return
			}
			got := evidenceOf(t, c, at)
			if (got["recorded_by"] != nil) != x.member || got["consent"] != !x.member || got["viewed_at"] != nil {
				t.Errorf("the evidence is %v", got)
			}
		})
	}
}

// TestEvidenceSaysWhoSuppliedValues gives fields of one name to the sender and the signatory.
func TestEvidenceSaysWhoSuppliedValues(t *testing.T) {
	t.Parallel()
	c := company(t)
	for _, member := range []bool{false, true} {
		d := draft(t, c, 1)
		at, bob, file := "/documents/"+d.Text(t, "id"), d.Text(t, "invitations.0.id"), d.Text(t, "files.0.id")
		field := func(y float64, more obj) obj {
			return merged(obj{"type": "text", "name": "rent", "file_id": file, "invitation_id": bob, "x": 0.1, "y": y, "width": 0.3, "height": 0.05}, more)
		}
		fields := c.Put(t, at+"/fields", obj{"fields": list{field(0.1, obj{"label": "Rent per month"}), field(0.3, obj{"read_only": true, "value": "9000"}),
			field(0.5, obj{"name": "city", "value": "Graz"})}}).Want(t, 200)
		d = c.Post(t, at+"/send", nil).Want(t, 200)
		who, entered := c.Server.With(link(t, d, 0)), "signatory"
		if member {
			who, entered = c, "recorded"
		}
		who.Post(t, at+"/"+bob+"/sign", obj{"consent": true, "fields": obj{fields.Text(t, "data.0.id"): "700"}}).Want(t, 200)
		values, _ := evidenceOf(t, c, at)["values"].([]any)
		got := map[string]string{}
		for _, v := range values {
			v := v.(map[string]any)
			got[v["label"].(string)+" "+v["value"].(string)] = v["supplied"].(string)
		}
		for what, want := range map[string]string{"Rent per month 700": entered, "rent 9000": "sender", "city Graz": "sender"} {
			if got[what] != want {
				t.Errorf("%s is supplied by %q, want %q: %v", what, got[what], want, values)
			}
		}
	}
}

// TestWhatWasApprovedStays changes what was approved, before and after it is sent.
func TestWhatWasApprovedStays(t *testing.T) {
	t.Parallel()
	c := company(t)
	c.Patch(t, "/company", obj{"require_approval": true}).Want(t, 200)
	approver, member := c.Member(t, account.RoleApprover), c.Member(t, account.RoleMember)
	approved := func() string {
		at := "/documents/" + draft(t, member, 1, obj{"subject": "Approved"}).Text(t, "id")
		member.Post(t, at+"/submit", nil).Want(t, 200)
		approver.Post(t, at+"/approve", nil).Want(t, 200)
		return at
	}
	at := approved()
	for _, change := range []obj{{"subject": "Other"}, {"message": "Other"}, {"expires_at": "2040-01-01"}, {"remind_every_days": 2}, {"send_emails": false}} {
		failed(t, member.Post(t, at+"/send", change), 409, "approval_required")
		failed(t, member.Post(t, at+"/send", merged(change, obj{"send_at": time.Now().AddDate(0, 0, 2).Format(time.RFC3339)})), 409, "approval_required")
	}
	d := member.Post(t, at+"/send", obj{"subject": "Approved"}).Want(t, 200)
	bob := d.Text(t, "invitations.0.id")
	other := obj{"name": "Eve", "email": "eve@signer.example"}
	failed(t, member.Post(t, at+"/invitations/"+bob+"/replace", other), 409, "approval_required")
	failed(t, member.Post(t, at+"/"+bob+"/delegate", other), 409, "approval_required")
	approver.Post(t, at+"/invitations/"+bob+"/replace", other).Want(t, 200)
	approver.Post(t, approved()+"/send", obj{"subject": "Other"}).Want(t, 200)
}
