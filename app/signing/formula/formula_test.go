package formula_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"paraph/app/signing/formula"
)

// known are the fields of the tests, with their types and values.
var known = map[string]struct {
	kind  formula.Type
	value string
}{
	"a": {formula.Number, "0.1"}, "b": {formula.Number, "0.2"}, "net": {formula.Number, "1234.50"}, "vat": {formula.Number, "19"},
	"zero": {formula.Number, "0"}, "none": {formula.Number, ""}, "huge": {formula.Number, "1e308"}, "tiny": {formula.Number, "1e-320"},
	"bad": {formula.Number, "abc"}, "long": {formula.Number, "0." + strings.Repeat("1", 9000)}, "deep": {formula.Number, "1e-999999999"},
	"start": {formula.Date, "2026-01-31"}, "end": {formula.Date, "2026-03-02"}, "never": {formula.Date, ""},
	"name": {formula.Text, "Ann"}, "more": {formula.Text, ""}, "qty": {formula.Text, "3"}, "unit price": {formula.Number, "2.5"},
	"yes": {formula.Truth, "true"}, "no": {formula.Truth, "false"}, "größe": {formula.Number, "7"}, "sum": {formula.Number, "5"},
	"big": {formula.Text, strings.Repeat("x", 5000)},
}

var errUnknown = errors.New("unknown")

func typeOf(name string) (formula.Type, error) {
	x, ok := known[name]
	if !ok {
		return formula.Nothing, errUnknown
	}
	return x.kind, nil
}

func inputs(decimals int) formula.Inputs {
	return formula.Inputs{
		Value:    func(name string) string { return known[name].value },
		Today:    time.Date(2026, 11, 23, 23, 30, 0, 0, time.FixedZone("", 3600)),
		Decimals: decimals,
	}
}

func TestFormulas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind     formula.Type
		decimals int
		formula  string
		want     string
	}{
		{formula.Number, -1, "a + b", "0.3"}, {formula.Number, -1, "100 / 3 * 3", "100"}, {formula.Number, 2, "net * (1 + vat / 100)", "1469.06"},
		{formula.Number, -1, "0.1 + 0.2 - 0.3", "0"}, {formula.Number, -1, "10 / 3", "3.333333333"}, {formula.Number, 2, "-10 / 3", "-3.33"},
		{formula.Number, 2, "1.005", "1.01"}, {formula.Number, 2, "-1.005", "-1.01"}, {formula.Number, 0, "-0.4", "0"},
		{formula.Number, -1, "round(2.5)", "3"}, {formula.Number, -1, "round(-2.5)", "-3"}, {formula.Number, -1, "round(1.2345, 2)", "1.23"},
		{formula.Number, -1, "floor(-1.5) + ceil(1.2) + abs(-4)", "4"}, {formula.Number, -1, "min(3, net, 2)", "2"}, {formula.Number, -1, "max(a, b)", "0.2"},
		{formula.Number, -1, "sum(a, none, b)", "0.3"}, {formula.Number, -1, "a + none", ""}, {formula.Number, -1, "sum(none, none)", ""},
		{formula.Number, -1, "a + (none ?? 1)", "1.1"}, {formula.Number, -1, "sum + 1", "6"}, {formula.Number, -1, "bad + 1", ""},
		{formula.Number, -1, `number(qty) * field("unit price")`, "7.5"}, {formula.Number, -1, "größe * 2", "14"}, {formula.Number, -1, "number(yes) + number(no)", "1"},
		{formula.Number, -1, "zero == 0 ? 0 : net / zero", "0"}, {formula.Number, -1, "if(yes and not no, 1, 2)", "1"}, {formula.Number, -1, "none > 5 ? 1 : 2", "2"},
		{formula.Number, -1, "none != 5 ? 1 : nil", "1"}, {formula.Number, -1, "yes ? nil : 1", ""}, {formula.Number, -1, "if(empty(none) && filled(net) || no, vat, 0)", "19"},
		{formula.Number, -1, "1 < vat < 20 ? 1 : 2", "1"}, {formula.Number, -1, "deep + 1", "1"}, {formula.Number, -1, "tiny * 0 + +2", "2"},
		{formula.Number, -1, "end - start", "30"}, {formula.Number, -1, "year(start) + month(start) + day(start)", "2058"}, {formula.Number, -1, "net // the price", "1234.5"},
		{formula.Date, -1, "start + 30", "2026-03-02"}, {formula.Date, -1, "start - 31", "2025-12-31"}, {formula.Date, -1, "add_months(start, 1)", "2026-02-28"},
		{formula.Date, -1, "add_years(start, -2)", "2024-01-31"}, {formula.Date, -1, "today() + 1", "2026-11-24"}, {formula.Date, -1, "never + 1", ""},
		{formula.Date, -1, `max(start, end, never, date("2026-02-01"))`, "2026-03-02"}, {formula.Date, -1, "start > end ? start : end", "2026-03-02"},
		{formula.Text, -1, `"Dear " + name`, "Dear Ann"}, {formula.Text, -1, `name + more`, ""}, {formula.Text, -1, `join(", ", name, more, net, start)`, "Ann, 1234.5, 2026-01-31"},
		{formula.Text, -1, `net >= 1000 and name == "Ann" ? "large" : "small"`, "large"}, {formula.Text, -1, `text(a + b)`, "0.3"}, {formula.Text, -1, `more ?? name ?? "?"`, "Ann"},
	} {
		f, err := formula.Compile(tt.formula, tt.kind, typeOf)
		if err != nil {
			t.Errorf("%s: %v", tt.formula, err)
			continue
		}
		if got, err := f.Compute(inputs(tt.decimals)); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.formula, got, err, tt.want)
		}
	}
}

