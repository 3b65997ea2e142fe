package page

import "net/http"

// secretsPage shows links or a code that the reader passes on to somebody.
type secretsPage struct {
	Name    string   // of the person they are for
	Secrets []string // links, or a code
	Back    string
}

// ShowSecrets shows links or a code for a person to the reader, who passes them on.
func (r *Request) ShowSecrets(title, name string, secrets []string, back string) error {
	return r.Render(http.StatusOK, "handed", Page{Title: title, Data: secretsPage{name, secrets, back}})
}
