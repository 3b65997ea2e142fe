package api_test

import (
	"strings"
	"testing"
	"time"

	"paraph/app/apptest"
)

// computed is a field with a formula. Such fields are optional by default.
func (d *conditional) computed(n, person int, kind, name, formula string, more obj) obj {
	x := d.field(n, person, kind, name, more)
	x["formula"] = formula
	if more["required"] == nil {
		delete(x, "required")
	}
	return x
}

// invoice has fields that are computed from what the first recipient enters.
func invoice(d *conditional) list {
	optional := obj{"required": false}
	money := obj{"format": "#,##0.00 €"}
	return list{
		d.field(1, 0, "signature", "s1", nil), d.field(2, 1, "signature", "s2", nil),
		d.field(3, 0, "number", "qty", optional), d.field(4, 0, "number", "Unit price", optional),
		d.field(5, 0, "select", "vat", obj{"required": false, "options": list{"7", "19"}}),
		d.field(6, 0, "date", "start", optional), d.field(7, 0, "checkbox", "express", optional),
		d.field(8, 0, "number", "fee", obj{"required": false, "condition": obj{"when": list{when("express", "equals", true)}}}),
		d.field(9, 0, "number", "rate", obj{"read_only": true, "value": "0.5"}),
		d.computed(10, 0, "number", "net", `qty * field("Unit price")`, money),
		d.computed(11, 0, "number", "gross", "net * (1 + number(vat) / 100)", money),
		d.computed(12, 0, "number", "total", "sum(gross, fee)", money),
		d.computed(13, 0, "date", "due", "start + 30", obj{"format": "DD.MM.YYYY"}),
		d.computed(14, 0, "text", "words", `join(" / ", qty, if(express, "express", "normal"))`, nil),
		d.computed(15, 0, "text", "large", `"Large."`, obj{"condition": obj{"when": list{when("total", "greater", 1000)}}}),
		d.computed(16, 0, "number", "each", "total / qty", obj{"max": 5000}),
		d.computed(17, 1, "number", "half", "total * rate", money),
	}
}

func TestFormulasAreComputedWhenSigning(t *testing.T) {
	t.Parallel()
	c := company(t)
	for name, tt := range map[string]struct {
		given   obj
		refused string // member and code
		values  string
		drawn   []string
	}{
		"nothing": {obj{}, "", "rate=0.5 words=normal", nil},
		"all": {obj{"qty": 3, "Unit price": "411.15", "vat": "19", "start": "2026-01-31", "express": true, "fee": "0.1"}, "",
			"qty=3 Unit price=411.15 vat=19 start=2026-01-31 express=true fee=0.1 rate=0.5 net=1233.45 gross=1467.81 total=1467.91 due=2026-03-02 " +
				"words=3 / express large=Large. each=489.303333333 half=733.96",
			[]string{"1.233,45 €", "1.467,91 €", "02.03.2026", "3 / express", "Large.", "733,96 €"}},
		"exact":          {obj{"qty": "0.1", "Unit price": "3", "vat": "7"}, "", "qty=0.1 Unit price=3 vat=7 rate=0.5 net=0.3 gross=0.32 total=0.32 words=0.1 / normal each=3.2 half=0.16", []string{"0,30 €", "0,32 €"}},
		"a hidden fee":   {obj{"fee": "7", "qty": "1"}, "", "qty=1 rate=0.5 words=1 / normal", nil},
		"only a fee":     {obj{"express": true, "fee": "7"}, "", "express=true fee=7 rate=0.5 total=7 words=express half=3.5", []string{"7,00 €", "3,50 €"}},
		"by zero":        {obj{"qty": 0, "Unit price": "1", "vat": "7"}, "fields.each formula_divided_by_zero", "", nil},
		"too large":      {obj{"qty": "1e15", "Unit price": "1e15"}, "fields.net formula_out_of_range", "", nil},
		"above its most": {obj{"qty": 1, "Unit price": "5001", "vat": "7"}, "fields.each too_great", "", nil},
		"posted":         {obj{"qty": 1, "total": "1"}, "fields.total read_only", "", nil},
		"posted, empty":  {obj{"due": ""}, "fields.due read_only", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newConditional(t, c)
			d.Patch(t, d.at, obj{"locale": "de"}).Want(t, 200)
			d.Put(t, d.at+"/fields", obj{"fields": invoice(d)}).Want(t, 200)
			d.Post(t, d.at+"/send", nil).Want(t, 200)
			r := d.Post(t, d.at+"/"+d.people[0]+"/sign", obj{"fields": tt.given})
			if at, code, refused := strings.Cut(tt.refused, " "); refused {
				if r = r.Want(t, 422); !strings.Contains(string(r.Body), `"`+at+`"`) || !strings.Contains(string(r.Body), `"`+code+`"`) {
					t.Errorf("want %s: %s", tt.refused, r.Body)
				}
				return
			}
			r.Want(t, 200)
			r = d.Post(t, d.at+"/"+d.people[1]+"/sign", obj{}).Want(t, 200)
			checkValues(t, r, tt.values)
			text := apptest.PagesText(t, d.Get(t, d.at+"/download").Want(t, 200).Body)
			for _, want := range tt.drawn {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not drawn: %s", want, text)
				}
			}
			if len(tt.drawn) == 0 && strings.Contains(text, "€") {
				t.Errorf("drawn is %s", text)
			}
		})
	}
}

