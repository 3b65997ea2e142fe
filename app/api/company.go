package api

import (
	"cmp"
	"net/http"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
)

type companyView struct {
	ID                string   `json:"id"`
	Name              string   `json:"name"`
	Locale            string   `json:"locale"`
	Timezone          string   `json:"timezone"`
	LogoURL           *string  `json:"logo_url"`
	BrandColor        *string  `json:"brand_color"`
	RequireApproval   bool     `json:"require_approval"`
	RequireTwoFactor  bool     `json:"require_two_factor"`
	DefaultExpiryDays *int     `json:"default_expiry_days"`
	ReminderDays      []int    `json:"reminder_days"`
	ConsentText       *string  `json:"consent_text"`
	ConsentMode       string   `json:"consent_mode" enum:"inline,gate,off"`
	Phone             *string  `json:"phone"`
	PrivacyURL        *string  `json:"privacy_url" format:"uri"`
	RetentionDays     *int     `json:"retention_days"`
	OnDecline         string   `json:"on_decline" enum:"notify,void"`
	SignatureTypes    []string `json:"signature_types" enum:"drawn,typed,image" doc:"What new documents accept"`
	ReadToEnd         bool     `json:"read_to_end" doc:"Whether recipients of new documents have to read all pages before they sign"`
	ClosedReadable    bool     `json:"closed_documents_readable" doc:"Whether recipients can still read documents that were voided, declined or not signed in time"`
	CreatedAt         string   `json:"created_at" format:"date-time"`
	UpdatedAt         string   `json:"updated_at" format:"date-time"`
}

// viewCompany renders a company. A logo stored here gets an address on this appliance.
func (r *request) viewCompany(c account.Company) companyView {
	if strings.HasPrefix(c.LogoURL, "/") {
		c.LogoURL = r.site() + c.LogoURL
	}
	v := companyView{ID: c.ID, Name: c.Name, Locale: c.Locale, Timezone: c.Timezone, LogoURL: orNull(c.LogoURL),
		BrandColor: orNull(c.BrandColor), RequireApproval: c.RequireApproval, RequireTwoFactor: c.RequireTwoFactor, DefaultExpiryDays: positive(c.DefaultExpiryDays),
		ReminderDays: c.ReminderDays, ConsentText: orNull(c.ConsentText), ConsentMode: string(cmp.Or(c.ConsentMode, account.ConsentInline)),
		Phone: orNull(c.Phone), PrivacyURL: orNull(c.PrivacyURL), RetentionDays: positive(c.RetentionDays),
		OnDecline: string(c.OnDecline), SignatureTypes: typesOrAll(c.SignatureTypes), ReadToEnd: c.ReadToEnd, ClosedReadable: c.ClosedDocumentsReadable, CreatedAt: when(c.CreatedAt), UpdatedAt: when(c.UpdatedAt)}
	if v.ReminderDays == nil {
		v.ReminderDays = []int{}
	}
	return v
}

// typesOrAll lists the types of signatures that are allowed; nil allows all.
func typesOrAll(types []string) []string {
	if types == nil {
		return account.SignatureTypes()
	}
	return types
}

func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

type companyPatch struct {
	Name              *string              `json:"name,omitempty"`
	Locale            *string              `json:"locale,omitempty" doc:"Language of messages"`
	Timezone          *string              `json:"timezone,omitempty" doc:"For example Europe/Amsterdam"`
	LogoURL           *string              `json:"logo_url,omitempty" doc:"Web address or data: URL of an image"`
	BrandColor        *string              `json:"brand_color,omitempty" doc:"For example #1d5bd1"`
	RequireApproval   *bool                `json:"require_approval,omitempty" doc:"Documents require approval before they are sent"`
	RequireTwoFactor  *bool                `json:"require_two_factor,omitempty" doc:"Members without two-factor sign-in can only set it up"`
	DefaultExpiryDays *int                 `json:"default_expiry_days,omitempty" doc:"0 for no deadline"`
	ReminderDays      *[]int               `json:"reminder_days,omitempty" doc:"Days after sending"`
	ConsentText       *string              `json:"consent_text,omitempty" doc:"What recipients agree to"`
	RetentionDays     *int                 `json:"retention_days,omitempty" doc:"0 keeps completed documents forever"`
	OnDecline         *account.OnDecline   `json:"on_decline,omitempty" enum:"notify,void"`
	SignatureTypes    *[]string            `json:"signature_types,omitempty" enum:"drawn,typed,image" doc:"What new documents accept as signatures and initials"`
	ReadToEnd         *bool                `json:"read_to_end,omitempty" doc:"Whether recipients of new documents have to read all pages before they sign"`
	ConsentMode       *account.ConsentMode `json:"consent_mode,omitempty" enum:"inline,gate,off" doc:"inline (asked on the document's page), gate (asked before the document is shown) or off"`
	Phone             *string              `json:"phone,omitempty" doc:"Phone number for recipients' questions"`
	PrivacyURL        *string              `json:"privacy_url,omitempty" doc:"Your privacy notice; shown to recipients"`

	ClosedDocumentsReadable *bool `json:"closed_documents_readable,omitempty" doc:"true lets recipients read documents that were voided, declined or not signed in time; by default their link only shows what happened"`
}

