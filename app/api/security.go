package api

import (
	"net/http"

	"paraph/app/account"
)

// PasskeyView is exported because it is embedded: the description omits
// unexported types.
type PasskeyView struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Synced     bool    `json:"synced" doc:"Whether a password manager syncs it between devices"`
	LastUsedAt *string `json:"last_used_at" format:"date-time"`
	CreatedAt  string  `json:"created_at" format:"date-time"`
}

func viewPasskey(p account.Passkey) PasskeyView {
	return PasskeyView{ID: p.ID, Name: p.Name, Synced: p.Synced, LastUsedAt: maybe(p.LastUsedAt), CreatedAt: when(p.CreatedAt)}
}

type newPasskeyView struct {
	PasskeyView
	RecoveryCodes []string `json:"recovery_codes" doc:"Returned with the first second factor, once"`
}

type ceremonyView struct {
	Ceremony string `json:"ceremony"`
	Options  any    `json:"options" doc:"Options for navigator.credentials"`
}

func viewCeremony(c account.Ceremony) ceremonyView {
	return ceremonyView{Ceremony: c.ID, Options: c.Options}
}

type passkeyLoginBody struct {
	Email    string `json:"email,omitempty"`
	Password string `json:"password,omitempty"`
}

type credentialBody struct {
	Ceremony   string     `json:"ceremony,omitempty"`
	Credential credential `json:"credential,omitempty" doc:"JSON of the browser's PublicKeyCredential"`
}

type newPasskeyBody struct {
	Ceremony   string     `json:"ceremony,omitempty"`
	Name       string     `json:"name,omitempty"`
	Credential credential `json:"credential,omitempty" doc:"JSON of the browser's PublicKeyCredential"`
}

type nameBody struct {
	Name string `json:"name,omitempty"`
}

type proofBody struct {
	Password string `json:"password,omitempty"`
	Code     string `json:"code,omitempty" doc:"From the authenticator app, or a recovery code"`
}

type recoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

type signInView struct {
	ID        string  `json:"id"`
	UserID    string  `json:"user_id"`
	Name      string  `json:"name"`
	Email     string  `json:"email"`
	At        string  `json:"at" format:"date-time"`
	IP        *string `json:"ip"`
	UserAgent *string `json:"user_agent"`
	Method    string  `json:"method" enum:"password,password+code,password+recovery_code,password+passkey,passkey"`
	Outcome   string  `json:"outcome" enum:"ok,wrong_password,wrong_second_factor,deactivated"`
}

func viewSignIn(e account.SignInEntry) signInView {
	return signInView{ID: e.ID, UserID: e.UserID, Name: e.Name, Email: e.Email, At: when(e.At), IP: orNull(e.IP), UserAgent: orNull(e.UserAgent),
		Method: string(e.Method), Outcome: string(e.Outcome)}
}

type endedView struct {
	Ended int `json:"ended" doc:"Number of sessions ended"`
}

// securityHandlers serves sessions, passkeys and proofs.
type securityHandlers struct {
	accounts *account.Services
}

