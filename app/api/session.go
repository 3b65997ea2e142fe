package api

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/httpkit"
	"paraph/app/notify"
)

type loginBody struct {
	Email    string `json:"email,omitempty"`
	Password string `json:"password,omitempty"`
	Code     string `json:"code,omitempty" doc:"From the authenticator app, if two-factor is on"`
}

type mePatch struct {
	Name            *string `json:"name,omitempty"`
	Locale          *string `json:"locale,omitempty" doc:"For example en"`
	Timezone        *string `json:"timezone,omitempty" doc:"For example Europe/Amsterdam"`
	Password        *string `json:"password,omitempty" doc:"New password"`
	CurrentPassword string  `json:"current_password,omitempty" doc:"Required with a new password"`
}

type emailBody struct {
	Email string `json:"email,omitempty"`
}

type emailChangeBody struct {
	Email           string `json:"email,omitempty" doc:"New address; leave out to verify the one you have"`
	CurrentPassword string `json:"current_password,omitempty" doc:"Required with a new address if you last proved who you are more than five minutes ago"`
}

type resetBody struct {
	Token        string `json:"token,omitempty"`
	Password     string `json:"password,omitempty"`
	RevokeTokens bool   `json:"revoke_tokens,omitempty" doc:"End your API tokens too"`
}

type setupBody struct {
	Code            string `json:"code,omitempty" doc:"Leave out to create a new secret; send it to confirm the secret"`
	CurrentPassword string `json:"current_password,omitempty" doc:"Required if you last proved who you are more than five minutes ago"`
}

type twoFactorAnswer struct {
	Secret        *string  `json:"secret"`
	URL           *string  `json:"url"`
	RecoveryCodes []string `json:"recovery_codes"`
	Enabled       bool     `json:"enabled"`
}

// sessionHandlers serves signing in and the profile of the caller.
type sessionHandlers struct {
	accounts *account.Services
	notify   *notify.Service
}

func (h *sessionHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodPost, path: "/login", rule: anyone().Hashing(), id: "logIn", needs: []string{"email", "password"}, summary: "Log in", tag: "Session"}, h.logIn)
	handle(s, operation{method: http.MethodPost, path: "/logout", rule: shared(""), id: "logOut", summary: "Log out", tag: "Session"}, func(r *request, _ *nothing) (nothing, error) {
		return nothing{}, h.accounts.Authentication.Logout(r.who)
	})
	handle(s, operation{method: http.MethodGet, path: "/me", rule: self(), id: "getProfile", summary: "Get my profile", tag: "Session"}, func(r *request, _ *nothing) (userView, error) {
		u, err := h.accounts.Profile.Me(r.who)
		return viewUser(u), err
	})
	handle(s, operation{method: http.MethodPatch, path: "/me", rule: self(), id: "updateProfile", summary: "Change my profile or password", tag: "Session"}, func(r *request, in *mePatch) (userView, error) {
		u, err := h.accounts.Profile.UpdateMe(r.UserContext(), r.who, account.MePatch(*in))
		return viewUser(u), err
	})
	handle(s, operation{method: http.MethodPost, path: "/me/two-factor", rule: self(), id: "setUpTwoFactor", summary: "Set up an authenticator app", tag: "Session"}, h.setTwoFactor)
	handle(s, operation{method: http.MethodDelete, path: "/me/two-factor", rule: self(), id: "disableTwoFactor", summary: "Turn off two-factor sign-in", tag: "Session"}, func(r *request, in *proofBody) (nothing, error) {
		return nothing{}, h.accounts.Authentication.DisableTwoFactor(r.UserContext(), r.who, in.Password, in.Code)
	})
	handle(s, operation{method: http.MethodPost, path: "/email/reverify", rule: self(), id: "sendEmailVerification", summary: "Send a verification message", tag: "Session", status: http.StatusAccepted}, h.reverify)
	handle(s, operation{method: http.MethodGet, path: "/email/verify", rule: anyone(), id: "verifyEmail", summary: "Verify an e-mail address", tag: "Session",
		query: []parameter{{name: "token", kind: "string"}}}, func(r *request, _ *nothing) (message, error) {
		_, err := h.accounts.Profile.VerifyEmail(r.query.text("token"))
		return message{"The address is verified."}, err
	})
	handle(s, operation{method: http.MethodPost, path: "/password/forgot", rule: anyone(), id: "requestPasswordReset", needs: []string{"email"}, summary: "Ask for a new password", tag: "Session", status: http.StatusAccepted}, func(r *request, in *emailBody) (message, error) {
		err := h.accounts.Authentication.ForgotPassword(in.Email, r.from())
		return message{mailed(h.notify, "If the address is known, a message is on its way.",
			"No e-mail can be sent. If the address is known, an administrator of the installation can give the person a link.")}, err
	})
	handle(s, operation{method: http.MethodPost, path: "/password/reset", rule: anyone().Hashing(), id: "resetPassword", needs: []string{"token", "password"}, summary: "Choose a new password", tag: "Session"}, func(r *request, in *resetBody) (message, error) {
		err := h.accounts.Authentication.ResetPassword(r.UserContext(), in.Token, account.Reset{Password: in.Password, RevokeTokens: in.RevokeTokens})
		return message{"The password is changed."}, err
	})
}

