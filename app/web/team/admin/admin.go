// Package admin serves the pages for administering the installation. For people
// without that right they don't exist.
package admin

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/machine"
	"paraph/app/notify"
	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	overviewTemplate  page.Template[framed[overviewCards]]   = "admin"
	companiesTemplate page.Template[framed[companyList]]     = "admin-companies"
	addingTemplate    page.Template[framed[struct{}]]        = "admin-company-new"
	companyTemplate   page.Template[framed[machine.Company]] = "admin-company"
	peopleTemplate    page.Template[framed[personList]]      = "admin-people"
	attentionTemplate page.Template[framed[attentionList]]   = "admin-attention"
	mailTemplate      page.Template[framed[serverPage]]      = "admin-mail"
	messagesTemplate  page.Template[framed[mailList]]        = "admin-messages"
	jobsTemplate      page.Template[framed[jobList]]         = "admin-jobs"
	logTemplate       page.Template[framed[logLines]]        = "admin-log"
)

// Handlers holds the services behind these pages.
type Handlers struct {
	Machine  *machine.Service
	Accounts *account.Services
	Lists    *lists.Lists
	Notify   *notify.Service
	Now      func(company string) time.Time
}

// adminPages lists the pages in display order; "" is the overview.
var adminPages = []struct{ Key, Icon string }{
	{"", "screen"}, {"companies", "building"}, {"people", "users"}, {"attention", "bell"}, {"mail", "mail"}, {"messages", "tray"}, {"jobs", "hourglass"}, {"log", "code"},
}

// adminLink is a link to one of the pages.
type adminLink struct {
	Href, Icon, Title string
	Current           bool
}

// framed is the data of a page's template.
type framed[T any] struct {
	Links []adminLink
	Own   T
}

func frame[T any](r *page.Request, title string, own T) page.View[framed[T]] {
	f := framed[T]{Own: own}
	for _, p := range adminPages {
		href, key := strings.TrimSuffix("/admin/"+p.Key, "/"), "admin.overview"
		if p.Key != "" {
			key = "admin." + p.Key
		}
		f.Links = append(f.Links, adminLink{href, p.Icon, r.Say(key), r.Path() == href || p.Key != "" && strings.HasPrefix(r.Path(), href+"/")})
	}
	return page.With(page.Page{Title: title, Scripts: []string{"settings.js"}}, f)
}

// show renders one of the pages.
func show[T any](r *page.Request, t page.Template[framed[T]], title string, own T) error {
	return t.Render(r, http.StatusOK, frame(r, title, own))
}

// part is the requested part of a list.
type part struct{ number, size int }

func partOf(r *page.Request) part {
	number, size := r.PageOf()
	return part{number, size}
}

func (p part) offset() int { return (p.number - 1) * p.size }

// companyName returns the name of a company for a list. A deleted company is shown
// by its ID, and no company at all as the installation.
func (h *Handlers) companyName(r *page.Request, id string) string {
	if id == "" {
		return r.Say("admin.installation")
	}
	c, err := h.Machine.GetCompany(r.Who.Call, id)
	if err != nil {
		return id
	}
	return c.Name
}

// ago describes how long ago a time was.
func (h *Handlers) ago(r *page.Request, at time.Time) string {
	age := max(0, h.Now("").Sub(at))
	switch {
	case age >= 48*time.Hour:
		return r.Say("admin.ago.days", "n", int(age.Hours()/24))
	case age >= 2*time.Hour:
		return r.Say("admin.ago.hours", "n", int(age.Hours()))
	}
	return r.Say("admin.ago.minutes", "n", int(age.Minutes()))
}

// overviewCards is the overview of the installation.
type overviewCards struct {
	machine.Overview
	BackupAge, CheckAge string
	UpgradeAge          string // "" if the records were never upgraded
	UpgradeTook         string
	Lists               []figure
	Stale               bool // the search index is behind
}

