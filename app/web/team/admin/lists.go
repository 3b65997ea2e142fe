package admin

import (
	"slices"

	"paraph/app/machine"
	"paraph/app/signing/lists"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// jobList is the page that lists jobs.
type jobList struct {
	Jobs    []jobLine
	Filters []page.Tab
	Pager   page.Pager
}

// jobLine is a job in the list.
type jobLine struct {
	machine.Job
	KindName, CompanyName, Age string
	Chip                       page.Chip
	Retry                      string // path; "" if there is nothing to retry
}

// ShowJobs serves the list of jobs, by default those in the first state that has any.
func (h *Handlers) ShowJobs(r *page.Request) error {
	status, err := h.jobState(r)
	if err != nil {
		return err
	}
	p := partOf(r)
	found, err := h.Machine.ListJobs(r.Who.Call, status, p.offset(), p.size)
	if err != nil {
		return err
	}
	l := jobList{Filters: filters(r, status, machine.JobStates()...), Pager: r.Pager(p.number, p.size, found.Total)}
	for _, j := range found.Items {
		kind := r.Words.SayOr("admin.job."+j.Kind, j.Kind) // another version may have stored it
		line := jobLine{Job: j, KindName: kind, CompanyName: h.companyName(r, j.Company),
			Age: h.ago(r, j.CreatedAt), Chip: chip(r, j.State)}
		if status != "running" {
			line.Retry = "/admin/jobs/" + j.ID + "/retry"
		}
		l.Jobs = append(l.Jobs, line)
	}
	return show(r, jobsTemplate, r.Say("admin.jobs"), l)
}

// jobState returns the state of the jobs to list.
func (h *Handlers) jobState(r *page.Request) (string, error) {
	states := machine.JobStates()
	if status := r.Query("status"); slices.Contains(states, status) {
		return status, nil
	}
	first, err := h.Machine.ListJobs(r.Who.Call, "", 0, 1)
	if err != nil || len(first.Items) == 0 {
		return states[0], err
	}
	return first.Items[0].State, nil
}

// RetryJob retries a job immediately.
func (h *Handlers) RetryJob(r *page.Request) error {
	return back(r, h.Machine.RetryJob(r.UserContext(), r.Who.Call, r.Params("job")), "admin.retried", "/admin/jobs")
}

// mailList is the page that lists messages.
type mailList struct {
	Mails   []mailLine
	Held    bool
	Sends   bool
	Filters []page.Tab
	Pager   page.Pager
}

// mailLine is a message in the list.
type mailLine struct {
	machine.Mail
	KindName, CompanyName string
	Chip                  page.Chip
}

// ShowMessages serves the messages that failed, or those held for somebody to pass on.
func (h *Handlers) ShowMessages(r *page.Request) error {
	p, l := partOf(r), mailList{Held: r.Query("status") == "held", Sends: h.Notify.CanSend()}
	found, err := h.Machine.ListMails(r.UserContext(), r.Who.Call, l.Held, p.offset(), p.size)
	if err != nil {
		return err
	}
	l.Pager = r.Pager(p.number, p.size, found.Total)
	chosen := "failed"
	if l.Held {
		chosen = "held"
	}
	l.Filters = filters(r, chosen, "failed", "held")
	for _, m := range found.Items {
		state := m.Status
		if l.Held {
			state = "held"
		}
		l.Mails = append(l.Mails, mailLine{m, page.MessageKind(r, m.Kind), h.companyName(r, m.Company), chip(r, state)})
	}
	return show(r, messagesTemplate, r.Say("admin.messages"), l)
}

// RetryMessage sends a message again.
func (h *Handlers) RetryMessage(r *page.Request) error {
	return back(r, h.Notify.RetryFailed(r.Who.Call, r.Params("message")), "outbox.retried", "/admin/messages")
}

// RevealMessage shows the link in a message of the installation.
func (h *Handlers) RevealMessage(r *page.Request) error {
	m, err := h.Notify.RevealHeld(r.Who.Call, r.Params("message"))
	if err != nil {
		return err
	}
	return r.ShowSecrets(m.Subject, m.To, m.Links, "/admin/messages?status=held")
}

// attentionList is the page that lists documents that need attention.
type attentionList struct {
	Documents []attentionLine
	Pager     page.Pager
}

// attentionLine is a document in the list.
type attentionLine struct {
	lists.AttentionItem
	CompanyName, Why string
	Retry            string
}

// retryable are the kinds of attention that a retry may resolve.
var retryable = []record.AttentionKind{record.AttentionSealing, record.AttentionSealingFailed}

// ShowAttention serves the documents that need attention.
func (h *Handlers) ShowAttention(r *page.Request) error {
	p := partOf(r)
	found, err := h.Lists.ListAttention(r.Who.Call, p.offset(), p.size)
	if err != nil {
		return err
	}
	l := attentionList{Pager: r.Pager(p.number, p.size, found.Total)}
	for _, a := range found.Items {
		line := attentionLine{AttentionItem: a, CompanyName: h.companyName(r, a.Company),
			Why: r.Say("admin.attention." + string(a.Attention))}
		if slices.Contains(retryable, a.Attention) {
			line.Retry = "/admin/companies/" + a.Company + "/documents/" + a.Document + "/retry"
		}
		l.Documents = append(l.Documents, line)
	}
	return show(r, attentionTemplate, r.Say("admin.attention"), l)
}

// RetryDocument retries the sealing of a document.
func (h *Handlers) RetryDocument(r *page.Request) error {
	err := h.Machine.RetryDocument(r.UserContext(), r.Who.Call, r.Params("id"), r.Params("document"))
	return back(r, err, "admin.retried", "/admin/attention")
}
