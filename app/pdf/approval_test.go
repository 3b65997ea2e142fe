package pdf_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"paraph/app/pdf"
)

// approval returns a file with a form that was approved without certification:
// a group of two text fields, a text field, a second signature field and a
// security store.
func approval() map[int]string {
	widget := "<</Type/Annot/Subtype/Widget/F 4/P 10 0 R"
	return map[int]string{
		1:  "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/DSS 5 0 R/Extensions 6 0 R/Foo 7 0 R>>",
		2:  "<</Type/Pages/Kids[10 0 R]/Count 1/MediaBox[0 0 612 792]>>",
		3:  "<</Fields[20 0 R 22 0 R 23 0 R 24 0 R]/SigFlags 3/DR<</Font<</F 4 0 R>>>>>>",
		4:  "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		5:  "<</Certs[30 0 R 31 0 R]/CRLs[32 0 R]/VRI 8 0 R>>",
		6:  "<</ESIC<</BaseVersion/1.7/ExtensionLevel 1>>>>",
		7:  "<</Foo/Bar/Baz(Quux)/Self 1 0 R>>",
		8:  "<</" + strings.Repeat("D", 40) + "<</Cert[30 0 R]>>>>",
		10: "<</Type/Page/Parent 2 0 R/Contents 11 0 R/Resources<</Font<</F 4 0 R>>>>/Annots 12 0 R>>",
		11: content("", "BT /F 9 Tf 72 700 Td (Text) Tj ET"),
		12: "[20 0 R 22 0 R 23 0 R 25 0 R 26 0 R]",
		20: widget + "/FT/Sig/T(Sig1)/V 21 0 R/Rect[10 10 60 30]/AP<</N 33 0 R>>>>",
		22: widget + "/FT/Sig/T(Sig2)/Rect[100 10 150 30]/AP<</N 34 0 R>>>>",
		23: widget + "/FT/Tx/T(Text)/Rect[200 10 300 30]/DA(/F 9 Tf)/V(old)/AP<</N 35 0 R>>>>",
		24: "<</T(Group)/FT/Tx/Kids[25 0 R 26 0 R]>>",
		25: widget + "/T(One)/Parent 24 0 R/Rect[200 40 300 60]/V(first)/AP<</N 36 0 R>>>>",
		26: widget + "/T(Two)/Parent 24 0 R/Rect[200 70 300 90]>>",
		30: content("", "0"), 31: content("", "1"), 32: content("", "2"),
		33: look("Somebody"), 34: look(""), 35: look("old"), 36: look("first"),
	}
}

func look(text string) string {
	return content("/Type/XObject/Subtype/Form/BBox[0 0 99 19]/Resources<</Font<</F 4 0 R>>>>", "BT /F 9 Tf 2 2 Td ("+text+") Tj ET")
}

