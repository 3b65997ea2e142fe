package signing_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"paraph/app/apptest/domain"
	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
)

// box returns a person's field on the first page.
func box(kind, email string, change ...func(*record.FieldInput)) record.FieldInput {
	in := record.FieldInput{Type: &kind, Invitation: &email, X: new(.1), Y: new(.1), Width: new(.2), Height: new(.05)}
	for _, c := range change {
		c(&in)
	}
	return in
}

// lower moves a field away from those of other people.
func lower(in *record.FieldInput) { in.Y = new(.6) }

// TestValuesAreCheckedByType sets default values, which follow the rules for what people
// fill in.
func TestValuesAreCheckedByType(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	options := func(in *record.FieldInput) { in.Options = &[]string{"red", "blue"} }
	limits := func(low, high float64) func(*record.FieldInput) {
		return func(in *record.FieldInput) { in.Min, in.Max = &low, &high }
	}
	inFormat := func(p string) func(*record.FieldInput) { return func(in *record.FieldInput) { in.Pattern = &p } }
	type change = func(*record.FieldInput)
	shown := func(p string) change { return func(in *record.FieldInput) { in.Format = &p } }
	for _, x := range []struct {
		kind        string
		rules       []change
		given, want string // want is the stored value, or "!" and the refusal
	}{
		{"text", nil, " some text ", "some text"},
		{"text", nil, "two\nlines", "two\nlines"},
		{"text", nil, "a\x07b", "!value control_characters"},
		{"text", nil, strings.Repeat("x", 10_000), strings.Repeat("x", 10_000)},
		{"text", nil, strings.Repeat("x", 10_001), "!value too_long"},
		{"text", []change{limits(2, 4)}, "ab", "ab"},
		{"text", []change{limits(2, 4)}, "a", "!value too_few_characters"},
		{"text", []change{limits(2, 4)}, "äöüß", "äöüß"},
		{"text", []change{limits(2, 4)}, "abcde", "!value too_many_characters"},
		{"text", []change{inFormat("[A-Z]{2}[0-9]+")}, "AT12", "AT12"},
		{"text", []change{inFormat("[A-Z]{2}[0-9]+")}, "AT12x", "!value not_in_format"},
		{"text", []change{inFormat("[")}, "x", "!pattern not_a_pattern"},
		{"number", nil, " 1.50 ", "1.50"},
		{"number", nil, "-3", "-3"},
		{"number", nil, "1,5", "1.5"},
		{"number", nil, "1,5,0", "!value not_a_number"},
		{"number", nil, "NaN", "!value not_a_number"},
		{"number", nil, "-Inf", "!value not_a_number"},
		{"number", nil, "1e999", "!value not_a_number"},
		{"number", nil, "0x1p4", "!value not_a_number"},
		{"number", nil, "0x_1p4", "!value not_a_number"},
		{"number", []change{limits(1, 5)}, "1", "1"},
		{"number", []change{limits(1, 5)}, "0.99", "!value too_small"},
		{"number", []change{limits(1, 5)}, "5", "5"},
		{"number", []change{limits(1, 5)}, "5.01", "!value too_great"},
		{"number", []change{limits(5, 1)}, "3", "!max max_below_min, value too_small"},
		{"number", []change{limits(3, 3)}, "3", "3"},
		{"number", []change{shown("#,##0.00")}, "1234.5", "1234.5"},
		{"number", []change{shown("#,##0.00")}, "1234.567", "!value too_many_decimals"},
		{"number", []change{shown("two decimals")}, "1", "!format not_a_number_format"},
		{"date", []change{shown("DD.MM.YYYY")}, "2026-02-28", "2026-02-28"},
		{"date", []change{shown("DD.MM")}, "2026-02-28", "!format not_a_date_format"},
		{"text", []change{shown("anything")}, "x", "x"},
		{"date", nil, "2026-02-28", "2026-02-28"},
		{"date", nil, "2026-02-28T23:00:00+02:00", "2026-02-28"},
		{"date", nil, "2026-02-29", "!value not_a_date"},
		{"date", nil, "28.2.2026", "2026-02-28"},
		{"date", nil, "28.2.", "!value not_a_date"},
		{"date", nil, "0000-01-01", "!value not_a_date"},
		{"date", nil, "9999-12-31", "9999-12-31"},
		{"date", nil, "0001-01-01", "0001-01-01"},
		{"checkbox", nil, "Yes", "true"},
		{"checkbox", nil, "on", "true"},
		{"checkbox", nil, "1", "true"},
		{"checkbox", nil, "checked", "true"},
		{"checkbox", nil, "true", "true"},
		{"checkbox", nil, "no", "false"},
		{"checkbox", nil, "OFF", "false"},
		{"checkbox", nil, "0", "false"},
		{"checkbox", nil, "false", "false"},
		{"checkbox", nil, "maybe", "!value not_true_or_false"},
		{"email", nil, "a@x.example", "a@x.example"},
		{"email", nil, "nonsense", "!value not_an_email"},
		{"select", []change{options}, "red", "red"},
		{"select", []change{options}, "Red", "!value not_one_of"},
		{"select", nil, "red", "!options required"},
		{"radio", []change{options}, "blue", "blue"},
		{"radio", []change{options}, "true", "!value not_one_of"},
		{"radio", nil, "yes", "true"},
		{"radio", nil, "blue", "!value not_true_or_false"},
	} {
		d := ok[doc](t)(c.Signing.Drafts.Duplicate(c.author, c.blank(t).ID))
		in := box(x.kind, "a@x.example", x.rules...)
		in.Value = &x.given
		d, err := c.Signing.Drafts.AddFields(t.Context(), c.author, d.ID, []record.FieldInput{in})
		got := ""
		if err != nil {
			got = "!" + strings.ReplaceAll(domain.Refusal(err), "fields.0.", "")
		} else {
			got = d.Fields[0].Value
		}
		if got != x.want {
			t.Errorf("%s %.40q: got %.60q, want %.60q", x.kind, x.given, got, x.want)
		}
	}
}

