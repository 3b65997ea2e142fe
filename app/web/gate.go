package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/signing"
)

// proofLasts is how long a browser keeps the proof; the proof itself ends then too.
const proofLasts = time.Hour

// showGate asks for the code that an invitation wants before anything is shown.
func (r *request) showGate(v *visitor, status int, p page) error {
	own := r.frame(v, r.say("gate.title"))
	own.Values, own.Faults, own.Fault, own.Notice = p.Values, p.Faults, p.Fault, p.Notice
	data := own.Data.(visitPage)
	data.Masked, data.Sent = mask(v.Invitation.Email), p.Notice != nil || p.Faults != nil
	own.Data = data
	return r.render(status, "gate", own)
}

// mask shows enough of an address to be recognised by whoever has it.
func mask(address string) string {
	user, host, ok := strings.Cut(address, "@")
	if !ok || user == "" {
		return "…"
	}
	first := []rune(user)[0]
	return string(first) + "…@" + host
}

func (r *request) requestCode(v *visitor) error {
	if v.Stage != signing.StageIdentify {
		return r.redirect(v.base)
	}
	err := r.door.Signing.RequestCode(r.UserContext(), v.who, v.who.Document, v.who.Invitation)
	if err != nil {
		return r.gateAgain(v, err)
	}
	return r.showGate(v, http.StatusOK, page{Notice: r.notice("ok", "gate.sent", "address", mask(v.Invitation.Email))})
}

func (r *request) identify(v *visitor) error {
	if v.Stage != signing.StageIdentify {
		return r.redirect(v.base)
	}
	code := strings.Map(func(c rune) rune {
		if c == ' ' || c == '-' && v.Invitation.Authentication == signing.ByEmailCode {
			return -1
		}
		return c
	}, r.form.value("code"))
	proof, err := r.door.Signing.Identify(r.UserContext(), v.who, v.who.Document, v.who.Invitation, code)
	if err != nil {
		return r.gateAgain(v, err)
	}
	r.keep(proofCookie, proof, v.base, proofLasts)
	return r.redirect(v.base)
}

// gateAgain shows what was wrong with a code, or how long to wait.
func (r *request) gateAgain(v *visitor, err error) error {
	f := r.failureOf(err)
	switch account.KindOf(err) {
	case account.KindInvalid:
		return r.showGate(v, f.Status, page{Faults: r.translated(f.Faults)})
	case account.KindThrottled:
		r.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.Wait))
		return r.showGate(v, f.Status, page{Fault: r.say("gate.wait", "n", f.Wait), Faults: map[string][]string{}})
	case account.KindConflict:
		return r.redirect(v.base)
	}
	return err
}