// TestApprovals checks what may be appended to an approved file and what may
// not, with the cases that other verifiers judge by comparing revisions.
func TestApprovals(t *testing.T) {
	t.Parallel()
	v := victim{t, sealed(t, "", approval())}
	one, two, text := v.is(25), v.is(26), v.is(23)
	fill := func(body, value string) string {
		body = strings.NewReplacer("/V(old)", "", "/V(first)", "", "/AP<</N 35 0 R>>", "", "/AP<</N 36 0 R>>", "").Replace(body)
		return strings.Replace(body, "/F 4", "/F 4/V("+value+")/AP<</N 400 0 R>>", 1)
	}
	hidden := "<</Type/Annot/Subtype/Widget/F 132/P 10 0 R/Rect[0 0 0 0]/FT/Sig"
	form := func(more string) string { return v.edit(3, "24 0 R]", "24 0 R "+more+"]") }
	store := func(with string) map[int]string {
		return map[int]string{1: v.edit(1, "/DSS 5 0 R", "/DSS 400 0 R"), 400: with}
	}
	for name, c := range map[string]struct {
		objects map[int]string
		sound   bool
	}{
		"a field filled in":                   {map[int]string{26: fill(two, "x"), 400: look("x")}, true},
		"a field filled in again":             {map[int]string{23: fill(text, "new"), 400: look("new")}, true},
		"fields of a group":                   {map[int]string{25: fill(one, "x"), 26: fill(two, "x"), 400: look("x")}, true},
		"hidden value revealed":               {map[int]string{25: strings.Replace(one, "36 0 R", "400 0 R", 1), 400: look("else")}, false},
		"a hidden field, not signed":          {map[int]string{400: hidden + "/T(x)>>", 3: form("400 0 R"), 12: v.edit(12, "26 0 R", "26 0 R 400 0 R")}, true},
		"annotations made direct":             {map[int]string{400: hidden + "/T(x)>>", 3: form("400 0 R"), 10: v.edit(10, "12 0 R", "[20 0 R 22 0 R 23 0 R 25 0 R 26 0 R 400 0 R]")}, true},
		"a field without a page":              {map[int]string{400: "<</FT/Sig/T(x)>>", 3: form("400 0 R")}, true},
		"a visible field, not signed":         {map[int]string{400: strings.Replace(hidden, "[0 0 0 0]", "[9 99 99 199]", 1) + "/T(x)>>", 3: form("400 0 R"), 12: v.edit(12, "26 0 R", "26 0 R 400 0 R")}, false},
		"a visible field, recycled signature": {map[int]string{400: strings.Replace(hidden, "[0 0 0 0]", "[9 99 99 199]", 1) + "/T(x)/V 21 0 R>>", 3: form("400 0 R"), 12: v.edit(12, "26 0 R", "26 0 R 400 0 R")}, false},
		"a field without a type":              {map[int]string{400: "<</T(x)>>", 3: form("400 0 R")}, false},
		"a group with a field":                {map[int]string{400: "<</T(x)/Kids[401 0 R]>>", 401: "<</T(y)/FT/Sig/Parent 400 0 R>>", 3: form("400 0 R")}, true},
		"a field in a group that was there":   {map[int]string{24: v.edit(24, "26 0 R]", "26 0 R 400 0 R]"), 400: "<</T(x)/FT/Sig/Parent 24 0 R>>"}, false},
		"a text field":                        {map[int]string{400: "<</T(x)/FT/Tx/V(x)>>", 3: form("400 0 R")}, false},
		"a copy of a field":                   {map[int]string{400: strings.Replace(text, "(Text)", "(Other)", 1), 3: form("400 0 R")}, false},
		"type of a field":                     {map[int]string{23: v.edit(23, "/FT/Tx", "/FT/Ch")}, false},
		"kids that are strings":               {map[int]string{23: v.edit(23, "/FT/Tx", "/FT/Tx/Kids[(x)]")}, false},
		"kids that are numbers":               {map[int]string{24: "<</T(Group)/FT/Tx/Kids[1 2]>>"}, false},
		"kids that are not an array":          {map[int]string{24: "<</T(Group)/FT/Tx/Kids(x)>>"}, false},
		"pages that are strings":              {map[int]string{2: v.edit(2, "[10 0 R]", "[(x)]")}, false},
		"no pages":                            {map[int]string{2: "<</Type/Pages/Count 1/MediaBox[0 0 612 792]>>"}, false},
		"cyclic page tree":                    {map[int]string{2: v.edit(2, "[10 0 R]", "[2 0 R]")}, false},
		"appearance that is null":             {map[int]string{22: v.edit(22, "/AP<</N 34 0 R>>", "/AP null")}, false},
		"no name":                             {map[int]string{22: v.edit(22, "/T(Sig2)", "")}, false},
		"name of another":                     {map[int]string{22: v.edit(22, "(Sig2)", "(Sig1)")}, false},
		"name with a dot":                     {map[int]string{22: v.edit(22, "(Sig2)", "(Sig2.)")}, false},
		"annotation type":                     {map[int]string{22: v.edit(22, "/Type/Annot", "/Type/Foo")}, false},
		"annotation type removed":             {map[int]string{22: v.edit(22, "/Type/Annot", "")}, false},
		"annotations removed":                 {map[int]string{10: v.edit(10, "/Annots 12 0 R", "")}, false},
		"signature's annotation removed":      {map[int]string{12: v.edit(12, "20 0 R", "")}, false},
		"signature's dictionary":              {map[int]string{21: v.edit(21, "/Type/Sig", "/Type/Sig/Bleh false")}, false},
		"signature removed":                   {map[int]string{20: v.edit(20, "/V 21 0 R", "")}, false},
		"rewritten unchanged":                 {map[int]string{7: v.is(7), 11: v.is(11)}, true},
		"a stream turned into a dictionary":   {map[int]string{11: "<</Length 33>>"}, false},
		"an entry of the catalog":             {map[int]string{7: "<</Foo/Bar>>"}, false},
		"extensions":                          {map[int]string{6: "<</ESIC<</BaseVersion/1.7/ExtensionLevel 5>>>>"}, true},
		"a new entry in the catalog":          {map[int]string{1: v.edit(1, "/Foo 7 0 R", "/Foo 7 0 R/Bar 1")}, false},
		"more validation data":                {map[int]string{5: v.edit(5, "31 0 R", "31 0 R 400 0 R"), 400: content("", "x")}, true},
		"an expired certificate omitted":      {map[int]string{5: v.edit(5, "30 0 R 31 0 R", "30 0 R 400 0 R"), 400: content("", "x")}, true},
		"the store removed":                   {map[int]string{1: v.edit(1, "/DSS 5 0 R", "")}, false},
		"VRI removed":                         {map[int]string{5: v.edit(5, "/VRI 8 0 R", "")}, false},
		"a VRI entry removed":                 {map[int]string{8: "<</" + strings.Repeat("E", 40) + "<</Cert[30 0 R]>>>>"}, false},
		"a store with newer data":             {map[int]string{5: "<</Certs[400 0 R]/CRLs[401 0 R]/VRI 402 0 R>>", 400: content("", "x"), 401: content("", "y"), 402: "<</" + strings.Repeat("E", 40) + "<</CRL[401 0 R]>>>>"}, true},
		"a newer store without certificates":  {map[int]string{5: v.edit(5, "/Certs[30 0 R 31 0 R]/CRLs[32 0 R]", "/CRLs[401 0 R]"), 401: content("", "y")}, true},
		"certificates removed":                {map[int]string{5: v.edit(5, "/Certs[30 0 R 31 0 R]", "")}, false},
		"revocation lists removed":            {map[int]string{5: v.edit(5, "/CRLs[32 0 R]", "/OCSPs[401 0 R]"), 401: content("", "y")}, false},
		"certificates emptied":                {map[int]string{5: v.edit(5, "/Certs[30 0 R 31 0 R]/CRLs[32 0 R]", "/Certs[]/CRLs[401 0 R]"), 401: content("", "y")}, false},
		"a VRI entry changed":                 {map[int]string{8: "<</" + strings.Repeat("D", 40) + "<<>>>>"}, false},
		"a VRI entry gains a timestamp":       {map[int]string{8: v.edit(8, "<</Cert", "<</TS 400 0 R/Cert"), 400: content("", "x")}, true},
		"a new VRI entry with a timestamp":    {map[int]string{8: v.edit(8, "/DD", "/"+strings.Repeat("F", 40)+"<</TS()>>/DD")}, true},
		"a VRI entry with another key":        {map[int]string{8: v.edit(8, "/DD", "/Bleh<<>>/DD")}, false},
		"the store over an object in use":     {map[int]string{1: v.edit(1, "/DSS 5 0 R", "/DSS 7 0 R"), 7: v.is(5)}, false},
		"a store that is text":                {store("(x)"), false},
		"a store with another entry":          {store("<</Blah null/X 1>>"), false},
		"a store without certificates":        {store("<</Certs null>>"), false},
		"a store with a bad key":              {store("<</VRI<</Bleh null>>>>"), false},
		"a store with an empty entry":         {store("<</VRI<</" + strings.Repeat("F", 40) + "<</Bleh 1>>>>>>"), false},
	} {
		b := v.with(c.objects)
		if _, err := pdf.Open(bytes.NewReader(b), int64(len(b))); err != nil && !c.sound {
			continue // the file is not reported as sound at all
		}
		for who, s := range signatures(t, b) {
			if s.Sound() != c.sound {
				t.Errorf("%s: %s is sound: %v, %v %v", name, who, s.Sound(), s.Problems, forbiddenChanges(s))
			}
		}
	}
}

