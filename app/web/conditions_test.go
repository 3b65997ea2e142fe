package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// depends returns a condition with one comparison.
func depends(then, field, op, value string) apptest.Map {
	test := apptest.Map{"field": field, "op": op}
	if value != "" {
		test["value"] = value
	}
	return apptest.Map{"then": then, "when": []any{test}}
}

// rules are fields that depend on each other.
func rules() []apptest.Map {
	radio := func(label string, page int, y float64) apptest.Map {
		return place("radio", label, page, y, "name", label, "group", "pay", "required", false)
	}
	return []apptest.Map{place("signature", "Signature", 2, .7),
		place("checkbox", "Pets", 1, .1, "required", false),
		place("text", "Animal", 1, .2, "condition", depends("show", "pets", "equals", "true")),
		place("text", "Breed", 1, .3, "condition", depends("show", "animal", "contains", "dog")),
		place("number", "Rooms", 1, .4, "required", false),
		place("text", "Reason", 1, .5, "required", false, "condition", depends("require", "rooms", "greater", "9")),
		radio("Card", 1, .6), radio("Cash", 1, .65), radio("Card", 2, .6),
		place("text", "Holder", 1, .7, "condition", depends("show", "pay", "equals", "Card")),
	}
}

// TestConditionsOnThePage checks that fields appear and disappear at once.
func TestConditionsOnThePage(t *testing.T) {
	t.Parallel()
	d := send(t, apptest.New(t), []apptest.Map{maria()}, rules()...)
	w := open(t, look{})
	w.visit(d.links[0])
	shown := func(want ...string) {
		t.Helper()
		w.until(fmt.Sprintf(`[...document.querySelectorAll("[data-when]")].filter(f => f.offsetParent).map(f => f.querySelector(".tag").firstChild.data.trim()).join(" ") === %q`,
			strings.Join(want, " ")))
	}
	left := func(done, all int) {
		t.Helper()
		w.until(fmt.Sprintf(`document.querySelector("#left").textContent.startsWith("%d of %d")`, done, all))
	}
	in := func(label string) chromedp.CSS {
		t.Helper()
		return chromedp.CSS("#" + get(w, chromedp.Evaluate[string](fmt.Sprintf(
			`[...document.querySelectorAll("label.tag")].find(l => l.firstChild.data.trim() === %q).htmlFor`, label))))
	}
	shown("Reason")
	left(0, 1)
	w.click(in("Pets"))
	shown("Animal", "Reason")
	left(0, 2)
	w.write(in("Animal"), "a dog")
	shown("Animal", "Breed", "Reason")
	left(1, 3)
	w.write(in("Breed"), "Poodle")
	w.write(in("Rooms"), "10")
	left(2, 4)
	w.click(in("Card"))
	shown("Animal", "Breed", "Reason", "Holder")
	left(2, 5)
	chosen := func(want string) { // of the buttons, of which the first and the last are one
		t.Helper()
		w.until(fmt.Sprintf(`[...document.querySelectorAll(".page input[type=radio]")].map(e => +e.checked).join("") === %q`, want))
	}
	chosen("101")
	w.click(in("Cash"))
	shown("Animal", "Breed", "Reason")
	chosen("010")
	w.click(chromedp.CSS("#" + get(w, chromedp.Evaluate[string](`[...document.querySelectorAll(".page input[type=radio]")].at(-1).id`))))
	shown("Animal", "Breed", "Reason", "Holder")
	chosen("101")
	w.click(in("Cash"))
	shown("Animal", "Breed", "Reason")
	w.click(in("Pets"))
	shown("Reason") // what depends on a hidden field is hidden too
	left(0, 2)
	w.write(in("Reason"), "Guests")
	w.click(`[data-mark="signature"]`)
	w.click("dialog[open] [data-adopt]")
	left(2, 2)
	w.click("#finish")
	w.heading("Everyone has signed")
	got := strings.Join(d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Texts(t, "fields", "value"), "|")
	if strings.Contains(got, "Poodle") || !strings.Contains(got, "Guests") {
		t.Errorf("the values are %q", got)
	}
}

