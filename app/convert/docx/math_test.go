package docx_test

import (
	"strings"
	"testing"
)

// TestEquationsMeanTheSame shows equations in a row: what stands above, below and beside stays so.
func TestEquationsMeanTheSame(t *testing.T) {
	t.Parallel()
	run := func(s string) string { return "<m:r><m:t>" + s + "</m:t></m:r>" }
	in := func(name, s string) string { return "<m:" + name + ">" + s + "</m:" + name + ">" }
	val := func(name, s string) string { return `<m:` + name + ` m:val="` + s + `"/>` }
	fraction := func(num, den string) string { return in("f", in("num", num)+in("den", den)) }
	power := func(e, sup string) string { return in("sSup", in("e", e)+in("sup", sup)) }
	index := func(e, sub string) string { return in("sSub", in("e", e)+in("sub", sub)) }
	for want, math := range map[string]string{
		"1/12":         fraction(run("1"), run("12")),
		"(a+b)/(2c)":   fraction(run("a+b"), run("2c")),
		"(1/2)x":       fraction(run("1"), run("2")) + run("x"),
		"2 1/12":       run("2") + fraction(run("1"), run("12")),
		"1/(2/3)":      fraction(run("1"), fraction(run("2"), run("3"))),
		"12,5/100":     fraction(run("12,5"), run("100")),
		"x²":           power(run("x"), run("2")),
		"x⁻¹⁰":         power(run("x"), run("-10")),
		"x^n":          power(run("x"), run("n")),
		"x^(n+1)":      power(run("x"), run("n+1")),
		"(2x)²":        power(run("2x"), run("2")),
		"(a+b)²":       power(in("d", in("e", run("a+b"))), run("2")),
		"((a)(b))²":    power(run("(a)(b)"), run("2")),
		"x₁":           index(run("x"), run("1")),
		"x_i":          index(run("x"), run("i")),
		"x₁²":          in("sSubSup", in("e", run("x"))+in("sub", run("1"))+in("sup", run("2"))),
		"(1/2)³":       power(fraction(run("1"), run("2")), run("3")),
		"√(x+1)":       in("rad", in("radPr", val("degHide", "1"))+in("deg", "")+in("e", run("x+1"))),
		"∛(x)":         in("rad", in("deg", run("3"))+in("e", run("x"))),
		"⁵√(x)":        in("rad", in("deg", run("5"))+in("e", run("x"))),
		"∑_(i=1)^n i":  in("nary", in("naryPr", val("chr", "∑"))+in("sub", run("i=1"))+in("sup", run("n"))+in("e", run("i"))),
		"[a|b)":        in("d", in("dPr", val("begChr", "["))+in("e", run("a"))+in("e", run("b"))),
		"[1, 0; 0, 1]": in("m", in("mr", in("e", run("1"))+in("e", run("0")))+in("mr", in("e", run("0"))+in("e", run("1")))),
		"x̄":           in("acc", in("accPr", val("chr", "\u0304"))+in("e", run("x"))),
		"lim_(x→0) f":  in("func", in("fName", in("limLow", in("e", run("lim"))+in("lim", run("x→0"))))+in("e", run("f"))),
		"(n¦k)":        in("d", in("e", in("f", in("fPr", val("type", "noBar"))+in("num", run("n"))+in("den", run("k"))))),
		"a, whatever":  in("box", in("e", run("a,"))) + in("unknown", run(" whatever")),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			c, found := render(t, docxFile{body: "<w:p>" + r("", "At: ") + in("oMath", math) + "</w:p>"})
			if got := strings.ReplaceAll(c.pages[0].text(), "\n", " "); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll("At: "+want, " ", "") {
				t.Errorf("%q", got)
			}
			if !hasFinding(found, "equation") {
				t.Errorf("findings: %v", found)
			}
		})
	}
	c := body(t, "<w:p>"+r("", "2")+in("oMath", fraction(run("1"), run("12")))+"</w:p>")
	if got := c.pages[0].text(); strings.Contains(strings.ReplaceAll(got, "\n", ""), "21") {
		t.Errorf("2 and a twelfth is %q", got)
	}
}
