package page

import (
	"strconv"
)

// Colours of people on paper: their number, and the letters that stand for them
// where colours can't be told apart.
const hues = 8

// LetterOf is what stands for the person at a place from 0 in a document: A to
// H, then AA to AH, BA and so on.
func LetterOf(i int) string {
	letter := string(rune('A' + i%hues))
	if i < hues {
		return letter
	}
	return string(rune('A'+(i/hues-1)%26)) + letter
}

// HueOf is the class that gives that person's colour: r1 to r8, and with "more"
// from the ninth person on, when colours come again.
func HueOf(i int) string {
	class := "r" + strconv.Itoa(i%hues+1)
	if i >= hues {
		class += " more"
	}
	return class
}
