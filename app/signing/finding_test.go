package signing

import (
	"os"
	"regexp"
	"testing"

	"paraph/app/signing/record"
	"paraph/app/words"
)

// TestEveryFindingHasASentence looks up the code of every finding in the source,
// including those of the built-in renderer.
func TestEveryFindingHasASentence(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for file, pattern := range map[string]string{
		"intake/intake.go": `Severity(?:Info|Warning), (variant\()?"([a-z_.]+)"`, "intake/mend.go": `Severity(?:Info|Warning), (variant\()?"([a-z_.]+)"`,
		"intake/arrange.go":           `removed\((x)?"([a-z_]+)"`,
		"record/finding.go":           `Severity(?:Info|Warning), (variant\()?"([a-z_.]+)"`,
		"../convert/docx/findings.go": `\t(x)?"([a-z_]+)": +"(?:info|warning)",`,
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(source), -1) {
			codes := []string{m[2]}
			if m[1] != "" {
				codes = append(codes, m[2]+".signed")
			}
			for _, code := range codes {
				seen++
				if !catalogue.English().Has("finding." + code) {
					t.Errorf("%s: the catalogue has no sentence for %s", file, code)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d findings were looked up", seen)
	}
}

func TestOldFindingsKeepTheirMessage(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := catalogue.English().SayOf
	var f record.File
	f.AddFinding(record.SeverityInfo, "embedded_files", "count", "3")
	if got, want := f.Findings[0].Sentence(say), "Files embedded in this file: 3."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	old := record.Finding{Code: "embedded_files", Severity: record.SeverityInfo, Message: "The file contains 2 embedded file(s)."}
	if got := old.Sentence(say); got != old.Message {
		t.Errorf("a finding stored with its message reads %q", got)
	}
}