func TestFormulasWithoutResult(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"net / zero": formula.ErrDivision, "1 / (a + b - 0.3)": formula.ErrDivision, "huge * 1": formula.ErrRange, "1000000000000000 * 1": formula.ErrRange,
		"huge * huge * huge * huge * huge": formula.ErrRange, "number(name)": formula.ErrValue, "year(start + 0.5)": formula.ErrRange,
		"year(start + 10000000)": formula.ErrRange, "year(add_years(start, 100000))": formula.ErrRange, "round(1, 10)": formula.ErrRange,
		"number(big + big + big)": formula.ErrRange,
	} {
		f, err := formula.Compile(text, formula.Number, typeOf)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Compute(inputs(-1)); !errors.Is(err, want) || got != "" {
			t.Errorf("%s: %q, %v; want %v", text, got, err, want)
		}
	}
	f, err := formula.Compile("big + big + big", formula.Text, typeOf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Compute(inputs(-1)); !errors.Is(err, formula.ErrRange) {
		t.Errorf("a text of 15,000 characters: %v", err)
	}
}

func TestRefusedFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]formula.Error{
		"": {Reason: formula.Syntax}, "a +": {Reason: formula.Syntax}, "(a": {Reason: formula.Syntax}, "a; b": {Reason: formula.Syntax},
		"let x = 1; x": {Reason: formula.Syntax}, "[1, 2]": {Reason: formula.Syntax}, "{a: 1}": {Reason: formula.Syntax}, "a.b": {Reason: formula.Syntax},
		"name[0]": {Reason: formula.Syntax}, "name[1:2]": {Reason: formula.Syntax}, `b"x"`: {Reason: formula.Syntax}, "a?.b": {Reason: formula.Syntax},
		"c + 1": {Reason: formula.UnknownField, Name: "c"}, `field("c")`: {Reason: formula.UnknownField, Name: "c"}, "$env": {Reason: formula.UnknownField, Name: "$env"},
		"len(name)": {Reason: formula.UnknownFunction, Name: "len"}, "now()": {Reason: formula.UnknownFunction, Name: "now"}, "map(1..9, #)": {Reason: formula.UnknownFunction, Name: "map"},
		"repeat(name, 1000000)": {Reason: formula.UnknownFunction, Name: "repeat"}, "a ^ b": {Reason: formula.WrongType, Name: "^"}, "a ** b": {Reason: formula.WrongType, Name: "**"},
		"1..1000000000": {Reason: formula.WrongType, Name: ".."}, `name matches "(a+)+$"`: {Reason: formula.WrongType, Name: "matches"}, "a + name": {Reason: formula.WrongType, Name: "+"},
		"a == name": {Reason: formula.WrongType, Name: "=="}, "yes < no": {Reason: formula.WrongType, Name: "<"}, "a ? 1 : 2": {Reason: formula.WrongType, Name: "?"},
		"if(yes, 1, name)": {Reason: formula.WrongType, Name: "if"}, "if(yes, 1)": {Reason: formula.WrongType, Name: "if"}, "round()": {Reason: formula.WrongType, Name: "round"},
		"today(1)": {Reason: formula.WrongType, Name: "today"}, "sum(name)": {Reason: formula.WrongType, Name: "sum"}, "a ?? name": {Reason: formula.WrongType, Name: "??"},
		"not a": {Reason: formula.WrongType, Name: "not"}, "-name": {Reason: formula.WrongType, Name: "-"}, "field(name)": {Reason: formula.WrongType, Name: "field"},
		`date(name)`: {Reason: formula.WrongType, Name: "date"}, `year(date("2026-02-30"))`: {Reason: formula.WrongType, Name: "date"},
		"name": {Reason: formula.WrongResult}, "start": {Reason: formula.WrongResult}, "yes": {Reason: formula.WrongResult},
	} {
		checkRefused(t, text, want)
	}
}

