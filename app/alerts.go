package app

import (
	"fmt"
	"io"
	"strings"

	"paraph/app/machine"
)

// Alerts writes the rules with which Prometheus alerts people to every warning, and to a server that is
// down or no longer looks.
func Alerts(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Rules for Prometheus about the metrics of Paraph, as paraph alerts prints them.\ngroups:\n- name: paraph\n  rules:\n")
	rule := func(name, expr, wait, severity, summary, description string) {
		fmt.Fprintf(&b, "  - alert: %s\n    expr: %s\n    for: %s\n    labels:\n      severity: %s\n    annotations:\n      summary: %q\n      description: %q\n",
			name, expr, wait, severity, "{{ $labels.instance }}: "+summary, description)
	}
	rule("ParaphDown", `up{job="paraph"} == 0`, "2m", "critical", "Paraph can't be reached.",
		"See the log of the service, and metrics.listen in its configuration. The job of Prometheus has to be called paraph.")
	rule("ParaphUnexamined", "time() - paraph_examined_timestamp_seconds > 600", "5m", "critical", "Paraph can't tell whether all is well.",
		"Its log says what it can't examine.")
	rule("ParaphStandbyLate", "time() - paraph_standby_current_timestamp_seconds > 300", "2m", "critical", "A standby of Paraph is behind.",
		"paraph doctor on it says what is wrong with its source.")
	for _, d := range (dangers{}).table() {
		for i, urgency := range machine.Urgencies() {
			rule(alertName(d.Kind), fmt.Sprintf("paraph_warning{kind=%q,urgency=%q} > 0", d.Kind, urgency), "0m", []string{"warning", "critical"}[i], d.Summary,
				"paraph doctor and the pages under /admin say what it is about and what to do.")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func alertName(kind machine.WarningKind) string {
	return "Paraph" + strings.ToUpper(string(kind[:1])) + string(kind[1:])
}
