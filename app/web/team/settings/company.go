package settings

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/web/page"
)

// Company serves the pages about the company: its name and rules, its branding, and
// its consent text.
type Company struct {
	*Frame
	Accounts *account.Services
	Consent  string // of companies without their own
}

// companyCards holds the forms of the company's page.
type companyCards struct {
	Company   account.Company
	Languages []page.Option
	Expiry    string
	Reminders string
	Retention string
	Decline   []page.Option
	Marks     []page.Option // allowed types of signatures
}

func companyPage(r *page.Request) sheet[companyCards] {
	c := r.Who.Company
	days := make([]string, len(c.ReminderDays))
	for i, n := range c.ReminderDays {
		days[i] = strconv.Itoa(n)
	}
	return sheet[companyCards]{Title: r.Say("settings.company"), Own: companyCards{Company: c, Languages: r.LanguageOptions(c.Locale),
		Expiry: orBlank(c.DefaultExpiryDays), Reminders: strings.Join(days, ", "), Retention: orBlank(c.RetentionDays),
		Marks: page.SignatureTypeOptions(r, c.SignatureTypes),
		Decline: []page.Option{
			{Value: string(account.OnDeclineNotify), Label: r.Say("company.decline.notify"), Selected: c.OnDecline == account.OnDeclineNotify},
			{Value: string(account.OnDeclineVoid), Label: r.Say("company.decline.void"), Selected: c.OnDecline == account.OnDeclineVoid},
		}}}
}

// orBlank formats a number for an input, zero as "".
func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ShowCompany serves the page about the company.
func (h *Company) ShowCompany(r *page.Request) error {
	return show(h.Frame, r, http.StatusOK, companyTemplate, companyPage(r))
}

// SaveCompany stores everything on the page about the company.
func (h *Company) SaveCompany(r *page.Request) error {
	patch, err := companyPatch(r)
	if err == nil {
		_, err = h.Accounts.Companies.UpdateCompany(r.Who.Call, patch)
	}
	if err != nil {
		return again(h.Frame, r, page.MergeFaults(err, "reminder_days"), "settings-company", companyPage(r))
	}
	r.Flash("ok", "settings.saved")
	return r.SeeOther("/app/settings/company")
}

func companyPatch(r *page.Request) (p account.CompanyPatch, err error) {
	var f fault.Fields
	text := func(name string) *string { return new(strings.TrimSpace(r.Form.Value(name))) }
	p.Name, p.Locale, p.Timezone = text("name"), text("locale"), text("timezone")
	p.DefaultExpiryDays = new(number(r, &f, "default_expiry_days"))
	p.ReminderDays = dayList(r, &f, "reminder_days")
	p.RequireApproval = new(r.Form.Has("require_approval"))
	p.ClosedDocumentsReadable = new(r.Form.Has("closed_documents_readable"))
	p.ReadToEnd = new(r.Form.Has("read_to_end"))
	p.OnDecline = new(account.OnDecline(r.Form.Value("on_decline")))
	if r.Form.Has("signature_types") {
		p.SignatureTypes = page.ReadSignatureTypes(r.Form.Value("signature_types"))
	}
	p.Phone, p.PrivacyURL = text("phone"), text("privacy_url")
	p.RetentionDays = new(number(r, &f, "retention_days"))
	return p, f.Err()
}

// dayList parses a list of days such as "3, 7 14".
func dayList(r *page.Request, f *fault.Fields, name string) *[]int {
	days := []int{}
	for word := range strings.FieldsFuncSeq(r.Form.Value(name), func(c rune) bool {
		return c == ',' || c == ';' ||
			c == ' '
	}) {
		n, err := strconv.Atoi(word)
		if err != nil {
			f.Add(name, "not_day_numbers")
			return &days
		}
		days = append(days, n)
	}
	return &days
}

// consentCards is the page about the consent text.
type consentCards struct {
	Text     string // the company's own text, "" for the standard one
	Mode     string
	Modes    []page.Option
	Standard string // the installation's text, "" if it has none
	Current  string // name of the text in force
	Versions []account.ConsentVersion
}

func (h *Company) consentPage(r *page.Request) (sheet[consentCards], error) {
	versions, err := h.Accounts.Companies.ConsentVersions(r.Who.Call)
	c := consentCards{Text: r.Who.Company.ConsentText, Standard: h.Consent, Versions: versions}
	c.Mode = string(cmp.Or(r.Who.Company.ConsentMode, account.ConsentInline))
	for _, m := range []account.ConsentMode{account.ConsentInline, account.ConsentGate, account.ConsentOff} {
		c.Modes = append(c.Modes, page.Option{Value: string(m), Label: r.Say("consent.mode." + string(m)), Selected: string(m) == c.Mode})
	}
	if text := cmp.Or(c.Text, c.Standard); text != "" {
		c.Current = account.ConsentName(text)
	}
	return sheet[consentCards]{Title: r.Say("settings.consent"), Own: c}, err
}

// ShowConsent serves the page about the consent text.
func (h *Company) ShowConsent(r *page.Request) error {
	p, err := h.consentPage(r)
	if err != nil {
		return err
	}
	return show(h.Frame, r, http.StatusOK, consentTemplate, p)
}

// SaveConsent stores the consent text and how signatories are asked for consent.
func (h *Company) SaveConsent(r *page.Request) error {
	text := strings.ReplaceAll(r.Form.Value("consent_text"), "\r\n", "\n")
	patch := account.CompanyPatch{ConsentText: &text}
	if r.Form.Has("consent_mode") {
		patch.ConsentMode = new(account.ConsentMode(r.Form.Value("consent_mode")))
	}
	_, err := h.Accounts.Companies.UpdateCompany(r.Who.Call, patch)
	if err != nil {
		p, failed := h.consentPage(r)
		if failed != nil {
			return failed
		}
		return again(h.Frame, r, err, consentTemplate, p)
	}
	r.Flash("ok", "consent.saved")
	return r.SeeOther("/app/settings/consent")
}
