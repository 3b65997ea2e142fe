package page

import "net/http"

const handedTemplate Template[secretsPage] = "handed"

// secretsPage shows links or a code that the reader passes on to somebody.
type secretsPage struct {
	Name    string   // of the person they are for
	Secrets []string // links, or a code
	Back    string
}

// ShowSecrets shows links or a code for a person to the reader, who passes them on.
func (r *Request) ShowSecrets(title, name string, secrets []string, back string) error {
	return handedTemplate.Render(r, http.StatusOK, With(Page{Title: title}, secretsPage{name, secrets, back}))
}
