package api_test

import (
	"archive/zip"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// recordedOffice returns a LibreOffice that keeps a folder for each of its runs, with the files
// it was to convert; script runs before the program. converted returns the customers named in the
// files of each run.
func recordedOffice(t *testing.T, program, script string) (change func(*app.Config), converted func() [][]string) {
	t.Helper()
	dir := t.TempDir()
	path, runs := filepath.Join(dir, "soffice"), filepath.Join(dir, "runs")
	text := fmt.Sprintf(`#!/bin/sh
mkdir -p %[1]s/$$; n=0
for a; do case $a in *.docx) cp "$a" %[1]s/$$; n=$((n + 1));; esac; done
%[2]s
exec %[3]s "$@"
`, runs, script, program)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	converted = func() (all [][]string) {
		folders, err := os.ReadDir(runs)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folders {
			files, err := filepath.Glob(filepath.Join(runs, f.Name(), "*.docx"))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, file := range files {
				names = append(names, customer.FindString(bodyOf(t, file)))
			}
			all = append(all, names)
		}
		return all
	}
	return func(c *app.Config) { c.Convert.Soffice, c.Convert.Unconfined = path, true }, converted
}

var customer = regexp.MustCompile(`(Ann|Bob)-\d+`)

func bodyOf(t *testing.T, docx string) string {
	t.Helper()
	z, err := zip.OpenReader(docx)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// makeOffers starts a bulk run that makes a draft for each customer, and returns it. Notes are of
// some customers.
func makeOffers(
	t *testing.T, c *apptest.Client, template string, people list, customers []string, notes map[string]string,
) (run string) {
	t.Helper()
	var rows list
	for _, name := range customers {
		rows = append(rows, obj{"variables": obj{"customer": name, "note": notes[name] + "."}, "people": people})
	}
	return c.Post(t, "/templates/"+template+"/bulk", obj{"rows": rows}).Want(t, 200).Text(t, "run.id")
}

// TestTogetherRowsOfOneRunAreConverted makes documents of the same file for two companies.
func TestTogetherRowsOfOneRunAreConverted(t *testing.T) {
	t.Parallel()
	const rows = 20
	program, err := exec.LookPath("soffice")
	if err != nil {
		t.Fatal(err)
	}
	change, converted := recordedOffice(t, program, "")
	s := apptest.New(t, change)
	people := list{obj{"role": "Buyer", "name": "Ben", "email": "ben@buyer.example"}}
	var both sync.WaitGroup
	for _, name := range []string{"Ann", "Bob"} {
		both.Go(func() {
			c := s.Company(t)
			id := offer(t, c, "Dear {{customer}}, {{note}}", "{{signature;role=Buyer}}")
			var customers []string
			for i := range rows {
				customers = append(customers, fmt.Sprintf("%s-%d", name, i))
			}
			var got []string
			for _, d := range over(t, c, makeOffers(t, c, id, people, customers, nil)) {
				file := c.Get(t, "/documents/"+d).Want(t, 200).Text(t, "files.0.id")
				text := apptest.PagesText(t, c.Get(t, "/documents/"+d+"/files/"+file+"/content").Want(t, 200).Body)
				got = append(got, customer.FindString(text))
			}
			slices.Sort(got)
			slices.Sort(customers)
			if !slices.Equal(got, customers) {
				t.Errorf("the documents are for %v", got)
			}
		})
	}
	both.Wait()
	var most int
	for _, names := range converted() {
		most = max(most, len(names))
		if all := strings.Join(names, " "); strings.Contains(all, "Ann") && strings.Contains(all, "Bob") {
			t.Errorf("files of two companies were together: %s", all)
		}
	}
	if most < 2 || most > 16 {
		t.Errorf("at most %d files were converted together", most)
	}
}

// TestRowThatBreaksLibreOfficeHarmsNoOther makes documents, one of which can't be converted and keeps
// LibreOffice from converting any that come after it.
func TestRowThatBreaksLibreOfficeHarmsNoOther(t *testing.T) {
	t.Parallel()
	result := filepath.Join(t.TempDir(), "result.pdf")
	if err := os.WriteFile(result, apptest.PDF(t, "converted"), 0o600); err != nil {
		t.Fatal(err)
	}
	change, converted := recordedOffice(t, "true", `while [ $# -gt 0 ]; do
case $1 in
--outdir) out=$2; mkdir -p "$2"; shift;;
*.docx) [ $(wc -c < "$1") -lt 3000 ] || kill -9 $$; cp `+result+` "$out/$(basename "$1" .docx).pdf";;
esac; shift; done`)
	c := apptest.New(t, change).Company(t)
	id := offer(t, c, "Dear {{customer}}, {{note}}")
	var customers []string
	for i := range 20 {
		customers = append(customers, fmt.Sprintf("Ann-%d", i))
	}
	var long strings.Builder
	for range 150 {
		long.WriteString(rand.Text() + " ")
	}
	run := makeOffers(t, c, id, nil, customers, map[string]string{"Ann-5": long.String()})
	if made := over(t, c, run); len(made) != 19 {
		t.Errorf("%d documents were made", len(made))
	}
	bad := c.Get(t, "/bulk/"+run+"/rows?status=failed").Want(t, 200)
	if got := bad.Texts(t, "data", "row"); len(got) != 1 || !strings.Contains(string(bad.Body), "docx_unreadable") {
		t.Errorf("failed: %s", bad.Body)
	}
	var together, alone int // runs with the bad file
	for _, names := range converted() {
		switch {
		case slices.Contains(names, "Ann-5") && len(names) > 1:
			together++
		case slices.Contains(names, "Ann-5"):
			alone++
		}
	}
	if alone != 1 || together > 1 {
		t.Errorf("the bad file was converted %d times with others, and %d times alone", together, alone)
	}
}
