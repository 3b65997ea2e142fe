package api_test

import (
	"testing"

	"paraph/app/apptest"
)

// TestCompanyReminders checks that the company's reminder days and deadline
// apply to documents that set none, sent at once or step by step.
func TestCompanyReminders(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	c.Patch(t, "/company", apptest.Map{"reminder_days": []int{2, 4}, "default_expiry_days": 5}).Want(t, 200)
	data := apptest.Map{"title": "Lease", "send": true, "invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}}
	d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "Lease")})).Want(t, 201)
	id := d.Text(t, "id")
	if d.At(t, "expires_at") == nil {
		t.Error("the company's deadline is not set")
	}
	for day, want := range []int{0, 0, 1, 1, 2} {
		if got := c.Get(t, "/documents/"+id+"/invitations").Want(t, 200).Int(t, "data.0.reminders_sent"); got != want {
			t.Errorf("day %d: %d reminders, want %d", day, got, want)
		}
		s.Advance(t, "24h")
	}
	if got := c.Get(t, "/documents/"+id).Want(t, 200).Text(t, "status"); got != "expired" {
		t.Errorf("after the deadline: %s", got)
	}
}
