package backup

// Next and Superfluous expose the plan of a followed folder.
var (
	Next        = next
	Superfluous = superfluous
)