type memberView struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Email         string  `json:"email"`
	Role          string  `json:"role" enum:"owner,admin,approver,member,viewer"`
	Status        string  `json:"status" enum:"invited,active,deactivated"`
	TwoFactor     bool    `json:"two_factor"`
	InvitedAt     *string `json:"invited_at" format:"date-time"`
	JoinedAt      *string `json:"joined_at" format:"date-time"`
	DeactivatedAt *string `json:"deactivated_at" format:"date-time"`
	CreatedAt     string  `json:"created_at" format:"date-time"`
	UpdatedAt     string  `json:"updated_at" format:"date-time"`
}

func viewMember(m account.Member) memberView {
	return memberView{ID: m.ID, Name: m.Name, Email: m.Email, Role: string(m.Role), Status: string(m.Status), TwoFactor: m.TwoFactor,
		InvitedAt: maybe(m.InvitedAt), JoinedAt: maybe(m.JoinedAt), DeactivatedAt: maybe(m.DeactivatedAt), CreatedAt: when(m.CreatedAt), UpdatedAt: when(m.UpdatedAt)}
}

type memberBody struct {
	Name     string       `json:"name,omitempty"`
	Email    string       `json:"email,omitempty" doc:"Required"`
	Role     account.Role `json:"role,omitempty" enum:"owner,admin,approver,member,viewer"`
	Locale   string       `json:"locale,omitempty"`
	Password string       `json:"password,omitempty" doc:"Lets somebody without an account log in right away; no message is sent"`
}

type memberPatch struct {
	Role   *account.Role `json:"role,omitempty" doc:"owner, admin, approver, member or viewer"`
	Active *bool         `json:"active,omitempty" doc:"Whether the member can log in"`
}

type tokenView struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	UserID      string   `json:"user_id"`
	UserName    string   `json:"user_name"`
	Scopes      []string `json:"scopes"`
	Addresses   []string `json:"addresses" doc:"Addresses and networks that it can be used from; empty for any"`
	TemplateIDs []string `json:"template_ids" doc:"Templates that it is limited to, with the documents made from them; empty for no limit"`
	Token       *string  `json:"token" doc:"At creation only"`
	LastUsedAt  *string  `json:"last_used_at" format:"date-time"`
	ExpiresAt   *string  `json:"expires_at" format:"date-time"`
	CreatedAt   string   `json:"created_at" format:"date-time"`
}

func viewToken(t account.Token) tokenView {
	v := tokenView{ID: t.ID, Name: t.Name, UserID: t.UserID, UserName: t.UserName, Scopes: []string{}, Addresses: []string{}, TemplateIDs: append([]string{}, t.Templates...), Token: orNull(t.Secret),
		LastUsedAt: maybe(t.LastUsedAt), ExpiresAt: maybe(t.ExpiresAt), CreatedAt: when(t.CreatedAt)}
	for _, x := range t.Scopes {
		v.Scopes = append(v.Scopes, string(x))
	}
	for _, n := range t.Networks {
		v.Addresses = append(v.Addresses, account.Address(n))
	}
	return v
}

type tokenBody struct {
	Name        string          `json:"name,omitempty" doc:"Required"`
	Scopes      []account.Scope `json:"scopes,omitempty" enum:"read,write,sign,admin"`
	ExpiresAt   *string         `json:"expires_at,omitempty" doc:"RFC 3339 or a date; never expires if left out"`
	Addresses   []string        `json:"addresses,omitempty" doc:"Addresses and networks that it can be used from, such as 192.0.2.7 or 2001:db8::/32; any if left out"`
	TemplateIDs []string        `json:"template_ids,omitempty" doc:"Templates that it is limited to: it can make documents from these and reach those documents, and nothing else; no limit if left out"`

	CurrentPassword string `json:"current_password,omitempty" doc:"Required if you last proved who you are more than five minutes ago, and always with an API token"`
}

// companyHandlers serves the company of the caller.
type companyHandlers struct {
	accounts *account.Services
}

