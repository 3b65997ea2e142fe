// Package settings serves the pages for configuring a company.
package settings

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/pki"
	"paraph/app/web/page"
)

// The templates of these pages.
const (
	settingsTemplate page.Template[framed[[]account.Member]] = "settings"
	companyTemplate  page.Template[framed[companyCards]]     = "settings-company"
	brandingTemplate page.Template[framed[brandingCards]]    = "settings-branding"
	consentTemplate  page.Template[framed[consentCards]]     = "settings-consent"
	securityTemplate page.Template[framed[securityCards]]    = "settings-security"
	apiTemplate      page.Template[framed[tokenCards]]       = "settings-api"
	webhooksTemplate page.Template[framed[webhookCards]]     = "settings-webhooks"
	webhookTemplate  page.Template[framed[*webhookPage]]     = "settings-webhook"
	deliveryTemplate page.Template[framed[deliveryPage]]     = "settings-delivery"
	emailTemplate    page.Template[framed[mailCards]]        = "settings-email"
	textsTemplate    page.Template[framed[textsCards]]       = "settings-texts"
	textTemplate     page.Template[framed[textsCards]]       = "settings-text"
	outboxTemplate   page.Template[framed[outboxList]]       = "settings-outbox"
	messageTemplate  page.Template[framed[messageCards]]     = "settings-message"
	trustTemplate    page.Template[framed[trustCards]]       = "settings-trust"
)

// Setup is the part of the configuration that the pages show. It contains no secrets.
type Setup struct {
	PrivateWebhooks bool // webhooks may go to private addresses

	TimestampURL  string // "" for the built-in authority
	LoginLimit    int    // failed logins within LoginWindow
	LoginWindow   time.Duration
	TokenRequests int // a minute, of one token; 0 for any number
}

// settingsPages lists the pages under /app/settings in display order.
var settingsPages = []struct {
	Key, Icon string
	Everybody bool // also for members who aren't administrators
}{
	{"company", "building", false},
	{"branding", "brush", false},
	{"consent", "check", false},
	{"security", "lock", false},
	{"api", "code", true},
	{"webhooks", "bell", false},
	{"email", "mail", false},
	{"texts", "text", false},
	{"outbox", "tray", false},
	{"trust", "shield", false},
}

// settingsLink is a link to one of the pages.
type settingsLink struct {
	Href, Icon, Title, Text string
	Current                 bool
}

// expiring is a warning about an expiring certificate.
type expiring struct{ Kind, Text string }

// Frame builds the frame around every settings page.
type Frame struct {
	Keys    *pki.Authority
	Now     func(company string) time.Time
	Backups Backups // may be nil
}

// around is the frame of a settings page.
type around struct {
	Links    []settingsLink
	Expiring []expiring
	Backup   *Backup
}

// sheet is a settings page without its frame.
type sheet[T any] struct {
	Title   string
	Own     T
	Scripts []string
	Notice  *page.Notice
	Styles  template.CSS
}

// framed is the data of a settings page's template.
type framed[T any] struct {
	around
	Own T
}

func frame[T any](h *Frame, r *page.Request, s sheet[T]) (page.View[framed[T]], error) {
	a, err := h.around(r)
	return page.With(page.Page{
		Title:   s.Title,
		Scripts: append(s.Scripts, "settings.js"),
		Styles:  s.Styles,
		Notice:  s.Notice,
	}, framed[T]{a, s.Own}), err
}

// show renders a settings page.
func show[T any](h *Frame, r *page.Request, status int, t page.Template[framed[T]], s sheet[T]) error {
	p, err := frame(h, r, s)
	if err != nil {
		return err
	}
	return t.Render(r, status, p)
}

// again renders a settings page with the errors of its form.
func again[T any](h *Frame, r *page.Request, err error, t page.Template[framed[T]], s sheet[T]) error {
	p, failed := frame(h, r, s)
	if failed != nil {
		return failed
	}
	return t.Again(r, err, p)
}

func (h *Frame) around(r *page.Request) (around, error) {
	var a around
	admin := r.Who.Call.IsAdmin()
	for _, p := range settingsPages {
		if !admin && !p.Everybody {
			continue
		}
		href := "/app/settings/" + p.Key
		a.Links = append(a.Links, settingsLink{href, p.Icon, r.Say("settings." + p.Key), r.Say("settings." + p.Key + ".lead"),
			r.Path() == href || strings.HasPrefix(r.Path(), href+"/")})
	}
	if !admin {
		return a, nil
	}
	var err error
	if a.Expiring, err = h.expiring(r); err != nil {
		return a, err
	}
	a.Backup, err = h.backup(r)
	return a, err
}

// expiring returns warnings about the expiring certificates of this company and of
// the authority.
func (h *Frame) expiring(r *page.Request) (out []expiring, err error) {
	warnings, err := h.Keys.CompanyWarnings(r.Who.Company.ID, r.Who.Company.Name, h.Now(r.Who.Company.ID))
	for _, w := range warnings {
		key := "keys.expires"
		if w.Expired {
			key = "keys.expired"
		}
		text := r.Say(key, "certificate", w.Name(), "day", w.Certificate.NotAfter.Format(time.DateOnly))
		e := expiring{"warn", text + " " + r.Say("keys.remedy."+string(w.Level))}
		if w.Urgent {
			e.Kind = "danger"
		}
		out = append(out, e)
	}
	return out, err
}

// Show serves the overview of the settings.
func (h *Frame) Show(r *page.Request) error {
	var people []account.Member
	var err error
	if !r.Who.Call.IsAdmin() {
		if people, err = r.Administrators(); err != nil {
			return err
		}
	}
	return show(h, r, http.StatusOK, settingsTemplate, sheet[[]account.Member]{Title: r.Say("settings.title"), Own: people})
}

// number reads a number from the form. An empty input is 0; other text is an error.
func number(r *page.Request, f *fault.Fields, name string) int {
	s := strings.TrimSpace(r.Form.Value(name))
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		f.Add(name, "not_a_whole_number")
	}
	return n
}

// percent returns the elapsed percentage of a period.
func percent(from, until, now time.Time) int {
	whole := until.Sub(from)
	if whole <= 0 {
		return 100
	}
	return int(min(100, max(0, 100*now.Sub(from)/whole)))
}

// daysLeft describes the time remaining until a date.
func (h *Frame) daysLeft(r *page.Request, until time.Time) string {
	left := until.Sub(h.Now(r.Who.Company.ID))
	if left <= 0 {
		return r.Say("trust.over")
	}
	if left > 730*24*time.Hour {
		return r.Say("trust.years", "years", fmt.Sprintf("%.0f", left.Hours()/24/365.25))
	}
	return r.Say("trust.days", "n", int(left.Hours()/24))
}
