package page

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
)

// provePath is the page on which members confirm their identity again.
const provePath = "/app/me/prove"

// The names of that page's inputs begin with proofPrefix, to keep them apart from
// those of the form it holds back.
const (
	proofPrefix   = "proof."
	proofThen     = proofPrefix + "then"
	proofAgain    = proofPrefix + "again"
	proofPassword = proofPrefix + "password"
	proofCode     = proofPrefix + "code"
)

// provePage asks for a proof and carries along the form that needs it.
type provePage struct {
	Then    string
	Again   string // "yes": the form is resubmitted once the proof is accepted
	Held    []held
	App     bool
	Passkey bool
}

const proveTemplate Template[provePage] = "prove"

// held is one input of the form that is held back.
type held struct{ Name, Value string }

// askProof shows the page instead of an error. The form's input is kept.
func (r *Request) askProof() error {
	return proveTemplate.Render(r, http.StatusForbidden, r.proveForm(r.Path(), "yes"))
}

func (r *Request) proveForm(then, again string) View[provePage] {
	d := provePage{
		Then:    then,
		Again:   again,
		App:     r.Who.User.AuthenticatorApp || r.Who.User.RecoveryCodes > 0,
		Passkey: r.Who.User.Passkeys > 0,
	}
	for _, name := range slices.Sorted(maps.Keys(r.Form.Values)) {
		if name == formField || name == "ceremony" || name == "credential" || strings.HasPrefix(name, proofPrefix) {
			continue
		}
		for _, value := range r.Form.Values[name] {
			d.Held = append(d.Held, held{name, value})
		}
	}
	return With(Page{Title: r.Say("prove.title"), Scripts: []string{"access.js", "webauthn.js"}}, d)
}

// ShowProve asks for a proof on behalf of a page whose script needs one.
func ShowProve(r *Request) error {
	return proveTemplate.Render(r, http.StatusOK, r.proveForm(r.Inside(r.Query("next")), ""))
}

// BeginProof responds to a script with the challenge for a passkey.
func BeginProof(r *Request) error {
	return r.Ceremony(r.site.Accounts.Authentication.BeginPasskeyProof(r.Who.Call, r.BaseURL()))
}

// Prove checks a proof and continues: the browser resubmits the form that was held
// back, or returns to the page.
func Prove(r *Request) error {
	then, again := r.Inside(r.Form.Value(proofThen)), r.Form.Value(proofAgain)
	if err := r.checkProof(); err != nil {
		err = RenameFaults(err, func(name string) string {
			switch name {
			case "current_password", "code", "credential", "ceremony":
				return proofPassword
			}
			return ""
		})
		return proveTemplate.Again(r, err, r.proveForm(then, again))
	}
	if again == "" {
		return r.SeeOther(then)
	}
	return r.redirect(then, http.StatusTemporaryRedirect)
}

func (r *Request) checkProof() error {
	if credential := r.Form.Value("credential"); credential != "" {
		_, err := r.site.Accounts.Authentication.FinishPasskeyProof(r.Who.Call, r.Form.Value("ceremony"), []byte(credential))
		return err
	}
	p := account.Proof{Password: r.Form.Value(proofPassword), Code: r.Form.Value(proofCode)}
	if p == (account.Proof{}) {
		return fault.Invalid("current_password", "required")
	}
	_, err := r.site.Accounts.Authentication.ProveSession(r.UserContext(), r.Who.Call, p)
	return err
}
