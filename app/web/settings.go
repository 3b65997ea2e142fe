package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
)

// Setup is what the pages say of the configuration, nothing secret.
type Setup struct {
	MailHost    string // "" where nothing is sent
	MailPort    int
	MailTLS     string
	MailFrom    string
	MailLogin   bool // a name and a password are given
	MailBlocked bool // network.egress does not allow the host

	PrivateWebhooks bool // webhooks may go to private addresses

	TimestampURL string // "" for the built-in authority
	LoginLimit   int    // failed logins within LoginWindow
	LoginWindow  time.Duration
}

// settingsPages are the pages under /app/settings in their order.
var settingsPages = []struct {
	Key, Icon string
	Everybody bool // who does not run the company has something there too
}{
	{"company", "building", false},
	{"branding", "eye", false},
	{"consent", "check", false},
	{"security", "lock", false},
	{"api", "code", true},
	{"webhooks", "bell", false},
	{"email", "sent", false},
	{"outbox", "file", false},
	{"trust", "shield", false},
}

// settingsLink leads to one page of the settings.
type settingsLink struct {
	Href, Icon, Title, Text string
	Current                 bool
}

// expiring is a certificate that runs out, for the line over all settings.
type expiring struct{ Kind, Text string }

func (d *Door) settingsRoutes(app *fiber.App) {
	d.teamGet(app, "/app/settings", (*request).showSettings)
	d.settingsGet(app, "/company", (*request).showCompany)
	d.teamPost(app, "/app/settings/company", (*request).saveCompany)
	d.settingsGet(app, "/branding", (*request).showBranding)
	d.teamPost(app, "/app/settings/branding", (*request).saveColour)
	d.teamPost(app, "/app/settings/branding/logo", (*request).saveLogo)
	d.teamPost(app, "/app/settings/branding/logo/remove", (*request).removeLogo)
	d.settingsGet(app, "/consent", (*request).showConsent)
	d.teamPost(app, "/app/settings/consent", (*request).saveConsent)
	d.settingsGet(app, "/trust", (*request).showCertificates)
	d.securityRoutes(app)
	d.tokenRoutes(app)
	d.webhookRoutes(app)
	d.mailRoutes(app)
}

// settingsGet adds a page for those who run the company.
func (d *Door) settingsGet(app *fiber.App, path string, show handler) {
	d.teamGet(app, "/app/settings"+path, func(r *request) error {
		if !r.who.Actor.IsAdmin() {
			return r.forbid(r.say("settings.forbidden"))
		}
		return show(r)
	})
}

// forbiddenPage tells somebody whose role does not reach whom to ask.
type forbiddenPage struct {
	Text   string
	People []account.Member
}

// forbid answers 403 with what the page is for and who can help.
func (r *request) forbid(text string) error {
	people, err := r.administrators()
	if err != nil {
		return err
	}
	return r.render(http.StatusForbidden, "forbidden", page{Title: r.say("error.403.title"), Data: forbiddenPage{text, people}})
}

// administrators are the people who run the company.
func (r *request) administrators() ([]account.Member, error) {
	list, err := r.door.Accounts.ListMembers(r.UserContext(), r.who.Actor, account.ListQuery{Sort: "role"})
	var out []account.Member
	for _, m := range list.Items {
		if m.Status == account.MemberActive && m.Role.Allows(account.ScopeAdmin) {
			out = append(out, m)
		}
	}
	return out, err
}

// settingsPage is a page of the settings with what stands around each.
type settingsPage struct {
	Links    []settingsLink
	Expiring []expiring
	Own      any // of the page itself
}

// settings renders a page of the settings.
func (r *request) settings(status int, name string, p page) error {
	s, err := r.aroundSettings(p.Data)
	if err != nil {
		return err
	}
	p.Data, p.Scripts = s, append(p.Scripts, "settings.js")
	return r.render(status, name, p)
}

// settingsAgain is again for a page of the settings.
func (r *request) settingsAgain(err error, name string, p page) error {
	s, failed := r.aroundSettings(p.Data)
	if failed != nil {
		return failed
	}
	p.Data, p.Scripts = s, append(p.Scripts, "settings.js")
	return r.again(err, name, p)
}

func (r *request) aroundSettings(own any) (settingsPage, error) {
	s := settingsPage{Own: own}
	admin := r.who.Actor.IsAdmin()
	for _, p := range settingsPages {
		if !admin && !p.Everybody {
			continue
		}
		href := "/app/settings/" + p.Key
		s.Links = append(s.Links, settingsLink{href, p.Icon, r.say("settings." + p.Key), r.say("settings." + p.Key + ".lead"),
			r.Path() == href || strings.HasPrefix(r.Path(), href+"/")})
	}
	if !admin {
		return s, nil
	}
	var err error
	s.Expiring, err = r.expiring()
	return s, err
}

// expiring words the certificates that run out and concern this company: its own
// one, and those that everything leads to.
func (r *request) expiring() (out []expiring, err error) {
	now := r.door.Now()
	warnings, err := r.door.Keys.Warnings(now)
	if err != nil || len(warnings) == 0 {
		return nil, err
	}
	own, err := r.door.Keys.Company(r.who.Company.ID, r.who.Company.Name)
	for _, w := range warnings {
		if !w.Certificate.IsCA && (own == nil || !own.Certificate.Equal(w.Certificate)) {
			continue
		}
		e := expiring{"warn", w.Message}
		if w.Certificate.NotAfter.Sub(now) < 7*24*time.Hour {
			e.Kind = "danger"
		}
		out = append(out, e)
	}
	if len(out) > 0 {
		err = nil // an expired certificate is what the line says
	}
	return out, err
}

func (r *request) showSettings() error {
	var people []account.Member
	var err error
	if !r.who.Actor.IsAdmin() {
		if people, err = r.administrators(); err != nil {
			return err
		}
	}
	return r.settings(http.StatusOK, "settings", page{Title: r.say("settings.title"), Data: people})
}

// number reads a number of a form; "" is 0. What is none is a fault.
func (r *request) number(f *account.Faults, name string) int {
	s := strings.TrimSpace(r.form.value(name))
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		f.Add(name, r.say("form.number"))
	}
	return n
}

// gathered is an error whose messages about the parts of a list stand under the
// one input that the list is typed into.
func gathered(err error, field string) error {
	if account.KindOf(err) != account.KindInvalid {
		return err
	}
	e, ok := errors.AsType[*account.Error](err)
	if !ok {
		return err
	}
	var f account.Faults
	for name, messages := range e.Fields {
		if strings.HasPrefix(name, field+".") {
			name = field
		}
		for _, m := range messages {
			f.Add(name, m)
		}
	}
	return f.Err()
}

// cardOf is the page for the inputs of one of its forms: with what was sent only
// if that form was.
func cardOf(p page, name string) page {
	if p.Values.values == nil || p.Values.value("card") == name {
		return p
	}
	return page{}
}

// percent is how much of a span of time is over.
func percent(from, until, now time.Time) int {
	whole := until.Sub(from)
	if whole <= 0 {
		return 100
	}
	return int(min(100, max(0, 100*now.Sub(from)/whole)))
}

// daysLeft words how long something is still good.
func (r *request) daysLeft(until time.Time) string {
	left := until.Sub(r.door.Now())
	if left <= 0 {
		return r.say("trust.over")
	}
	if left > 730*24*time.Hour {
		return r.say("trust.years", "years", fmt.Sprintf("%.0f", left.Hours()/24/365.25))
	}
	return r.say("trust.days", "n", int(left.Hours()/24))
}