// TestConditionsWithoutScript checks that the server decides, whatever the page shows.
func TestConditionsWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, rules()...)
	w := guest(t, s)
	w.Visit(d.links[0])
	inputs := map[string]string{}
	for _, label := range []string{"Pets", "Animal", "Breed"} {
		parts := strings.SplitN(w.HTML, ">"+label+"<", 2)
		if len(parts) < 2 {
			t.Fatalf("%s is not on the page", label)
		}
		inputs[label] = "#" + parts[0][strings.LastIndex(parts[0], `for="`)+5:len(parts[0])-1]
	}
	w.Write(inputs["Breed"], "Poodle")
	w.Click(inputs["Pets"])
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.See("#errors")
	if got := w.Read("#errors"); !strings.Contains(got, "Animal") || strings.Contains(got, "Breed") {
		t.Errorf("it complains about %q", got)
	}
	w.Write(inputs["Animal"], "cat")
	w.Click("#finish")
	w.Heading("Everyone has signed")
	got := strings.Join(d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Texts(t, "fields", "value"), "|")
	if strings.Contains(got, "Poodle") || !strings.Contains(got, "cat") {
		t.Errorf("the values are %q", got)
	}
}

// TestWhatOthersEnteredIsKeptFromRecipients reads the page and the API as somebody whose fields
// depend on what somebody else has entered.
func TestWhatOthersEnteredIsKeptFromRecipients(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	of := func(person string, f apptest.Map) apptest.Map { f["invitation_id"] = person; return f }
	about := func(then, label, field, op, value string, y float64, more ...any) apptest.Map {
		more = append(more, "help", "Help for "+label, "condition", depends(then, field, op, value))
		return of("1", place("text", label, 1, y, more...))
	}
	for married, want := range map[bool]struct {
		shown, hidden []string
		api           string // names, required ones with *, conditions in brackets
	}{
		true:  {[]string{"Spouse", "Own"}, []string{"Bachelor", "Since"}, "s2* spouse* own* double pet"},
		false: {[]string{"Bachelor", "Since", "Own"}, []string{"Spouse"}, "s2* bachelor* since*(bachelor) own double pet(bachelor)"},
	} {
		data := apptest.Map{"title": "Marriage", "signing_order": "sequential", "send": true,
			"invitations": apptest.List{apptest.Map{"name": "Ada", "email": "ada@signer.example", "position": 1}, apptest.Map{"name": "Ben", "email": "ben@signer.example", "position": 2}},
			"fields": apptest.List{of("0", place("signature", "S1", 2, .1)), of("1", place("signature", "S2", 2, .3)),
				of("0", place("checkbox", "Married", 1, .1, "required", false)),
				about("show", "Spouse", "married", "equals", "true", .2, "value", "Default spouse"),
				about("show", "Bachelor", "married", "empty", "", .3),
				about("show", "Since", "bachelor", "filled", "", .4),
				about("require", "Own", "married", "filled", "", .5, "required", false),
				of("1", place("number", "Double", 1, .6, "required", false, "formula", "if(married, 2, 1)")),
				of("1", place("text", "Pet", 1, .7, "required", false, "condition", apptest.Map{"then": "require", "when": apptest.List{
					apptest.Map{"field": "married", "op": "empty"}, apptest.Map{"field": "bachelor", "op": "filled"}}})),
			}}
		d := c.Post(t, "/documents", apptest.Multipart(t, data, apptest.File{Name: "a.pdf", Content: apptest.PDF(t, "One.", "Two.")})).Want(t, http.StatusCreated)
		at := "/documents/" + d.Text(t, "id")
		values := apptest.Map{"fields": apptest.Map{"married": married}}
		c.Post(t, at+"/"+d.Text(t, "invitations.0.id")+"/sign", values).Want(t, http.StatusOK)
		_, token, _ := strings.Cut(c.Get(t, at).Want(t, http.StatusOK).Text(t, "invitations.1.sign_url"), "/s/")
		html := string(c.Get(t, "/s/"+token).Want(t, http.StatusOK).Body)
		for _, label := range want.shown {
			if !strings.Contains(html, "Help for "+label) {
				t.Errorf("married %t: %s is missing", married, label)
			}
		}
		for _, label := range want.hidden {
			if strings.Contains(html, ">"+label+"<") || strings.Contains(html, "Help for "+label) || strings.Contains(html, "Default "+strings.ToLower(label)) {
				t.Errorf("married %t: %s is on the page", married, label)
			}
		}
		open := strings.Count(html, `{&#34;then&#34;:&#34;require`) // Pet, while it depends on Bachelor
		if strings.Contains(html, "holds") || open != strings.Count(want.api, "pet(") || strings.Count(html, "&#34;of&#34;") != 2*open {
			t.Errorf("married %t: the page tells which comparisons hold", married)
		}
		ben := *c
		ben.Token = token
		for _, path := range []string{at, at + "/fields"} {
			if got := told(t, ben.Get(t, path).Want(t, http.StatusOK)); got != want.api {
				t.Errorf("married %t: %s tells %s, want %s", married, path, got, want.api)
			}
		}
		for _, x := range c.Get(t, at).Want(t, http.StatusOK).At(t, "fields").([]any) {
			name, status := x.(map[string]any)["name"].(string), http.StatusNotFound
			if strings.Contains(" "+strings.NewReplacer("*", " ", "(", " ").Replace(want.api)+" ", " "+name+" ") {
				status = http.StatusOK
			}
			ben.Get(t, at+"/fields/"+x.(map[string]any)["id"].(string)).Want(t, status)
		}
		ben.Post(t, at+"/"+d.Text(t, "invitations.1.id")+"/sign", apptest.Map{"fields": apptest.Map{"spouse": "S", "bachelor": "B", "since": "1", "own": "O", "pet": "P"}}).
			Want(t, http.StatusOK)
		if got := told(t, ben.Get(t, at).Want(t, http.StatusOK)); got != want.api {
			t.Errorf("married %t: after signing it tells %s, want %s", married, got, want.api)
		}
	}
}

