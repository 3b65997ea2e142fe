package web

import "strconv"

// Colours of people on paper: their number, and the letters that stand for them
// where colours can't be told apart.
const hues = 8

// letterOf is what stands for the person at a place from 0 in a document: A to
// H, then AA to AH, BA and so on.
func letterOf(i int) string {
	letter := string(rune('A' + i%hues))
	if i < hues {
		return letter
	}
	return string(rune('A'+(i/hues-1)%26)) + letter
}

// hueOf is the class that gives that person's colour: r1 to r8, and with "more"
// from the ninth person on, when colours come again.
func hueOf(i int) string {
	class := "r" + strconv.Itoa(i%hues+1)
	if i >= hues {
		class += " more"
	}
	return class
}
