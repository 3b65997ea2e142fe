package page

import (
	"net/url"
	"time"

	"paraph/app/fault"
	"paraph/app/httpkit"
)

// Form holds the values of a submitted form.
type Form struct {
	Values url.Values
	Files  map[string]formFile
}

// formFile is a small file submitted with a form, such as a picture of a signature.
type formFile struct {
	Name string
	Data []byte
}

// Value returns the value of an input, "" if it has none.
func (f Form) Value(name string) string { return f.Values.Get(name) }

// Has reports whether an input was sent.
func (f Form) Has(name string) bool { return f.Values.Has(name) }

// Body opens the body of the request, within the limits of its route.
func (r *Request) Body() (*httpkit.Body, error) {
	return r.site.Kit.Body(r.Ctx, r.rule, httpkit.CallerOf(r.Who.Call, r.ClientIP()))
}

// ReadForm reads a whole form, including its small files. It refuses forms from
// other sites.
func (r *Request) ReadForm() error {
	return r.Files(func(p *httpkit.Part) error {
		b, err := p.Gather(r.UserContext())
		if err != nil {
			return err
		}
		if p.File != "" || len(b) > 0 {
			r.Form.Files[p.Field] = formFile{p.File, b}
		}
		return nil
	})
}

// Files reads a form and calls take for each file while it arrives. By then the
// fields before the file are in r.Form; the token must be among them.
func (r *Request) Files(take func(*httpkit.Part) error) error {
	r.Form = Form{Values: url.Values{}, Files: map[string]formFile{}}
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

// Time returns the value of an input of type datetime-local.
func (f Form) Time(name string, zone *time.Location) (*time.Time, error) {
	at, err := time.ParseInLocation("2006-01-02T15:04", f.Value(name), zone)
	if err != nil {
		return nil, fault.Invalid(name, "not_a_time")
	}
	return &at, nil
}