// told summarizes the fields in an API response.
func told(t *testing.T, r *apptest.Response) string {
	t.Helper()
	type field struct {
		Name      string
		Required  bool
		Formula   *string
		Condition *struct{ When []struct{ Field string } }
	}
	var d struct{ Fields, Data []field }
	r.Decode(t, &d)
	var out []string
	for _, x := range append(d.Fields, d.Data...) {
		s := x.Name
		if x.Required {
			s += "*"
		}
		if x.Formula != nil {
			t.Errorf("%s has the formula %s", x.Name, *x.Formula)
		}
		if x.Condition != nil {
			var names []string
			for _, c := range x.Condition.When {
				names = append(names, c.Field)
			}
			s += "(" + strings.Join(names, " ") + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// TestConditionsInTheEditor sets a condition in the panel and follows what it refers to.
func TestConditionsInTheEditor(t *testing.T) {
	t.Parallel()
	c := apptest.New(t).Company(t)
	d := newDraft(t, c, 1, maria())
	d.put(t, place("checkbox", "Pets", 1, .1, "name", ""), place("text", "Animal", 1, .3))
	w := team(t, c, look{width: 1280, height: 1000})
	w.edit(d)
	condition := func() string {
		t.Helper()
		r := c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK)
		if r.At(t, "data.1.condition") == nil {
			return ""
		}
		return url.QueryEscape(r.Text(t, "data.1.condition.then") + " " + r.Text(t, "data.1.condition.when.0.field") + " " + r.Text(t, "data.1.condition.when.0.op"))
	}
	pick := func(id, value string) {
		t.Helper()
		get(w, chromedp.Evaluate[bool](fmt.Sprintf(`(e => { e.value = [...e.options].find(o => o.value === %[2]q || o.textContent === %[2]q).value; return e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(%[1]q))`, id, value)))
	}
	w.click(`.box:nth-of-type(2)`)
	w.click("#tab-properties")
	w.click("#condition summary")
	w.until(`!!document.querySelector("#q-of option")`)
	pick("#q-then", "show")
	pick("#q-of", "Pets")
	w.saved()
	if got := condition(); got != "show+Pets+filled" {
		t.Fatalf("the condition is %q", got)
	}
	w.click(`.box:nth-of-type(1)`)
	w.click("#pane-properties details:last-of-type summary")
	w.write("#q-name", "animals") // appended to the name
	w.key("Tab", 0)
	w.saved()
	if got := condition(); got != "show+Petsanimals+filled" {
		t.Errorf("after a change of the name, the condition is %q", got)
	}
	w.run(chromedp.Focus(`.box:nth-of-type(1)`))
	w.key("Delete", 0)
	w.saved()
	var all struct{ Data []struct{ Condition any } }
	c.Get(t, "/documents/"+d.id+"/fields").Want(t, http.StatusOK).Decode(t, &all)
	if len(all.Data) != 1 || all.Data[0].Condition != nil {
		t.Errorf("after its field was deleted: %v", all)
	}
}