func (h *securityHandlers) routes(s *server) {
	handle(s, operation{method: http.MethodPost, path: "/login/passkey/begin", rule: anyone(), id: "beginPasskeyLogin", summary: "Start logging in with a passkey", tag: "Session"}, func(r *request, in *passkeyLoginBody) (ceremonyView, error) {
		var c account.Ceremony
		var err error
		if in.Email == "" && in.Password == "" {
			c, err = h.accounts.Authentication.BeginPasskeyLogin(r.site(), "", r.from())
		} else {
			c, err = h.accounts.Authentication.BeginPasskeyAfterPassword(r.UserContext(), r.site(), in.Email, in.Password, r.from())
		}
		return viewCeremony(c), err
	})
	handle(s, operation{method: http.MethodPost, path: "/login/passkey", rule: anyone(), id: "logInWithPasskey", summary: "Log in with a passkey", tag: "Session"}, func(r *request, in *credentialBody) (userView, error) {
		u, err := h.accounts.Authentication.FinishPasskeyLogin(in.Ceremony, in.Credential.text(), r.from())
		return viewUser(u), err
	})
	h.passkeyRoutes(s)
	h.proofRoutes(s)
	handle(s, operation{method: http.MethodPost, path: "/me/recovery-codes", rule: self(), id: "createRecoveryCodes", summary: "Generate new recovery codes", tag: "Session"}, func(r *request, in *proofBody) (recoveryCodes, error) {
		codes, err := h.accounts.Authentication.NewRecoveryCodes(r.UserContext(), r.who, in.Password, in.Code)
		return recoveryCodes{codes}, err
	})
	handle(s, operation{method: http.MethodGet, path: "/me/sign-ins", rule: self(), id: "listOwnSignIns", summary: "List my sign-ins", tag: "Session", query: pageParameters, list: true}, h.signIns(false))
	handle(s, operation{method: http.MethodGet, path: "/sign-ins", rule: may(account.ScopeAdmin), id: "listSignIns", summary: "List the sign-ins of all members", tag: "Company", query: pageParameters, list: true}, h.signIns(true))
	handle(s, operation{method: http.MethodPost, path: "/sign-out-everybody", rule: may(account.ScopeAdmin), id: "signOutEverybody", summary: "Sign everyone out", tag: "Company"}, func(r *request, _ *nothing) (endedView, error) {
		n, err := h.accounts.Authentication.EndAllSessions(r.UserContext(), r.who)
		return endedView{n}, err
	})
}

func (h *securityHandlers) passkeyRoutes(s *server) {
	handle(s, operation{method: http.MethodGet, path: "/me/passkeys", rule: self(), id: "listPasskeys", summary: "List my passkeys", tag: "Session", query: pageParameters, list: true}, func(r *request, _ *nothing) (envelope[PasskeyView], error) {
		all, err := h.accounts.Authentication.ListPasskeys(r.who)
		if err != nil {
			return envelope[PasskeyView]{}, err
		}
		return slice(r, views(all, viewPasskey))
	})
	handle(s, operation{method: http.MethodPost, path: "/me/passkeys/begin", rule: self(), id: "beginPasskeyRegistration", summary: "Start registering a passkey", tag: "Session"}, func(r *request, _ *provenBody) (ceremonyView, error) {
		c, err := h.accounts.Authentication.BeginPasskey(r.who, r.site())
		return viewCeremony(c), err
	})
	handle(s, operation{method: http.MethodPost, path: "/me/passkeys", rule: self(), id: "registerPasskey", summary: "Register a passkey", tag: "Session", status: http.StatusCreated}, func(r *request, in *newPasskeyBody) (newPasskeyView, error) {
		p, err := h.accounts.Authentication.FinishPasskey(r.who, in.Ceremony, in.Name, in.Credential.text())
		if p.RecoveryCodes == nil {
			p.RecoveryCodes = []string{}
		}
		return newPasskeyView{viewPasskey(p.Passkey), p.RecoveryCodes}, err
	})
	handle(s, operation{method: http.MethodPatch, path: "/me/passkeys/{passkey}", rule: self(), id: "renamePasskey", summary: "Rename a passkey", tag: "Session"}, func(r *request, in *nameBody) (PasskeyView, error) {
		id, err := r.id("passkey")
		if err != nil {
			return PasskeyView{}, err
		}
		p, err := h.accounts.Authentication.RenamePasskey(r.who, id, in.Name)
		return viewPasskey(p), err
	})
	handle(s, operation{method: http.MethodDelete, path: "/me/passkeys/{passkey}", rule: self(), id: "deletePasskey", summary: "Remove a passkey", tag: "Session"}, func(r *request, in *proofBody) (nothing, error) {
		id, err := r.id("passkey")
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, h.accounts.Authentication.RemovePasskey(r.UserContext(), r.who, id, in.Password, in.Code)
	})
}

// signIns lists the caller's own sign-ins, or those of the whole company.
func (h *securityHandlers) signIns(everybody bool) func(*request, *nothing) (envelope[signInView], error) {
	return func(r *request, _ *nothing) (envelope[signInView], error) {
		p := r.query.page()
		if err := r.query.faults.Err(); err != nil {
			return envelope[signInView]{}, err
		}
		list, err := h.accounts.Authentication.ListSignIns(r.who, everybody, p.offset(), p.size)
		return enclose(r, p, views(list.Items, viewSignIn), list.Total), err
	}
}
