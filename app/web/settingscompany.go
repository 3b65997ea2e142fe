package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"paraph/app/account"
)

// companyCards are the forms of the company's page.
type companyCards struct {
	Company   account.Company
	Languages []option
	Zones     []string
	Expiry    string
	Reminders string
	Retention string
	Decline   []option
}

func (r *request) companyPage() page {
	c := r.who.Company
	days := make([]string, len(c.ReminderDays))
	for i, n := range c.ReminderDays {
		days[i] = strconv.Itoa(n)
	}
	return page{Title: r.say("settings.company"), Data: companyCards{Company: c, Languages: languageOptions(c.Locale), Zones: commonZones,
		Expiry: orBlank(c.DefaultExpiryDays), Reminders: strings.Join(days, ", "), Retention: orBlank(c.RetentionDays),
		Decline: []option{
			{string(account.OnDeclineNotify), r.say("company.decline.notify"), c.OnDecline == account.OnDeclineNotify},
			{string(account.OnDeclineVoid), r.say("company.decline.void"), c.OnDecline == account.OnDeclineVoid},
		}}}
}

func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (r *request) showCompany() error {
	return r.settings(http.StatusOK, "settings-company", r.companyPage())
}

// saveCompany keeps one card: a fault in it does not lose what is in another.
func (r *request) saveCompany() error {
	patch, err := r.companyPatch()
	if err == nil {
		_, err = r.door.Accounts.UpdateCompany(r.UserContext(), r.who.Actor, patch)
	}
	if err != nil {
		return r.settingsAgain(gathered(err, "reminder_days"), "settings-company", r.companyPage())
	}
	r.flash("ok", "settings.saved")
	return r.redirect("/app/settings/company")
}

func (r *request) companyPatch() (p account.CompanyPatch, err error) {
	var f account.Faults
	text := func(name string) *string { return new(strings.TrimSpace(r.form.value(name))) }
	switch card := r.form.value("card"); card {
	case "name":
		p.Name, p.Locale, p.Timezone = text("name"), text("locale"), text("timezone")
	case "sending":
		p.DefaultExpiryDays = new(r.number(&f, "default_expiry_days"))
		p.ReminderDays = r.dayList(&f, "reminder_days")
	case "rules":
		p.RequireApproval = new(r.form.has("require_approval"))
		p.OnDecline = new(account.OnDecline(r.form.value("on_decline")))
	case "help":
		p.Phone, p.PrivacyURL = text("phone"), text("privacy_url")
	case "keeping":
		p.RetentionDays = new(r.number(&f, "retention_days"))
	default:
		return p, account.Malformed(fmt.Sprintf("There is no form %q.", card))
	}
	return p, f.Err()
}

// dayList reads days such as "3, 7 14".
func (r *request) dayList(f *account.Faults, name string) *[]int {
	days := []int{}
	for word := range strings.FieldsFuncSeq(r.form.value(name), func(c rune) bool { return c == ',' || c == ';' || c == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			f.Add(name, r.say("company.reminders.bad"))
			return &days
		}
		days = append(days, n)
	}
	return &days
}

// consentCards is the page of what signatories agree to.
type consentCards struct {
	Text     string // the company's; "" for the appliance's
	Mode     string
	Modes    []option
	Standard string // the appliance's; "" where it has none
	Current  string // name of the text in force
	Versions []account.ConsentVersion
}

func (r *request) consentPage() (page, error) {
	versions, err := r.door.Accounts.ConsentVersions(r.UserContext(), r.who.Actor)
	c := consentCards{Text: r.who.Company.ConsentText, Standard: r.door.Signing.Consent, Versions: versions}
	c.Mode = string(cmp.Or(r.who.Company.ConsentMode, account.ConsentInline))
	for _, m := range []account.ConsentMode{account.ConsentInline, account.ConsentGate, account.ConsentOff} {
		c.Modes = append(c.Modes, option{string(m), r.say("consent.mode." + string(m)), string(m) == c.Mode})
	}
	if text := cmp.Or(c.Text, c.Standard); text != "" {
		c.Current = account.ConsentName(text)
	}
	return page{Title: r.say("settings.consent"), Data: c}, err
}

func (r *request) showConsent() error {
	p, err := r.consentPage()
	if err != nil {
		return err
	}
	return r.settings(http.StatusOK, "settings-consent", p)
}

func (r *request) saveConsent() error {
	text := strings.ReplaceAll(r.form.value("consent_text"), "\r\n", "\n")
	patch := account.CompanyPatch{ConsentText: &text}
	if r.form.has("consent_mode") {
		patch.ConsentMode = new(account.ConsentMode(r.form.value("consent_mode")))
	}
	_, err := r.door.Accounts.UpdateCompany(r.UserContext(), r.who.Actor, patch)
	if err != nil {
		p, failed := r.consentPage()
		if failed != nil {
			return failed
		}
		return r.settingsAgain(err, "settings-consent", p)
	}
	r.flash("ok", "consent.saved")
	return r.redirect("/app/settings/consent")
}
