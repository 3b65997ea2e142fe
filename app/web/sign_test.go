package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app"
	"paraph/app/apptest"
)

// sent is a document that waits for signatures.
type sent struct {
	*apptest.Client
	id    string
	links []string // of the people invited, in order
}

// send creates a document of two pages and sends it. Fields without an owner
// are the first person's.
func send(t testing.TB, s *apptest.Server, people []apptest.Map, fields ...apptest.Map) *sent {
	t.Helper()
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Map{"title": "Lease of a flat", "message": "Please sign soon."}).Want(t, http.StatusCreated).Text(t, "id")
	file := c.Post(t, "/documents/"+d+"/upload", apptest.Multipart(t, nil, apptest.File{Name: "lease.pdf", Content: apptest.PDF(t, "First page of the lease.", "Second page.")})).
		Want(t, http.StatusCreated).Text(t, "data.0.id")
	first := c.Post(t, "/documents/"+d+"/invite", apptest.Map{"invitations": people}).Want(t, http.StatusCreated).Text(t, "data.0.id")
	for _, f := range fields {
		f["file_id"], f["invitation_id"] = file, first
	}
	if len(fields) > 0 {
		c.Put(t, "/documents/"+d+"/fields", apptest.Map{"fields": fields}).Want(t, http.StatusOK)
	}
	r := c.Post(t, "/documents/"+d+"/send", apptest.Map{}).Want(t, http.StatusOK)
	out := &sent{Client: c, id: d}
	for _, x := range r.Texts(t, "invitations", "sign_url") {
		_, token, _ := strings.Cut(x, "/s/")
		out.links = append(out.links, s.URL+"/s/"+token)
	}
	return out
}

func (d *sent) status(t *testing.T) string {
	t.Helper()
	return d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK).Text(t, "status")
}

func maria(more ...string) apptest.Map {
	m := apptest.Map{"name": "Maria Silva", "email": "maria@signer.example"}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

func place(kind, label string, page int, y float64, more ...any) apptest.Map {
	f := apptest.Map{"type": kind, "label": label, "name": strings.ToLower(label), "page": page, "x": 0.1, "y": y, "width": 0.4, "height": 0.03, "required": true}
	for i := 0; i+1 < len(more); i += 2 {
		f[more[i].(string)] = more[i+1]
	}
	return f
}

func lease() []apptest.Map {
	return []apptest.Map{place("signature", "Signature", 2, 0.7), place("text", "City", 1, 0.3), place("checkbox", "Pets", 1, 0.5, "required", false)}
}

func withConsent(cfg *app.Config) { cfg.Signing.Consent = "I agree to sign electronically." }

func TestSignWithScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	w := open(t, look{})
	w.visit(d.links[0])
	w.until(`document.querySelector("#left").textContent.startsWith("0 of 3")`)
	w.click("#consent")
	w.click("#next")
	w.until(`document.activeElement.name?.startsWith("f.")`)
	w.run(chromedp.KeyEvent("Lisbon"))
	w.click("#next")
	w.until(`document.activeElement.dataset.mark === "signature"`)
	w.click(`[data-mark="signature"]`)
	w.see("dialog[open]")
	w.click("dialog[open] [data-adopt]")
	w.until(`document.querySelector("#left").textContent.startsWith("3 of 3") && document.activeElement.dataset.mark === "signature"`)
	w.until(`document.querySelector("#saved").textContent === "Saved"`)
	w.click("#finish")
	w.heading("Everyone has signed")
	if got := d.status(t); got != "completed" {
		t.Errorf("the document is %s", got)
	}
	r := d.Get(t, "/documents/"+d.id).Want(t, http.StatusOK)
	if got := r.Texts(t, "fields", "value"); !strings.Contains(strings.Join(got, "|"), "Lisbon") {
		t.Errorf("the values are %q", got)
	}
	if r.Text(t, "invitations.0.viewed_at") == "" {
		t.Error("that the person looked at it is not on record")
	}
}

func TestSignWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	w := guest(t, s)
	w.Visit(d.links[0])
	w.Click("#consent")
	w.Write(`.f input[type=text]`, "Porto")
	w.Click(`a.put`)
	w.Write(`[name="signature.text"]`, "Maria Silva")
	w.Click("#finish")
	w.Heading("Everyone has signed")
	if got := d.status(t); got != "completed" {
		t.Errorf("the document is %s", got)
	}
}

// On a narrow screen nothing needs scrolling to the side, and a drawing survives
// rotating the device.
func TestDrawOnAPhone(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()})
	w := open(t, look{width: 360, height: 740, dark: true})
	w.visit(d.links[0])
	w.until(`document.documentElement.scrollWidth <= innerWidth`)
	w.click(`[data-mark="signature"]`)
	w.click(`#tab-signature-drawn`)
	w.until(`(c => c.clientWidth > 0 && c.width === c.clientWidth)(document.querySelector("canvas.pad"))`)
	type rect struct{ X, Y, Width, Height float64 }
	box := get(w, chromedp.Evaluate[rect](`document.querySelector("canvas.pad").getBoundingClientRect().toJSON()`))
	w.run(chromedp.DragAndDropXY(box.X+20, box.Y+30, box.X+box.Width-40, box.Y+box.Height-30))
	const inked = `(() => { const c = document.querySelector("canvas.pad"); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 === 3 && v > 0) })()`
	w.until(inked)
	w.run(chromedp.EmulateViewport(740, 360))
	w.until(`document.querySelector("canvas.pad").clientWidth > 400 && ` + inked)
	w.run(chromedp.EmulateViewport(360, 740))
	w.click("dialog[open] [data-adopt]")
	w.until(`!!document.querySelector("[data-mark] svg.ink")`)
	w.click("#finish")
	w.heading("Everyone has signed")
	if got := d.status(t); got != "completed" {
		t.Errorf("the document is %s", got)
	}
}

// Values filled in on one device are available on the next.
func TestGoOnElsewhere(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	d := send(t, s, []apptest.Map{maria()}, lease()...)
	first := open(t, look{})
	first.visit(d.links[0])
	first.write(`.f input[type=text]`, "Faro")
	first.until(`document.querySelector("#saved").textContent === "Saved"`)
	next := guest(t, s)
	next.Visit(d.links[0])
	if city := next.Value(`.f input[type=text]`); city != "Faro" {
		t.Errorf("the city is %q on the second device", city)
	}
}

func TestFaultsAreShownWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := apptest.New(t, withConsent)
	d := send(t, s, []apptest.Map{maria()}, place("signature", "Signature", 2, 0.7), place("email", "Contact", 1, 0.3))
	w := guest(t, s)
	w.Visit(d.links[0])
	w.Forge("#sign", "novalidate", "")
	w.Write(`.f input[type=email]`, "nowhere")
	w.Click("#finish")
	got := w.Read("#errors")
	for _, want := range []string{"Agree to sign electronically", "Add your signature first", "valid email address"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said: %s", want, got)
		}
	}
	if kept := w.Value(`.f input[type=email]`); kept != "nowhere" {
		t.Errorf("what was entered is gone: %q", kept)
	}
}