// TestArrangedApprovals covers files whose author made one object reachable
// from two places before approval: a change that is permitted in one place is
// reported for the other.
func TestArrangedApprovals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after map[int]string }{
		"the store is a page's content": {
			map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/DSS 11 0 R>>"},
			map[int]string{11: content("", "q Q")},
		},
		"the fields are an entry of the catalog": {
			map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/Blah 9 0 R>>", 3: "<</Fields 9 0 R/SigFlags 3>>", 9: "[20 0 R 22 0 R 23 0 R 24 0 R]"},
			map[int]string{9: "[20 0 R 22 0 R 23 0 R 24 0 R 400 0 R]", 400: "<</FT/Sig/T(x)>>"},
		},
		"the extensions are also a catalog entry": {
			map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/Extensions 6 0 R/DontOverrideMe 6 0 R>>"},
			map[int]string{6: "<</ESIC<</BaseVersion/1.7/ExtensionLevel 5>>>>"},
		},
		"an appearance is also a catalog entry": {
			map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/FooBar 35 0 R>>"},
			map[int]string{23: strings.Replace(approval()[23], "(old)", "(new)", 1), 35: look("new")},
		},
		"an appearance is reachable through the catalog": {
			map[int]string{1: "<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R/FooBar<</X[35 0 R]>>>>"},
			map[int]string{23: strings.Replace(approval()[23], "(old)", "(new)", 1), 35: look("new")},
		},
	} {
		objects := approval()
		maps.Copy(objects, c.before)
		b := sealed(t, "", objects)
		for who, s := range signatures(t, b) {
			if len(s.Problems) > 0 {
				t.Fatalf("%s: %s before: %v", name, who, s.Problems)
			}
		}
		for who, s := range signatures(t, patch(b, c.after)) {
			if s.Sound() {
				t.Errorf("%s: %s is sound: %+v", name, who, s.Later)
			}
		}
	}
}

