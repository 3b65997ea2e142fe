package api_test

import (
	"maps"
	"strings"
	"testing"

	"paraph/app/apptest"
)

// conditional is a draft for two people who sign one after the other.
type conditional struct {
	*apptest.Client
	at, file string
	people   []string
}

func newConditional(t *testing.T, c *apptest.Client) *conditional {
	t.Helper()
	d := c.Post(t, "/documents", obj{"title": "Rules", "signing_order": "sequential", "invitations": signers(2)}).Want(t, 201)
	out := &conditional{Client: c, at: "/documents/" + d.Text(t, "id")}
	out.people = c.Get(t, out.at).Want(t, 200).Texts(t, "invitations", "id")
	file := apptest.Multipart(t, nil, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.")})
	out.file = c.Post(t, out.at+"/upload", file).Want(t, 201).Text(t, "data.0.id")
	return out
}

// field returns a field of a recipient at its own position.
func (d *conditional) field(n, person int, kind, name string, more obj) obj {
	out := obj{"file_id": d.file, "invitation_id": d.people[person], "type": kind, "name": name, "page": 1,
		"x": .1, "y": .02 * float64(n), "width": .3, "height": .015, "required": true}
	maps.Copy(out, more)
	return out
}

func when(field, op string, value ...any) obj {
	out := obj{"field": field, "op": op}
	if len(value) > 0 {
		out["value"] = value[0]
	}
	return out
}

func on(tests ...any) obj { return obj{"condition": obj{"when": tests}} }

func TestConditionsDecideWhatIsAsked(t *testing.T) {
	t.Parallel()
	c := company(t)
	fields := func(d *conditional) list {
		optional := obj{"required": false}
		return list{
			d.field(1, 0, "signature", "s1", nil), d.field(2, 1, "signature", "s2", nil),
			d.field(3, 0, "checkbox", "married", optional), d.field(4, 0, "number", "age", optional),
			d.field(5, 0, "select", "kind", obj{"required": false, "options": list{"person", "company"}}),
			d.field(6, 0, "radio", "", obj{"required": false, "group": "pay", "label": "Card"}),
			d.field(7, 0, "radio", "", obj{"required": false, "group": "pay", "label": "Cash"}),
			d.field(8, 0, "text", "spouse", on(when("married", "equals", true))),
			d.field(9, 0, "text", "maiden name", on(when("spouse", "contains", "a"))),
			d.field(10, 0, "text", "guardian", on(when("age", "less", 18))),
			d.field(11, 0, "text", "card", on(when("pay", "equals", "Card"))),
			d.field(12, 0, "text", "vat", obj{"required": false,
				"condition": obj{"then": "require", "match": "any", "when": list{when("kind", "equals", "company"), when("age", "greater", 99)}}}),
			d.field(13, 1, "text", "consent of spouse", on(when("married", "filled"))),
			d.field(14, 0, "text", "note", obj{"read_only": true, "value": "Seen.", "condition": obj{"when": list{when("married", "equals", false)}}}),
		}
	}
	for name, tt := range map[string]struct {
		first, second obj
		refused       string
		values        string // of the fields asked for, by name
	}{
		"nothing":        {obj{}, obj{}, "", "note=Seen."},
		"married":        {obj{"married": true}, obj{}, "fields.spouse", ""},
		"with a spouse":  {obj{"married": true, "spouse": "Bo"}, obj{"consent of spouse": "yes"}, "", "married=true spouse=Bo consent of spouse=yes"},
		"in a row":       {obj{"married": true, "spouse": "Ada"}, obj{}, "fields.maiden name", ""},
		"hidden, sent":   {obj{"spouse": "Ada", "maiden name": "x"}, obj{"consent of spouse": "yes"}, "", "note=Seen."},
		"young":          {obj{"age": 17.5}, obj{}, "fields.guardian", ""},
		"of age":         {obj{"age": 18, "guardian": "x"}, obj{}, "", "age=18 note=Seen."},
		"by card":        {obj{"pay": "Card"}, obj{}, "fields.card", ""},
		"in cash":        {obj{"pay": "Cash"}, obj{}, "", "=true note=Seen."},
		"a company":      {obj{"kind": "company"}, obj{}, "fields.vat", ""},
		"very old":       {obj{"age": "100"}, obj{}, "fields.vat", ""},
		"not required":   {obj{"kind": "person", "vat": "x"}, obj{}, "", "kind=person vat=x note=Seen."},
		"by the earlier": {obj{"married": "on", "spouse": "Bo"}, nil, "fields.consent of spouse", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newConditional(t, c)
			d.Put(t, d.at+"/fields", obj{"fields": fields(d)}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			sign := func(i int, values obj) *apptest.Response {
				return d.Post(t, d.at+"/"+d.people[i]+"/sign", obj{"fields": values})
			}
			r := sign(0, tt.first)
			if tt.refused != "" && tt.second != nil {
				wantOnly(t, r.Want(t, 422), tt.refused)
				return
			}
			r.Want(t, 200)
			if tt.second == nil {
				wantOnly(t, sign(1, obj{}).Want(t, 422), tt.refused)
				return
			}
			r = sign(1, tt.second).Want(t, 200)
			if r.Text(t, "status") != "completed" {
				t.Errorf("it is %s", r.Text(t, "status"))
			}
			checkValues(t, r, tt.values)
			text := apptest.PagesText(t, d.Get(t, d.at+"/download").Want(t, 200).Body)
			if strings.Contains(text, "Seen.") != strings.Contains(tt.values, "Seen.") || strings.Contains(text, "Ada") {
				t.Errorf("drawn is %q", text)
			}
		})
	}
}

// wantOnly checks that exactly one value was refused, because it is required.
func wantOnly(t *testing.T, r *apptest.Response, field string) {
	t.Helper()
	errors, _ := r.At(t, "errors").(map[string]any)
	if _, ok := errors[field]; !ok || len(errors) != 1 {
		t.Errorf("want only %s: %s", field, r.Body)
	}
}

// checkValues compares the values of the fields that are shown.
func checkValues(t *testing.T, r *apptest.Response, want string) {
	t.Helper()
	var all struct {
		Fields []struct {
			Name, Value, Type *string
			Hidden            bool
		}
	}
	r.Decode(t, &all)
	var got []string
	for _, x := range all.Fields {
		if x.Hidden && x.Value != nil {
			t.Errorf("a hidden field has the value %s", *x.Value)
		}
		if x.Value == nil || *x.Value == "false" || *x.Type == "signature" {
			continue
		}
		name := ""
		if x.Name != nil {
			name = *x.Name
		}
		got = append(got, name+"="+*x.Value)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("the values are %q, want %q", strings.Join(got, " "), want)
	}
}

func TestConditionsThatCannotWork(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	for name, tt := range map[string]struct {
		condition any
		want      string
	}{
		"unknown":          {on(when("nobody", "filled")), "condition.when.0.field condition_field_unknown"},
		"later":            {on(when("second", "filled")), "condition.when.0.field condition_field_later"},
		"itself":           {on(when("x", "filled")), "condition condition_cycle"},
		"circle":           {on(when("circle", "filled")), "condition condition_cycle"},
		"no name":          {on(obj{"op": "filled"}), "condition.when.0.field required"},
		"no such op":       {on(when("n", "like", "a")), "condition.when.0.op not_one_of"},
		"no value":         {on(when("n", "equals")), "condition.when.0.value required"},
		"not comparable":   {on(when("text", "greater", "a")), "condition.when.0.op not_one_of"},
		"not a number":     {on(when("n", "greater", "a")), "condition.when.0.value not_a_number"},
		"not an option":    {on(when("kind", "equals", "c")), "condition.when.0.value not_one_of"},
		"not a button":     {on(when("pay", "equals", "c")), "condition.when.0.value not_one_of"},
		"of a signature":   {on(when("s", "filled")), "condition.when.0.field condition_field_unknown"},
		"no such sequel":   {obj{"condition": obj{"then": "hide", "when": list{when("n", "filled")}}}, "condition.then not_one_of"},
		"no such match":    {obj{"condition": obj{"match": "none", "when": list{when("n", "filled")}}}, "condition.match not_one_of"},
		"too many":         {on(make(list, 21)...), "condition.when too_many"},
		"for a signature":  {obj{"type": "signature", "condition": obj{"when": list{when("n", "filled")}}}, "condition condition_on_signature"},
		"another's, known": {on(when("fixed", "equals", "F")), ""},
		"all is well":      {on(when("n", "less", 3), when("pay", "equals", "b"), when("kind", "not_equals", "a")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := d.field(1, 0, "text", "x", tt.condition.(obj))
			if tests, ok := x["condition"].(obj)["when"].([]any); ok && len(tests) > 20 {
				for i := range tests {
					tests[i] = when("n", "filled")
				}
			}
			r := d.Put(t, d.at+"/fields", obj{"fields": list{x, d.field(2, 0, "number", "n", nil),
				d.field(3, 0, "text", "circle", on(when("x", "filled"))), d.field(4, 1, "text", "second", nil),
				d.field(5, 0, "select", "kind", obj{"options": list{"a", "b"}}), d.field(6, 0, "text", "text", nil),
				d.field(7, 0, "radio", "", obj{"group": "pay", "label": "a"}), d.field(8, 0, "radio", "", obj{"group": "pay", "label": "b"}),
				d.field(9, 1, "text", "fixed", obj{"read_only": true, "value": "F"}), d.field(10, 0, "signature", "s", nil)}})
			if tt.want == "" {
				r.Want(t, 200)
				return
			}
			at, code, _ := strings.Cut(tt.want, " ")
			if r = r.Want(t, 422); !strings.Contains(string(r.Body), `"`+code+`"`) || !strings.Contains(string(r.Body), `"fields.0.`+at+`"`) {
				t.Errorf("want %s: %s", tt.want, r.Body)
			}
		})
	}
}

func TestConditionsAreKept(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	fields := list{d.field(1, 0, "checkbox", "a", nil), d.field(2, 0, "text", "b", on(when("a", "equals", true))),
		d.field(3, 1, "text", "c", on(when("b", "filled")))}
	ids := d.Put(t, d.at+"/fields", obj{"fields": fields}).Want(t, 200).Texts(t, "data", "id")
	d.Delete(t, d.at+"/fields/"+ids[0]).Want(t, 422)
	d.Patch(t, d.at+"/fields/"+ids[0], obj{"name": "z"}).Want(t, 422)
	d.Patch(t, d.at+"/fields/"+ids[1], obj{"label": "B"}).Want(t, 200)
	for _, at := range []string{
		d.at, "/documents/" + d.Post(t, d.at+"/duplicate", nil).Want(t, 201).Text(t, "id"),
		"/templates/" + d.Post(t, d.at+"/template", nil).Want(t, 201).Text(t, "id"),
	} {
		if r := d.Get(t, at).Want(t, 200); r.Text(t, "fields.1.condition.when.0.field") != "a" || r.Text(t, "fields.1.condition.then") != "show" {
			t.Errorf("%s: %s", at, r.Body)
		}
	}
	// The signing order can change which values are known in time.
	d.Patch(t, d.at, obj{"signing_order": "parallel"}).Want(t, 200)
	if r := d.Post(t, d.at+"/send", nil).Want(t, 422); !strings.Contains(string(r.Body), "field_condition") {
		t.Errorf("sent: %s", r.Body)
	}
	d.Patch(t, d.at+"/fields/"+ids[2], obj{"condition": obj{"when": list{}}}).Want(t, 200)
	d.Delete(t, d.at+"/fields/"+ids[1]).Want(t, 204)
	d.Post(t, d.at+"/send", nil).Want(t, 200)
}
