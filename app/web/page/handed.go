package page

import "net/http"

// handedPage shows a link or code that the reader hands to somebody.
type handedPage struct {
	Name    string   // of the person it is for
	Secrets []string // links, or a code
	Back    string
}

// ShowHanded shows a link or code for a person, to a reader who gives it to them.
func (r *Request) ShowHanded(title, name string, secrets []string, back string) error {
	return r.Render(http.StatusOK, "handed", Page{Title: title, Data: handedPage{name, secrets, back}})
}