// TestLocksOfApprovals locks fields by name, by group and by exclusion.
func TestLocksOfApprovals(t *testing.T) {
	t.Parallel()
	filled := func(v victim, n int, value string) []byte {
		body := strings.NewReplacer("/V(first)", "", "/AP<</N 36 0 R>>", "").Replace(v.is(n))
		return v.with(map[int]string{n: strings.Replace(body, "/F 4", "/F 4/V("+value+")/AP<</N 400 0 R>>", 1), 400: look(value)})
	}
	for lock, free := range map[string][2]bool{ // Group.One, Group.Two
		"/Action/Include/Fields[(Group.One)]":         {false, true},
		"/Action/Exclude/Fields[(Group.Two)]":         {false, true},
		"/Action/Include/Fields[(Group)]":             {false, false},
		"/Action/All":                                 {false, false},
		"/Action/Exclude/Fields[(Sig1)]":              {false, false},
		"/Action/Exclude/Fields[(Group)]":             {true, true},
		"/Action/Include/Fields[(Sig1)]":              {true, true},
		"/Action/Include/Fields[(Group.O)(Gro)(Two)]": {true, true}, // a prefix of a name is a different name
		"/Action/Unheard/Fields[(Sig1)]":              {false, false},
	} {
		params := fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/FieldMDP/TransformParams<</Type/TransformParams%s/V/1.2>>>>]", lock)
		v := victim{t, sealed(t, params, approval())}
		for i, want := range free {
			for who, s := range signatures(t, filled(v, 25+i, "x")) {
				if s.Sound() != want {
					t.Errorf("%s, field %d: %s is sound: %v, %v", lock, i, who, s.Sound(), forbiddenChanges(s))
				}
			}
		}
	}
}

// TestCertificationLevels applies the same changes at each certification level.
func TestCertificationLevels(t *testing.T) {
	t.Parallel()
	comment := "<</Type/Annot/Subtype/Text/Rect[9 99 29 119]/Contents(x)>>"
	for level, want := range map[int][4]bool{ // validation data, filling in, a comment, another page
		0: {true, true, false, false}, 1: {true, false, false, false},
		2: {true, true, false, false}, 3: {true, true, true, false},
	} {
		reference := ""
		objects := approval()
		if level > 0 {
			reference = fmt.Sprintf("/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P %d/V/1.2>>>>]", level)
			objects[1] = strings.Replace(objects[1], "/Pages", "/Perms<</DocMDP 21 0 R>>/Pages", 1)
		}
		v := victim{t, sealed(t, reference, objects)}
		for i, changes := range []map[int]string{
			{5: v.edit(5, "31 0 R", "31 0 R 400 0 R"), 400: content("", "x")},
			{26: v.edit(26, "/F 4", "/F 4/V(x)/AP<</N 400 0 R>>"), 400: look("x")},
			{400: comment, 12: v.edit(12, "26 0 R", "26 0 R 400 0 R")},
			{400: "<</Type/Page/Parent 2 0 R>>", 2: v.edit(2, "[10 0 R]/Count 1", "[10 0 R 400 0 R]/Count 2")},
		} {
			s := signatures(t, v.with(changes))["Sig1"]
			if s.Sound() != want[i] {
				t.Errorf("level %d, change %d: sound %v, %v", level, i, s.Sound(), forbiddenChanges(s))
			}
		}
	}
}

// TestOrphans covers unreachable objects: they count as changes only once
// something refers to them.
func TestOrphans(t *testing.T) {
	t.Parallel()
	objects := approval()
	objects[50] = "<</Type/Orphan>>"
	v := victim{t, sealed(t, "", objects)}
	text := func(more string) map[int]string {
		return map[int]string{50: look("new"), 23: strings.NewReplacer("(old)", "(new)", "35 0 R", more).Replace(v.is(23)), 400: look("new")}
	}
	for name, c := range map[string]struct {
		objects map[int]string
		sound   bool
	}{
		"changed":                 {map[int]string{50: "<</Type/Other>>"}, true},
		"changed next to a field": {text("400 0 R"), true},
		"referenced by the field": {text("50 0 R"), false},
	} {
		if s := signatures(t, v.with(c.objects))["Sig1"]; s.Sound() != c.sound {
			t.Errorf("%s: sound %v, %v", name, s.Sound(), forbiddenChanges(s))
		}
	}
}