// figure is the number of records in a list.
type figure struct {
	Href, Text string
	N          int
	Bad        bool
}

// ShowOverview serves the state of the installation.
func (h *Handlers) ShowOverview(r *page.Request) error {
	o, err := h.Machine.Overview(r.UserContext(), r.Who.Call)
	if err != nil {
		return err
	}
	c := overviewCards{Overview: o, Stale: o.Search.Lag > 0, Lists: []figure{
		{"/admin/companies", r.Say("admin.companies"), o.Companies, false},
		{"/admin/people", r.Say("admin.people"), o.People, false},
		{"/admin/attention", r.Say("admin.attention"), o.Attention, o.Attention > 0},
		{"/admin/messages", r.Say("admin.messages.failed"), o.Failed, o.Failed > 0},
		{"/admin/messages?status=held", r.Say("admin.messages.held"), o.Held, false},
		{"/admin/jobs?status=dead", r.Say("admin.jobs.dead"), o.Dead, o.Dead > 0},
		{"/admin/jobs?status=running", r.Say("admin.jobs.running"), o.Running, false},
		{"/admin/jobs?status=waiting", r.Say("admin.jobs.waiting"), o.Waiting, false},
	}}
	if o.Backup != nil && !o.Backup.At.IsZero() {
		c.BackupAge = h.ago(r, o.Backup.At)
	}
	if o.Check != nil && !o.Check.At.IsZero() {
		c.CheckAge = h.ago(r, o.Check.At)
	}
	if o.Upgrade.To > 0 {
		c.UpgradeAge, c.UpgradeTook = h.ago(r, o.Upgrade.At), o.Upgrade.Took.Round(time.Millisecond).String()
	}
	return show(r, overviewTemplate, r.Say("admin.title"), c)
}

// StartCheck starts a check of all data.
func (h *Handlers) StartCheck(r *page.Request) error {
	if err := h.Machine.StartCheck(r.Who.Call); err != nil {
		return err
	}
	r.Flash("ok", "admin.check.started")
	return r.SeeOther("/admin")
}

// logLines is the log page.
type logLines struct {
	Request string
	Lines   []string
}

// ShowLog serves the latest lines of the log, or those of one request.
func (h *Handlers) ShowLog(r *page.Request) error {
	request := strings.TrimSpace(r.Query("request"))
	lines, err := h.Machine.ListLines(r.Who.Call, request)
	if err != nil {
		return err
	}
	return show(r, logTemplate, r.Say("admin.log"), logLines{request, lines})
}

// back redirects to a list after an action on one of its records.
func back(r *page.Request, err error, done, to string) error {
	if err != nil {
		f := r.FailureOf(err)
		if f.Status != http.StatusConflict {
			return err
		}
		r.Flash("danger", "admin.refused", "why", r.Explain(f))
		return r.SeeOther(to)
	}
	r.Flash("ok", done)
	return r.SeeOther(to)
}

// chip returns the chip of a state.
func chip(r *page.Request, state string) page.Chip {
	looks := map[string][2]string{
		"dead":    {"danger", "alert"},
		"running": {"info", "clock"},
		"waiting": {"", "hourglass"},
		"failed":  {"danger", "alert"},
		"bounced": {"danger", "alert"},
		"held":    {"info", "file"},
	}
	look := looks[state]
	return page.Chip{Kind: look[0], Icon: look[1], Text: r.Say("admin.state." + state)}
}

// filters returns a list's filters by state.
func filters(r *page.Request, chosen string, states ...string) []page.Tab {
	var out []page.Tab
	for _, s := range states {
		out = append(out, page.Tab{Href: r.Link("status", s, "page", ""), Text: r.Say("admin.state." + s), Current: s == chosen, Count: -1})
	}
	return out
}

// setupURL returns the address at which the owner of a new company chooses a password.
func setupURL(r *page.Request, token string) string {
	return fmt.Sprintf("%s/setup?token=%s", r.BaseURL(), token)
}