func TestFormulasThatCannotWork(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	began := time.Now()
	for name, tt := range map[string]struct {
		kind, formula string
		more          obj
		want          string
	}{
		"all is well":       {"number", "n * 2 + twice", nil, ""},
		"unknown":           {"number", "nobody + 1", nil, "formula formula_field_unknown"},
		"later":             {"number", "second + 1", nil, "formula formula_field_later"},
		"itself":            {"number", "x + 1", nil, "formula formula_cycle"},
		"circle":            {"number", "circle + 1", nil, "formula formula_cycle"},
		"by its condition":  {"number", "n", obj{"condition": obj{"when": list{when("circle", "filled")}}}, "formula formula_cycle"},
		"no formula":        {"number", "n +", nil, "formula formula_syntax"},
		"wrong types":       {"number", "n + word", nil, "formula formula_types"},
		"wrong result":      {"number", "word", nil, "formula formula_result"},
		"a function":        {"number", "len(word)", nil, "formula formula_function_unknown"},
		"the environment":   {"number", "$env.n", nil, "formula formula_syntax"},
		"a range":           {"number", "sum(1..1000000000)", nil, "formula formula_types"},
		"an attachment":     {"text", "file", nil, "formula formula_field_unknown"},
		"too long":          {"number", "1" + strings.Repeat(" + 1", 300), nil, "formula too_long"},
		"too complex":       {"number", "1" + strings.Repeat("+1", 240), nil, "formula formula_too_complex"},
		"exponential":       {"number", strings.Repeat("(", 80) + "true" + strings.Repeat(" ?: true)", 80), nil, "formula formula_too_complex"},
		"deep":              {"number", strings.Repeat("(", 900), nil, "formula formula_syntax"},
		"a box":             {"checkbox", "true", nil, "formula formula_on_type"},
		"a value besides":   {"number", "n", obj{"value": "5"}, "value formula_with_value"},
		"required, allowed": {"number", "n", obj{"required": true}, ""},
		"of a masked one":   {"number", "secret", nil, "mask formula_of_masked"},
		"masked less":       {"number", "secret", obj{"mask": "paper"}, "mask formula_of_masked"},
		"masked as much":    {"number", "secret", obj{"mask": "all", "required": true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var circle obj // shows x, and so has to be masked where that is
			if tt.more["mask"] == "all" {
				circle = obj{"mask": "all"}
			}
			r := d.Put(t, d.at+"/fields", obj{"fields": list{d.computed(1, 0, tt.kind, "x", tt.formula, tt.more),
				d.field(2, 0, "number", "n", nil), d.computed(3, 0, "number", "twice", "n * 2", nil), d.field(4, 1, "number", "second", nil),
				d.computed(5, 0, "number", "circle", "x + 1", circle), d.field(6, 0, "text", "word", nil),
				d.field(7, 0, "attachment", "file", nil), d.field(8, 0, "number", "secret", obj{"mask": "all"})}})
			if tt.want == "" {
				if r.Want(t, 200); r.At(t, "data.0.read_only") != true || r.At(t, "data.0.required") != (tt.more != nil) || r.Text(t, "data.0.formula") != tt.formula {
					t.Errorf("stored is %s", r.Body)
				}
				return
			}
			at, code, _ := strings.Cut(tt.want, " ")
			if r = r.Want(t, 422); !strings.Contains(string(r.Body), `"`+code+`"`) || !strings.Contains(string(r.Body), `"fields.0.`+at+`"`) {
				t.Errorf("want %s: %s", tt.want, r.Body)
			}
		})
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func TestFormulasAreKept(t *testing.T) {
	t.Parallel()
	d := newConditional(t, company(t))
	fields := list{d.field(1, 0, "number", "a", obj{"read_only": true, "value": "{{rent}}", "type": "text"}),
		d.computed(2, 0, "number", "b", "number(a) * 12", obj{"format": "#,##0"}), d.field(3, 0, "signature", "s", nil),
		d.computed(4, 1, "number", "c", "b + 1", nil), d.field(5, 1, "signature", "s2", nil)}
	ids := d.Put(t, d.at+"/fields", obj{"fields": fields}).Want(t, 200).Texts(t, "data", "id")
	d.Delete(t, d.at+"/fields/"+ids[0]).Want(t, 422)
	d.Patch(t, d.at+"/fields/"+ids[0], obj{"name": "z"}).Want(t, 422)
	template := "/templates/" + d.Post(t, d.at+"/template", nil).Want(t, 201).Text(t, "id")
	for _, at := range []string{d.at, "/documents/" + d.Post(t, d.at+"/duplicate", nil).Want(t, 201).Text(t, "id"), template} {
		if r := d.Get(t, at).Want(t, 200); r.Text(t, "fields.1.formula") != "number(a) * 12" || r.At(t, "fields.1.value") != nil {
			t.Errorf("%s: %s", at, r.Body)
		}
	}

	roles := d.Get(t, template).Want(t, 200).Texts(t, "roles", "id")
	people := list{obj{"role": roles[0], "name": "Ann", "email": "ann@a.example"}, obj{"role": roles[1], "name": "Bo", "email": "bo@b.example"}}
	use := obj{"people": people, "variables": obj{"rent": "850.5"}, "send": true}
	failed(t, d.Post(t, template+"/documents", merged(use, obj{"values": obj{"b": "1"}})), 422, "values.b.value")
	made := d.Post(t, template+"/documents", use).Want(t, 201)
	at := "/documents/" + made.Text(t, "id")
	var r *apptest.Response
	for _, id := range made.Texts(t, "invitations", "id") {
		r = d.Post(t, at+"/"+id+"/sign", obj{}).Want(t, 200)
	}
	checkValues(t, r, "a=850.5 b=10206 c=10207")
	if again := d.Post(t, at+"/duplicate", nil).Want(t, 201); again.At(t, "fields.1.value") != nil {
		t.Errorf("a copy keeps what was computed: %s", again.Body)
	}

	// The signing order can change which values are known in time.
	d.Patch(t, d.at, obj{"signing_order": "parallel"}).Want(t, 200)
	if r := d.Post(t, d.at+"/send", nil).Want(t, 422); !strings.Contains(string(r.Body), "field_formula") {
		t.Errorf("sent: %s", r.Body)
	}
	if r := d.Patch(t, d.at+"/fields/"+ids[3], obj{"formula": "", "required": false}).Want(t, 200); r.At(t, "read_only") != false || r.At(t, "formula") != nil {
		t.Errorf("without a formula: %s", r.Body)
	}
}

func TestFormulasInTextTags(t *testing.T) {
	t.Parallel()
	c := company(t)
	file := apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "{{n;type=number}}\n{{twice;type=number;formula=n * 2}}\n{{signature1}}")}
	d := c.Post(t, "/documents", apptest.Multipart(t, obj{"title": "Tags", "text_tags": true, "invitations": signers(1), "send": true}, file)).Want(t, 201)
	at := "/documents/" + d.Text(t, "id") + "/" + d.Text(t, "invitations.0.id") + "/sign"
	checkValues(t, c.Post(t, at, obj{"fields": obj{"n": "1.1"}}).Want(t, 200), "n=1.1 twice=2.2")
}