func checkRefused(t *testing.T, text string, want formula.Error) {
	t.Helper()
	var got *formula.Error
	if _, err := formula.Compile(text, formula.Number, typeOf); !errors.As(err, &got) {
		t.Errorf("%.60s: %v, want %v", text, err, &want)
	} else if got.Reason != want.Reason || got.Name != want.Name {
		t.Errorf("%.60s: %v, want %v", text, got, &want)
	}
}

func TestHostileFormulas(t *testing.T) {
	t.Parallel()
	began := time.Now()
	nested := func(before, after string, n int) string {
		return strings.Repeat(before, n) + "1" + strings.Repeat(after, n)
	}
	for _, text := range []string{
		strings.Repeat("(", 80) + "yes" + strings.Repeat(" ?: yes)", 80), // the parser uses the condition twice, each time
		nested("1 < (", ") < 2", 90), nested("-", "", 990), nested("not ", "", 240), nested("1 + ", "", 240), nested("if(yes, ", ", 1)", 80),
		strings.Repeat("1+", 499) + "1", strings.Repeat("9", 1001), strings.Repeat("(", 1_000_000),
	} {
		var refused *formula.Error
		_, err := formula.Compile(text, formula.Number, typeOf)
		if !errors.As(err, &refused) || refused.Reason == formula.UnknownField {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	f, err := formula.Compile(strings.Repeat("huge*", 99)+"huge", formula.Number, typeOf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Compute(inputs(-1)); !errors.Is(err, formula.ErrRange) {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("hostile formulas took %v", took)
	}
}

// FuzzCompile checks that no text makes the server fail, and that what is computed can be
// stored and drawn.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"round(net * (1 + vat / 100), 2)", `join(", ", name, text(start + 30))`, "if(yes, sum(a, b, none), 0) ?? 1", "a ?: b", "1 < a < 2",
		"#", "map(1..3, {# + 1})", "a | sum(b)", "let x = 1; x", "::sum(a)", "not in", "{", "[1][0]", `b"\x00"`, "`raw`", "0x1p-3", "1e999", "/* */",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []formula.Type{formula.Number, formula.Text, formula.Date} {
			c, err := formula.Compile(text, kind, typeOf)
			if err != nil {
				continue
			}
			if got, err := c.Compute(inputs(2)); err == nil && len([]rune(got)) > 10_000 {
				t.Errorf("%q gives a text of %d bytes", text, len(got))
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	for _, text := range []string{"net * (1 + vat / 100)", strings.Repeat("a+", 99) + "a"} {
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			for b.Loop() {
				f, err := formula.Compile(text, formula.Number, typeOf)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Compute(inputs(2)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