// blank returns a draft with one person and no fields.
func (c company) blank(t *testing.T) doc {
	t.Helper()
	return c.Draft(t, c.author, record.DocumentInput{}, domain.Signers("a@x.example")...)
}

// filling sends a document with fields of every kind that people fill in.
func filling(t *testing.T, c company) doc {
	t.Helper()
	named := func(name string, more ...func(*record.FieldInput)) func(*record.FieldInput) {
		return func(in *record.FieldInput) {
			in.Name = &name
			for _, m := range more {
				m(in)
			}
		}
	}
	optional := func(in *record.FieldInput) { in.Required = new(false) }
	preset := func(v string) func(*record.FieldInput) { return func(in *record.FieldInput) { in.Value = &v } }
	readOnly := func(in *record.FieldInput) { in.ReadOnly = new(true) }
	group := func(in *record.FieldInput) { in.Group = new("colour") }
	a := "a@x.example"
	d := c.Draft(t, c.author, record.DocumentInput{}, domain.Signers(a, "b@x.example")...)
	d = ok[doc](t)(c.Signing.Drafts.AddFields(t.Context(), c.author, d.ID, []record.FieldInput{
		box("text", a, named("city")), box("number", a, named("age", optional)), box("checkbox", a, named("agreed", func(in *record.FieldInput) { in.Required = new(true) })),
		box("date_signed", a, named("day")), box("name", a, named("who")), box("email", a, named("mail")),
		box("text", a, named("fixed", preset("as agreed"), readOnly)), box("text", a, named("draft", preset("a proposal"))),
		box("radio", a, named("red", group)), box("radio", a, named("blue", group)),
		box("text", "b@x.example", named("theirs"), lower),
	}))
	return ok[doc](t)(c.Signing.Sending.Send(t.Context(), c.author, d.ID, signing.SendInput{}))
}

