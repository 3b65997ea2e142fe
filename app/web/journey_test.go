package web_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"paraph/app/apptest"
)

// TestFromAFileToASignedDocument covers the main purpose of the product, using
// only pages: one member, one file, two people who sign, one on a phone and one
// without scripts. The appliance stands under a path behind a proxy.
func TestFromAFileToASignedDocument(t *testing.T) {
	t.Parallel()
	s := under(t, false)
	owner := s.Company(t)
	path := filepath.Join(t.TempDir(), "Lease of a flat.pdf")
	if err := os.WriteFile(path, apptest.PDF(t, "The tenant rents the flat.", "Signatures"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := signedIn(t, owner, look{})
	w.click(`header a[href="/sign/app/documents/new"]`)
	w.see("#i-files")
	w.run(chromedp.SetUploadFiles("#i-files", []string{path}))
	w.see(`#files li[data-file]`)
	w.see(`.stepper button[value="review"]`)
	for i, p := range [][2]string{{"Maria Silva", "maria@signer.example"}, {"Ben Buyer", "ben@signer.example"}} {
		w.write(chromedp.CSS(fmt.Sprintf(`[name="invitations.%d.name"]`, i)), p[0])
		w.write(chromedp.CSS(fmt.Sprintf(`[name="invitations.%d.email"]`, i)), p[1])
		if i == 0 {
			w.click(`#people button[value="add"]`)
			w.see(`.person-row:nth-child(2)`)
		}
	}
	w.click(`.stepper button[value="review"]`)
	w.click(`#review button[value="send"]`)
	w.heading("The document has been sent")
	w.click(`main a.btn[href^="/sign/app/documents/"]`)
	w.see("h1")
	at := get(w, chromedp.Location())

	phone := open(t, look{width: 360, height: 740})
	phone.visit(s.URL + "/s/" + s.Link(t, "maria@signer.example", "/s/"))
	phone.click(`button[data-mark="signature"]`)
	phone.click("[data-adopt]")
	phone.click("#finish")
	phone.heading("You're done")

	plain := open(t, look{plain: true})
	plain.visit(s.URL + "/s/" + s.Link(t, "ben@signer.example", "/s/"))
	plain.write("#signature-text", "Ben Buyer")
	plain.click("#finish")
	plain.heading("Everyone has signed")

	w.visit(at)
	w.see(".chip.ok")
	id := at[strings.LastIndex(at, "/")+1:]
	id, _, _ = strings.Cut(id, "?")
	signed := filepath.Join(t.TempDir(), "signed.pdf")
	sealed := owner.Post(t, "/documents/"+id+"/download", nil).Want(t, http.StatusOK).Body
	if err := os.WriteFile(signed, sealed, 0o600); err != nil {
		t.Fatal(err)
	}
	tellsOnce(t, owner, sealed)
	// pdfsig reports each signature on its own line; trust is not checked here.
	out, err := exec.CommandContext(t.Context(), "pdfsig", "-nocert", signed).CombinedOutput()
	if valid := strings.Count(string(out), "Signature is Valid."); err != nil || valid != 3 {
		t.Errorf("%d valid signatures, want those of the company and of both people (pdfsig leaves timestamps to others): %v\n%s", valid, err, out)
	}
}

// tellsOnce checks that the report of a file lists each later change once,
// however many objects it touched.
func tellsOnce(t *testing.T, c *apptest.Client, file []byte) {
	t.Helper()
	var report struct {
		Signatures []struct {
			Changes []struct {
				Revision int
				What     string
			}
		}
	}
	c.Post(t, "/verify", apptest.Multipart(t, nil, apptest.File{Name: "signed.pdf", Content: file})).Want(t, http.StatusOK).Decode(t, &report)
	told := 0
	for i, s := range report.Signatures {
		seen := map[string]bool{}
		for _, change := range s.Changes {
			told++
			if said := fmt.Sprint(change); seen[said] {
				t.Errorf("signature %d: %s is told twice", i+1, said)
			} else {
				seen[said] = true
			}
		}
	}
	if told == 0 {
		t.Error("no later change is told")
	}
}
