package page

import (
	"fmt"
	"strconv"

	"paraph/app/signing/record"
	"paraph/app/words"
)

// hues is the number of colors for people on a document. Letters identify people where colors
// can't be told apart.
const hues = 8

// LetterOf returns the letter of the person at index i: A to H, then AA to AH, BA
// and so on.
func LetterOf(i int) string {
	letter := string(rune('A' + i%hues))
	if i < hues {
		return letter
	}
	return string(rune('A'+(i/hues-1)%26)) + letter
}

// HueOf returns the CSS class of that person's color: r1 to r8, with "more" from
// the ninth person on, when colors repeat.
func HueOf(i int) string {
	class := "r" + strconv.Itoa(i%hues+1)
	if i >= hues {
		class += " more"
	}
	return class
}

// StatusLooks holds the color and icon of each document status.
var StatusLooks = map[string]Chip{
	"draft":            {Kind: "", Icon: "pencil"},
	"pending_approval": {Kind: "violet", Icon: "hourglass"},
	"approved":         {Kind: "info", Icon: "shield-ok"},
	"rejected":         {Kind: "danger", Icon: "shield-no"},
	"sent":             {Kind: "accent", Icon: "sent"},
	"completed":        {Kind: "ok", Icon: "checks"},
	"expired":          {Kind: "warn", Icon: "expired"},
	"voided":           {Kind: "void", Icon: "void"},
}

// StatusChip returns the component "chip" for a status by its name in the API:
// {{template "chip" (status .Status)}}.
func StatusChip(l *words.Language, status string) (Chip, error) {
	look, ok := StatusLooks[status]
	if !ok {
		return look, fmt.Errorf("web: unknown status %q", status)
	}
	var err error
	look.Text, err = l.Text("status." + status)
	return look, err
}

// Badge is the component "badge": a signatory's letter and color with their
// progress.
type Badge struct {
	Letter, Color, State, Name, Text string
}

// NewBadge returns the badge of the person at index n. Those who have done something else look
// like those who have signed, and those who are not needed like those who were not asked yet.
func NewBadge(l *words.Language, n int, name, status string) Badge {
	text := l.Say("person.state", "name", name, "state", l.Say("person."+status))
	state := status
	switch status {
	case record.Read, record.FilledIn:
		state = record.Signed
	case record.NotNeeded:
		state = record.Pending
	}
	return Badge{Letter: LetterOf(n), Color: HueOf(n), State: state, Name: name, Text: text}
}
