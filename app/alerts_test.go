package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/machine"
)

// TestTableOfWarningsIsComplete expects a row for each kind of warning.
func TestTableOfWarningsIsComplete(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("web/manual/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []machine.WarningKind
	for _, d := range app.Dangers() {
		kinds = append(kinds, d.Kind)
		if d.Part == "" || d.Summary == "" || d.Limit == "" || d.Find == nil {
			t.Errorf("the row of %s is incomplete", d.Kind)
		}
		if row := fmt.Sprintf("| `%s` | %s |", d.Kind, d.Limit); !strings.Contains(string(manual), row) {
			t.Errorf("the manual lacks\n%s", row)
		}
	}
	want := machine.WarningKinds()
	slices.Sort(kinds)
	slices.Sort(want)
	if !slices.Equal(kinds, want) {
		t.Errorf("the table has %v, want %v", kinds, want)
	}
}

// TestAlertsFireForEveryWarning has promtool run the rules against every warning of either urgency, a
// server that is down, and one that can't examine itself.
func TestAlertsFireForEveryWarning(t *testing.T) {
	t.Parallel()
	rules := call(t, "alerts")
	if rules.code != 0 {
		t.Fatalf("%+v", rules)
	}
	var tests strings.Builder
	tests.WriteString("rule_files: [alerts.yml]\nevaluation_interval: 1m\ntests:\n")
	// The value is wrong from the third to the fifth minute.
	add := func(alert, series, values, severity, summary, description string) {
		fmt.Fprintf(&tests, "- interval: 1m\n  input_series:\n  - series: '%s'\n    values: '%s'\n  alert_rule_test:\n", series, values)
		for _, x := range []struct {
			at    string
			fires bool
		}{{"1m", false}, {"14m", true}, {"30m", false}} {
			fmt.Fprintf(&tests, "  - eval_time: %s\n    alertname: %s\n", x.at, alert)
			if x.fires {
				labels := "severity: " + severity + ", instance: 'sign:9090'"
				for _, name := range []string{"kind", "urgency", "job"} {
					if _, rest, ok := strings.Cut(series, name+`="`); ok {
						value, _, _ := strings.Cut(rest, `"`)
						labels += ", " + name + ": " + value
					}
				}
				fmt.Fprintf(&tests, "    exp_alerts:\n    - exp_labels: {%s}\n      exp_annotations: {summary: %q, description: %q}\n", labels, "sign:9090: "+summary, description)
			}
		}
	}
	const see = "paraph doctor and the pages under /admin say what it is about and what to do."
	for _, d := range app.Dangers() {
		name := "Paraph" + strings.ToUpper(string(d.Kind[:1])) + string(d.Kind[1:])
		for urgency, severity := range map[string]string{"warning": "warning", "urgent": "critical"} {
			add(name, fmt.Sprintf(`paraph_warning{instance="sign:9090",kind=%q,urgency=%q}`, d.Kind, urgency), "0x2 1x15 0x30", severity, d.Summary, see)
		}
	}
	add("ParaphDown", `up{instance="sign:9090",job="paraph"}`, "1x2 0x15 1x30", "critical", "Paraph can't be reached.",
		"See the log of the service, and metrics.listen in its configuration. The job of Prometheus has to be called paraph.")
	add("ParaphUnexamined", `paraph_examined_timestamp_seconds{instance="sign:9090"}`, "0 60 120 -900x14 1080+60x30", "critical",
		"Paraph can't tell whether all is well.", "Its log says what it can't examine.")
	add("ParaphStandbyLate", `paraph_standby_current_timestamp_seconds{instance="sign:9090"}`, "0 60 120 -900x14 1080+60x30", "critical",
		"A standby of Paraph is behind.", "paraph doctor on it says what is wrong with its source.")

	dir := t.TempDir()
	for name, text := range map[string]string{"alerts.yml": rules.out, "test.yml": tests.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "test.yml"}} {
		c := exec.Command("promtool", args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