func TestFilledInFieldsAreChecked(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	d := filling(t, c)
	who := c.Signatory(t, d, "a@x.example")
	good := map[string]string{"city": "Graz", "agreed": "yes", "colour": "blue"}
	with := func(more ...string) map[string]string {
		m := maps.Clone(good)
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	sign := func(values map[string]string) (doc, error) {
		return c.Signing.Signing.Sign(t.Context(), who, d.ID, who.Invitation, signing.SignInput{Fields: values, Consent: new(true), Signature: &mark.Mark{Type: "typed", Text: "A"}})
	}
	for _, x := range []struct {
		values map[string]string
		want   string
	}{
		{nil, "fields.agreed required, fields.city required, fields.colour required"},
		{with("city", ""), "fields.city required"},
		{with("city", "  "), "fields.city required"},
		{with("agreed", "false"), "fields.agreed required"},
		{with("agreed", "no"), "fields.agreed required"},
		{with("agreed", "maybe"), "fields.agreed not_true_or_false"},
		{with("age", "old"), "fields.age not_a_number"},
		{with("fixed", "other"), "fields.fixed read_only"},
		{with("day", "2001-01-01"), "fields.day read_only"},
		{with("unknown", "x"), "fields.unknown no_such_field"},
		{with("theirs", "x"), "fields.theirs no_such_field"},
		{with("colour", "green"), "fields.colour no_such_field, fields.colour required"},
		{with("red", "true"), "fields.colour several_choices"},
		{with("mail", "nonsense"), "fields.mail not_an_email"},
	} {
		now, err := sign(x.values)
		if got := domain.Refusal(err); !same(got, x.want) {
			t.Errorf("%v: got %q, want %q", x.values, got, x.want)
		}
		if now != nil {
			t.Fatalf("%v was accepted", x.values)
		}
	}
	now, err := sign(with("age", " 41 ", "who", "Ann B. Lee"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, x := range now.Fields {
		if x.Value != "" || x.Filled {
			got[x.Name] = x.Value
		}
	}
	want := map[string]string{"city": "Graz", "age": "41", "agreed": "true", "day": c.Now().Format("2006-01-02"), "who": "Ann B. Lee", "mail": "a@x.example",
		"fixed": "as agreed", "draft": "a proposal", "red": "false", "blue": "true"}
	if !maps.Equal(got, want) {
		t.Errorf("stored %v\nwant %v", got, want)
	}
}

// same reports whether two lists hold the same refusals in any order.
func same(a, b string) bool {
	x, y := strings.Split(a, ", "), strings.Split(b, ", ")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// TestInvalidFieldsAreRefused checks the position and the properties of a field.
func TestInvalidFieldsAreRefused(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	type f = *record.FieldInput
	d := c.Draft(t, c.author, record.DocumentInput{}, domain.Person{Email: "a@x.example"}, domain.Person{Email: "v@x.example", Role: record.Viewer})
	for name, x := range map[string]struct {
		change func(in f)
		want   string
	}{
		"unchanged":             {func(f) {}, ""},
		"no type":               {func(in f) { in.Type = nil }, "type required"},
		"unknown type":          {func(in f) { in.Type = new("picture") }, "type not_one_of"},
		"nobody":                {func(in f) { in.Invitation = nil }, "invitation_id required"},
		"unknown person":        {func(in f) { in.Invitation = new("z@x.example") }, "invitation_id not_selectable"},
		"person by index":       {func(in f) { in.Invitation = new("0") }, ""},
		"person index too high": {func(in f) { in.Invitation = new("2") }, "invitation_id not_selectable"},
		"person index below 0":  {func(in f) { in.Invitation = new("-1") }, "invitation_id not_selectable"},
		"person in capitals":    {func(in f) { in.Invitation = new("A@X.example") }, ""},
		"empty person":          {func(in f) { in.Invitation = new("") }, "invitation_id not_selectable"},
		"viewer":                {func(in f) { in.Invitation = new("v@x.example") }, "invitation_id viewer_with_fields"},
		"unknown file":          {func(in f) { in.File = new("z.pdf") }, "file_id not_selectable"},
		"file by name":          {func(in f) { in.File = new("a.pdf") }, ""},
		"file by index":         {func(in f) { in.File = new("0") }, ""},
		"file index too high":   {func(in f) { in.File = new("1") }, "file_id not_selectable"},
		"page 0":                {func(in f) { in.Page = new(0) }, "page not_between"},
		"page 1":                {func(in f) { in.Page = new(1) }, ""},
		"page 2":                {func(in f) { in.Page = new(2) }, "page not_between"},
		"no position":           {func(in f) { in.X, in.Width = nil, nil }, "width required, x required"},
		"whole page":            {func(in f) { in.X, in.Y, in.Width, in.Height = new(0.), new(0.), new(1.), new(1.) }, ""},
		"left of the page":      {func(in f) { in.X = new(-.01) }, "x not_a_fraction"},
		"above the page":        {func(in f) { in.Y = new(-.01) }, "y not_a_fraction"},
		"over the right edge":   {func(in f) { in.X = new(.81) }, "width over_right_edge"},
		"up to the right edge":  {func(in f) { in.X = new(.8) }, ""},
		"over the bottom":       {func(in f) { in.Y = new(.96) }, "height over_bottom_edge"},
		"up to the bottom":      {func(in f) { in.Y = new(.95) }, ""},
		"without width":         {func(in f) { in.Width = new(0.) }, "width not_a_fraction"},
		"too wide":              {func(in f) { in.Width = new(1.01) }, "width not_a_fraction"},
		"too high":              {func(in f) { in.Height = new(1.01) }, "height not_a_fraction"},
		"alignment":             {func(in f) { in.Align = new("top") }, "align not_one_of"},
		"centred":               {func(in f) { in.Align = new("center") }, ""},
		"tiny letters":          {func(in f) { in.FontSize = new(5.9) }, "font_size not_between"},
		"small letters":         {func(in f) { in.FontSize = new(6.) }, ""},
		"automatic letters":     {func(in f) { in.FontSize = new(0.) }, ""},
		"large letters":         {func(in f) { in.FontSize = new(144.) }, ""},
		"huge letters":          {func(in f) { in.FontSize = new(144.1) }, "font_size not_between"},
		"long name":             {func(in f) { in.Name = new(strings.Repeat("x", 256)) }, "name too_long"},
		"longest name":          {func(in f) { in.Name = new(strings.Repeat("x", 255)) }, ""},
		"name of two lines":     {func(in f) { in.Name = new("a\nb") }, "name control_characters"},
		"the same option twice": {func(in f) { in.Options = &[]string{"a", " a "} }, "options not_distinct"},
		"an empty option":       {func(in f) { in.Options = &[]string{"a", ""} }, "options not_distinct"},
		"too many options":      {func(in f) { in.Options = new(many(501)) }, "options too_many"},
		"many options":          {func(in f) { in.Options = new(many(500)) }, ""},
	} {
		in := box("text", "a@x.example")
		x.change(&in)
		now, err := c.Signing.Drafts.AddFields(t.Context(), c.author, d.ID, []record.FieldInput{in})
		if got := strings.ReplaceAll(domain.Refusal(err), "fields.0.", ""); got != x.want {
			t.Errorf("%s: got %q, want %q", name, got, x.want)
		}
		if err == nil && now.Fields[len(now.Fields)-1].Invitation != invited(d, "a@x.example").ID {
			t.Errorf("%s: the field belongs to someone else", name)
		}
	}
}

func many(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

func TestWhatIsRequiredByDefault(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	optional := []pdf.FieldType{pdf.FieldCheckbox, pdf.FieldAttachment, pdf.FieldLabel, pdf.FieldStrikethrough}
	var in []record.FieldInput
	for _, kind := range pdf.FieldTypes() {
		in = append(in, box(string(kind), "a@x.example", func(in *record.FieldInput) { in.Options = &[]string{"a"} }))
	}
	for _, x := range ok[doc](t)(c.Signing.Drafts.AddFields(t.Context(), c.author, c.blank(t).ID, in)).Fields {
		if want := !slices.Contains(optional, x.Type); x.Required != want {
			t.Errorf("%s: required is %v", x.Type, x.Required)
		}
	}
}
