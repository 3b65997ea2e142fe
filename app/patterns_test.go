package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"paraph/app/apptest"
)

// TestCostlyPatternsDoNotDelayOthers sends the costliest accepted patterns, and worse
// ones that are refused, while another company works.
func TestCostlyPatternsDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	attacker, other := s.Company(t), s.Company(t)
	field := func(pattern string) apptest.Map {
		return apptest.Map{"type": "text", "invitation_id": "0", "x": 0, "y": 0, "width": .1, "height": .1, "pattern": pattern, "value": strings.Repeat("a", 990) + "b"}
	}
	many := func(pattern string) (all apptest.List) {
		for range 100 {
			all = append(all, field(pattern))
		}
		return all
	}
	d := attacker.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}},
		apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "A")})).Want(t, 201)
	at := "/documents/" + d.Text(t, "id") + "/fields"
	done := make(chan struct{})
	var all sync.WaitGroup
	const attacks = 12
	for i := range attacks {
		all.Go(func() {
			body := apptest.Map{"fields": many(`((a|b|[a-z]){1,90}.*){2}`)}
			if i%2 == 0 {
				body = apptest.Map{"fields": many(`(.*){1000}`)}
			}
			attacker.Put(t, at, body)
		})
	}
	go func() {
		all.Wait()
		close(done)
	}()
	writes := 0
	for working := true; working; writes++ {
		select {
		case <-done:
			working = false
		default:
		}
		other.Post(t, "/contacts", apptest.Map{"name": "Somebody", "email": fmt.Sprintf("somebody%d@contact.example", writes)}).Want(t, 201)
	}
	// If each of the attacker's requests held up the store, one write or two would
	// be stored between them.
	if writes < 5*attacks {
		t.Errorf("another company wrote %d times during %d requests", writes, attacks)
	}
	attacker.Put(t, at, apptest.Map{"fields": apptest.List{field(`(.*){1000}`)}}).Want(t, 422)
}