func (r *request) from() account.From {
	return account.From{IP: r.server.Kit.Address(r.Ctx), UserAgent: httpkit.Agent(r.Ctx)}
}

func (h *sessionHandlers) logIn(r *request, in *loginBody) (userView, error) {
	u, err := h.accounts.Authentication.Login(r.UserContext(), in.Email, in.Password, in.Code, r.from())
	return viewUser(u), err
}

func (h *sessionHandlers) reverify(r *request, in *emailChangeBody) (message, error) {
	rate, err := h.accounts.Profile.Reverify(r.who, in.Email)
	if err != nil {
		return message{}, err
	}
	r.rate(rate)
	return message{mailed(h.notify, "A verification message is on its way.",
		"No e-mail can be sent. An administrator of the installation can give you the link.")}, nil
}

func (h *sessionHandlers) setTwoFactor(r *request, in *setupBody) (twoFactorAnswer, error) {
	if in.Code == "" {
		setup, err := h.accounts.Authentication.BeginTwoFactor(r.who)
		return twoFactorAnswer{Secret: orNull(setup.Secret), URL: orNull(setup.URL), RecoveryCodes: []string{}}, err
	}
	codes, err := h.accounts.Authentication.ConfirmTwoFactor(r.who, in.Code)
	return twoFactorAnswer{RecoveryCodes: codes, Enabled: err == nil}, err
}

type userView struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	Email           string            `json:"email"`
	EmailVerifiedAt *string           `json:"email_verified_at" format:"date-time"`
	Locale          *string           `json:"locale"`
	Timezone        *string           `json:"timezone"`
	TwoFactor       bool              `json:"two_factor" doc:"Whether sign-in requires a second factor"`
	Passkeys        int               `json:"passkeys"`
	RecoveryCodes   int               `json:"recovery_codes" doc:"Number of codes left"`
	CreatedAt       string            `json:"created_at" format:"date-time"`
	UpdatedAt       string            `json:"updated_at" format:"date-time"`
	Companies       []userCompanyView `json:"companies"`
}

type userCompanyView struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Role  string  `json:"role" enum:"owner,admin,approver,member,viewer"`
	Token *string `json:"token" doc:"Bearer token for this company; only returned by login"`
	// Limited: see account.UserCompany.
	Limited bool `json:"two_factor_missing" doc:"The company requires two-factor sign-in: until it is set up, everything else returns 403"`
}

func viewUser(u account.User) userView {
	v := userView{ID: u.ID, Name: u.Name, Email: u.Email, EmailVerifiedAt: maybe(u.EmailVerifiedAt), Locale: orNull(u.Locale),
		Timezone: orNull(u.Timezone), TwoFactor: u.TwoFactor, Passkeys: u.Passkeys, RecoveryCodes: u.RecoveryCodes, CreatedAt: when(u.CreatedAt), UpdatedAt: when(u.UpdatedAt),
		Companies: []userCompanyView{}}
	for _, c := range u.Companies {
		v.Companies = append(v.Companies, userCompanyView{c.ID, c.Name, string(c.Role), orNull(c.Token), c.Limited})
	}
	return v
}
