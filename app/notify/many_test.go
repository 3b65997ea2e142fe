package notify_test

import (
	"fmt"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// TestAllOfVeryManyPeopleAreTold checks that each person is notified once, and
// that so is a person queued behind them.
func TestAllOfVeryManyPeopleAreTold(t *testing.T) {
	t.Parallel()
	people := 1000
	if testing.Short() { // with the race detector, a thousand people take minutes
		people = 250
	}
	c := apptest.New(t).Company(t)
	invited := apptest.List{}
	for i := range people {
		invited = append(invited, apptest.Map{"name": fmt.Sprint("Person ", i), "email": fmt.Sprintf("p%d@many.example", i)})
	}
	send := func(title string, invited apptest.List) string {
		return c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": title, "send": true, "invitations": invited},
			apptest.File{Name: "a.pdf", Content: apptest.PDF(t, title)})).Want(t, 201).Text(t, "id")
	}
	id := send(strings.Repeat("To very many ", 15), invited)
	c.Post(t, "/documents/"+id+"/void", apptest.Map{"reason": "Over."}).Want(t, 200)
	send("Behind", apptest.List{apptest.Map{"name": "Last", "email": "last@many.example"}})
	if err := c.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	voided, last := map[string]int{}, 0
	messages, _, err := c.Notify.List("", 0, 5000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		switch {
		case m.Kind == "voided":
			voided[m.To]++
		case m.To == "last@many.example":
			last++
		}
	}
	for to, n := range voided {
		if n != 1 {
			t.Errorf("%s is told %d times", to, n)
		}
	}
	if len(voided) != people || last != 1 {
		t.Errorf("%d of %d people are told of the end, the one behind them %d times", len(voided), people, last)
	}
}
