package backup

// Next and Superfluous are the plan of a followed folder.
var (
	Next        = next
	Superfluous = superfluous
)
