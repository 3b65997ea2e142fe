package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"paraph/app/fault"
	"paraph/app/input"
	"paraph/kv"
)

// Limits of a company's settings, in days and items.
const (
	maxDays      = 3650
	maxRetention = 36_500
	maxReminders = 10
)

// Company returns the caller's company.
func (s *Companies) Company(who Call) (Company, error) {
	if err := staff(who, ScopeRead); err != nil {
		return Company{}, err
	}
	return s.CompanyByID(who.CompanyID)
}

// CompanyByID returns a company. The calling package checks who may see it.
func (s *Companies) CompanyByID(id string) (c Company, err error) {
	err = s.db.View(func(tx *kv.Tx) error {
		c, err = LoadCompany(tx, id)
		return err
	})
	return c, err
}

// CompanyPatch holds the changes to a company; nil leaves a setting unchanged. "" and 0 clear an optional setting.
type CompanyPatch struct {
	Name              *string
	Locale            *string
	Timezone          *string
	LogoURL           *string
	BrandColor        *string
	RequireApproval   *bool
	RequireTwoFactor  *bool
	DefaultExpiryDays *int
	ReminderDays      *[]int
	ConsentText       *string
	RetentionDays     *int
	OnDecline         *OnDecline
	SignatureTypes    *[]string
	ReadToEnd         *bool
	ConsentMode       *ConsentMode
	Phone             *string
	PrivacyURL        *string

	ClosedDocumentsReadable *bool
}

// SignatureTypes lists the types of signatures that a company can allow.
func SignatureTypes() []string { return []string{"drawn", "typed", "image"} }

func (p CompanyPatch) apply(c *Company) error {
	var f fault.Fields
	setCompany(&f, "name", p.Name, &c.Name)
	input.SetLocale(&f, "locale", p.Locale, &c.Locale)
	setTimezone(&f, p.Timezone, &c.Timezone)
	setImage(&f, "logo_url", p.LogoURL, &c.LogoURL)
	setColor(&f, "brand_color", p.BrandColor, &c.BrandColor)
	setNumber(&f, "default_expiry_days", p.DefaultExpiryDays, &c.DefaultExpiryDays, 1, maxDays)
	setNumber(&f, "retention_days", p.RetentionDays, &c.RetentionDays, 1, maxRetention)
	if p.RequireApproval != nil {
		c.RequireApproval = *p.RequireApproval
	}
	if p.RequireTwoFactor != nil {
		c.RequireTwoFactor = *p.RequireTwoFactor
	}
	if p.ClosedDocumentsReadable != nil {
		c.ClosedDocumentsReadable = *p.ClosedDocumentsReadable
	}
	if p.ReminderDays != nil {
		setReminders(&f, *p.ReminderDays, &c.ReminderDays)
	}
	if p.ConsentText != nil {
		setConsent(&f, *p.ConsentText, &c.ConsentText)
	}
	if p.OnDecline != nil {
		if choice := *p.OnDecline; choice == OnDeclineNotify || choice == OnDeclineVoid {
			c.OnDecline = choice
		} else {
			f.OneOf("on_decline", string(OnDeclineNotify), string(OnDeclineVoid))
		}
	}
	if p.ConsentMode != nil {
		if choice := *p.ConsentMode; choice == ConsentInline || choice == ConsentGate || choice == ConsentOff {
			c.ConsentMode = choice
		} else {
			f.OneOf("consent_mode", string(ConsentInline), string(ConsentGate), string(ConsentOff))
		}
	}
	if p.SignatureTypes != nil {
		c.SignatureTypes = input.Subset(&f, "signature_types", *p.SignatureTypes, SignatureTypes()...)
	}
	if p.ReadToEnd != nil {
		c.ReadToEnd = *p.ReadToEnd
	}
	setPhone(&f, "phone", p.Phone, &c.Phone)
	setAddress(&f, "privacy_url", p.PrivacyURL, &c.PrivacyURL)
	return f.Err()
}

func setReminders(f *fault.Fields, from []int, to *[]int) {
	if len(from) > maxReminders {
		f.TooMany("reminder_days", maxReminders)
		return
	}
	for i, day := range from {
		if day < 1 || day > maxDays {
			f.Between(fmt.Sprintf("reminder_days.%d", i), 1, maxDays)
		}
	}
	days := slices.Clone(from)
	slices.Sort(days)
	*to = slices.Compact(days)
}

func setConsent(f *fault.Fields, from string, to *string) {
	text := strings.TrimSpace(input.Visible(from))
	switch {
	case !utf8.ValidString(text):
		f.Add("consent_text", "not_text")
	case utf8.RuneCountInString(text) > maxConsent:
		f.TooLong("consent_text", maxConsent)
	default:
		*to = text
	}
}

// UpdateCompany changes the settings of the caller's company; the caller must be
// an administrator.
func (s *Companies) UpdateCompany(who Call, p CompanyPatch) (c Company, err error) {
	if err := staff(who, ScopeAdmin); err != nil {
		return Company{}, err
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		if c, err = LoadCompany(tx, who.CompanyID); err != nil {
			return err
		}
		before := c
		if err := p.apply(&c); err != nil {
			return err
		}
		if before.RequireTwoFactor && !c.RequireTwoFactor {
			if err := s.provenSession(who); err != nil {
				return err
			}
		}
		if c.RequireTwoFactor && !before.RequireTwoFactor {
			if err := hasTwoFactor(tx, who); err != nil {
				return err
			}
		}
		c.UpdatedAt = tx.Now
		s.records.changed(tx)
		return errors.Join(dropLogo(tx, before, c), s.keepConsent(tx, who, before, c), companies.Put(tx, c.ID, c))
	})
	if err != nil {
		return Company{}, err
	}
	return c, nil
}

// hasTwoFactor keeps actors from requiring two-factor sign-in before they have set it up
// themselves, since that would lock them out.
func hasTwoFactor(tx *kv.Tx, who Call) error {
	u, err := users.Get(tx, who.UserID)
	if err != nil {
		return found(err, "user")
	}
	if !u.guarded() {
		return fault.Conflict("two_factor_needed_first")
	}
	return nil
}
