package admin

import (
	"paraph/app/mail/sender"
	"paraph/app/mailserver"
	"paraph/app/web/page"
)

// senderCard is the part of the page about the sender's domain.
type senderCard struct {
	mailserver.SenderReport
	Why  string // DNS was not asked
	Rows []senderRow
}

type senderRow struct {
	Kind, Text, Remedy string
	Chip               page.Chip
	Record             []string
}

// senderLooks are the chips of the states of findings.
var senderLooks = map[sender.State][2]string{
	sender.Fine: {"ok", "check"}, sender.Warning: {"warn", "alert"}, sender.Problem: {"danger", "alert"}, sender.Unknown: {"", "info"},
}

// ShowSender serves the page with what DNS says about the sender's domain.
func (h *Mail) ShowSender(r *page.Request) error {
	report, err := h.Server.Sender(r.UserContext(), r.Who.Call)
	if err != nil {
		return err
	}
	return h.show(r, serverPage{Sender: newSenderCard(r, report)})
}

func newSenderCard(r *page.Request, report mailserver.SenderReport) *senderCard {
	c := &senderCard{SenderReport: report}
	if !report.Asked {
		c.Why = r.Say("sender."+report.Why, "domain", report.Domain)
	}
	for _, f := range report.Findings {
		facts := []any{"name", f.Name, "cause", f.Cause, "domain", report.Domain}
		look, row := senderLooks[f.State], senderRow{Kind: r.Say("sender.kind." + f.Kind), Text: r.Say("sender."+f.Code, facts...), Record: f.Record}
		row.Chip = page.Chip{Kind: look[0], Icon: look[1], Text: r.Say("sender.state." + string(f.State))}
		if key := "sender." + f.Code + ".remedy"; r.Words.Has(key) {
			row.Remedy = r.Say(key, facts...)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}
