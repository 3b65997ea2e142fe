package object

// An Appearance draws what a field shows: the content of a form XObject whose
// box is 0 0 Width Height, in points, upright as the reader sees the page.
// Turning it for rotated pages is the business of who places it.
type Appearance struct {
	Width, Height float64
	Content       []byte
	// Resources adds the fonts and images that Content uses and gives its
	// resource dictionary. nil means that Content uses none. It may be called
	// more than once, each time for another revision.
	Resources func(w Writer) Dict
}