func (h *companyHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/company", rule: may(account.ScopeRead), id: "getCompany", summary: "Get the company", tag: "Company"}, func(r *request, _ *nothing) (companyView, error) {
		c, err := h.accounts.Companies.Company(r.who)
		return r.viewCompany(c), err
	})
	handle(s, operation{method: http.MethodPatch, path: "/company", rule: may(account.ScopeAdmin), id: "updateCompany", summary: "Change the company", tag: "Company"}, func(r *request, in *companyPatch) (companyView, error) {
		clearOnNull(r, "logo_url", &in.LogoURL)
		clearOnNull(r, "brand_color", &in.BrandColor)
		clearOnNull(r, "default_expiry_days", &in.DefaultExpiryDays)
		clearOnNull(r, "signature_types", &in.SignatureTypes)
		clearOnNull(r, "consent_text", &in.ConsentText)
		clearOnNull(r, "retention_days", &in.RetentionDays)
		clearOnNull(r, "phone", &in.Phone)
		clearOnNull(r, "privacy_url", &in.PrivacyURL)
		c, err := h.accounts.Companies.UpdateCompany(r.who, account.CompanyPatch(*in))
		return r.viewCompany(c), err
	})
}

// memberHandlers serves the members of a company.
type memberHandlers struct {
	accounts *account.Services
}

func (h *memberHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/members", rule: may(account.ScopeRead), id: "listMembers", summary: "List the members of the company", tag: "Company", query: listParameters, list: true}, func(r *request, _ *nothing) (envelope[memberView], error) {
		q, p, err := listQuery[account.MemberSort](r)
		if err != nil {
			return envelope[memberView]{}, err
		}
		list, err := h.accounts.Companies.ListMembers(r.who, q)
		return enclose(r, p, views(list.Items, viewMember), list.Total), err
	})
	handle(s, operation{method: http.MethodPost, path: "/members", rule: may(account.ScopeAdmin), id: "inviteMember", needs: []string{"email"}, summary: "Invite a member", tag: "Company", status: http.StatusCreated}, func(r *request, in *memberBody) (memberView, error) {
		m, err := h.accounts.Companies.InviteMember(r.UserContext(), r.who, account.MemberInput(*in))
		return viewMember(m), err
	})
	handle(s, operation{method: http.MethodGet, path: "/members/{member}", rule: may(account.ScopeRead), id: "getMember", summary: "Get a member", tag: "Company"}, func(r *request, _ *nothing) (memberView, error) {
		id, err := r.id("member")
		if err != nil {
			return memberView{}, err
		}
		m, err := h.accounts.Companies.GetMember(r.who, id)
		return viewMember(m), err
	})
	handle(s, operation{method: http.MethodPatch, path: "/members/{member}", rule: may(account.ScopeAdmin), id: "updateMember", summary: "Change a member's role, or (de)activate them", tag: "Company"}, func(r *request, in *memberPatch) (memberView, error) {
		id, err := r.id("member")
		if err != nil {
			return memberView{}, err
		}
		m, err := h.accounts.Companies.UpdateMember(r.who, id, account.MemberPatch(*in))
		return viewMember(m), err
	})
	handle(s, operation{method: http.MethodDelete, path: "/members/{member}", rule: may(account.ScopeRead), id: "removeMember", summary: "Remove a member", tag: "Company"}, func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id("member")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.accounts.Companies.RemoveMember(r.who, id)
	})
}

// tokenHandlers serves API tokens.
type tokenHandlers struct {
	drafts   *signing.Drafts
	accounts *account.Services
}

func (h *tokenHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/tokens", rule: may(account.ScopeRead), id: "listTokens", summary: "List API tokens", tag: "Company", query: listParameters, list: true}, func(r *request, _ *nothing) (envelope[tokenView], error) {
		q, p, err := listQuery[account.TokenSort](r)
		if err != nil {
			return envelope[tokenView]{}, err
		}
		list, err := h.accounts.Profile.ListTokens(r.who, q)
		return enclose(r, p, views(list.Items, viewToken), list.Total), err
	})
	handle(s, operation{method: http.MethodPost, path: "/tokens", rule: may(account.ScopeRead), id: "createToken", needs: []string{"name"}, summary: "Create an API token", tag: "Company", status: http.StatusCreated}, func(r *request, in *tokenBody) (tokenView, error) {
		var f fault.Fields
		until, err := r.deadline(&f, "expires_at", in.ExpiresAt)
		templates, failed := h.drafts.KnownTemplates(&f, r.who, views(in.TemplateIDs, idOr))
		if failed != nil {
			return tokenView{}, failed
		}
		if err := merge(&f, err); err != nil {
			return tokenView{}, err
		}
		t, err := h.accounts.Profile.CreateToken(r.who, account.TokenInput{Name: in.Name, Scopes: in.Scopes, ExpiresAt: until, Addresses: in.Addresses, Templates: templates})
		return viewToken(t), err
	})
	handle(s, operation{method: http.MethodDelete, path: "/tokens/{token}", rule: may(account.ScopeRead), id: "revokeToken", summary: "Revoke an API token", tag: "Company"}, func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id("token")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.accounts.Profile.RevokeToken(r.who, id)
	})
}

func views[T, V any](records []T, view func(T) V) []V {
	out := make([]V, 0, len(records))
	for _, x := range records {
		out = append(out, view(x))
	}
	return out
}
