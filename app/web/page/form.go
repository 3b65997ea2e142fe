package page

import (
	"net/url"

	"paraph/app/httpkit"
)

// Form holds the values of a submitted form.
type Form struct {
	Values url.Values
	Files  map[string]sent
}

// sent is a small file that came with a form, such as a picture of a signature.
type sent struct {
	Name string
	Data []byte
}

// Value returns the value of an input, "" if it has none.
func (f Form) Value(name string) string { return f.Values.Get(name) }

// Has reports whether an input was sent.
func (f Form) Has(name string) bool { return f.Values.Has(name) }

// Body opens the body of the request, within the limits of its route.
func (r *Request) Body() (*httpkit.Body, error) {
	return r.site.Kit.Body(r.Ctx, r.rule, httpkit.CallerOf(r.Who.Actor, r.ClientIP()))
}

// ReadForm reads a form whole, its small files included, and refuses one from
// elsewhere.
func (r *Request) ReadForm() error {
	return r.Files(func(p *httpkit.Part) error {
		b, err := p.Gather(r.UserContext())
		if err != nil {
			return err
		}
		if p.File != "" || len(b) > 0 {
			r.Form.Files[p.Field] = sent{p.File, b}
		}
		return nil
	})
}

// Files reads a form and passes on its files one after the other, as they
// arrive. The fields before a file are in r.Form by then; the token must be
// among them.
func (r *Request) Files(take func(*httpkit.Part) error) error {
	r.Form = Form{Values: url.Values{}, Files: map[string]sent{}}
	if err := r.CheckOrigin(); err != nil {
		return err
	}
	body, err := r.Body()
	if err != nil {
		return err
	}
	err = body.Form(r.UserContext(), r.Form.Values, func(p *httpkit.Part) error {
		if err := r.CheckToken(r.Form.Value(formField)); err != nil {
			return err
		}
		return take(p)
	})
	if err != nil {
		return err
	}
	return r.CheckToken(r.Form.Value(formField))
}
