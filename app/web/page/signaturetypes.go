package page

import "strings"

// typeChoices are the choices of types that signatures may have, as values of a select; "" is any.
var typeChoices = []string{"", "drawn", "typed", "image", "drawn typed", "drawn image", "typed image"}

// SignatureTypeOptions returns the choices of allowed types of signatures as options.
func SignatureTypeOptions(r *Request, chosen []string) (out []Option) {
	for _, v := range typeChoices {
		out = append(out, Option{Value: v, Label: r.Say("marks." + strings.ReplaceAll(v, " ", "_")), Selected: v == strings.Join(chosen, " ")})
	}
	return out
}

// ReadSignatureTypes reads the value of such an option.
func ReadSignatureTypes(v string) *[]string {
	types := strings.Fields(v)
	return &types
}
