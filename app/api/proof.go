package api

import (
	"net/http"
	"time"

	"paraph/app/account"
)

// proving is a body with which the caller can prove their identity.
type proving interface{ proof() account.Proof }

func (b *emailChangeBody) proof() account.Proof { return account.Proof{Password: b.CurrentPassword} }
func (b *setupBody) proof() account.Proof       { return account.Proof{Password: b.CurrentPassword} }
func (b *tokenBody) proof() account.Proof       { return account.Proof{Password: b.CurrentPassword} }
func (b *provenBody) proof() account.Proof      { return account.Proof{Password: b.CurrentPassword} }

// provenBody is the body of an endpoint whose only input is a proof.
type provenBody struct {
	CurrentPassword string `json:"current_password,omitempty" doc:"Required if you last proved who you are more than five minutes ago"`
}

// prove checks the proof in a body, if there is one.
func (r *request) prove(in any) (err error) {
	p, ok := in.(proving)
	if !ok || p.proof() == (account.Proof{}) {
		return nil
	}
	r.who, err = r.server.Accounts.Authentication.Prove(r.UserContext(), r.who, p.proof())
	return err
}

type provenView struct {
	Until string `json:"until" format:"date-time" doc:"Time until which sign-in settings can be changed"`
}

func viewProven(who account.Call) provenView {
	return provenView{when(who.ProvenAt.Add(account.ProofWindow).Truncate(time.Millisecond))}
}

func (h *securityHandlers) proofRoutes(s *server) {
	handle(s, operation{method: http.MethodPost, path: "/me/proof", rule: self(), id: "proveIdentity", summary: "Prove who you are", tag: "Session"}, func(r *request, in *proofBody) (provenView, error) {
		who, err := h.accounts.Authentication.ProveSession(r.UserContext(), r.who, account.Proof{Password: in.Password, Code: in.Code})
		return viewProven(who), err
	})
	handle(s, operation{method: http.MethodPost, path: "/me/proof/passkey/begin", rule: self(), id: "beginPasskeyProof", summary: "Start proving who you are with a passkey", tag: "Session"}, func(r *request, _ *nothing) (ceremonyView, error) {
		c, err := h.accounts.Authentication.BeginPasskeyProof(r.who, r.site())
		return viewCeremony(c), err
	})
	handle(s, operation{method: http.MethodPost, path: "/me/proof/passkey", rule: self(), id: "proveIdentityWithPasskey", summary: "Prove who you are with a passkey", tag: "Session"}, func(r *request, in *credentialBody) (provenView, error) {
		who, err := h.accounts.Authentication.FinishPasskeyProof(r.who, in.Ceremony, in.Credential.text())
		return viewProven(who), err
	})
}
